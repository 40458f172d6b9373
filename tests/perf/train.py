#!/usr/bin/env python3
"""What it costs a program with a Train collector to be seen.

Runs gcspy-train, which is mostly collections, without a client, and with one that takes every event;
interleaved. The figure is its processor time, of all threads, over that without a client; and the
difference by event. The events' rate is limited by the program's own default, or by --pace.

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


def command(options, path, folder, attached):
    given = [path, "--mutator", options.mutator, f"size={options.size}",
             f"steps={options.steps}", "port=-1"]
    if options.young:
        given.append(f"young={options.young}")
    if attached:
        given += ["--wait", "socket=" + os.path.join(folder, "s")]
        given += [f"pace={options.pace}"] if options.pace >= 0 else []
    return given


def one(options, build, attached):
    """The processor time of a run, and the number of its events."""
    folder = tempfile.mkdtemp(prefix="gcspy-perf-")
    follower = None
    run = measure.Run(command(options, build.train, folder, attached), folder)
    try:
        if attached:
            while not measure.listens(os.path.join(folder, "s")):
                if not run.alive():
                    sys.exit("gcspy-train failed: " + run.read("err"))
                time.sleep(0.01)
            follower = measure.Follower(build, folder, os.path.join(folder, "s"))
        if run.end() != 0:
            sys.exit("gcspy-train failed: " + run.read("err"))
        missed = follower.end().missed if follower else 0
        words = run.read("out").splitlines()[-1].split()
        events = 2 * int(words[0]) + 2 * int(words[3])
        return {"cpu": run.cpu, "wall": run.wall, "events": events, "missed": missed}
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


def main():
    p = measure.parser(__doc__.splitlines()[0])
    p.add_argument("--mutator", default="gcold")
    p.add_argument("--size", type=int, default=200)
    p.add_argument("--steps", type=int, default=100)
    p.add_argument("--young", type=int, default=0, help="bytes of a semi-space")
    p.add_argument("--pace", type=int, default=-1, help="events per second; 0: no limit")
    options = p.parse_args()
    if options.smoke:
        options.size, options.steps, options.pace = 5, 2, 0
    build = Build(options)
    rounds = options.rounds or (1 if options.smoke else 5)
    found = {"none": [], "attached": []}
    for turn in range(rounds):
        for name in measure.rotated(list(found), turn):
            found[name].append(one(options, build, name == "attached"))
    ratios = [a["cpu"] / n["cpu"] for a, n in zip(found["attached"], found["none"])]
    each = [(a["cpu"] - n["cpu"]) / a["events"] * 1e6
            for a, n in zip(found["attached"], found["none"])]
    low, high = measure.bootstrap(ratios)
    value = measure.median(ratios)
    say(f"{options.mutator}, {found['none'][0]['events']} events, load {os.getloadavg()[0]:.1f}")
    say(f"without a client {measure.median([n['cpu'] for n in found['none']]):.2f} s, attached "
        f"{measure.median([a['cpu'] for a in found['attached']]):.2f} s in "
        f"{measure.median([a['wall'] for a in found['attached']]):.0f} s, "
        f"{sum(a['missed'] for a in found['attached'])} missed")
    say(f"ratio {value:.2f} [{low:.2f}, {high:.2f}], "
        f"{measure.verdict(value, low, high, TARGET)}; {measure.median(each):.0f} µs for each event")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(found, file)


if __name__ == "__main__":
    main()
