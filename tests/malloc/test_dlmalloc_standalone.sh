#!/usr/bin/env bash
# servers/malloc builds alone; and where dlmalloc's source is not available, the build says so in one line and goes
# on.
#
#   test_dlmalloc_standalone.sh BUILD-FOLDER SOURCES
set -u
unset CMAKE_C_COMPILER_LAUNCHER # one of these builds has a short PATH
# shellcheck source=tests/standalone.sh
. "$2/tests/standalone.sh" dlmalloc_standalone "$1" "$2" servers/malloc

# The source that this build has is taken from the cache.
mkdir -p "$out/cache/gcspy"
cp "$build"/servers/malloc/dlmalloc/source/libffi_*.orig.tar.gz "$out/cache/gcspy" || fail "no archive"
XDG_CACHE_HOME=$out/cache configure here
cmake --build "$out/here" >"$out/build.log" 2>&1 || fail "cannot build"
library=$out/here/dlmalloc/libgcspydlmalloc.so server=$out/here/libgcspymalloc.so
[ "$(nm -D --defined-only "$library" | grep -c ' [TD] ')" -eq 12 ] || fail "other symbols than the 11 names and the table"
echo | LD_PRELOAD=$server:$library GCSPYMALLOC=record=$out/run.gcspy,deferred=60 \
	"$out/here/dlmalloc/gcspy-dlmalloc-coalescing" 1 \
	>"$out/run.log" 2>&1 || fail "it does not run"
[ -s "$out/run.gcspy" ] || fail "no recording"
LD_PRELOAD=$server:$library GCSPYMALLOC=port=none cat </dev/null 2>"$out/option.log"
[ "$(wc -l <"$out/option.log")" = 1 ] && grep -q 'port="none": expected a number from 0 to 65535' "$out/option.log" ||
	fail "a wrong option"

# Another archive, and no apt.
mkdir "$out/bin"
for tool in sh cmake cc make mkdir cp grep tail sha256sum tar mv id nm ld as uname; do
	command -v $tool >/dev/null && ln -s "$(command -v $tool)" "$out/bin/$tool"
done
echo damaged >"$(echo "$out"/cache/gcspy/libffi_*)"
PATH=$out/bin XDG_CACHE_HOME=$out/cache configure elsewhere
[ "$(grep -c '^-- skipped: dlmalloc: .*apt-get' "$out/elsewhere.log")" = 1 ] || fail "it does not say what is missing"
PATH=$out/bin cmake --build "$out/elsewhere" >"$out/build.log" 2>&1 || fail "the build does not go on"
[ -e "$out/elsewhere/dlmalloc/libgcspydlmalloc.so" ] && fail "it was built from a damaged archive"
exit 0
