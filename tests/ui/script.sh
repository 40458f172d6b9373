# A script drives the window against a live server: every kind of step, and the failures.
. "$(dirname "$0")/lib.sh"
start_toy 100000 20

cat >"$work/steps" <<STEPS
# The whole way from an empty window to a lost connection.
dump $work/empty
connect 127.0.0.1:$port
wait live
wait event 5
pause_resume
sleep 300
dump $work/paused
stream State
select Toy heap 7
dump $work/selected
hover Toy heap 9
screenshot $work/tip.png
key ?
screenshot $work/help.png
key Escape
key Ctrl+K
type light
key Enter
step
sleep 300
pause_resume
wait event 8
theme contrast
size 640x480
screenshot $work/small.png
copy
disconnect
dump $work/gone
reconnect
wait event 12
quit
STEPS
run 0 --present none --script "$work/steps" --size 900x600

says "Not connected" empty
says "no snapshot" empty
says "Paused · Toy server · 127.0.0.1:$port" paused
says "space (active)	Toy heap	64 tiles" paused
says "stream shown	Used" paused
says "stream shown	State" selected
says "tile Block 7" selected
says "Not connected · last snapshot" gone
says "space (active)	Toy heap" gone
for picture in tip help small; do
	check "picture $picture" [ "$(head -c 4 "$work/$picture.png" | tail -c 3)" = PNG ]
done

printf 'wait live\nselect Toy heap 99\n' >"$work/bad"
run 1 --present none --script "$work/bad" "127.0.0.1:$port"
says "$work/bad:2: select Toy heap 99: Toy heap has no tile 99" err
printf '\nfly\n' >"$work/bad"
run 1 --present none --script "$work/bad"
says "$work/bad:2: fly: unknown step" err

# A picture is saved then too, but the exit code is that of the script.
printf 'wait live\nseek nowhere\n' >"$work/bad"
run 1 --present none --script "$work/bad" --screenshot "$work/bad.png" "127.0.0.1:$port"
says "$work/bad:2: seek nowhere: " err
check "picture of a failure" [ "$(head -c 4 "$work/bad.png" | tail -c 3)" = PNG ]

# Unattended: exits after N events, or after the first picture.
run 0 --present none --events 10 --dump "127.0.0.1:$port"
says "Live · Toy server"
run 0 --present none --screenshot "$work/first.png" --dump "$port"
says "space (active)	Toy heap"

# The picture stays when the server goes away, and comes back with it.
cat >"$work/steps" <<STEPS
wait event 3
wait lost
dump $work/lost
quit
STEPS
"$view" --present none --script "$work/steps" "127.0.0.1:$port" 2>"$work/err" &
pid=$!
started+=("$pid")
sleep 1
kill "$toy_pid"
wait "$pid" || fail "the script over a lost connection: $(cat "$work/err")"
says "Connection lost, retrying · last snapshot" lost
says "space (active)	Toy heap" lost
end
