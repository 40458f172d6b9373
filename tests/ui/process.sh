# A process as an address while its agent is detached and attached again: the window waits for it (H1).
. "$(dirname "$0")/lib.sh"
agent=$3
jar=$4
gcspy=$5
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java" >/dev/null || exit 77

"$java" -Xmx32m -cp "$jar" Idle seconds=600 arrays=10 >"$work/java.out" 2>&1 &
pid=$!
started+=($pid)
until_true 60 grep -q libjvm.so "/proc/$pid/maps" || fail "no JVM in 60 s"

# there FILE: waits until a script has written it.
there() {
	for _ in $(seq 300); do
		[ -s "$1" ] && return
		sleep 0.1
	done
	fail "no $1 in 30 s"
}

quietly() {
	"$@" >"$work/tool.out" 2>&1 || {
		cat "$work/tool.out" >&2
		fail "$*"
	}
}

for address in pid:$pid $pid; do
	quietly "$gcspy" attach $pid --agent "$agent"
	cat >"$work/steps" <<-STEPS
		wait live
		dump $work/first
		wait lost
		dump $work/lost
		wait live
		dump $work/again
	STEPS
	rm -f "$work/first" "$work/lost" "$work/again"
	"$view" --present none --no-settings --script "$work/steps" $address >"$work/view" 2>&1 &
	view_pid=$!
	started+=($view_pid)
	there "$work/first"
	quietly "$gcspy" detach $pid
	there "$work/lost"
	sleep 3 # at least one attempt in vain
	quietly "$gcspy" attach $pid
	there "$work/again"
	wait $view_pid
	[ $? = 0 ] || {
		cat "$work/view" >&2
		fail "$address: the script failed"
	}
	for name in first again; do
		check "$address: $name is of the process" grep -q "Live.*process $pid" "$work/$name"
	done
	check "$address: it is lost between" grep -q "^Connection lost" "$work/lost"
	quietly "$gcspy" detach $pid
done

# A process that is killed says no goodbye, but is gone.
quietly "$gcspy" attach $pid --agent "$agent"
printf 'wait live\ndump %s\nwait says Ended at\ndump %s\n' "$work/alive" "$work/killed" >"$work/steps"
"$view" --present none --no-settings --script "$work/steps" pid:$pid >"$work/view" 2>&1 &
view_pid=$!
started+=("$view_pid")
there "$work/alive"
kill -9 $pid
wait $view_pid || fail "the script to the end: $(cat "$work/view")"
check "a killed process has ended" grep -q "^Ended at .*process $pid .* last snapshot" "$work/killed"
end
