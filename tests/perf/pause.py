#!/usr/bin/env python3
"""How much the agent adds to a pause with many regions, while a client takes every event.

Two independent figures: the agent's own account, which every event carries (time between its being
called and its return, for start and finish of each collection); and the safepoint log of the JVM,
with and without the agent, in interleaved runs of the same program. The program makes short-lived
garbage only, and the collector has one thread, so that pauses are short and much alike: with more
threads they differ by how these wait for each other, and by far more than the agent adds.

    pause.py --heap 2g --region 1m --rounds 8        2,048 regions of G1
    pause.py --gc Shenandoah, pause.py --gc Z        the same; pages of ZGC have their own size
    pause.py --heavy --heap 512m --gc Parallel       with the heavy volume at its default budget

With --heavy the program is GCOld, whose old generation is large and changes, so that there is more
to walk over than fits; no pause may grow by more than the budget and a tenth.
"""

import re

import measure
from measure import say

TARGET = 150.0  # microseconds that a pause may grow by, median
CONFIGURATIONS = ["none", "loaded", "attached"]
HEAVY = ["none", "attached", "heavy"]
BUDGET = 20.0  # milliseconds, the agent's default
BEYOND = 1.1   # so much of it a pause may take at most

# The collector's own flags, and the operations that are its pauses.
COLLECTORS = {
    "G1": (["-XX:G1HeapRegionSize={region}", "-Xmn{young}", "-XX:ParallelGCThreads=1"],
           r"G1Collect\w+"),
    "Shenandoah": (["-XX:+UnlockExperimentalVMOptions", "-XX:ShenandoahRegionSize={region}",
                    "-XX:ParallelGCThreads=1"], r"Shenandoah\w+"),
    "Z": ([], r"Z\w+"),
    "Serial": (["-Xmn{young}"], r"(?:Gen|Serial)\w+"),
    "Parallel": (["-Xmn{young}", "-XX:ParallelGCThreads=1"], r"Parallel\w+"),
}


def pauses_of(log, operations):
    """Microseconds at the safepoint of each collection, from a log of safepoints."""
    return [int(nanos) / 1000 for nanos in
            re.findall(rf'Safepoint "{operations}".*?At safepoint: *(\d+) ns', log)]


def program(options):
    """What runs, and its arguments."""
    if not options.heavy:
        return ["Churn", "rate=0", f"total={options.total}"]
    return ["GCOld", f"live={options.live}", f"steps={options.steps}", "work=4", "mutate=200"]


def one_run(build, options, configuration):
    with measure.scratch() as folder:
        own, operations = COLLECTORS[options.gc]
        flags = [f"-XX:+Use{options.gc}GC", f"-Xms{options.heap}", f"-Xmx{options.heap}",
                 *(flag.format(**vars(options)) for flag in own),
                 "-XX:ConcGCThreads=1", "-XX:+AlwaysPreTouch",
                 "-Xlog:safepoint:file=safepoints:none", *build.jvm]
        if configuration != "none":
            flags.append(measure.agent_option(build, folder) +
                         (",volume=heavy" if configuration == "heavy" else ""))
        run = measure.Run([build.java, *flags, "-cp", build.jar, *program(options)], folder)
        try:
            follower = None
            if configuration in ("attached", "heavy"):
                follower = measure.attach(build, run, folder)
            if run.end() != 0:
                raise RuntimeError(f"the program failed: {run.read('err')[-500:]}")
        finally:
            run.kill()
        # The first pauses run code that nothing has warmed up, with and without the agent.
        result = {"pauses": pauses_of(run.read("safepoints"), operations)[5:]}
        if len(result["pauses"]) < 5:
            raise RuntimeError("too few pauses in the log")
        if follower is not None:
            follower.end()
            costs = follower.costs()
            result.update(tiles=follower.tiles, missed=follower.missed,
                          start=[c / 1000 for c in costs["GC start"]],
                          finish=[c / 1000 for c in costs["GC finish"]])
        return result


def spread(values):
    at = [measure.quantile(values, share) for share in (0.1, 0.5, 0.9, 0.99)]
    return " ".join(f"{value:9.1f}" for value in at)


def show_account(runs):
    """The agent's own account; the median of a pause is that of start and finish together."""
    start = [cost for run in runs for cost in run["start"]]
    finish = [cost for run in runs for cost in run["finish"]]
    both = [a + b for run in runs for a, b in zip(run["start"], run["finish"])]
    say(f"\nThe agent's own account, microseconds; {runs[0]['tiles']} tiles, {len(both)} pauses, "
        f"{sum(run['missed'] for run in runs)} missed")
    say(f"{'':10} {'p10':>9} {'median':>9} {'p90':>9} {'p99':>9}")
    for name, values in (("start", start), ("finish", finish), ("pause", both)):
        say(f"{name:10} {spread(values)}")
    low, high = measure.bootstrap(both, times=1000)
    value = measure.median(both)
    say(f"added to a pause: {value:.1f} [{low:.1f}, {high:.1f}], target {TARGET:.0f}: "
        f"{measure.verdict(value, low, high, TARGET)}")
    return {"median": value, "low": low, "high": high, "start": measure.median(start),
            "finish": measure.median(finish)}


def show_budget(runs):
    """What the heavy volume adds to a pause, and how many pauses it lengthens beyond its budget."""
    say(f"\nThe agent's own account of a pause, milliseconds\n{'':10} {'median':>9} {'p90':>9} "
        f"{'p99':>9} {'longest':>9}")
    for name in ("attached", "heavy"):
        both = sorted(a / 1000 + b / 1000 for run in runs[name]
                      for a, b in zip(run["start"], run["finish"]))
        at = [measure.quantile(both, share) for share in (0.5, 0.9, 0.99, 1)]
        say(f"{name:10} " + " ".join(f"{value:9.2f}" for value in at))
    over = sum(value > BEYOND * BUDGET for value in both)
    say(f"longer than {BEYOND * BUDGET:.0f} ms: {over} of {len(both)}; "
        f"longer than {BUDGET:.0f} ms: {sum(value > BUDGET for value in both)}")
    say(f"\nThe JVM's safepoint log, milliseconds\n{'':10} {'median':>9} {'p90':>9} {'p99':>9} "
        f"{'longest':>9}")
    for name, each in runs.items():
        pauses = [value / 1000 for run in each for value in run["pauses"]]
        at = [measure.quantile(pauses, share) for share in (0.5, 0.9, 0.99, 1)]
        say(f"{name:10} " + " ".join(f"{value:9.2f}" for value in at))
    return {"pauses": len(both), "over": over, "longest": both[-1]}


def show_log(runs):
    """Medians of each run at the safepoint; the differences of runs of the same round."""
    rows = {}
    say("\nThe JVM's safepoint log, microseconds at the safepoint")
    for configuration, each in runs.items():
        medians = [measure.median(run["pauses"]) for run in each]
        row = {"median": measure.median(medians)}
        line = f"{configuration:10} {row['median']:9.1f}"
        if configuration != "none":
            base = [measure.median(run["pauses"]) for run in runs["none"]]
            added = [there - here for there, here in zip(medians, base)]
            row["added"] = measure.median(added)
            row["low"], row["high"] = measure.bootstrap(added)
            line += f"   added {row['added']:7.1f} [{row['low']:.1f}, {row['high']:.1f}]"
            if configuration == "attached":
                line += (f", target {TARGET:.0f}: "
                         f"{measure.verdict(row['added'], row['low'], row['high'], TARGET)}")
        rows[configuration] = row
        say(line)
    return rows


def main():
    p = measure.parser(__doc__.split("\n", 1)[0])
    p.add_argument("--gc", choices=COLLECTORS, default="G1", help="collector (default G1)")
    p.add_argument("--heap", default="2g", help="heap, all of it touched (default 2g)")
    p.add_argument("--region", default="1m", help="size of a region (default 1m)")
    p.add_argument("--young", default="64m", help="young generation (default 64m)")
    p.add_argument("--total", default="16g", help="garbage of one run (default 16g)")
    p.add_argument("--heavy", action="store_true", help="the budget of the heavy volume; see above")
    p.add_argument("--live", default="200m", help="with --heavy: the old generation (default 200m)")
    p.add_argument("--steps", type=int, default=3000, help="with --heavy: the program's length")
    options = p.parse_args()
    if options.smoke:
        options.rounds, options.heap, options.young, options.total = 1, "256m", "16m", "512m"
    options.rounds = options.rounds or 8
    build = measure.Build(options)
    where = measure.machine(build)
    configurations = HEAVY if options.heavy else CONFIGURATIONS
    runs = {configuration: [] for configuration in configurations}
    for turn in range(options.rounds):
        for configuration in measure.rotated(configurations, turn):
            runs[configuration].append(one_run(build, options, configuration))
    if options.heavy:
        budget = show_budget(runs)
        measure.save(options, {"machine": where, "runs": runs, "budget": budget})
        return 0
    account = show_account(runs["attached"])
    log = show_log(runs)
    measure.save(options, {"machine": where, "runs": runs, "account": account, "log": log})
    return 0


if __name__ == "__main__":
    measure.run("pause", main)
