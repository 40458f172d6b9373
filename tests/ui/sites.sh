# The view of call sites against a server that is asked for them (S6): every state, keys, files.
. "$(dirname "$0")/lib.sh"
sites=$3

# script MODE: runs the steps of the standard input against a server of that mode.
script() {
	start_sites "$1"
	cat >"$work/steps"
	run 0 --present none --size 1000x700 --script "$work/steps" "127.0.0.1:$port"
	kill "$server_pid"
}

script shop <<STEPS
wait live
call_sites
wait answer
tile_down
dump $work/live
sites_save $work/live.sites
sites_kind allocated
wait answer
dump $work/allocated
sites_filter thread:http
dump $work/filtered
key Escape
key Right
wait answer
sites_sort class
sites_reverse
sites_plumbing
key Down
screenshot $work/sites.png
dump $work/sorted
key 1
dump $work/heap
quit
STEPS
says "call sites	Live" live
says "Sampling	every 512 KiB" live
says "12 dropped (memory budget)" live
says "HashMap\$Node[] java.util	HashMap.resize HashMap.java:702" live
says "call site	byte[]" live
says "frame	java.util.Arrays.copyOf	Arrays.java:3537" live
says "call sites	Allocated" allocated
says "survival 1	" allocated
says "filter	thread:http	10 sites" filtered
says "call site	byte[]" allocated
says "space (active)	Heap	96 tiles" heap
check "picture" [ "$(head -c 4 "$work/sites.png" | tail -c 3)" = PNG ]
check "magic of the file" [ "$(head -c 8 "$work/live.sites")" = GCSPROF1 ]

# with_libraries FILE OPTIONS…: the view of call sites in FILE, with the settings of this test and
# the steps of the standard input before.
with_libraries() {
	local file=$1
	shift
	start_sites shop
	{
		printf 'wait live\n'
		cat
		printf 'call_sites\nwait answer\ndump %s\n' "$file"
	} >"$work/steps"
	run 0 --present none --size 1000x700 --settings "$work/libraries.conf" --script "$work/steps" \
		"$@" "127.0.0.1:$port"
	kill "$server_pid"
}
own="Order.addItem:118"
caller="OrderReader.run:30"

# The first frame outside the JDK and libraries, which the settings keep (S8).
with_libraries "$work/none" </dev/null
says "$own" none
check "no caller" [ "$(grep -cF "$caller" "$work/none")" = 0 ]
with_libraries "$work/option" --library com.example.shop.model. --library org.hibernate. </dev/null
says "$caller" option
check "no library" [ "$(grep -cF "$own" "$work/option")" = 0 ]
check "the settings keep it" \
	grep -qx "sites.library = com.example.shop.model. org.hibernate." "$work/libraries.conf"
with_libraries "$work/kept" </dev/null
says "$caller" kept
# The option goes before the settings.
with_libraries "$work/other" --library org.w3c. </dev/null
says "$own" other
check "the settings have the other" grep -qx "sites.library = org.w3c." "$work/libraries.conf"
with_libraries "$work/command" <<<"library com.example.shop.model."
says "$caller" command
with_libraries "$work/forgotten" <<<"library none"
says "$own" forgotten
with_libraries "$work/still" </dev/null
says "$own" still

# From a tile to its call sites and back (S8).
script shop <<STEPS
wait live
wait event 1
select Heap 5
key C
wait answer
dump $work/of-tile
tile_down
key T
wait answer
dump $work/tiles
screenshot $work/tiles.png
key Escape
dump $work/streams
STEPS
says "Only objects in 0x15000" of-tile
says "HashMap\$Node[]" of-tile
says "map of call site	byte[] from Arrays.copyOf" tiles
says "Tiles	2" tiles
says "In the selected tile	1 KiB  25.0 %" tiles
says "|.....3.9." tiles
check "streams are shown again" [ "$(grep -c "map of call site" "$work/streams")" = 0 ]
check "picture of the tiles" [ "$(head -c 4 "$work/tiles.png" | tail -c 3)" = PNG ]

script off <<STEPS
wait live
call_sites
wait answer
dump $work/off
key E
wait answer
dump $work/on
sites_sample 0
wait answer
dump $work/off-again
STEPS
says "Sampling is off" off
says "call sites	Live" on
says "HashMap\$Node[]" on
says "Sampling is off" off-again
check "no figures of before" [ -z "$(grep -F "HashMap" off-again)" ]

script empty <<STEPS
wait live
call_sites
wait answer
dump $work/empty
STEPS
says "No samples yet" empty

script none <<STEPS
wait live
call_sites
wait answer
dump $work/none
sites_sample 64k
STEPS
says "This program does not sample allocations" none

script strange <<STEPS
wait live
call_sites
wait answer
tile_down
dump $work/strange
size 320x240
key Down
key PageDown
sites_sort frame
screenshot $work/strange.png
STEPS
says "two?lines?and?more" strange
says "1.00e+300" strange

script broken <<STEPS
wait live
call_sites
wait answer
dump $work/broken
sites_refresh
wait answer
STEPS
says "No call sites" broken

# The window works on while an answer is awaited; a question never answered is the only one.
script silent <<STEPS
wait live
call_sites
sleep 200
dump $work/silent
sites_refresh
wait event 3
heap_map
dump $work/silent-heap
STEPS
says "Loading call sites" silent
says "space (active)	Heap" silent-heap

script many <<STEPS
wait live
call_sites
wait answer
tile_last
sites_filter Maker77
wait answer
dump $work/many
STEPS
says "of bytes" many
says "Maker77.make" many

# A source that is older than questions, or has none: the toy server.
start_toy 100000 50
printf 'wait live\ncall_sites\nwait answer\ndump %s\n' "$work/toy" >"$work/steps"
run 0 --present none --script "$work/steps" "127.0.0.1:$port"
says "This program does not sample allocations" toy

# The last data stay when the server goes away.
start_sites shop
cat >"$work/steps" <<STEPS
wait live
call_sites
wait answer
wait lost
dump $work/lost
STEPS
"$view" --present none --script "$work/steps" "127.0.0.1:$port" 2>"$work/err" &
pid=$!
started+=("$pid")
sleep 1
kill "$server_pid"
wait "$pid" || fail "the script over a lost connection: $(cat "$work/err")"
says "Not connected, showing the last data" lost
says "HashMap\$Node[]" lost

# In a window of SDL's dummy driver.
start_sites shop
printf 'wait live\nkey 2\nwait answer\nkey Down\nkey Down\nscreenshot %s\nquit\n' "$work/window.png" \
	>"$work/steps"
SDL_VIDEODRIVER=dummy run 0 --script "$work/steps" "127.0.0.1:$port"
check "picture of the window" [ "$(head -c 4 "$work/window.png" | tail -c 3)" = PNG ]
end
