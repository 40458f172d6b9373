#!/usr/bin/env bash
# A stranger's machine: a bare Debian with nothing but git and ca-certificates added, a fresh clone of
# the committed HEAD, and what the README says: ./run demo. Judges its picture and its summary, and
# then the product installed into a prefix. As root also the Debian packages: built there, installed by
# apt into a second bare system. Ends with 77 and one line where such a system cannot be made.
#
#   bare.sh SUITE USER REPOSITORY [FOLDER]
#   bare.sh --check SUITE                   only says why not, if it cannot
#
# SUITE is bookworm, trixie ...; USER is root, or user: an ordinary one with sudo. Logs and pictures
# go to FOLDER (.). Packages are kept in $GCSPY_BARE_CACHE (~/.cache/gcspy/bare) for the next run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/bare/debian.sh
. "$here/debian.sh"
home_of() { [ "$1" = root ] && echo /root || echo "/home/$1"; }

# inside SYSTEM USER COMMAND: runs a command of the shell in the system, as the user, at home.
inside() {
	chroot "$1" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		su - "$2" -c "$3"
}

# In namespaces of their own, whose end unmounts all and ends every process.
enter() {
	system=$1 archives=$2
	mount --make-rprivate /
	mount --rbind /dev "$system/dev"
	mount -t proc proc "$system/proc"
	[ -z "$archives" ] || mount --bind "$archives" "$system/var/cache/apt/archives"
}

# --in-system SYSTEM ARCHIVES USER PACKAGES
if [ "$1" = --in-system ]; then
	enter "$2" "$3"
	user=$4 packages=$5
	if [ "$user" != root ]; then
		chroot "$system" sh -c 'apt-get update && apt-get install -y --no-install-recommends sudo' >&2
	fi
	inside "$system" "$user" "git clone gcspy.git gcspy && cd gcspy && ./run demo"
	echo "build steps: $(tail -n +2 "$system$(home_of "$user")/gcspy/build/.ninja_log" | cut -f4 | sort -u | wc -l)"
	inside "$system" root "bash installed.sh prefix $(home_of "$user")/gcspy"
	if [ -n "$packages" ]; then
		inside "$system" root "cd gcspy-away && ./run package deb"
		mv "$system"/root/gcspy-away/build/packages/*.deb "$system/root/demo.jar" "$packages"
	fi
	exit
fi

# --packages SYSTEM ARCHIVES
if [ "$1" = --packages ]; then
	enter "$2" "$3"
	inside "$system" root "apt-get update && apt-get install -y --no-install-recommends default-jre-headless"
	inside "$system" root "apt-get install -y --no-install-recommends ./*.deb"
	inside "$system" root "bash installed.sh packages"
	inside "$system" root "apt-get purge -y gcspy gcspy-view libgcspy0 libgcspy-dev"
	left=$(cd "$system" && find usr etc var -name '*gcspy*' ! -path 'var/cache/*' ! -path 'var/log/*')
	[ -z "$left" ] || { echo "purged, but left behind: $left" && exit 1; }
	exit
fi

check=
[ "$1" != --check ] || { check=yes && shift; }
suite=$1

debian_find "a bare Debian"

mib=1024
work=${TMPDIR:-/tmp}
[ "$(room "$work")" -ge $((4096 * mib)) ] || skip "a bare Debian needs 4 GiB in $work"
debian_answers "$suite"
[ -z "$check" ] || exit 0

user=$2 repository=$(realpath "$3") folder=$(realpath "${4:-.}")
[ "$user" = root ] || user=ana
name=$suite-$2
fail() {
	tail -n 60 "$folder/$name.log" >&2
	echo "bare $name: $1; the whole log is $folder/$name.log" >&2
	exit 1
}

temporary=$(mktemp -d "$work/gcspy-bare.XXXXXX")
trap 'rm -rf --one-file-system "$temporary"' EXIT

# The cache holds the bare system and the packages that apt has loaded; one run at a time uses it.
cache=${GCSPY_BARE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gcspy/bare}
archives=
if mkdir -p "$cache/$suite" 2>/dev/null && [ "$(room "$cache")" -ge $((2048 * mib)) ]; then
	exec 9>"$cache/$suite.lock"
	flock 9
	archives=$cache/$suite
fi
base=${archives:+$cache/$suite.tar}

# Makes the bare system at $1.
make_system() {
	local system=$1
	mkdir "$system"
	if [ -n "$base" ] && [ -n "$(find "$base" -mtime -30 2>/dev/null)" ]; then
		tar -xpf "$base" -C "$system" --numeric-owner
	else
		debootstrap --variant=minbase --include=git,ca-certificates ${archives:+--cache-dir="$archives"} \
			"$suite" "$system" "$mirror" >"$folder/$name.log" 2>&1 || fail "debootstrap failed"
		rm -f "$system"/var/cache/apt/archives/*.deb
		if [ -n "$base" ]; then
			tar -cpf "$base.new" -C "$system" --numeric-owner .
			mv "$base.new" "$base"
		fi
	fi
	debian_settle "$system"
	cp "$here/installed.sh" "$system/root/"
}

system=$temporary/system packages=
make_system "$system"
if [ "$user" = root ]; then
	packages=$temporary/packages
	mkdir "$packages"
else
	chroot "$system" useradd --create-home --shell /bin/bash "$user"
	install -d -m 755 "$system/etc/sudoers.d"
	echo "$user ALL=(ALL) NOPASSWD: ALL" >"$system/etc/sudoers.d/$user"
	chmod 440 "$system/etc/sudoers.d/$user"
fi
home=$system$(home_of "$user")
printf '[safe]\n\tdirectory = *\n' >"$temporary/gitconfig"
GIT_CONFIG_GLOBAL=$temporary/gitconfig git clone -q --bare "file://$repository" "$home/gcspy.git"
chown -R --reference="$home" "$home/gcspy.git"

status=0
SECONDS=0
unshare "${spaces[@]}" bash "$here/bare.sh" --in-system "$system" "$archives" "$user" "$packages" \
	>"$folder/$name.log" 2>&1 || status=$?
cp "$home/gcspy/build/demo.png" "$folder/$name.png" 2>/dev/null ||
	cp "$home/gcspy-away/build/demo.png" "$folder/$name.png" 2>/dev/null || true
cp "$system/root/installed.png" "$folder/$name-installed.png" 2>/dev/null || true
[ $status = 0 ] || fail "status $status"
pictures=("$folder/$name.png" "$folder/$name-installed.png")
if [ -n "$packages" ]; then
	system=$temporary/packaged
	make_system "$system"
	mv "$packages"/* "$system/root/"
	unshare "${spaces[@]}" bash "$here/bare.sh" --packages "$system" "$archives" \
		>>"$folder/$name.log" 2>&1 || fail "the packages: status $?"
	cp "$system/root/installed.png" "$folder/$name-packaged.png"
	pictures+=("$folder/$name-packaged.png")
fi
python3 -B "$here/judge.py" "$folder/$name.log" "${pictures[@]}" ||
	fail "the demo's results are not as expected"
echo "bare $suite, $2: the demo and the installed product work, $SECONDS s; $folder/$name.png"
