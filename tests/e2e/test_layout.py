"""The heap as the agent shows it against the heap as the JVM tells it: at every collection, address
by address, from -Xlog:gc+heap; and at rest from the memory beans and jcmd (H1, H3, F2, F4, F5,
F15).
"""

import re
import unittest

import table
from drawn import Drawn
from gclog import LOG, MIB, REGION_SIZE, UNITS, Log
from jvm import Jvm, cases, column, expand, main, named, space, summary


@expand
class Layout(Drawn, unittest.TestCase):
    maxDiff = 4000

    def drive(self, jvm, view):
        """Garbage, survivors, an old generation, full collections; each seen by the client."""
        for command in ("alloc 3m", "churn 24m", "gc", "alloc 2m", "churn 40m", "drop", "gc",
                        "alloc 6m", "gc"):
            jvm.ask(command, view)
        count = sum(c["count"] for c in jvm.ask("pools", view)["collectors"])
        self.assertGreaterEqual(count, 4)

    @cases(table.LAYOUT, in_turn=True, whole=3)
    def check_every_collection(self, jdk, row):
        """H3, F4, F5, F15: each space or region at each start and finish as in the JVM's log."""
        with Jvm(jdk, "Layout", row.flags, row.options, log=LOG) as jvm:
            with jvm.attach() as view:
                view.picture()
                self.drive(jvm, view)
                jvm.balanced(view, Log, lambda log: len(log.operations))
                starts, finishes = view.of("GC start"), view.of("GC finish")
                self.assertEqual(view.snapshots[-1].missed, 0)
            self.assertEqual(jvm.quit(), 0)
            log = Log(jvm.log)
        self.assertGreaterEqual(len(starts), 4)
        self.assertEqual(len(starts), len(finishes))
        self.assertEqual(len(finishes), len(log.operations))
        self.compare_collections(row, view, log)

    @cases(table.DRAWN)
    def check_at_rest(self, jdk, row):
        """H3, F8: a client that attaches between collections sees what beans and jcmd tell."""
        with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
            jvm.address()
            jvm.ask("alloc 5m")
            jvm.ask("gc")
            beans = {p["name"]: p for p in jvm.ask("pools")["pools"] if p["heap"]}
            info = jvm.jcmd("GC.heap_info")
            with jvm.attach() as view:
                picture = view.picture()
                self.assertIsNone(picture.event)
                self.assertEqual(view.lines()["Collector"], row.collector)
                self.assertEqual(int(view.lines()["Process"]), jvm.pid)
            self.assertEqual(jvm.quit(), 0)
        if row.collector == "G1":
            self.regions_at_rest(picture, beans, info)
        else:
            self.generations_at_rest(picture, beans, info)

    def generations_at_rest(self, picture, beans, info):
        bean = {name: next(v for k, v in beans.items() if part in k)
                for name, part in (("Eden", "Eden"), ("From", "Survivor"), ("Old", "Old"))
                if any(part in k for k in beans)}
        bean.setdefault("Old", next((v for k, v in beans.items() if "Tenured" in k), None))
        for name in ("From", "Old"):
            used, committed = summary(space(picture, name), "Used")
            self.assertEqual((used, committed), (bean[name]["used"], bean[name]["committed"]), name)
        # Eden goes on to fill while beans and jcmd are asked: what was there is there still.
        used, committed = summary(space(picture, "Eden"), "Used")
        self.assertEqual(committed, bean["Eden"]["committed"])
        self.assertGreaterEqual(used, bean["Eden"]["used"] // 2)
        self.assertLess(used, committed + 1)
        for name, line in (("From", "from space"), ("To", "to +space"),
                           ("Old", "(?:the|object) +space")):
            three = re.search(line + r".*\[0x([0-9a-f]+), ?0x([0-9a-f]+),(?: ?0x[0-9a-f]+,)? "
                              r"?0x([0-9a-f]+)\)", info)
            bottom, top, end = (int(v, 16) for v in three.groups())
            s = space(picture, name)
            self.assertEqual(summary(s, "Used"), [top - bottom, end - bottom], name)
            self.assertEqual(column(s, "Start")[0], bottom)

    def regions_at_rest(self, picture, beans, info):
        s = space(picture, "G1 regions")
        size = s.block_bytes
        told = REGION_SIZE.search(info)
        self.assertEqual(int(told[1]) * UNITS[told[2]], size)
        kind, young, survivors = re.search(r"(?=\d+ (young|eden))(\d+) \w+ \(\d+[KM]\), (\d+) surv",
                                           info).groups()
        survivors = int(survivors)
        young = int(young) + (survivors if kind == "eden" else 0)
        shown = summary(s, "Type")
        self.assertEqual(shown["Survivor"], survivors)
        self.assertLessEqual(abs(shown["Eden"] + shown["Survivor"] - young), 1)
        old = sum(u for u, t in zip(column(s, "Used"), named(s, "Type"))
                  if t in ("Old", "Humongous", "Archive"))
        self.assertEqual(old, beans["G1 Old Gen"]["used"])
        self.assertEqual(sum(column(s, "Used")), summary(s, "Used")[0])
        committed = sum(p["committed"] for p in beans.values())
        self.assertLessEqual(abs(summary(s, "Used")[1] - committed), 2 * size)
        self.assertEqual(s.tiles, 64 * MIB // size)


if __name__ == "__main__":
    main()
