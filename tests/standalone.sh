# Sourced by tests that build a folder of servers/ alone, far from GCspy's sources, against an installed prefix, as
# a stranger's program would (F20): installs libgcspy, copies the folder, and sets `out`, a scratch folder that is
# removed at the end, with `prefix`, `source` and logs in it.
#
#   . standalone.sh NAME BUILD-FOLDER SOURCES FOLDER
#   configure here [OPTION…] && cmake --build "$out/here"
name=$1 build=$2 sources=$3 folder=$4
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

fail() {
	echo "$name: $1" >&2
	tail -n 30 "$out"/*.log >&2
	exit 1
}

configure() {
	CC=${CC:-cc} cmake -S "$out/source" -B "$out/$1" -DCMAKE_PREFIX_PATH="$out/prefix" \
		-DCMAKE_C_FLAGS=-Werror "${@:2}" >"$out/$1.log" 2>&1 || fail "cannot configure"
}

for component in libgcspy0 libgcspy-dev; do
	cmake --install "$build" --component $component --prefix "$out/prefix" >>"$out/install.log" 2>&1 ||
		fail "cannot install $component"
done
cp -r "$sources/$folder" "$out/source" || fail "no sources"
LD_LIBRARY_PATH=$(dirname "$(find "$out/prefix" -name 'libgcspy.so.0')")
export LD_LIBRARY_PATH
