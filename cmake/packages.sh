#!/usr/bin/env bash
# Builds the packages of this version; `./run package` calls it.
#
#   packages.sh FOLDER deb…|tarball…
#
# deb: gcspy, gcspy-serve, gcspy-view, libgcspy0 and libgcspy-dev for the Debian that this runs on. tarball: the
# agent and the command line for any Linux on x86-64 with glibc 2.31 or later; they are built against
# the headers and libraries of Debian 11, which apt fetches from a mirror (GCSPY_MIRROR) and checks.
# Exits with 77 where these are not available.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$1
shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
jobs=$(nproc)

die() { echo "packages: $*" >&2; exit 1; }

# Everything in the packages has the time of the last commit, not of the build.
: "${SOURCE_DATE_EPOCH:=$(git -C "$source" log -1 --format=%ct 2>/dev/null ||
	stat -c %Y "$source/docs/CHANGELOG.md")}"
export SOURCE_DATE_EPOCH

build() {
	local place=$1
	shift
	cmake -S "$source" -B "$place" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DGCSPY_UNITY=ON \
		-DCMAKE_C_FLAGS="-ffile-prefix-map=$source=." "$@" >"$place.log" 2>&1 &&
		cmake --build "$place" -j "$jobs" >>"$place.log" 2>&1 && return
	tail -40 "$place.log" >&2
	die "building failed; the log is $place.log"
}

make_debs() {
	command -v dpkg-shlibdeps >/dev/null || die "install dpkg-dev and file first"
	build "$folder/build-deb" -DCMAKE_INSTALL_PREFIX=/usr -DGCSPY_DEBIAN=ON \
		${GCSPY_MAINTAINER:+"-DGCSPY_MAINTAINER=$GCSPY_MAINTAINER"}
	rm -f "$folder"/*.deb
	(umask 022 && cd "$folder/build-deb" && cpack -G DEB -B "$folder/cpack" >"$folder/cpack.log" 2>&1) || {
		tail -40 "$folder/cpack.log" >&2
		die "cpack failed"
	}
	mv "$folder"/cpack/*.deb "$folder"
	rm -rf "$folder/cpack"
	ls "$folder"/*.deb
}

# The C library, zlib and libunwind's header as Debian 11 has them, unpacked in $folder/sysroot.
make_sysroot() {
	local root=$folder/sysroot apt=$folder/apt file target
	[ ! -f "$root/complete" ] || return 0
	command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
		echo "skipped: the tarball's C library comes from Debian 11 by apt, which is missing here"
		exit 77
	}
	rm -rf "$root" "$apt"
	mkdir -p "$root" "$apt"/{etc,state/lists/partial,cache/archives/partial,debs}
	: >"$apt/status"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
		"${GCSPY_MIRROR:-http://deb.debian.org/debian} bullseye main" >"$apt/etc/sources.list"
	cat >"$apt/apt.conf" <<-END
		Dir::Etc::sourcelist "$apt/etc/sources.list";
		Dir::Etc::sourceparts "-";
		Dir::State "$apt/state";
		Dir::State::status "$apt/status";
		Dir::Cache "$apt/cache";
		APT::Architecture "amd64";
		APT::Architectures { "amd64"; };
		APT::Sandbox::User "root";
		Acquire::Languages "none";
	END
	if ! APT_CONFIG=$apt/apt.conf apt-get -qq update >"$folder/apt.log" 2>&1 ||
		! (cd "$apt/debs" && APT_CONFIG=$apt/apt.conf apt-get -qq download libc6 libc6-dev \
			linux-libc-dev libcrypt-dev zlib1g zlib1g-dev libunwind-dev) >>"$folder/apt.log" 2>&1; then
		echo "skipped: Debian 11's C library cannot be fetched: $(tail -1 "$folder/apt.log")"
		exit 77
	fi
	for file in "$apt"/debs/*.deb; do
		dpkg-deb -x "$file" "$root"
	done
	# Links to absolute places mean those of this tree.
	find "$root" -type l -lname '/*' | while read -r file; do
		target=$(readlink "$file")
		ln -sfn "$root$target" "$file"
	done
	rm -rf "$apt"
	touch "$root/complete"
}

make_tarball() {
	[ "$(uname -m)" = x86_64 ] || { echo "skipped: the tarball is built on x86-64"; exit 77; }
	local home jvmti='' version name
	for home in ${JAVA_HOME:-} /usr/lib/jvm/*; do
		[ -f "$home/include/jvmti.h" ] && jvmti=$home/include
	done
	[ -n "$jvmti" ] || die "no JDK found"
	make_sysroot
	build "$folder/build-tarball" -DCMAKE_TOOLCHAIN_FILE="$source/cmake/sysroot.cmake" \
		-DGCSPY_SYSROOT="$folder/sysroot" -DGCSPY_JVMTI_INCLUDE="$jvmti" -DGCSPY_VIEW=OFF -DGCSPY_SERVE=OFF
	version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$folder/build-tarball/CMakeCache.txt")
	name=gcspy-$version-linux-x86_64
	rm -rf "${folder:?}/$name" "$folder"/gcspy-*-linux-x86_64.tar.gz
	(umask 022 && cmake --install "$folder/build-tarball" --strip --component gcspy \
		--prefix "$folder/$name" >/dev/null)
	tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
		-C "$folder" -cf - "$name" | gzip -9n >"$folder/$name.tar.gz"
	rm -rf "${folder:?}/$name"
	ls "$folder/$name.tar.gz"
}

[ $# -gt 0 ] || die "no kind; available: deb, tarball"
for what in "$@"; do
	case $what in
	deb) make_debs ;;
	tarball) make_tarball ;;
	*) die "unknown kind \"$what\"; available: deb, tarball" ;;
	esac
done
