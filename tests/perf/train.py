#!/usr/bin/env python3
"""What it costs a program with a Train collector to be seen.

Runs gcspy-train, which is mostly collections, without a client; with one that takes an update every
--interval milliseconds, as somebody who watches needs; and with one that takes every event, which the
program's own --pace limits. Interleaved. The figure is its processor time, of all threads, over that
without a client; and the difference by snapshot.

    train.py --build build --rounds 5
    train.py --build build --pace 0 --size 800 --steps 600
"""

import json
import os
import shutil
import sys
import tempfile
import time

import measure
from measure import say

TARGET = 1.05


def command(options, path, folder, client):
    given = [path, "--mutator", options.mutator, f"size={options.size}",
             f"steps={options.steps}", "port=-1"]
    if options.young:
        given.append(f"young={options.young}")
    if client != "none":
        given += ["--wait", "socket=" + os.path.join(folder, "s")]
    if client == "each" and options.pace >= 0:
        given.append(f"pace={options.pace}")
    return given


def one(options, build, client):
    """The processor time of a run, and the number of its events."""
    folder = tempfile.mkdtemp(prefix="gcspy-perf-")
    follower = None
    run = measure.Run(command(options, build.train, folder, client), folder)
    try:
        if client != "none":
            while not measure.listens(os.path.join(folder, "s")):
                if not run.alive():
                    sys.exit("gcspy-train failed: " + run.read("err"))
                time.sleep(0.01)
            pace = ["0", "0", str(options.interval)] if client == "updates" else []
            follower = measure.Follower(build, folder, os.path.join(folder, "s"), *pace)
        if run.end() != 0:
            sys.exit("gcspy-train failed: " + run.read("err"))
        seen = follower.end() if follower else None
        words = run.read("out").splitlines()[-1].split()
        events = 2 * int(words[0]) + 2 * int(words[3])
        return {"cpu": run.cpu, "wall": run.wall, "events": events,
                "missed": seen.missed if seen else 0, "snapshots": seen.snapshots if seen else 0}
    finally:
        run.kill()
        shutil.rmtree(folder, ignore_errors=True)


class Build:
    """What is measured."""

    def __init__(self, options):
        folder = os.path.join(os.path.abspath(options.build), "bin")
        self.train = os.path.join(folder, "gcspy-train")
        self.follow = os.path.join(folder, "perf-follow")
        for path in (self.train, self.follow):
            if not os.path.exists(path):
                sys.exit(f"{path} is missing: build first, or give --build")


def tell(name, found):
    """The figures of one kind of client."""
    none, runs = found["none"], found[name]
    ratios = [a["cpu"] / n["cpu"] for a, n in zip(runs, none)]
    each = [(a["cpu"] - n["cpu"]) / max(a["snapshots"], 1) * 1e6 for a, n in zip(runs, none)]
    low, high = measure.bootstrap(ratios)
    value = measure.median(ratios)
    say(f"{name}: {measure.median([a['cpu'] for a in runs]):.2f} s in "
        f"{measure.median([a['wall'] for a in runs]):.1f} s, "
        f"{measure.median([a['snapshots'] for a in runs]):.0f} snapshots, "
        f"{sum(a['missed'] for a in runs)} missed")
    target = f", {measure.verdict(value, low, high, TARGET)}" if name == "updates" else ""
    say(f"{name}: ratio {value:.3f} [{low:.3f}, {high:.3f}]{target}; "
        f"{measure.median(each):.0f} µs for each snapshot")


def main():
    p = measure.parser(__doc__.splitlines()[0])
    p.add_argument("--mutator", default="gcold")
    p.add_argument("--size", type=int, default=200)
    p.add_argument("--steps", type=int, default=100)
    p.add_argument("--young", type=int, default=0, help="bytes of a semi-space")
    p.add_argument("--interval", type=int, default=50, help="milliseconds between updates")
    p.add_argument("--pace", type=int, default=-1,
                   help="events per second for the client that takes each; 0: no limit")
    p.add_argument("--only", choices=["updates", "each"], help="leave the other client out")
    options = p.parse_args()
    if options.smoke:
        options.size, options.steps, options.pace = 5, 2, 0
    build = Build(options)
    rounds = options.rounds or (1 if options.smoke else 5)
    found = {"none": [], "updates": [], "each": []}
    if options.only:
        found = {"none": [], options.only: []}
    for turn in range(rounds):
        for name in measure.rotated(list(found), turn):
            found[name].append(one(options, build, name))
    say(f"{options.mutator}, {found['none'][0]['events']} events, load {os.getloadavg()[0]:.1f}")
    say(f"without a client {measure.median([n['cpu'] for n in found['none']]):.2f} s")
    for name in list(found)[1:]:
        tell(name, found)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(found, file)


if __name__ == "__main__":
    main()
