#!/usr/bin/env bash
# The protection that every program and library of ours has; the agent's symbols and libraries.
#
#   hardening.sh EXPORT-MAP BINARY…
#
# Ends with 1 after naming what is missing, with 77 if the check is not possible here.
set -u
export LC_ALL=C
map=$1
shift
for tool in readelf objdump nm; do
	command -v $tool >/dev/null || { echo "skipped: there is no $tool (binutils)"; exit 77; }
done
bad=0

# want FILE WHAT PATTERN TEXT: the text has a match of the pattern.
want() {
	grep -Eq -- "$3" <<<"$4" && return
	echo "$1: no $2"
	bad=1
}

# lack FILE WHAT PATTERN TEXT: it has none.
lack() {
	grep -Eq -- "$3" <<<"$4" || return 0
	echo "$1: $2"
	bad=1
}

for file in "$@"; do
	[ -f "$file" ] || { echo "$file is missing"; exit 1; }
	name=${file##*/}
	headers=$(readelf -Wl "$file")
	dynamic=$(readelf -Wd "$file")
	symbols=$(readelf -W --dyn-syms "$file")
	want "$name" "position-independent code" 'Elf file type is DYN' "$headers"
	want "$name" "read-only relocations (-z relro)" '^ *GNU_RELRO ' "$headers"
	want "$name" "binding at the start (-z now)" 'BIND_NOW' "$dynamic"
	want "$name" "note about its stack" '^ *GNU_STACK ' "$headers"
	lack "$name" "an executable stack" '^ *GNU_STACK .* RWE ' "$headers"
	lack "$name" "relocations in its code" 'TEXTREL' "$dynamic"
	lack "$name" "a search path of libraries" 'RPATH|RUNPATH' "$dynamic"
	want "$name" "stack protector" ' __stack_chk_fail@' "$symbols"
	want "$name" "checked string functions (_FORTIFY_SOURCE)" ' __v?snprintf_chk@' "$symbols"
	if [ "$(uname -m)" = x86_64 ]; then
		code=$(objdump -d --no-show-raw-insn "$file")
		# Those of the C library's own start are in every program.
		[ "$(grep -c '\bendbr64\b' <<<"$code")" -gt 50 ] ||
			{ echo "$name: no control-flow protection (-fcf-protection)"; bad=1; }
		want "$name" "stack clash protection" '\bor[lq] +\$0x0,(0x[0-9a-f]+)?\(%rsp\)' "$code"
	fi
	case $name in
	libgcspyagent.so)
		# The C library was four files before glibc 2.34.
		needed=$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$dynamic")
		lack "$name" "libraries beyond zlib and the C library: $(tr '\n' ' ' <<<"$needed")" \
			'.' "$(grep -Evx 'libz\.so\.1|lib[mc]\.so\.6|lib(dl|pthread)\.so\.[02]|ld-linux-x86-64\.so\.2' <<<"$needed" | grep .)"
		# A running program has little room for it.
		lack "$name" "thread-local variables of the initial-exec model" STATIC_TLS "$dynamic"
		# The names between "global:" and "local:", with * as in the map.
		names=$(sed -n '/global:/,/local:/s/^[ \t]*\([A-Za-z_*]*\);$/\1/p' "$map" | grep -v '^\*$')
		while read -r symbol; do
			found=0
			for pattern in $names; do
				# shellcheck disable=SC2053 # a pattern
				[[ $symbol == $pattern ]] && found=1
			done
			[ $found = 1 ] || { echo "$name exports $symbol, which is not in $map"; bad=1; }
		done < <(nm -D --defined-only "$file" | awk '{ print $3 }')
		for pattern in $names; do
			want "$name" "symbol $pattern" " ${pattern//\*/.*}$" "$(nm -D --defined-only "$file")"
		done
		;;
	esac
done
exit $bad
