#!/usr/bin/env bash
# ./run demo says why it fails, with the Java program's own output. Programs that it builds and
# starts are stand-ins here; nothing is compiled.
#
#   demo_test.sh RUN
set -euo pipefail
run=$(realpath "$1")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$run" "$folder/run"
mkdir -p "$folder/bin" "$folder/build/bin" "$folder/jdk/bin" "$folder/jdk/include"
touch "$folder/jdk/include/jvmti.h"

# program PATH TEXT: a shell script of that text.
program() {
	printf '#!/usr/bin/env bash\n%s\n' "$2" >"$folder/$1"
	chmod +x "$folder/$1"
}

# What ./run looks for, and need not find here.
for name in cmake gcc ninja pkg-config apt-get sudo; do
	program "bin/$name" 'exit 0'
done
program jdk/bin/javac 'exit 0'
program build/bin/gcspy 'exit 0'

fail() {
	echo "$1: $2; ./run demo said:" >&2
	cat "$folder/said" >&2
	exit 1
}

which=

# demo NAME STATUS DISPLAY TEXT…: the demo, with the arguments in $which, ends with the status and says each of the texts.
demo() {
	local name=$1 wanted=$2 display=$3 status=0 text
	shift 3
	env -u WAYLAND_DISPLAY PATH="$folder/bin:$PATH" JAVA_HOME="$folder/jdk" DISPLAY="$display" \
		bash "$folder/run" demo $which >"$folder/said" 2>&1 || status=$?
	[ $status = "$wanted" ] || fail "$name" "status $status instead of $wanted"
	for text; do
		grep -qF -e "$text" "$folder/said" || fail "$name" "no \"$text\""
	done
}

# java TEXT: the program after its first line, which is that of the agent unless TEXT is "no agent".
java() {
	program jdk/bin/java "[ \"\$1\" != -version ] || exit 0
$1"
}
listens='echo "gcspy: listening on 127.0.0.1:1"'

java 'echo "to the output"; echo "Error: could not create the VM" >&2; exit 1'
demo "no JVM" 1 "" "to the output" "Error: could not create the VM" "the agent did not come up"

java 'exit 1'
demo "silent end" 1 "" "(nothing)" "the agent did not come up"

java "$listens; exec sleep 100"
program build/bin/gcspy-view 'exit 0'
demo "picture" 0 "" "the picture is build/demo.png"

program build/bin/gcspy-view 'echo "cannot open a window" >&2; exit 1'
demo "no picture" 1 "" "cannot open a window" "the visualiser failed"

program build/bin/gcspy-view 'exit 0'
program build/bin/gcspy '[ "$1" != dump ]'
demo "no summary" 1 "" "gcspy dump failed"

java "$listens; echo 'OutOfMemoryError: Java heap space' >&2; sleep 1; exit 3"
program build/bin/gcspy-view 'sleep 1.5; exit 1'
demo "end before the picture" 1 "" "has ended" "OutOfMemoryError" "the visualiser failed"

java "$listens; sleep 4; echo 'OutOfMemoryError: Java heap space' >&2; exit 3"
program build/bin/gcspy-view 'exec sleep 100'
demo "end before the window" 1 :77 "OutOfMemoryError" "the Java program failed"

java "$listens; exec sleep 100"
program build/bin/gcspy-view 'exit 1'
demo "no window" 1 :77 "the visualiser failed"
program build/bin/gcspy-view 'exit 0'
demo "closed window" 0 :77 "the demo is over"

which=train
program build/bin/gcspy 'exit 0'
program build/bin/gcspy-train 'echo "listening on 127.0.0.1:1"; exec sleep 100'
demo "picture of trains" 0 "" "starting gcspy-train" "from 127.0.0.1:1" "stopping gcspy-train"
program build/bin/gcspy-train 'echo "gcspy-train: port 1 is in use" >&2; exit 2'
demo "no trains" 1 "" "gcspy-train: port 1 is in use" "gcspy-train did not come up"
which=trains
demo "unknown demo" 1 "" 'unknown demo "trains"; available: train'
echo "all cases of the demo are as expected"
