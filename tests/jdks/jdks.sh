#!/usr/bin/env bash
# The JDKs of Debian's later suites, each suite in a system of its own, made by debootstrap and kept
# in $GCSPY_JDKS_CACHE (~/.cache/gcspy/jdks). Runs a command in one of them, in the present folder
# and with the present environment. Ends with 77 and one line where such a system cannot be made.
#
#   jdks.sh SUITE COMMAND [ARGUMENT...]   SUITE: sid has JDK 11, 17, 21, 25, 26 and 27; trixie has 21 and 25,
#                                         and what building GCspy there needs
#   jdks.sh --check SUITE                 only says why not, if it cannot
#
# The command sees the file tree that has this script at its usual place, and a /tmp of its own.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/bare/debian.sh
. "$here/../bare/debian.sh"
tree=$(cd "$here/../.." && pwd)

# In a mount namespace of its own: --enter SYSTEM TREE COMMAND [ARGUMENT...]
if [ "$1" = --enter ]; then
	system=$2 tree=$3 folder=$PWD
	shift 3
	mount --make-rprivate /
	mount --rbind /dev "$system/dev"
	mount -t proc proc "$system/proc"
	mount -t tmpfs tmpfs "$system/tmp"
	mkdir -p "$system$tree"
	mount --bind "$tree" "$system$tree"
	unset TMPDIR JAVA_HOME
	export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
	exec chroot "$system" /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
fi

check=
[ "$1" != --check ] || { check=yes && shift; }
suite=$1
shift
case $suite in
sid)
	packages=(openjdk-{11,17,21,25,26,27}-jdk-headless)
	;;
trixie)
	packages=(openjdk-{21,25}-jdk-headless gcc ninja-build pkg-config zlib1g-dev libunwind-dev
		libc6-dev)
	;;
*)
	echo "jdks: unknown suite \"$suite\"; available: sid, trixie" >&2
	exit 2
	;;
esac
packages+=(cmake python3 procps zlib1g libunwind8 libh2-java)

debian_find "a Debian with other JDKs"
cache=${GCSPY_JDKS_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gcspy/jdks}
mkdir -p "$cache" 2>/dev/null || skip "a Debian with other JDKs needs the folder $cache"
system=$cache/$suite
made=$cache/$suite.made # the packages of a finished system, as old as its newest update
gib=$((1024 * 1024))

fresh() { [ -n "$(find "$made" -mtime -30 2>/dev/null)" ] && [ "$(cat "$made")" = "${packages[*]}" ]; }

if ! fresh; then
	[ -d "$system" ] || [ "$(room "$cache")" -ge $((4 * gib)) ] ||
		skip "a Debian with other JDKs needs 4 GiB in $cache"
	debian_answers "$suite"
fi
[ -z "$check" ] || exit 0

# Installs what is missing, and the newest update of each JDK. One run at a time does so; a system in
# use stays as it is. A mirror that is a snapshot of some day has a list of sid whose time is over:
# for a system of tests its signature is enough.
make_system() {
	if [ ! -e "$system/usr/bin/apt-get" ] || [ -d "$system/debootstrap" ]; then
		rm -rf --one-file-system "$system"
		debootstrap --variant=minbase --include=ca-certificates "$suite" "$system" "$mirror" || return
	fi
	debian_settle "$system" &&
		unshare "${spaces[@]}" bash "$here/jdks.sh" --enter "$system" "$tree" sh -ec '
			export DEBIAN_FRONTEND=noninteractive
			apt-get -o Acquire::Check-Valid-Until=false update
			apt-get -y dist-upgrade
			apt-get install -y --no-install-recommends "$@"
			apt-get clean' make "${packages[@]}" &&
		echo "${packages[*]}" >"$made"
}

exec 9>"$cache/$suite.lock"
if ! fresh; then
	flock 9
	if ! fresh && ! make_system >"$cache/$suite.log" 2>&1; then
		tail -n 20 "$cache/$suite.log" >&2
		echo "jdks: making a system of $suite failed; the whole log is $cache/$suite.log" >&2
		exit 1
	fi
fi
flock -s 9 # nobody updates it meanwhile
exec unshare "${spaces[@]}" bash "$here/jdks.sh" --enter "$system" "$tree" "$@"
