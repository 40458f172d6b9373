# The windows of the original and what the window keeps: filters that thin what comes (V3, F9),
# settings that come back, the lists of recent ones, files dropped on the window.
. "$(dirname "$0")/lib.sh"
gcspy=$3
conf=$work/view.conf
cd "$work" || exit 1

# script [OPTIONS…]: runs the steps of the standard input with the settings of this test.
script() {
	cat >"$work/steps"
	run 0 --settings "$conf" --script "$work/steps" "$@"
}

# count NAME FILE: the counter of an event in a dump, that is: what the server counted.
count() {
	sed -n "s/^count of $1	//p" "$2" | tr -d ,
}

# received FILE: how many events came, by the list of the view.
received() {
	sed -n 's/^Latest events	\([0-9]*\).*/\1/p' "$1"
}

# Of some 50 events a second of each kind the server sends what is asked.
start_toy 100000 20
script --present none "127.0.0.1:$port" <<STEPS
wait live
events
disable_events
filter Collection start enabled=yes period=10
sleep 300
dump before
sleep 1500
dump after
default_filters
wait more 40
dump all
clear_delays
select Toy heap 3
theme light
colours cividis
layout_save evening
size 900x600
heap_map
go_back
STEPS
happened=$(($(count "Collection start" after) - $(count "Collection start" before)))
came=$(($(received after) - $(received before)))
echo "filtered: $happened collections began, $came events came"
check "the program went on" [ "$happened" -ge 20 ]
check "one of ten came" [ "$came" -ge $((happened / 10 - 3)) ] && [ "$came" -le $((happened / 10 + 3)) ]
says "Collection start	" after
says "	yes	0 ms	no	10	" after
says "	no	0 ms	no	1	" after
more=$(($(received all) - $(received after)))
echo "after Defaults: $more events came"
check "all come again" [ "$more" -ge 20 ]
says "timer	Compensation: GCspy overhead" all

# A filter that pauses, and one that delays.
script --present none "127.0.0.1:$port" <<STEPS
wait live
filter Collection end pause=yes
wait says Paused
dump held
clear_pauses
pause_resume
filter Collection start delay=300
sleep 400
dump slow
sleep 1500
dump slower
STEPS
says "Paused" held
slow=$(($(count "Collection start" slower) - $(count "Collection start" slow)))
echo "with a delay of 300 ms: $slow collections in 1.5 s"
check "the delay holds the program up" [ "$slow" -le 8 ]

# Wrong values are one line.
printf 'wait live\nfilter Collection end delay=10001\n' >steps
run 1 --present none --script steps "127.0.0.1:$port"
says "delay 10001: expected 0 to 10,000 ms" err

# The window comes back as it was, with the list of where it was; a script alone has no settings.
says "theme = light" view.conf
says "colours = cividis" view.conf
says "window = 900x600" view.conf
says "view = events" view.conf
script --present none <<STEPS
dump again
screenshot again.png
theme dark
layout_use evening
STEPS
says "no snapshot" again
says "recent	server	127.0.0.1:$port" again
check "size of the window: $(file again.png 2>/dev/null)" \
	[ "$(od -An -tu1 -j18 -N2 again.png | awk '{print $1 * 256 + $2}')" = 900 ]
printf 'dump none\n' >steps
run 0 --present none --script steps
check "a script is not changed by settings" [ "$(grep -c recent none)" = 0 ]
check "nor does it make any" [ ! -e "$XDG_CONFIG_HOME" ]

# The usual place, in a window that a user has before him, ended by a signal to its own process.
SDL_VIDEODRIVER=dummy "$view" "127.0.0.1:$port" 2>err &
pid=$!
started+=("$pid")
for _ in $(seq 600); do
	grep -qs "127.0.0.1:$port" "$XDG_CONFIG_HOME/gcspy/view.conf" && break
	sleep 0.1
done
kill "$pid"
wait "$pid"
check "written while it runs" grep -q "^recent_address = .* 127.0.0.1:$port" \
	"$XDG_CONFIG_HOME/gcspy/view.conf"
check "for the user alone" [ "$(stat -c %a "$XDG_CONFIG_HOME/gcspy/view.conf")" = 600 ]

# What was chosen in the views, for all programs and for this one, is there again: the same pictures.
kept=$work/kept.conf
timeout 100 "$gcspy" record "127.0.0.1:$port" -o kept.gcspy --events 30 >out 2>err ||
	fail "gcspy record: $(cat err)"
look() {
	cat <<STEPS
heap_map
sleep 100
screenshot $1-heap.png
dump $1-heap
history
wait answer
screenshot $1-history.png
dump $1-history
charts
screenshot $1-charts.png
dump $1-charts
STEPS
}
(
	cat <<STEPS
wait strip
first_event
wait place 1
select Toy heap 3
stream State
split
order falling
columns 40
layout proportional
history stream=Used
history smooth=3
history tile=4
history prefix=50 % /
chart_add Used
heap_map
pin
back
expression Used * 100 / 4096 %
layout_save kept
sleep 4500
STEPS
	look first
) >steps
run 0 --settings "$kept" --present none --font block --script steps kept.gcspy
(
	printf 'wait strip\nfirst_event\nwait place 1\nsleep 100\n'
	look second
) >steps
run 0 --settings "$kept" --present none --font block --script steps kept.gcspy
for part in heap history charts; do
	check "$part again" cmp "first-$part.png" "second-$part.png"
	check "$part again" diff "first-$part" "second-$part"
done
says "space Toy heap; chart_add Used" kept.conf
says "history.prefix = 50 %25 /" kept.conf

# Broken settings: one line, and the window works.
printf 'theme = light\nwhat\n\001\002\n' >broken.conf
printf 'dump broken\n' >steps
run 0 --present none --settings broken.conf --script steps
says "broken.conf:2: expected KEY = VALUE; 2 lines ignored" err
says "message	broken.conf:2:" broken

# Dropped files, by the event of the window system: a recording, a name with blanks and more, a text.
timeout 100 "$gcspy" record "127.0.0.1:$port" -o plain.gcspy --events 20 >out 2>err ||
	fail "gcspy record: $(cat err)"
cp plain.gcspy "$work/with blanks и ü 文.gcspy"
echo "no recording" >notes.txt
SDL_VIDEODRIVER=dummy script "127.0.0.1:$port" <<STEPS
wait live
drop $work/notes.txt
wait says not a GCspy recording
dump text
drop $work/plain.gcspy
wait says recording plain.gcspy
wait place 20
dump plain
drop $work/with blanks и ü 文.gcspy
wait says recording with blanks
wait place 20
dump unicode
drop /nowhere/at/all
wait says No such file
dump missing
quit
STEPS
says "Live · Toy server" text
says "message	notes.txt: not a GCspy recording (*.gcspy)" text
says "recording plain.gcspy" plain
says "recording with blanks и ü 文.gcspy" unicode
says "message	all: No such file or directory" missing
says "recording with blanks" missing
says "recent_file = " view.conf
says "/with blanks и ü 文.gcspy" view.conf

# The sample recording of the empty window.
script --present none <<STEPS
open_sample
wait place 49
wait says Suspect: Shop.visit
dump sample
leaks
wait says suspect
dump suspects
leaks class
wait says byte[]
dump classes
quit
STEPS
says "recording leak.gcspy" sample
says "finding	Suspect: Shop.visit (Shop.java:55) keeps 122 MiB/min more" sample
says "suspect	Shop.visit:55 Shop.java" suspects
says "suspect	byte[]" classes
end
