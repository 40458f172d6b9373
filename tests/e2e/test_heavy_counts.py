"""What the heavy volume counts (H5, H3, F4), against the JVM's own histogram of its heap."""

import unittest

import table
from heavy import (HEAVY, STALE, Counting, announces, both, counted, has, heaps, histogram, shown,
                   total, without_fillers)
from jvm import Jvm, cases, column, expand, main, space, summary


@expand
class Histogram(Counting, unittest.TestCase):
    @cases(table.HEAVY, in_turn=True)
    def check_classes(self, jdk, row):
        """H5: right after a full collection the counts are those of jcmd GC.class_histogram."""
        with Jvm(jdk, "GCBench", row.flags, HEAVY, ["rounds=60", "hold=600"]) as jvm:
            with jvm.attach() as view:
                jvm.truth(view)
                self.compare(row, jdk, *counted(jdk, row, jvm, view))

    def compare(self, row, jdk, snapshot, text):
        truth, classes = histogram(text), shown(snapshot)
        for s in heaps(row, snapshot):
            self.assertEqual([c for c in column(s, "Control") if c & STALE], [], s.name)
        self.assertEqual(total(row, snapshot, "Unparsable"), 0)
        # Between a collection and a histogram the JVM's own threads have run.
        self.compare_classes(without_fillers(jdk, truth), without_fillers(jdk, classes),
                             0 if announces(jdk, row) else 100)
        for name, (count, _) in truth.items():
            if name in ("int[]", "java.lang.Object"):
                self.assertGreaterEqual(classes[name][0], count, name)
        self.assertEqual(both(classes), [total(row, snapshot, "Objects"),
                                         sum(summary(space(snapshot, "Classes"), "Bytes"))])
        self.consistent(row, snapshot)

    def consistent(self, row, snapshot):
        """F4: what each tile says, and all of them together."""
        everything = 0
        for s in heaps(row, snapshot):
            used, taken, lost = (column(s, n) for n in ("Used", "Object bytes", "Unparsable"))
            objects, arrays, scalars = (column(s, n) for n in ("Objects", "Arrays", "Scalars"))
            filled = column(s, "Fillers") if has(s, "Fillers") else [0] * s.tiles
            for i in range(s.tiles):
                self.assertEqual(used[i], taken[i] + lost[i] + filled[i], (s.name, i))
                self.assertEqual(objects[i], arrays[i] + scalars[i])
            self.assertEqual(summary(s, "Objects"), [sum(objects)])
            self.assertEqual(sum(summary(s, "Counted").values()), s.tiles)
            everything += sum(objects)
        classes = space(snapshot, "Classes")
        self.assertEqual(sum(column(classes, "Instances")), everything)
        self.assertEqual(summary(classes, "Instances"), [everything])

    @cases(table.HEAVY_PLAIN, in_turn=True)
    def check_cards(self, jdk, row):
        """H3: every card of the old memory in use has a state."""
        with Jvm(jdk, "GCBench", row.flags, HEAVY, ["rounds=60", "hold=600"]) as jvm:
            with jvm.attach() as view:
                jvm.truth(view)
                snapshot = view.of("GC finish")[-1]
                self.assertFalse(has(space(snapshot, "Classes"), "Dirty cards"))
                s = heaps(row, snapshot)[-1]
                counts = [column(s, f"{n} cards") for n in ("Clean", "Dirty", "Other")]
                for tile, used in enumerate(column(s, "Used")):
                    self.assertLessEqual(abs(sum(c[tile] for c in counts) - used / 512), 1)
                if row.collector != "G1":
                    self.assertFalse(has(space(snapshot, "Eden"), "Dirty cards"))


if __name__ == "__main__":
    main()
