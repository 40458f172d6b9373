# A real window: keys, typed text, clicks, wheel and resizing through an X server, and sleep while idle.
. "$(dirname "$0")/lib.sh"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # of the X libraries
command -v Xvfb >/dev/null && command -v xdotool >/dev/null || exit 77

start_x 1280x800
export SDL_VIDEODRIVER=x11

start_toy 100000 30
cd "$work" || exit 1
"$view" --size 900x600 "127.0.0.1:$port" >"$work/out" 2>"$work/err" &
pid=$!
started+=("$pid")
window=
for _ in $(seq 600); do
	window=$(xdotool search --onlyvisible --name '^GCspy$' 2>/dev/null | head -n 1)
	[ -n "$window" ] && break
	sleep 0.1
done
[ -n "$window" ] || {
	fail "no window: $(cat "$work/err")"
	end
}
# There is no window manager, so the focus is given by hand.
xdotool windowfocus --sync "$window" 2>/dev/null
sleep 1

# Saves a picture by its key and waits for the whole file.
picture() {
	rm -f gcspy-*.png
	xdotool key ctrl+e
	until_true 60 has_picture
	mv gcspy-*.png "$1" 2>/dev/null || fail "no picture $1"
}

differ() {
	! cmp -s "$1" "$2"
}
# becomes BEFORE AFTER: takes pictures until there is another one than before
becomes() {
	picture "$2"
	differ "$1" "$2"
}

xdotool key 1 space
sleep 0.5
picture paused.png
xdotool key question
sleep 0.3
picture help.png
xdotool key Escape
sleep 0.2
picture back.png
xdotool mousemove --window "$window" 60 139
check "the tooltip is shown" until_true 60 becomes back.png tip.png
xdotool click 1
sleep 0.2
xdotool mousemove --window "$window" 60 400
sleep 0.3
picture clicked.png
xdotool key ctrl+k
sleep 0.2
xdotool type --delay 30 'light'
xdotool type --delay 30 ' high'
xdotool key Return
sleep 0.3
picture palette.png
xdotool key Escape F9
sleep 0.3
picture light.png
# Every view by a click on its tab; its name is in the text that the palette's dump writes.
while read -r x name; do
	opens_by_click "$window" "$x" 15 "$name"
done <<-EOF
	43 Overview
	165 Leaks
	232 Call sites
	303 Flame
	359 History
	423 Charts
	486 Events
	553 Triggers
	624 Plugins
	110 Heap
EOF
xdotool windowsize "$window" 700 500
check "the window is resized" until_true 60 becomes light.png small.png

check "help is shown" differ paused.png help.png
check "the click selects" differ back.png clicked.png
check "the palette takes text" differ clicked.png palette.png
check "the theme changes" differ clicked.png light.png

# The program under view is paused: from now on nothing happens, once the window has come to rest.
rests "$pid"

# large FILE: it has some events
large() {
	[ -f "$1" ] && [ "$(stat -c %s "$1")" -gt 8000 ]
}

# A recording by keys: made of the live program, opened, and moved by clicks on its strip (F22).
xdotool windowsize "$window" 900 600
xdotool key space
xdotool key ctrl+r
until_true 60 large gcspy-*.gcspy
xdotool key ctrl+r
recording=$(ls gcspy-*.gcspy 2>/dev/null | head -n 1)
check "Ctrl+R has written a file" [ -s "${recording:-/nowhere}" ]
xdotool key ctrl+l
sleep 0.2
xdotool key ctrl+a
xdotool type --delay 30 "$recording"
xdotool key Return
# The event that is shown; and asked for until it stays.
shown() {
	dump && sed -n 's/^recording\tevent \([0-9]*\) of .*/\1/p' out | tail -n 1
}
place() {
	local last=none now= same=0
	while [ "$same" -lt 2 ]; do
		last=$now
		now=$(shown) || break
		[ -n "$now" ] && [ "$now" = "$last" ] && same=$((same + 1)) || same=0
	done
	echo "$now"
}
shows_event() {
	[ "$(shown)" = "$1" ]
}
# The timeline has every event: before that, places on it still move.
events() {
	sed -n 's/^recording\tevent [0-9]* of \([0-9]*\).*/\1/p' "$work/out" | tail -n 1
}
whole() {
	local all on
	all=$(events)
	on=$(sed -n 's/^on the timeline\t\([0-9]*\) events/\1/p' "$work/out" | tail -n 1)
	[ -n "$all" ] && [ "$all" = "$on" ]
}
opened=$(place)
for _ in $(seq 100); do
	whole && break
	opened=$(place)
done
check "the timeline has every event" whole
xdotool mousemove --window "$window" 600 530
sleep 0.2
xdotool mousedown 1
xdotool mousemove --window "$window" 700 530
sleep 0.2
xdotool mouseup 1
dragged=$(place)
xdotool mousemove --window "$window" 700 530 click 1
# The first event may be long before the others, as the program was paused: then 700 is in that gap.
if [ "${dragged:-0}" -gt 3 ]; then
	xdotool key Left Left
	moved=$((dragged - 2))
else
	xdotool key Right Right
	moved=$((dragged + 2))
fi
echo "shown: $opened, dragged to $dragged"
check "it opens at the last event" [ "$opened" = "$(events)" ]
check "the timeline moves it" [ "${dragged:-$opened}" != "$opened" ]
# Each try asks the window, which takes a second or more.
check "the keys move it" until_true 1 shows_event "$moved"

xdotool key ctrl+q
wait "$pid"
check "Ctrl+Q ends it with code 0" [ $? = 0 ]
end
