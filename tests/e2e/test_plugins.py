"""F18: the plugins of the agent in a program that knows what it keeps, against the JVM's own account."""

import re
import struct
import time
import unittest

import table
from jvm import Jvm, TIMEOUT, USED, cases, column, expand, main, space, wire
from profile import Sampler

HUGE, EACH = 4, 3 << 19
ROOM = "-Xms192m -Xmx192m"
OPTIONS = "port=0,memory=on"
ROWS = (table.Row("Serial", ROOM, OPTIONS), table.Row("Parallel", ROOM, OPTIONS),
        table.Row("G1", f"{ROOM} -XX:G1HeapRegionSize=1m", OPTIONS),
        table.Row("Z", ROOM, OPTIONS), table.Row("Shenandoah", ROOM, OPTIONS))
FEW = tuple(row for row in ROWS if row.collector in ("Serial", "G1"))
WITHOUT = (table.Row("G1", ROOM),)
MAPS = {"Serial": "Old", "G1": "G1 regions"}


@expand
class Plugins(unittest.TestCase):
    def start(self, jdk, row):
        jvm = Jvm(jdk, "Sites", row.flags, row.options)
        self.addCleanup(jvm.__exit__, None, None, None)
        jvm.answer()
        view = Sampler(jvm.address())
        self.addCleanup(view.__exit__, None, None, None)
        return jvm, view

    def body(self, view, topic, *parameters):
        answer = view.answer(view.ask(topic, *parameters))
        self.assertEqual((answer.status, answer.failed), ("OK", False), answer.words)
        return answer.body

    def words(self, view, status, topic, *parameters):
        answer = view.answer(view.ask(topic, *parameters))
        self.assertEqual((answer.status, answer.body), (status, b""))
        return answer.words

    @cases(ROWS, in_turn=True)
    def check_memory(self, jdk, row):
        """The address that a profile has of a sampled array leads to its header, which has its length, and
        to a mark with its class and call site."""
        jvm, view = self.start(jdk, row)
        view.interval("4k")
        jvm.ask(f"huge {HUGE} {EACH}", view)
        for _ in range(3):
            jvm.ask("gc", view)
        found = []

        def there():
            """Objects of concurrent collectors may move between the two answers. Where the sampler was later
            than the collections, another one has to judge. The JVM draws a thread's next sample at its last
            one: the first array may fall before one that was drawn with the default interval."""
            found.clear()
            arrays = view.profile("live").by("makeHuge")
            if len(arrays) < HUGE - 1:
                jvm.ask("gc", view)
            for e in arrays:
                if not e.address:
                    return False
                m = wire.memory_decode(self.body(view, "memory", ("address", f"{e.address:#x}"),
                                                 ("length", "64")))
                self.assertEqual((m["address"], len(m["bytes"])), (e.address, 64))
                marks = [mark for mark in m["marks"] if mark[0] == 0]
                if len(marks) != 1 or EACH not in struct.unpack("<16i", m["bytes"])[2:6]:
                    return False
                self.assertEqual(marks[0][:2], (0, 64))
                self.assertRegex(marks[0][2],
                                 rf"^byte\[\], {e.size} bytes, site [0-9a-f]{{12}}, survived")
                found.append(e.address)
            return len(found) >= HUGE - 1
        jvm.until(there, "each array at its address", view)
        whole = wire.memory_decode(self.body(view, "memory", ("address", f"{found[0]:#x}"),
                                             ("length", "64k")))
        self.assertEqual(len(whole["bytes"]), 65536)
        for parameters in ((("address", f"{found[0]:#x}"), ("length", "0")),
                           (("address", f"{found[0]:#x}"), ("length", "65537"))):
            self.assertIn("1 to 65536", self.words(view, "ARGUMENT", "memory", *parameters))
        for address in ("0x0", "0x1000", "0xffffffffffffffff"):
            self.assertIn("not in the heap", self.words(view, "ARGUMENT", "memory",
                                                        ("address", address)))

    @cases(WITHOUT)
    def check_memory_is_off(self, jdk, row):
        """Without the option no client sees a byte of the heap."""
        jvm, view = self.start(jdk, row)
        self.assertEqual({p["name"] for p in view.plugins},
                         {"backtrace", "fragmentation", "histogram", "native-memory", "paths"})
        low = re.match(r"0x[0-9a-f]+", view.lines()["Heap range"])[0]
        self.assertIn("memory=on", self.words(view, "UNSUPPORTED", "memory", ("address", low)))
        self.assertTrue(jvm.alive())

    @cases(WITHOUT)
    def check_backtrace(self, jdk, row):
        """The stack of each thread at rest is the one that jcmd prints."""
        jvm, view = self.start(jdk, row)
        printed = {}
        for part in jvm.jcmd("Thread.print").split("\n\n"):
            name = re.search(r'^"(.+?)"', part, re.M)
            frames = re.findall(r"^\s+at (?:[^/\s(]+/)?([^\s(/]+)\.([^\s.(]+)\(([^)]*)\)", part, re.M)
            if name and frames:
                printed[name[1]] = frames
        self.assertIn("main", printed)
        for name in ("main", "Finalizer", "Reference Handler"):
            expected = []
            for owner, method, where in printed[name]:  # java.base@17.0.15/Object.java:502
                file, _, line = where.split("/")[-1].partition(":")
                expected.append((owner, method, "native method" if file == "Native Method" else file,
                                 int(line) if line else None))
            t = wire.table_decode(self.body(view, "backtrace", ("thread", name)))
            self.assertEqual([c[0] for c in t["columns"]], ["Class", "Method", "File", "Line"])
            self.assertRegex(t["title"], rf"^{name}, .*, {len(t['rows'])} frames$")
            rows = [tuple(r) for r in t["rows"]]
            self.assertEqual(rows, expected)
        t = wire.table_decode(self.body(view, "backtrace", ("depth", "1")))
        self.assertEqual(len(t["rows"]), 1)
        self.assertRegex(t["title"], "1 frame, and older ones$")
        self.assertIn("there are main", self.words(view, "ARGUMENT", "backtrace",
                                                   ("thread", "nobody")))
        self.assertIn("1 to 1024", self.words(view, "ARGUMENT", "backtrace", ("depth", "0")))

    @cases(WITHOUT)
    def check_a_backtrace_in_a_pause(self, jdk, row):
        """While a client holds the program in a collection, the JVM gives no stack: the answer comes when
        the program goes on, and nothing else waits for it."""
        jvm, view = self.start(jdk, row)
        view.pause()
        # A collection that is over before the server has read the request would be the last one.
        view.wait(lambda: view.states and view.states[-1][0] != wire.RUNNING, TIMEOUT)
        jvm.say("gc")
        view.wait(lambda: view.states and view.states[-1][0] == wire.PAUSED, TIMEOUT)
        number = view.ask("backtrace")
        self.assertTrue(self.body(view, "settings"))
        self.assertTrue(self.body(view, "fragmentation"))
        view.idle(0.3)
        self.assertFalse(number in view.answers and view.answers[number].complete)
        view.resume()
        answer = view.answer(number)
        self.assertEqual(answer.status, "OK", answer.words)
        t = wire.table_decode(answer.body)
        self.assertIn("main", [r[1] for r in t["rows"]])

    @cases(WITHOUT)
    def check_many_backtraces(self, jdk, row):
        """While the program allocates and collects, and while clients come and go."""
        jvm = Jvm(jdk, "Threads threads=20 churn=20 hold=600", row.flags, row.options)
        self.addCleanup(jvm.__exit__, None, None, None)
        address, end = jvm.address(), time.monotonic() + 3
        asked = 0
        while asked < 24 or time.monotonic() < end:
            with Sampler(address) as view:
                for _ in range(8):
                    t = wire.table_decode(self.body(view, "backtrace"))
                    self.assertTrue(t["title"].startswith("main, "), t["title"])
                    asked += 1
                view.ask("backtrace")  # and leaves before the answer
        self.assertTrue(jvm.alive())

    @cases(FEW, in_turn=True)
    def check_fragmentation(self, jdk, row):
        """The runs of free tiles of the map that the client has itself."""
        jvm, view = self.start(jdk, row)
        jvm.ask(f"huge {HUGE} {EACH}", view)
        jvm.ask("gc", view)
        view.idle(0.3)

        def agrees():
            heap = space(view.picture(), MAPS[row.collector])
            number = [s.name for s in view.spaces].index(heap.name)
            control = column(heap, "Control")
            used, start, end = (column(heap, name) for name in ("Used", "Start", "End"))
            runs, open_run = [], False
            for bits, u, a, b in zip(control, used, start, end):
                if bits & USED and u == 0 and b > a:
                    if not open_run or bits & 8:
                        runs.append(0)
                    runs[-1] += b - a
                    open_run = True
                else:
                    open_run = False
            t = wire.table_decode(self.body(view, "fragmentation", ("space", str(number))))
            rows = [dict(zip([c[0] for c in t["columns"]], r)) for r in t["rows"]]
            same = (sum(r["Free"] for r in rows) == sum(runs) and
                    sum(r["Free runs"] for r in rows) == len(runs) and
                    max((r["Largest"] for r in rows), default=0) == max(runs, default=0))
            for r in rows:
                inside = [n for n in runs if r["Below"] // 2 <= n < r["Below"]]
                same = same and (r["Free runs"], r["Free"]) == (len(inside), sum(inside))
            return same and rows
        rows = jvm.until(agrees, "the same runs", view)
        self.assertTrue(all(r["Most in a block"] is not None for r in rows))


if __name__ == "__main__":
    main()
