#!/usr/bin/env bash
# The installed product, in a bare system: a running JVM gets the agent and is recorded, and the
# recording is read.
#
#   installed.sh prefix SOURCES   installs into a prefix, which is then moved, and moves the sources away
#   installed.sh packages         what dpkg has installed
set -euo pipefail
if [ "$1" = prefix ]; then
	sources=$2
	cmake --install "$sources/build" --prefix /opt/gcspy >/dev/null
	cp "$sources/build/demo.jar" /root/
	mv "$sources" "$sources-away"
	mv /opt/gcspy /opt/elsewhere
	prefix=/opt/elsewhere
	PATH=$prefix/bin:$PATH
else
	prefix=/usr
fi
for file in bin/gcspy bin/gcspy-view include/gcspy/client.h; do
	[ -e "$prefix/$file" ] || { echo "not installed: $file" && exit 1; }
done

java -Xmx128m -XX:+UseG1GC -cp /root/demo.jar GCOld seconds=120 >/root/java.log 2>&1 &
java=$!
trap 'kill $java 2>/dev/null; cat /root/java.log' EXIT
until gcspy list | grep -q "^ *$java\b"; do
	kill -0 $java
	sleep 0.2
done
gcspy attach $java
gcspy record $java --seconds 5 -o /root/run.gcspy
gcspy stats /root/run.gcspy
gcspy report /root/run.gcspy -o /root/report.html
grep -q '</html>' /root/report.html
SDL_VIDEODRIVER=dummy timeout 60 gcspy-view /root/run.gcspy --size 1280x800 --screenshot /root/installed.png
echo "the installed product works: $1"
