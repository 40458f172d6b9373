#!/usr/bin/env python3
"""What searches for reference chains and histograms cost a program, beside the JVM's own tools.

Fills a heap with orders (java-test-apps/Holders) or with the rows of the database h2, then runs, in one
JVM and interleaved: `gcspy paths` for sampled objects, `gcspy histogram`, `jcmd GC.class_histogram`, the
dump of a flight recording with path-to-gc-roots, and `jcmd GC.heap_dump`. For each: the longest pause
and the sum, from the JVM's safepoint log without those of collections; and the processor time of the VM
thread and of the collector's threads, which is what the pauses would take on an idle machine. With
--window also the young collections before, during and after each; h2 works all the time, Holders
with --garbage.

    paths.py --objects 10000000 --rounds 3          2 GB heap of G1
    paths.py --gc Serial --objects 2000000 --garbage 300 --window 10
    paths.py --program h2 --objects 200000 --window 10
"""

import json
import os
import re
import subprocess
import time

import measure
from measure import say

LONGEST, SUM, MEMORY = 0.5, 2.5, 2.0  # seconds, seconds, MB: targets of a search at 10 million objects
PER_ORDER = 30                        # objects
COLLECTS = re.compile("CollectFor|FailedAllocation|G1Pause|G1TryInitiate|CollectFull")
H2 = "/usr/share/java/h2.jar"         # Debian: libh2-java


class Program:
    """A program with its heap filled, and what its pauses cost."""

    def __init__(self, build, options, folder):
        self.build, self.folder, self.window = build, folder, options.window
        self.wanted, jar = "Held", build.jar
        work = ["Holders", f"orders={options.objects // PER_ORDER}", f"garbage={options.garbage}"]
        if options.program == "h2":
            self.wanted, jar = "org.h2.value.Value[]", f"{build.jar}:{H2}"
            work = ["Database", f"rows={options.objects}", "rounds=1000000"]
        flags = [f"-XX:+Use{options.gc}GC", f"-Xms{options.heap}", f"-Xmx{options.heap}",
                 "-Xlog:safepoint:file=safepoints:none", "-Xlog:gc:file=collections:none",
                 "-XX:StartFlightRecording=settings=profile",
                 measure.agent_option(build, folder) + ",interval=64k", *build.jvm]
        self.run = measure.Run([build.java, *flags, "-cp", jar, *work], folder,
                               stdin=subprocess.PIPE)
        self.address = "unix:" + os.path.join(folder, "socket")
        try:
            self.run.process.stdin.write(b"\n")
            self.run.process.stdin.flush()
            if options.program == "h2":
                self.until(lambda: self.count(self.wanted) >= options.objects, "rows")
            else:
                self.until(lambda: "truth" in self.run.read("out"), "a filled heap")
        except BaseException:
            self.run.kill()
            raise

    def until(self, what, name):
        """Waits for a condition."""
        deadline = time.monotonic() + 10 * measure.TIMEOUT
        while not (found := what()):
            if time.monotonic() > deadline or not self.run.alive():
                raise RuntimeError(f"no {name}: {self.run.read('err')[-500:]}")
            time.sleep(0.05)
        return found

    def cpu(self):
        """Seconds of processor time so far of the threads that work in pauses."""
        return sum(sum(measure.threads_cpu(self.run.pid, name).values())
                   for name in ("VM Thread", "GC Thread"))

    def resident(self):
        """MB."""
        with open(f"/proc/{self.run.pid}/statm", encoding="utf-8") as text:
            return int(text.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20

    def young(self, seen):
        """Seconds that each young collection took, in the log from there on."""
        return [float(ms) / 1000 for ms in re.findall(r"Pause Young.* ([\d.]+)ms",
                                                      self.run.read("collections")[seen:])]

    def idle(self):
        """The young collections of a while in which nobody asks."""
        seen = len(self.run.read("collections"))
        time.sleep(self.window)
        return self.young(seen)

    def measured(self, operation):
        """What an operation returns, with the pauses and processor time since it began."""
        before = self.idle()
        collections = len(self.run.read("collections"))
        seen, cpu, resident = len(self.run.read("safepoints")), self.cpu(), self.resident()
        result = operation()
        log = self.run.read("safepoints")[seen:]
        cost = {"cpu": self.cpu() - cpu, "resident": self.resident() - resident}
        pauses = [int(ns) / 1e9 for name, ns in re.findall(
            r'Safepoint "(\w+)".*At safepoint: *(\d+) ns', log) if not COLLECTS.search(name)] or [0]
        return dict(result, longest=max(pauses), sum=sum(pauses), **cost,
                    young=[before, self.young(collections), self.idle()])

    def gcspy(self, *arguments):
        done = subprocess.run([self.build.gcspy, *arguments], capture_output=True, text=True,
                              check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def count(self, name):
        """How many objects of a class there are."""
        found = self.gcspy("histogram", self.address, "--format", "json") or {"classes": []}
        return sum(c["objects"] for c in found["classes"] if c["class"] == name)

    def search(self):
        found = self.until(lambda: self.gcspy("paths", self.address, "--class", self.wanted,
                                              "--format", "json", "--max-pause", "600000"), "live samples")
        return {"passes": found["pauses"], "tags": found["tagged_objects"],
                "chains": f"{found['chains_found']} of {found['sampled_objects']}",
                "longest_cpu": found["longest_cpu_ms"] / 1000,
                "passes_cpu": found["total_cpu_ms"] / 1000}

    def histogram(self):
        found = self.gcspy("histogram", self.address, "--format", "json")
        return {"objects": sum(c["objects"] for c in found["classes"]), "walk": found["walked_by"]}

    def jcmd(self, *command):
        tool = os.path.join(os.path.dirname(self.build.java), "jcmd")
        subprocess.run([tool, str(self.run.pid), *command], capture_output=True, check=True)
        return {}

    def dump(self):
        path = os.path.join(self.folder, "heap.hprof")
        self.jcmd("GC.heap_dump", "-all", path)
        size = os.path.getsize(path) / 2**20
        os.unlink(path)
        return {"file": size}

    def operations(self):
        return {
            "paths": self.search,
            "histogram": self.histogram,
            "class_histogram": lambda: self.jcmd("GC.class_histogram", "-all"),
            "JFR.dump": lambda: self.jcmd("JFR.dump", "path-to-gc-roots=true",
                                          "filename=" + os.path.join(self.folder, "jfr")),
            "heap_dump": self.dump,
        }


def rounds_of(build, options):
    runs = {}
    with measure.scratch() as folder:
        program = Program(build, options, folder)
        try:
            operations = program.operations()
            program.search()  # until samples are live
            for turn in range(options.rounds):
                for name in measure.rotated(list(operations), turn):
                    runs.setdefault(name, []).append(program.measured(operations[name]))
        finally:
            program.run.kill()
    return runs


def show_young(runs):
    """Young collections: how many, their median and the longest, in ms."""
    if not any(any(each) for run in runs["paths"] for each in run["young"]):
        return
    say(f"\n{'young, ms':16} {'before':>20} {'during':>20} {'after':>20}  number, median, longest")
    for name, each in runs.items():
        three = [sum((run["young"][i] for run in each), []) for i in range(3)]
        say(f"{name:16} " + " ".join(
            f"{len(all):6} {1000 * measure.median(all or [0]):6.1f} {1000 * max(all or [0]):6.1f}"
            for all in three))


def show(runs):
    say(f"\n{'':16} {'longest':>8} {'sum':>8} {'cpu':>8}  seconds, medians")
    for name, each in runs.items():
        at = [measure.median([run[key] for run in each]) for key in ("longest", "sum", "cpu")]
        say(f"{name:16} " + " ".join(f"{value:8.3f}" for value in at))
    show_young(runs)
    searches = runs["paths"]
    say("\nEach search: passes, chains, tagged objects; longest pause and sum, of them processor "
        "time; resident memory")
    for run in searches:
        say(f"{run['passes']:3} passes, {run['chains']} chains, {run['tags']} tags; "
            f"{run['longest']:.3f} s (cpu {run['longest_cpu']:.3f}), {run['sum']:.3f} s "
            f"(cpu {run['passes_cpu']:.3f}); {run['resident']:+.1f} MB")
    say(f"Histogram: {runs['histogram'][0]['objects']} objects, counted by "
        f"{', '.join(run['walk'] for run in runs['histogram'])}")
    for key, target in (("longest_cpu", LONGEST), ("passes_cpu", SUM), ("longest", LONGEST),
                        ("sum", SUM)):
        values = [run[key] for run in searches]
        low, high = measure.bootstrap(values)
        value = measure.median(values)
        say(f"{key}: {value:.3f} [{low:.3f}, {high:.3f}], target {target} at 10 million objects: "
            f"{measure.verdict(value, low, high, target)}")


def main():
    p = measure.parser(__doc__.split("\n", 1)[0])
    p.add_argument("--gc", default="G1", help="collector (default G1)")
    p.add_argument("--heap", default="2g", help="heap (default 2g)")
    p.add_argument("--objects", type=int, default=10_000_000, help="in the heap (default 10 million)")
    p.add_argument("--program", choices=("Holders", "h2"), default="Holders",
                   help="what fills it (default Holders); h2's objects are rows")
    p.add_argument("--garbage", type=int, default=0, help="of Holders, MiB a second (default 0)")
    p.add_argument("--window", type=float, default=0,
                   help="seconds before and after each operation (default 0)")
    options = p.parse_args()
    if options.smoke:
        options.rounds, options.heap, options.objects = 1, "128m", 100_000
        options.garbage, options.window = 300, 0.5
    options.rounds = options.rounds or 3
    build = measure.Build(options)
    build.gcspy = os.path.join(os.path.abspath(options.build), "bin", "gcspy")
    where = measure.machine(build)
    runs = rounds_of(build, options)
    show(runs)
    measure.save(options, {"machine": where, "runs": runs})
    return 0


if __name__ == "__main__":
    measure.run("paths", main)
