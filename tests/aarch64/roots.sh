#!/usr/bin/env bash
# File trees of Debian's packages for arm64, to build for aarch64 and to run the result under qemu-user
# (../bare/packages.sh). Kept in $GCSPY_AARCH64_CACHE (~/.cache/gcspy/aarch64). Prints the folder of the
# trees; ends with 77 and one line where they cannot be made.
#
#   roots.sh            bookworm: JDK 17 and what building GCspy and its tests needs; trixie: JDK 21 and 25
#   roots.sh --check    only says why not, if it cannot
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/bare/packages.sh
. "$here/../bare/packages.sh"

bookworm=(openjdk-17-jdk-headless zlib1g-dev libunwind-dev libc6-dev libgcc-s1 dash libcriterion-dev)
trixie=(openjdk-{21,25}-jdk-headless zlib1g libunwind8 libgcc-s1 dash)

skip() {
	echo "skipped: aarch64 $*"
	exit 77
}

for tool in apt-get dpkg-deb qemu-aarch64-static aarch64-linux-gnu-gcc; do
	command -v $tool >/dev/null || skip "needs $tool (Debian: qemu-user-static, crossbuild-essential-arm64)"
done
cache=${GCSPY_AARCH64_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gcspy/aarch64}
mkdir -p "$cache" 2>/dev/null || skip "needs the folder $cache"
find_mirror

fresh() {
	local -n wanted=$1
	[ -n "$(find "$cache/$1.made" -mtime -60 2>/dev/null)" ] && [ "$(cat "$cache/$1.made")" = "${wanted[*]}" ]
}

make_root() {
	local -n wanted=$1
	make_tree "$cache/$1" arm64 "$1" "${wanted[@]}" && echo "${wanted[*]}" >"$cache/$1.made"
}

exec 9>"$cache/lock"
for suite in bookworm trixie; do
	fresh $suite && continue
	command -v wget >/dev/null || skip "needs wget"
	wget -q -T 20 -t 2 -O /dev/null "$mirror/dists/$suite/Release" || skip "has no answer from $mirror"
	[ "$(df --output=avail -k "$cache" | tail -n 1)" -ge $((3 * 1024 * 1024)) ] || skip "needs 3 GiB in $cache"
	[ "${1:-}" != --check ] || continue
	flock 9
	if ! fresh $suite && ! make_root $suite >"$cache/$suite.log" 2>&1; then
		tail -n 20 "$cache/$suite.log" >&2
		echo "aarch64: unpacking packages of $suite failed; the whole log is $cache/$suite.log" >&2
		exit 1
	fi
done
[ "${1:-}" = --check ] || echo "$cache"
