#!/usr/bin/env bash
# gcspy-train as users call it (R1, R3): help, errors in one line, its address, a client, how it ends, figures.
#
#   program.sh GCSPY-TRAIN GCSPY [GCSPY-VIEW]
set -u
train=$1 gcspy=$2 view=${3:-}
out=$(mktemp -d)
pid=
trap 'kill -9 $pid 2>/dev/null; wait 2>/dev/null; rm -rf "$out"' EXIT
cd "$out" || exit 1

fail() {
	echo "program: $1" >&2
	tail -n 20 "$out"/*.out "$out"/*.err >&2
	exit 1
}

# rejected OPTION… TEXT: it ends with 2, and one line that has the text.
rejected() {
	local text=${*: -1}
	"$train" "${@:1:$#-1}" >r.out 2>r.err
	[ $? -eq 2 ] || fail "$* did not end with 2"
	[ "$(wc -l <r.err)" -eq 1 ] && grep -qF "gcspy-train: $text" r.err || fail "$*: $(cat r.err)"
}

# started OPTION…: it runs, and its address is in $address.
started() {
	"$train" "$@" >s.out 2>s.err &
	pid=$!
	for _ in $(seq 600); do
		address=$(sed -n 's/^listening on //p' s.out)
		[ -n "$address" ] && return
		sleep 0.1
	done
	fail "no address"
}

"$train" --help >h.out || fail "--help"
for option in mutator port record pace verify regions; do
	grep -q "^  --$option " h.out || fail "help has no $option"
done
rejected --mutator nothing 'unknown mutator "nothing"; available: gcold, pretzel,'
# Defaults are the mutator's.
grep -q '^  --rate X .*; default 2$' h.out || fail "no default of the first mutator"
"$train" --mutator pretzel --help >p.out
grep -q '^  --rate X .*; default 4$' p.out || fail "another's default"
rejected --colour red 'unknown option "--colour"; see gcspy-train --help'
rejected --regions 'option regions needs a value'
rejected regions=many 'regions=many: expected a whole number, 16 to 65536'
rejected port=0 popular-car=1000 'a popular car has 512 bytes to 32 KiB, a power of two'
rejected verify=1 'option verify has not a value'

# It runs until its mutator has finished, without a client, and says what it has done.
"$train" port=-1 size=5 steps=3 --verify --record run.gcspy >e.out 2>e.err || fail "a short run"
grep -q '^gcold: ' e.out && [ ! -s e.err ] || fail "no summary"
"$gcspy" stats run.gcspy >stats.out || fail "the recording cannot be read"
grep -q 'Train GC end' stats.out || fail "the recording has no steps"

# A full disk, here the limit of a file's size: one line, status 1, and what was written can be read.
(trap '' XFSZ; ulimit -f 400; exec "$train" port=-1 pace=0 --mutator db record=disk.gcspy >disk.out 2>disk.err)
[ $? -eq 1 ] && [ "$(wc -l <disk.err)" -eq 1 ] || fail "a full disk"
grep -q '^gcspy-train: disk.gcspy: File too large' disk.err || fail "a full disk says: $(cat disk.err)"
"$gcspy" stats disk.gcspy >stats.out || fail "what was recorded cannot be read"

# A file that is there is left alone.
cp run.gcspy before.gcspy
rejected port=-1 size=5 steps=3 record=run.gcspy 'run.gcspy: File exists'
cmp -s run.gcspy before.gcspy || fail "the recording was overwritten"

# Its results are checked: these are the published numbers of paraffins.
"$train" port=-1 --mutator paraffins --size 15 --steps 5 >p.out 2>p.err || fail "paraffins"

# Full: one line, status 1.
"$train" port=-1 --mutator gcold --regions 32 >f.out 2>f.err
[ $? -eq 1 ] && [ "$(wc -l <f.err)" -eq 1 ] || fail "a full heap"
grep -q '^gcspy-train: old generation full: 32 regions' f.err || fail "a full heap says: $(cat f.err)"

# A client sees all spaces; a signal ends it, also while a client holds it.
started port=0 --wait
"$gcspy" dump "$address" --events 2 >d.out 2>d.err || fail "dump"
for space in 'Young generation' Trains Cars Regions; do
	grep -q "^$space: " d.out || fail "no space $space"
done
# A region in blocks (F16).
start=$("$gcspy" dump "$address" --space Regions --values --events 1 | sed -n '/^  Start/,$s/.*\(0x[0-9a-f]*\).*/\1/p' | head -n1)
"$gcspy" dump "$address" --zoom "$start-$(printf '0x%x' $((start + 65536)))" --block 4096 \
	>z.out 2>z.err || fail "zoom: $(cat z.err)"
grep -q '^Regions 0x[0-9a-fx-]* at 4 KiB: 16 tiles' z.out || fail "no zoom: $(cat z.out)"
kill -TERM $pid
wait $pid || fail "it ended with $? after SIGTERM"
[ ! -s s.err ] || fail "it complained after SIGTERM"

started port=-1 socket=train.sock pace=20 --wait
"$gcspy" pause "$address" --seconds 600 </dev/null >w.out 2>w.err &
holder=$!
until "$gcspy" info "$address" 2>/dev/null | grep -q 'Program *paused'; do
	kill -0 $pid || fail "it ended by itself"
	sleep 0.1
done
kill -INT $pid
wait $pid || fail "it ended with $? after SIGINT while paused"
kill $holder 2>/dev/null
wait $holder 2>/dev/null

# Figures: drawn by the visualiser, in one command.
rejected --figure 4 -o f.png 'figure=4: expected a whole number, 5 to 9'
rejected --figure 7 'a figure needs -o FILE, and cannot be recorded'
rejected --figure 7 -o f.png record=f.gcspy 'a figure needs -o FILE, and cannot be recorded'
rejected --figure 7 -o f.png young=1 'young=1: expected bytes'

is_png() {
	[ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "$1 is no PNG"
}

# Far from GCspy's other programs, one line says what is missing; so it does when drawing fails.
mkdir far near tmp
export TMPDIR=$out/tmp
cp "$train" far/gcspy-train
LD_LIBRARY_PATH=$(dirname "$train")/../lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
PATH=$out/near "$out/far/gcspy-train" --figure 7 -o n.png size=20 steps=2 >n.out 2>n.err
[ $? -eq 1 ] && grep -qxF 'gcspy-train: gcspy-view is neither beside gcspy-train nor in PATH' n.err ||
	fail "no viewer: $(cat n.err)"
printf '#!/bin/sh\nexit 3\n' >near/gcspy-view
chmod +x near/gcspy-view
PATH=$out/near:$PATH "$out/far/gcspy-train" --figure 7 -o n.png size=20 steps=2 >n.out 2>n.err
[ $? -eq 1 ] && grep -qxF "gcspy-train: $out/near/gcspy-view could not draw the figure" n.err ||
	fail "a viewer that fails: $(cat n.err)"
[ ! -e n.png ] && [ -z "$(ls tmp)" ] || fail "files are left behind"

if [ -n "$view" ]; then
	mkdir 'a folder'
	"$train" --figure 7 -o 'a folder/f7.png' size=60 steps=5 >n.out 2>n.err || fail "figure 7"
	is_png 'a folder/f7.png'
	rm near/gcspy-view && ln -s "$view" near/gcspy-view
	PATH=$out/near:$PATH "$out/far/gcspy-train" --figure 9 -o f9.png size=15 steps=20 >n.out 2>n.err ||
		fail "figure 9, with the visualiser in PATH"
	is_png f9-top.png
	is_png f9-bottom.png
	cmp -s f9-top.png f9-bottom.png && fail "popular objects and coarsening change nothing"
	"$train" --figure 8 -o /nowhere/f8.png size=3 >n.out 2>n.err
	[ $? -eq 1 ] && grep -q '^gcspy-train: cannot write /nowhere/f8.png: ' n.err ||
		fail "a folder that does not exist: $(cat n.err)"
	[ -z "$(ls tmp)" ] || fail "files are left behind"
fi
exit 0
