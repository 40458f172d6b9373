# Triggers of a running program, and what a recording keeps of them (F17, V10).
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

start_toy 100000 20

# A condition over the event's number fires twice; a wrong one is told. The program pauses, and goes
# on by a key.
cat >steps <<STEPS
wait live
record run.gcspy
triggers
trigger name=wrong when=colour > 1
wait says rejected
trigger_remove wrong
trigger name=often most=2 when=event = "Collection end" and "used before" > 0
wait says 2 events at which triggers fired
dump fired
trigger name=hold do=pause most=1 when=event = "Collection start"
wait says Paused
dump held
trigger_switch hold
pause_resume
wait says Live
record
wait recorded
STEPS
run 0 --present none --script steps "127.0.0.1:$port"
check "often has fired twice" grep -q '^often	on	.*at most 2 times	2	' fired
check "a fire is listed" grep -q '	Collection end	often	' fired
check "the program is held" grep -q '^hold	on	.*	pause · at most 1 time	1	' held

# The recording has what has fired, as soon as it is open: no event but the last is shown. Played to
# its end at any speed, it goes back to where one has fired.
cat >steps <<STEPS
wait live
triggers
wait says 3 events at which triggers fired
dump recorded
play_fast
pause_resume
wait end
play_fast
pause_resume
wait end
key Ctrl+Up
wait says Paused
STEPS
run 0 --present none --script steps run.gcspy
check "fires of the recording" grep -q '^often	-	.*	2	' recorded
end
