"""The heavy volume where collections run beside the program, and where there are none (H5, F19, Q4): what
Shenandoah and Epsilon hold, against the JVM's own histogram of their heaps."""

import time
import unittest

import table
from heavy import (HEAVY, STALE, Counting, counted, has, heaps, histogram, shown, stale, after_tick, walked,
                   total, without_fillers)
from jvm import MIB, Jvm, cases, column, expand, main, space, summary
from clock_ticks import ClockTicks


class Counts(Counting, unittest.TestCase):
    """What both have in common."""

    def compare(self, jdk, row, snapshot, text):
        """The program is idle, but the JVM's own threads are not: they may make a few objects."""
        truth = without_fillers(jdk, histogram(text))
        classes = without_fillers(jdk, shown(snapshot))
        truth = {name: entry for name, entry in truth.items() if "Filler" not in name}
        self.assertEqual(total(row, snapshot, "Unparsable"), 0)
        self.compare_classes(truth, classes, 20)
        if "GCBench$Node" in truth:
            self.assertEqual(classes["GCBench$Node"], truth["GCBench$Node"])
        self.consistent(row, snapshot)

    def consistent(self, row, snapshot):
        """F4: what each tile says, and all of them together."""
        everything = 0
        for s in heaps(row, snapshot):
            used, taken, lost = (column(s, n) for n in ("Used", "Object bytes", "Unparsable"))
            objects, arrays, scalars = (column(s, n) for n in ("Objects", "Arrays", "Scalars"))
            filled = column(s, "Fillers") if has(s, "Fillers") else [0] * s.tiles
            for i in range(s.tiles):
                self.assertLessEqual(taken[i] + lost[i] + filled[i], used[i], (s.name, i))
                self.assertEqual(objects[i], arrays[i] + scalars[i])
            self.assertEqual(summary(s, "Objects"), [sum(objects)])
            self.assertEqual(sum(summary(s, "Counted").values()), s.tiles)
            self.assertFalse(has(s, "Dirty cards"))
            everything += sum(objects)
        classes = space(snapshot, "Classes")
        self.assertEqual(sum(column(classes, "Instances")), everything)


@expand
class Shenandoah(Counts):
    @cases(table.HEAVY_SHENANDOAH, in_turn=True)
    def check_classes(self, jdk, row):
        """H5: what an idle program has alive after a cycle is what the histogram finds reachable."""
        with Jvm(jdk, "GCBench", row.flags, HEAVY, ["rounds=60", "hold=600"]) as jvm, \
                jvm.attach() as view:
            jvm.truth(view)
            self.compare(jdk, row, *counted(jdk, row, jvm, view))
            for snapshot in view.of("GC finish"):
                if walked(row, snapshot) and not stale(row, snapshot):
                    self.consistent(row, snapshot)

    @cases(table.HEAVY_SHENANDOAH[:1], in_turn=True)
    def check_pauses(self, jdk, row):
        """H5: which pauses of a cycle are walked; at the others tiles keep their values and are stale."""
        with Jvm(jdk, "GCBench", row.flags, HEAVY, ["rounds=600"]) as jvm, jvm.attach() as view:
            jvm.truth(view)
            kinds = {}
            for s in view.of("GC finish")[2:]:
                kinds.setdefault(view.attributes(s)["Kind"], []).append(stale(row, s) == 0)
            for kind, whole in kinds.items():
                if kind in ("Init mark", "Init update refs"):
                    self.assertFalse(any(whole), kind)
                elif kind != "Pause":  # where pauses follow each other fast, some are left out
                    self.assertGreater(sum(whole), len(whole) / 2, kind)
            self.assertIn("Final mark", kinds)
            for s in view.of("GC start"):
                self.assertFalse(space(s, "Shenandoah regions").gathered)

    @cases(table.HEAVY_SHENANDOAH[:1], in_turn=True)
    def check_budget(self, jdk, row):
        """F19: what does not fit is stale, and every region has its turn."""
        options = "port=0,volume=heavy,heavy-budget=1"
        with Jvm(jdk, "GCBench", row.flags, options, ["rounds=600"]) as jvm, \
                jvm.attach() as view:
            jvm.truth(view)
            s = space(view.of("GC finish")[-1], "Shenandoah regions")
            told = sum(word != "Not counted" for word in self.words(s))
            self.assertGreater(told, 0.9 * sum(u > 0 for u in column(s, "Used")))

    def words(self, s):
        names = list(summary(s, "Counted"))
        return [names[v] for v in column(s, "Counted")]

    @cases(table.HEAVY_NOT, in_turn=True)
    def check_generational(self, jdk, row):
        """The generational mode says why it has none."""
        with Jvm(jdk, "Layout", row.flags, HEAVY) as jvm, jvm.attach() as view:
            told = dict(view.info)
            self.assertRegex(told["Not available: heavy volume"], "generational mode no marking")
            self.assertNotIn("Classes", [s.name for s in view.spaces])
            self.assertEqual(jvm.quit(), 0)


@expand
class Epsilon(ClockTicks, Counts):
    @cases(table.HEAVY_EPSILON, in_turn=True)
    def check_classes(self, jdk, row):
        """H5: everything that was ever allocated, around the free parts of buffers."""
        with Jvm(jdk, "GCBench", row.flags, HEAVY + ",clock=200", ["rounds=30", "hold=600"]) as jvm, \
                jvm.attach() as view:
            jvm.truth(view)
            self.compare(jdk, row, *counted(jdk, row, jvm, view))

    @cases(table.HEAVY_EPSILON[:1], in_turn=True)
    def check_buffers(self, jdk, row):
        """What fills buffers that were walked over before is counted, and each object once."""
        options = "port=0,volume=heavy,clock=20,heavy-budget=5"
        with Jvm(jdk, "GCBench", row.flags, options, ["rounds=30", "hold=600"]) as jvm, \
                jvm.attach() as view:
            jvm.truth(view)
            self.compare(jdk, row, *counted(jdk, row, jvm, view))
            ticks = view.of("Clock")
            part = [s for s in ticks if stale(row, s) and shown(s)]
            self.assertTrue(part, "nothing is shown before everything is known")
            counts = [sum(column(space(s, "Classes"), "Instances")) for s in ticks if shown(s)]
            self.assertEqual(counts, sorted(counts), "nothing ever leaves")

    @cases(table.HEAVY_EPSILON[:1])
    def check_known_heap(self, jdk, row):
        """F19: a clock tick costs what is new in the heap, not what is known of it."""
        with Jvm(jdk, "GCBench", row.flags, HEAVY + ",clock=50", ["rounds=40", "hold=600"]) as jvm, \
                jvm.attach() as view:
            jvm.truth(view)
            after_tick(view, row)
            cpu, since = jvm.cpu(), len(view.of("Clock"))
            view.wait(lambda: len(view.of("Clock")) >= since + 20)
            # To pass over all of its 16 million objects 20 times takes 2.7 s and more.
            self.assertLess(jvm.cpu() - cpu, 1.5)

    @cases(table.EPSILON_VIRTUAL, in_turn=True)
    def check_virtual_threads(self, jdk, row):
        """H4, H5, Q4: thousands of virtual threads, while clients come and go; carriers have the buffers."""
        arguments = ["rounds=25000", "kind=virtual", "hold=600"]
        with Jvm(jdk, "Stacks", row.flags, row.options, arguments) as jvm:
            cycles = 0
            while cycles < 30 and not jvm.out:
                with jvm.attach() as view:
                    view.wait(lambda v=view: v.of("Clock"), 20)
                cycles += 1
            with jvm.attach() as view:
                self.assertIn("rounds=100000 ", jvm.truth(view))
                self.compare_ticks(view, jvm)
                self.assertLess(space(view.snapshots[-1], "TLABs").tiles, 200)
                if "heavy" in row.options:
                    self.compare(jdk, row, *counted(jdk, row, jvm, view))
                self.assertTrue(jvm.alive())

    @cases(table.HEAVY_EPSILON[:1], in_turn=True)
    def check_settings(self, jdk, row):
        """H5: the program is stopped for nobody, and not without the clock."""
        with Jvm(jdk, "Layout", row.flags, "port=0,clock=0,volume=heavy") as jvm, \
                jvm.attach() as view:
            jvm.ask("alloc 5m", view)
            time.sleep(0.5)
            self.assertEqual(view.of("Clock"), [])
            self.assertEqual(view.answered(view.set("clock", "50")).status, "OK")
            snapshot = after_tick(view, row)
            self.assertGreaterEqual(shown(snapshot)["java.lang.Object[]"][1], 5 * MIB)
            answer = view.answered(view.set("heavy-events", "start"))
            self.assertEqual(answer.status, "OK")
            self.assertRegex(answer.words, "^heavy: .* clock tick, .* at most 20 ms$")
            after_tick(view, row)
            self.assertEqual(view.answered(view.set("volume", "light")).status, "OK")
            view.wait(lambda: total(row, view.of("Clock")[-1], "Objects") == 0)
            self.assertEqual(space(view.of("Clock")[-1], "Classes").tiles, 0)
            self.assertEqual(jvm.quit(), 0)

    @cases(table.HEAVY_EPSILON[:1], in_turn=True)
    def check_clients_that_come_and_go(self, jdk, row):
        """Q4: thirty clients, each for a few ticks, some for none."""
        options = "port=0,volume=heavy,clock=20"
        with Jvm(jdk, "GCBench", row.flags, options, ["rounds=30", "hold=600"]) as jvm:
            for cycle in range(30):
                with jvm.attach() as view:
                    if cycle % 3:
                        view.wait(lambda v=view, n=cycle % 3: len(v.of("Clock")) >= n, 20)
                self.assertTrue(jvm.alive())
            with jvm.attach() as view:
                jvm.truth(view)
                last = after_tick(view, row)
                self.assertEqual([c for s in heaps(row, last) for c in column(s, "Control")
                                  if c & STALE], [])
                self.compare(jdk, row, last, jvm.jcmd("GC.class_histogram"))


if __name__ == "__main__":
    main()
