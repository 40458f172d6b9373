"""A program from its start to its rest, with one collector, and all that is shown of it at once: its
heap at each pause against the JVM's log, events once each, its objects against the histogram."""

import unittest

import concurrentlog
import gclog
from drawn import Drawn
from heavy import (Counting, announces, counted, histogram, shown, stale, total, without_fillers)
from jvm import JAR, MIB, Jvm
from pauses import Pauses
from profile import Sampler
from clock_ticks import ClockTicks


class Everything(Counting, Drawn, Pauses, ClockTicks, unittest.TestCase):
    maxDiff = 4000
    object_bytes = 4 * MIB  # no test program has larger ones

    def watch(self, jdk, row, program, arguments, truth, jar=JAR):
        """Runs the program, which then holds what it has. Returns what was sampled and, where objects
        are counted, the classes at rest."""
        log = concurrentlog if row.collector in ("Z", "Shenandoah") else gclog
        classes = None
        with Jvm(jdk, program, row.flags, row.options, (*arguments, "hold=600"), log=log.LOG,
                 jar=jar) as jvm:
            with Sampler(jvm.address()) as view:
                self.assertRegex(jvm.truth(view), truth)
                view.idle(0.3)
                seen = list(view.snapshots)
                profile = view.profile()
                if not any(k == "Not available: heavy volume" for k, _ in view.info):
                    classes = self.compare_objects(jdk, row, *counted(jdk, row, jvm, view))
                if row.collector == "Epsilon":
                    self.compare_ticks(view, jvm)
                else:
                    told = self.balanced(jdk, row, jvm, view, log)
                self.assertTrue(jvm.alive())
        if row.collector in ("Z", "Shenandoah"):
            self.compare_concurrent(jdk, row, view, seen, told)
        elif row.collector != "Epsilon":
            self.compare_stopped(row, view, told)
        return profile, classes

    @staticmethod
    def balanced(jdk, row, jvm, view, log):
        """H2: each pause has begun and ended once."""
        # That of the histogram.
        untold = 1 if row.collector in ("Serial", "Parallel") and not announces(jdk, row) else 0

        def stops(told):
            return len(told.operations if row.collector in ("Serial", "Parallel") else told.pauses)
        return jvm.balanced(view, log.Log, lambda told: stops(told) - untold)

    def compare_objects(self, jdk, row, snapshot, text):
        """H5: what the program holds, by class. The JVM's own threads may make some more."""
        truth = {name: entry for name, entry in histogram(text).items() if "Filler" not in name}
        classes = shown(snapshot)
        self.assertEqual((stale(row, snapshot), total(row, snapshot, "Unparsable")), (0, 0))
        self.compare_classes(without_fillers(jdk, truth), without_fillers(jdk, classes), 100)
        return classes

    def compare_presence(self, view):
        """A busy client may miss pauses; the server counts them."""
        self.assertGreater(len(view.of("GC finish")), 1)
        self.assertLessEqual(view.count("GC finish") - len(view.of("GC finish")),
                             view.snapshots[-1].missed + 1)

    def compare_stopped(self, row, view, log):
        self.compare_presence(view)
        self.assertGreater(self.compare_collections(row, view, log), 2)

    def compare_concurrent(self, jdk, row, view, seen, log):
        self.compare_presence(view)
        self.compare_events(view, seen, log)
        finishes = [s for s in seen if s in view.of("GC finish")]
        if row.collector == "Z":
            self.compare_cycles(view, finishes, log, jdk)
        else:
            self.compare_collection_sets(view, finishes, log)
