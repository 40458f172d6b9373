#!/usr/bin/env bash
# Man pages: clean, and with all that --help lists.
#
#   pages.sh PAGES GCSPY [GCSPY-VIEW [GCSPY-TRAIN]]
#
# PAGES is the folder that the build writes them to.
set -u
export LC_ALL=C
pages=$1 gcspy=$2 view=${3:-} train=${4:-}
bad=0
command -v groff >/dev/null || { echo "skipped: there is no groff"; exit 77; }

wrong() {
	echo "pages: $*"
	bad=1
}

# as_text PAGE: what a reader sees, each word whole.
as_text() { groff -man -Tascii -rHY=0 -P-cbou "$1" 2>/dev/null | tr -s ' \n' ' '; }

count=0
for page in "$pages"/*/*.[17]; do
	[ -f "$page" ] || continue
	count=$((count + 1))
	warnings=$(groff -man -ww -Tascii -z "$page" 2>&1)
	[ -z "$warnings" ] || wrong "${page##*/}: $warnings"
	[ "$(grep -c '^\.SH NAME$' "$page")" = 1 ] || wrong "${page##*/} has no section NAME"
done

# each_option PAGE: the options on standard input are in the page.
each_option() {
	local option text
	text=$(as_text "$1")
	while read -r option; do
		[[ " $text " == *" $option "* ]] || wrong "${1##*/} has no $option"
		seen=$((seen + 1))
	done
}

commands=0 seen=0
text=$(as_text "$pages/gcspy/gcspy.1")
while read -r command; do
	commands=$((commands + 1))
	page=$pages/gcspy/gcspy-$command.1
	[ -f "$page" ] || { wrong "there is no page of gcspy $command"; continue; }
	[[ $text == *" gcspy $command "* ]] || wrong "gcspy.1 has no $command"
	each_option "$page" < <("$gcspy" help "$command" | sed -n 's/^  \(--[a-z-]*\).*/\1/p')
done < <("$gcspy" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
if [ -n "$view" ]; then
	each_option "$pages/view/gcspy-view.1" < <("$view" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p')
fi
if [ -n "$train" ]; then
	each_option "$pages/train/gcspy-train.1" < <("$train" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p')
	text=$(as_text "$pages/train/gcspy-train.1")
	for word in pretzel paraffins db reptile gcold random 'remembered sets of trains'; do
		[[ $text == *" $word "* ]] || wrong "gcspy-train.1 has no $word"
	done
fi
[ "$commands" -gt 15 ] && [ "$seen" -gt 60 ] && [ "$count" -gt 17 ] ||
	wrong "$commands commands, $seen options, $count pages: there must be more"
# The agent's options, which its own page lists in the words of agent-options.md.
keys=$(cut -f1 "$pages/agent/agent-options")
text=$(as_text "$pages/agent/gcspyagent.7")
for key in $keys; do
	[[ $text == *" $key"* ]] || wrong "gcspyagent.7 has no $key"
done
[ "$(wc -w <<<"$keys")" -gt 20 ] || wrong "the agent has more options than $keys"
exit $bad
