#!/bin/sh
# Makes the pictures of docs/dlmalloc.md: docs/images/dlmalloc.sh [BUILD], of a build with -DGCSPY_DLMALLOC=ON.
# Takes some seconds. Look at each picture before committing it.
set -eu
build=$(realpath "${1:-build}")
cd "$(dirname "$0")"
PATH=$build/bin:$PATH
work=$(mktemp -d)
program=
trap 'kill $program 2>/dev/null || true; rm -rf "$work"' EXIT

# shown OPTIONS CONDITION PROGRAM…: it runs until the condition holds, and a window does the steps on standard input.
shown() {
	options=$1 condition=$2
	shift 2
	rm -f "$work/in" "$work/err"
	mkfifo "$work/in"
	PYTHONMALLOC=malloc gcspy run --allocator dlmalloc --port 0 --update 20 $options \
		"$@" <"$work/in" >/dev/null 2>"$work/err" & program=$!
	exec 3>"$work/in"
	until grep -qs "listening on" "$work/err"; do sleep 0.1; done
	address=$(sed -n 's/.*listening on //p' "$work/err")
	{
		printf '%s\n' 'wait live' 'trigger name=small most=1 when=event = malloc and Size < 128' \
			'trigger name=large most=1 when=event = malloc and Size > 65536' \
			'trigger name=address most=1 when=event = malloc and Location > 1585446912' \
			"trigger name=stop do=pause most=1 when=$condition" 'wait says Paused' 'sleep 300'
		cat
		echo quit
	} >"$work/steps"
	{
		for _ in $(seq 100); do
			gcspy trigger "$address" --list | grep '^stop' >/dev/null && break
			sleep 0.2
		done
		echo >&3
	} &
	SDL_VIDEODRIVER=dummy gcspy-view "$address" --no-settings --present none --font ttf --size 1280x800 \
		--script "$work/steps"
	exec 3>&-
	kill $program 2>/dev/null || true
	wait 2>/dev/null || true
}

# Figures 1 and 5: the groups, of a program with blocks of many sizes and ages.
shown '' 'event = malloc and Size = 100016' "$(python3 -c 'import sys; print(sys.executable)')" -c '
import random
random.seed(1)
input()
live = []
for _ in range(200000):
    if live and random.random() < 0.5:
        i = random.randrange(len(live))
        live[i] = live[-1]
        live.pop()
    else:
        live.append(bytearray(random.choice([20, 40, 60, 90, 130, 170, 300, 700, 1000, 3000])))
memoryview(bytearray(100000))' <<STEPS
select Smallbin 32 B 0
screenshot dlmalloc-groups.png
STEPS
# Figures 4, 6 and 7: the triggers; the heap where the last one fires, and without deferred coalescing.
shown '--deferred 60' 'Fragmentation(512, 524288) > 2000' gcspy-dlmalloc-coalescing 3 <<STEPS
triggers
screenshot dlmalloc-triggers.png
heap_map
select Heap 3
stream Free chunks
sleep 300
screenshot dlmalloc-deferred.png
STEPS
shown '--deferred 0' 'event = free and count = 2001' gcspy-dlmalloc-coalescing 3 <<STEPS
select Heap 3
stream Free chunks
sleep 300
screenshot dlmalloc-eager.png
STEPS
