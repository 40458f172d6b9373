"""Native code and sampled allocation: frames of C functions, and the agent's C calls (H6, S5)."""

import collections
import os
import shutil
import tempfile
import unittest

import table
from jvm import AGENT, JDKS, NEWEST, Jvm, cases, compile_java, expand, main, skipped
from profile import Sampler

CALLERS = os.environ["GCSPY_CALLERS"]
EMBEDDER = os.environ["GCSPY_EMBEDDER"]
# JDK 24 and later warn of native libraries unless this is given; older ones do not know the flag.
QUIET = "-XX:+IgnoreUnrecognizedVMOptions"
ONE = (table.Row("Serial", f"-Xms64m -Xmx64m {QUIET}"),)

CALLERS_JAVA = """
public class Callers {
    static native Object make(int length);
    static Object kept;
    static void fromJava(int i) { kept = make(300 + i % 2); }
    static void waitForLine() throws Exception {
        for (int c = 0; c != '\\n' && c != -1;) c = System.in.read();
    }
    public static void main(String[] a) throws Exception {
        System.load(a[0]);
        System.out.println("{\\"command\\":\\"ready\\"}");
        waitForLine();
        for (int i = 0; i < 20000; i++) fromJava(i);
        System.out.println("{\\"command\\":\\"done\\"}");
        waitForLine();
    }
}
"""

EMBED_JAVA = """
public class Embed {
    static native boolean open(String agent);
    static native int start(boolean callback);
    static native int stop();
    static native void context(long number);
    static native int called();
    static native void settle(long context, int least);
    static native String live();
    static native String recent();
    static native String frequent();
    static Object[] kept = new Object[2];

    static void work(int number) throws Exception {
        context(number);
        Object[] mine = new Object[4000];
        for (int i = 0; i < 60000; i++) {
            mine[i % 4000] = new long[number == 1 ? 20 : 60];
            if (i % 2000 == 0) Thread.sleep(2);
        }
        kept[number - 1] = mine;
    }

    static void start(int number, String name, Thread[] both) {
        both[number - 1] = new Thread(() -> {
            try {
                work(number);
            } catch (Exception e) {
                System.err.println(e);
            }
        }, name);
        both[number - 1].start();
    }

    static Object[] fresh = new Object[2000];

    static void work() {
        context(9);
        for (int i = 0; i < 20000; i++) fresh[i % 2000] = new long[60];
    }

    static void workers() throws Exception {
        Thread[] both = new Thread[2];
        start(1, "one", both);
        start(2, "two", both);
        for (Thread t : both) t.join();
    }

    static String tell(String what, String text) throws Exception {
        System.out.println("begin " + what + "\\n" + text + "end");
        return text;
    }

    public static void main(String[] a) throws Exception {
        System.load(a[0]);
        System.out.println("open " + open(a[1]));
        System.out.println("start " + start(true));
        workers();
        System.gc();
        settle(1, 1);
        settle(2, 1);
        tell("live", live());
        work();
        settle(9, 0);
        tell("new", live());
        System.gc();
        settle(9, 1);
        tell("judged", live());
        kept = new Object[2];
        System.gc();
        Thread.sleep(300);
        tell("recent", recent());
        tell("frequent", frequent());
        System.out.println("called " + called());
        System.out.println("stop " + stop());
        int before = called();
        workers();
        System.out.println("later " + (called() - before));
        tell("stopped", live());
        System.out.println("again " + start(false));
        workers();
        System.out.println("without " + (called() - before));
        System.out.println("stop " + stop());
        System.out.println("truth Embed");
        System.in.read();
    }
}
"""

Trace = collections.namedtuple("Trace", "context age size objects owner thread method")


class Compiled(Jvm):
    """A program of one class, compiled here."""

    def __init__(self, jdk, name, source, flags, options, arguments, **words):
        self.classes = tempfile.mkdtemp(prefix="gcspy-e2e-")
        compile_java(JDKS[0], self.classes, name, source)
        super().__init__(jdk, name, flags, options, arguments, jar=self.classes, **words)

    def __exit__(self, *what):
        result = super().__exit__(*what)
        shutil.rmtree(self.classes, ignore_errors=True)
        return result


@expand
class Frames(unittest.TestCase):
    def profile(self, jdk, row, options):
        with Compiled(jdk, "Callers", CALLERS_JAVA, row.flags, options, (CALLERS,)) as jvm:
            jvm.answer()
            with Sampler(jvm.address()) as view:
                view.interval("2k")
                jvm.say("go")
                jvm.answer(view)
                why = view.lines().get("Not available: native frames")
                if why:
                    skipped(f"native frames on {jdk}", why)
                    self.skipTest(why)
                return view.steady()

    @staticmethod
    def is_made(e):
        """Not by Java code below, as the initialiser of a class is."""
        java = [f for f in e.frames if f.kind in ("java", "native method")]
        return java[:1] != [] and java[0][1:3] == ("Callers", "make")

    def check_stacks(self, p):
        for owner, inner in (("int[]", "inner_array"), ("java.util.Date", "inner_object")):
            entries = [e for e in p.entries if e.owner == owner and self.is_made(e)]
            self.assertGreater(sum(e.samples for e in entries), 50, owner)
            for e in entries:
                native = [f for f in e.frames if f.kind == "native"]
                self.assertEqual([f.method for f in native],
                                 [inner, "middle_function", "outer_function", "Java_Callers_make"],
                                 e)
                self.assertEqual({f.owner for f in native}, {os.path.basename(CALLERS)})
                kinds = [f.kind for f in e.frames]
                at = kinds.index("native method")
                self.assertEqual(e.frames[at][1:3], ("Callers", "make"))
                self.assertEqual(kinds[at - 1], "native", "C functions stand on the native method")
                self.assertEqual(set(kinds[at + 1:]), {"java"})
                self.assertEqual([f.method for f in e.frames[at + 1:]], ["fromJava", "main"])
                above = e.frames[:kinds.index("native")]
                self.assertGreater(len(above), 0)
                self.assertEqual({f.kind for f in above}, {"vm"})
                self.assertTrue(all(f.owner.startswith("libjvm.") for f in above))
                self.assertTrue(all(f.file == "" for f in native))

    @cases(ONE)
    def check_native_frames(self, jdk, row):
        """H6: the C functions of a JNI library, youngest first, on the Java native method; the
        JVM's own above them, marked as such; bytes right."""
        p = self.profile(jdk, row, "port=0")
        self.check_stacks(p)
        arrays = sum(e.bytes for e in p.entries if e.owner == "int[]" and self.is_made(e))
        # The agent's buffer may overflow on a busy machine.
        self.assertLess(p.lost, p.samples / 2)
        self.assertLess(abs(arrays / (20000 * 1220) - 1), 0.2 + p.lost / p.samples)

    @cases(ONE, only=NEWEST)
    def check_by_jvmti(self, jdk, row):
        """H6: the same when the Java frames come from JVMTI each time."""
        self.check_stacks(self.profile(jdk, row, "port=0,stackwalk=jvmti"))


@expand
class Calls(unittest.TestCase):
    @staticmethod
    def traces(jvm, what):
        """(status, traces) as the program told them."""
        lines = jvm.out.split(f"begin {what}\n")[1].split("\nend")[0].splitlines()
        found = [Trace(*line.split("\t")) for line in lines[1:]]
        return lines[0], [t for t in found if t.owner == "long[]" and t.method == "work"]

    def told(self, jvm, word):
        lines = jvm.out.splitlines()
        return [int(line.split()[1]) for line in lines if line.startswith(word + " ")]

    @cases(ONE)
    def check_calls(self, jdk, row):
        """S5, S2: another native library starts sampling with a callback that sets the interval,
        labels threads, reads live and garbage traces, and stops."""
        with Compiled(jdk, "Embed", EMBED_JAVA, row.flags, "port=0,recent=5000,frequent=100",
                      (EMBEDDER, AGENT)) as jvm:
            jvm.truth()
            self.assertIn("open true", jvm.out)
            self.assertEqual(self.told(jvm, "start"), [0])
            status, live = self.traces(jvm, "live")
            self.assertEqual(status, "status 0")
            for number, thread, size in (("1", "one", 176), ("2", "two", 496)):
                mine = [t for t in live if t.context == number]
                objects = sum(float(t.objects) for t in mine)
                self.assertLess(abs(objects / 4000 - 1), 0.3, "4,000 arrays are kept")
                self.assertEqual({t.thread for t in mine}, {thread})
                self.assertEqual({int(t.size) for t in mine}, {size})
                self.assertTrue(all(int(t.age) >= 1 for t in mine))
            # Nothing is live before it has survived a collection.
            for what, ages in (("new", {"0"}), ("judged", {"1"})):
                status, both = self.traces(jvm, what)
                fresh = [t for t in both if t.context == "9"]
                self.assertGreater(len(fresh), 100)
                self.assertEqual({t.age for t in fresh}, ages)
                self.assertTrue(all(int(t.age) >= 1 for t in both if t.context in ("1", "2")))
            status, recent = self.traces(jvm, "recent")
            self.assertEqual(status, "status 0")
            self.assertTrue({t.context for t in recent} >= {"1", "2"})
            status, frequent = self.traces(jvm, "frequent")
            self.assertEqual(status, "status 0")
            self.assertTrue(50 <= len(frequent) <= 100)
            # 60,000 arrays each, at 2 KiB one of 12 and one of 5; the first sample of a thread was
            # chosen at 512 KiB.
            self.assertTrue(8000 < self.told(jvm, "called")[0] < 25000, jvm.out[-200:])
            self.assertEqual(self.told(jvm, "stop"), [0, 0])
            self.assertEqual(self.told(jvm, "later"), [0], "nothing is sampled after the stop")
            self.assertEqual(self.traces(jvm, "stopped"), ("status 15", []))
            self.assertEqual(self.told(jvm, "again"), [0])
            self.assertEqual(self.told(jvm, "without"), [0], "the callback is gone")


if __name__ == "__main__":
    main()
