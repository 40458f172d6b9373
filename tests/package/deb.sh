#!/usr/bin/env bash
# The Debian packages: lintian, what is in them, and their programs unpacked into a root of their own.
#
#   deb.sh SOURCE FOLDER JAR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
for tool in dpkg-deb dpkg-shlibdeps lintian file; do
	command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
make deb

# Errors and warnings fail; the overrides say their reason.
try "lintian" lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$folder"/*.deb
[ ! -s "$out" ] || fail "lintian has something to say"

contents() { dpkg-deb -c "$folder/$1"_*.deb | awk '{ print $6 }'; }

# has PACKAGE FILE…
has() {
	local package=$1 name
	shift
	contents "$package" >"$out"
	for name in "$@"; do
		grep -qx "\./usr/$name" "$out" || fail "$package has no /usr/$name"
	done
}
has gcspy bin/gcspy lib/gcspy/libgcspyagent.so share/man/man1/gcspy.1.gz \
	share/man/man1/gcspy-attach.1.gz share/man/man7/gcspyagent.7.gz \
	share/bash-completion/completions/gcspy share/zsh/vendor-completions/_gcspy \
	share/doc/gcspy/copyright share/doc/gcspy/changelog.gz share/doc/gcspy/stats.md
has gcspy-view bin/gcspy-view share/gcspy/leak.gcspy share/man/man1/gcspy-view.1.gz \
	share/applications/gcspy-view.desktop share/mime/packages/gcspy.xml \
	share/icons/hicolor/scalable/apps/gcspy-view.svg share/doc/gcspy-view/copyright
# Built where libmicrohttpd and libcurl are.
if compgen -G "$folder/gcspy-serve_*.deb" >/dev/null; then
	has gcspy-serve bin/gcspy-serve share/man/man1/gcspy-serve.1.gz share/man/man1/gcspy-push.1.gz share/doc/gcspy-serve/copyright \
		lib/systemd/system/gcspy-serve.service share/gcspy-serve/gcspy.rules.yml \
		share/gcspy-serve/gcspy-dashboard.json share/gcspy-serve/kubernetes-daemonset.yaml
	dpkg-deb --fsys-tarfile "$folder"/gcspy-serve_*.deb |
		tar -xO ./usr/lib/systemd/system/gcspy-serve.service >"$out"
	says "the unit starts the package's gcspy" '^ExecStart=/usr/bin/gcspy serve '
	dpkg-deb -f "$folder"/gcspy-serve_*.deb Depends >"$out"
	says "gcspy-serve depends on its libraries and on gcspy" \
		"gcspy \(= $(dpkg-deb -f "$folder"/gcspy_*.deb Version)\).*libcurl.*libmicrohttpd12"
fi
has libgcspy-dev include/gcspy/server.h share/doc/libgcspy-dev/copyright
for file in libgcspy libgcspyclient pkgconfig/gcspy pkgconfig/gcspyclient; do
	grep -Eqx "\./usr/lib/.*/$file\.(so|pc)" "$out" || fail "libgcspy-dev has no $file"
done
! grep -q '\.a$' "$out" || fail "libgcspy-dev has a static library"
has libgcspy0 share/doc/libgcspy0/copyright
for file in libgcspy libgcspyclient; do
	grep -Eqx "\./usr/lib/.*/$file\.so\.0" "$out" || fail "libgcspy0 has no $file.so.0"
done
# No file is in two of them, so that they can be installed together.
for package in "$folder"/*.deb; do package=${package##*/}; contents "${package%%_*}"; done | grep -v '/$' | sort |
	uniq -d >"$out"
[ ! -s "$out" ] || fail "files in two packages"

depends() { dpkg-deb -f "$folder/$1"_*.deb Depends >"$out"; }
depends gcspy
says "gcspy depends on its libraries" 'libc6 \(>= .*zlib1g'
! grep -Eq 'sdl|libgcspy' "$out" || fail "gcspy depends on too much"
depends gcspy-view
says "gcspy-view depends on its libraries" 'libsdl2-2\.0-0.*libsdl2-ttf'
depends libgcspy-dev
says "libgcspy-dev depends on its library" "libgcspy0 \(= $(dpkg-deb -f "$folder"/gcspy_*.deb Version)\)"
depends libgcspy0
says "libgcspy0 depends on its libraries" 'libc6 \(>= .*zlib1g'
dpkg-deb -I "$folder"/libgcspy0_*.deb shlibs >"$out" || fail "libgcspy0 has no shlibs"
says "shlibs of libgcspy" '^libgcspy 0 libgcspy0'
says "shlibs of libgcspyclient" '^libgcspyclient 0 libgcspy0'

# Unpacked as dpkg does; what is in them is used from there.
mkdir "$work/root"
for package in "$folder"/*.deb; do
	dpkg-deb -x "$package" "$work/root" || fail "$package cannot be unpacked"
	dpkg-deb -e "$package" "$work/control" && (cd "$work/root" && md5sum --quiet -c "$work/control/md5sums") ||
		fail "$package: the checksums are wrong"
done
usr=$work/root/usr
bash "$here/../install/hardening.sh" "$source/agent/export.map" "$usr/bin/gcspy" \
	"$usr/bin/gcspy-view" "$usr/lib/gcspy/libgcspyagent.so" "$usr"/lib/*/libgcspy*.so.0 >"$out" ||
	fail "hardening"
try "version" "$usr/bin/gcspy" --version
says "version" "^gcspy $(dpkg-deb -f "$folder"/gcspy_*.deb Version),"
attaches "$usr/bin/gcspy"
SDL_VIDEODRIVER=dummy try "gcspy-view" "$usr/bin/gcspy-view" "$usr/share/gcspy/leak.gcspy" --dump=summary
says "gcspy-view" '[0-9]'
cat >"$work/toy.c" <<'END'
#include <gcspy/version.h>
int main(void) { return gcs_version()[0] == '\0'; }
END
PKG_CONFIG_PATH=$(dirname "$(find "$usr" -name gcspy.pc)")
LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/*}
export PKG_CONFIG_PATH LD_LIBRARY_PATH
# shellcheck disable=SC2046 # words
try "libgcspy-dev" cc -o "$work/toy" "$work/toy.c" $(pkg-config --cflags --libs gcspy)
try "libgcspy-dev" "$work/toy"
echo "the packages are clean and work"
