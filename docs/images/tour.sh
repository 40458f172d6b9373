#!/bin/sh
# Makes tour.png, the animated tour of the README: docs/images/tour.sh [BUILD]. Needs apngasm and
# pngquant (Debian). Twenty pictures of the sample recording, two seconds each, by pointer where a
# pointer will do. Look at all of them before committing it.
set -eu
build=$(realpath "${1:-build}")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
frame=100

# take: a picture of now.
take() {
	frame=$((frame + 1))
	echo "screenshot $work/$frame.png"
}

# step TEXT...: these steps, then a picture.
step() {
	printf '%s\n' "$@"
	take
}

{
	echo wait live
	step overview 'wait says Suspect' 'wait strip'
	step 'move 560 330'
	step 'click "Show the leak"' 'wait says suspect'
	step 'key Down'
	step 'click "Call sites"' 'wait answer'
	step 'key Down'
	step 'click "Class"' 'wait answer'
	step 'click "Package"' 'wait answer'
	step 'click "Bottom-up"' 'wait answer' 'key Down' 'key *'
	step 'click "Flame"' 'wait answer' 'wait says frames'
	step 'frame Shop.visit' 'key Enter'
	step 'click "Heap"' 'select G1 regions 20'
	step 'stream Used' 'seek 12'
	step 'stream Type' 'seek 30'
	step 'seek 45' 'hover G1 regions 40'
	step 'click "History"' 'wait answer' 'wait says pixels'
	step 'click "Charts"' 'chart treemap'
	step 'click "Events"' 'seek 7'
	step 'click "Overview"' 'range 5s 20s' 'wait says Suspect'
	step 'range_clear' 'theme light'
	echo quit
} >"$work/steps"
"$build/bin/gcspy-view" ../leak.gcspy --no-settings --present none --font ttf --size 1280x800 \
	--script "$work/steps"
pngquant --ext .png --force --nofs 128 "$work"/1*.png
apngasm tour.png "$work"/101.png 2 1 -z0 >/dev/null
