# Flame graph and tables of callers against a server that is asked for call sites (S6, S8, V9): keys,
# differences, files.
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
flame_graph
wait answer
dump $work/flame
frame Handler.handle
key Enter
dump $work/zoomed
export_svg $work/flame.svg
screenshot $work/flame.png
key Backspace
sites_filter hashmap
dump $work/searched
key Escape
age_band 10 100
dump $work/ages
age_band all
sites_save $work/first.sites
key Ctrl+D
sites_refresh
wait answer
dump $work/mark
key Ctrl+D
compare $work/first.sites
wait answer
dump $work/file
call_tables
wait answer
key Down
key *
dump $work/difference
key Escape
dump $work/tables
key Shift+T
wait answer
dump $work/bottom-up
sites_group sandwich com.example.shop.http.Handler.handle
wait answer
dump $work/sandwich
key 1
wait event 3
select Heap 5
sleep 400
wait answer
dump $work/tile
key 3
wait answer
frame Sessions.open
key 1
wait answer
dump $work/tiles
quit
STEPS
says "java.lang.Thread.run;java.util.concurrent.ThreadPoolExecutor.runWorker;" flame
says "visible	no frames hidden" flame
says "zoomed	com.example.shop.http.Handler.handle" zoomed
says "matched" searched
says "Only objects aged 10 to 99 collections" ages
says "Compared with mark A" mark
says "Compared with first.sites" file
says "Compared with first.sites" difference
says "calls	Top-down	Live" tables
says "java.util.HashMap\$Node[]" tables
says "calls	Bottom-up	Live" bottom-up
says "callers of com.example.shop.http.Handler.handle" sandwich
says "callees of com.example.shop.http.Handler.handle" sandwich
says "site in tile	byte[] Arrays.copyOf" tile
says "map of call site	Sessions.open" tiles
check "picture" [ "$(head -c 4 "$work/flame.png" | tail -c 3)" = PNG ]
check "vector picture" grep -q "<svg.*Flame graph: Live, bytes\|Flame graph: Live, bytes" "$work/flame.svg"
check "profile" [ -s "$work/first.sites" ]

# Names and numbers that nobody expects, and profiles of some size: the window goes on.
script strange <<STEPS
wait live
key 3
wait answer
key Up
key End
key Enter
dump $work/strange
key 4
wait answer
key Down
key *
size 320x240
screenshot $work/strange.png
STEPS
says "flame graph	Live	bytes" strange
script many <<STEPS
wait live
key 3
wait answer
dump $work/many
key 4
wait answer
key Down
key *
dump $work/many-rows
STEPS
says "frames hidden" many
says "com.example.generated.Maker" many-rows

script none <<STEPS
wait live
key 3
wait answer
dump $work/none
STEPS
says "This program does not sample allocations" none

# In a window of SDL's dummy driver.
start_sites shop
printf 'wait live\nkey 3\nwait answer\nkey Up\nkey Up\nscreenshot %s\nquit\n' "$work/window.png" \
	>"$work/steps"
SDL_VIDEODRIVER=dummy run 0 --script "$work/steps" "127.0.0.1:$port"
check "picture of the window" [ "$(head -c 4 "$work/window.png" | tail -c 3)" = PNG ]
end
