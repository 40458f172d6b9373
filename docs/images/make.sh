#!/bin/sh
# Makes the sample recording and the pictures of the documentation: docs/images/make.sh [BUILD].
# Needs a JDK and takes a minute. Look at each picture before committing it.
set -eu
build=$(realpath "${1:-build}")
cd "$(dirname "$0")"
PATH=$build/bin:$PATH
agent=$build/lib/libgcspyagent.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

java -Xmx80m -XX:+UseG1GC -agentpath:"$agent"=port=0,interval=64k \
	-cp "$build/demo.jar" Shop rate=1000 visits=40000 & shop=$!
sleep 2
gcspy record $shop --seconds 28 --profiles 4 --force -o ../leak.gcspy
kill $shop

java -Xmx48m -Xmn6m -XX:+UseG1GC -agentpath:"$agent"=record="$work/javac.gcspy",interval=16k \
	-m jdk.compiler/com.sun.tools.javac.Main -nowarn -proc:none -d "$work/out" \
	../../java-test-apps/*.java

# picture NAME RECORDING [EVENT], the last by default, with the steps of a script on standard input
picture() {
	{ echo wait live; cat; echo "screenshot $1.png"; echo quit; } >"$work/steps"
	gcspy-view "$2" ${3:+--at "$3"} --no-settings --present none --font ttf --size 1280x800 \
		--script "$work/steps"
}

picture overview ../leak.gcspy <<STEPS
overview
wait says Suspect
STEPS
picture leaks ../leak.gcspy <<STEPS
leaks
wait says suspect
STEPS
picture g1 ../leak.gcspy 40 <<STEPS
select G1 regions 20
STEPS
picture history-graph ../leak.gcspy 40 <<STEPS
history
wait answer
wait says pixels
STEPS
picture sites "$work/javac.gcspy" <<STEPS
call_sites
wait answer
key Down
STEPS
picture flame "$work/javac.gcspy" <<STEPS
flame_graph
wait answer
wait says frames
STEPS
picture treemap ../leak.gcspy 40 <<STEPS
charts
chart treemap
STEPS
printf '%s\n' 'wait live' 'theme light' history 'wait says pixels' 'history_png history.png' quit \
	>"$work/steps"
gcspy-view ../leak.gcspy --no-settings --present none --font ttf --script "$work/steps"

# The figures of train.md.
for figure in 5 6 7 8 9; do
	gcspy-train --figure $figure -o train-$figure.png --quiet
done
