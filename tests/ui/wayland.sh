# A real window at twice the density, through Wayland: weston, whose own screen is an X server's window.
. "$(dirname "$0")/lib.sh"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # of the libraries
for program in Xvfb xdotool weston; do
	command -v $program >/dev/null || {
		echo "skipped: the window under Wayland needs $program"
		exit 77
	}
done

start_x 2600x1700
export XDG_RUNTIME_DIR=$work
# One window fills the screen of 1280x800 units, of two pixels each.
weston --backend=x11-backend.so --use-pixman --shell=kiosk-shell.so --no-config --idle-time=0 \
	--socket=gcspy --width=1280 --height=800 --scale=2 >"$work/weston.log" 2>&1 &
started+=("$!")
screen=
has_screen() {
	screen=$(sed -n 's/.*, window id //p' "$work/weston.log")
	[ -n "$screen" ] && [ -S "$work/gcspy" ]
}
until_true 60 has_screen || {
	fail "weston does not start: $(cat "$work/weston.log")"
	end
}

start_toy 100000 30
cd "$work" || exit 1
WAYLAND_DISPLAY=gcspy SDL_VIDEODRIVER=wayland "$view" "127.0.0.1:$port" >out 2>err &
pid=$!
started+=("$pid")
xdotool windowfocus --sync "$screen" 2>/dev/null

# presses KEY COMMAND…: until the command succeeds; at first there is no window, then one without the keyboard
presses() {
	local key=$1
	shift
	for _ in $(seq 60); do
		xdotool key "$key"
		until_true 1 "$@" && return
	done
	return 1
}
check "a picture is saved: $(cat err)" presses ctrl+e has_picture
# The width and height of a PNG are the bytes 16 to 23.
size=$(od -An -tu1 -j16 -N8 "$(ls gcspy-*.png | head -n 1)" | tr -s ' ')
check "two pixels for each unit, not$size" [ "$size" = " 0 0 10 0 0 0 6 64" ]

# Every view by a click on its tab, in pixels.
while read -r x name; do
	opens_by_click "$screen" "$x" 30 "$name"
done <<-EOF
	153 Overview
	521 Leaks
	739 Call sites
	945 Flame
	1116 History
	1313 Charts
	1512 Events
	1700 Triggers
	1912 Plugins
	361 Heap
EOF

xdotool key space
rests "$pid"

xdotool key ctrl+q
wait "$pid"
check "Ctrl+Q ends it with code 0" [ $? = 0 ]
end
