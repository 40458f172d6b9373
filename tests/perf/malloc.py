#!/usr/bin/env python3
"""What it costs a program that its native heap can be seen.

Runs programs alone, with libgcspymalloc.so preloaded and no client, and with a client that takes
20 updates a second; interleaved. The figures are processor times, of all threads, over those alone, and
for call sites, sampled every 512 KiB, over the library without (interval=0). The loops do nothing but allocate and free (malloc_loop.c).

    malloc.py --build build --rounds 9
"""

import json
import os
import shutil
import sys
import tempfile
import time

import measure
from measure import say

# By way of comparison: the targets with no client, and attached.
LOOP, PROGRAM = (1.25, 1.35), (1.01, 1.05)
SITES = 1.02
SQL = ("create table t(a integer primary key,b text);"
       "with recursive c(x) as (select 1 union all select x+1 from c where x<{n})"
       " insert into t select x,printf('%08d',x*7919%300007) from c;create index i on t(b);"
       "select count(*),sum(a) from t where b like '%99%';")
PYTHON = "d={i:str(i) for i in range(%d)}; s=sum(len(v) for v in d.values())"


def programs(loop, scale):
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
    return found


def one(build, command, extra, how):
    """The processor time of a run."""
    folder = tempfile.mkdtemp(prefix="gcspy-perf-")
    socket = os.path.join(folder, "s")
    follower = None
    if how != "alone":
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
        return run.cpu
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
        for path in (self.library, self.follow, self.loop):
            if not os.path.exists(path):
                sys.exit(f"{path} is missing: build first, or give --build")


def main():
    options = measure.parser(__doc__.splitlines()[0]).parse_args()
    build = Build(options)
    rounds = options.rounds or (1 if options.smoke else 9)
    result = {}
    for name, command, extra, targets in programs(build.loop, 100 if options.smoke else 1):
        found = {"alone": [], "unsampled": [], "loaded": [], "attached": []}
        for turn in range(rounds):
            for how in measure.rotated(list(found), turn):
                found[how].append(one(build, command, extra, how))
        say(f"{name}: alone {measure.median(found['alone']):.2f} s, load {os.getloadavg()[0]:.1f}")
        for how, over, target in (("loaded", "alone", targets[0]), ("attached", "alone", targets[1]),
                                  ("sites", "unsampled", SITES)):
            ratios = [x / a for x, a in zip(found["loaded" if how == "sites" else how], found[over])]
            low, high = measure.bootstrap(ratios)
            value = measure.median(ratios)
            say(f"  {how:8} {value:.2f} [{low:.2f}, {high:.2f}], "
                f"{measure.verdict(value, low, high, target)}")
        result[name] = found
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file)


if __name__ == "__main__":
    main()
