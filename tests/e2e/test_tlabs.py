"""TLABs: a tile for each Java thread, with its name, and their extent on the heap's map (H4, F2,
F13, F15)."""

import re
import unittest

import table
from jvm import Jvm, cases, column, expand, main, space, summary

# A small young generation: a collection for every few workers.
ROWS = tuple(table.Row(collector, "-Xms32m -Xmx64m -Xmn8m")
             for collector in ("Serial", "Parallel", "G1"))
HEAPS = {"G1": ("G1 regions",), "Serial": ("Eden", "From", "To", "Old"),
         "Parallel": ("Eden", "From", "To", "Old")}


def java_threads(jvm):
    """Names of the threads with a Java stack, as the JVM prints them: a list, names may repeat."""
    return list(re.findall(r'^"(.*?)" #\d+', jvm.jcmd("Thread.print"), re.M))


def tile_names(snapshot):
    return [name for name in space(snapshot, "TLABs").tile_names]


@expand
class Tlabs(unittest.TestCase):
    @cases(ROWS, in_turn=True)
    def check_names(self, jdk, row):
        """H4, F2, F13: one tile per Java thread, by name; ended threads leave."""
        with Jvm(jdk, "Threads", row.flags, row.options,
                 ("threads=12", "churn=3", "share=1m", "rate=2m", "hold=60")) as jvm:
            with jvm.attach() as view:
                view.picture()
                jvm.truth(view)
                seen = {name for s in view.snapshots for name in tile_names(s)}
                # "hold" holds the main thread back before it releases the last workers.
                printed = java_threads(jvm)
                truth = set(printed)
                workers = {f"worker-{i}-3" for i in range(12)}
                self.assertLessEqual(workers, truth)
                for generation in range(3):
                    early = {f"worker-{i}-{generation}" for i in range(12)}
                    self.assertFalse(early & truth)
                    if generation:
                        self.assertTrue(early & seen, "a worker of the middle was never seen")
                jvm.jcmd("GC.run")
                view.wait(lambda: view.of("GC finish") and
                          not any(re.match(r"worker-\d+-[012]$", n)
                                  for n in tile_names(view.snapshots[-1])), 30)
                shown = tile_names(view.snapshots[-1])
        self.assertEqual(len([n for n in shown if n in workers]), 12, "each worker once")
        # Compilers come and go with the load.
        self.assertLessEqual(abs(len(shown) - len(printed)), 2, f"{shown} {printed}")
        # JVMTI names all but the JVM's own threads.
        for name in truth:
            if not re.match(r"C[12] CompilerThread|Attach Listener|Sweeper|Monitor Deflation|"
                            r"Service Thread", name):
                self.assertIn(name, shown)
        self.assertIn("main", shown)

    @cases(ROWS)
    def check_extents(self, jdk, row):
        """H4, F4, F15: sizes, and their extents on the heap's tiles add up to them."""
        with Jvm(jdk, "Threads", row.flags, row.options,
                 ("threads=8", "churn=6", "share=8m", "rate=0", "hold=60")) as jvm:
            with jvm.attach() as view:
                view.picture()
                jvm.truth(view)
                starts, finishes = view.of("GC start"), view.of("GC finish")
                low, high = (int(v, 16) for v in view.lines()["Heap range"].split("-"))
        self.assertTrue(starts)
        largest = 0
        for snapshot in starts:
            tlabs = space(snapshot, "TLABs")
            sizes, used = column(tlabs, "Size"), column(tlabs, "Used")
            extent = 0
            for name in HEAPS[row.collector]:
                s = space(snapshot, name)
                extent += sum(column(s, "TLABs"))
                self.assertEqual(summary(s, "TLABs"), [sum(column(s, "TLABs"))])
                for bytes_of_tlabs, bytes_used in zip(column(s, "TLABs"), column(s, "Used")):
                    # A TLAB lies below the top of its space.
                    self.assertLessEqual(bytes_of_tlabs, bytes_used)
            self.assertEqual(extent, sum(sizes))
            self.assertEqual(summary(tlabs, "Size"), [sum(sizes)])
            ranges = sorted((a, b) for a, b, size in zip(column(tlabs, "Start"),
                                                         column(tlabs, "End"), sizes) if size)
            for (a, b), size, u in zip(zip(column(tlabs, "Start"), column(tlabs, "End")), sizes,
                                       used):
                self.assertEqual(b - a, size)
                self.assertTrue(0 <= u <= size)
                self.assertTrue(size == 0 or low <= a < b <= high)
            self.assertTrue(all(b <= c for (_, b), (c, _) in zip(ranges, ranges[1:])), "overlap")
            largest = max([largest, *sizes])
        self.assertGreater(largest, 0, "no TLAB at any start")
        # JDK 17 may already have given a new one to the thread that asked for the collection.
        for snapshot in finishes:
            self.assertLessEqual(sum(1 for v in column(space(snapshot, "TLABs"), "Size") if v), 1)


if __name__ == "__main__":
    main()
