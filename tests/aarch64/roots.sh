#!/usr/bin/env bash
# File trees of Debian's packages for arm64, to build for aarch64 and to run the result under qemu-user:
# packages are downloaded by an apt of their own and unpacked, so that nothing of arm64 is ever run to
# make a tree. Kept in $GCSPY_AARCH64_CACHE (~/.cache/gcspy/aarch64). Prints the folder of the trees; ends
# with 77 and one line where they cannot be made.
#
#   roots.sh            bookworm: JDK 17 and what building GCspy and its tests needs; trixie: JDK 21 and 25
#   roots.sh --check    only says why not, if it cannot
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

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
keys=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
	sed -n 's/^Debian Debian \(http.*[^/]\)\/*$/\1/p' | head -n 1) || true
mirror=${mirror:-http://deb.debian.org/debian}

fresh() {
	local -n wanted=$1
	[ -n "$(find "$cache/$1.made" -mtime -60 2>/dev/null)" ] && [ "$(cat "$cache/$1.made")" = "${wanted[*]}" ]
}

# An apt that knows only this suite of arm64 and has nothing installed.
settle_apt() {
	local suite=$1 apt=$2
	mkdir -p "$apt"/{lists/partial,archives/partial,etc/preferences.d,etc/apt.conf.d}
	: >"$apt/status"
	echo "deb [arch=arm64 signed-by=$keys] $mirror $suite main" >"$apt/sources.list"
	cat >"$apt/apt.conf" <<-END
		APT::Architecture "arm64";
		APT::Architectures { "arm64"; };
		APT::Install-Recommends "false";
		APT::Sandbox::User "$(id -un)";
		Dir::State "$apt";
		Dir::State::status "$apt/status";
		Dir::State::lists "$apt/lists";
		Dir::Cache "$apt";
		Dir::Cache::archives "$apt/archives";
		Dir::Etc::sourcelist "$apt/sources.list";
		Dir::Etc::sourceparts "-";
		Dir::Etc::preferencesparts "$apt/etc/preferences.d";
	END
}

# Links of packages begin at the root of a system; here they have to begin where they are.
relative_links() {
	local link target
	find "$1" -type l -lname '/*' -print | while read -r link; do
		target=$1$(readlink "$link")
		ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$target")" "$link"
	done
}

make_root() {
	local suite=$1 root=$cache/$1 apt=$cache/$1.apt deb folder
	local -n wanted=$1
	settle_apt "$suite" "$apt"
	export APT_CONFIG=$apt/apt.conf
	apt-get -q -o Acquire::Check-Valid-Until=false update
	apt-get -q --download-only -y install "${wanted[@]}"
	rm -rf "$root"
	mkdir -p "$root/usr"
	for folder in bin lib sbin; do
		mkdir -p "$root/usr/$folder"
		[ "$suite" = bookworm ] || ln -s "usr/$folder" "$root/$folder"
	done
	for deb in "$apt"/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --keep-directory-symlink --no-same-owner
	done
	relative_links "$root"
	rm -rf "$apt"
	echo "${wanted[*]}" >"$cache/$suite.made"
}

exec 9>"$cache/lock"
for suite in bookworm trixie; do
	fresh $suite && continue
	command -v wget >/dev/null || skip "needs wget"
	wget -q -T 20 -t 2 -O /dev/null "$mirror/dists/$suite/Release" || skip "has no answer from $mirror"
	[ "$(df --output=avail -k "$cache" | tail -n 1)" -ge $((3 * 1024 * 1024)) ] || skip "needs 3 GiB in $cache"
	[ "${1:-}" != --check ] || continue
	flock 9
	if ! fresh $suite && ! (make_root $suite) >"$cache/$suite.log" 2>&1; then
		tail -n 20 "$cache/$suite.log" >&2
		echo "aarch64: unpacking packages of $suite failed; the whole log is $cache/$suite.log" >&2
		exit 1
	fi
done
[ "${1:-}" = --check ] || echo "$cache"
