"""Heaps whose collections stop the program, as the agent shows them, against the JVM's own log: each
space or region at each start and finish, address by address."""

import re

from jvm import LINK, SEPARATOR, UNUSED, USED, column, named, space, summary

SPACES = ("Eden", "From", "To", "Old")
TYPES = {"F": "Free", "E": "Eden", "S": "Survivor", "O": "Old", "HS": "Humongous",
         "HC": "Humongous", "OA": "Archive", "CA": "Archive"}
BUFFERS = 50  # of one thread fill eden: 100 / (2 * TLABWasteTargetPercent)
PARTS = {"HS": "Starts here", "HC": "Continues"}


def option(row, name):
    """The number behind name= in the agent's options."""
    found = re.search(rf"\b{name}=(\d+)(k?)", row.options)
    return found and int(found[1]) << (10 if found[2] else 0)


def tiles_between(low, high, block):
    return -(-(high - low) // block)


class Drawn:
    """For a test case. An object of the program has at most `object_bytes`."""
    object_bytes = 2048

    def compare_collections(self, row, view, log):
        """H3, F4, F5, F15: what the client has seen, each as in the log; returns how many."""
        compared = 0
        kinds = {s.sequence: view.attributes(s)["Kind"] for s in view.of("GC finish")}
        for name, when in (("GC start", "before"), ("GC finish", "after")):
            for snapshot in view.of(name):
                if kinds.get(snapshot.sequence + (when == "before")) in ("Remark", "Cleanup"):
                    continue  # no collections, and no heap in the log
                number = view.attributes(snapshot)["Collection"]
                heap = log.heap(when, number, row.collector)
                self.assertIsNotNone(heap, f"no collection {number} in the log")
                compared += 1
                with self.subTest(when=when, collection=number):
                    if row.collector == "G1":
                        self.compare_regions(snapshot, heap, row)
                    else:
                        self.compare_generations(snapshot, heap, row, log)
        return compared

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
            if name == "Eden" and heap.when == "after" and \
                    0 < sum(used) - (top - bottom) <= self.object_bytes + (end - bottom) // BUFFERS:
                # Up to JDK 21 what asked for the collection, an object or a buffer, is allocated
                # before the JVM tells us.
                top = bottom + sum(used)
                extra = top - heap.spaces[name][1]
            control = column(s, "Control")
            ranges = list(zip(column(s, "Start"), column(s, "End")))
            own = tiles_between(bottom, end, block)
            self.assertLessEqual(s.tiles, most + 4)
            # Used: byte by byte, and as a sum, and against the available bytes.
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
