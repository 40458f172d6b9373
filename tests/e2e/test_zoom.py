"""Zooms into living heaps (F16): the parts have what the whole has, at every collection; zooms of
zooms; ranges that tie spaces together (F15); clients that leave, and what nobody grants (Q3).
"""

import random
import subprocess
import unittest

import table
from jvm import (LINK, PROGRAM, SEPARATOR, UNUSED, USED, Jvm, cases, column, expand, main, named,
                 space, summary, wire)

BLOCKS = table.DRAWN + (
    table.Row("Serial", "-Xms32m -Xmx64m", "port=0,block=256k", name="blocks of 256k"),
    table.Row("G1", "-Xms32m -Xmx2g", "port=0,max-tiles=50", name="2g in 50 tiles"),
)
ALL = BLOCKS + table.CONCURRENT + table.EPSILON[:1]
SPACES = {"Serial": ("Eden", "Old"), "Parallel": ("Eden", "Old"), "G1": ("G1 regions",),
          "Z": ("ZGC pages",), "Shenandoah": ("Shenandoah regions",), "Epsilon": ("Epsilon heap",)}


def ranges(of):
    return list(zip(column(of, "Start"), column(of, "End")))


def fullest(of):
    """The tile with the most bytes that is not full, or the fullest of all."""
    used = column(of, "Used")
    return max(range(of.tiles), key=lambda i: (used[i] != of.block_bytes and used[i] != 0, used[i]))


@expand
class Zooms(unittest.TestCase):
    maxDiff = 2000

    def granted(self, view, *request):
        answer = view.answered(view.zoom(*request))
        self.assertEqual((answer.status, answer.words), ("OK", ""))
        return wire.Reader(answer.body).varint()

    def shown(self, view, number, after=0):
        """A snapshot after the first `after` that shows the zoom."""
        return view.wait(lambda: next((s for s in view.snapshots[after:] if number < len(s.spaces)
                                       and s.spaces[number].tiles and s.spaces[number].gathered),
                                      None), 60)

    def filled(self, jvm, row):
        view = jvm.attach()
        view.picture()
        for command in ("alloc 3m", "gc", "alloc 2m"):
            jvm.ask(command, view)
        view.idle(0.3)
        if row.collector != "Epsilon":
            view.wait(lambda: view.of("GC finish"), 60)
        return view

    def check_parts(self, whole, tile, part):
        """The zoom of one tile, both of one snapshot."""
        start, end = ranges(whole)[tile]
        shown = ranges(part)
        self.assertEqual((shown[0][0], shown[-1][1]), (start, end))
        self.assertEqual([a for _, a in shown[:-1]], [a for a, _ in shown[1:]])
        self.assertTrue(all(b - a == part.block_bytes for a, b in shown[:-1]))
        self.assertEqual(sum(column(part, "Used")), column(whole, "Used")[tile])
        self.assertEqual(sum(column(part, "TLABs")), column(whole, "TLABs")[tile])
        self.assertEqual(summary(part, "Used")[0], sum(column(part, "Used")))
        self.assertTrue(all(0 <= u <= b - a for u, (a, b) in zip(column(part, "Used"), shown)))
        control = column(part, "Control")
        if column(whole, "Control")[tile] & UNUSED:
            self.assertTrue(all(c & UNUSED for c in control))
        for name in ("Type", "State", "Generation"):
            if name in [s["name"] for s in whole.streams] and "regions" not in whole.block_info:
                if name in [s["name"] for s in part.streams] and not set(control) & {UNUSED}:
                    self.assertIn(named(whole, name)[tile], named(part, name))

    @cases(ALL, in_turn=True)
    def check_parts_have_what_the_whole_has(self, jdk, row):
        """At each collection while the program works, as long as the tile is where it was."""
        with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
            with self.filled(jvm, row) as view:
                zooms = []
                for name in SPACES[row.collector]:
                    number = next(i for i, s in enumerate(view.spaces) if s.name == name)
                    whole = view.snapshots[-1].spaces[number]
                    tile = fullest(whole)
                    start, end = ranges(whole)[tile]
                    block = max(512, 1 << (whole.block_bytes // 64).bit_length() - 1)
                    zooms.append((number, tile, (start, end),
                                  self.granted(view, number, start, end, block)))
                for command in ("churn 40m", "gc", "alloc 2m", "churn 20m"):
                    jvm.ask(command, view)
                view.idle(0.3)
                for number, tile, at, part in zooms:
                    self.shown(view, part)
                    compared = 0
                    for s in view.snapshots:
                        if part >= len(s.spaces) or not s.spaces[part].gathered:
                            continue
                        whole = s.spaces[number]
                        if tile < whole.tiles and ranges(whole)[tile] == at and whole.gathered:
                            self.check_parts(whole, tile, s.spaces[part])
                            compared += 1
                    self.assertGreaterEqual(compared, 1, view.spaces[number].name)
            self.assertEqual(jvm.quit(), 0)

    @cases(ALL, in_turn=True)
    def check_zooms_of_zooms(self, jdk, row):
        """Down to 512 bytes; a released one takes nothing along."""
        with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
            with self.filled(jvm, row) as view:
                name = SPACES[row.collector][0]
                number = next(i for i, s in enumerate(view.spaces) if s.name == name)
                view.pause()  # so that all of it is of one moment
                if row.collector != "Epsilon":
                    view.wait(lambda: view.states and view.states[-1][0] != wire.RUNNING, 60)
                    jvm.say("gc")
                    view.wait(lambda: view.states and view.states[-1][0] == wire.PAUSED, 60)
                numbers = [number]
                while (block := view.spaces[numbers[-1]].block_bytes) > 512:
                    seen = len(view.snapshots)
                    whole = view.snapshots[-1].spaces[numbers[-1]]
                    tile = fullest(whole)
                    start, end = ranges(whole)[tile]
                    finer = max(512, 1 << (block // 16).bit_length() - 1)
                    part = self.granted(view, numbers[-1], start, end, finer)
                    s = self.shown(view, part, seen)
                    if row.collector != "Epsilon":
                        self.check_parts(s.spaces[numbers[-1]], tile, s.spaces[part])
                    self.assertTrue(view.spaces[part].name.startswith(name + " 0x"))
                    numbers.append(part)
                self.assertGreaterEqual(len(numbers), 3)
                self.assertEqual(view.answered(view.zoom(numbers[1])).status, "OK")
                view.wait(lambda: view.spaces[numbers[1]].gone)
                view.resume()
                if row.collector != "Epsilon":
                    jvm.answer(view)
                seen = len(view.snapshots)
                jvm.ask("gc" if row.collector != "Epsilon" else "alloc 1m", view)
                self.shown(view, numbers[-1], seen)
                self.assertFalse(view.spaces[numbers[-1]].gone)
            self.assertEqual(jvm.quit(), 0)

    @cases((table.Row("G1"), table.Row("Serial")) + table.CONCURRENT[:2], in_turn=True)
    def check_a_buffer_lies_in_its_block(self, jdk, row):
        """F15, H4: the range of a thread's buffer overlaps the tiles that have its bytes."""
        with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
            with self.filled(jvm, row) as view:
                seen = 0
                for s in view.snapshots:
                    buffers = space(s, "TLABs")
                    shown = [s.spaces[i] for i, of in enumerate(view.spaces)
                             if of.block_bytes and i < len(s.spaces)]
                    if not all(of.gathered for of in shown + [buffers]):
                        continue
                    for start, end in ranges(buffers):
                        if start == end:
                            continue
                        tiles = [(of, i) for of in shown for i, (a, b) in enumerate(ranges(of))
                                 if a < end and start < b]
                        self.assertTrue(tiles, "a buffer that lies nowhere")
                        self.assertTrue(all(column(of, "TLABs")[i] > 0 for of, i in tiles))
                        seen += 1
                self.assertGreater(seen, 0)
            self.assertEqual(jvm.quit(), 0)

    @cases((table.Row("G1", "-Xmx64m -XX:G1HeapRegionSize=1m"),), in_turn=True)
    def check_a_humongous_object(self, jdk, row):
        """F5: it is linked from its first to its last block, and regions are separated."""
        with Jvm(jdk, "Humongous", row.flags, row.options) as jvm:
            with jvm.attach() as view:
                view.picture()
                view.wait(lambda: any("Starts here" in named(s.spaces[0], "Humongous")
                                      for s in view.snapshots), 60)
                view.pause()
                whole = next(s for s in reversed(view.snapshots)
                             if "Starts here" in named(s.spaces[0], "Humongous")).spaces[0]
                tile = named(whole, "Humongous").index("Starts here")
                start = ranges(whole)[tile][0]
                high = min(start + (8 << 20), ranges(whole)[-1][1])
                part = self.granted(view, 0, start, high, 65536)
                s = self.shown(view, part)
                whole, zoom = s.spaces[0], s.spaces[part]
                linked = [bool(c & LINK) for c in column(whole, "Control")]
                for i, (begin, end) in enumerate(ranges(zoom)[:-1]):
                    region = next(k for k, (a, b) in enumerate(ranges(whole)) if a <= begin < b)
                    humongous = named(whole, "Type")[region] == "Humongous"
                    border = end == ranges(whole)[region][1]
                    self.assertEqual(bool(column(zoom, "Control")[i] & LINK),
                                     humongous and (not border or linked[region]))
                    behind = column(zoom, "Control")[i + 1] & SEPARATOR
                    self.assertEqual(bool(behind), border and not linked[region])
                    self.assertEqual(named(zoom, "Type")[i], named(whole, "Type")[region])
                    self.assertTrue(column(zoom, "Control")[i] & (USED | UNUSED))

    @cases(table.DRAWN + table.CONCURRENT[:2], in_turn=True)
    def check_thirty_rounds(self, jdk, row):
        """Ids and memory do not run out, whether a zoom is released or its client just dies."""
        with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
            with self.filled(jvm, row) as watch:
                name = SPACES[row.collector][0]
                number = next(i for i, s in enumerate(watch.spaces) if s.name == name)
                whole = watch.snapshots[-1].spaces[number]
                start, end = ranges(whole)[0]
                count = len(watch.spaces)
                for i in range(30):
                    part = self.granted(watch, number, start, end, 4096)
                    self.assertEqual(watch.answered(watch.zoom(part)).status, "OK")
                    watch.wait(lambda part=part: watch.spaces[part].gone, 60)
                    with jvm.attach() as other:
                        other.picture()
                        part = self.granted(other, number, start, end, 4096)
                        if i % 2 == 0:
                            self.shown(other, part)
                            jvm.ask("churn 1m", other)
                    watch.wait(lambda part=part: watch.spaces[part].gone, 60)
                self.assertLessEqual(len(watch.spaces), count + 2)
            self.assertEqual(jvm.quit(), 0)
            self.assertNotIn("gcspy: ", jvm.err.partition("listening")[2])

    @cases((table.Row("G1"), table.Row("Serial"), table.CONCURRENT[0]), in_turn=True)
    def check_hostile_requests(self, jdk, row):
        """Q3: whatever is asked for is granted or refused in a line, and the JVM goes on."""
        rng = random.Random(16)
        with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
            with self.filled(jvm, row) as view:
                name = SPACES[row.collector][0]
                number = next(i for i, s in enumerate(view.spaces) if s.name == name)
                low, high = ranges(view.snapshots[-1].spaces[number])[0][0], 1 << 64
                places = [0, 1, low - 1, low, low + 1, low + 4096, low + 65536, high - 1]
                statuses = set()
                for _ in range(300):
                    request = (rng.choice([number, number, rng.randrange(1024)]),
                            rng.choice(places), rng.choice(places),
                            rng.choice([0, 1, 512, 1024, 4096, 777, 1 << 40, high - 1]))
                    answer = view.answered(view.zoom(*request), 60)
                    statuses.add(answer.status)
                    if answer.status == "OK" and request[3] != 0:
                        view.zoom(wire.Reader(answer.body).varint())
                    elif answer.status != "OK":
                        self.assertTrue(answer.words)
                        self.assertNotIn("\n", answer.words)
                self.assertLessEqual(statuses, {"OK", "ARGUMENT", "STATE", "LIMIT"})
                self.assertLessEqual({"OK", "ARGUMENT"}, statuses)
                jvm.ask("churn 10m", view)
            self.assertEqual(jvm.quit(), 0)

    @cases((table.Row("Serial"), table.Row("G1")), in_turn=True)
    def check_dump(self, jdk, row):
        """The command line: gcspy dump --zoom."""
        if not PROGRAM:
            self.skipTest("gcspy is not built")
        with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
            with self.filled(jvm, row) as view:
                name = SPACES[row.collector][0]
                whole = space(view.snapshots[-1], name)
                start, end = ranges(whole)[0]
                done = subprocess.run(
                    [PROGRAM, "dump", jvm.address(), "--zoom", f"{start:#x}-{end:#x}", "--block",
                     "4k"], capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                tiles = (end - start) // 4096
                self.assertIn(f"{name} {start:#x}-{end:#x} at 4 KiB: {tiles} tiles", done.stdout)
                self.assertNotIn("TLABs:", done.stdout)
                done = subprocess.run([PROGRAM, "dump", jvm.address(), "--zoom", "0x10-0x20"],
                                      capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("no space shows 0x10-0x20", done.stderr)
            self.assertEqual(jvm.quit(), 0)


if __name__ == "__main__":
    main()
