# Signals while a picture is being written: the old one stays, and no temporary file is left.
. "$(dirname "$0")/lib.sh"
mkdir "$work/pictures"
picture=$work/pictures/a.png

for signal in INT TERM HUP; do
	echo old >"$picture"
	# Job control, for else a shell has SIGINT ignored in the background.
	set -m
	LD_PRELOAD=$3 "$view" --present none --font block --no-settings --size 600x400 \
		--screenshot "$picture" >"$work/out" 2>"$work/err" &
	pid=$!
	set +m
	while [ "$(ls "$work/pictures")" = a.png ] && kill -0 $pid 2>/dev/null; do sleep 0.05; done
	check "SIG$signal comes before the rename" [ "$(ls "$work/pictures")" != a.png ]
	kill -$signal $pid 2>/dev/null
	wait $pid 2>/dev/null
	check "SIG$signal leaves nothing" [ "$(ls "$work/pictures")" = a.png ]
	check "SIG$signal leaves the old picture" [ "$(cat "$picture")" = old ]
done
end
