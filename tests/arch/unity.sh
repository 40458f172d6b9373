#!/usr/bin/env bash
# What the product compiles as one file (GCSPY_UNITY) is legal as one file: the tests' own builds
# compile each source alone, and would not notice two static functions of the same name. And the product
# takes few build steps: tests/bare allows 400 results, which some steps make two of.
#
#   unity.sh SOURCES CMAKE
set -euo pipefail
sources=$1 cmake=$2
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
"$cmake" -S "$sources" -B "$build" -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DGCSPY_UNITY=ON \
	-DGCSPY_TESTS=OFF -DGCSPY_WERROR=ON >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }
steps=$(ninja -C "$build" -t commands all | wc -l)
if [ "$steps" -gt 385 ]; then
	echo "the product takes $steps build steps instead of 385 at most" >&2
	exit 1
fi
python3 - "$build/compile_commands.json" <<'PYTHON'
import json, shlex, subprocess, sys
checked, failed = 0, 0
for entry in json.load(open(sys.argv[1])):
    if "/Unity/unity_" not in entry["file"]:
        continue
    words = shlex.split(entry["command"])
    at = words.index("-o")
    command = [w for i, w in enumerate(words) if i not in (at, at + 1)] + ["-fsyntax-only"]
    checked += 1
    failed += subprocess.run(command, cwd=entry["directory"]).returncode != 0
print(f"{checked} files of several sources, {failed} do not compile")
sys.exit(failed != 0 or checked < 10)
PYTHON
