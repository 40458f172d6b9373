#!/usr/bin/env python3
"""How much memory the agent adds to a JVM whose heap has 8,192 tiles.

Runs a program of fixed steps without the agent, with it, with a client that takes every event, and
after that client has left; interleaved. The heap is touched beforehand and nothing is compiled
(-Xint), so that what differs is the agent's. The figures are those of /proc/PID/smaps_rollup:
resident (RSS), PSS (own pages and the share of common ones), and own (pages that no other process
has). RSS is compared with the target: it counts the agent's library in full, and, unlike the other
two, it does not change when another JVM on the machine begins or ends to share the JVM's libraries.

    memory.py --gc G1 --rounds 5                     8 GB heap of 8,192 regions
    memory.py --gc Serial                            512 MB heap in blocks of 64 KB
"""

import json
import subprocess
import sys
import time

import measure
from measure import say

TARGET = 8.0  # MB of RSS that the attached agent may add
CONFIGURATIONS = ["none", "loaded", "attached", "left"]


def rollup(pid):
    """RSS, PSS and own pages of a process in MB."""
    fields = {}
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            words = line.split()
            fields[words[0].rstrip(":")] = int(words[1]) / 1024
    return {"rss": fields["Rss"], "pss": fields["Pss"],
            "own": fields["Private_Clean"] + fields["Private_Dirty"]}


def arguments(options, collector):
    """A heap of that many tiles: regions of G1, or blocks of the others."""
    if collector == "G1":
        megabytes = options.tiles
        return ["-XX:+UseG1GC", "-XX:G1HeapRegionSize=1m", f"-Xms{megabytes}m",
                f"-Xmx{megabytes}m", "-Xmn32m"], ""
    # A little less than the limit of tiles, at which the agent would double the blocks; the JVM
    # rounds the heap up to 2 MB.
    megabytes = options.tiles // 16 - 2
    return [f"-XX:+Use{collector}GC", f"-Xms{megabytes}m", f"-Xmx{megabytes}m", "-Xmn32m"], \
        ",block=64k"


class Layout:
    """The test program driven by commands, one line at a time."""

    def __init__(self, run):
        self.run, self.at = run, 0
        self.answer()

    def answer(self):
        deadline = time.monotonic() + measure.TIMEOUT
        while "\n" not in (text := self.run.read("out")[self.at:]):
            if time.monotonic() > deadline or not self.run.alive():
                raise RuntimeError(f"Layout does not answer: {self.run.read('err')[-500:]}")
            time.sleep(0.02)
        line = text.split("\n", 1)[0]
        self.at += len(line) + 1
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"Layout: {answer['error']}")

    def ask(self, command):
        self.run.process.stdin.write(command.encode() + b"\n")
        self.run.process.stdin.flush()
        self.answer()


def one_run(build, options, collector, configuration):
    with measure.scratch() as folder:
        flags, block = arguments(options, collector)
        if configuration != "none":
            flags.append(measure.agent_option(build, folder) + block)
        run = measure.Run([build.java, "-Xint", "-XX:+AlwaysPreTouch", *flags, *build.jvm,
                           "-cp", build.jar, "Layout"], folder, stdin=subprocess.PIPE)
        try:
            follower = None
            if configuration in ("attached", "left"):
                follower = measure.attach(build, run, folder)
            layout = Layout(run)
            layout.ask("alloc 16m")
            for _ in range(2 if options.smoke else 30):
                layout.ask("churn 32m")
            if configuration == "left":
                follower.leave()
                # The agent's end of it is asynchronous.
                time.sleep(0.5)
            result = rollup(run.pid)
            run.process.stdin.close()
            if run.end() != 0:
                raise RuntimeError(f"Layout failed: {run.read('err')[-500:]}")
        finally:
            run.kill()
        if configuration == "attached":
            follower.end()
        if follower is not None:
            follower.read()
            result.update(tiles=follower.tiles, events=len(follower.events))
        return result


def show(collector, runs):
    rows = {}
    base = runs["none"]
    tiles = runs["attached"][0]["tiles"]
    events = measure.median([run["events"] for run in runs["attached"]])
    say(f"\n{collector}: {tiles} tiles, {events:.0f} events, {len(base)} rounds; megabytes added "
        f"to the JVM without the agent")
    say(f"{'':10} {'RSS':>7} {'PSS':>7} {'own':>7}  95 % interval of RSS")
    for configuration in CONFIGURATIONS[1:]:
        row = {}
        for kind in ("rss", "pss", "own"):
            added = [there[kind] - here[kind] for there, here in zip(runs[configuration], base)]
            row[kind] = measure.median(added)
            row[kind + "_interval"] = measure.bootstrap(added)
        low, high = row["rss_interval"]
        line = (f"{configuration:10} {row['rss']:7.2f} {row['pss']:7.2f} {row['own']:7.2f}  "
                f"[{low:.2f}, {high:.2f}]")
        if configuration == "attached":
            line += f"  target {TARGET:.0f}: {measure.verdict(row['rss'], low, high, TARGET)}"
        rows[configuration] = row
        say(line)
    return rows


def main():
    p = measure.parser(__doc__.split("\n", 1)[0])
    p.add_argument("--gc", nargs="+", default=["G1"], metavar="COLLECTOR",
                   help="G1, Serial, Parallel (default: G1)")
    p.add_argument("--tiles", type=int, default=8192, help="tiles of the heap (default 8192)")
    options = p.parse_args()
    if options.smoke:
        options.rounds, options.tiles = 1, 256
    options.rounds = options.rounds or 5
    build = measure.Build(options)
    where = measure.machine(build)
    results = []
    for collector in options.gc:
        runs = {configuration: [] for configuration in CONFIGURATIONS}
        for turn in range(options.rounds):
            for configuration in measure.rotated(CONFIGURATIONS, turn):
                runs[configuration].append(one_run(build, options, collector, configuration))
        results.append({"collector": collector, "runs": runs, "rows": show(collector, runs)})
    measure.save(options, {"machine": where, "results": results})
    return 0


if __name__ == "__main__":
    measure.run("memory", main)
