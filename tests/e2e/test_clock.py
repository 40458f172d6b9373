"""The clock (F19): the heap between collections, with Epsilon the only way to see it fill (H3, H4).
"""

import re
import time
import unittest

import table
from jvm import (MIB, TIMEOUT, UNUSED, USED, Jvm, cases, column, expand, main, space, summary)

ONE = (table.Row("G1", "-Xmx64m", "port=0,clock=40"), table.Row("Z", "-Xmx64m", "port=0,clock=40"))
SET = (table.Row("G1", "-Xmx64m", "port=0"), table.Row("Serial", "-Xmx64m", "port=0"))
OFF = (table.Row("Epsilon", "-Xmx64m", "port=0,clock=0", unlock=table.EXPERIMENTAL),)


@expand
class Clock(unittest.TestCase):
    @cases(table.EPSILON)
    def check_epsilon(self, jdk, row):
        """H3, H4, F5, F15: block by block as jcmd and the beans tell, at each tick."""
        with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
            with jvm.attach() as view:
                first = view.picture()
                jvm.ask("alloc 8m", view)
                jvm.ask("gc", view)  # Epsilon takes no notice
                low_bean = self.used(jvm.ask("pools", view))
                last = view.tick()
                high_bean = self.used(jvm.ask("pools", view))
                info = jvm.jcmd("GC.heap_info")
                ticks = view.of("Clock")
                self.assertEqual(view.of("GC finish"), [])
                self.assertFalse(any(k.startswith("Not available: heap") for k, _ in view.info))
                self.assertEqual(view.attributes(last)["Used"],
                                 summary(space(last, "Epsilon heap"), "Used")[0])
            self.assertEqual(jvm.quit(), 0)
        s = space(last, "Epsilon heap")
        bottom, _, end = (int(v, 16) for v in re.search(
            r"\[0x([0-9a-f]+), 0x([0-9a-f]+), 0x([0-9a-f]+)\)", info).groups())
        used, committed = summary(s, "Used")
        self.assertEqual(column(s, "Start")[0], bottom)
        self.assertGreaterEqual(used, low_bean)
        self.assertLessEqual(used, high_bean)
        self.assertEqual(sum(column(s, "Used")), used)
        self.assertGreaterEqual(used - summary(space(first, "Epsilon heap"), "Used")[0], 8 * MIB)
        self.assertEqual(committed, end - bottom)
        block = s.block_bytes
        for i, (value, control) in enumerate(zip(column(s, "Used"), column(s, "Control"))):
            self.assertEqual(value, max(0, min(block, used - i * block)))
            self.assertEqual(control, USED if i * block < committed else UNUSED)
        fills = [summary(space(f, "Epsilon heap"), "Used")[0] for f in ticks]
        self.assertEqual(fills, sorted(fills))
        tlabs = space(last, "TLABs")
        self.assertIn("main", tlabs.tile_names)
        self.assertGreater(sum(column(tlabs, "Size")), 0)
        self.assertEqual(sum(column(s, "TLABs")), sum(column(tlabs, "Size")))

    @staticmethod
    def used(pools):
        return sum(p["used"] for p in pools["pools"] if p["heap"])

    @cases(ONE, in_turn=True)
    def check_beside_collections(self, jdk, row):
        """F19: between the events of collections, in order, only while somebody is there."""
        with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
            with jvm.attach() as view:
                view.picture()
                for _ in range(4):
                    jvm.ask("churn 60m", view)
                    view.tick()
                view.wait(lambda: len(view.of("GC finish")) > 0, TIMEOUT)
                snapshots = [s for s in view.snapshots if s.event is not None]
                self.assertEqual(snapshots[-1].missed, 0)
                self.assertTrue(all(s.gathered for c in view.of("Clock") for s in c.spaces
                                    if s.name != "Call sites"))
                # Held, the program stands at a collection; the clock does not, nor does it wait.
                view.pause()
                view.wait(lambda: view.states[-1][0] != 0, TIMEOUT)  # before the collection
                jvm.say("gc")
                view.wait(lambda: view.states[-1][0] == 2, TIMEOUT)
                view.resume()
                jvm.answer(view)
                before = view.count("Clock")
            view.close()
            time.sleep(2)
            with jvm.attach() as again:
                first = again.picture()
                later = first.counters[2]
                again.wait(lambda: again.count("Clock") > later, TIMEOUT)
            self.assertEqual(jvm.quit(), 0)
        self.assertLessEqual(later - before, 25, "it does not tick with nobody there")
        order = [s.sequence for s in snapshots]
        self.assertEqual(order, sorted(order))
        times = [s.time for s in view.of("Clock")]
        self.assertLessEqual(len(times) - 2, (times[-1] - times[0]) / 40e6, "at most 25 a second")

    @cases(SET, in_turn=True)
    def check_set(self, jdk, row):
        """F19: any client sets the interval while the program runs; other values are refused."""
        with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
            with jvm.attach() as view:
                view.picture()
                view.idle(0.3)
                self.assertEqual(view.of("Clock"), [])
                for value in ("", "x", "-1", "3600001", "99999999999"):
                    refused = view.answered(view.set("clock", value))
                    self.assertEqual(refused.status, "ARGUMENT")
                    self.assertIn("3600000", refused.words)
                answer = view.answered(view.set("clock", "30"))
                self.assertEqual(answer.status, "OK", answer.words)
                view.wait(lambda: len(view.of("Clock")) >= 5, TIMEOUT)
                told = view.answered(view.ask("settings")).body.decode()
                self.assertIn("clock=30\n", told)
                answer = view.answered(view.set("clock", "0"))
                self.assertEqual(answer.status, "OK")
                view.obeyed()
                off = time.monotonic_ns()
                view.idle(0.6)
                late = [s for s in view.of("Clock") if s.time > off]
                self.assertLessEqual(len(late), 1, "one may be under way")
            self.assertEqual(jvm.quit(), 0)

    @cases(OFF, in_turn=True)
    def check_off(self, jdk, row):
        """The option turns it off, also where it is on by itself."""
        with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
            with jvm.attach() as view:
                view.picture()
                view.idle(1.3)
                self.assertEqual(view.of("Clock"), [])
            self.assertEqual(jvm.quit(), 0)


if __name__ == "__main__":
    main()
