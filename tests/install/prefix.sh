#!/usr/bin/env bash
# The product installed into a prefix, which is then moved: everything is used from there alone.
#
#   prefix.sh BUILD SOURCE JAR
#
# A JVM gets the agent, is recorded, and the recording is read and shown; other people's programs are
# built against the library. Ends with 1 after naming what failed.
set -u
export LC_ALL=C
build=$1 source=$2 jar=$3
work=$(mktemp -d)
jvm=
trap 'kill $jvm 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT

fail() {
	echo "prefix: $1" >&2
	[ ! -s "$work/out" ] || tail -n 20 "$work/out" >&2
	exit 1
}

# try WHAT COMMAND…: runs it; its output is in $work/out.
try() {
	local what=$1
	shift
	timeout 120 "$@" >"$work/out" 2>&1 || fail "$what: $* ended with $?"
}

# says WHAT PATTERN: the last output has a line like that.
says() { grep -Eq -- "$2" "$work/out" || fail "$1: nothing like \"$2\" in the output"; }

# without TOOL WHAT: true, with a word, if a tool is missing.
without() {
	! command -v "$1" >/dev/null && echo "skipped: $2 (there is no $1)"
}

try "install" cmake -E chdir "$work" cmake --install "$build" --prefix first
unit=$work/first/lib/systemd/system/gcspy-serve.service
if [ -f "$unit" ]; then
	grep -q "^ExecStart=$work/first/bin/gcspy serve " "$unit" || fail "the unit starts another gcspy"
	if ! without systemd-analyze "the unit"; then
		systemd-analyze verify --man=no "$unit" >"$work/out" 2>&1
		! grep -q 'gcspy-serve\.service' "$work/out" || fail "systemd does not take the unit"
	fi
fi
mv "$work/first" "$work/prefix" || exit 1
prefix=$work/prefix
# A linker script or a page that holds the old place would only be found by its user.
if grep -rl --include='*.pc' --include='*.cmake' --include='*.[17]' --include='*.desktop' \
	-e "$work/first" -e "$build" "$prefix"; then
	fail "these files hold a folder's path"
fi
export PATH=$prefix/bin:$PATH
[ "$(command -v gcspy)" = "$prefix/bin/gcspy" ] || fail "gcspy is not in bin"

try "version" gcspy --version
says "version" "^gcspy $(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt"),"

# The agent, from where gcspy finds it.
if [ -z "$jar" ] || without java "attaching"; then
	[ -n "$jar" ] || echo "skipped: attaching (there is no java-test-apps.jar)"
else
	java -Xmx64m -XX:+UseSerialGC -cp "$jar" GCOld seconds=300 >/dev/null 2>&1 &
	jvm=$!
	for _ in $(seq 300); do
		gcspy list | grep -q "^ *$jvm " && break
		sleep 0.1
	done
	try "attach" gcspy attach $jvm port=0 --timeout 60
	address=$(grep -o '127\.0\.0\.1:[0-9]*' "$work/out" | head -1)
	[ -n "$address" ] || fail "attach names no address"
	grep -q " $prefix/lib/gcspy/libgcspyagent.so$" "/proc/$jvm/maps" ||
		fail "the JVM has not loaded the agent of the prefix"
	try "info" gcspy info "$address"
	says "info" 'Serial'
	try "record" gcspy record "$address" --events 6 -o "$work/own.gcspy"
	try "stats" gcspy stats "$work/own.gcspy"
	says "stats" '[Pp]ause'
	try "report" gcspy report "$work/own.gcspy" -o "$work/report.html"
	grep -q '</html>' "$work/report.html" || fail "the report is no whole page"
	kill $jvm
	wait $jvm 2>/dev/null
	jvm=
fi

if [ -x "$prefix/bin/gcspy-view" ]; then
	# The sample beside the program, as its command finds it.
	printf '%s\n' "dump $work/empty" open_sample 'wait live' "dump $work/sample" "screenshot $work/sample.png" quit \
		>"$work/script"
	SDL_VIDEODRIVER=dummy try "gcspy-view" gcspy-view --script "$work/script"
	grep -Fq -- "-agentpath:$prefix/lib/gcspy/libgcspyagent.so" "$work/empty" ||
		fail "gcspy-view does not find the agent"
	grep -q 'leak\.gcspy' "$work/sample" || fail "gcspy-view does not find the sample"
	[ "$(head -c 8 "$work/sample.png" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] ||
		fail "the picture is no PNG"
	if ! without desktop-file-validate "the desktop entry"; then
		try "desktop entry" desktop-file-validate "$prefix/share/applications/gcspy-view.desktop"
		[ ! -s "$work/out" ] || fail "the desktop entry has warnings"
	fi
	if ! without xmllint "the MIME type and the icon"; then
		try "MIME type" xmllint --noout "$prefix/share/mime/packages/gcspy.xml"
		try "icon" xmllint --noout "$prefix/share/icons/hicolor/scalable/apps/gcspy-view.svg"
	fi
	if ! without update-mime-database "the MIME database"; then
		try "MIME database" update-mime-database "$prefix/share/mime"
		grep -q '^80:application/x-gcspy-trace:\*\.gcspy$\|:application/x-gcspy-trace:\*\.gcspy$' \
			"$prefix/share/mime/globs2" || fail "*.gcspy has no MIME type"
		grep -aq GCSTRACE "$prefix/share/mime/magic" || fail "the type is not known by content"
	fi
fi

# Other people's programs.
lib=$(dirname "$(find "$prefix" -name libgcspy.so)")
export LD_LIBRARY_PATH=$lib
if ! without pkg-config "building by pkg-config"; then
	export PKG_CONFIG_PATH=$lib/pkgconfig
	# shellcheck disable=SC2046 # words
	try "pkg-config" cc -std=c11 -D_POSIX_C_SOURCE=200809L -o "$work/server" \
		"$source/tests/embed/toy_server.c" $(pkg-config --cflags --libs gcspy)
	mkdir "$work/project"
	cp "$source/tests/embed/toy_client.c" "$work/project"
	cat >"$work/project/CMakeLists.txt" <<-'END'
		cmake_minimum_required(VERSION 3.16)
		project(toy C)
		find_package(gcspy 0.1 REQUIRED)
		add_executable(client toy_client.c)
		target_compile_definitions(client PRIVATE _POSIX_C_SOURCE=200809L)
		target_link_libraries(client PRIVATE gcspy::client)
	END
	try "find_package" cmake -S "$work/project" -B "$work/project/build" \
		-DCMAKE_PREFIX_PATH="$prefix"
	try "find_package" cmake --build "$work/project/build"
	try "toys" bash "$source/tests/embed/toys.sh" "$work/server" "$work/project/build/client"

	# The libraries of two releases do not work together, and the loader says so.
	mkdir "$work/mixed"
	cp "$lib/libgcspy.so.0" "$work/mixed"
	sed 's/GCSPY_PRIVATE_[0-9]/GCSPY_PRIVATE_X/' "$lib/libgcspyclient.so.0" >"$work/mixed/libgcspyclient.so.0"
	LD_LIBRARY_PATH=$work/mixed "$work/project/build/client" 1 1 >"$work/out" 2>&1 &&
		fail "a client of another release was loaded"
	says "two releases" 'version .GCSPY_PRIVATE_X.* not found'
fi
echo "the moved prefix works"
