# shellcheck shell=bash disable=SC2034
# Shared by the tests of packages; sourced. $work is a folder that goes away, $out what the last
# command of `try` has written.
set -u
export LC_ALL=C
# shellcheck disable=SC2034 # used by those who source it
source=$1 folder=$2 jar=$3
here=$source/tests/package
work=$(mktemp -d)
out=$work/out
jvm=
trap 'kill $jvm 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT

fail() {
	echo "package: $1" >&2
	[ ! -s "$out" ] || tail -n 30 "$out" >&2
	exit 1
}

# try WHAT COMMAND…: runs it.
try() {
	local what=$1
	shift
	timeout 300 "$@" >"$out" 2>&1 || fail "$what: $* ended with $?"
}

# says WHAT PATTERN: the last command has written a line like that.
says() { grep -Eq -- "$2" "$out" || fail "$1: nothing like \"$2\" in the output"; }

# make KIND: builds packages; tests whose dependencies are missing are skipped.
make() {
	bash "$source/cmake/packages.sh" "$folder" "$1" >"$out" 2>&1
	local code=$?
	[ $code != 77 ] || { tail -1 "$out"; exit 77; }
	[ $code = 0 ] || fail "packages.sh $1 ended with $code"
}

# attaches GCSPY: that program finds its agent, and a JVM takes it.
attaches() {
	local gcspy=$1 address
	if [ -z "$jar" ] || ! command -v java >/dev/null; then
		echo "skipped: attaching (no java, or no java-test-apps.jar)"
		return
	fi
	java -Xmx64m -XX:+UseSerialGC -cp "$jar" GCOld seconds=300 >/dev/null 2>&1 &
	jvm=$!
	for _ in $(seq 300); do
		"$gcspy" list | grep -q "^ *$jvm " && break
		sleep 0.1
	done
	try "attach" "$gcspy" attach $jvm port=0 --timeout 60
	address=$(grep -o '127\.0\.0\.1:[0-9]*' "$out" | head -1)
	[ -n "$address" ] || fail "attach names no address"
	try "info" "$gcspy" info "$address"
	says "info" 'Serial'
	try "record" "$gcspy" record "$address" --events 4 -o "$work/own.gcspy" --force
	try "stats" "$gcspy" stats "$work/own.gcspy"
	says "stats" '[Pp]ause'
	kill $jvm
	wait $jvm 2>/dev/null
	jvm=
}
