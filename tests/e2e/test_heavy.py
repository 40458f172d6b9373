"""The heavy volume: switched by any client, within its budget, for nobody nothing, beside classes and
clients that come and go (H5, F8, F9, F14, F19, Q4)."""

import unittest

import table
from heavy import HEAPS, HEAVY, settings, shown, stale, walked, total
from jvm import MIB, Jvm, TIMEOUT, cases, column, expand, main, space


@expand
class Volume(unittest.TestCase):
    @cases(table.HEAVY_PLAIN, in_turn=True)
    def check_switched(self, jdk, row):
        """H5: any client turns it on and off while the program runs; errors name the valid values."""
        with Jvm(jdk, "Layout", row.flags, "port=0") as jvm, jvm.attach() as view:
            told = settings(view)
            self.assertEqual((told["volume"], told["heavy-events"], told["heavy-budget"]),
                             ("light", "finish", "20"))
            jvm.ask("alloc 5m", view)
            jvm.ask("gc", view)
            view.wait(lambda: view.of("GC finish"))
            light = view.of("GC finish")[-1]
            self.assertEqual((walked(row, light), total(row, light, "Objects")), (0, 0))
            self.assertEqual(space(light, "Classes").tiles, 0)
            for key, value, words in (("volume", "loud", "light or heavy"),
                                      ("heavy-events", "never", "finish, start or both"),
                                      ("heavy-budget", "0", "from 1 to 1000")):
                answer = view.answered(view.set(key, value))
                self.assertEqual(answer.status, "ARGUMENT")
                self.assertIn(words, answer.words)
            with jvm.attach() as other:
                for key, value in (("heavy-budget", "1000"), ("volume", "heavy")):
                    answer = other.answered(other.set(key, value))
                    self.assertEqual(answer.status, "OK")
                self.assertRegex(answer.words, "^heavy: .* at the finish .* at most 1000 ms$")
            self.assertEqual(settings(view)["volume"], "heavy")
            heavy = self.after(jvm, view, "gc")
            self.assertGreater(total(row, heavy, "Object bytes"), 5 * MIB)
            self.assertEqual(stale(row, heavy), 0)
            classes = shown(heavy)
            self.assertGreaterEqual(classes["java.lang.Object[]"][1], 5 * MIB)
            starts = view.of("GC start")[-1]
            self.assertGreater(stale(row, starts) + (walked(row, starts) == 0), 0)
            view.answered(view.set("volume", "light"))
            light = self.after(jvm, view, "gc")
            self.assertEqual((walked(row, light), total(row, light, "Objects"), stale(row, light)),
                             (0, 0, 0))
            self.assertEqual(space(light, "Classes").tiles, 0)
            self.assertEqual(jvm.quit(), 0)

    def after(self, jvm, view, command):
        """The finish of the collection that the command makes."""
        since = len(view.of("GC finish"))
        jvm.ask(command, view)
        view.wait(lambda: len(view.of("GC finish")) > since)
        return view.of("GC finish")[-1]

    @cases(table.HEAVY_PLAIN, in_turn=True)
    def check_growth(self, jdk, row):
        """H5: what came and went between two walks, by class."""
        with Jvm(jdk, "Layout", row.flags, HEAVY) as jvm, jvm.attach() as view:
            self.after(jvm, view, "gc")
            jvm.ask("alloc 3m", view)
            more = self.growth(self.after(jvm, view, "gc"))
            self.assertLessEqual(abs(more - 3 * MIB), 0.05 * MIB)
            jvm.ask("drop", view)
            less = self.growth(self.after(jvm, view, "gc"))
            self.assertLessEqual(abs(less + 3 * MIB), 0.05 * MIB)
            self.assertEqual(jvm.quit(), 0)

    def growth(self, snapshot):
        s = space(snapshot, "Classes")
        return sum(g for name, g in zip(s.tile_names, column(s, "Growth"))
                   if name == "java.lang.Object[]")

    @cases(table.HEAVY_PLAIN, in_turn=True)
    def check_budget(self, jdk, row):
        """F19: what does not fit is stale, and later events complete it."""
        options = "port=0,volume=heavy,heavy-budget=1,block=4k"
        with Jvm(jdk, "GCBench", row.flags, options, ["rounds=400"]) as jvm, jvm.attach() as view:
            jvm.truth(view)
            seen = view.of("GC finish")
            self.assertTrue([s for s in seen if stale(row, s) > 0], "the first walk fits")
            self.assertTrue([s for s in seen if total(row, s, "Object bytes") > 4 * MIB])
            whole = [s for s in seen if stale(row, s) == 0]
            self.assertTrue(whole, "nothing is ever completed")
            for snapshot in whole:
                self.assertEqual(total(row, snapshot, "Object bytes"),
                                 total(row, snapshot, "Used") - total(row, snapshot, "Unparsable")
                                 - (total(row, snapshot, "Fillers") if jdk.major >= 19 else 0))
            # The next event has the cost of this one. The machine may be busy.
            events = [s for s in view.snapshots if s.event is not None]
            costs = [b.cost - a.cost for a, b in zip(events, events[1:])]
            self.assertLess(sum(c > 20e6 for c in costs), len(costs) / 10 + 1)

    @cases(table.HEAVY_PLAIN, in_turn=True)
    def check_starts(self, jdk, row):
        """H5: at a start the young objects are there, around the free parts of buffers."""
        with Jvm(jdk, "GCBench", row.flags, HEAVY + ",heavy-events=both", ["rounds=200"]) as jvm, \
                jvm.attach() as view:
            jvm.truth(view)
            starts = view.of("GC start")[3:]
            self.assertGreater(len(starts), 3)
            used = sum(total(row, s, "Used") for s in starts)
            taken = sum(total(row, s, "Object bytes") for s in starts)
            lost = sum(total(row, s, "Unparsable") for s in starts)
            self.assertGreater(taken, 0.9 * used)
            self.assertLessEqual(lost, 0.01 * used)
            self.assertGreater(shown(starts[-1])["GCBench$Node"][0], 10000)

    @cases(table.HEAVY_PLAIN, in_turn=True)
    def check_nothing_for_nobody(self, jdk, row):
        """F8, F9, F14: nothing is walked for events that are filtered out and spaces that are closed."""
        with Jvm(jdk, "Layout", row.flags, HEAVY) as jvm, jvm.attach() as view:
            names = [e["name"] for e in view.events]
            self.after(jvm, view, "gc")
            view.filter(names.index("GC finish"), enabled=False)
            view.obeyed()
            since = len(view.of("GC start"))
            jvm.ask("gc", view)
            view.wait(lambda: len(view.of("GC start")) > since)
            self.assertEqual(stale(row, view.of("GC start")[-1]) > 0, True)
            view.filter(names.index("GC finish"), enabled=True)
            for number, described in enumerate(view.spaces):
                if described.name in HEAPS[row.collector] + ("Classes",):
                    view.collapse(number, True)
            view.obeyed()
            closed = self.after(jvm, view, "gc")
            self.assertFalse(space(closed, "Classes").gathered)
            for number, described in enumerate(view.spaces):
                view.collapse(number, False)
            view.obeyed()
            self.after(jvm, view, "gc")
            opened = self.after(jvm, view, "gc")
            self.assertGreater(total(row, opened, "Objects"), 1000)
            self.assertEqual(jvm.quit(), 0)

    @cases(table.HEAVY_HARD, in_turn=True)
    def check_hard(self, jdk, row):
        """Q4: classes, virtual threads and clients come and go while everything is walked."""
        program, arguments = row.program
        options = "port=0,volume=heavy,heavy-events=both,heavy-budget=50"
        with Jvm(jdk, program, row.flags, options, arguments) as jvm:
            cycles = used = lost = counted = 0
            while cycles <= 30:
                wanted = 1 if cycles < 30 else 8  # the last one stays for a while
                with jvm.attach() as view:
                    try:
                        view.wait(lambda v=view, n=wanted: len(v.of("GC finish")) >= n
                                  or not jvm.alive(), TIMEOUT)
                    except (TimeoutError, ConnectionError):
                        break
                    for snapshot in view.of("GC finish"):
                        used += total(row, snapshot, "Used")
                        lost += total(row, snapshot, "Unparsable")
                        counted += total(row, snapshot, "Objects")
                cycles += 1
            self.assertEqual(cycles, 31)
            self.assertGreater(counted, 10000)
            self.assertTrue(jvm.alive())
            print(f"{jdk} {row}: {100 * lost / used:.2f} % unparsable", flush=True)
            self.assertLessEqual(lost, row.unparsable(jdk) * used)


if __name__ == "__main__":
    main()
