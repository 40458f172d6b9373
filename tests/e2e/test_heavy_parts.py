"""The old generation of Serial and Parallel walked in parts (H5, F19), what counts are worth (F4), and
what the walk over Epsilon's heap costs (F9)."""

import re
import unittest

import table
from heavy import both, histogram, shown, stale, total, without_fillers
from jvm import Jvm, cases, column, expand, main, space, summary

PARTS = table.HEAVY_PLAIN[:2]
ROUNDS = 60


def words(snapshot, name):
    return space(snapshot, name).words


@expand
class Parts(unittest.TestCase):
    @cases(PARTS, in_turn=True)
    def check_full_collections(self, jdk, row):
        """H5: all of the old generation is counted though a full collection comes before each event,
        and the budget is too small to walk all of it."""
        options = "port=0,volume=heavy,heavy-budget=1,block=4k"
        with Jvm(jdk, "GCBench", row.flags, options, ["rounds=60", "hold=600"]) as jvm, \
                jvm.attach() as view:
            jvm.truth(view)
            there = both(without_fillers(jdk, histogram(jvm.jcmd("GC.class_histogram"))))
            seen = []
            while len(seen) < ROUNDS:
                since = len(view.of("GC finish"))
                jvm.jcmd("GC.run")
                view.wait(lambda n=since: [s for s in view.of("GC finish")[n:]
                                           if view.attributes(s)["Kind"] == "Full"])
                last = view.of("GC finish")[-1]
                here = both(without_fillers(jdk, shown(last))) or [0, 0]
                seen.append((stale(row, last), *here))
                if self.counted(last) and self.near(here, there):
                    break
            self.assertTrue([n for n, *_ in seen if n > 0], "all of it fits the budget")
            self.assertTrue(self.counted(last), seen)
            self.assertTrue(self.near(here, there), (seen, there))
            self.assertRegex(words(last, "Classes"), r"^\d+ classes; of .* not walked again yet")

    def near(self, here, there):
        return all(abs(mine - theirs) <= 0.01 * theirs for mine, theirs in zip(here, there))

    def counted(self, snapshot):
        """Every tile in use has been walked at some event."""
        old = space(snapshot, "Old")
        names = old.streams[old.find("Counted")]["names"]
        return all(names[state] == "Counted" for state, used in
                   zip(column(old, "Counted"), column(old, "Used")) if used)


@expand
class Words(unittest.TestCase):
    @cases(table.HEAVY_PLAIN, in_turn=True)
    def check_light(self, jdk, row):
        """F4: what is not counted does not look like a count of nothing."""
        with Jvm(jdk, "Layout", row.flags, "port=0") as jvm, jvm.attach() as view:
            jvm.ask("gc", view)
            view.wait(lambda: view.of("GC finish"))
            name = "G1 regions" if row.collector == "G1" else "Old"
            light = view.of("GC finish")[-1]
            self.assertEqual(summary(space(light, name), "Counted")["Not counted"],
                             space(light, name).tiles)
            self.assertIn("light volume", words(light, name))
            view.answered(view.set("volume", "heavy"))
            view.answered(view.set("heavy-budget", "1000"))
            jvm.ask("gc", view)
            view.wait(lambda: total(row, view.of("GC finish")[-1], "Objects") > 0)
            self.assertEqual(words(view.of("GC finish")[-1], name), "")
            # Another client's picture is of no event that was walked.
            with jvm.attach() as other:
                other.wait(lambda: other.snapshots)
                first = other.snapshots[0]
                self.assertGreater(stale(row, first), 0)
                self.assertRegex(words(first, name), r"^\d+ of \d+ tiles have counts of an earlier")
                self.assertRegex(words(first, "Classes"), "^At an earlier event: ")
            self.assertEqual(jvm.quit(), 0)


@expand
class Cost(unittest.TestCase):
    @cases(table.HEAVY_EPSILON[:1], in_turn=True)
    def check_epsilon(self, jdk, row):
        """F9: the time for which the clock stops the program is in the server's cost."""
        options = "port=0,volume=heavy,clock=100"
        with Jvm(jdk, "Layout", row.flags, options) as jvm, jvm.attach() as view:
            jvm.ask("alloc 5m", view)
            view.wait(lambda: len(view.of("Clock")) >= 5)
            costs = [s.cost for s in view.of("Clock")]
            self.assertEqual(costs, sorted(set(costs)), "each tick costs something")
            self.assertTrue(re.match(r"\d+ classes", words(view.of("Clock")[-1], "Classes")))
            self.assertEqual(jvm.quit(), 0)


if __name__ == "__main__":
    main()
