# The call sites of a real JVM, fetched by the visualiser (S6): sampling is turned on, and the site
# that leaks is told apart from those that only make garbage.
. "$(dirname "$0")/lib.sh"
agent=$3
jar=$4
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java" >/dev/null || exit 77

"$java" -Xmx128m -XX:+UseSerialGC "-agentpath:$agent=port=0" -cp "$jar" Leak rate=16m total=48m \
	>"$work/java.out" 2>"$work/java.err" &
started+=($!)
for _ in $(seq 1200); do
	port=$(sed -n 's/^gcspy: listening on 127.0.0.1://p' "$work/java.err")
	[ -n "$port" ] && break
	sleep 0.1
done
[ -n "$port" ] || {
	cat "$work/java.err" >&2
	exit 1
}

# By the number of its process (H1).
pid=${started[-1]}
for address in $pid pid:$pid; do
	run 0 --present none --dump=summary $address
	says "process $pid"
done

cat >"$work/steps" <<STEPS
wait event 1
key 2
wait answer
dump $work/off
sites_sample 16k
wait answer
wait event 6
sites_refresh
wait answer
sites_filter method:Leak.retain
key Down
dump $work/live
back
sites_save $work/live.sites
sites_kind recent
wait says Leak.noise
key Down
dump $work/recent
sites_kind allocated
wait answer
sites_filter Leak.noise
key Home
dump $work/allocated
sites_sample 0
wait answer
quit
STEPS
run 0 --present none --size 1200x700 --script "$work/steps" "127.0.0.1:$port"
says "Sampling is off" off
says "Sampling	every 16 KiB" live
says "frame	Leak.retain	Leak.java:" live
says "Leak.noise" recent
says "sites" allocated
says "of bytes" allocated
says "frame	Leak.main	Leak.java:" allocated
check "magic of the file" [ "$(head -c 8 "$work/live.sites")" = GCSPROF1 ]
# The program ends: the window says so, keeps what it has and saves it as a recording (F10, F21).
"$java" -Xmx64m -XX:+UseSerialGC "-agentpath:$agent=port=0,interval=16k" -cp "$jar" Leak rate=1m \
	total=40m >"$work/java.out" 2>"$work/java.err" &
pid=$!
started+=($pid)
until_true 60 grep -q '^gcspy: listening' "$work/java.err" || fail "no agent in 60 s"
cat >"$work/steps" <<STEPS
wait live
call_sites
wait answer
wait more 4
sites_refresh
wait answer
wait more 2
dump $work/before
wait lost
dump $work/ended
record $work/saved.gcspy
wait recorded
dump $work/saved
STEPS
"$view" --present none --script "$work/steps" $pid >"$work/out" 2>"$work/err" &
viewer=$!
started+=($viewer)
until_true 60 [ -s "$work/before" ] || fail "no events: $(cat "$work/err")"
kill "$pid"
wait $viewer || fail "the script to the end: $(cat "$work/err")"
check "the end is told" grep -qE "^Ended at [0-9:]{8} · .*process $pid · last snapshot" "$work/ended"
check "no retries" [ "$(grep -c retrying "$work/ended")" = 0 ]
events=$(sed -n 's/.*Recorded \([0-9]*\) events in .*saved.gcspy$/\1/p' "$work/saved")
seen=$(awk '/^count of/ { n += $NF } END { print n }' "$work/ended")
before=$(awk '/^count of/ { n += $NF } END { print n }' "$work/before")
check "events saved: ${events:-none}, counted: $seen" [ "${events:-0}" -ge 6 ]
run 0 --present none --dump "$work/saved.gcspy"
says "recording saved.gcspy · event $events of $events"
check "the last event is in it" grep -q "^count of.*	" "$work/out"
check "all counters of the end" [ "$(awk '/^count of/ { n += $NF } END { print n }' "$work/out")" = "$seen" ]
check "and they went on" [ "$seen" -ge "$before" ]
run 0 --present none --dump=stacks "$work/saved.gcspy"
says "Leak.retain"
end
