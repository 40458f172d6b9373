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
says "sampled every 16 KiB" live
says "frame	Leak.retain	Leak.java:" live
says "Leak.noise" recent
says "sites" allocated
says "of bytes" allocated
says "frame	Leak.main	Leak.java:" allocated
check "magic of the file" [ "$(head -c 8 "$work/live.sites")" = GCSPROF1 ]
end
