#!/usr/bin/env bash
# Triggers on dlmalloc's events. The paper's experiment (section 7): a block of 512 KiB in more than 2,000 free chunks of
# at most 512 bytes is there with deferred coalescing, and never without. The malloc that breaks the largest gap
# is found, and the program is paused there.
#
#   test_dlmalloc_trigger.sh LIBRARIES COALESCING GAP GCSPY
set -u
libraries=$1 coalescing=$2 gap=$3 gcspy=$4
out=$(mktemp -d)
pids=
trap 'kill -9 $pids 2>/dev/null; wait 2>/dev/null; rm -rf "$out"' EXIT
cd "$out" || exit 1

fail() {
	echo "dlmalloc_trigger: $1" >&2
	tail -n 20 ./*.out ./*.err >&2
	exit 1
}

# started NAME OPTIONS COMMAND…: it waits for a line in the pipe; its server is at $address.
started() {
	local name=$1 options=$2
	shift 2
	mkfifo "$name.in"
	LD_PRELOAD=$libraries GCSPYMALLOC=port=0,say=yes,$options "$@" <"$name.in" >"$name.out" 2>"$name.err" &
	program=$!
	pids+=" $program"
	exec 3>"$name.in"
	for _ in $(seq 600); do
		address=$(sed -n 's/.*listening on //p' "$name.err")
		[ -n "$address" ] && return
		sleep 0.1
	done
	fail "$name: no address"
}

# armed NAME CONDITION OPTION…: the trigger is set, and the program goes on.
armed() {
	local name=$1
	"$gcspy" trigger "$address" "$2" --name armed "${@:3}" >"$name.fired.out" 2>"$name.fired.err" &
	watcher=$!
	pids+=" $watcher"
	until "$gcspy" trigger "$address" --list 2>/dev/null | grep "^armed " >/dev/null; do
		kill -0 $watcher 2>/dev/null || fail "$name: $(cat "$name.fired.err")"
		sleep 0.1
	done
	echo go >&3
	exec 3>&-
}

condition='Fragmentation(512, 524288) > 2000'
started deferred deferred=60 "$coalescing" 3
armed deferred "$condition" --most 1
wait $program || fail "deferred: the program failed"
wait $watcher
grep -q . deferred.fired.out || fail "it does not fire with deferred coalescing"
cat deferred.fired.out

started eager deferred=0 "$coalescing" 3
armed eager "$condition"
wait $program || fail "eager: the program failed"
wait $watcher
[ ! -s eager.fired.out ] || fail "it fires with eager coalescing"
# The events were looked at: a weaker condition fires.
started weaker deferred=0 "$coalescing" 3
armed weaker 'Fragmentation(512, 524288) > 5' --most 1
wait $program || fail "weaker: the program failed"
wait $watcher
grep -q . weaker.fired.out || fail "the weaker condition does not fire"

# Of another allocator chunks are the gaps between blocks: each other block is freed.
both=$libraries libraries=${libraries%%:*}
started gaps update=50 "$gap"
armed gaps 'event = free and Fragmentation(8000, 524288) > 50' --most 1
wait $program || fail "gaps: the program failed"
wait $watcher
grep -q . gaps.fired.out || fail "it does not fire at gaps"
libraries=$both

started gap deferred=0,memory=yes "$gap"
armed gap 'event = malloc and change("Largest gap", 1 events) < -100000' --do pause --most 1 --plugin backtrace
until grep -q . gap.fired.out; do
	kill -0 $watcher || fail "gap: the watcher ended"
	sleep 0.1
done
cat gap.fired.out
grep -q 'malloc  Size 147 KiB' gap.fired.out || fail "gap: another malloc"
until "$gcspy" info "$address" | grep "Program *paused" >/dev/null; do
	kill -0 $program || fail "gap: the program is not paused"
	sleep 0.1
done
# It can be looked at closely meanwhile.
start=$("$gcspy" dump "$address" --space Heap --values | sed -n '/Start/,/End/p' | grep -o '0x[0-9a-f]*' | sed -n 4p)
"$gcspy" dump "$address" --zoom "$start-$(printf '0x%x' $((start + 4096)))" --block 16 >gap.zoom.out ||
	fail "gap: no zoom while the program is paused"
grep -q '256 tiles, Blocks of 16 B' gap.zoom.out || fail "gap: another zoom"
# Where it is, and what is there.
if "$gcspy" ask "$address" | grep '^ *backtrace' >/dev/null; then
	"$gcspy" ask "$address" backtrace >gap.backtrace.out || fail "gap: no backtrace"
	[ "$(grep -o 'break_the_gap\|\bmain\b' gap.backtrace.out | head -n 2 | paste -sd' ')" = 'break_the_gap main' ] ||
		fail "gap: another backtrace"
else
	echo "skipped: the plugin backtrace, libunwind is not here"
fi
watched=$(head -n 1 gap.out)
"$gcspy" ask "$address" memory "address=$watched" length=8 | grep '01 00 00 00 00 00 00 00' >/dev/null ||
	fail "gap: other memory"
"$gcspy" ask "$address" memory address=0x10 >gap.unmapped.out 2>&1 && fail "gap: memory that is not mapped"
"$gcspy" trigger "$address" "event = malloc and change(Word($watched), 1 events) != 0" --name watch --most 1 >gap.watch.out &
watch=$!
pids+=" $watch"
until "$gcspy" trigger "$address" --list | grep '^watch ' >/dev/null; do sleep 0.1; done
kill -TERM $watcher
wait $watch
grep -q 'malloc  Size 1008 B\|malloc  Size 1,008 B\|malloc  Size 1016 B' gap.watch.out || fail "gap: the watch of memory: $(cat gap.watch.out)"
wait $program || fail "gap: the program failed"
