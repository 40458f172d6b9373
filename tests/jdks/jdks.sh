#!/usr/bin/env bash
# The JDKs of Debian's suites, in file trees of unpacked packages (../bare/packages.sh) that are kept in
# $GCSPY_JDKS_CACHE (~/.cache/gcspy/jdks). Runs a command in one of them, in the present folder and with
# the present environment. Ends with 77 and one line where such a tree cannot be made or entered.
#
#   jdks.sh TREE COMMAND [ARGUMENT...]   TREE: sid has JDK 11, 21, 26 and 27 of sid, more has its 17 and
#                                        25, all both of these, next 28; oldest has the oldest updates of
#                                        11 to 27 that any suite has; trixie has its 21 and 25, and what
#                                        building GCspy needs
#   jdks.sh --check TREE                 only says why not, if it cannot
#
# The command sees the file tree that has this script at its usual place, all trees, and a /tmp of its own.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/bare/packages.sh
. "$here/../bare/packages.sh"
tree=$(cd "$here/../.." && pwd)

# In namespaces of its own: --enter SYSTEM TREE COMMAND [ARGUMENT...]
if [ "$1" = --enter ]; then
	system=$2 tree=$3 folder=$PWD
	shift 3
	mount --make-rprivate /
	mkdir -p "$system"/{dev,proc,tmp,root} "$system$tree" "$system$(dirname "$system")"
	mount --rbind /dev "$system/dev"
	mount -t proc proc "$system/proc"
	mount -t tmpfs tmpfs "$system/tmp"
	mount --bind "$tree" "$system$tree"
	mount --bind "$(dirname "$system")" "$system$(dirname "$system")"
	unset TMPDIR JAVA_HOME
	export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
	exec chroot "$system" /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
fi

skip() {
	echo "skipped: $*"
	exit 77
}

jdks() { printf 'openjdk-%s-jdk-headless ' "$@"; }

check=
[ "$1" != --check ] || { check=yes && shift; }
suite=$1
shift
packages="dash coreutils grep sed python3 procps libgcc-s1 libunwind8 libh2-java"
case $suite in
sid) packages="$(jdks 11 21 26 27) $packages" ;;
more | all) packages="$(jdks 17 25) cmake $packages" ;;
next) packages="$(jdks 28) $packages" ;;
oldest) # in sid's system
	packages="openjdk-11-*=bullseye openjdk-17-*=bullseye openjdk-21-*=trixie openjdk-25-*=trixie
		openjdk-27-*=forky $(jdks 11 17 21 25 27) $packages"
	;;
trixie)
	packages="$(jdks 21 25) gcc ninja-build pkg-config cmake zlib1g-dev libunwind-dev libc6-dev bash
		findutils $packages"
	;;
*)
	echo "jdks: unknown tree \"$suite\"; available: sid, more, all, next, oldest, trixie" >&2
	exit 2
	;;
esac
suites=sid
[ "$suite" != trixie ] || suites=trixie
[ "$suite" != oldest ] || suites="sid forky trixie bullseye"

for tool in apt-get dpkg-deb unshare chroot wget; do
	PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || skip "other JDKs need $tool"
done
[ "$(uname -m)" = x86_64 ] || skip "other JDKs are those for x86-64"
spaces=(unshare --user --map-root-user --mount --pid --fork --kill-child)
"${spaces[@]}" mount -t tmpfs tmpfs /tmp 2>/dev/null ||
	skip "other JDKs need user and mount namespaces, which this machine refuses"
cache=${GCSPY_JDKS_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gcspy/jdks}
mkdir -p "$cache" 2>/dev/null || skip "other JDKs need the folder $cache"
system=$cache/$suite
made=$cache/$suite.made # the packages of a finished tree, as old as its newest update

whole() { [ "$(cat "$made" 2>/dev/null)" = "$packages" ]; }
fresh() { whole && [ -n "$(find "$made" -mtime -30)" ]; }

# Why a tree cannot be made or brought up to date now, if so.
why_not() {
	local name
	for name in $suites; do
		if ! wget -q -T 20 -t 1 -O /dev/null "$mirror/dists/$name/Release"; then
			echo "have no answer from Debian's mirror $mirror for $name"
			return
		fi
	done
	[ "$(df --output=avail -k "$cache" | tail -n 1)" -ge $((3 * 1024 * 1024)) ] || echo "need 3 GiB in $cache"
}

# A tree, and what else a system has: names of users and machines.
finish_tree() {
	# shellcheck disable=SC2086 # words
	make_tree "$system.new" amd64 "$suites" $packages || return
	mkdir -p "$system.new/etc"
	echo "root:x:0:0:root:/root:/bin/sh" >"$system.new/etc/passwd"
	echo "root:x:0:" >"$system.new/etc/group"
	echo "127.0.0.1 localhost $(uname -n)" >"$system.new/etc/hosts"
	rm -rf --one-file-system "$made" "$system"
	mv "$system.new" "$system"
	echo "$packages" >"$made"
}

# The JDKs of one tree are there in the other, too.
if [ "$suite" = all ]; then
	bash "$here/jdks.sh" ${check:+--check} sid true || exit
	[ -n "$check" ] || bash "$here/jdks.sh" more true || exit
	export GCSPY_JDK_HOMES
	GCSPY_JDK_HOMES=$(echo "$cache"/{sid,more}/usr/lib/jvm/java-[0-9][0-9]-openjdk-amd64)
	exec bash "$here/jdks.sh" ${check:+--check} more "$@"
fi

exec 9>"$cache/$suite.lock"
if ! fresh; then
	find_mirror
	reason=$(why_not)
	# An older tree will do where there is no way to a newer one.
	[ -z "$reason" ] || whole || skip "other JDKs $reason"
	if [ -z "$reason" ] && [ -z "$check" ]; then
		flock 9
		if ! fresh && ! finish_tree >"$cache/$suite.log" 2>&1 && ! whole; then
			skip "other JDKs could not be unpacked: $(grep -m 1 '^E:' "$cache/$suite.log" || tail -n 1 "$cache/$suite.log")"
		fi
		flock -u 9
	fi
fi
[ -z "$check" ] || exit 0
flock -s 9 # nobody updates it meanwhile
exec "${spaces[@]}" bash "$here/jdks.sh" --enter "$system" "$tree" "$@"
