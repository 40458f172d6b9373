# Five tasks solved with a pointer alone from the start screen, each with at most eight clicks (V4):
# `pointer 8` refuses every other step, and the ninth click. What is clicked is found by the text that is
# painted there. Beside the sample, the recordings in tasks/ are of the agent on JDK 17:
#   pauses     -Xmx256m -XX:+UseG1GC, Fragment blocks=60000 rounds=4 pause=50
#   humongous  -Xmx96m -XX:+UseG1GC, interval=64k, Humongous size=700k arrays=1000
#   before     -Xmx64m, interval=64k, Shop rate=8000
#   after      the same with leak=no
. "$(dirname "$0")/lib.sh"
cp "$here"/tasks/*.gcspy "$here/../../docs/leak.gcspy" "$work"
cd "$work" || exit 1

# task NAME FILE: opens it by three clicks (the second shows its preview), then takes the steps of the standard input.
task() {
	{
		printf '%s\n' 'pointer 8' 'click "Open a recording …"' "click \"$2.gcspy\"" \
			'wait says preview	Events' "click \"$2.gcspy\"" 'wait live' 'wait strip'
		cat
		printf '%s\n' "dump $work/$1" quit
	} >steps
	run 0 --present none --size 1280x800 --script steps
}

task leak leak <<'STEPS'
click "Show the leak"
wait answer
STEPS
says "suspect	Shop.visit:55 Shop.java" leak

# The figures come from the whole recording, hence the wait. The bar at the bottom names an event before
# its state has been read: what the header says of it is waited for.
task pause pauses <<'STEPS'
wait says median
click "Longest pause"
wait says Pause	103 ms
STEPS
says "Kind	Full" pause
says "Cause	System.gc()" pause
says "Pause	103 ms" pause

task humongous humongous <<'STEPS'
click "Events"
click "201"
wait says Event #	201
click "Heap"
click right 55 163
click "Call sites of the objects here"
wait answer
STEPS
says "byte[]	Humongous.main Humongous.java:19" humongous

task fragmentation humongous <<'STEPS'
click "Events"
click "201"
wait says Event #	201
click "Charts"
click "Fragmentation"
STEPS
says "Fragmentation of G1 regions: 4.5 %" fragmentation
says "longest: 61 MiB" fragmentation

task difference after <<'STEPS'
click "…"
click "Compare with a recording"
click "before.gcspy"
wait says preview	Events
click "before.gcspy"
click "Go to the last event"
wait says Event #	11
wait says 15.5 MiB
STEPS
says "Compared with before.gcspy" difference
says "gone	–7,870	–244	2.8	byte[]	Shop.visit Shop.java:55" difference

# What a pointer cannot do, and a click too many.
printf '%s\n' 'pointer 2' 'key F3' >steps
run 1 --present none --script steps
says "steps:2: key F3: not a step of a pointer" err
printf '%s\n' 'pointer 1' 'click "?"' 'click 5 5' >steps
run 1 --present none --script steps
says "steps:3: click 5 5: one click too many" err
end
