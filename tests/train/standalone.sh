#!/usr/bin/env bash
# servers/train builds alone (R1).
#
#   standalone.sh BUILD-FOLDER SOURCES
set -u
# shellcheck source=tests/standalone.sh
. "$2/tests/standalone.sh" standalone "$1" "$2" servers/train

configure build -DCMAKE_BUILD_TYPE=RelWithDebInfo
cmake --build "$out/build" >"$out/build.log" 2>&1 || fail "cannot build"
ldd "$out/build/gcspy-train" | grep -q "$LD_LIBRARY_PATH/libgcspy.so.0" || fail "another libgcspy"
"$out/build/gcspy-train" port=-1 size=5 steps=3 --verify --record "$out/run.gcspy" \
	>"$out/run.log" 2>&1 || fail "it does not run"
[ -s "$out/run.gcspy" ] || fail "no recording"
