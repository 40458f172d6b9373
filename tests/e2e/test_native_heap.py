"""The native heap beside the Java heap: a JVM with libgcspymalloc.so preloaded, seen through the agent alone."""

import contextlib
import glob
import json
import os
import subprocess
import tempfile
import unittest

import serving
import table
from jvm import (JDKS, NEWEST, PROGRAM, TIMEOUT, Jvm, View, cases, column, compile_java, expand, main,
                 space, summary, wire)
from running import gcspy

LIBRARY = os.environ["GCSPY_MALLOC"]
CALLERS = os.path.abspath(os.environ["GCSPY_CALLERS"])
OPEN = "-XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading"
ROWS = tuple(table.Row(collector, f"-Xms64m -Xmx256m {OPEN}", since=17 if collector == "Z" else 11)
             for collector in ("G1", "Z"))
BUFFERS, BYTES = 1000, 20000
SPACES = ("Native heap", "Size classes", "Gaps", "Mappings")

PROGRAM_JAVA = """
import java.nio.ByteBuffer;
import java.util.ArrayList;
public class Buffers {
    static final ArrayList<ByteBuffer> kept = new ArrayList<>();
    static void receive() {
        for (int i = 0; i < %d; i++) kept.add(ByteBuffer.allocateDirect(%d));
    }
    public static void main(String[] a) throws Exception {
        System.out.println("truth ready");
        for (int c; (c = System.in.read()) != 'q';)
            if (c == 'b') { receive(); System.out.println("{}"); }
    }
}
""" % (BUFFERS, BYTES)

# Blocks of sizes that nothing else has, allocated in interpreted and in compiled code.
NATIVES_JAVA = """
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.zip.Deflater;
public class Natives {
    static final ArrayList<Object> kept = new ArrayList<>();
    static native long take(int bytes);
    static void buffer() {
        kept.add(ByteBuffer.allocateDirect(50_021)); // direct buffer
    }
    static void deflater() {
        kept.add(new Deflater()); // deflater
    }
    static void block() {
        kept.add(take(70_057)); // JNI
    }
    static void round() {
        buffer();
        deflater();
        block();
    }
    public static void main(String[] a) throws Exception {
        System.load(a[0]);
        System.out.println("truth ready");
        while (System.in.read() != 'q') {
            Runnable rounds = () -> { for (int i = 0; i < 400; i++) round(); };
            if (a.length == 1)
                rounds.run();
            else
                ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
                    .invoke(null, rounds)).join();
            System.out.println("{}");
        }
    }
}
"""
# What allocates, the youngest frame of Java and the frame of C above it, for each.
NATIVES = (("direct buffer", "jdk.internal.misc.Unsafe.allocateMemory0", "libjvm.so", 400 * 50_021),
           ("deflater", "java.util.zip.Deflater.init", "libzip.so", 400 * 20_000),
           ("JNI", "Natives.take", os.path.basename(CALLERS), 400 * 70_057))
MODES = tuple(table.Row("", f"-Xmx256m {flags}", options, since, name) for name, flags, options, since in (
    ("all compilers", "", "", 11), ("interpreted", "-Xint", "", 11),
    ("C1", "-XX:TieredStopAtLevel=1", "", 11), ("C2", "-Xcomp -XX:-TieredCompilation", "", 11),
    ("virtual thread", "", "virtual", 21)))


def names(pid):
    """Those of its threads."""
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/comm"):
        with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
            found.append(file.read().strip())
    return found


@expand
class NativeHeap(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="gcspy-e2e-")
        cls.addClassCleanup(cls.folder.cleanup)
        if JDKS:
            compile_java(JDKS[0], cls.folder.name, "Buffers", PROGRAM_JAVA)
            compile_java(JDKS[0], cls.folder.name, "Natives", NATIVES_JAVA)

    def start(self, jdk, row, own="interval=1", options="port=0", program=("Buffers",)):
        os.environ["GCSPYMALLOC"] = own
        self.addCleanup(os.environ.pop, "GCSPYMALLOC", None)
        jvm = Jvm(jdk, program[0], row.flags, options, program[1:], jar=self.folder.name,
                  preload=LIBRARY)
        self.addCleanup(jvm.__exit__, None, None, None)
        jvm.truth()
        jvm.out_at = len(jvm.out)
        return jvm

    def receive(self, jvm, view=None):
        jvm.say("b")
        jvm.answer(view)

    def sizes(self, snapshot):
        """The bytes of each size class. All spaces are of one update."""
        sizes = column(space(snapshot, "Size classes"), "Bytes")
        self.assertEqual(sum(sizes), summary(space(snapshot, "Native heap"), "Used")[0])
        return sizes

    def updated(self, view, since, done):
        """The first update of the native heap after so many snapshots of which that holds."""
        return view.wait(lambda: next((s for s in view.snapshots[since:] if s.event is not None
                                       and view.events[s.event]["name"] == "Native heap"
                                       and done(s)), None), TIMEOUT)

    @cases(ROWS, in_turn=True)
    def check_served(self, jdk, row):
        """E3: its bytes are in /metrics of gcspy serve."""
        path = os.path.join(self.folder.name, "served.sock")
        jvm = self.start(jdk, row, options=f"socket={path},clock=500")

        def used():
            family = serve.metrics().get("gcspy_native_used_bytes")
            return family["samples"][0][2] if family and family["samples"] else None
        with serving.Serving("--sockets", path, "--match", "^served$") as serve:
            before = jvm.until(used, "the native heap's bytes")
            self.receive(jvm)
            after = jvm.until(lambda: (lambda now: now if now >= before + 0.95 * BUFFERS * BYTES
                                       else None)(used()), "those of the buffers")
            self.assertLess(after, before + 2 * BUFFERS * BYTES)

    @cases(ROWS, in_turn=True)
    def check_spaces_events_and_zooms(self, jdk, row):
        jvm = self.start(jdk, row)
        with jvm.attach() as view:
            first = view.picture()
            self.assertLessEqual(set(SPACES), {s.name for s in first.spaces})
            before, since = self.sizes(first), len(view.snapshots)
            self.assertGreater(sum(before), 1 << 20, "the first state has the native heap")
            self.receive(jvm, view)

            def more(snapshot):
                """In the class of the buffers; the JVM has few blocks of that size, and frees some."""
                return max(now - then for now, then in zip(self.sizes(snapshot), before))
            after = self.updated(view, since, lambda s: more(s) >= (BUFFERS - 50) * BYTES)
            self.updated(view, since, lambda s: view.attributes(s)["malloc per second"] > 0)
            self.assertGreater(sum(column(space(after, "Native heap"), "Used")),
                               (BUFFERS - 50) * BYTES)
            self.assertGreater(space(after, "Mappings").tiles, 50)
            self.zoomed(view, after)
        self.assertEqual(jvm.process.poll(), None)
        jvm.say("q")
        self.assertEqual(jvm.end(), 0)
        self.assertNotIn("gcspymalloc: listening", jvm.err)

    def zoomed(self, view, snapshot):
        """A tile in blocks of 16 bytes has what the tile has."""
        number = next(i for i, s in enumerate(view.spaces) if s.name == "Native heap")
        whole = snapshot.spaces[number]
        used = column(whole, "Used")
        tile = next(i for i, n in enumerate(used) if 0 < n < whole.block_bytes)
        start, end = column(whole, "Start")[tile], column(whole, "End")[tile]
        answer = view.answered(view.zoom(number, start, end, 16))
        self.assertEqual((answer.status, answer.words), ("OK", ""))
        part = wire.Reader(answer.body).varint()

        def same():
            s = view.snapshots[-1]
            if part >= len(s.spaces) or s.spaces[part].tiles != (end - start) // 16:
                return None
            starts = column(s.spaces[number], "Start")
            return start in starts and sum(column(s.spaces[part], "Used")) == \
                column(s.spaces[number], "Used")[starts.index(start)]
        view.wait(same, TIMEOUT)

    def sites(self, jvm, *words):
        done = subprocess.run([PROGRAM, "sites", jvm.address(), "--where", "native", "--format",
                               "json", *words], capture_output=True, text=True, timeout=TIMEOUT,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    @cases(ROWS[:1], only=NEWEST)
    def check_call_sites(self, jdk, row):
        """Every block is a sample, so that the figures are exact; those of a buffer's size are few else."""
        jvm = self.start(jdk, row)
        self.receive(jvm)
        sizes = [round(s["bytes"] / s["objects"]) for s in self.sites(jvm, "--min-size", "20000")["sites"]
                 for _ in range(round(s["objects"]))]
        ours = sum(BYTES <= size <= BYTES + 4096 for size in sizes)
        self.assertTrue(BUFFERS <= ours <= BUFFERS + 100, ours)
        with jvm.attach() as view:
            answer = view.answered(view.ask("sites", ("where", "nowhere")))
            self.assertEqual(answer.status, "ARGUMENT")

    def java_stacks(self, jvm):
        """Of each site its bytes and its frames from the youngest on, as (class.method, line, kind)."""
        answer = self.sites(jvm)
        for site in answer["sites"]:
            frames, at = [], site["stack"]
            while at is not None:
                f = answer["stacks"][at]
                method = f["class"] + "." + f["method"] if f["class"] else f["method"]
                frames.append((method, f["line"], f["frame_kind"]))
                at = f["caller"]
            yield site["live_bytes"], frames

    @cases(MODES, in_turn=True)
    def check_java_frames(self, jdk, row):
        """M4: a block of native memory leads to the line of Java that asked for it."""
        jvm = self.start(jdk, row, program=("Natives", CALLERS, *row.options.split()))
        for _ in range(3):
            self.receive(jvm)
        stacks = list(self.java_stacks(jvm))
        lines = NATIVES_JAVA.split("\n")
        for what, callee, library, least in NATIVES:
            line = next(i for i, text in enumerate(lines, 1) if text.endswith("// " + what))
            found = 0
            for live, frames in stacks:
                methods = [f[0] for f in frames]
                at = methods.index(callee) if callee in methods else 0
                # The JVM has blocks of its own there, when it links and compiles the method.
                if at == 0 or not methods[at - 1].startswith(library):
                    continue
                self.assertEqual(frames[at][2], "native method", frames)
                self.assertEqual({f[2] for f in frames[:at]}, {"native"}, frames)
                self.assertEqual({f[2] for f in frames[at:]} - {"java", "native method"}, set(),
                                 frames)
                if any(f[0].startswith("Natives.") and f[1] == line for f in frames):
                    self.assertIn("Natives.round", methods)
                    found += live
            self.assertGreater(found, 3 * 0.95 * least, what)
        code, out, err = gcspy("info", jvm.address())
        self.assertEqual((code, err), (0, ""))
        self.assertNotIn("Java frames of native stacks", out)
        jvm.say("q")
        self.assertEqual(jvm.end(), 0)

    @cases(ROWS[:1], only=NEWEST)
    def check_detach_and_attach(self, jdk, row):
        jvm = self.start(jdk, row)
        address = jvm.address()
        for words in (("port=0",), (), ("port=0",)):
            with View(address) as view:
                heap = space(view.picture(), "Native heap")
                self.assertGreater(sum(column(heap, "Used")), 1 << 20)
                self.assertIn("gcspy-native", names(jvm.pid))
                self.assertEqual(gcspy("detach", jvm.pid)[0], 0)
            jvm.until(lambda: "gcspy-native" not in names(jvm.pid), "the end of its thread")
            code, out, err = gcspy("attach", jvm.pid, *words, "--format", "json")
            self.assertEqual(code, 0, err)
            address = json.loads(out)["addresses"][0]
        jvm.say("q")
        self.assertEqual(jvm.end(), 0)

    @cases(ROWS[:1], only=NEWEST)
    def check_one_that_does_not_listen(self, jdk, row):
        """It records, with the frames of Java."""
        trace = os.path.join(self.folder.name, "native.gcspy")
        jvm = self.start(jdk, row, own=f"record={trace},interval=4k")
        self.receive(jvm)
        with jvm.attach() as view:
            self.assertIsNone(space(view.picture(), "Native heap"))
            self.assertIn("does not listen", view.lines()["Not available: native heap"])
            answer = view.answered(view.ask("sites", ("where", "native")))
            self.assertEqual(answer.status, "STATE")
            self.assertIn("gcspy run", answer.words)
        jvm.say("q")
        self.assertEqual(jvm.end(), 0)
        done = subprocess.run([PROGRAM, "sites", trace, "--by", "frame"], capture_output=True,
                              text=True, timeout=TIMEOUT, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Buffers.receive (Buffers.java:", done.stdout)


if __name__ == "__main__":
    main()
