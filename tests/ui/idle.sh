# While nothing happens the program sleeps: no CPU time and next to no wake-ups.
. "$(dirname "$0")/lib.sh"
[ -r /proc/self/stat ] || exit 77

# switches PID: how often its threads went to sleep by themselves
switches() {
	cat "/proc/$1"/task/*/status | awk '/^voluntary_ctxt_switches/ {n += $2} END {print n}'
}

# quiet NAME PID: at most 1 % of a CPU and 5 wake-ups a second over 3 seconds
quiet() {
	local t0 t1 s0 s1
	resting "$2"
	t0=$(ticks "$2")
	s0=$(switches "$2")
	sleep 3
	t1=$(ticks "$2")
	s1=$(switches "$2")
	echo "$1: $((t1 - t0)) ticks of CPU, $((s1 - s0)) wake-ups in 3 s"
	check "$1 uses CPU while idle" [ $((t1 - t0)) -le 3 ]
	check "$1 wakes up while idle" [ $((s1 - s0)) -le 15 ]
}

"$view" --present none --font block &
pid=$!
started+=("$pid")
quiet "without a window" "$pid"

# A server at which nothing happens for a minute; the keep-alive is all that may be heard.
start_toy 1 60000
# Whoever has just connected has not waited for it, by the clock of either kind of window.
printf '%s\n' 'wait says Live' quit >"$work/steps"
for present in none surface; do
	SDL_VIDEODRIVER=dummy run 0 "$port" --present $present --font block --script "$work/steps" --dump
	says "Live ·"
	check "--present $present: silent for no time" sh -c '! grep "no event for" "$0"' "$work/out"
done
"$view" --present none --font block "$port" &
pid=$!
started+=("$pid")
quiet "connected" "$pid"
end
