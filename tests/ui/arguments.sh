# Arguments, exit codes, and what the program says when something is wrong.
. "$(dirname "$0")/lib.sh"

run 0 --help
says "Usage: gcspy-view [PID | HOST:PORT | PORT | HOST:PORT/TARGET | unix:PATH | FILE] [options]"
run 0 --version
says "gcspy-view 0."
run 0 --list-keys
check "docs/keys.md is the output of --list-keys" cmp "$work/out" "$here/../../docs/keys.md"

run 2 --size 10
says "gcspy-view: --size 10: expected WIDTHxHEIGHT from 320x200 to 16384x16384" err
check "one line" [ "$(wc -l <"$work/err")" = 1 ]
for scale in 20 0.4 400 200x 350% %; do
	run 2 --scale $scale
	says "gcspy-view: --scale $scale: expected 0.5 to 3, or 50% to 300%" err
done
for scale in 2 200 200%; do
	run 0 --present none --font block --size 320x200 --scale $scale --screenshot "$work/s$scale.png"
	check "--scale $scale is 2" cmp "$work/s2.png" "$work/s$scale.png"
done
run 2 --dump=everything
says "gcspy-view: --dump everything: expected view, summary, tiles or stacks" err
run 2 --library "org.apache. org.w3c."
says "gcspy-view: --library org.apache. org.w3c.: expected the beginning of class names, such as" err
run 2 --library ""
says "expected the beginning of class names" err
run 2 $(printf -- '--library p%d. ' $(seq 33))
says "gcspy-view: --library p33.: expected at most 32 of them" err
run 0 --version $(printf -- '--library p%d. ' $(seq 32))
run 2 --at 5
says "gcspy-view: --at 5: requires a recording" err
run 2 --frobnicate
says "gcspy-view: --frobnicate: unknown option; --help lists them" err
run 2 --present none nonsense:address:1
check "one line" [ "$(wc -l <"$work/err")" = 1 ]
# Where nobody would see the window (SDL may draw into memory, or find no way at all).
(
	unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER
	run 1 --no-settings 127.0.0.1:1
	check "without a display one is told" grep -qE '^gcspy-view: no (display|window): ' "$work/err"
	exit "$failures"
) || failures=$?
run 2 --present none --script "$work/missing"
says "script $work/missing: No such file or directory" err
run 2 --present none --token-file "$work/missing" 127.0.0.1:1
says "cannot read token file $work/missing: No such file or directory" err
: >"$work/empty"
run 2 --present none --token-file "$work/empty" 127.0.0.1:1
says "token file $work/empty: the first line must have 1 to 255 bytes" err
mkfifo "$work/fifo"
run 2 --present none --token-file "$work/fifo" 127.0.0.1:1
says "token file $work/fifo: not a regular file" err
echo secret >"$work/token" && chmod 644 "$work/token"
run 1 --present none --dump --token-file "$work/token" 127.0.0.1:1
says "gcspy-view: warning: other users can read the token in $work/token" err

# Nobody listens on port 1.
run 1 --present none --dump 127.0.0.1:1
says "gcspy-view: cannot connect to 127.0.0.1:1" err
says "no snapshot"
# A process is named by its number, which may be a port's too.
run 1 --present none --dump pid:$$
says "gcspy-view: process $$ (bash) is not a JVM" err
run 2 --present none --dump pid:x
says "pid:N is a process" err
run 1 --present none --screenshot /nowhere/a.png
says "image /nowhere/a.png" err
run 2 --events 5
says "--events 5: requires an address or a script" err

# Without outline fonts the built-in one takes their place, unless they are asked for.
run 0 --present none --font block --screenshot "$work/block.png"
GCSPY_FONT_DIR=/nowhere run 0 --present none --screenshot "$work/auto.png"
check "the built-in font is used" cmp "$work/block.png" "$work/auto.png"
GCSPY_FONT_DIR=/nowhere run 1 --present none --font ttf --screenshot "$work/ttf.png"
says "font: no DejaVu Sans found" err
end
