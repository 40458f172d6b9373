#!/usr/bin/env python3
"""What one sample costs the allocating thread, by windows inside one JVM.

The program Hostile allocates while the sampling interval changes by turns between a short one and one
so long that hardly a sample is taken; its workers note their own processor time and allocated bytes
every few rounds. The price of a sample is what a byte costs more in turns of the short interval, over
the samples that a byte has more there. Both kinds of turns have the same heap, the same compiled code,
the same neighbours on the machine and the same agent, so that neither the spread between two JVMs
(12 %) nor what the agent costs without samples is in it. The first seconds, while code is compiled,
are left out; so is the beginning of each turn, whose threads still have the sampling point that they
chose before.

Configurations: `agent` (GCspy), `jvmti` (with stackwalk=jvmti), `floor` (an agent that only counts
samples: HotSpot's own part), and other builds of the agent given with --agent NAME=FILE. On a busy
machine run it by `chrt -f 1`.

    sample_price.py --rounds 3
    sample_price.py --agent before=/tmp/libgcspyagent.so --configurations agent before --rounds 4
"""

import os
import re
import subprocess
import sys
import time

import measure
from measure import say

SHORT, LONG = 64 << 10, 16 << 20
TARGET = 1.9  # microseconds
LEAST_TURNS = 8


def switches(text):
    """(begin, end, interval) of each turn, in ns, from the lines of sample_floor.c."""
    rows = [tuple(map(int, line.split())) for line in text.splitlines() if line.count(" ") == 2]
    return [(a[0], b[0], a[1]) for a, b in zip(rows, rows[1:])]


def counted(text):
    """Samples at each interval: whether the JVM took as many as the intervals promise."""
    rows = [tuple(map(int, line.split())) for line in text.splitlines()]
    return {interval: sum(b[2] - a[2] for a, b in zip(rows, rows[1:]) if a[1] == interval)
            for interval in (SHORT, LONG)}


def steer(build, run, socket, turn):
    """Changes the agent's interval by turns until the program ends; what switches() returns. A turn
    ends before the next change is begun, and begins after its own was answered."""
    turns = []
    while run.alive():
        interval = (SHORT, LONG)[len(turns) % 2]
        subprocess.run([build.gcspy, "set", "unix:" + socket, f"interval={interval}"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        begin = time.monotonic_ns()
        time.sleep(turn)
        turns.append((begin, time.monotonic_ns(), interval))
    return turns


def windows_of(out):
    """For each worker the (time, processor time, bytes) of its windows."""
    workers = {}
    for name, at, cpu, allocated in re.findall(r"^window (\S+) (\d+) (\d+) (\d+)$", out, re.M):
        workers.setdefault(name, []).append((int(at), int(cpu), int(allocated)))
    return workers.values()


def window_costs(workers, turns, warm_ns, settle_ns):
    """For each turn, (interval, nanoseconds for a byte of each window that lies in it whole)."""
    costs = []
    first = min(marks[0][0] for marks in workers) + warm_ns
    for begin, end, interval in turns:
        found = []
        for marks in workers:
            inside = [mark for mark in marks if begin + settle_ns <= mark[0] <= end]
            found += [(b[1] - a[1]) / (b[2] - a[2]) for a, b in zip(inside, inside[1:])]
        if begin >= first and found:
            costs.append((interval, found))
    return costs


def price(costs):
    """Nanoseconds for a sample: from the medians of the quiet windows of both kinds. While another
    process uses the other half of a core, everything takes half as long again: such windows are those
    a quarter above the fastest ones."""
    quiet = {}
    for wanted in (SHORT, LONG):
        windows = [cost for interval, found in costs for cost in found if interval == wanted]
        if not windows:
            return None
        limit = 1.25 * measure.quantile(windows, 0.05)
        quiet[wanted] = measure.median([cost for cost in windows if cost <= limit])
    return (quiet[SHORT] - quiet[LONG]) / (1 / SHORT - 1 / LONG)


def one_run(build, options, configuration):
    with measure.scratch() as folder:
        heap = ["-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch", "-XX:ParallelGCThreads=1",
                "-XX:ConcGCThreads=1", f"-XX:+Use{options.gc}{'' if options.gc.endswith('GC') else 'GC'}"]
        turns_file = os.path.join(folder, "turns")
        if configuration == "floor":
            agent = (f"-agentpath:{build.floor}={turns_file},{int(options.turn * 1000)},"
                     f"{SHORT},{LONG}")
        else:
            socket = os.path.join(folder, "socket")
            library = options.agents.get(configuration, build.agent)
            extra = ",stackwalk=jvmti" if configuration == "jvmti" else ""
            agent = f"-agentpath:{library}=socket={socket},strict,interval={SHORT}{extra}"
        run = measure.Run([build.java, *heap, *build.jvm, agent, "-cp", build.jar, "Hostile",
                           f"rounds={options.work}", "window=4", f"threads={options.threads}"], folder)
        try:
            turns = [] if configuration == "floor" else steer(build, run, socket, options.turn)
            if run.end() != 0:
                raise RuntimeError(f"Hostile failed: {run.read('err')[-500:]}")
        finally:
            run.kill()
        text = ""
        if configuration == "floor":
            with open(turns_file, encoding="utf-8") as file:
                text = file.read()
            turns = switches(text)
        costs = window_costs(windows_of(run.read("out")), turns, options.warm * 1e9,
                             options.turn * 1e9 / 4)
        return {"costs": costs, "load": os.getloadavg()[0], "samples": counted(text)}


def show(options, runs):
    rows = {}
    for name, each in runs.items():
        turns = [turn for run in each for turn in run["costs"]]
        if len(turns) < LEAST_TURNS and not options.smoke:
            raise RuntimeError(f"{name}: only {len(turns)} turns; more --work is needed")
        found = price(turns)
        if found is None:
            continue
        low, high = measure.bootstrap(turns, lambda some: (price(some) or found), times=300)
        row = {"price": found / 1000, "low": low / 1000, "high": high / 1000, "turns": len(turns)}
        by_run = ", ".join(f"{(price(run['costs']) or 0) / 1000:.2f}" for run in each)
        verdict = ""
        if name == "agent":
            verdict = f"  {TARGET}  {measure.verdict(row['price'], row['low'], row['high'], TARGET)}"
        say(f"{name:8} {row['price']:6.2f} us  [{row['low']:.2f}, {row['high']:.2f}]  {len(turns)} "
            f"turns; by run {by_run}{verdict}")
        rows[name] = row
    return rows


def main():
    p = measure.parser(__doc__.split("\n", 1)[0])
    p.add_argument("--gc", default="G1", help="G1, Serial, Parallel, ZGC, Shenandoah")
    p.add_argument("--agent", action="append", default=[], metavar="NAME=FILE",
                   help="another build of the agent")
    p.add_argument("--configurations", nargs="+", default=["agent", "floor"])
    p.add_argument("--threads", type=int, default=2, help="allocating threads")
    p.add_argument("--turn", type=float, default=0.4, metavar="S", help="seconds of a turn")
    p.add_argument("--warm", type=float, default=4, metavar="S", help="seconds that are left out")
    p.add_argument("--work", type=int, default=8000, help="Hostile's rounds")
    options = p.parse_args()
    if options.smoke:
        options.rounds, options.work, options.turn, options.warm = 1, 400, 0.1, 0
    options.rounds = options.rounds or 3
    options.agents = dict(pair.split("=", 1) for pair in options.agent)
    build = measure.Build(options)
    build.gcspy = os.path.join(os.path.abspath(options.build), "bin", "gcspy")
    build.floor = os.path.join(os.path.abspath(options.build), "lib", "perf-sample-floor.so")
    where = measure.machine(build)
    runs = {name: [] for name in options.configurations}
    for turn in range(options.rounds):
        for name in measure.rotated(list(runs), turn):
            runs[name].append(one_run(build, options, name))
            if sys.stderr.isatty():
                print(".", end="", file=sys.stderr, flush=True)
    measure.save(options, {"machine": where, "runs": runs, "rows": show(options, runs)})
    return 0


if __name__ == "__main__":
    os.chdir(os.path.dirname(os.path.abspath(__file__)) or ".")
    measure.run("sample_price", main)
