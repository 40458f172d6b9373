# The visualiser at a server of 2002 (E2): old.sh VIEW TOY-SERVER. The server is the tests' own, in
# Python; the picture is looked at by people, the words are compared here.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || exit 77

# Reading from a pipe that nobody writes to keeps it alive until we close it.
mkfifo "$work/hold"
python3 -B "$here/../wire/gcspy_2002.py" 40 <"$work/hold" >"$work/old.out" 2>"$work/old.err" &
started+=($!)
exec 9>"$work/hold"
for _ in $(seq 1200); do
	port=$(sed -n 's/^listening on 127.0.0.1://p' "$work/old.out")
	[ -n "$port" ] && break
	sleep 0.05
done
[ -n "$port" ] || { cat "$work/old.err" >&2; exit 1; }

run 0 "2002:127.0.0.1:$port" --present none --events 12 --screenshot "$work/old.png" --dump
says "Live · Old server · 2002:127.0.0.1:$port"
says "Since previous event	40 ms"
says "GCspy overhead	10 ms"
says "space (active)	Fixed	120 tiles · 32K blocks"
says "space	Growing	2"
says "stream	Plus"
says "stream	Var	about "
says " of 120,000 bytes ("
says "DIRTY 40, SUMMARISED 40, CLEAN 40"
says "Collector	none"
check "there is a picture" test -s "$work/old.png"

# Its pause says nothing but that it stands; what a step and a resume do is seen from the events.
cat >"$work/steps" <<STEPS
connect 2002:127.0.0.1:$port
wait live
wait event 5
pause_resume
sleep 500
dump $work/paused
step
sleep 500
dump $work/stepped
select Growing 7
stream Cards
dump $work/selected
pause_resume
wait event 20
dump $work/running
disconnect
quit
STEPS
run 0 --present none --script "$work/steps" --size 900x600
number() {
	sed -n 's/^Event #	//p' "$work/$1"
}
says "Paused · Old server" paused
says "Paused · Old server" stepped
check "a step is one event" [ "$(number stepped)" = "$(($(number paused) + 1))" ]
says "stream shown	Cards" selected
says "tile [0x7-0x8)" selected
says "Live · Old server" running
exec 9>&-
end
