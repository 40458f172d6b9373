#!/usr/bin/env bash
# The two libraries export the functions of the public headers, as the compiler reads these, and no
# others; each needs only what it may.
#
#   exports.sh INCLUDE LIBGCSPY LIBGCSPYCLIENT
#
# Ends with 1 after naming what is wrong, with 77 if the check is not possible here.
set -u
export LC_ALL=C
include=$1 server=$2 client=$3
for tool in cc nm readelf; do
	command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# declared HEADER…: functions with default visibility that these files themselves declare.
declared() {
	local header
	for header in "$@"; do
		printf '#include <gcspy/%s>\n' "${header##*/}" | cc -E -I"$include" - |
			awk -v own="/${header##*/}\"" '/^# / { mine = index($3, own); next } mine' | tr '\n' ' ' |
			tr ';{}' '\n\n\n' | sed -n 's/.*visibility("default"))) [^(]*[ *]\([a-z0-9_]*\)(.*/\1/p'
	done | sort
}

# exports LIBRARY VERSION: its functions with that version of symbols.
exports() { nm -D --defined-only "$1" | sed -n "s/^[0-9a-f]* T \(.*\)@@$2\$/\1/p" | sort; }

# same WHAT WANTED GOT: reports the lines in one file only.
same() {
	cmp -s "$work/$2" "$work/$3" && return
	echo "$1:"
	diff "$work/$2" "$work/$3" | sed -n 's/^</missing:/p; s/^>/superfluous:/p'
	bad=1
}

major=$(sed -n 's/^#define GCS_VERSION_MAJOR *//p' "$include/gcspy/version.h")
version=$(sed -n 's/^#define GCS_VERSION_STRING *"\(.*\)"/\1/p' "$include/gcspy/version.h")
servers=()
for header in "$include"/gcspy/*.h; do
	# The agent exports sampling.h.
	case ${header##*/} in client.h | trace.h | sampling.h) ;; *) servers+=("$header") ;; esac
done
declared "${servers[@]}" >"$work/server.headers"
declared "$include/gcspy/client.h" "$include/gcspy/trace.h" >"$work/client.headers"
exports "$server" "GCSPY_$major" >"$work/server.exports"
exports "$client" "GCSPY_$major" >"$work/client.exports"
same "libgcspy and the headers" server.headers server.exports
same "libgcspyclient and the headers" client.headers client.exports
[ "$(wc -l <"$work/server.headers")" -gt 130 ] && [ "$(wc -l <"$work/client.headers")" -gt 40 ] ||
	{ echo "the headers declare more functions than were found"; bad=1; }

# Between the two, under the version of this release: what one needs is what the other offers.
exports "$server" "GCSPY_PRIVATE_$version" >"$work/private.exports"
nm -D --undefined-only "$client" | sed -n "s/^ *U \(.*\)@GCSPY_PRIVATE_$version\$/\1/p" |
	sort >"$work/private.imports"
same "private functions for libgcspyclient" private.imports private.exports
for library in "$server" "$client"; do
	nm -D --defined-only "$library" | grep -Ev "@@GCSPY_($major|PRIVATE_$version)\$| A GCSPY_" &&
		{ echo "${library##*/} exports these without one of its versions"; bad=1; }
	# Threads and handlers of fork would outlive it.
	readelf -Wd "$library" | grep -q 'FLAGS_1.*NODELETE' ||
		{ echo "${library##*/} can be unloaded (-z nodelete)"; bad=1; }
	soname=$(basename "$library" | sed "s/\.so.*/.so.$major/")
	readelf -Wd "$library" | grep -q "SONAME.*\[$soname\]" ||
		{ echo "${library##*/}: the soname is not $soname"; bad=1; }
done

# Models, snapshots and memory have state, which exists once in a program with both.
if nm "$client" 2>/dev/null | grep -E ' [tTdDbB] (gcs_alloc|gcs_snapshot_begin|gcs_model_create)$'; then
	echo "libgcspyclient has a copy of what libgcspy keeps"
	bad=1
fi
needed() {
	readelf -Wd "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
		grep -Evx 'libz\.so\.1|lib[mc]\.so\.6|libpthread\.so\.0|ld-linux-x86-64\.so\.2' | tr '\n' ' '
}
[ "$(needed "$server")" = "" ] || { echo "libgcspy needs $(needed "$server")"; bad=1; }
[ "$(needed "$client")" = "libgcspy.so.$major " ] ||
	{ echo "libgcspyclient needs $(needed "$client")"; bad=1; }
exit $bad
