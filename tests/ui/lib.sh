# What the visualiser's scripts share; to be sourced with the two programs as arguments.
set -u
view=$1
toy=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
# The user's own settings are neither read nor written.
export XDG_CONFIG_HOME=$work/config
started=()
failures=0

finish() {
	for pid in "${started[@]}"; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	rm -rf "$work"
}
trap finish EXIT

fail() {
	echo "FAIL: $*" >&2
	failures=$((failures + 1))
}

# check DESCRIPTION COMMAND…
check() {
	local what=$1
	shift
	"$@" || fail "$what"
}

# until_true SECONDS COMMAND…: waits until it succeeds
until_true() {
	local tries=$(($1 * 20))
	shift
	while ! "$@" >/dev/null 2>&1; do
		[ $((tries--)) -gt 0 ] || return 1
		sleep 0.05
	done
}

# ticks PID: CPU time of all its threads in clock ticks
ticks() {
	awk '{print $14 + $15}' "/proc/$1/stat"
}

# resting PID: waits until it has done what it does after its start or a command, at most a minute
resting() {
	local before
	for _ in $(seq 60); do
		before=$(ticks "$1")
		sleep 1
		[ "$before" -gt 0 ] && [ "$(ticks "$1")" -le $((before + 1)) ] && return
	done
}

# Starts the toy server with EVENTS and MILLISECONDS between them; sets port and toy_pid.
start_toy() {
	"$toy" 0 "$1" "$2" >"$work/toy.out" &
	toy_pid=$!
	started+=("$toy_pid")
	for _ in $(seq 1200); do
		port=$(sed -n 's/^listening on 127.0.0.1://p' "$work/toy.out")
		[ -n "$port" ] && return
		sleep 0.05
	done
	echo "the toy server does not listen" >&2
	exit 1
}

# Starts the server of call sites in a MODE; sets port and server_pid. The program's path is in sites.
start_sites() {
	: >"$work/sites.out"
	"$sites" "$1" >"$work/sites.out" &
	server_pid=$!
	started+=("$server_pid")
	for _ in $(seq 1200); do
		port=$(sed -n 's/^listening on 127.0.0.1://p' "$work/sites.out")
		[ -n "$port" ] && return
		sleep 0.05
	done
	echo "the server of call sites does not listen" >&2
	exit 1
}

# start_x SIZE: an X server, which takes a number that is free and says which; sets DISPLAY.
start_x() {
	Xvfb -displayfd 3 -screen 0 "$1x24" -nolisten tcp -noreset 3>"$work/display" >/dev/null 2>&1 &
	started+=("$!")
	until_true 60 [ -s "$work/display" ] || exit 77
	DISPLAY=:$(cat "$work/display")
	export DISPLAY
	until_true 60 xdotool getdisplaygeometry || exit 1
}

# A window in $work that xdotool reaches, whose output is $work/out. It takes keys and clicks in order: what
# came before a picture or a text has been done.

# True if a picture was saved through the palette, whole.
has_picture() {
	[ "$(tail -qc 8 "$work"/gcspy-*.png 2>/dev/null | head -c 4)" = IEND ]
}

dumps() {
	grep -c '^Server	' "$work/out"
}
more_than() {
	[ "$(dumps)" -gt "$1" ]
}
# Has the window's text written to its output through the palette, and waits for all of it.
dump() {
	local have
	have=$(dumps)
	xdotool key ctrl+k
	sleep 0.2
	xdotool type --delay 30 dump
	xdotool key Return
	until_true 30 more_than "$have"
}

# opens_by_click WINDOW X Y NAME: a click on its tab shows the view
opens_by_click() {
	xdotool mousemove --window "$1" "$2" "$3"
	sleep 0.2
	xdotool click 1
	# A busy compositor may deliver a key before a click.
	for _ in 1 2 3; do
		dump
		shows_view "$4" && return
	done
	fail "a click at $2 shows $4"
}
shows_view() {
	[ "$(sed -n 's/^view\t//p' "$work/out" | tail -n 1)" = "$1" ]
}

# rests PID: a window in which nothing happens uses no CPU
rests() {
	local before used
	resting "$1"
	before=$(ticks "$1")
	sleep 3
	used=$(($(ticks "$1") - before))
	echo "idle window: $used ticks of CPU in 3 s"
	check "the idle window uses CPU" [ "$used" -le 3 ]
}

# run EXPECTED-CODE ARGUMENTS…: output in $work/out and $work/err
run() {
	local expected=$1
	shift
	timeout 100 "$view" "$@" >"$work/out" 2>"$work/err"
	local code=$?
	[ "$code" = "$expected" ] || {
		fail "gcspy-view $*: code $code instead of $expected"
		cat "$work/err" >&2
	}
}

# says TEXT [FILE]: the output contains the text
says() {
	grep -qF -- "$1" "$work/${2:-out}" || {
		fail "not said: $1"
		cat "$work/${2:-out}" >&2
	}
}

end() {
	[ "$failures" = 0 ] && echo "passed"
	exit $((failures > 0))
}
