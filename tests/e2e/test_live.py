"""What "live" means: what has survived a collection that could have freed it; the rest is new. And no
estimate of it exceeds what the heap has (S3, S8)."""

import contextlib
import functools
import math
import re
import time
import unittest

import table
from concurrentlog import LOG, Log
from jvm import TIMEOUT, Jvm, cases, column, expand, main, space
from profile import Sampler
from test_places import SPACES, STREAM, TYPES

ROOM = "-Xms192m -Xmx192m"
ROWS = tuple(table.Row(name, f"{ROOM} {flags}".strip()) for name, flags in (
    ("Serial", ""), ("Parallel", ""), ("G1", "-XX:G1HeapRegionSize=1m"), ("Z", ""),
    ("Shenandoah", "")))
HUGE = 5 << 20
KEPT = {"pair": 2 << 20, "longs500": 4 << 20, "ints256k": 6 << 20}
# Cycles of Shenandoah whose marking ended, and collections of the whole heap. With generations a
# degenerated pause does not say from what, and one may become a full collection.
MARKED = re.compile(r"Pause (?:Final Mark(?! \(Old\))|Full(?! GC)|Degenerated GC "
                    r"\((?:Outside of Cycle|Roots|Mark)\)).* [\d.]+ms")
EITHER = re.compile(r"Pause Degenerated GC \((?:Young|Global)\).* [\d.]+ms|"
                    r"Degenerated GC upgrading to Full GC")
FULL = re.compile(r"Pause Full(?! GC).* [\d.]+ms")
METHODS = {"pair": "makePair", "longs500": "makeLongs500", "ints256k": "makeInts256k"}


def generational_z(jdk, row):
    return row.collector == "Z" and jdk.major > 20


@expand
class Live(unittest.TestCase):
    def start(self, jdk, row, interval="4k"):
        jvm = Jvm(jdk, "Sites", row.flags, "port=0,frequent=50000")
        self.addCleanup(jvm.__exit__, None, None, None)
        jvm.answer()
        view = Sampler(jvm.address())
        self.addCleanup(view.__exit__, None, None, None)
        view.interval(interval)
        jvm.ask("keep chars200 6m", view)
        jvm.ask("drop chars200", view)
        return jvm, view

    def collect(self, jvm, view, times=1):
        for _ in range(times):
            jvm.ask("gc", view)
            view.idle(0.2)
        return view.steady("live")

    @cases(ROWS, in_turn=True)
    def check_new(self, jdk, row):
        """Nothing is live before it has survived a collection, nor is garbage ever; what is kept is
        live afterwards, and its age counts from there."""
        jvm, view = self.start(jdk, row)
        self.collect(jvm, view)
        for site, bytes_ in KEPT.items():
            jvm.ask(f"keep {site} {bytes_ // 2}", view)
            jvm.ask(f"run {site} 1 256k", view)
        p = view.steady("live")
        mine = [e for method in METHODS.values() for e in p.by(method)]
        quiet = p.collections
        self.assertGreater(len(mine), 100)
        if view.profile("live").collections == quiet and row.collector in ("Serial", "Parallel"):
            self.assertEqual({e.age for e in mine}, {0})
            totals = view.profile()
            for method in METHODS.values():
                self.assertEqual(totals.total(method, "live_bytes"), 0)
                self.assertGreater(totals.total(method, "new_bytes"), 0)
        p = self.collect(jvm, view, 2)
        kept = [e for method in METHODS.values() for e in p.by(method)]
        self.assertGreater(len(kept), 50)
        # A cycle that was under way when they were allocated does not judge them.
        young = [e for e in kept if e.age == 0]
        self.assertLess(len(young), 0.1 * len(kept) if generational_z(jdk, row) else 1, young)
        self.assertGreater(p.judged_old["number"], 0)
        self.await_finish(view, p.judged["number"])
        self.assertTrue(p.since <= p.judged["end"] <= p.wall)
        self.assertNotEqual(p.judged["kind"], "")
        totals = view.profile()
        live = sum(totals.total(method, "live_bytes") for method in METHODS.values())
        found = sum(e.bytes for e in kept if e.age)
        self.assertAlmostEqual(live, found, delta=0.02 * found)

    @cases(ROWS[:3] + (table.Row("Z", ROOM, unlock=table.EXPERIMENTAL),
                       table.Row("Shenandoah", f"{ROOM} -XX:+ExplicitGCInvokesConcurrent")),
           in_turn=True)
    def check_under_load(self, jdk, row):
        """What is kept is alive, in its true size, and garbage never is, in cycles that run beside a
        program that makes garbage: also where their pauses cannot be told apart."""
        jvm, view = self.start(jdk, row, "16k")
        kept = {"makeLongs500": 50 << 20, "makeInts256k": 6 << 20}
        jvm.ask("keep longs500 50m", view)
        jvm.ask("keep ints256k 6m", view)
        for _ in range(6):
            jvm.ask("run pair 1 40m", view)
            jvm.ask("gc", view)
            p = view.profile("live")
            self.assertEqual(sum(e.bytes for e in p.by("makePair") if e.age), 0)
            if p.used != 0:  # what live figures are reduced to
                self.assertGreater(p.used, sum(kept.values()))
        p = view.steady("live")
        for method, bytes_ in kept.items():
            # Of 24 large arrays generational ZGC tracks three on average (docs/sampling.md).
            if method == "makeInts256k" and generational_z(jdk, row) and not p.by(method):
                continue
            error = math.sqrt(p.total(method, "bytes_variance"))
            self.assertLess(error, bytes_ if generational_z(jdk, row) else 0.2 * bytes_)
            self.assertAlmostEqual(p.total(method), bytes_, delta=5 * error + 0.05 * bytes_)
            self.assertGreater(sum(e.bytes for e in p.by(method) if e.age), 0)
        self.assertEqual(jvm.quit(), 0)

    def await_finish(self, view, number):
        """An event of the collection with that number comes, if it has not yet."""
        end = time.monotonic() + TIMEOUT
        while number not in (view.attributes(f)["Collection"] for f in view.of("GC finish")):
            self.assertLess(time.monotonic(), end, f"no GC finish of collection {number}")
            view.idle(0.1)

    @cases(ROWS + tuple(table.Row(row.collector, f"{ROOM} -XX:+DisableExplicitGC",
                                  name="DisableExplicitGC") for row in ROWS), in_turn=True)
    def check_request(self, jdk, row):
        """The topic gc: a collection, with its number and pause; what was new is live then. Only
        Shenandoah applies DisableExplicitGC to requests of agents, and says so."""
        jvm, view = self.start(jdk, row)
        jvm.ask("keep pair 8m", view)
        answer = view.answer(view.ask("gc"))
        if row.name and row.collector == "Shenandoah":
            self.assertEqual(answer.status, "UNSUPPORTED")
            self.assertIn("with -XX:+DisableExplicitGC Shenandoah ignores requests", answer.words)
            return
        self.assertEqual((answer.status, answer.words), ("OK", ""))
        figures = dict(line.split("=") for line in answer.body.decode().splitlines())
        self.assertEqual(set(figures), {"collection", "pause"})
        self.assertGreater(int(figures["collection"]), 0)
        self.assertTrue(0 < int(figures["pause"]) < 30_000_000_000)
        kept = view.steady("live").by("makePair")
        self.assertGreater(len(kept), 50)
        if not generational_z(jdk, row):
            self.assertGreater(sum(e.age >= 1 for e in kept), 0.9 * len(kept))
        again = view.answer(view.ask("gc")).body.decode()
        self.assertGreater(int(again.split("\n")[0].split("=")[1]), int(figures["collection"]))

    @cases(ROWS[:3])
    def check_request_while_critical(self, jdk, row):
        """The JVM drops requests while native code is in a JNI critical section: they are made again,
        until a full collection has come."""
        jvm, view = self.start(jdk, row)
        jvm.ask("critical", view)
        for _ in range(5):
            full = self.full_collections(jvm)
            answer = view.answer(view.ask("gc"))
            self.assertEqual((answer.status, answer.words), ("OK", ""))
            self.assertEqual(self.full_collections(jvm), full + 1)

    def full_collections(self, jvm):
        counters = jvm.jcmd("PerfCounter.print")
        return int(re.search(r"^sun\.gc\.collector\.1\.invocations=(\d+)", counters, re.M)[1])

    @cases((table.Row("Epsilon", "-Xmx512m", unlock=table.EXPERIMENTAL),), in_turn=True)
    def check_no_collector(self, jdk, row):
        """Epsilon has none, which is said."""
        jvm = Jvm(jdk, "Sites", row.flags, "port=0")
        self.addCleanup(jvm.__exit__, None, None, None)
        jvm.answer()
        view = Sampler(jvm.address())
        self.addCleanup(view.__exit__, None, None, None)
        self.assertEqual(view.refusal("gc"), ("UNSUPPORTED", "Epsilon does not collect garbage"))

    @cases(table.CONCURRENT[1:])
    def check_cycles(self, jdk, row):
        """S3: each cycle of Shenandoah is counted, also one that frees whole regions only and ends with
        its marking, with and without a client; what was kept is as old as there were cycles."""
        marks, evacuates = "ShenandoahFinalMarkStartEvac", "ShenandoahInitUpdateRefs"
        for attached in (False, True):
            with Jvm(jdk, "Sites", row.flags, "port=0,interval=8k", log=LOG) as jvm:
                jvm.answer()
                with contextlib.ExitStack() as stack:
                    view = stack.enter_context(Sampler(jvm.address())) if attached else None
                    jvm.ask("keep pair 1m", view)
                    while self.pauses(jvm).count(marks) < 20:
                        jvm.ask("run ints256k 16 2m", view)
                    view = view or stack.enter_context(Sampler(jvm.address()))
                    for _ in range(3):
                        jvm.ask("gc", view)
                    # A cycle may end at any time.
                    before = jvm.read("gc.log")
                    p = view.steady("live")
                    pauses = self.pauses(jvm)
                    log = jvm.read("gc.log")
            full = len(FULL.findall(before)) if row.name else 0
            most = len(MARKED.findall(log)) + len(EITHER.findall(log))
            least = len(MARKED.findall(before)) - full
            self.assertGreater(pauses.count(marks), pauses.count(evacuates))
            self.assertTrue(least <= p.collections <= most, (attached, p.collections, least, most))
            self.assertGreater(max(e.age for e in p.by("makePair")), 0.8 * p.collections)

    @staticmethod
    def pauses(jvm):
        return [pause.operation for pause in Log(jvm.log).pauses]

    @cases(ROWS, in_turn=True)
    def check_sums(self, jdk, row):
        """At each collection's end: live estimates are within the used bytes, but for their error;
        those of the map's tiles within those of the tile."""
        jvm, view = self.start(jdk, row, "8k")
        for turn in range(4):
            for site, bytes_ in KEPT.items():
                jvm.ask(f"keep {site} {bytes_}", view)
                jvm.ask("run all 2 256k", view)
            if turn % 2:
                jvm.ask("drop longs500", view)
            p = self.collect(jvm, view)
            live = [e for e in p.entries if e.age]
            error = math.sqrt(sum(e.bytes_variance for e in live))
            self.assertGreater(p.used, 0)
            self.assertLessEqual(p.used, 192 << 20)
            self.assertLessEqual(sum(e.bytes for e in live), p.used + 5 * error)
            for name in SPACES[row.collector]:
                tiles = space(view.picture(), name)
                used, sampled = column(tiles, "Used"), column(tiles, STREAM)
                self.assertTrue(all(s <= u for s, u in zip(sampled, used)))

    def region(self, jdk, row, profile, entry):
        """The type of an entry's region. With generations of ZGC it also has a part of the heap."""
        name = profile.regions(entry)
        if generational_z(jdk, row):
            name, part = name.split(", ")
            self.assertIn(part, ("eden", "survivor", "old"))
        return name

    @cases(ROWS, in_turn=True)
    def check_places(self, jdk, row):
        """Live samples have an address and a type of region; what was allocated, and what died of it,
        the region where it was allocated: humongous objects by their size."""
        jvm, view = self.start(jdk, row)
        jvm.ask(f"huge 6 {HUGE}", view)
        jvm.ask("keep pair 512k", view)
        p = view.steady("live")
        names = functools.partial(self.region, jdk, row, p)
        placed = [e for e in p.entries if e.address]
        self.assertGreater(len(placed), 0.95 * len(p.entries))
        self.assertLessEqual({names(e) for e in placed}, set(TYPES[row.collector]))
        there = {names(e) for e in p.by("makeHuge")}
        totals = view.profile()
        born = {self.region(jdk, row, totals, e) for e in totals.by("makeHuge")}
        if row.collector in ("G1", "Z", "Shenandoah"):
            self.assertEqual(born, there)
            huge = view.chosen("allocated", ("where", "humongous"))
            self.assertEqual(huge.total("makeHuge"), totals.total("makeHuge"))
            self.assertEqual(huge.by("makePair"), [])
        else:
            self.assertEqual(len(born), 1)
        big = view.chosen("allocated", ("min-size", "1m"))
        self.assertEqual(big.total("makeHuge"), totals.total("makeHuge"))
        self.assertEqual(big.by("makePair"), [])
        self.assertTrue(all(e.size >= 1 << 20 for e in big.entries))
        self.assertIn("objects of at least 1 MiB", big.as_of)
        self.assertEqual({e.size for e in totals.by("makeHuge")}, {1 << 22})
        # They die, and are found among the garbage.
        jvm.ask("drop all", view)
        self.collect(jvm, view, 2)
        dead = view.chosen("frequent", ("min-size", "1m"))
        self.assertTrue(all(e.size >= 1 << 20 for e in dead.entries))
        self.assertLessEqual({self.region(jdk, row, dead, e) for e in dead.by("makeHuge")}, born)
        if not generational_z(jdk, row):
            self.assertGreater(len(dead.by("makeHuge")), 0)


@expand
class First(unittest.TestCase):
    @cases((table.Row("Serial", options="port=0,interval=16k"),), in_turn=True)
    def check_what_the_first_client_is_told(self, jdk, row):
        """Counters of the general information are up to date when the first client attaches."""
        with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
            jvm.ask("churn 30m")
            time.sleep(4)  # the program allocates nothing, and the sampler sleeps
            with jvm.attach() as view:
                walk = view.lines()["Stack walk"]
        self.assertGreater(int(re.search(r"([\d,]+) stacks", walk)[1].replace(",", "")), 100, walk)


if __name__ == "__main__":
    main()
