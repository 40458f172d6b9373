#!/usr/bin/env bash
# The Debian packages for arm64 of a cross build: what they say of themselves against what is in them, and
# lintian.
#
#   packages.sh BUILD-FOLDER
set -euo pipefail
build=$1 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "packages: $1" >&2
	exit 1
}

(umask 022 && cd "$build" && cpack -G DEB -B "$work" >"$work/log" 2>&1) || { tail -n 20 "$work/log" && fail "cpack"; }
for package in gcspy libgcspy0 libgcspy-dev; do
	file=$(echo "$work/$package"_*_arm64.deb)
	[ -f "$file" ] || fail "there is no $package for arm64"
	[ "$(dpkg-deb -f "$file" Architecture)" = arm64 ] || fail "$package: the architecture"
	dpkg-deb -x "$file" "$work/root"
done

# Every program and library is for the processor, and needs no more than the packages depend on.
find "$work/root" -type f \( -path '*/bin/*' -o -name '*.so*' \) >"$work/binaries"
[ "$(wc -l <"$work/binaries")" -ge 5 ] || fail "programs or libraries are missing"
while read -r file; do
	readelf -h "$file" | grep -q 'Machine:.*AArch64' || fail "$file is for another processor"
	readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
		grep -vxE 'lib(c|m)\.so\.6|libz\.so\.1|ld-linux-aarch64\.so\.1|libgcspy\.so\.0' &&
		fail "$file needs another library"
	newest=$(readelf -V "$file" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
	[ "$(printf '%s\nGLIBC_2.35\n' "$newest" | sort -V | tail -n 1)" = GLIBC_2.35 ] || fail "$file needs $newest"
done <"$work/binaries"
dpkg-deb -f "$work"/gcspy_*.deb Depends | grep -q 'libc6 (>= 2\.35), zlib1g' || fail "gcspy does not depend on its libraries"
"$work/root/usr/bin/gcspy" --version | grep -q '^gcspy [0-9]' || fail "gcspy does not run"
[ -s "$work/root/usr/share/man/man1/gcspy.1.gz" ] || fail "there is no man page"

if command -v lintian >/dev/null; then
	lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$work"/*.deb || fail "lintian"
else
	echo "skipped: lintian is not installed"
fi
echo "the packages for arm64 are clean"
