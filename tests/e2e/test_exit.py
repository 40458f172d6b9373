"""The end of a JVM at any moment, with a client attached (Q4, F10)."""

import time
import unittest

import table
from jvm import Jvm, View, cases, expand, main, wire

RUNS = 30
FLAGS = "-Xms16m -Xmx32m"
# As short as a program can be while the heap is full of work: it ends in the middle of collections.
PROGRAMS = (("GCBench", ("rounds=40", "depth=12", "array=1000")),
            ("Churn", ("rate=0", "total=200m")),
            ("ClassUnload", ("classes=300", "rate=0")))


@expand
class Exit(unittest.TestCase):
    @cases(tuple(table.Row(collector, FLAGS) for collector in ("Serial", "Parallel", "G1")))
    def check_ends(self, jdk, row):
        """Q4: thirty ends, spread over JDKs and collectors: code 0, truth told, no crash file."""
        for i in range(RUNS // 5):
            program, arguments = PROGRAMS[i % len(PROGRAMS)]
            with self.subTest(program=program, i=i), \
                    Jvm(jdk, program, row.flags, row.options, arguments) as jvm:
                try:
                    with View(jvm.address(), pause=i % 2 == 1) as view:
                        if i % 2 == 1:
                            view.wait(lambda v=view: v.states and v.states[-1][0] == 2)
                            view.resume()
                        if i % 3 == 2:
                            view.close()  # leaves while the program ends
                        else:
                            view.ended(60)
                except (wire.Closed, ConnectionError):
                    pass  # the program was faster
                self.assertEqual(jvm.end(), 0, jvm.err)
                self.assertRegex(jvm.out, rf"^truth {program} ")

    @cases((table.Row("G1", FLAGS), table.Row("Parallel", FLAGS)), in_turn=True)
    def check_terminated(self, jdk, row):
        """Q4: SIGTERM in the middle of collections, with a client that does not read."""
        for i in range(3):
            with Jvm(jdk, "Churn", row.flags, row.options, ("seconds=600", "rate=0")) as jvm:
                with View(jvm.address()):
                    time.sleep(0.1 * i)
                    jvm.process.terminate()
                    self.assertEqual(jvm.end(), 143, jvm.err)


if __name__ == "__main__":
    main()
