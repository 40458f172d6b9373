#!/usr/bin/env bash
# The reference of the C API: every public function is in it, with a comment; no link leads nowhere.
#
#   reference.sh REFERENCE-PAGE HEADERS
set -u
export LC_ALL=C
maker=$1 headers=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
page=$folder/reference.html
bad=0

wrong() {
	echo "reference: $*"
	bad=1
}

"$maker" --check "$folder" "$headers"/*.h || wrong "not all functions have comments"
functions=0
for name in $(grep -ho '^GCS_API [^(]*(' "$headers"/*.h | grep -o '[a-z_0-9]*($' | tr -d '('); do
	functions=$((functions + 1))
	[ "$(grep -c "<a id=\"$name\"></a>" "$page")" = 1 ] || wrong "$name is not there once"
done
[ "$functions" -gt 200 ] || wrong "only $functions functions were looked for"
while read -r target; do
	grep -q "id=\"$target\"" "$page" || wrong "a link leads to $target"
done < <(grep -o 'href="#[^"]*"' "$page" | cut -d'#' -f2 | tr -d '"' | sort -u)
[ "$(grep -o '<pre' "$page" | wc -l)" = "$(grep -o '</pre>' "$page" | wc -l)" ] || wrong "unequal tags"

# What the check is for.
cat >"$folder/bare.h" <<'END'
#ifndef GCSPY_BARE_H
#define GCSPY_BARE_H

/* Has one, with <brackets>. */
GCS_API int gcs_first(void);
GCS_API int gcs_second(void);

GCS_API int gcs_third(void);

#endif
END
[ "$("$maker" --check "$folder" "$folder/bare.h" 2>&1)" = "gcs_third has no comment" ] ||
	wrong "a function without a comment is not found"
grep -q 'with &lt;brackets&gt;' "$page" || wrong "text is not escaped"
exit $bad
