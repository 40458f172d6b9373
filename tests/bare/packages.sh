# File trees of Debian's packages, for whatever architecture; sourced. Packages are downloaded by an apt of
# their own and unpacked. Nothing of them is run to make a tree, and root is not needed.

# Sets `mirror`, Debian's address that this machine's apt uses, and `proxy` as that apt has it.
find_mirror() {
	mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		sed -n 's/^Debian Debian \(http.*[^/]\)\/*$/\1/p' | head -n 1) || true
	mirror=${GCSPY_MIRROR:-${mirror:-http://deb.debian.org/debian}}
	proxy=$(apt-config shell proxy Acquire::http::Proxy | sed -n "s/^proxy='\(.*\)'$/\1/p") || true
	proxy=${proxy:-${http_proxy:-}}
	[ -z "$proxy" ] || export http_proxy=$proxy
}

# settle_apt FOLDER ARCHITECTURE TYPE SUITE...: an apt that knows these suites only, by lines of TYPE (deb,
# deb-src), and has nothing installed: APT_CONFIG=FOLDER/apt.conf.
settle_apt() {
	local apt=$1 arch=$2 type=$3 suite
	shift 3
	mkdir -p "$apt"/{lists/partial,archives/partial,etc/preferences.d,etc/apt.conf.d}
	: >"$apt/status"
	for suite in "$@"; do
		echo "$type [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
	done >"$apt/sources.list"
	cat >"$apt/apt.conf" <<-END
		Acquire::Retries "3";
		APT::Architecture "$arch";
		APT::Architectures { "$arch"; };
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

# make_tree FOLDER ARCHITECTURE "SUITE..." PACKAGE...: unpacks the packages and what they depend on,
# without what only jlink and readers need. Packages are those of the first suite that has them; a
# PATTERN=SUITE before them names another. False if something fails. bookworm has its programs and libraries
# where its packages put them; later suites, in usr.
make_tree() {
	local root=$1 arch=$2 suites=$3 apt=$1.apt deb folder priority=990
	shift 3
	rm -rf "$apt" "$root"
	# shellcheck disable=SC2086 # words
	settle_apt "$apt" "$arch" deb $suites
	while [[ $1 = *=* ]]; do
		printf 'Package: %s\nPin: release n=%s\nPin-Priority: 995\n\n' "${1%=*}" "${1#*=}"
		shift
	done >"$apt/etc/preferences.d/suites"
	for folder in $suites; do
		printf 'Package: *\nPin: release n=%s\nPin-Priority: %d\n\n' "$folder" $((priority--))
	done >>"$apt/etc/preferences.d/suites"
	# A mirror that is a snapshot of some day has lists whose time is over: their signature is enough.
	APT_CONFIG=$apt/apt.conf apt-get -q -o Acquire::Check-Valid-Until=false update || return
	APT_CONFIG=$apt/apt.conf apt-get -q --download-only -y install "$@" || return
	for folder in bin lib lib64 sbin; do
		mkdir -p "$root/usr/$folder"
		[ "$suites" = bookworm ] || ln -s "usr/$folder" "$root/$folder"
	done
	for deb in "$apt"/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --keep-directory-symlink --no-same-owner \
			--exclude='./usr/lib/jvm/*/jmods' --exclude=./usr/share/doc --exclude=./usr/share/man || return
	done
	relative_links "$root" || return
	rm -rf "$apt"
}
