#!/usr/bin/env bash
# GCspy on aarch64, on an x86-64 machine: a cross build, its packages, and tests under qemu-user, with
# Debian's JDK 17, 21 and 25 for arm64 (roots.sh). Ends with 77 and one line where that cannot be.
#
#   aarch64.sh BUILD-FOLDER [CTEST-ARGUMENT...]
#   aarch64.sh --check                 only says why not, if it cannot
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$here/../.." && pwd)

# In a user and mount namespace of its own, where programs for aarch64 run by themselves, in the file
# tree of bookworm unless a test says otherwise (CMakeLists.txt): --enter COMMAND [ARGUMENT...]
if [ "${1:-}" = --enter ]; then
	shift
	mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
	magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
	mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
	printf '%s' ":gcspy-aarch64:M::$magic:$mask:$(command -v qemu-aarch64-static):F" \
		>/proc/sys/fs/binfmt_misc/register
	unset JAVA_HOME
	exec "$@"
fi

skip() {
	echo "skipped: aarch64 $*"
	exit 77
}

spaces=(unshare --user --map-root-user --mount --pid --fork --kill-child --mount-proc)
"${spaces[@]}" bash "$here/aarch64.sh" --enter true 2>/dev/null ||
	skip "needs a user namespace with its own binfmt_misc (Linux 6.7 or later)"
if [ "${1:-}" = --check ]; then
	exec bash "$here/roots.sh" --check
fi
build=$1
shift
roots=$(bash "$here/roots.sh") || { status=$? && echo "$roots" && exit $status; }

mkdir -p "$build"
build=$(cd "$build" && pwd)
run_logged() {
	"$@" >"$build/aarch64.log" 2>&1 && return
	tail -n 40 "$build/aarch64.log" >&2
	echo "aarch64: failed: $1 $2; the log is $build/aarch64.log" >&2
	exit 1
}
run_logged cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$tree/cmake/aarch64.cmake" \
	-DGCSPY_SYSROOT="$roots/bookworm" -DGCSPY_TESTS=ON -DGCSPY_WERROR=ON -DGCSPY_VIEW=OFF \
	-DGCSPY_DEBIAN=ON -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib/aarch64-linux-gnu -DCMAKE_SKIP_INSTALL_ALL_DEPENDENCY=ON \
	-DGCSPY_JVMTI_INCLUDE="$roots/bookworm/usr/lib/jvm/java-17-openjdk-arm64/include"
run_logged cmake --build "$build" --target aarch64
export QEMU_CPU=neoverse-n1 QEMU_LD_PREFIX=$roots/bookworm
[ $# -gt 0 ] || set -- -R '^aarch64|^unit[.](litmus|lock_free|vm)$'
exec "${spaces[@]}" bash "$here/aarch64.sh" --enter ctest --test-dir "$build" --output-on-failure "$@"
