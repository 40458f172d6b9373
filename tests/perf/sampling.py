#!/usr/bin/env python3
"""What sampled allocation costs the program's own threads.

Runs the program Hostile (about 3 GB of allocation for each second of its workers' processor time,
on thousands of stacks) without the agent, again without it (the noise), and with the agent sampling at
several intervals; interleaved, in rotated order, each run divided by that without the agent of the
same round. The workers measure their own processor time; that of the whole process and the peak of
resident memory are printed as well. The heap is touched before the program starts and one thread
collects, so that memory is the agent's and collectors do not spin.

    sampling.py --rounds 8
    sampling.py --gc ZGC --configurations 512k --rounds 6 --java /usr/lib/jvm/…/bin/java

With --workloads DIR h2 (or another program of that folder, see overhead.py) is run instead.
"""

import os
import re
import sys

import measure
from measure import say
from overhead import run_workload

CONFIGURATIONS = {
    "control": None,
    "512k": "interval=512k",
    "64k": "interval=64k",
    "64k-jvmti": "interval=64k,stackwalk=jvmti",
    "512k-jvmti": "interval=512k,stackwalk=jvmti",
    "off": "interval=0",
}
# Upper limits of the ratio by workload, configuration and what is measured.
TARGETS = {
    ("hostile", "512k"): ("worker", 1.03),
    ("hostile", "64k"): ("worker", 1.15),
    ("h2", "512k"): ("total", 1.01),
    ("zgc", "512k"): ("total", 1.10),
}


def run_hostile(build, options, flags, folder):
    rounds = 40 if options.smoke else options.work
    heap = ["-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"]
    threads = ["-XX:ParallelGCThreads=1", "-XX:ConcGCThreads=1"]
    run = measure.Run([build.java, *heap, *threads, *build.jvm, *flags, "-cp", build.jar,
                       "Hostile", f"rounds={rounds}"], folder)
    peak = 0
    try:
        while run.alive():
            try:
                with open(f"/proc/{run.pid}/status", encoding="utf-8") as status:
                    found = re.search(r"VmHWM:\s+(\d+)", status.read())
                    peak = max(peak, int(found[1]) if found else 0)
            except OSError:
                pass
            measure.time.sleep(0.05)
        code = run.end()
    finally:
        run.kill()
    truth = re.search(r"^truth Hostile rounds=\d+ workercpu=(\d+) workerbytes=(\d+) checksum=(\w+)$",
                      run.read("out"), re.M)
    if code != 0 or truth is None:
        raise RuntimeError(f"Hostile failed: {run.read('err')[-500:]}")
    return {"worker": int(truth[1]) / 1e9, "total": run.cpu, "wall": run.wall, "peak": peak / 1024,
            "bytes": int(truth[2]), "check": truth[3]}


def one_run(build, options, configuration):
    with measure.scratch() as folder:
        flags = [f"-XX:+Use{options.gc}{'' if options.gc.endswith('GC') else 'GC'}"]
        extra = CONFIGURATIONS.get(configuration)
        if extra:
            flags.append(measure.agent_option(build, folder) + "," + extra)
        if options.workload == "hostile":
            return run_hostile(build, options, flags, folder)
        result, _ = run_workload(build, options, options.workload, None, flags, folder,
                                 lambda run: None)
        return dict(result, total=result["cpu"])


def summarize(options, runs, configuration, what):
    ratios = [there[what] / base[what] for there, base in zip(runs[configuration], runs["none"])]
    low, high = measure.bootstrap(ratios)
    row = {"ratio": measure.median(ratios), "low": low, "high": high}
    key = ("zgc" if options.gc == "ZGC" else options.workload, configuration)
    target = TARGETS.get(key)
    if target and target[0] == what:
        row["target"] = target[1]
        row["verdict"] = measure.verdict(row["ratio"], low, high, target[1])
    return row


def show(options, runs):
    first = runs["none"][0]
    whats = [what for what in ("worker", "total") if what in first]
    say(f"\n{options.workload}, {options.gc}: {len(runs['none'])} rounds; without the agent "
        + ", ".join(f"{measure.median([r[w] for r in runs['none']]):.2f} s {w}" for w in whats))
    if "bytes" in first:
        say(f"{first['bytes'] / 1e9:.2f} GB allocated, "
            f"{measure.median([r['bytes'] / r['worker'] / 1e9 for r in runs['none']]):.2f} GB "
            "for each second of the workers")
    rows = {}
    for configuration in runs:
        if configuration == "none":
            continue
        for what in whats:
            row = summarize(options, runs, configuration, what)
            rows[f"{configuration} {what}"] = row
            target = f"{row['target']}  {row['verdict']}" if "target" in row else ""
            say(f"{configuration:12} {what:7} {row['ratio']:6.3f}  "
                f"[{row['low']:.3f}, {row['high']:.3f}]  {target}")
        if "peak" in first:
            grown = measure.median([r["peak"] for r in runs[configuration]]) - \
                measure.median([r["peak"] for r in runs["none"]])
            say(f"{configuration:12} memory  {grown:+6.1f} MiB at the peak")
    return rows


def main():
    p = measure.parser(__doc__.split("\n", 1)[0])
    p.add_argument("workload", nargs="?", default="hostile", help="hostile, or one of --workloads")
    p.add_argument("--workloads", metavar="DIR", help="folder with run.sh; see overhead.py")
    p.add_argument("--gc", default="G1", help="G1, Serial, Parallel, ZGC, Shenandoah")
    p.add_argument("--configurations", nargs="+", choices=list(CONFIGURATIONS),
                   default=["control", "512k", "64k", "64k-jvmti"])
    p.add_argument("--work", type=int, default=1500, help="Hostile's rounds")
    options = p.parse_args()
    if options.smoke:
        options.rounds, options.configurations = 1, ["64k"]
    options.rounds = options.rounds or 8
    if options.workload != "hostile" and not options.workloads:
        p.error("a workload other than hostile needs --workloads DIR")
    build = measure.Build(options)
    where = measure.machine(build)
    names = ["none", *options.configurations]
    runs = {name: [] for name in names}
    for turn in range(options.rounds):
        for name in measure.rotated(names, turn):
            runs[name].append(one_run(build, options, name))
            if sys.stderr.isatty():
                print(".", end="", file=sys.stderr, flush=True)
    if len({run["check"] for each in runs.values() for run in each}) != 1:
        raise RuntimeError("the runs gave different results")
    measure.save(options, {"machine": where, "runs": runs, "rows": show(options, runs)})
    return 0


if __name__ == "__main__":
    os.chdir(os.path.dirname(os.path.abspath(__file__)) or ".")
    measure.run("sampling", main)
