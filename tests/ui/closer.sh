# Looking closer at the heap of a real JVM (F15, F16): into a region, into a block of that, and back.
. "$(dirname "$0")/lib.sh"
agent=$3
jar=$4
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java" >/dev/null || exit 77

"$java" -Xmx64m -XX:+UseG1GC -XX:G1HeapRegionSize=1m "-agentpath:$agent=port=0" -cp "$jar" \
	Leak rate=16m total=48m >"$work/java.out" 2>"$work/java.err" &
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

cat >"$work/steps" <<STEPS
wait live
select G1 regions 0
key Z
wait zoom
dump $work/once
key Right
look_closer
wait zoom
dump $work/twice
select G1 regions 0
dump $work/whole
space_next
space_next
key Shift+Z
look_back
dump $work/back
wait event 1
quit
STEPS
run 0 --present none --size 1200x700 --script "$work/steps" "127.0.0.1:$port"
says "G1 regions > 0 · 16 tiles · Blocks of 64 KiB" once
says "Same memory	0 in G1 regions" once
says "G1 regions > 0 > 1 · 16 tiles · Blocks of 4 KiB" twice
says "Same memory	1 in G1 regions 0x" twice
says "Same memory	0 – 15 in G1 regions 0x" whole
says "space (active)	G1 regions	" back
check "the zooms are gone" [ "$(grep -c "^space.*G1 regions" "$work/back")" = 1 ]
end
