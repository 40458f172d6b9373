#!/usr/bin/env bash
# Completion in bash: what the Tab key gives.
#
#   completion.sh PAGES GCSPY
#
# PAGES is the folder that the build writes it to. A stand-in for gcspy lists two JVMs, of which the
# second has the agent. Zsh's functions are loaded where zsh is installed.
set -u
pages=$1 gcspy=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
cat >"$work/gcspy" <<'END'
#!/bin/sh
echo '    PID  PROGRAM   JAVA     AGENT'
echo '   4711  app.jar   17.0.9   -'
echo '   4712  app.jar   17.0.9   unix:/tmp/.gcspy_4712'
END
chmod +x "$work/gcspy"
# shellcheck source=/dev/null
. "$pages/gcspy/gcspy.bash"
# compopt only works while readline completes.
compopt() { asked+="$* "; }

# gives WANTED WORD…: completing the last word gives these, sorted. A "=" is a word of its own, as
# readline splits words.
gives() {
	local wanted=$1 got asked=
	shift
	COMP_WORDS=("$work/gcspy" "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	"$complete"
	got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')
	[ ${#COMPREPLY[@]} -gt 0 ] || got=
	got+=$asked
	[ "$got" = "$wanted" ] && return
	echo "completion of $*: \"$got\" instead of \"$wanted\""
	bad=1
}

complete=_gcspy
gives 'info ' inf
gives '--version ' --v
gives 'json text ' dump 3000 --format ''
gives 'json ' dump 3000 --format = j
gives 'json text ' dump 3000 --format =
gives 'collapsed gcspy html json pprof svg text ' sites app.gcspy --format ''
gives '--garbage ' sites --ga
gives 'frequent recent ' sites --garbage ''
gives '4711 4712 ' attach ''
gives '4712 ' info ''
gives '4712 ' detach ''
gives '-o default ' report ''
gives '-o default ' sites x -o ''
gives 'heavy-budget= heavy-events= -o nospace ' attach 4711 heavy-
gives '0,volume= -o nospace ' attach 4711 port = 0,vol
gives 'heavy light ' attach 4711 volume = ''
gives 'heavy light ' attach 4711 volume =
gives 'stats ' help stat

# Every option of every command.
while read -r command; do
	while read -r option; do
		COMP_WORDS=(gcspy "$command" "$option") COMP_CWORD=2
		_gcspy
		[[ " ${COMPREPLY[*]} " == *" $option "* ]] ||
			{ echo "completion of $command has no $option"; bad=1; }
	done < <("$gcspy" help "$command" | sed -n 's/^  \(--[a-z-]*\).*/\1/p')
done < <("$gcspy" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')

if [ -f "$pages/view/gcspy-view.bash" ]; then
	# shellcheck source=/dev/null
	. "$pages/view/gcspy-view.bash"
	complete=_gcspy_view
	gives 'dark ' --theme d
	gives 'dark ' --theme = d
	gives '--screenshot --script ' --scr
	gives 'stacks summary tiles view ' --dump ''
	gives '-o default ' ''
fi
if [ -f "$pages/train/gcspy-train.bash" ]; then
	# shellcheck source=/dev/null
	. "$pages/train/gcspy-train.bash"
	complete=_gcspy_train
	gives 'db ' --mutator d
	gives 'paraffins pretzel ' --mutator = p
	gives '--popular --popular-car --popular-reserve ' --pop
	gives '-o default ' --record ''
fi
# A shell that has the completion of other programs takes it as it is.
bash -n "$pages/gcspy/gcspy.bash" || bad=1

if command -v zsh >/dev/null; then
	for script in "$pages"/*/_gcspy*; do
		zsh -fn "$script" || { echo "${script##*/} is no zsh"; bad=1; }
	done
	for name in "$pages"/*/_gcspy*; do
		zsh -fc "fpath=(${name%/*} \$fpath); autoload -Uz compinit; compinit -D -u
			[[ \$_comps[${name##*/_}] == ${name##*/} ]]" || { echo "zsh does not take ${name##*/}"; bad=1; }
	done
else
	echo "skipped: completion in zsh (there is no zsh)"
fi
exit $bad
