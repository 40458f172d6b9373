# The same pixels without a window, on SDL's dummy and offscreen drivers, and through both presenters.
. "$(dirname "$0")/lib.sh"
# SDL's drivers load libraries of the graphics system that never give their memory back.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"

printf 'key ?\nscreenshot %s\nquit\n' "$work/none.png" >"$work/none"
run 0 --present none --script "$work/none" --size 800x500
for driver in dummy offscreen; do
	for present in surface texture auto; do
		name=$driver-$present
		printf 'key ?\nscreenshot %s\nquit\n' "$work/$name.png" >"$work/$name"
		SDL_VIDEODRIVER=$driver timeout 60 "$view" --present $present --script "$work/$name" \
			--size 800x500 >"$work/out" 2>"$work/err"
		code=$?
		if [ $code != 0 ] && grep -q "no window" "$work/err"; then
			echo "$name: not available here"
			continue
		fi
		[ $code = 0 ] || fail "$name: code $code: $(cat "$work/err")"
		check "$name shows the same pixels" cmp "$work/none.png" "$work/$name.png"
		compared=1
	done
done
check "at least one driver works" [ "${compared:-0}" = 1 ]

# And a live run with a window on the dummy driver.
start_toy 100000 20
printf 'wait event 5\nscreenshot %s\nquit\n' "$work/live.png" >"$work/live"
SDL_VIDEODRIVER=dummy run 0 --script "$work/live" "$port"
check "a live picture" test -s "$work/live.png"
end
