#!/usr/bin/env bash
# The tarball: no symbol of a glibc later than 2.31, and its programs here and in Debian 11, whose
# glibc that is.
#
#   tarball.sh SOURCE FOLDER JAR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
command -v objdump >/dev/null || { echo "skipped: there is no objdump (binutils)"; exit 77; }
make tarball
tar -xzf "$folder"/gcspy-*-linux-x86_64.tar.gz -C "$work" || fail "the tarball cannot be unpacked"
place=$(echo "$work"/gcspy-*-linux-x86_64)
agent=$place/lib/gcspy/libgcspyagent.so
[ -f "$place/share/man/man1/gcspy.1" ] && [ -f "$place/share/doc/gcspy/LICENSE" ] ||
	fail "man pages or the licence are missing"
! grep -rlE -e "$folder" -e "$source" "$place" >"$out" || fail "files hold folders of the build"

for file in "$place/bin/gcspy" "$agent"; do
	objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sort -uV >"$work/versions"
	[ -s "$work/versions" ] || fail "${file##*/} uses no symbol of glibc"
	newest=$(tail -1 "$work/versions")
	[ "$(printf '%s\nGLIBC_2.31\n' "$newest" | sort -V | tail -1)" = GLIBC_2.31 ] ||
		fail "${file##*/} needs $newest"
	file "$file" 2>/dev/null | grep -q 'not stripped' && fail "${file##*/} is not stripped"
done
bash "$here/../install/hardening.sh" "$source/agent/export.map" "$place/bin/gcspy" "$agent" \
	>"$out" || fail "hardening"
try "version" "$place/bin/gcspy" --version
says "version" "^gcspy $(basename "$place" | cut -d- -f2),"
attaches "$place/bin/gcspy"

# Debian 11 itself, with its own JVM; kept for the next time.
old=$folder/bullseye
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
	echo "skipped: the tarball in Debian 11 (needs root and debootstrap)"
	exit 0
fi
if [ ! -f "$old/complete" ]; then
	rm -rf "$old"
	if ! debootstrap --variant=minbase --include=openjdk-17-jre-headless bullseye "$old" \
		"${GCSPY_MIRROR:-http://deb.debian.org/debian}" >"$out" 2>&1; then
		rm -rf "$old"
		echo "skipped: the tarball in Debian 11 (debootstrap: $(tail -1 "$out"))"
		exit 0
	fi
	touch "$old/complete"
fi
rm -rf "$old/gcspy" "$old/apps.jar"
cp -r "$place" "$old/gcspy"
cp "$jar" "$old/apps.jar"
cat >"$old/try.sh" <<'END'
set -e
mount -t proc proc /proc 2>/dev/null || true
export PATH=/gcspy/bin:$PATH
ldd --version | head -1
java -Xmx64m -XX:+UseSerialGC -cp /apps.jar GCOld seconds=300 >/dev/null 2>&1 &
jvm=$!
trap 'kill $jvm' EXIT
for _ in $(seq 300); do
	gcspy list | grep -q "^ *$jvm " && break
	sleep 0.1
done
gcspy attach $jvm port=0 --timeout 60 | tee /tmp/attach
address=$(grep -o '127\.0\.0\.1:[0-9]*' /tmp/attach | head -1)
gcspy info "$address"
gcspy record "$address" --events 4 -o /tmp/own.gcspy --force
gcspy stats /tmp/own.gcspy
END
try "in Debian 11" unshare --mount --pid --fork chroot "$old" /bin/bash /try.sh
says "in Debian 11" '2\.31'
says "in Debian 11" 'Serial'
says "in Debian 11" '[Pp]ause'
echo "the tarball works here and in Debian 11"
