# Recordings (F21, F22): recorded live, played from the file and from a server that replays it,
# recorded again, damaged, clicked in a window.
. "$(dirname "$0")/lib.sh"
gcspy=$3
cd "$work" || exit 1

start_toy 100000 5
cat >steps <<STEPS
wait live
record run.gcspy
wait more 400
dump recording
record
wait recorded
record /proc/nowhere/x.gcspy
STEPS
run 1 --present none --script steps "127.0.0.1:$port"
says "Recording " recording
says "steps:7: record /proc/nowhere/x.gcspy: Cannot record: " err
check "the file begins like a trace" [ "$(head -c 8 run.gcspy)" = GCSTRACE ]
kill "$toy_pid"

cat >steps <<STEPS
wait strip
dump opened
first_event
wait place 1
record again.gcspy
play_speed fast
key Space
wait end
dump end
key ,
key ,
dump nothing-special
key Ctrl+Home
wait place 1
seek 100
wait place 100
play_speed -2
loop
dump backwards
record
wait recorded
quit
STEPS
run 0 --present none --size 900x600 --script steps run.gcspy
last=$(sed -n 's/.*recording run.gcspy · event \([0-9]*\) of .*/\1/p' opened)
check "events in the file: $last" [ "${last:-0}" -ge 100 ]
says "Paused · recording run.gcspy · event $last of $last" opened
says "on the timeline	$last events" opened
says "At the end · recording run.gcspy · event $last of $last" end
says "event 100 of $last" backwards
says "2×, backwards, loop" backwards

# Opened at an event, and written for other programs.
run 0 --present none --at 100 --dump=summary run.gcspy
says "event 100 of $last"
check "streams with summaries" grep -q '^stream	' "$work/out"
run 0 --present none --at 0:00.2 --dump tiles run.gcspy
check "a line for each tile" [ "$(grep -c '	[0-9][0-9]*	' "$work/out")" -ge 10 ]
run 1 --present none --at 99:99 --dump run.gcspy
says "gcspy-view: --at 99:99: expected an event from 1 to $last or a time from 0:00 to " err
check "and nothing else" [ ! -s "$work/out" ]
run 1 --present none --dump=stacks run.gcspy
says "gcspy-view: no live call sites" err

# The state of an event, without the words about where it stands.
picture_of() { # FILE PLACE
	printf 'wait strip\nseek %s\nwait place %s\ndump state\n' "$2" "$2" >steps
	run 0 --present none --script steps "$1"
	grep -vE 'recording|Since|GCspy overhead|on the timeline' state
}
for place in 1 2 50 "$last"; do
	check "event $place is the same in the copy" \
		[ "$(picture_of run.gcspy "$place")" = "$(picture_of again.gcspy "$place")" ]
done

# A server that replays is played by the same keys.
"$gcspy" replay run.gcspy --port 0 2>replay.out &
started+=("$!")
for _ in $(seq 1200); do
	port=$(sed -n 's/.*served at 127.0.0.1:\([0-9]*\).*/\1/p' replay.out)
	[ -n "$port" ] && break
	sleep 0.05
done
cat >steps <<STEPS
wait live
seek 10
wait place 10
key .
wait place 11
key ,
wait place 10
dump served
key Ctrl+End
wait place $last
play_speed -1000
key Space
wait place 1
wait end
dump beginning
STEPS
run 0 --present none --pause --script steps "127.0.0.1:$port"
says "Paused · recording 127.0.0.1:$port · event 10 of $last" served
says "At the beginning" beginning

# Unattended, and what is no recording.
run 0 --present none --play --events 5 --dump run.gcspy
says "recording run.gcspy"
run 1 --present none --dump nowhere.gcspy
says "nowhere.gcspy: No such file" err
head -c 100000 /dev/zero >zero.gcspy
run 1 --present none --dump zero.gcspy
says "zero.gcspy: not a GCspy recording" err
head -c 12 run.gcspy >short.gcspy
run 1 --present none --dump short.gcspy
says "short.gcspy" err
size=$(stat -c %s run.gcspy)
head -c $((size - 30)) run.gcspy >cut.gcspy
printf 'wait strip\ndump cut\n' >steps
run 0 --present none --script steps cut.gcspy
says "Recording	unfinished" cut

# In a window of SDL's dummy driver.
printf 'wait strip\nfirst_event\nwait place 1\nkey >\nkey Space\nwait end\nscreenshot window.png\nquit\n' >steps
SDL_VIDEODRIVER=dummy run 0 --script steps run.gcspy
check "picture of the window" [ "$(head -c 4 window.png | tail -c 3)" = PNG ]
end
