#!/usr/bin/env bash
# servers/train builds alone, far from GCspy's sources, against an installed prefix, as a stranger's program
# would (F20, R1).
#
#   standalone.sh BUILD-FOLDER SOURCES
set -u
build=$1 sources=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

fail() {
	echo "standalone: $1" >&2
	tail -n 30 "$out"/*.log >&2
	exit 1
}

for component in libgcspy0 libgcspy-dev; do
	cmake --install "$build" --component $component --prefix "$out/prefix" >>"$out/install.log" 2>&1 ||
		fail "cannot install $component"
done
cp -r "$sources/servers/train" "$out/source" || fail "no sources"
CC=${CC:-cc} cmake -S "$out/source" -B "$out/build" -DCMAKE_PREFIX_PATH="$out/prefix" \
	-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS=-Werror >"$out/configure.log" 2>&1 ||
	fail "cannot configure"
cmake --build "$out/build" >"$out/build.log" 2>&1 || fail "cannot build"
LD_LIBRARY_PATH=$(dirname "$(find "$out/prefix" -name 'libgcspy.so.0')")
export LD_LIBRARY_PATH
ldd "$out/build/gcspy-train" | grep -q "$LD_LIBRARY_PATH/libgcspy.so.0" || fail "another libgcspy"
"$out/build/gcspy-train" port=-1 size=5 steps=3 --verify --record "$out/run.gcspy" \
	>"$out/run.log" 2>&1 || fail "it does not run"
[ -s "$out/run.gcspy" ] || fail "no recording"
