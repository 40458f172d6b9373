#!/bin/sh
# Fetches dlmalloc 2.8.3 (public domain, Doug Lea), which Debian's source package libffi 3.4.4-1 contains:
#
#   fetch_source.sh FOLDER
#
# leaves FOLDER/dlmalloc.c. By apt, with lists of its own in FOLDER: the system's are not touched. The archive
# is kept in the user's cache, and taken from there the next time. If it is not available, one line says why, and
# the status is 1.
set -u
sum=d66c56ad259a82cf2a9dfc408b32bf5da52371500b84745f7fb8b645712df676
archive=libffi_3.4.4.orig.tar.gz
cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/gcspy

missing() {
	echo "$1" >&2
	exit 1
}

good() {
	[ -f "$1" ] && echo "$sum  $1" | sha256sum --check --status 2>/dev/null
}

mkdir -p "$1" && cd "$1" || missing "cannot write to $1"
[ -f dlmalloc.c ] && exit 0
if ! good $archive && good "$cache/$archive"; then
	cp "$cache/$archive" $archive
fi
if ! good $archive; then
	command -v apt-get >/dev/null || missing 'its source comes from Debian by apt-get, which is not here'
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
		'Component: main' 2>/dev/null | grep -v security | head -n 1)
	[ -n "$mirror" ] || missing 'its source comes from Debian, and apt knows no mirror of Debian'
	mkdir -p lists/partial cache/archives/partial
	echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main" >sources.list
	apt() {
		apt-get -qq -o Dir::Etc::sourcelist="$PWD/sources.list" -o Dir::Etc::sourceparts=/dev/null \
			-o Dir::State::lists="$PWD/lists" -o Dir::Cache="$PWD/cache" -o Acquire::http::Timeout=20 \
			-o Acquire::Retries=1 -o APT::Sandbox::User="$(id -un)" "$@" >apt.log 2>&1
	}
	apt update || missing "apt-get update failed for $mirror: $(tail -n 1 apt.log)"
	apt source --download-only libffi=3.4.4-1 ||
		missing "apt-get source libffi=3.4.4-1 failed: $(tail -n 1 apt.log)"
	rm -rf lists cache
	good $archive || missing "$archive has another checksum than expected"
	mkdir -p "$cache" 2>/dev/null && cp $archive "$cache/$archive.$$" && mv "$cache/$archive.$$" "$cache/$archive"
fi
tar -xOf $archive libffi-3.4.4/src/dlmalloc.c >dlmalloc.part || missing "$archive has no dlmalloc.c"
mv dlmalloc.part dlmalloc.c
