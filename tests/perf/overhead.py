#!/usr/bin/env python3
"""How much processor time the agent adds to a whole program.

Runs each workload without the agent, again without it (a control that shows the noise), with the
agent without a client, with a client that takes every event, and with the heavy
volume (at the finish of each collection, at each event), with a client that has four zooms of the whole heap, and
with `gcspy serve`, scraped each 15 seconds, that samples at its interval; interleaved, in rotated order. A round's times are divided by that round's time without the agent; the table has the
median of the rounds' ratios and its bootstrap 95 % interval. Every run's output is checked.

For the runs with a client the agent's own threads and the time that pauses grew are also measured
directly; unlike the ratio this has no noise, but it leaves indirect effects out.

    overhead.py gcbench --gc Serial Parallel G1 --rounds 8
    overhead.py h2 javacxml:256m --workloads DIR --rounds 8
    overhead.py gcbench:4g --gc Epsilon --agent clock=100 --configurations attached heavy --work 250

Workloads other than gcbench are programs of a folder that has a run.sh: `run.sh NAME JVM-OPTIONS…`
runs one under the JVM of the variable JAVA with the heap of the variable HEAP (as in -Xmx), checks
its output, and writes a line `NAME OK … wall=SECONDS cpu=SECONDS …`; another word stands in place of
OK if the output was wrong.
"""

import os
import re
import subprocess
import sys
import threading
import urllib.request

import measure
from measure import say

TARGETS = {"loaded": 1.01, "attached": 1.02, "record": 1.03, "heavy": 1.5, "heavy-both": 1.5,
           "served": 1.01}
# Of a JVM that records itself, against one with a client that takes every event.
RECORD_TARGET = 1.01
CONFIGURATIONS = ["none", "control", "loaded", "attached", "record", "heavy", "heavy-both",
                  "zooms", "served"]
ATTACHED = ("attached", "heavy", "heavy-both", "zooms")
SCRAPE = 15  # seconds
ZOOMS = ("4", "8192")  # number of zooms, blocks of each
# Those with the heavy volume, and its further options.
HEAVY = {"heavy": "", "heavy-both": ",heavy-events=both"}


class Watch(threading.Thread):
    """Reads now and then what the agent's threads have used so far."""

    def __init__(self, follower):
        super().__init__(daemon=True)
        self.follower = follower
        self.done = threading.Event()
        self.used = {}

    def run(self):
        while not self.done.wait(0.2):
            pid = self.follower.process_id or self.follower.read().process_id
            if pid:
                self.used = measure.threads_cpu(pid, "gcspy") or self.used


class Served(threading.Thread):
    """`gcspy serve` with this JVM alone, and what scrapes it."""

    def __init__(self, build, folder):
        super().__init__(daemon=True)
        gcspy = os.path.join(os.path.dirname(build.follow), "gcspy")
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [gcspy, "serve", "--sockets", os.path.join(folder, "socket"), "--match", "^socket$",
             "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[1] + "metrics"
        self.done = threading.Event()
        self.page = ""

    def run(self):
        while not self.done.wait(SCRAPE if "jvm_gc_duration_seconds_count" in self.page else 1):
            with urllib.request.urlopen(self.url) as answer:
                self.page = answer.read().decode()

    def end(self):
        self.done.set()
        self.join()
        self.process.terminate()
        self.process.communicate()
        if "jvm_gc_duration_seconds_count" not in self.page:
            raise RuntimeError("gcspy serve saw no collections")


def run_gcbench(build, options, heap, flags, folder, follow):
    """The class GCBench of the test programs; its truth line is the same for every run."""
    rounds = 60 if options.smoke else options.work
    command = [build.java, f"-Xmx{heap or '64m'}", *build.jvm, *flags, "-cp", build.jar,
               "GCBench", f"rounds={rounds}"]
    run = measure.Run(command, folder)
    try:
        followed = follow(run)
        code = run.end()
    finally:
        run.kill()
    truth = re.search(r"^truth .*$", run.read("out"), re.M)
    if code != 0 or truth is None:
        raise RuntimeError(f"GCBench failed: {run.read('err')[-500:]}")
    return {"cpu": run.cpu, "wall": run.wall, "check": truth[0]}, followed


def run_workload(build, options, name, heap, flags, folder, follow):
    """A program of the folder of workloads, which checks itself."""
    command = [os.path.join(os.path.abspath(options.workloads), "run.sh"), name, *build.jvm, *flags]
    extra = {"JAVA": build.java}
    if heap:
        extra["HEAP"] = heap
    run = measure.Run(command, folder, extra)
    try:
        followed = follow(run)
        code = run.end()
    finally:
        run.kill()
    told = re.search(r"^\S+ OK .*\bwall=([\d.]+) cpu=([\d.]+).*$", run.read("out"), re.M)
    if code != 0 or told is None:
        raise RuntimeError(f"{name} failed: {run.read('out')}{run.read('err')[-500:]}")
    return {"cpu": float(told[2]), "wall": float(told[1]), "check": "OK"}, followed


def one_run(build, options, workload, collector, configuration):
    name, _, heap = workload.partition(":")
    with measure.scratch() as folder:
        flags = ["-XX:+UnlockExperimentalVMOptions", f"-XX:+Use{collector}GC"]
        if configuration not in ("none", "control"):
            option = ",".join([measure.agent_option(build, folder), *options.agent])
            if configuration in HEAVY:
                option += f",volume=heavy{HEAVY[configuration]}"
            if configuration == "served":
                option += ",quiet,clock=5000,interval=512k"  # as gcspy serve attaches
            if configuration == "record":
                option += f",record={os.path.join(folder, 'run.gcspy')}"
            flags.append(option)

        def follow(run):
            if configuration == "served":
                served = Served(build, folder)
                served.start()
                return served
            if configuration not in ATTACHED:
                return None
            follower = measure.attach(build, run, folder,
                                      *(ZOOMS if configuration == "zooms" else ()))
            watch = Watch(follower)
            watch.start()
            return follower, watch

        if name == "gcbench":
            result, followed = run_gcbench(build, options, heap, flags, folder, follow)
        else:
            result, followed = run_workload(build, options, name, heap, flags, folder, follow)
        if isinstance(followed, Served):
            followed.end()
        elif followed:
            follower, watch = followed
            follower.end()
            watch.done.set()
            watch.join()
            pauses = (follower.events[-1][3] - follower.events[0][3]) / 1e9
            result.update(events=len(follower.events), missed=follower.missed,
                          bytes=follower.bytes, tiles=follower.tiles, in_pauses=pauses,
                          threads=watch.used, own=pauses + sum(watch.used.values()),
                          each={name: measure.median(costs) / 1000
                                for name, costs in follower.costs().items()})
            if len(follower.events) < 3:
                raise RuntimeError("the client saw no collections")
        return result


def summarize(runs, configuration):
    """Median ratio to the run without the agent of the same round, with its interval."""
    ratios = [there["cpu"] / base["cpu"]
              for there, base in zip(runs[configuration], runs["none"])]
    low, high = measure.bootstrap(ratios)
    wall = measure.median([there["wall"] / base["wall"]
                           for there, base in zip(runs[configuration], runs["none"])])
    row = {"cpu": measure.median(ratios), "low": low, "high": high, "wall": wall}
    if configuration in TARGETS:
        row["target"] = TARGETS[configuration]
        row["verdict"] = measure.verdict(row["cpu"], low, high, row["target"])
    return row


def show(title, runs, rows):
    base = measure.median([run["cpu"] for run in runs["none"]])
    say(f"\n{title}: {base:.2f} s of CPU without the agent, {len(runs['none'])} rounds")
    say(f"{'':10} {'CPU':>6}  {'95 % interval':15} {'wall':>6}  target")
    for configuration, row in rows.items():
        target = f"{row['target']}  {row['verdict']}" if "target" in row else ""
        say(f"{configuration:10} {row['cpu']:6.3f}  [{row['low']:.3f}, {row['high']:.3f}]  "
            f"{row['wall']:6.3f}  {target}")
    if "record" in runs and "attached" in runs:
        ratios = [a["cpu"] / b["cpu"] for a, b in zip(runs["record"], runs["attached"])]
        low, high = measure.bootstrap(ratios)
        middle = measure.median(ratios)
        say(f"record against attached: {middle:.3f} [{low:.3f}, {high:.3f}], target {RECORD_TARGET}  "
            f"{measure.verdict(middle, low, high, RECORD_TARGET)}")
    for configuration in ATTACHED:
        if configuration in runs:
            show_directly(configuration, runs[configuration])


def each_event(runs):
    """What an event has cost in the pause, microseconds: (name, [median of each run that had it])."""
    names = sorted({name for run in runs for name in run["each"]})
    return [(name, [run["each"][name] for run in runs if name in run["each"]]) for name in names]


def show_directly(configuration, last):
    share = measure.median([run["own"] / (run["cpu"] - run["own"]) for run in last])
    pauses = measure.median([run["in_pauses"] for run in last])
    say(f"{configuration}, measured directly: {100 * share:.2f} % of CPU "
        f"({pauses * 1000:.1f} ms in pauses); {last[0]['tiles']} tiles, "
        f"{measure.median([run['events'] for run in last]):.0f} events, "
        f"{sum(run['missed'] for run in last)} missed, "
        f"{measure.median([run['bytes'] for run in last]) / 1000:.0f} kB sent; an event: " +
        ", ".join(f"{name} {measure.median(costs):.0f} us" for name, costs in each_event(last)))


def measure_one(build, options, workload, collector):
    configurations = [c for c in CONFIGURATIONS if c == "none" or c in options.configurations]
    runs = {configuration: [] for configuration in configurations}
    for turn in range(options.rounds):
        for configuration in measure.rotated(configurations, turn):
            runs[configuration].append(one_run(build, options, workload, collector, configuration))
            if sys.stderr.isatty():
                print(".", end="", file=sys.stderr, flush=True)
    checks = {run["check"] for each in runs.values() for run in each}
    if len(checks) != 1:
        raise RuntimeError(f"{workload} gave different results: {checks}")
    rows = {c: summarize(runs, c) for c in configurations if c != "none"}
    show(f"{workload}, {collector}", runs, rows)
    return {"workload": workload, "collector": collector, "runs": runs, "rows": rows}


def main():
    p = measure.parser(__doc__.split("\n", 1)[0])
    p.add_argument("workload", nargs="*", default=["gcbench"],
                   help="gcbench, or a name from the folder of workloads; NAME:SIZE sets -Xmx")
    p.add_argument("--workloads", metavar="DIR", help="folder with run.sh; see above")
    p.add_argument("--gc", nargs="+", default=["Serial", "Parallel", "G1"],
                   metavar="COLLECTOR", help="Serial, Parallel, G1 (default: these)")
    p.add_argument("--configurations", nargs="+", choices=CONFIGURATIONS[1:],
                   default=CONFIGURATIONS[1:4], help="what to compare with no agent")
    p.add_argument("--agent", nargs="+", default=[], metavar="OPTION",
                   help="more options for the agent, such as clock=100")
    p.add_argument("--work", type=int, default=4000, help="GCBench's rounds")
    options = p.parse_args()
    if options.smoke:
        options.rounds, options.gc = 1, ["G1"]
        # gcspy serve looks for JVMs each two seconds, which a smoke test's do not last.
        options.configurations = [c for c in CONFIGURATIONS[1:] if c != "served"]
    options.rounds = options.rounds or 8
    if any(not w.startswith("gcbench") for w in options.workload) and not options.workloads:
        p.error("a workload other than gcbench needs --workloads DIR")
    build = measure.Build(options)
    where = measure.machine(build)
    results = [measure_one(build, options, workload, collector)
               for workload in options.workload for collector in options.gc]
    measure.save(options, {"machine": where, "results": results})
    return 0


if __name__ == "__main__":
    measure.run("overhead", main)
