"""The memory of the whole process by kind, against the kernel's own figures and the JVM's account of its
address ranges (NativeMemoryTracking)."""

import array
import collections
import json
import os
import re
import tempfile
import time
import unittest

import table
from jvm import JDKS, Jvm, MIB, TIMEOUT, cases, column, compile_java, expand, main, space, summary
from running import gcspy

FLAGS = "-Xms64m -Xmx64m -XX:NativeMemoryTracking="
ROWS = tuple(table.Row(collector, FLAGS + "detail", since=17 if collector == "Z" else 11)
             for collector in ("G1", "Z"))
OTHERS = tuple(table.Row(collector, FLAGS + "detail")
               for collector in ("Serial", "Parallel", "Shenandoah"))
TRACKED = tuple(table.Row("G1", FLAGS + flags, "port=0,clock=200", name=name) for name, flags in (
    ("on", "summary"), ("without tools", "summary -XX:+DisableAttachMechanism"), ("off", "off")))
LINES = {"Resident": "Rss", "Proportional": "Pss", "Private dirty": "Private_Dirty",
         "Swapped": "Swap", "Reserved": "Size"}
BUFFERS, SMALL, DEEP = 48, 10000, 20

PROGRAM = """
import java.nio.ByteBuffer;
import java.util.ArrayList;
public class Native {
    static final ArrayList<Object> kept = new ArrayList<>();
    static int deep(int n) { return n == 0 ? pause() : deep(n - 1) + 1; }
    static int pause() {
        synchronized (kept) { kept.notify(); }
        try { Thread.sleep(1000000); } catch (InterruptedException e) { }
        return 0;
    }
    public static void main(String[] a) throws Exception {
        for (int i = 0; i < %d; i++) kept.add(ByteBuffer.allocateDirect(1 << 20));
        for (int i = 0; i < %d; i++) kept.add(ByteBuffer.allocateDirect(1000));
        for (int i = 0; i < 300; i++)
            kept.add(java.lang.reflect.Proxy.newProxyInstance(
                new ClassLoader() { }, new Class<?>[] { Runnable.class }, (p, m, x) -> null));
        for (int i = 0; i < %d; i++)
            synchronized (kept) {
                Thread t = new Thread(() -> deep(2000), "deep");
                t.setDaemon(true);
                t.start();
                kept.wait();
            }
        System.out.println("truth ready");
        while (System.in.read() != 'q') { byte[] b = new byte[1 << 20]; System.gc(); }
    }
}
""" % (BUFFERS, SMALL, DEEP)


def smaps(pid):
    """All mappings as (start, end, name, figures)."""
    found = []
    with open(f"/proc/{pid}/smaps", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            head = re.match(r"([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+ *(.*)", line)
            if head:
                found.append((int(head[1], 16), int(head[2], 16), head[3], {}))
            elif line.endswith("kB\n"):
                key, value = line.split(":")
                found[-1][3][key] = int(value.split()[0]) * 1024
    return found


def tracked(jvm):
    """The JVM's ranges by category; of the code, without its small tables."""
    ranges = re.findall(r"^\[0x([0-9a-f]+) - 0x([0-9a-f]+)\] reserved .*KB for (.+?)(?: from|$)",
                        jvm.jcmd("VM.native_memory", "detail"), re.M)
    return [(int(low, 16), int(high, 16), kind) for low, high, kind in ranges
            if kind != "Code" or int(high, 16) - int(low, 16) > MIB]


def present(pid, low, high):
    """Bytes of the range's pages that are in memory."""
    page = os.sysconf("SC_PAGE_SIZE")
    with open(f"/proc/{pid}/pagemap", "rb") as file:
        file.seek(low // page * 8)
        entries = array.array("Q", file.read((high - low) // page * 8))
    return sum(entry >> 63 for entry in entries) * page


def by_category(pid, mappings, ranges):
    """Resident bytes in the ranges of each category; a mapping that reaches beyond, by its pages."""
    sums = collections.Counter()
    for start, end, _, figures in mappings:
        for low, high, kind in ranges:
            low, high = max(low, start), min(high, end)
            if (low, high) == (start, end):
                sums[kind] += figures["Rss"]
            elif low < high and figures["Rss"]:
                sums[kind] += present(pid, low, high)
    return sums


@expand
class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """What the oldest JDK compiles runs on all."""
        cls.folder = tempfile.TemporaryDirectory(prefix="gcspy-e2e-")
        cls.addClassCleanup(cls.folder.cleanup)
        if JDKS:
            compile_java(JDKS[0], cls.folder.name, "Native", PROGRAM)

    def start(self, jdk, row):
        jvm = Jvm(jdk, "Native", row.flags, row.options, jar=self.folder.name)
        self.addCleanup(jvm.__exit__, None, None, None)
        jvm.truth()
        return jvm

    def shown(self, jvm):
        """The space, which a client gets when it attaches, or when the collection ends that runs then."""
        with jvm.attach() as view:
            of = view.wait(lambda: next((of for of in (space(s, "Memory") for s in view.snapshots)
                                         if of.tiles), None), TIMEOUT)
        return of, dict(zip(of.tile_names, column(of, "Resident")))

    def near(self, value, truth, share, least, what):
        self.assertLessEqual(abs(value - truth), max(share * truth, least), f"{what}: {value} {truth}")

    def compare(self, jvm, of, tiles):
        """With the kernel's figures and the JVM's ranges of right now. The stack of a thread that the
        first reading met on a processor is found by a later one."""
        truth = smaps(jvm.pid)
        for stream, line in LINES.items():
            self.near(summary(of, stream)[0], sum(figures[line] for *_, figures in truth),
                      0.02, 0, stream)
        sums = by_category(jvm.pid, truth, tracked(jvm))
        self.near(tiles["Java heap"], sums["Java Heap"], 0.02, MIB, "Java heap")
        self.near(tiles["Code cache"], sums["Code"], 0.05, MIB // 2, "Code cache")
        self.near(tiles["Metaspace"] + tiles["Class space"], sums["Metaspace"] + sums["Class"],
                  0.03, MIB // 4, "metadata")
        self.near(tiles["Stacks of Java threads"] + tiles["Stacks of other threads"],
                  sums["Thread Stack"], 0.1, MIB // 2, "stacks")

    def when_still(self, compare):
        """The JVM is never quite still, and compiles for seconds; on a busy machine for a minute, with
        megabytes that it has for a moment."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                return compare()
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.5)

    @cases(ROWS, in_turn=True, whole=1)
    def check_figures(self, jdk, row):
        """Every byte is in one tile: the sums are the kernel's, and each kind's the JVM's."""
        jvm = self.start(jdk, row)

        def compare():
            of, tiles = self.shown(jvm)
            self.compare(jvm, of, tiles)
            return of, tiles
        of, tiles = self.when_still(compare)
        largest = max(tiles, key=tiles.get)
        self.assertTrue(of.words.startswith(largest + " "), of.words)
        self.assertGreater(tiles["Metaspace"], MIB, "each proxy has a loader of its own")
        self.assertGreater(tiles["Stacks of Java threads"], DEEP * 100 * 1024)
        # The direct buffers, large ones with mappings of their own and small ones in the heap or an
        # arena; that is what malloc has of the JVM.
        least = BUFFERS * MIB + SMALL * 1000
        self.assertGreater(tiles["malloc"], least)
        self.assertLess(tiles["malloc"], least + 40 * MIB)
        if row.collector == "Z" and jdk.major == 17:
            # It maps its heap three times, and only the proportional figure is that of the memory.
            heap = dict(zip(of.tile_names, column(of, "Proportional")))["Java heap"]
            self.assertLess(heap, 64 * MIB + MIB)

    @cases(OTHERS, in_turn=True)
    def check_other_collectors(self, jdk, row):
        """What is resident is the kernel's sum, by kind as the JVM has it."""
        self.check_figures(jdk, row)

    def account(self, jvm):
        """By the plugin, category by category."""
        code, out, err = gcspy("ask", jvm.address(), "nmt", "--format", "json")
        self.assertEqual((code, err), (0, ""))
        answer = json.loads(out)
        names = [c["name"] for c in answer["columns"]]
        rows = [row["cells"] for row in answer["rows"]]
        return {cells[0]: dict(zip(names, cells)) for cells in rows}

    def compare_space(self, jvm, view):
        """A tile for each category, in the snapshots that follow."""
        def compare():
            of = space(view.tick(lambda s: space(s, "Native memory tracking").tiles),
                       "Native memory tracking")
            account = self.account(jvm)
            total = account.pop("Total")
            shown = dict(zip(of.tile_names, column(of, "Committed")))
            self.assertLessEqual(set(account), set(shown))
            for name, figures in account.items():
                self.near(shown[name], figures["Committed"], 0.02, MIB // 4, name)
            self.near(summary(of, "Committed")[0], total["Committed"], 0.01, MIB // 2, "Total")
            self.assertTrue(of.words.startswith(max(shown, key=shown.get) + " "), of.words)
        self.when_still(compare)

    @cases(TRACKED)
    def check_native_memory_tracking(self, jdk, row):
        """The JVM's account is that of jcmd, of which nothing but the kernel's figures is known else."""
        jvm = self.start(jdk, row)
        with jvm.attach() as view:
            offered = "nmt" in {p["name"] for p in view.plugins}
            kept = space(view.picture(), "Native memory tracking")
            self.assertEqual((offered, kept is not None), (row.name != "off",) * 2)
            if row.name == "without tools":
                view.wait(lambda: "does not listen for tools" in
                          space(view.snapshots[-1], "Native memory tracking").words, TIMEOUT)
                self.assertEqual(space(view.snapshots[-1], "Native memory tracking").tiles, 0)
            if row.name == "on":
                self.compare_space(jvm, view)
        if row.name == "without tools":
            code, _, err = gcspy("ask", jvm.address(), "nmt")
            self.assertEqual(code, 1)
            self.assertIn("does not listen for tools", err)
            self.assertTrue(jvm.alive())
        if row.name != "on":
            return
        for _ in range(2):
            self.account(jvm)
            self.assertFalse(os.path.exists(f"/tmp/.attach_pid{jvm.pid}"))
        self.assertNotIn("Full thread dump", jvm.out)

        def compare():
            account = self.account(jvm)
            text = jvm.jcmd("VM.native_memory", "summary", "scale=b")
            truth = dict(re.findall(r"^(?:- +)?(\w.*?):? \(?reserved=\d+, committed=(\d+)", text,
                                    re.M))
            self.assertEqual(set(account), set(truth))
            for name, committed in truth.items():
                self.near(account[name]["Committed"], int(committed), 0.02, MIB // 4, name)
            return account
        tracked_here = self.when_still(compare)
        total = tracked_here.pop("Total")
        for column_name in ("Committed", "Reserved", "Mapped", "malloc"):
            self.near(total[column_name], sum(c[column_name] for c in tracked_here.values()),
                      0.02, MIB // 4, column_name)
        self.assertGreater(tracked_here["Other"]["malloc"], BUFFERS * MIB, "the direct buffers")
        self.assertEqual(gcspy("detach", jvm.pid)[0], 0)
        self.assertTrue(jvm.alive())

    @cases(ROWS, in_turn=True)
    def check_only_when_wanted(self, jdk, row):
        """The file is read for a client that has the space open, and at most once a second."""
        def bytes_read():
            with open(f"/proc/{jvm.pid}/io", encoding="utf-8") as file:
                return int(re.search(r"^rchar: (\d+)", file.read(), re.M)[1])

        def collect(view, times):
            before = bytes_read()
            for _ in range(times):
                count = view.count("GC finish")
                jvm.process.stdin.write(b".")
                jvm.process.stdin.flush()
                view.wait(lambda c=count: view.count("GC finish") > c)
            return bytes_read() - before
        jvm = self.start(jdk, row)
        with open(f"/proc/{jvm.pid}/smaps", "rb") as file:
            size = len(file.read())
        with jvm.attach() as view:
            view.picture()
            number = view.picture().spaces.index(space(view.picture(), "Memory"))
            view.collapse(number, True)
            view.obeyed()
            self.assertLess(collect(view, 20), size / 4, "it is collapsed")
            view.collapse(number, False)
            view.obeyed()
            begun, read = time.monotonic(), 0
            while read < size / 2:
                read += collect(view, 1)
                self.assertLess(time.monotonic() - begun, TIMEOUT, f"only {read} bytes")
            self.assertLess(collect(view, 5), 3 * size, "not at each collection")


if __name__ == "__main__":
    main()
