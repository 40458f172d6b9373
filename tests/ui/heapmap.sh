# The heap map as a user works with it, in the real program on a toy heap (V1, V2, V4 to V6, V9).
. "$(dirname "$0")/lib.sh"
start_toy 100000 30

cat >"$work/steps" <<STEPS
wait live
wait event 2
split State
dump $work/split
split off
expression Used / 4K * 100 %
select Toy heap 5
wait event 3
dump $work/expression
key Y
dump $work/ordered
stream Used
order address
mark 3 12
mark_remove 5 5
dump $work/marked
clear_markers
drag left 40 135 200 135 shift
dump $work/dragged
key V
recency
wait event 6
screenshot $work/fading.png
dump $work/fading
key Shift+M
columns 8
wait event 7
dump $work/columns
key W
key W
key F
key F
key D
key A
drag middle 300 300 200 200
key 0
key Shift+Y
screenshot $work/summary.png
key Escape
key J
dump $work/pinned
key Shift+J
dump $work/hidden
show_hidden
find toy
key Ctrl+F
type State
key Enter
dump $work/found
key X
type Used %
key Escape
stream
key Escape
screenshot $work/end.png
quit
STEPS
run 0 --present none --size 900x600 --script "$work/steps" "127.0.0.1:$port"
says "part 2 of each tile	State" split
says "expression shown	Used / 4K * 100 %" expression
says "value	" expression
says "descending · Used / 4K" ordered
says "tile " ordered
says "marked	9" marked
says "marked Used	" marked
says "marked	" dragged
says "fading	" fading
check "eight columns" [ "$(grep -c '^  |........|$' "$work/columns")" = 8 ]
says "pinned" pinned
says "1 hidden: Toy heap" hidden
says "stream shown	State" found
for picture in fading summary end; do
	check "picture $picture" [ "$(head -c 4 "$work/$picture.png" | tail -c 3)" = PNG ]
done

# What is wrong is said in one line that names the place.
printf 'wait live\nexpression Used / Capacity\n' >"$work/steps"
run 1 --present none --script "$work/steps" "127.0.0.1:$port"
says 'expression, column 8: this space has no stream "Capacity"' err
printf 'wait live\ncolumns 9999\n' >"$work/steps"
run 1 --present none --script "$work/steps" "127.0.0.1:$port"
says "expected 0 (as many as fit) to 4096" err
end
