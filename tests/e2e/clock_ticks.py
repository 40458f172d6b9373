"""A heap without collections, Epsilon's, as the agent shows it at the ticks of its clock, against what
jcmd tells."""

import re

from jvm import space, summary


def filled(jvm):
    """Bytes from the bottom of the heap to its top."""
    bottom, top, _ = (int(v, 16) for v in re.search(
        r"\[0x([0-9a-f]+), 0x([0-9a-f]+), 0x([0-9a-f]+)\)", jvm.jcmd("GC.heap_info")).groups())
    return top - bottom


class ClockTicks:
    """For a test case."""

    def compare_ticks(self, view, jvm):
        """H3: the heap only fills, and is as full as the JVM says."""
        low = filled(jvm)
        last = view.tick()
        high = filled(jvm)
        fills = [summary(space(s, "Epsilon heap"), "Used")[0] for s in view.of("Clock")]
        self.assertEqual(fills, sorted(fills))
        used = summary(space(last, "Epsilon heap"), "Used")[0]
        self.assertEqual(used, view.attributes(last)["Used"])
        self.assertTrue(low <= used <= high, f"{low} {used} {high}")
