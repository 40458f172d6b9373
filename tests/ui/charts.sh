# The charts of a space against the toy server (V9, V10): each as text and picture, keys, files.
. "$(dirname "$0")/lib.sh"

start_toy 100000 20
cat >"$work/steps" <<STEPS
wait live
wait event 3
charts
stream Used
key Right
dump $work/bars
export_svg $work/bars.svg
key Shift+K
key Up
key Right
dump $work/histogram
export_svg $work/histogram.svg
key Shift+K
key Shift+N
dump $work/line
export_svg $work/line.svg
key Shift+K
key Shift+X
dump $work/scatter
export_svg $work/scatter.svg
key Shift+K
dump $work/treemap
export_svg $work/treemap.svg
key Shift+K
sites_sort Used
key Down
dump $work/table
sites_filter 17
dump $work/filtered
key Escape
key Shift+K
dump $work/fragmentation
chart bars
wait event 40
hover Toy heap 5
screenshot $work/charts.png
size 400x300
screenshot $work/small.png
heap_map
dump $work/heap
quit
STEPS
run 0 --present none --size 1000x700 --script "$work/steps" "127.0.0.1:$port"
says "Used of Toy heap in tile order" bars
says "64 tiles" bars
says "Block 5	" bars
says "active space	Toy heap" bars
says "Distribution of Used in Toy heap" histogram
says "median " histogram
says "number 2 is selected" histogram
says "line 1	Used" line
says "message	This space has no other stream that forms a line" line # State has categories
says "(y) against" scatter
says "correlation" scatter # after a collection all values are one: "no correlation: …"
says "space	Toy heap	256 KiB	100.0 %" treemap
says "Block	Used	State" table
says "17" filtered
check "rows of the filter" [ "$(grep -c '^Block 17	' "$work/filtered")" = 1 ]
says "This space does not expose free memory" fragmentation
says "not in use" fragmentation
says "space (active)	Toy heap" heap
for chart in bars histogram line scatter treemap; do
	check "vector picture of $chart" [ "$(head -c 5 "$work/$chart.svg")" = "<svg " ]
	check "its end" [ "$(tail -n 1 "$work/$chart.svg")" = "</svg>" ]
done
for picture in charts small; do
	check "picture $picture" [ "$(head -c 4 "$work/$picture.png" | tail -c 3)" = PNG ]
done

# A table has rows, and no vector picture; an unknown chart is named.
printf 'wait live\nwait event 1\nchart table\nexport_svg %s\n' "$work/table.svg" >"$work/steps"
run 1 --present none --script "$work/steps" "127.0.0.1:$port"
says "cannot be saved as SVG" err
printf 'wait live\nwait event 1\nchart pie\n' >"$work/steps"
run 1 --present none --script "$work/steps" "127.0.0.1:$port"
says 'unknown chart "pie"' err

# Without a connection, and when it is lost the last picture stays.
printf 'charts\nchart scatter\ndump %s\n' "$work/none" >"$work/steps"
run 0 --present none --script "$work/steps"
says "No program connected" none
cat >"$work/steps" <<STEPS
wait live
wait event 2
chart line
wait lost
dump $work/lost
STEPS
"$view" --present none --script "$work/steps" "127.0.0.1:$port" 2>"$work/err" &
pid=$!
started+=("$pid")
sleep 1
kill "$toy_pid"
wait "$pid" || fail "the script over a lost connection: $(cat "$work/err")"
says "line 1	Used" lost
end
