# History graphs (V8, V9) by the program: live, and of a recording; settings, pictures, refusals.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

start_toy 100000 5
cat >steps <<STEPS
dump empty
wait live
record run.gcspy
wait event 60
history
history stream+=State
history separator=16
wait event 80
wait answer
dump live
history_settings
key Enter
history_png live.png
screenshot window.png
export_svg live.svg
wait event 400
record
wait recorded
STEPS
run 0 --present none --size 900x600 --script steps "127.0.0.1:$port"
kill "$toy_pid"
says "history	Toy heap · Used, State" live
says "event	number	seconds	events	pause ns	total of Toy heap · Used" live
says "history	separator=16" live
says "history	rows=1000" live
for picture in live window; do
	check "picture $picture" [ "$(head -c 4 $picture.png | tail -c 3)" = PNG ]
done
says "<title>Toy heap · Used, State</title>" live.svg

# All rows of a file, whatever was shown of it; a click goes there.
cat >steps <<STEPS
wait strip
first_event
wait place 1
history
wait answer
dump all
history rows=20
wait answer
dump few
history max=on
wait answer
dump newest
history max=off
history rows=1000
history smooth=5
history edges=on
history event=Collection end
wait answer
key Home
key Down
key Down
key Right
key Enter
dump cursor
history range=0.1-0.3
dump range
screenshot edges.png
key Escape
key Escape
history space=Nowhere
STEPS
run 1 --present none --size 900x600 --script steps run.gcspy
says "history space=Nowhere: No space named \"Nowhere\"" err
events=$(sed -n 's/^on the timeline	\([0-9]*\) events.*/\1/p' all)
check "events in the file: $events" [ "${events:-0}" -ge 100 ]
rows=$(grep -cE '^Collection (start|end)	[0-9]+	[0-9]+\.' all)
check "rows in sight: $rows" [ "$rows" -ge 50 ]
says " events per row, showing the largest" few
says " earlier events omitted" newest
says "cursor	" cursor
says "smoothed over 5 rows · differences from the previous row" cursor

# The event of a seek is visible; tiles, times and graphs are found; one value alone; looks.
cat >steps <<STEPS
wait strip
seek 30
wait place 30
history
wait answer
history fill=off
history tile=8
dump moment
find #90
dump found
find 0:00.1
find state
wait answer
history font=18
history low=#102030
history background=navy
dump looks
export_svg looks.svg
history defaults
history low=blau
STEPS
run 1 --present none --size 900x600 --script steps run.gcspy
says "history low=blau: expected #rrggbb, theme, black" err
grep -q "^shown time	.*	visible" moment || fail "the event of the seek is not visible"
says "cursor	" found
says "history	low=#102030" looks
says "history	font=18" looks
says "#000080" looks.svg

# The file goes on being read while the choice changes, and it may be damaged.
head -c $(($(stat -c %s run.gcspy) - 30)) run.gcspy >cut.gcspy
cat >steps <<STEPS
wait strip
first_event
wait place 1
history
history stream=State
history stream=Used
history stream=none
wait answer
dump cut
STEPS
run 0 --present none --script steps cut.gcspy
says "history	Toy heap · used or unused" cut
grep -qE '^[0-9,]+ events' cut || fail "no rows of a file that was cut short"
printf 'history\ndump nothing\n' >steps
run 0 --present none --script steps
says "No program connected" nothing

# In a window of SDL's dummy driver.
printf 'wait strip\nkey 5\nwait answer\nscreenshot dummy.png\nquit\n' >steps
SDL_VIDEODRIVER=dummy run 0 --script steps run.gcspy
check "picture of the window" [ "$(head -c 4 dummy.png | tail -c 3)" = PNG ]
end
