"""Where sampled objects lie: the call sites of a part of the heap, and the tiles of a call site, in a
program that knows what it keeps (S8, F15)."""

import json
import math
import re
import subprocess
import time
import unittest

import table
from jvm import Jvm, TIMEOUT, PROGRAM, cases, column, expand, main, space, wire
from profile import Sampler

HUGE, EACH = 6, 5 << 20
EVERYWHERE = "range=0x0-0xffffffffffffffff"
STREAM = "Sampled live bytes"
ERROR = "Sampled live error"
GENERATIONS = ("Eden", "From", "To", "Old")

# By collector: the types of regions, each address in one of them; the parts that it knows.
TYPES = {
    "Serial": GENERATIONS,
    "Parallel": GENERATIONS,
    "G1": ("Free", "Eden", "Survivor", "Old", "Humongous", "Archive", "Other"),
    "Z": ("Small", "Medium", "Large"),
    "Shenandoah": ("Empty", "Regular", "Humongous start", "Humongous continuation", "Pinned",
                   "Pinned humongous start", "Collection set", "Pinned in collection set",
                   "Trash", "Uncommitted", "Other"),
}
SPACES = {"Serial": GENERATIONS, "Parallel": GENERATIONS, "G1": ("G1 regions",),
          "Z": ("ZGC pages",), "Shenandoah": ("Shenandoah regions",)}
ROOM = "-Xms192m -Xmx192m"
ROWS = (
    table.Row("Serial", ROOM), table.Row("Parallel", ROOM),
    table.Row("G1", f"{ROOM} -XX:G1HeapRegionSize=1m"),
    table.Row("Z", ROOM), table.Row("Shenandoah", ROOM),
    table.Row("Serial", f"{ROOM} -XX:-UseCompressedOops", name="wide references"),
    table.Row("G1", f"{ROOM} -XX:-UseCompressedOops -XX:G1HeapRegionSize=1m", "port=0,max-tiles=40",
              name="wide references in 40 tiles"),
)
FEW = tuple(row for row in ROWS if row.collector in ("Serial", "G1") and not row.name)


def has_old(jdk, row):
    return row.collector in ("Serial", "Parallel", "G1") or row.collector == "Z" and jdk.major > 20


def number_of(jvm, method):
    """The number of the call site with that youngest frame, as the program gcspy tells it."""
    done = subprocess.run([PROGRAM, "sites", jvm.address(), "--format", "json"],
                          capture_output=True, text=True, check=True, timeout=TIMEOUT)
    document = json.loads(done.stdout)
    return next(s["site"] for s in document["sites"] if s["stack"] is not None and
                document["stacks"][s["stack"]]["method"] == method)


@unittest.skipUnless(PROGRAM, "the program gcspy is not built")
@expand
class Places(unittest.TestCase):
    def start(self, jdk, row):
        jvm = Jvm(jdk, "Sites", row.flags, row.options)
        self.addCleanup(jvm.__exit__, None, None, None)
        jvm.answer()
        view = Sampler(jvm.address())
        self.addCleanup(view.__exit__, None, None, None)
        view.interval("4k")
        return jvm, view

    def fill(self, jdk, row):
        """Huge arrays from one site, many small objects from another, all old if there is an old
        generation."""
        jvm, view = self.start(jdk, row)
        jvm.ask(f"huge {HUGE} {EACH}", view)
        for _ in range(4):
            jvm.ask("keep pair 512k", view)
            view.idle(0.05)
        for _ in range(3):
            jvm.ask("gc", view)
        view.idle(0.3)
        return jvm, view

    def settled(self, view, what):
        """What `what` says once a cycle of a concurrent collector is not in its way."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                return what()
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
                view.idle(0.3)

    @cases(ROWS, in_turn=True)
    def check_parts(self, jdk, row):
        """S8: the parts of the heap name their call sites: humongous the one of the huge arrays, old the
        one of small objects that have survived; each live sample is in one type of region."""
        jvm, view = self.fill(jdk, row)
        # Samples keep at most a sixteenth of a heap of generational ZGC (docs/sampling.md).
        limited = row.collector == "Z" and jdk.major >= 21

        def compare():
            live = view.profile("live")
            everywhere = view.there(EVERYWHERE)
            self.assertRegex(everywhere.as_of, r"\d+ of \d+ tracked samples have a position")
            ids = {e.id for e in everywhere.entries}
            self.assertGreater(len(ids), 100)
            self.assertLessEqual(ids, {e.id for e in live.entries})
            self.assertGreater(len(ids), 0.98 * len(live.entries))
            found = [e for word in TYPES[row.collector] for e in view.there(word).entries]
            self.assertEqual(len(found), len(ids))
            self.assertEqual({e.id for e in found}, ids)
            self.assertAlmostEqual(sum(e.bytes for e in found),
                                   sum(e.bytes for e in everywhere.entries), delta=1)
            if not limited:
                self.assertEqual(len(everywhere.by("makeHuge")), HUGE)
            return everywhere
        everywhere = self.settled(view, compare)

        if row.collector in ("Serial", "Parallel"):
            status, words = view.refusal("sites", ("where", "humongous"))
            self.assertEqual(status, "ARGUMENT")
            self.assertIn("expected one of old, young, eden, survivor, From, To, tile=", words)
        else:
            huge = len(everywhere.by("makeHuge"))
            there = self.settled(view, lambda: self.all_of(view.there("HUMONGOUS"), "makeHuge", huge))
            if not limited:
                self.assertAlmostEqual(there.total("makeHuge"), HUGE * (EACH + 16), delta=4096)
            self.assertEqual(there.by("makePair"), [])
        if has_old(jdk, row):
            there = view.there("old")
            self.assertEqual({e.id for e in there.by("makePair")},
                             {e.id for e in everywhere.by("makePair")})
            self.assertTrue(all(e.age >= 3 for e in there.by("makePair")))
            young = view.there("young")
            self.assertEqual(young.by("makePair"), [])
            jvm.ask("keep six 512k", view)
            self.settled(view, lambda: self.assertGreater(
                len(view.there("eden").by("makeSix")), 5))
        else:
            self.assertEqual(view.refusal("sites", ("where", "old"))[0], "ARGUMENT")

    def all_of(self, profile, method, count=HUGE):
        self.assertEqual(len(profile.by(method)), count)
        return profile

    @cases(ROWS, in_turn=True)
    def check_and_back(self, jdk, row):
        """S8, F15: a call site names its tiles, the tiles name the call site, and the map of the heap has
        the same bytes there."""
        jvm, view = self.fill(jdk, row)
        site = number_of(jvm, "makePair")

        def back():
            tiles = view.tiles(site)
            live = view.profile("live").by("makePair")
            self.assertEqual(tiles["samples"], len(live))
            self.assertEqual(tiles["placed"], len(live))
            self.assertAlmostEqual(tiles["bytes"], sum(e.bytes for e in live), delta=1)
            self.assertEqual(sum(t["samples"] for t in tiles["tiles"]), tiles["placed"])
            for tile in tiles["tiles"]:
                there = view.there(f"tile={tile['low']:#x}")
                self.assertEqual(len(there.by("makePair")), tile["samples"])
                # As much as fits, where sampled objects were copied to one place.
                self.assertAlmostEqual(min(there.total("makePair"), tile["high"] - tile["low"]),
                                       tile["bytes"], delta=1)
                same = view.there(f"range={tile['low']:#x}-{tile['high']:#x}")
                self.assertEqual({e.id for e in same.entries}, {e.id for e in there.entries})
                self.assertIn(tile["type"], TYPES[row.collector])
            return tiles
        tiles = self.settled(view, back)
        if row.collector not in ("Z", "Shenandoah"):
            self.assertEqual(tiles["approximate"], 0)

        def mapped():
            drawn = [space(view.picture(), name) for name in SPACES[row.collector]]
            everywhere = view.there(EVERYWHERE)
            total = sum(s.summaries[s.find(STREAM)][0] for s in drawn)
            # What does not fit into a tile is alive elsewhere: concurrent collectors copy it together.
            self.assertGreaterEqual(total, sum(sum(column(s, STREAM)) for s in drawn))
            used = sum(sum(column(s, "Used")) for s in drawn)
            self.assertLessEqual(total, used)
            live = sum(e.bytes for e in everywhere.entries if e.age)
            self.assertLessEqual(total, live + len(everywhere.entries) + 64 * 1024)
            # Of six huge arrays generational ZGC may track one, which then stands for 133 MiB.
            self.assertGreaterEqual(total, min(used, 0.9 * live - 64 * 1024))
            if row.collector in ("Z", "Shenandoah"):
                return  # the map is of the last pause; objects were moved since
            at = {start: (value, filled) for s in drawn for start, value, filled
                  in zip(column(s, "Start"), column(s, STREAM), column(s, "Used"))}
            for tile in tiles["tiles"]:
                value, filled = at[tile["low"]]
                # The map spreads an object over its tiles: the last one here may end in the next.
                last = tile["bytes"] / tile["samples"]
                self.assertGreaterEqual(value + tile["samples"] + last, min(tile["bytes"], filled))
        jvm.ask("gc", view)
        view.idle(0.3)
        tiles = self.settled(view, back)
        self.settled(view, mapped)

    @staticmethod
    def inside(entry, low, high):
        """The part of a sample's object that is in an address range, 0 to 1."""
        part = min(high, entry.address + entry.size) - max(low, entry.address)
        return max(0, part) / entry.size

    @cases(FEW, in_turn=True)
    def check_errors(self, jdk, row):
        """S8: the map has each tile's error, that of the samples in it, and the program gcspy says both
        it and, for the same tile, a table of call sites with the same errors."""
        jvm, view = self.fill(jdk, row)

        def gcspy(*words):
            done = subprocess.run([PROGRAM, words[0], jvm.address(), *words[1:]],
                                  capture_output=True, text=True, check=True, timeout=TIMEOUT)
            return json.loads(done.stdout)

        def half(variance):
            return 1.96 * math.sqrt(variance)

        def compare():
            live = [e for e in view.there(EVERYWHERE).entries if e.age]
            self.assertGreater(len(live), 100)
            unsure, most = 0, (0, 0, 0)
            # As of now: the last event's may be from before its collection's samples were judged.
            with Sampler(jvm.address()) as now:
                picture = now.picture()
            for one in (space(picture, name) for name in SPACES[row.collector]):
                whole = 0.0
                for low, high, error, value in zip(*(column(one, name) for name in (
                        "Start", "End", ERROR, STREAM))):
                    there = [(self.inside(e, low, high), e.bytes_variance) for e in live]
                    variance = sum(part * part * v for part, v in there)
                    self.assertAlmostEqual(error, half(variance), delta=1 + 1e-6 * error)
                    unsure += error > value
                    most = max(most, (error, low, max(v for part, v in there)))
                for e in live:
                    part = sum(self.inside(e, low, high) for low, high in zip(
                        column(one, "Start"), column(one, "End")))
                    whole += part * part * e.bytes_variance
                total = one.summaries[one.find(ERROR)][0]
                self.assertAlmostEqual(total, half(whole), delta=1 + 1e-6 * total)
            self.assertGreater(most[0], 0)
            return unsure, most
        _, (error, low, single) = self.settled(view, compare)

        document = gcspy("dump", "--format", "json")
        streams = [s for p in document["spaces"] for s in p["streams"] if s["name"] == STREAM]
        self.assertEqual({s["error_stream"] for s in streams}, {ERROR})
        self.assertTrue(any(re.search(r" ± \S+ \S+ \(95 %\)$", s["summary_text"]) for s in streams))
        sites = gcspy("sites", "--where", f"tile={low:#x}", "--format", "json", "--top", "1000")
        variance = sum(s["bytes_error"] ** 2 for s in sites["sites"])
        # The table counts objects where they begin, the map in each tile that they are in.
        self.assertLessEqual(error, half(variance + 2 * single) + 1)
        self.assertGreaterEqual(error, half(max(0, variance - 2 * single)) - 1)

    @staticmethod
    def held_at(view, event):
        """Waits until the program stands at such an event. It may have been held in the middle of a
        collection of its own: then its start is the one behind."""
        def stands():
            snapshot = view.snapshots[-1]
            if view.states and view.states[-1][0] == wire.PAUSED and snapshot.event is not None:
                return view.events[snapshot.event]["name"]
            return None
        if event == "GC start":
            view.wait(stands, TIMEOUT)
            if stands() != event:
                view.step()
        view.wait(lambda: stands() == event, TIMEOUT)

    @cases(FEW, in_turn=True)
    def check_paused(self, jdk, row):
        """S8, F10: positions are read while the program stands in a collection, at its start and at its
        finish, and are right there."""
        jvm, view = self.fill(jdk, row)
        view.pause()
        view.wait(lambda: view.states and view.states[-1][0] != wire.RUNNING, TIMEOUT)
        jvm.say("gc")
        for event in ("GC start", "GC finish"):
            self.held_at(view, event)
            there = view.there("old")
            self.assertGreater(len(there.by("makePair")), 50, event)
            self.assertNotIn("approximate", there.as_of)
            view.step()
        view.resume()
        jvm.answer(view)

    @cases(FEW, in_turn=True)
    def check_newest(self, jdk, row):
        """S8: a collection's map has what it was the first to spare, also while the program stands at
        its end."""
        def mapped():
            view.wait(lambda: view.of("GC finish"), TIMEOUT)
            snapshot = view.of("GC finish")[-1]
            return sum(s.summaries[s.find(STREAM)][0] for s in
                       (space(snapshot, name) for name in SPACES[row.collector]))

        def check(value, least):
            kept = view.profile("live").total("makePair")
            everything = sum(e.bytes for e in view.profile("live").entries)
            self.assertGreater(kept, least)
            self.assertGreater(value, 0.9 * kept)
            self.assertLess(value, 1.1 * everything)

        jvm, view = self.start(jdk, row)
        jvm.ask("keep pair 2m", view)
        jvm.ask("gc", view)
        check(mapped(), 1 << 20)
        jvm.ask("keep pair 2m", view)
        view.idle(0.3)
        view.pause()
        view.wait(lambda: view.states and view.states[-1][0] != wire.RUNNING, TIMEOUT)
        jvm.say("gc")
        self.held_at(view, "GC start")
        view.step()
        self.held_at(view, "GC finish")
        held = mapped()
        view.resume()
        jvm.answer(view)
        check(held, 3 << 20)

    @cases(FEW, in_turn=True)
    def check_program(self, jdk, row):
        """S8: the same by the program gcspy, in words and as JSON; and what is not allowed."""
        jvm, view = self.fill(jdk, row)
        where = "old" if row.collector == "Serial" else "humongous"

        def gcspy(*words, code=0):
            done = subprocess.run([PROGRAM, words[0], jvm.address(), *words[1:]],
                                  capture_output=True, text=True, check=False, timeout=TIMEOUT)
            self.assertEqual(done.returncode, code, done.stderr)
            return done.stdout if code == 0 else done.stderr
        text = gcspy("sites", "--where", where)
        self.assertIn(f"Selected by place {where}: ", text)
        self.assertIn("makeHuge", text)
        number = re.search(r"Sites\.makeHuge(?:.*\n)+?.*\[site ([0-9a-f]{12})\]", text)[1]
        self.assertEqual(number, number_of(jvm, "makeHuge"))
        text = gcspy("tiles", "--site", number)
        self.assertIn(f"Call site {number}\n", text)
        rows = re.findall(r"(?m)^ +([\d.]+) MiB .*  (0x\w+)-(0x\w+)  (\w+)$", text)
        self.assertEqual({r[3] for r in rows}, {where.capitalize()})
        found = json.loads(gcspy("tiles", "--site", number, "--format", "json"))
        self.assertEqual(found["site"], number)
        self.assertEqual(found["samples"], HUGE)
        self.assertEqual({t["start"] for t in found["tiles"]},
                         {f"{int(r[1], 16):#x}" for r in rows})
        there = gcspy("sites", "--where", f"tile={found['tiles'][0]['start']}")
        self.assertIn("makeHuge", there)
        self.assertIn("expected one of", gcspy("sites", "--where", "somewhere", code=1))
        self.assertIn("no live sample has the call site",
                      gcspy("tiles", "--site", "0123456789ab", code=1))
        view.interval("0")
        self.assertIn("sampling of allocations is off", gcspy("sites", "--where", "old", code=1))

    @cases(FEW[:1], in_turn=True)
    def check_refusals(self, jdk, row):
        """S8: what is not allowed is said with what is."""
        _, view = self.start(jdk, row)
        for where in ("", "tile=", "tile=12", "range=0x10", "tile=0xzz", "old ",
                      "range=0x1-0x10000000000000000", "x" * 250):
            status, words = view.refusal("sites", ("where", where))
            self.assertEqual(status, "ARGUMENT", where)
            self.assertIn("tile=0xADDRESS and range=0xSTART-0xEND", words)
        for where in ("range=0x20-0x10", "range=0x20-0x20"):
            status, words = view.refusal("sites", ("where", where))
            self.assertEqual((status, words), (
                "ARGUMENT", f"where={where}: the second address is not above the first: "
                "range=0xSTART-0xEND"))
        status, words = view.refusal("sites", ("kind", "recent"), ("where", "tile=0x10"))
        self.assertEqual((status, "only live objects" in words), ("ARGUMENT", True))
        for parameters in ((), (("site", "12"),), (("site", "zz3456789abc"),)):
            status, words = view.refusal("tiles", *parameters)
            self.assertEqual((status, "`gcspy sites`" in words), ("ARGUMENT", True))


if __name__ == "__main__":
    main()
