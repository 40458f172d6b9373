"""No estimate exceeds what is there: what samples say of the live heap against its used bytes, at the
finish of each collection, for every collector and for programs that are not made for it (S3, S8).

GCSPY_WORKLOADS names a folder with real programs: `list.sh` lists them, and `run.sh NAME OPTIONS`
runs one with these options of the JVM (JAVA: which) and fails unless its output was right.
"""

import contextlib
import math
import os
import subprocess
import tempfile
import time
import unittest

import table
from jvm import AGENT, JAR, TIMEOUT, Jvm, cases, column, expand, main, skipped, space, wire
from profile import Sampler
from test_h2 import FOUND
from test_places import SPACES, STREAM

FOLDER = os.environ.get("GCSPY_WORKLOADS", "")
ROOM = "-Xms128m -Xmx128m"
COLLECTORS = tuple(table.Row(c, ROOM) for c in ("Serial", "Parallel", "G1", "Z", "Shenandoah")) + (
    table.Row("Shenandoah", f"{ROOM} {table.GENERATIONAL}", since=25, name="generational",
              unlock=table.EXPERIMENTAL),)
GCBENCH, LEAK = ("GCBench", ("rounds=40",)), ("Leak", ("rate=16m", "total=48m"))
DATABASE = ("Database", ("rows=6000", "rounds=10")) if FOUND else GCBENCH
PROGRAMS = (DATABASE, LEAK, GCBENCH)


class Workload(table.Row):
    """A real program, which brings the size of its heap."""

    def __init__(self, row, program):
        words = [flag for flag in row.flags if not flag.startswith("-Xm")]
        super().__init__("", " ".join(words), since=row.since, name=f"{row.name} {program}".strip())
        self.collector, self.program = row.collector, program


def workloads():
    """A row for each program and collector."""
    if not FOLDER:
        return ()
    done = subprocess.run([os.path.join(FOLDER, "list.sh")], capture_output=True, text=True,
                          check=True, timeout=TIMEOUT)
    return tuple(Workload(c, line.split()[0]) for line in done.stdout.splitlines()
                 for c in COLLECTORS)


class Finishes:
    """A client that looks at each finish of a collection."""

    def __init__(self, case, row, view):
        self.case, self.row, self.view = case, row, view
        self.seen, self.asked, self.most = 0, 0, 0.0

    def take(self):
        """Compares what has come; asks for a profile if a collection has."""
        finishes = self.view.of("GC finish")
        new, self.seen = finishes[self.seen:], len(finishes)
        for finish in new:
            self.compare_tiles(finish)
        if new:
            self.compare_sites()

    def compare_tiles(self, finish):
        everything = held = 0
        for name in SPACES[self.row.collector]:
            tiles = space(finish, name)
            if not tiles.gathered:
                continue
            used, sampled = column(tiles, "Used"), column(tiles, STREAM)
            for i, (live, most) in enumerate(zip(sampled, used)):
                self.case.assertLessEqual(live, most, f"{name}, tile {i}")
            total = tiles.summaries[tiles.find(STREAM)][0]
            self.case.assertGreaterEqual(total, sum(sampled), name)
            everything, held = everything + total, held + sum(used)
        self.case.assertLessEqual(everything, held)
        self.most = max(self.most, everything)

    def compare_sites(self):
        p = self.view.profile("live")
        live = [e for e in p.entries if e.age]
        error = math.sqrt(sum(e.bytes_variance for e in live))
        self.asked += bool(live)
        if p.judged["number"]:
            self.case.assertGreater(p.used, 0)
            self.case.assertLessEqual(sum(e.bytes for e in live), p.used + 5 * error, p.judged)

    def check(self):
        """It saw something."""
        self.case.assertGreater(self.seen, 2)
        self.case.assertGreater(self.asked, 0)
        self.case.assertGreater(self.most, 0)


@expand
class Sums(unittest.TestCase):
    @cases(COLLECTORS, in_turn=True)
    def check_sums(self, jdk, row):
        """S3, S8: of our programs."""
        program, arguments = PROGRAMS[(COLLECTORS.index(row) + jdk.major) % len(PROGRAMS)]
        jar = f"{JAR}:{FOUND[0]}" if program == "Database" else JAR
        with Jvm(jdk, program, row.flags, "port=0,interval=32k", (*arguments, "hold=600"),
                 jar=jar) as jvm:
            with Sampler(jvm.address()) as view:
                finishes = Finishes(self, row, view)
                while "truth " not in jvm.out:
                    self.assertTrue(jvm.alive(), jvm.err[-1500:])
                    view.step_input(0.05)
                    finishes.take()
                jvm.jcmd("GC.run")
                jvm.jcmd("GC.run")
                seen = finishes.seen
                view.wait(lambda: len(view.of("GC finish")) > seen, TIMEOUT)
                view.steady("live")
                finishes.take()
        finishes.check()

    @cases(workloads(), in_turn=True)
    def check_workload(self, jdk, row):
        """S3, S8: of real programs."""
        with tempfile.TemporaryDirectory(prefix="gcspy-e2e-") as folder:
            path = os.path.join(folder, "agent.sock")
            command = [os.path.join(FOLDER, "run.sh"), row.program, *row.flags,
                       f"-agentpath:{AGENT}=socket={path},interval=64k"]
            environment = dict(os.environ, JAVA=jdk.java)
            with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True) as process:
                deadline, finishes = time.monotonic() + TIMEOUT, None
                while finishes is None and process.poll() is None:
                    self.assertLess(time.monotonic(), deadline, "the agent's socket")
                    time.sleep(0.05)
                    # It exists before the agent listens.
                    with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                        finishes = self.follow(path, row)
                said = process.communicate()[0]
            self.assertEqual(process.returncode, 0, said)
            self.assertIsNotNone(finishes, f"it ended before a client was attached\n{said}")
            finishes.check()

    def follow(self, path, row):
        """Until the program ends."""
        with Sampler("unix:" + path) as view:
            finishes = Finishes(self, row, view)
            try:
                while True:
                    view.step_input(0.05)
                    finishes.take()
            except wire.Closed:
                return finishes


if __name__ == "__main__":
    if not FOLDER:
        skipped("real programs of e2e.sums", "GCSPY_WORKLOADS names no folder with them")
    main()
