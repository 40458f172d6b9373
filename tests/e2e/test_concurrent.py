"""ZGC and Shenandoah, whose heaps change between short pauses: kinds and numbers of the pauses
against the JVM's log, every page and region against what the JVM prints of them (H2, H3, H4, H7,
F2, F4, F5, F15).
"""

import time
import unittest

import table
from concurrentlog import KINDS, LOG, MIB, Log, pages, regions
from jvm import (LINK, TIMEOUT, UNUSED, USED, Jvm, cases, column, expand, main, named, space,
                 summary, wire)
from pauses import FINISH, GRANULE, Pauses, heap_of

HUMONGOUS = ("size=2500k", "ring=6", "arrays=40", "rate=0", "hold=600")


@expand
class Concurrent(Pauses, unittest.TestCase):
    maxDiff = 4000

    @cases(table.CONCURRENT)
    def check_life(self, jdk, row):
        """A program's life: collections with nobody there, attached, at rest, held."""
        with Jvm(jdk, "Layout", row.flags, row.options, log=LOG) as jvm:
            jvm.address()
            for command in ("alloc 1m", "churn 30m", "gc", "churn 30m", "gc"):
                jvm.ask(command)
            with jvm.attach() as view:
                view.picture()
                for command in ("churn 30m", "gc", "alloc 8m", "churn 60m"):
                    jvm.ask(command, view)
                if row.collector == "Z" and jdk.major > 17:
                    self.age(jvm, view)
                for command in ("gc", "drop", "gc"):
                    jvm.ask(command, view)
                view.idle(0.3)
                self.compare_tlabs(view)
                self.check_hold(jvm, view)
                snapshots = list(view.snapshots)
                self.assertEqual(snapshots[-1].missed, 0)
                why = [v for k, v in view.info if k.startswith("Not available")]
            self.attach_again_and_again(jvm)
            self.assertEqual(jvm.quit(), 0)
            log = Log(jvm.log)
        self.assertTrue(all(len(words) > 20 for words in why))
        self.assertGreater(len(log.pauses), 8)
        self.compare_events(view, snapshots, log)
        finishes = [s for s in snapshots if s.event == FINISH]
        self.assertGreaterEqual(len(finishes), 6)
        self.assertIn("System.gc()", {view.attributes(f)["Cause"] for f in finishes})
        if row.collector == "Z":
            seen = self.compare_cycles(view, finishes, log, jdk)
            self.assertLessEqual({"live", "relocated" if jdk.major == 17 else "ages"}, seen)
        else:
            self.assertGreater(self.compare_collection_sets(view, finishes, log), 0)

    def age(self, jvm, view):
        """Has ZGC collect the young generation by itself until pages of several ages are seen.
        System.gc() makes all of them old, and only what does not fit into the heap is sure to make
        it collect."""
        for _ in range(64):  # as much as thirty heaps
            if self.has_aged(view.of("GC finish"), Log(jvm.log)):
                return
            jvm.ask("alloc 256k", view)
            jvm.ask("churn 60m", view)
            view.idle(0.1)
        self.fail("no young collection with pages of several ages")

    def check_hold(self, jvm, view):
        """F10: a client that holds the program at a start sees the heap there; others do not."""
        for start in view.of("GC start"):
            self.assertFalse(heap_of(start).gathered)
            self.assertTrue(space(start, "TLABs").gathered)
        before = len(view.of("GC start"))
        view.filter(0, pause=True)
        jvm.say("gc")
        view.wait(lambda: view.states and view.states[-1][0] == wire.PAUSED, TIMEOUT)
        view.wait(lambda: len(view.of("GC start")) > before, TIMEOUT)
        held = heap_of(view.of("GC start")[-1])
        self.assertTrue(held.gathered)
        self.assertGreater(sum(column(held, "Used")), MIB // 2)
        view.filter(0)
        view.resume()
        jvm.answer(view)
        view.idle(0.2)

    def attach_again_and_again(self, jvm):
        """Q4: clients come and go while it collects."""
        for _ in range(6):
            jvm.say("churn 30m")
            with jvm.attach() as view:
                view.picture()
            jvm.answer()

    @cases(table.STOPPED)
    def check_stopped(self, jdk, row):
        """H2: degenerated and full collections of Shenandoah, with the program standing still."""
        with Jvm(jdk, "Layout", row.flags, row.options, log=LOG) as jvm:
            with jvm.attach() as view:
                view.picture()
                for command in ("alloc 5m", "gc", "churn 150m", "gc"):
                    jvm.ask(command, view)
                view.idle(0.2)
                snapshots = list(view.snapshots)
            self.assertEqual(jvm.quit(), 0)
            log = Log(jvm.log)
        finishes = [s for s in snapshots if s.event == FINISH]
        told = [view.attributes(f) for f in finishes]
        for a, finish in zip(told, finishes):
            self.assertIn(a["Kind"], KINDS[self.pause_of(finish, log).operation])
            self.assertEqual(a["Collection"], self.pause_of(finish, log).number)
            self.assertLess(a["Used after"], a["Used before"])
        self.assertLessEqual({"Full", "Degenerated"}, {a["Kind"] for a in told})
        self.assertEqual({a["Cause"] for a in told}, {"System.gc()", "Allocation Failure"})

    @cases(table.CONCURRENT + table.AT_REST, in_turn=True, whole=3)
    def check_at_rest(self, jdk, row):
        """H3, F5, F15: a look between collections, by safe reads, against VM.info before and after
        it: what is the same in both is so in between. Humongous objects link their tiles."""
        with Jvm(jdk, "Humongous", row.flags, row.options, HUMONGOUS, log="gc*=info") as jvm:
            jvm.truth()
            picture, before, after = self.look_at_rest(jvm)
            self.assertTrue(jvm.alive())
        s = heap_of(picture)
        self.assertTrue(s.gathered)
        if row.collector == "Z":
            self.compare_pages(s, pages(before), pages(after))
        else:
            self.compare_regions(s, regions(before), regions(after))

    @staticmethod
    def look_at_rest(jvm):
        """A look, and VM.info before and after it, with no collection in between: the JVM collects
        for a while after the program has come to its rest, and again whenever it sees fit. A collection
        under way shows by a page that goes, or by regions that change."""
        jvm.jcmd("GC.run")
        deadline = time.monotonic() + TIMEOUT
        while True:
            collected = jvm.read("gc.log").count("GC(")
            before = jvm.jcmd("VM.info")
            with jvm.attach() as view:
                picture = view.picture()
            after = jvm.jcmd("VM.info")
            regions_of = regions(before), regions(after)
            changed = sum(regions_of[0][k] != regions_of[1].get(k) for k in regions_of[0])
            if picture.event is None and jvm.read("gc.log").count("GC(") == collected and \
                    pages(before).keys() <= pages(after).keys() and changed < 6:
                return picture, before, after
            if time.monotonic() > deadline:
                raise TimeoutError("the JVM does not stop collecting")

    def compare_pages(self, s, before, after):
        self.assertLessEqual(before.keys(), after.keys())
        granules = s.block_bytes // GRANULE
        self.assertLessEqual(s.tiles, 32 if granules > 1 else 8192)
        tiles = {start: i for i, start in enumerate(column(s, "Start"))}
        # The range begins at a power of two; its low end need not have pages, nor tiles.
        heap = 1 << min(column(s, "Start")).bit_length() - 1
        types, used = named(s, "Type"), [0] * s.tiles
        least = [0] * s.tiles
        shown, there, linked = set(), set(), set()
        for offset, (end, top, kind, generation, cycle) in after.items():
            for at in range(offset, end, GRANULE):
                i = tiles.get(heap + at // s.block_bytes * s.block_bytes)
                if i is None:  # made after the look, where no page had been before
                    self.assertNotIn(offset, before)
                    continue
                there.add(i)
                used[i] += max(0, min(top, at + GRANULE) - at)
                if offset not in before:
                    continue
                shown.add(i)
                least[i] += max(0, min(before[offset][1], at + GRANULE) - at)
                if at + GRANULE < end and (at + GRANULE) % s.block_bytes == 0:
                    linked.add(i)
                if granules == 1:
                    self.assertEqual(types[i], kind)
                    if generation:
                        self.assertEqual(named(s, "Generation")[i],
                                         {"Y": "Young", "O": "Old"}[generation])
                        self.assertEqual(column(s, "Cycle")[i], cycle)
        for i, control in enumerate(column(s, "Control")):
            self.assertTrue(control & USED or i not in shown, i)
            self.assertTrue(bool(control & UNUSED) == (not control & USED), i)
            self.assertTrue(control & UNUSED or i in there, i)
            self.assertEqual(bool(control & LINK), i in linked, i)
            self.assertLessEqual(least[i], column(s, "Used")[i])
            self.assertLessEqual(column(s, "Used")[i], used[i])
        large = [p for p in before.values() if p[2] == "Large"]
        self.assertGreaterEqual(len(large), 6, "an array of 2,560,016 bytes has a page of its own")
        self.assertEqual(summary(s, "Type")["Large"], len(large))
        self.assertLessEqual(sum(p[0] - o for o, p in before.items()), summary(s, "Used")[0])
        self.assertLessEqual(summary(s, "Used")[0], sum(p[0] - o for o, p in after.items()))

    def compare_regions(self, s, before, after):
        self.assertEqual(before.keys(), after.keys())
        low = before[0][1]
        size = before[0][3] - low
        per_tile = s.block_bytes // size
        self.assertEqual(s.tiles, -(-len(before) // per_tile))
        self.assertEqual(column(s, "Start"), [low + i * s.block_bytes for i in range(s.tiles)])
        states, used, control = named(s, "State"), column(s, "Used"), column(s, "Control")
        tiles = [range(i * per_tile, min((i + 1) * per_tile, len(before)))
                 for i in range(s.tiles)]
        compared = 0
        for i, parts in enumerate(tiles):
            if any(before[k] != after[k] for k in parts):
                continue
            compared += 1
            kinds = {before[k][0] for k in parts}
            self.assertIn(states[i], kinds - {"Uncommitted", "Empty"} or kinds - {"Uncommitted"} or
                          kinds)
            self.assertEqual(used[i], sum(before[k][2] - before[k][1] for k in parts))
            follows = parts[-1] + 1 in before and \
                before[parts[-1] + 1][0] == "Humongous continuation"
            self.assertEqual(bool(control[i] & LINK), follows)
            self.assertEqual(bool(control[i] & UNUSED), kinds == {"Uncommitted"})
            if per_tile == 1:
                _, _, _, _, live, unit = before[i]
                self.assertEqual(column(s, "Live")[i] // unit * unit, live)
        self.assertGreater(compared, s.tiles - 12)
        self.assertEqual(sum(summary(s, "State").values()), len(before))
        self.assertEqual(summary(s, "State")["Humongous start"],
                         sum(r[0] == "Humongous start" for r in before.values()))
        self.assertGreaterEqual(summary(s, "State")["Humongous start"], 6)


if __name__ == "__main__":
    main()
