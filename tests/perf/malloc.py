#!/usr/bin/env python3
"""What it costs a program that its native heap can be seen.

Runs programs alone, with libgcspymalloc.so preloaded and no client, and with a client that takes
20 updates a second; interleaved, and beside them with heaptrack's library where that is installed,
which writes to /dev/null. The figures are processor times of the program, of all threads, over those
alone, and for call sites, sampled every 512 KiB, over the library without (interval=0); the client's
and heaptrack's interpreter are not in them. Memory is the peak of what is resident, over that alone.
The loops do nothing but allocate and free (malloc_loop.c).

    malloc.py --build build --rounds 9
    malloc.py --build build --only sqlite3
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import measure
from measure import say

# The targets with no client, and attached.
LOOP, PROGRAM, COMPILER = (1.25, 1.35), (1.01, 1.05), (1.01, 1.03)
SITES, MEMORY = 1.02, 1.07
HEAPTRACK = ("/usr/lib/heaptrack/libheaptrack_preload.so",
             "/usr/lib/x86_64-linux-gnu/heaptrack/libheaptrack_preload.so",
             "/usr/lib/aarch64-linux-gnu/heaptrack/libheaptrack_preload.so")
SQL = ("create table t(a integer primary key,b text);"
       "with recursive c(x) as (select 1 union all select x+1 from c where x<{n})"
       " insert into t select x,printf('%08d',x*7919%300007) from c;create index i on t(b);"
       "select count(*),sum(a) from t where b like '%99%';")
PYTHON = "d={i:str(i) for i in range(%d)}; s=sum(len(v) for v in d.values())"

FUNCTION = """
int f{i}(int *a, int n, int k)
{{
	int s = {i};
	for (int i = 0; i < n; i++)
		for (int j = i; j < k; j += 1 + (a[i] & 3))
			s += a[i] * a[j] > s ? a[i] ^ (j << {shift}) : f{before}(a, i / 2, j - 1) % (j + 1);
	return s;
}}
"""


def source(folder, functions):
    """A C file for the compiler."""
    path = os.path.join(folder, "compiled.i")
    with open(path, "w", encoding="utf-8") as file:
        file.write("int f0(int *a, int n, int k) { return a[n] + k; }\n")
        for i in range(1, functions + 1):
            file.write(FUNCTION.format(i=i, before=i - 1, shift=i % 29))
    return path


def programs(loop, folder, scale):
    """Name, command, environment, targets."""
    found = [
        ("loop, up to 512 B", [loop, str(40_000_000 // scale), "512", "1"], {}, LOOP),
        ("the same, 2 threads", [loop, str(20_000_000 // scale), "512", "2"], {}, LOOP),
        ("loop, up to 50 KiB", [loop, str(10_000_000 // scale), "51200", "1"], {}, LOOP),
        ("python3, a dictionary", [sys.executable, "-c", PYTHON % (1_500_000 // scale)],
         {"PYTHONMALLOC": "malloc"}, PROGRAM)]
    if shutil.which("sqlite3"):
        found.append(("sqlite3, a table and an index",
                      ["sqlite3", ":memory:", SQL.format(n=300_000 // scale)], {}, PROGRAM))
    else:
        say("skipped: sqlite3 is not installed")
    # The compiler itself: gcc only starts it.
    gcc = shutil.which("gcc")
    compiler = gcc and subprocess.run([gcc, "-print-prog-name=cc1"], capture_output=True, text=True,
                                      check=True).stdout.strip()
    if compiler and os.path.isabs(compiler):
        found.append(("gcc -O2", [compiler, "-quiet", "-O2", "-fpreprocessed",
                                  source(folder, 400 // scale), "-o", "/dev/null"], {}, COMPILER))
    else:
        say("skipped: gcc is not installed")
    return found


def one(build, command, extra, how):
    """The processor time of a run, and its memory."""
    folder = tempfile.mkdtemp(prefix="gcspy-perf-")
    socket = os.path.join(folder, "s")
    follower = None
    if how == "heaptrack":
        extra = dict(extra, LD_PRELOAD=build.heaptrack, DUMP_HEAPTRACK_OUTPUT="/dev/null")
    elif how != "alone":
        extra = dict(extra, LD_PRELOAD=build.library, GCSPYMALLOC="update=50,socket=" + socket +
                     (",wait=yes" if how == "attached" else "") +
                     (",interval=0" if how == "unsampled" else ""))
    run = measure.Run(command, folder, extra)
    try:
        if how == "attached":
            while not measure.listens(socket):
                if not run.alive():
                    sys.exit("the program failed: " + run.read("err"))
                time.sleep(0.01)
            follower = measure.Follower(build, folder, socket)
        if run.end() != 0:
            sys.exit("the program failed: " + run.read("err"))
        if follower:
            follower.end()
        return run.cpu, run.peak
    finally:
        run.kill()
        shutil.rmtree(folder, ignore_errors=True)


class Build:
    """What is measured."""

    def __init__(self, options):
        folder = os.path.abspath(options.build)
        self.library = os.path.join(folder, "lib", "libgcspymalloc.so")
        self.follow = os.path.join(folder, "bin", "perf-follow")
        self.loop = os.path.join(folder, "bin", "perf-malloc-loop")
        self.heaptrack = next((path for path in HEAPTRACK if os.path.exists(path)), None)
        for path in (self.library, self.follow, self.loop):
            if not os.path.exists(path):
                sys.exit(f"{path} is missing: build first, or give --build")


def compare(found, how, over, target, what=0):
    """A line: the ratios of the rounds. `what`: 0 the processor time, 1 the memory."""
    ratios = [x[what] / a[what] for x, a in zip(found[how], found[over])]
    low, high = measure.bootstrap(ratios)
    value = measure.median(ratios)
    told = f", {measure.verdict(value, low, high, target)} ({target})" if target else ""
    return f"{value:.2f} [{low:.2f}, {high:.2f}]{told}"


def report(name, found, targets):
    say(f"{name}: alone {measure.median([cpu for cpu, _ in found['alone']]):.2f} s, "
        f"load {os.getloadavg()[0]:.1f}")
    say("  no client  " + compare(found, "loaded", "alone", targets[0]))
    say("  attached   " + compare(found, "attached", "alone", targets[1]))
    say("  sites      " + compare(found, "loaded", "unsampled", SITES))
    # A process starts with the peak of the one that has started it.
    known = measure.median([peak for _, peak in found["alone"]]) > \
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1.2
    small = "not known, the program is too small"
    say("  memory     " + (compare(found, "attached", "alone", MEMORY, 1) if known else small))
    if "heaptrack" in found:
        say("  heaptrack  " + compare(found, "heaptrack", "alone", None) + "; memory " +
            (compare(found, "heaptrack", "alone", None, 1) if known else small))


def measure_all(options, build, folder):
    rounds = options.rounds or (1 if options.smoke else 9)
    result = {}
    ways = ["alone", "unsampled", "loaded", "attached"]
    if build.heaptrack:
        ways.append("heaptrack")
    else:
        say("skipped: heaptrack is not installed")
    for name, command, extra, targets in programs(build.loop, folder, 100 if options.smoke else options.scale):
        if options.only and options.only not in name:
            continue
        found = {how: [] for how in ways}
        for turn in range(rounds):
            for how in measure.rotated(ways, turn):
                found[how].append(one(build, command, extra, how))
        report(name, found, targets)
        result[name] = found
    return result


def main():
    parser = measure.parser(__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="WORD", help="only programs with this in their name")
    parser.add_argument("--scale", type=int, default=1, metavar="N", help="an N-th of the work")
    options = parser.parse_args()
    build = Build(options)
    folder = tempfile.mkdtemp(prefix="gcspy-perf-")
    try:
        result = measure_all(options, build, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file)


if __name__ == "__main__":
    main()
