#!/usr/bin/env bash
# Links between the installed pages of share/doc/gcspy lead to installed files.
#
#   links.sh BUILD
set -u
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --component gcspy --prefix "$work" >"$work/log" 2>&1 ||
	{ tail -n 5 "$work/log" >&2; exit 1; }
cd "$work/share/doc/gcspy" || exit 1
bad=0 count=0
while IFS=: read -r file target; do
	count=$((count + 1))
	[ -z "${target%%#*}" ] || [ -e "$(dirname "$file")/${target%%#*}" ] ||
		{ echo "links: $file links to $target, which is not installed" >&2; bad=1; }
done < <(grep -rHoP --include='*.md' '\]\(\K(?!https?:)[^)\s]+' .)
[ "$count" -gt 100 ] || { echo "links: only $count links found" >&2; bad=1; }
exit $bad
