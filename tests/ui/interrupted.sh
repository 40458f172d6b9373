# Signals while a picture is being written: the old one stays, and no temporary file is left.
. "$(dirname "$0")/lib.sh"
mkdir "$work/pictures"
picture=$work/pictures/a.png

for signal in INT TERM HUP; do
	caught=0
	for _ in $(seq 20); do
		echo old >"$picture"
		# Job control, for else a shell has SIGINT ignored in the background.
		set -m
		"$view" --present none --font block --no-settings --size 6000x4000 \
			--screenshot "$picture" >"$work/out" 2>"$work/err" &
		pid=$!
		set +m
		while [ "$(ls "$work/pictures")" = a.png ] && kill -0 $pid 2>/dev/null; do :; done
		kill -$signal $pid 2>/dev/null
		wait $pid 2>/dev/null
		check "SIG$signal leaves nothing" [ "$(ls "$work/pictures")" = a.png ]
		rm -f "$picture".*
		[ "$(head -c 3 "$picture")" = old ] && caught=1 && break
	done
	check "SIG$signal came while the picture was being written" [ $caught = 1 ]
done
end
