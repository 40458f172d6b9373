"""The agent taken down in a running JVM and started again: no thread, socket, event, capability
or memory of it is left, whatever clients and the program are doing."""

import concurrent.futures
import contextlib
import glob
import os
import re
import signal
import socket
import stat
import threading
import time
import unittest

import table
from concurrentlog import KINDS, LOG, Log
from jvm import (AGENT, MIB, NEWEST, TIMEOUT, PROGRAM, View, cases, column, expand, main, space, wire)
from pauses import heap_of
from profile import Sampler
from running import gcspy, listed
from test_record import read
from test_sampling_native import EMBEDDER, Compiled

RIVAL = os.environ["GCSPY_RIVAL"]
FREED = os.environ["GCSPY_FREED"]
# JDK 21 and later warn of agents that are loaded later, and JDK 24 of native libraries, unless this is
# given; older ones do not know the flags.
QUIET = "-XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading " \
        "--enable-native-access=ALL-UNNAMED"
SMALL = f"-Xms64m -Xmx64m {QUIET}"
COLLECTORS = (table.Row("Serial", SMALL), table.Row("Parallel", SMALL), table.Row("G1", SMALL),
              table.Row("Z", f"-Xms64m -Xmx128m {QUIET}"), table.Row("Shenandoah", SMALL))
ONE = COLLECTORS[:1]
G1 = COLLECTORS[2:3]
ZGC_OLD = (table.Row("Z", f"-Xms256m -Xmx256m -XX:ConcGCThreads=1 {QUIET}"),)
EPSILON = (table.Row("Epsilon", f"-Xms64m -Xmx1g {QUIET}", unlock=table.EXPERIMENTAL),)

# Allocates in platform threads, in threads that end soon, and in virtual ones where there are any.
BUSY_JAVA = """
import java.util.*;
public class Busy {
    static volatile boolean over;
    static volatile Object sink;
    static void work(int rounds) {
        Object[] kept = new Object[500];
        for (int i = 0; i < rounds && !over; i++) {
            kept[i % 500] = new byte[100 + i % 400];
            sink = new int[20];
            if (i % 500 == 0) try { Thread.sleep(1); } catch (InterruptedException e) { return; }
        }
    }
    static Thread make(Runnable task) {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (Thread) Class.forName("java.lang.Thread$Builder$OfVirtual")
                .getMethod("unstarted", Runnable.class).invoke(builder, task);
        } catch (ReflectiveOperationException e) {
            return new Thread(task);
        }
    }
    static void starting() {
        for (int i = 0; !over; i++) {
            Thread t = i % 2 == 0 ? new Thread(() -> work(300)) : make(() -> work(300));
            t.start();
            try { t.join(); } catch (InterruptedException e) { return; }
        }
    }
    static void daemon(Runnable task) {
        Thread t = new Thread(task);
        t.setDaemon(true);
        t.start();
    }
    static Object[] old;
    public static void main(String[] a) throws Exception {
        for (int i = a.length == 0 ? 0 : Integer.parseInt(a[0]); i > 0; i--)
            old = new Object[] {old, new byte[200]};
        for (int i = 0; i < 2; i++) daemon(() -> work(Integer.MAX_VALUE));
        daemon(Busy::starting);
        Scanner in = new Scanner(System.in);
        System.out.println("{\\"command\\":\\"ready\\"}");
        while (in.hasNextLine() && !in.nextLine().equals("quit"))
            System.out.println("{\\"command\\":\\"alive\\"}");
        over = true;
        System.out.println("truth Busy");
        System.exit(0);
    }
}
"""

# Native code that uses the agent's C calls all the time; see native/embedder.c.
EMBED_JAVA = """
import java.util.*;
public class Embed {
    static native boolean open(String agent);
    static native int start(boolean callback);
    static native int stop();
    static native void context(long number);
    static native String live();
    static native String recent();
    static native void block(boolean on);
    static native int waiting();
    static volatile boolean over;
    static volatile Object sink;
    static final Map<String, Long> seen = new TreeMap<>();
    static synchronized void count(String what) { seen.merge(what, 1L, Long::sum); }
    static synchronized String told() { String t = seen.toString(); seen.clear(); return t; }
    static String first(String text) { return text.split("\\n")[0].replace("status ", ""); }
    static void use(int k) {
        for (int i = 0; !over; i++) {
            context(i);
            if (k == 0) count("start " + start(i % 2 == 0));
            if (k == 1) { count("live " + first(live())); count("recent " + first(recent())); }
            for (int j = 0; j < 200; j++) sink = new byte[400];
            try { Thread.sleep(1); } catch (InterruptedException e) { return; }
        }
    }
    public static void main(String[] a) throws Exception {
        System.load(a[0]);
        Scanner in = new Scanner(System.in);
        System.out.println("{\\"command\\":\\"ready\\"}");
        in.nextLine();
        if (!open(a[1])) throw new Error("the agent's calls are not found");
        for (int k = 0; k < 2; k++) {
            int number = k;
            Thread t = new Thread(() -> use(number));
            t.setDaemon(true);
            t.start();
        }
        System.out.println("{\\"command\\":\\"runs\\"}");
        String line;
        while (in.hasNextLine() && !(line = in.nextLine()).equals("quit")) {
            block(line.equals("block"));
            for (int i = 0; line.equals("block") && i < 100; i = waiting() > 0 ? i + 1 : 0)
                Thread.sleep(1);
            told();
            Thread.sleep(100);
            System.out.println("{\\"told\\":\\"" + told() + "\\"}");
        }
        System.exit(0);
    }
}
"""
STATE = 15  # gcs_status

# Threads that end on request.
ENDING_JAVA = """
import java.util.*;
import java.util.concurrent.*;
public class Ending {
    static void await(CountDownLatch latch) {
        try { latch.await(); } catch (InterruptedException e) { }
    }
    public static void main(String[] a) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            all.add(new Thread(() -> await(end)));
            all.get(i).start();
        }
        Scanner in = new Scanner(System.in);
        System.out.println("{\\"command\\":\\"ready\\"}");
        while (in.hasNextLine() && !in.nextLine().equals("quit")) {
            end.countDown();
            for (Thread t : all) t.join();
            System.out.println("{\\"command\\":\\"ended\\"}");
        }
        System.exit(0);
    }
}
"""


def load(jvm, options, library=AGENT):
    """What HotSpot's attach mechanism does with `load`, without the seconds of a jcmd each time;
    the result of Agent_OnAttach, or None if there is no answer (the JVM has ended)."""
    path = f"/tmp/.java_pid{jvm.pid}"
    if not os.path.exists(path):
        jvm.jcmd("VM.version")
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(TIMEOUT)
        try:
            s.connect(path)
            s.sendall(b"1\0load\0" + library.encode() + b"\0true\0" + options.encode() + b"\0")
            answer = b""
            while part := s.recv(4096):
                answer += part
        except OSError:
            return None
    numbers = re.findall(rb"-?\d+", answer)
    return int(numbers[-1]) if numbers else None


def tasks(jvm):
    """The names of the agent's threads."""
    names = []
    for path in glob.glob(f"/proc/{jvm.pid}/task/*/comm"):
        with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
            names.append(file.read().strip())
    return sorted(name for name in names if name.startswith("gcspy"))


def sockets(jvm):
    """How many the process has open, beside the attach mechanism's listener."""
    found = 0
    for path in glob.glob(f"/proc/{jvm.pid}/fd/*"):
        with contextlib.suppress(OSError):
            found += stat.S_ISSOCK(os.stat(path).st_mode)
    return found - 1


def heard(view):
    """Waits for the end of a client's connection."""
    try:
        view.wait(lambda: False, TIMEOUT)
    except wire.Closed as closed:
        return closed.bye
    raise AssertionError("the connection goes on")


@expand
class Detach(unittest.TestCase):
    def busy(self, jdk, row, options):
        jvm = Compiled(jdk, "Busy", BUSY_JAVA, row.flags, options, ())
        jvm.answer()
        return jvm

    def addresses(self, jvm):
        return re.findall(r"^gcspy: listening on (\S+)", jvm.err, re.M)

    def attached(self, jvm, options="port=0"):
        """Attaches; the address."""
        before = len(self.addresses(jvm))
        self.assertEqual(load(jvm, options), 0, jvm.err)
        return self.addresses(jvm)[before]

    def detached(self, jvm, line=r"gcspy: detached\n"):
        """Detaches; the agent's own account of its memory says that nothing is left."""
        before = len(re.findall(line, jvm.err))
        self.assertEqual(load(jvm, "detach"), 0, jvm.err)
        self.assertEqual(len(re.findall(line, jvm.err)), before + 1, jvm.err)
        self.gone(jvm)

    def gone(self, jvm):
        """No thread and no socket is left, and others may sample."""
        self.assertEqual(tasks(jvm), [])
        # The JVM closes the connection of the attach mechanism after its answer.
        jvm.until(lambda: sockets(jvm) == 0, "the end of the last socket")
        if PROGRAM:
            found = listed(jvm.pid)
            self.assertEqual(found["addresses"], [], found)

    def works(self, jvm):
        jvm.say("still there?")
        self.assertEqual(jvm.answer()["command"], "alive")

    def ends(self, jvm):
        self.assertEqual(jvm.quit(), 0, jvm.err)
        self.assertIn("truth Busy", jvm.out)

    @cases(COLLECTORS, in_turn=True)
    def check_everything(self, jdk, row):
        """Loaded with -agentpath, sampling, heavy volume, a clock, a zoom, a client and names of
        threads: all of it ends, and starts again with other options."""
        options = "port=0,interval=16k,volume=heavy,clock=20"
        with self.busy(jdk, row, options) as jvm:
            for turn in range(3):
                with Sampler(self.addresses(jvm)[-1]) as view:
                    last = view.picture()
                    view.wait(lambda v=view: v.of("GC finish"), TIMEOUT)
                    whole = next(s for s in last.spaces if s.find("Start") is not None)
                    number = last.spaces.index(whole)
                    view.zoom(number)
                    view.wait(lambda v=view: "main" in space(v.snapshots[-1], "TLABs").tile_names,
                              TIMEOUT)
                    self.assertGreater(view.profile().samples, 0)
                    self.assertIn("gcspy-sampler", tasks(jvm))
                    # The client takes what it is sent meanwhile: a goodbye waits 200 ms for one
                    # that does not.
                    with concurrent.futures.ThreadPoolExecutor(1) as other:
                        detached = other.submit(self.detached, jvm)
                        self.assertEqual(heard(view), ("ENDED", "the server ends"))
                        detached.result()
                self.works(jvm)
                if turn < 2:
                    self.attached(jvm, ("port=0,interval=64k", options)[turn])
            self.ends(jvm)

    @cases(ZGC_OLD, only=NEWEST)
    def check_during_old_collections(self, jdk, row):
        """H2, Q4: attached while ZGC marks and frees in the old generation, again and again: each pause
        has a kind and a number that the JVM's log has, and the pages are those of the heap."""
        with Compiled(jdk, "Busy", BUSY_JAVA, row.flags, None, ("200000",), log=LOG) as jvm:
            jvm.answer()
            seen, over = [], threading.Event()
            collector = threading.Thread(target=lambda: self.collect_until(jvm, over))
            collector.start()
            try:
                for _ in range(12):
                    with View(self.attached(jvm)) as view:
                        view.wait(lambda v=view: any(
                            v.attributes(f)["Kind"] == "Old relocate start"
                            for f in v.of("GC finish")), TIMEOUT)
                        seen += [(view.attributes(f), heap_of(f)) for f in view.of("GC finish")]
                    self.detached(jvm)
                    self.works(jvm)
            finally:
                over.set()
                collector.join()
            self.ends(jvm)
            log = Log(jvm.log)
        logged = {(kind, number) for p in log.pauses for kind in KINDS[p.operation]
                  for number in (p.number, None)}
        for told, pages in seen:
            self.assertIn((told["Kind"], told["Collection"]), logged)
            used = column(pages, "Used")
            self.assertGreater(sum(used), 20 * MIB, "half of what the program holds")
            self.assertLessEqual(max(used), pages.block_bytes)
        self.assertIn("Mark end", {told["Kind"] for told, _ in seen})

    @staticmethod
    def collect_until(jvm, over):
        while not over.is_set():
            jvm.jcmd("GC.run")

    @cases(EPSILON, only=NEWEST)
    def check_epsilon(self, jdk, row):
        """The stops of the program that the clock asks for."""
        with self.busy(jdk, row, "port=0,volume=heavy,clock=20") as jvm:
            for _ in range(3):
                with View(self.addresses(jvm)[-1]) as view:
                    view.wait(lambda v=view: len(v.of("Clock")) > 3, TIMEOUT)
                    self.detached(jvm)
                self.works(jvm)
                self.attached(jvm, "port=0,volume=heavy,clock=20")
            self.ends(jvm)

    @cases(G1, in_turn=True)
    def check_fifty_times(self, jdk, row):
        """Threads, descriptors and memory are those of before, after each of fifty rounds."""
        with self.busy(jdk, row, None) as jvm:
            memory = []
            for turn in range(60):
                address = self.attached(jvm, "port=0,interval=8k,volume=heavy")
                if turn % 3 == 0:
                    with Sampler(address) as view:
                        view.picture()
                        view.interval("8k")  # answered when sampling is on
                        view.profile()
                self.detached(jvm)
                if turn == 9:
                    descriptors = jvm.descriptors()
                if turn >= 9:
                    memory.append(jvm.rss())
            # The JVM may still have the connection of the last request open; libunwind keeps a pipe
            # from its first use on, which may have been after the tenth round.
            jvm.until(lambda: jvm.descriptors() <= descriptors + 2, f"{descriptors} descriptors")
            quarter = len(memory) // 4
            # What the JVM and the C library keep: their own growth is not the agent's.
            self.assertLess(min(memory[-quarter:]) - min(memory[:quarter]), 8 * MIB, memory)
            self.ends(jvm)

    def sampled(self, jvm):
        """Attaches, and detaches when sampling was on."""
        with Sampler(self.attached(jvm)) as view:
            view.interval("8k")
        self.detached(jvm)

    @cases(G1, in_turn=True)
    def check_ended_threads(self, jdk, row):
        """Threads that ended while the agent was not attached: no event of the next agent makes
        HotSpot write to their freed memory."""
        with Compiled(jdk, "Ending", ENDING_JAVA, row.flags, None, (), preload=FREED) as jvm:
            jvm.answer()
            self.sampled(jvm)
            for _ in range(2):  # HotSpot frees an environment in a collection
                jvm.jcmd("GC.run")
            jvm.say("end")
            jvm.answer()
            self.sampled(jvm)
            self.assertEqual(jvm.quit(), 0, jvm.err)
            self.assertNotIn("was written", jvm.err)
            kept = re.search(r"^freed: (\d+) blocks kept, 0 written$", jvm.err, re.M)
            self.assertGreater(int(kept[1]), 40, "the ended threads are among them")

    @cases(ONE, only=NEWEST)
    def check_report_of_an_abort(self, jdk, row):
        """What keeps a JVM's report when the C library finds its heap corrupted."""
        with self.busy(jdk, row, None) as jvm:
            os.kill(jvm.pid, signal.SIGABRT)
            jvm.end()
            reports = glob.glob(jvm.path("hs_err*"))
            self.assertEqual(len(reports), 1, jvm.err)
            self.assertRegex(jvm.read(reports[0]), r"Native frames:[^\0]*libe2e-abort\.so")
            os.unlink(reports[0])

    @cases(COLLECTORS[1:2], in_turn=True)
    def check_options(self, jdk, row):
        """Other options: a socket instead of a port, whose file goes; a recording; a token."""
        with self.busy(jdk, row, "port=0") as jvm:
            self.detached(jvm)
            path = jvm.path("here.sock")
            self.assertEqual(load(jvm, "socket=here.sock"), 0, jvm.err)
            self.assertTrue(os.path.exists(path))
            with View("unix:" + path) as view:
                view.picture()
            self.detached(jvm)
            self.assertFalse(os.path.exists(path))
            with open(jvm.path("token"), "w", encoding="utf-8",
                      opener=lambda p, f: os.open(p, f, 0o600)) as file:
                file.write("secret-secret-secret\n")
            address = self.attached(jvm, "port=0,token-file=token")
            with View(address, token="secret-secret-secret") as view:
                view.picture()
            self.detached(jvm)
            self.ends(jvm)

    @cases(ONE, in_turn=True)
    def check_recording(self, jdk, row):
        """A recording is finished as at the JVM's end, with its last profiles; another follows."""
        options = "record=run.gcspy,interval=16k"
        with self.busy(jdk, row, options) as jvm:
            for turn in range(2):
                name = jvm.path("run.gcspy" + (f".{turn}" if turn else ""))
                jvm.until(lambda n=name: os.path.exists(n) and os.path.getsize(n) > 5000, name)
                self.detached(jvm)
                trace = read(name)
                self.assertTrue(trace["complete"])
                self.assertEqual((trace["damage"], trace["stray"]), (0, 0))
                self.assertEqual(len(trace["profiles"]), 4, trace["profiles"])
                self.assertEqual(len(re.findall("recorded ", jvm.err)), turn + 1)
                self.assertEqual(load(jvm, options), 0)
            self.ends(jvm)

    @cases(ONE, in_turn=True)
    def check_held(self, jdk, row):
        """A client that holds the program, and would again at each event: the JVM takes no request
        while it stands at a safepoint, so a resume comes first, and detaching releases the rest."""
        with self.busy(jdk, row, "port=0") as jvm:
            with View(jvm.address(), pause=True) as view, View(jvm.address()) as other:
                for i in range(len(view.events)):
                    view.filter(i, pause=True)
                view.wait(lambda: view.states and view.states[-1][0] == wire.PAUSED, TIMEOUT)
                result = []
                thread = threading.Thread(target=lambda: result.append(load(jvm, "detach")))
                thread.start()
                other.resume(everyone=True)
                # From the first safepoint that ends on, the request is under way; a held one ends
                # with the client's connection, or with the next resume.
                while thread.is_alive():
                    try:
                        other.resume(everyone=True)
                        other.idle(0.05)
                    except (wire.Closed, OSError):
                        break
                thread.join(TIMEOUT)
                self.assertEqual(result, [0], jvm.err)
            self.gone(jvm)
            self.works(jvm)
            self.ends(jvm)

    @cases(ONE, in_turn=True)
    def check_again_and_never(self, jdk, row):
        """Twice, and where nothing is attached: a clear answer, and nothing else happens."""
        with self.busy(jdk, row, None) as jvm:
            self.assertNotIn(load(jvm, "detach"), (0, None))
            self.assertIn("gcspy: the agent is not attached: nothing to detach", jvm.err)
            self.attached(jvm)
            self.assertGreater(len(tasks(jvm)), 0)
            self.detached(jvm)
            self.assertNotIn(load(jvm, "detach"), (0, None))
            self.assertEqual(jvm.err.count("nothing to detach"), 2)
            self.assertEqual(jvm.err.count("gcspy: detached"), 1)
            self.gone(jvm)
            self.attached(jvm)
            self.ends(jvm)

    @cases(ONE, in_turn=True)
    def check_command(self, jdk, row):
        """`gcspy detach` and `gcspy attach`, again and again, also of an agent of -agentpath."""
        if not PROGRAM:
            self.skipTest("the program gcspy is not built")
        with self.busy(jdk, row, "port=0,interval=16k") as jvm:
            for _ in range(3):
                code, out, err = gcspy("detach", jvm.pid)
                self.assertEqual((code, err), (0, ""))
                self.assertIn(str(jvm.pid), out)
                self.gone(jvm)
                code, out, err = gcspy("attach", jvm.pid, "port=0")
                self.assertEqual((code, err), (0, ""))
                with View(self.addresses(jvm)[-1]) as view:
                    view.picture()
            self.ends(jvm)

    @cases(ONE, in_turn=True)
    def check_capability(self, jdk, row):
        """What only one agent can have is free again."""
        with self.busy(jdk, row, "port=0,interval=64k") as jvm:
            self.assertEqual(load(jvm, "take", RIVAL), 0)
            self.assertIn("rival: refused", jvm.err)
            self.detached(jvm)
            self.assertEqual(load(jvm, "take", RIVAL), 0)
            self.assertIn("rival: took", jvm.err)
            self.ends(jvm)

    @cases(COLLECTORS[2:4], in_turn=True)
    def check_race_with_the_end(self, jdk, row):
        """The JVM ends while the agent is taken down: its exit code and its last line are its own."""
        for turn in range(6):
            with self.busy(jdk, row, "port=0,interval=16k,volume=heavy") as jvm:
                with View(jvm.address()) as view:
                    view.picture()
                    jvm.jcmd("VM.version")  # the attach mechanism is there
                    thread = threading.Thread(target=load, args=(jvm, "detach"))
                    if turn % 2 == 0:
                        thread.start()
                        time.sleep(0.002 * turn)
                    jvm.say("quit")
                    if turn % 2 == 1:
                        time.sleep(0.002 * turn)
                        thread.start()
                    self.assertEqual(jvm.end(), 0, jvm.err)
                    thread.join(TIMEOUT)
                self.assertIn("truth Busy", jvm.out)

    @cases(ONE, in_turn=True)
    def check_native_callers(self, jdk, row):
        """S5: native code gets STATE from a detached agent, and the calls work with the next one;
        memory that it holds is its own."""
        with Compiled(jdk, "Embed", EMBED_JAVA, row.flags, "port=0", (EMBEDDER, AGENT)) as jvm:
            jvm.answer()
            jvm.say("go")
            jvm.answer()
            for _ in range(8):
                told, deadline = "", time.monotonic() + TIMEOUT
                while "start 0=" not in told or "live 0=" not in told:
                    self.assertLess(time.monotonic(), deadline, told)
                    jvm.say("tell")
                    told = jvm.answer()["told"]
                self.detached(jvm, r"gcspy: detached(; native code holds \d+ blocks? of its memory)?\n")
                jvm.say("tell")
                told = jvm.answer()["told"]
                self.assertEqual(set(re.findall(r"(\w+ \d+)=", told)),
                                 {f"{call} {STATE}" for call in ("start", "live", "recent")}, told)
                self.attached(jvm)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_callback_that_blocks(self, jdk, row):
        """A callback of native code that does not return: one line after five seconds, not a hang;
        nobody is served; and the next request ends what is left."""
        with Compiled(jdk, "Embed", EMBED_JAVA, row.flags, "port=0", (EMBEDDER, AGENT)) as jvm:
            jvm.answer()
            jvm.say("go")
            jvm.answer()
            jvm.say("block")
            jvm.answer()
            begin = time.monotonic()
            self.assertNotIn(load(jvm, "detach"), (0, None))
            self.assertLess(time.monotonic() - begin, 30)
            self.assertRegex(jvm.err, r"gcspy: \d+ threads? of the program still runs? a callback of "
                                      r"the agent; it no longer serves clients")
            jvm.until(lambda: sockets(jvm) == 0, "the end of the last socket")
            self.assertNotIn(load(jvm, "port=0"), (0, None), "what is left is in the way")
            jvm.say("go on")
            jvm.answer()
            self.detached(jvm, r"gcspy: detached(; native code holds \d+ blocks? of its memory)?\n")
            self.attached(jvm)
            self.assertEqual(jvm.quit(), 0)


if __name__ == "__main__":
    main()
