# Looking back at a live program (V3, V7, V8, F22): by keys, the pointer and scripts, while events go
# on and are recorded; on a disk that is full, without files, with small files; nothing is left.
. "$(dirname "$0")/lib.sh"
gcspy=$3
sites=$4
cd "$work" || exit 1
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

start_toy 100000 2

# The recording begins before, continues while looking back, and has all events without a gap.
cat >steps <<STEPS
wait live
record run.gcspy
wait event 400
key Ctrl+Home
wait place 1
dump first
drag 500 735 700 735
wait back
seek 100
wait back
bookmark here
dump middle
wait event 800
dump later
drag 600 735 900 735 shift
dump range
pause_program
wait says program paused
dump paused
pause_program
wait says program running
key L
wait newest
key Escape
record
wait recorded
wait says Live ·
dump newest
STEPS
run 0 --present none --script steps "127.0.0.1:$port"
# events FILE: how many the window knows
events() {
	sed -n 's/^Looking back · event [0-9]* of \([0-9]*\).*/\1/p' "$1"
}
# The first one that has not been missed on a busy machine.
at() {
	sed -n 's/^Looking back · event \([0-9]*\) of .*/\1/p' "$1"
}
check "events at first: $(events first)" [ "$(events first)" -ge 400 ]
says "program running" first
check "at the first event: $(at first)" [ "$(at first)" -lt 50 ]
check "at event 100 or soon after: $(at middle)" [ "$(at middle)" -ge 100 ]
check "at event 100 or soon after: $(at middle)" [ "$(at middle)" -lt 200 ]
says "bookmark	0:0" middle
check "it stays there: $(at later)" [ "$(at later)" = "$(at middle)" ]
check "events later: $(events later)" [ "$(events later)" -ge 800 ]
check "the picture stays" [ "$(grep '^  |' middle)" = "$(grep '^  |' later)" ]
check "the counters go on" [ "$(grep '^count' middle)" != "$(grep '^count' later)" ]
says "Selected range	0:0" range
says "Collection start	" range
says "program paused" paused
says "Live · " newest
printf 'wait strip\nfirst_event\nwait place 1\ndump opened\n' >steps
run 0 --present none --script steps run.gcspy
count=$(sed -n 's/.*recording run.gcspy · event 1 of \([0-9]*\) .*/\1/p' opened)
printf 'wait strip\nkey Ctrl+End\nwait place %s\ndump end\n' "$count" >steps
run 0 --present none --script steps run.gcspy
# number NAME FILE
number() {
	sed -n "s/^$1	//p" "$2" | tr -d , | grep . || echo 0
}
first=$(number "Event #" opened)
last=$(number "Event #" end)
missed=$(($(number Missed end) - $(number Missed opened))) # by the window, on a busy machine
check "events in the file: $count" [ "${count:-0}" -ge 400 ]
# What the server itself misses has no number, what is lost on the way has one.
absent=$((last - first + 1 - count))
check "$first to $last are $count" [ "$absent" -ge 0 ]
check "$first to $last are $count and at most $missed missed" [ "$absent" -le "$missed" ]
check "nothing is left" [ -z "$(ls -A "$TMPDIR")" ]

# Killed while it keeps files: they have no names.
"$view" --present none --font block "127.0.0.1:$port" &
pid=$!
started+=("$pid")
for _ in $(seq 1200); do
	open=$(find "/proc/$pid/fd" -lname "*past.gcspy (deleted)" 2>/dev/null | wc -l)
	[ "$open" -ge 4 ] && [ -z "$(ls -A "$TMPDIR")" ] && break
	sleep 0.05
done
check "files are open: $open" [ "$open" -ge 4 ]
kill -9 "$pid"
wait "$pid" 2>/dev/null
check "nothing is left by a killed window" [ -z "$(ls -A "$TMPDIR")" ]

# Small files: the past is thinned, and says so.
printf 'wait live\nwait event 3000\nkey Ctrl+Home\nwait place 1\ndump thin\n' >steps
run 0 --present none --history 1 --script steps "127.0.0.1:$port"
says "1 of 8 events" thin

# Without files the newest events are there; the option, and a folder that cannot be written.
printf 'wait live\nwait event 600\ndump none\nkey ,\nwait back\nkey Alt+Left\nwait back\ndump back\n' >steps
run 0 --present none --no-history --script steps "127.0.0.1:$port"
says "kept	nothing before" none
says "Looking back" back
TMPDIR=/nowhere run 0 --present none --script steps "127.0.0.1:$port"
says "kept	nothing before" none
says "Looking back" back
run 2 --history 0
says "--history 0: expected 1 to 1048576 MiB" err

# A full disk: no file may have more than 40 KiB. What was written before stays.
printf 'wait live\nsleep 600\nwait event 3000\ndump none\nkey Ctrl+Home\nwait place 1\ndump back\n' >steps
(
	trap '' XFSZ
	ulimit -f 40
	failures=0
	run 0 --present none --script steps "127.0.0.1:$port"
	[ "$failures" = 0 ]
) || fail "on a full disk"
says "kept	0:00.000 to " none
# The server has counted events before this window came.
check "the first event is shown" grep -q "^Looking back · event [0-9,]* of " back
kill "$toy_pid"

# Call sites of a part of time and of a moment, though no view of call sites was open before; and in the
# file that is recorded meanwhile.
start_sites shop
cat >steps <<STEPS
wait live
record sites.gcspy
wait says asked for live 1,
wait says allocated 1,
wait says recent 1,
wait says frequent 1
wait more 2
bookmark one
range_begin
wait says asked for live 2,
wait says allocated 2,
wait more 2
range_end
dump unasked
flame_graph
wait answer
dump part
sites_kind allocated
wait answer
dump allocated
call_sites
wait answer
dump table
range_clear
key Ctrl+Left
wait back
wait answer
dump moment
sites_kind recent
wait answer
dump recent
sites_kind frequent
call_tables
wait answer
dump frequent
record
wait recorded
STEPS
run 0 --present none --script steps "127.0.0.1:$port"
kill "$server_pid"
says "Heap" unasked
check "the difference of two moments" \
	grep -q "Live at 0:[0-9.]* compared with 0:[0-9.]*; profiles from 0:[0-9.]* and 0:[0-9.]*" part
check "the flame graph has frames" grep -q "Handler.handle" part
check "it is no difference to itself" [ -z "$(grep -F "no profile in between" part allocated)" ]
check "what came between them" \
	grep -q "Allocated between 0:[0-9.]* and 0:[0-9.]*; profiles from 0:[0-9.]* and 0:[0-9.]*" allocated
says "HashMap.resize" table
says "Looking back" moment
says "As of	" moment
says "Samples	5,912" moment # those of the first round
says "Recent garbage" recent
says "HashMap" recent
says "Frequent garbage" frequent
says "java.lang.Thread.run" frequent
for kind in --live --allocated "--garbage recent" "--garbage frequent"; do
	# shellcheck disable=SC2086 # two words
	"$gcspy" sites sites.gcspy $kind >"$work/file.kind" 2>&1 ||
		fail "no $kind in the recording: $(cat "$work/file.kind")"
done
printf 'wait strip\nfirst_event\nwait place 1\ndump opened\n' >steps
run 0 --present none --script steps sites.gcspy
count=$(sed -n 's/.*recording sites.gcspy · event 1 of \([0-9]*\) .*/\1/p' opened)
printf 'wait strip\nfirst_event\nwait place 1\nrange 1 %s\nflame_graph\nwait answer\ndump file\n' "$count" >steps
run 0 --present none --script steps sites.gcspy
check "the same in the file" grep -q "Live at 0:[0-9.]* compared with 0:[0-9.]*" file
check "both ends are in the file" [ -z "$(grep -F "no profile in between" file)" ]

# A program that does not sample: the past says so, and is not asked again and again.
start_sites off
printf 'wait says asked for live 1\nwait event 9\nrange 0:00 0:01\nflame_graph\nwait answer\ndump off\n' >steps
run 0 --present none --script steps "127.0.0.1:$port"
kill "$server_pid"
says "No call sites in the selected range" off
end
