#!/usr/bin/env bash
# A stranger's machine: a bare Debian with nothing but git and ca-certificates added, a fresh clone of
# the committed HEAD, and what the README says: ./run demo. Judges its picture and its summary, and
# then the product installed into a prefix. Ends with 77 and one line where such a system cannot be made.
#
#   bare.sh SUITE USER REPOSITORY [FOLDER]
#   bare.sh --check SUITE                   only says why not, if it cannot
#
# SUITE is bookworm, trixie ...; USER is root, or user: an ordinary one with sudo. Logs and pictures
# go to FOLDER (.). Packages are kept in $GCSPY_BARE_CACHE (~/.cache/gcspy/bare) for the next run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home_of() { [ "$1" = root ] && echo /root || echo "/home/$1"; }

# inside SYSTEM USER COMMAND: runs a command of the shell in the system, as the user, at home.
inside() {
	chroot "$1" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		su - "$2" -c "$3"
}

# What happens in the system, in namespaces of its own: their end unmounts all and ends every process.
if [ "$1" = --in-system ]; then
	system=$2 user=$3 archives=$4
	mount --make-rprivate /
	mount --rbind /dev "$system/dev"
	mount -t proc proc "$system/proc"
	[ -z "$archives" ] || mount --bind "$archives" "$system/var/cache/apt/archives"
	if [ "$user" != root ]; then
		chroot "$system" sh -c 'apt-get update && apt-get install -y --no-install-recommends sudo' >&2
	fi
	inside "$system" "$user" "git clone gcspy.git gcspy && cd gcspy && ./run demo"
	echo "build steps: $(tail -n +2 "$system$(home_of "$user")/gcspy/build/.ninja_log" | cut -f4 | sort -u | wc -l)"
	inside "$system" root "bash /root/installed.sh $(home_of "$user")/gcspy"
	exit
fi

skip() {
	echo "skipped: $*"
	exit 77
}
check=
[ "$1" != --check ] || { check=yes && shift; }
suite=$1

[ "$(id -u)" = 0 ] || skip "a bare Debian is made by root"
PATH=$PATH:/usr/sbin:/sbin
for tool in debootstrap unshare chroot wget git python3; do
	command -v $tool >/dev/null || skip "a bare Debian needs $tool"
done
spaces=(--mount)
unshare --mount --pid --fork true 2>/dev/null && spaces=(--mount --pid --fork --kill-child)
unshare "${spaces[@]}" true 2>/dev/null || skip "a bare Debian needs a mount namespace, which this machine refuses"

room() { df --output=avail -k "$1" | tail -n 1; }
mib=1024
work=${TMPDIR:-/tmp}
[ "$(room "$work")" -ge $((4096 * mib)) ] || skip "a bare Debian needs 4 GiB in $work"

# Debian's address is the one that this machine's apt uses.
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
	sed -n 's/^Debian Debian \(http.*[^/]\)\/*$/\1/p' | head -n 1) || true
mirror=${mirror:-http://deb.debian.org/debian}
proxy=$(apt-config shell proxy Acquire::http::Proxy | sed -n "s/^proxy='\(.*\)'$/\1/p") || true
proxy=${proxy:-${http_proxy:-}}
[ -z "$proxy" ] || export http_proxy=$proxy
wget -q -T 20 -t 2 -O /dev/null "$mirror/dists/$suite/Release" || skip "no answer from Debian's mirror $mirror"
[ -z "$check" ] || exit 0

user=$2 repository=$(realpath "$3") folder=$(realpath "${4:-.}")
[ "$user" = root ] || user=ana
name=$suite-$2
fail() {
	tail -n 60 "$folder/$name.log" >&2
	echo "bare $suite, $2: $1; the whole log is $folder/$name.log" >&2
	exit 1
}

temporary=$(mktemp -d "$work/gcspy-bare.XXXXXX")
trap 'rm -rf --one-file-system "$temporary"' EXIT
system=$temporary/system
mkdir "$system"

# The cache holds the bare system and the packages that apt has loaded; one run at a time uses it.
cache=${GCSPY_BARE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gcspy/bare}
archives=
if mkdir -p "$cache/$suite" 2>/dev/null && [ "$(room "$cache")" -ge $((2048 * mib)) ]; then
	exec 9>"$cache/$suite.lock"
	flock 9
	archives=$cache/$suite
fi
base=${archives:+$cache/$suite.tar}
if [ -n "$base" ] && [ -n "$(find "$base" -mtime -30 2>/dev/null)" ]; then
	tar -xpf "$base" -C "$system" --numeric-owner
else
	debootstrap --variant=minbase --include=git,ca-certificates ${archives:+--cache-dir="$archives"} \
		"$suite" "$system" "$mirror" >"$folder/$name.log" 2>&1 || fail "debootstrap failed" "$2"
	rm -f "$system"/var/cache/apt/archives/*.deb
	if [ -n "$base" ]; then
		tar -cpf "$base.new" -C "$system" --numeric-owner .
		mv "$base.new" "$base"
	fi
fi

# What a machine has beside its packages: names, a user, the way to the mirror. The system is thrown
# away, so dpkg need not wait for the disk.
cp -L /etc/resolv.conf "$system/etc/resolv.conf"
echo "127.0.0.1 localhost $(uname -n)" >"$system/etc/hosts"
echo force-unsafe-io >"$system/etc/dpkg/dpkg.cfg.d/thrown-away"
[ -z "$proxy" ] || echo "Acquire::http::Proxy \"$proxy\";" >"$system/etc/apt/apt.conf.d/proxy"
if [ "$user" != root ]; then
	chroot "$system" useradd --create-home --shell /bin/bash "$user"
	install -d -m 755 "$system/etc/sudoers.d"
	echo "$user ALL=(ALL) NOPASSWD: ALL" >"$system/etc/sudoers.d/$user"
	chmod 440 "$system/etc/sudoers.d/$user"
fi
home=$system$(home_of "$user")
printf '[safe]\n\tdirectory = *\n' >"$temporary/gitconfig"
GIT_CONFIG_GLOBAL=$temporary/gitconfig git clone -q --bare "file://$repository" "$home/gcspy.git"
chown -R --reference="$home" "$home/gcspy.git"
cp "$here/installed.sh" "$system/root/"

status=0
SECONDS=0
unshare "${spaces[@]}" bash "$here/bare.sh" --in-system "$system" "$user" "$archives" \
	>"$folder/$name.log" 2>&1 || status=$?
cp "$home/gcspy/build/demo.png" "$folder/$name.png" 2>/dev/null ||
	cp "$home/gcspy-away/build/demo.png" "$folder/$name.png" 2>/dev/null || true
cp "$system/root/installed.png" "$folder/$name-installed.png" 2>/dev/null || true
[ $status = 0 ] || fail "status $status" "$2"
python3 -B "$here/judge.py" "$folder/$name.log" "$folder/$name.png" "$folder/$name-installed.png" ||
	fail "the demo's results are not as expected" "$2"
echo "bare $suite, $2: the demo and the installed product work, $SECONDS s; $folder/$name.png"
