#!/usr/bin/env bash
# GCspy with musl, by Debian's musl-gcc: builds the agent, the command line, libgcspymalloc.so and the
# libraries, warnings being errors, and runs tests that need neither a JVM nor Criterion. zlib is built from
# Debian's source. Ends with 77 and one line where that cannot be.
#
#   musl.sh BUILD-FOLDER [CTEST-ARGUMENT...]
set -euo pipefail
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/bare/packages.sh
. "$tree/tests/bare/packages.sh"

skip() {
	echo "skipped: musl $*"
	exit 77
}

for tool in apt-get cmake dpkg-source musl-gcc ninja; do
	command -v $tool >/dev/null || skip "needs $tool (Debian: musl-tools, dpkg-dev)"
done
[ "$(uname -m)" = x86_64 ] || skip "is built on x86-64"
mkdir -p "$1"
build=$(cd "$1" && pwd)
shift
root=$build/sysroot

run_logged() {
	"$@" >"$build/musl.log" 2>&1 && return
	tail -n 40 "$build/musl.log" >&2
	echo "musl: failed: $*; the log is $build/musl.log" >&2
	exit 1
}

fetch_zlib() {
	local apt=$build/apt
	find_mirror
	rm -rf "$apt"
	settle_apt "$apt" amd64 deb-src bookworm
	(cd "$apt" && export APT_CONFIG=$apt/apt.conf && apt-get -q update && apt-get -q source zlib) \
		>"$build/apt.log" 2>&1 || skip "has no source of zlib: $(tail -n 1 "$build/apt.log")"
}

# zlib, the kernel's headers, and libunwind's, whose library the agent opens when it is there.
make_root() {
	local file sources
	fetch_zlib
	sources=$(echo "$build"/apt/zlib-*/)
	rm -rf "$root"
	mkdir -p "$root"/{include,lib}
	cp "$sources"/{zlib,zconf}.h "$root/include"
	for file in /usr/include/{linux,asm-generic,*-linux-gnu/asm,libunwind*.h,*-linux-gnu/libunwind*.h}; do
		[ ! -e "$file" ] || ln -s "$file" "$root/include"
	done
	[ -e "$root/include/libunwind.h" ] || skip "needs libunwind.h (Debian: libunwind-dev)"
	for file in adler32 compress crc32 deflate gz{close,lib,read,write} inf{back,fast,late,trees} trees uncompr zutil; do
		run_logged musl-gcc -O2 -fPIC -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H -DHAVE_HIDDEN \
			-c "$sources/$file.c" -o "$build/apt/$file.o"
	done
	run_logged ar rcs "$root/lib/libz.a" "$build"/apt/*.o
	rm -rf "$build/apt"
}

[ -f "$root/lib/libz.a" ] || make_root
jvmti=$(ls -d ${JAVA_HOME:+"$JAVA_HOME/include"} /usr/lib/jvm/*/include 2>/dev/null | head -n 1)
[ -f "$jvmti/jvmti.h" ] || skip "needs a JDK's header jvmti.h (Debian: default-jdk-headless)"
run_logged cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$tree/cmake/musl.cmake" \
	-DGCSPY_JVMTI_INCLUDE="$jvmti" -DGCSPY_SYSROOT="$root" -DGCSPY_TESTS=ON -DGCSPY_WERROR=ON -DGCSPY_VIEW=OFF
run_logged cmake --build "$build" --target musl
exec ctest --test-dir "$build" --output-on-failure -L 'musl|embed|fault|cli' "$@"
