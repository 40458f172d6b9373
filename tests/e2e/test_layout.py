"""The heap as the agent shows it against the heap as the JVM tells it: at every collection, address
by address, from -Xlog:gc+heap; and at rest from the memory beans and jcmd (H1, H3, F2, F4, F5,
F15).
"""

import re
import unittest

import table
from gclog import LOG, MIB, Log
from jvm import (LINK, SEPARATOR, UNUSED, USED, Jvm, cases, column, expand, main, named, space,
                 summary)

SPACES = ("Eden", "From", "To", "Old")
TYPES = {"F": "Free", "E": "Eden", "S": "Survivor", "O": "Old", "HS": "Humongous",
         "HC": "Humongous", "OA": "Archive", "CA": "Archive"}
OBJECT = 2048  # bytes, at least those of Layout's largest object
PARTS = {"HS": "Starts here", "HC": "Continues"}


def option(row, name):
    """The number behind name= in the agent's options."""
    found = re.search(rf"\b{name}=(\d+)(k?)", row.options)
    return found and int(found[1]) << (10 if found[2] else 0)


def tiles_between(low, high, block):
    return -(-(high - low) // block)


@expand
class Layout(unittest.TestCase):
    maxDiff = 4000

    def drive(self, jvm, view):
        """Garbage, survivors, an old generation, full collections; each seen by the client."""
        for command in ("alloc 3m", "churn 24m", "gc", "alloc 2m", "churn 40m", "drop", "gc",
                        "alloc 6m", "gc"):
            jvm.ask(command, view)
        count = sum(c["count"] for c in jvm.ask("pools", view)["collectors"])
        self.assertGreaterEqual(count, 4)
        view.idle(0.3)

    @cases(table.LAYOUT)
    def check_every_collection(self, jdk, row):
        """H3, F4, F5, F15: each space or region at each start and finish as in the JVM's log."""
        with Jvm(jdk, "Layout", row.flags, row.options, log=LOG) as jvm:
            with jvm.attach() as view:
                view.picture()
                self.drive(jvm, view)
                starts, finishes = view.of("GC start"), view.of("GC finish")
                self.assertEqual(view.snapshots[-1].missed, 0)
            self.assertEqual(jvm.quit(), 0)
            log = Log(jvm.log)
        self.assertGreaterEqual(len(starts), 4)
        self.assertEqual(len(starts), len(finishes))
        self.assertEqual(len(finishes), len(log.operations))
        for snapshots, when in ((starts, "before"), (finishes, "after")):
            for snapshot in snapshots:
                number = view.attributes(snapshot)["Collection"]
                heap = log.heap(when, number, row.collector)
                self.assertIsNotNone(heap, f"no collection {number} in the log")
                with self.subTest(when=when, collection=number):
                    if row.collector == "G1":
                        self.compare_regions(snapshot, heap, row)
                    else:
                        self.compare_generations(snapshot, heap, row, log)

    def compare_ranges(self, shown, block, low, high):
        """Tiles of one piece of memory follow each other without a gap, block by block."""
        self.assertEqual(len(shown), tiles_between(low, high, block))
        for i, (start, end) in enumerate(shown):
            self.assertEqual(start, low + i * block)
            self.assertEqual(end, min(start + block, high))

    def compare_generations(self, snapshot, heap, row, log):
        total = extra = 0
        blocks = {space(snapshot, name).block_bytes for name in SPACES}
        self.assertEqual(len(blocks), 1)
        block = blocks.pop()
        self.assertEqual(block & (block - 1), 0, "a block is a power of two")
        most = option(row, "max-tiles") or 8192
        for name in SPACES:
            s = space(snapshot, name)
            bottom, top, end = heap.spaces[name]
            self.assertTrue(s.gathered)
            used = column(s, "Used")
            if name == "Eden" and heap.when == "after" and 0 < sum(used) - (top - bottom) <= OBJECT:
                # JDK 17 allocates the object that asked for the collection before it tells us.
                top = bottom + sum(used)
                extra = top - heap.spaces[name][1]
            control = column(s, "Control")
            ranges = list(zip(column(s, "Start"), column(s, "End")))
            own = tiles_between(bottom, end, block)
            self.assertLessEqual(s.tiles, most + 4)
            # Used: byte by byte, and as a sum, and against what there is.
            self.assertEqual(summary(s, "Used"), [top - bottom, end - bottom], name)
            self.assertEqual(used, [max(0, min(top, bottom + (i + 1) * block) -
                                        (bottom + i * block)) for i in range(s.tiles)], name)
            total += sum(used)
            # Committed memory first, then a separator and what is only reserved.
            low, committed, high = heap.generations["old" if name == "Old" else "young"]
            rest = (committed, high) if name in ("Eden", "Old") else (0, 0)
            self.assertEqual([c & (USED | UNUSED) for c in control],
                             [USED] * own + [UNUSED] * tiles_between(*rest, block), name)
            self.assertEqual([i for i, c in enumerate(control) if c & SEPARATOR],
                             [own] if own < s.tiles and own > 0 else [])
            self.compare_ranges(ranges[:own], block, bottom, end)
            self.compare_ranges(ranges[own:], block, *rest)
            self.assertTrue(all(log.range[0] <= start < stop <= log.range[1]
                                for start, stop in ranges))
            self.assertTrue(low <= bottom <= end <= committed)
        self.assertEqual(total, heap.sum() + extra)
        wanted = option(row, "block") or 16384
        reserved = log.range[1] - log.range[0]
        while reserved // wanted >= most:
            wanted *= 2
        self.assertEqual(block, wanted)
        self.assertLessEqual(sum(space(snapshot, name).tiles for name in SPACES), most + 8)

    def compare_regions(self, snapshot, heap, row):
        s = space(snapshot, "G1 regions")
        self.assertTrue(s.gathered)
        low, high = heap.range
        size = heap.region_bytes
        regions = (high - low) // size
        most = option(row, "max-tiles") or 8192
        per_tile = s.block_bytes // size
        self.assertEqual(s.block_bytes % size, 0)
        self.assertEqual(per_tile, -(-regions // most))
        self.assertEqual(s.tiles, -(-regions // per_tile))
        self.compare_ranges(list(zip(column(s, "Start"), column(s, "End"))), s.block_bytes,
                            low, high)
        # Every region's type and bytes.
        used, counts, tiles = [0] * s.tiles, {}, [set() for _ in range(s.tiles)]
        for i, (bottom, top, _, kind) in heap.regions.items():
            self.assertEqual(bottom, low + i * size)
            used[i // per_tile] += top - bottom
            tiles[i // per_tile].add(TYPES[kind])
            counts[TYPES[kind]] = counts.get(TYPES[kind], 0) + 1
        self.assertEqual(column(s, "Used"), used)
        self.assertEqual(summary(s, "Used")[0], heap.sum())
        types = named(s, "Type")
        shown = summary(s, "Type")
        for name in ("Eden", "Survivor", "Old", "Humongous", "Archive", "Other"):
            self.assertEqual(shown[name], counts.get(name, 0), name)
        # Regions that were once committed and given back stay "Free"; see the space's description.
        self.assertGreaterEqual(shown["Free"], counts.get("Free", 0))
        self.assertLessEqual(abs(summary(s, "Used")[1] - heap.total), 2 * size)
        for i, kinds in enumerate(tiles):
            if kinds:
                # A region in use is not hidden by free ones in the same tile.
                self.assertIn(types[i], kinds - {"Free"} or {"Free"})
                self.assertTrue(column(s, "Control")[i] & USED)
            if per_tile == 1 and kinds:
                self.assertEqual(types[i], *kinds)
            if not kinds:
                self.assertEqual(types[i], "Free")
                self.assertEqual(used[i], 0)
        if per_tile == 1:
            self.compare_humongous(s, heap)

    def compare_humongous(self, s, heap):
        parts = named(s, "Humongous")
        for i, (_, _, _, kind) in heap.regions.items():
            self.assertEqual(parts[i], PARTS.get(kind, "No"))
            follows = heap.regions.get(i + 1, (0, 0, 0, ""))[3] == "HC"
            self.assertEqual(bool(column(s, "Control")[i] & LINK), follows)

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
        self.assertEqual(int(re.search(r"region size (\d+)K", info)[1]) << 10, size)
        young, survivors = (int(v) for v in re.search(r"(\d+) young \(\d+K\), (\d+) surv",
                                                      info).groups())
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
