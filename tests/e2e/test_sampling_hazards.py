"""Sampling where it is hard: another agent, every collector, classes that go, threads that come,
changes under load, a paused program, attaching and detaching, the end, a long run (S1 to S4, S8,
Q4)."""

import json
import os
import re
import subprocess
import threading
import time
import unittest

import table
from jvm import (AGENT, MIB, NEWEST, PROGRAM, TIMEOUT, Jvm, cases, column, expand, main, space,
                 wire)
from profile import Sampler

RIVAL = os.environ["GCSPY_RIVAL"]
QUIET = "-XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading"
ONE = (table.Row("Serial", f"-Xms64m -Xmx64m {QUIET}"),)
SMALL = (table.Row("Serial", "-Xms64m -Xmx64m -Xmn2m"),)
G1 = (table.Row("G1", f"-Xms64m -Xmx64m {QUIET}"),)
CHECKED = (table.Row("Serial", "-Xms64m -Xmx64m -Xcheck:jni", name="checked JNI"),)
COLLECTORS = (
    table.Row("Serial", "-Xms64m -Xmx64m"),
    table.Row("Parallel", "-Xms64m -Xmx64m"),
    table.Row("G1", "-Xms64m -Xmx64m"),
    table.Row("Z", "-Xms128m -Xmx256m"),
    table.Row("Shenandoah", "-Xms64m -Xmx128m"),
    table.Row("Shenandoah", "-Xms64m -Xmx128m -XX:ShenandoahGCMode=generational", since=25,
              name="generational", unlock=table.EXPERIMENTAL),
    table.Row("Epsilon", "-Xms1g -Xmx1g", unlock=table.EXPERIMENTAL),
)


def load(jvm, library, options):
    return jvm.jcmd("JVMTI.agent_load", library, f'"{options}"')


class Hazard(unittest.TestCase):
    def setUp(self):
        self.jvm = self.view = None

    def start(self, jdk, row, options="port=0", program="Sites", arguments=()):
        # A client that decodes large profiles on a busy machine is silent meanwhile.
        jvm = Jvm(jdk, program, row.flags, options + ",keep-alive=60", arguments)
        self.addCleanup(lambda: jvm.__exit__(None, None, None))
        if program == "Sites":
            jvm.answer()
        view = Sampler(jvm.address())
        self.addCleanup(view.close)
        return jvm, view

    def load_while_asking(self, jvm, view, command, seconds=0.0):
        """Has the program do something, and asks for profiles all the while; how many came."""
        jvm.say(command)
        done = threading.Event()
        answers, until = 0, time.monotonic() + seconds
        threading.Thread(target=lambda: (jvm.answer(), done.set()), daemon=True).start()
        while not done.is_set() or time.monotonic() < until:
            for kind in ("allocated", "live", "recent", "frequent"):
                self.check_profile(view.profile(kind))
                answers += 1
        return answers

    def check_profile(self, p):
        """What holds of every profile at any time."""
        self.assertGreaterEqual(p.samples, p.tracked)
        for e in p.entries:
            self.assertTrue(0 < e.samples <= p.samples)
            self.assertGreater(e.bytes, 0)
            self.assertNotEqual(e.owner, "")
        if p.kind == "allocated" and p.lost == 0:
            total = sum(e.bytes for e in p.entries)
            self.assertLessEqual(abs(total - p.allocated_bytes), 1e-6 * p.allocated_bytes + 1)


@expand
class Rivals(Hazard):
    def told(self, jvm, view, words):
        jvm.until(lambda: words in view.state(), f'"{words}"', view)

    @cases(ONE, in_turn=True)
    def check_rival(self, jdk, row):
        """S1: another agent holds the capability: the heap view works, the reason is shown, and a
        later attempt succeeds after its release; after interval=0 the other one can have it."""
        row = table.Row("Serial", f"-Xms64m -Xmx64m {QUIET} -agentpath:{RIVAL}=take")
        jvm, view = self.start(jdk, row, "port=0,interval=16k")
        self.assertIn("rival: took", jvm.err)
        self.told(jvm, view, "another agent")
        self.assertRegex(view.state(), "^off: another agent holds")
        self.assertIn("another agent", jvm.err)
        answer = view.answer(view.set("interval", "8k"))
        self.assertEqual(answer.status, "STATE")
        self.assertIn("another agent", answer.words)
        refused = view.answer(view.ask("sites", ("kind", "live")))
        self.assertEqual(refused.status, "STATE")
        self.assertIn("another agent", refused.words)
        jvm.ask("gc", view)
        view.wait(lambda: view.of("GC finish"), TIMEOUT)
        self.assertIsNotNone(space(view.picture(), "Eden"))
        self.assertIn("return code: 0", load(jvm, RIVAL, "give"))
        self.told(jvm, view, "on, one sample every 8 KiB")
        jvm.ask("run pair 2 1m", view)
        self.assertGreater(view.steady().total("makePair"), MIB)
        load(jvm, RIVAL, "take")
        self.assertIn("rival: refused", jvm.err)
        view.interval(0)
        self.assertEqual(view.state(), "off")
        load(jvm, RIVAL, "take")
        self.assertEqual(jvm.err.count("rival: took"), 2)
        self.assertEqual(jvm.quit(), 0)

    @cases(G1, in_turn=True)
    def check_on_and_off(self, jdk, row):
        """S1: on and off again and again under load: each answer tells the truth, nothing is left,
        and what is sampled afterwards is right."""
        jvm, view = self.start(jdk, row)
        threads = jvm.threads()
        jvm.say("run all 2 400m")
        for i in range(40):
            self.assertIn("every 64 KiB", view.interval("64k"))
            view.idle(0.01 * (i % 4))
            if i % 5 == 0:
                self.check_profile(view.profile("allocated"))
            self.assertIn("off", view.interval(0))
            refused = view.answer(view.ask("sites", ("kind", "live")))
            self.assertEqual((refused.status, refused.words),
                             ("STATE", "sampling of allocations is off"))
        jvm.answer(view)
        self.assertLessEqual(jvm.threads(), threads + 8)
        for _ in range(20):
            on = view.set("interval", "8k")
            view.profile()  # waits until it is on
            view.answer(on)
            view.interval(0)
        view.interval("8k")
        # Before JDK 25 a thread's first sampling point is chosen with the interval of its start.
        before = jvm.ask("keep chars200 8m", view)["live"]
        truth = jvm.ask("keep longs500 8m", view)["live"] - before
        jvm.ask("gc", view)
        live = view.steady("live").total("makeLongs500")
        self.assertLess(abs(live / truth - 1), 0.25)
        self.assertEqual(jvm.quit(), 0)

    @cases(ONE, only=NEWEST)
    def check_refused_settings(self, jdk, row):
        """S1, S6: a wrong setting, topic or kind is answered with the valid ones; nothing changes."""
        _, view = self.start(jdk, row, "port=0,interval=1m")
        for value in ("x", "", "-1", "3g", "1.5x"):
            answer = view.answer(view.set("interval", value))
            self.assertEqual(answer.status, "ARGUMENT", value)
            self.assertIn("2147483647", answer.words)
        self.assertEqual(view.answer(view.set("depth", "3")).status, "UNSUPPORTED")
        self.assertEqual(view.answer(view.ask("stars")).status, "UNSUPPORTED")
        answer = view.answer(view.ask("sites", ("kind", "dead")))
        self.assertEqual(answer.status, "ARGUMENT")
        self.assertIn("frequent", answer.words)
        settings = view.answer(view.ask("settings")).body
        self.assertTrue(settings.startswith(b"interval=1048576\n"), settings)
        self.assertEqual(view.profile().interval, 1048576)


@expand
class Collectors(Hazard):
    @cases(COLLECTORS, in_turn=True)
    def check_collector(self, jdk, row):
        """S1 to S4 with every collector: sites, live samples, garbage, while profiles are fetched."""
        jvm, view = self.start(jdk, row, "port=0,interval=4k")
        delayed = row.collector == "Z" and jdk.major >= 25
        kept = 32 if delayed else 2  # of 1,024 samples, one in 64 and more may stay
        jvm.ask(f"keep six {kept}m", view)
        self.assertGreater(self.load_while_asking(jvm, view, "run all 4 4m"), 3)
        for _ in range(3):
            jvm.ask("gc", view)
        p = view.steady()
        self.check_profile(p)
        for method in ("makePoint", "makeBytes8k", "makeBytes1m"):
            self.assertGreater(p.total(method), MIB, method)
        live = view.profile("live")
        if row.collector == "Epsilon":
            self.assertEqual((p.died, p.collections), (0, 0))
            self.assertGreater(live.tracked, 1000)
        else:
            self.assertGreater(p.died, 100)
            self.assertGreater(len(view.profile("recent").entries), 50)
            self.assertGreater(live.total("makeSix"), 0.3 * kept * MIB)
            self.assertLess(live.total("makeBytes1m"), 3 * MIB)
        self.assertEqual("generational ZGC" in live.as_of, delayed)
        if delayed:
            self.assertLessEqual(live.tracked, 1024)
            self.assertGreater(live.dropped, 1000)
        self.assertEqual(jvm.quit(), 0)


def left_in_use(path):
    """Bytes in use after each collection of the log."""
    with open(path, encoding="utf-8") as log:
        return [int(m) * MIB for m in re.findall(r"\d+M(?:\(\d+%\))?->(\d+)M", log.read())]


@expand
class Large(Hazard):
    """Garbage that the weak reference of a sample keeps with generational ZGC."""

    @cases((table.Row("Z", "-Xmx512m", since=25),))
    def check_large_garbage(self, jdk, row):
        """S5: with sampling a collection leaves little more than without."""
        jvm = Jvm(jdk, "Humongous", row.flags, "port=0,keep-alive=60",
                  ("size=700k", "arrays=10000000", "rate=100"), log="gc=info")
        self.addCleanup(lambda: jvm.__exit__(None, None, None))
        view = Sampler(jvm.address())
        self.addCleanup(view.close)

        def most(count):
            begin = len(left_in_use(jvm.log))
            view.wait(lambda: len(left_in_use(jvm.log)) > begin + count, TIMEOUT)
            return max(left_in_use(jvm.log)[begin:])
        without = most(6)
        view.interval("64k")
        most(5)
        limit = int(re.search(r"-Xmx(\d+)m", " ".join(row.flags))[1])
        # More than a sixteenth: some came since the sampler last looked, and what ZGC has moved to its old
        # generation stays there for a while when no sample keeps it.
        self.assertLess(most(12), without + limit * MIB // 2)
        p = view.profile("live")
        self.assertGreater(p.tracked, 0)


    @cases((table.Row("G1", "-Xmx512m"),), in_turn=True)
    def check_humongous_garbage(self, jdk, row):
        """S5: young collections free humongous arrays as without sampling, with no more markings, and no whole
        collection; the garbage is known at once."""
        size, ring = 3 << 20, 4
        jvm = Jvm(jdk, "Humongous", row.flags, "port=0,keep-alive=60",
                  (f"size={size}", f"ring={ring}", "arrays=10000000", "rate=300"), log="gc*=info")
        self.addCleanup(lambda: jvm.__exit__(None, None, None))
        view = Sampler(jvm.address())
        self.addCleanup(view.close)

        def log():
            with open(jvm.log, encoding="utf-8") as file:
                return file.read()

        def marks():
            """Of the next 30 young collections."""
            begin = len(log())
            view.wait(lambda: len(re.findall(r"Pause Young.*ms", log()[begin:])) > 30, TIMEOUT)
            said = log()[begin:]
            self.assertNotIn("Pause Full", said)
            left = [int(n) for n in re.findall(r"Humongous regions: \d+->(\d+)", said)]
            self.assertLessEqual(max(left), (ring + 1) * (size // MIB + 1))
            return len(re.findall(r"Pause Remark.*ms", said))
        without = marks()
        view.interval("512k")
        self.assertLessEqual(marks(), without + 2)
        view.pause()
        view.wait(lambda: view.states and view.states[-1][0] == wire.PAUSED, TIMEOUT)
        with_size = [e for e in view.profile("recent").entries if e.owner == "byte[]" and e.size > size]
        self.assertGreater(len(with_size), 50)
        self.assertEqual({e.age for e in with_size} - {0, 1}, set())

    @cases((table.Row("G1", "-Xms128m -Xmx128m"),), in_turn=True)
    def check_humongous_holders(self, jdk, row):
        """S5: a humongous array that is alive after a marking is known to be, where it lies, and what holds it."""
        jvm = Jvm(jdk, "Sites", row.flags, "port=0,interval=64k")
        self.addCleanup(lambda: jvm.__exit__(None, None, None))
        view = Sampler(jvm.address())
        self.addCleanup(view.close)
        jvm.ask(f"huge 6 {5 << 20}", view)
        for _ in range(2):
            jvm.ask("gc", view)

        def known():
            huge = view.profile("live").by("makeHuge")
            return huge if len(huge) == 6 and all(e.age for e in huge) else None
        deadline = time.monotonic() + TIMEOUT
        while (huge := known()) is None:
            self.assertLess(time.monotonic(), deadline)
            view.idle(0.2)
        self.assertEqual(len({e.address for e in huge}), 6)
        self.assertEqual({e.address % MIB for e in huge}, {0})
        done = subprocess.run([PROGRAM, "paths", jvm.address(), "--class", "byte[]", "--max-pause", "60000",
                               "--format", "json"], capture_output=True, text=True, check=True,
                              timeout=TIMEOUT)
        held = json.loads(done.stdout)["rows"]
        self.assertTrue(any(row["held_by"].endswith("Sites.huge") for row in held) and
                        any(row["samples"] >= 6 for row in held), held)
        # What fills the rest of their last regions, arrays of int up to JDK 18, is not of the program.
        said = subprocess.run([PROGRAM, "histogram", jvm.address(), "--live", "--format", "json"],
                              capture_output=True, text=True, check=True, timeout=TIMEOUT).stdout
        ints = next(c["bytes"] for c in json.loads(said)["classes"] if c["class"] == "int[]")
        self.assertLess(ints, MIB)
        jvm.ask("drop all", view)
        jvm.ask("gc", view)
        deadline = time.monotonic() + TIMEOUT
        while view.profile("live").by("makeHuge"):
            self.assertLess(time.monotonic(), deadline)
            view.idle(0.2)
        self.assertEqual(jvm.quit(), 0)


@expand
class Code(Hazard):
    """Whose names are hard to know, or soon gone."""

    @cases(ONE, in_turn=True)
    def check_odd_allocations(self, jdk, row):
        """S2: what the JVM allocates itself has the stack of the code that made it do so: clones,
        reflection, exceptions, concatenation; and class initialisers."""
        jvm, view = self.start(jdk, row, "port=0,interval=1k")
        jvm.ask("odd 3000", view)
        jvm.ask("load 300", view)
        p = view.steady()
        for method, owner in (("byClone", "int[]"), ("byArray", "long[]"), ("byInvoke", "short[]"),
                              ("byException", "java.lang.IllegalStateException"),
                              ("byConcatenation", "byte[]"), ("<clinit>", "byte[]")):
            samples = sum(e.samples for e in p.by(method) if e.owner == owner)
            self.assertGreater(samples, 30, f"{owner} by {method}")
        # The stack at the exception's birth is deeper than the call of it.
        deep = [e for e in p.by("byException") if "IllegalStateException" in e.owner]
        self.assertEqual({e.methods().count("byException") for e in deep}, {21})
        for e in p.by("byInvoke"):
            self.assertIn("invoke", e.methods())
        loaded = [e for e in p.by("<clinit>") if e.frames[0].owner == "Odd$Loaded"]
        self.assertGreater(sum(e.samples for e in loaded), 300)
        for e in loaded:
            self.assertIn("load", e.methods())

    @cases(G1, in_turn=True)
    def check_class_storm(self, jdk, row):
        """S2: classes come and go by thousands while profiles are fetched; names stay right."""
        jvm, view = self.start(jdk, row, "port=0,interval=2k", "ClassUnload",
                               ("seconds=600", "rate=0", "classes=1"))
        begin = time.monotonic()
        asked, p = 0, None
        while asked < 12 or not p.by("<init>") or time.monotonic() < begin + 1.5:
            for kind in ("live", "recent", "allocated"):
                p = view.profile(kind)
                self.check_profile(p)
                asked += 1
            self.assertLess(time.monotonic(), begin + TIMEOUT)
        self.assertGreater(p.by("<init>") and p.total("<init>"), 0)
        found = {f.owner for e in p.entries for f in e.frames if "Payload" in f.owner}
        self.assertEqual(found, {"ClassUnload$Payload"})
        self.assertNotIn("?", {f.method for e in p.entries for f in e.frames})
        self.assertTrue(jvm.alive())

    @cases(ONE, only=NEWEST)
    def check_hidden_classes(self, jdk, row):
        """S2: hidden classes are one, whatever their number."""
        jvm, view = self.start(jdk, row, "port=0,interval=2k", "ClassUnload",
                               ("seconds=600", "rate=0", "classes=1", "kind=hidden"))
        begin, owners = time.monotonic(), set()
        while not owners or time.monotonic() < begin + 1:
            p = view.profile()
            self.check_profile(p)
            owners = {f.owner for e in p.entries for f in e.frames if "Payload" in f.owner}
            self.assertLess(time.monotonic(), begin + TIMEOUT)
        self.assertEqual(len(owners), 1, owners)
        self.assertTrue(jvm.alive())

    @cases(ONE, in_turn=True)
    def check_thread_storm(self, jdk, row):
        """S2: thousands of threads come and go while profiles are fetched."""
        jvm, view = self.start(jdk, row)
        view.interval("2k")
        self.load_while_asking(jvm, view, "storm pair 3000 16k")
        totals = view.steady()
        self.check_profile(view.profile("recent"))
        self.assertEqual({e.thread for e in totals.by("makePair")}, {"worker-*"})
        self.assertLess(totals.lost, totals.samples)
        self.assertGreater(totals.total("makePair") / (1 - totals.lost / totals.samples), 20 * MIB)
        self.assertEqual(jvm.quit(), 0)

    @cases((table.Row("Serial", "-Xms64m -Xmx64m", since=21, name="virtual"),), in_turn=True)
    def check_virtual_threads(self, jdk, row):
        """S2: samples of virtual threads carry their own names and stacks."""
        jvm, view = self.start(jdk, row)
        view.interval("4k")
        self.load_while_asking(jvm, view, "virtual pair 1000 32k")
        jvm.ask("virtual six 4 1m", view)
        totals = view.steady()
        self.assertEqual({e.thread for e in totals.by("makePair")}, {"virtual-*"})
        self.assertLess(abs(totals.total("makePair") / (1000 << 15) - 1),
                        0.3 + totals.lost / totals.samples)
        live = [e for e in view.profile("live").entries + view.profile("recent").entries
                if "makeSix" in e.methods()]
        self.assertTrue({e.thread for e in live} <= {f"virtual-{i}" for i in range(4)})
        self.assertGreater(len(live), 10)

    @cases(CHECKED, in_turn=True)
    def check_jni(self, jdk, row):
        """Q4: -Xcheck:jni has nothing to say about the agent while it samples and changes."""
        jvm, view = self.start(jdk, row, "port=0,interval=2k,site-memory=256k,live-memory=64k")
        for command in ("run all 2 512k", "keep pair 512k", "odd 300", "load 50",
                        "stacks 5000 8m", "gc", "drop pair", "gc", "storm six 100 16k"):
            jvm.ask(command, view)
            self.check_profile(view.profile())
        view.interval(0)
        view.interval("4k")
        jvm.ask("run all 2 512k", view)
        self.assertEqual(jvm.quit(), 0)
        for words in ("WARNING", "FATAL", "warning"):
            lines = [line for line in (jvm.out + jvm.err).splitlines() if words in line]
            self.assertEqual(lines, [])

    @cases(ONE, in_turn=True)
    def check_two_walks(self, jdk, row):
        """S2: the agent's own stack walk and JVMTI's give the same call sites."""
        sites = []
        for walk in ("auto", "jvmti"):
            jvm, view = self.start(jdk, row, f"port=0,stackwalk={walk},site-memory=16m")
            view.interval("4k")  # few samples are lost on a busy machine
            for command in ("run all 2 2m", "run all 2 2m", "storm six 50 64k"):
                jvm.ask(command, view)
            sites.append({(e.owner, e.frames): e.samples for e in view.steady().entries
                          if any(m.startswith("make") for m in e.methods())})
            view.interval("2k")
            self.assertRegex(view.lines()["Stack walk"], "GetStackTrace" if walk == "jvmti" else
                             "fast.* 0 mismatches")
            self.assertEqual(jvm.quit(), 0)
        # What has many samples by one walk has some by the other.
        for some, others in (sites, reversed(sites)):
            many = {site for site, samples in some.items() if samples > 20}
            self.assertGreater(len(many), 10)
            self.assertEqual(many - set(others), set())


@expand
class Moments(Hazard):
    @cases(ONE, in_turn=True)
    def check_paused(self, jdk, row):
        """S6: a program that a client holds is asked, and answers; a setting may wait for it."""
        jvm, view = self.start(jdk, row, "port=0,interval=4k", "Churn", ("seconds=120", "rate=64m"))
        view.wait(lambda: len(view.of("GC finish")) > 1, TIMEOUT)
        view.pause()
        view.wait(lambda: view.states and view.states[-1][0] == wire.PAUSED, TIMEOUT)
        profiles = [view.profile(kind) for kind in ("allocated", "live", "recent", "frequent")]
        for p in profiles:
            self.check_profile(p)
            self.assertGreater(len(p.entries), 0)
        self.assertGreater(profiles[0].total("main"), MIB)
        again = view.profile()
        self.assertLessEqual(again.samples, profiles[0].samples + 5000)
        number = view.set("interval", "64k")
        view.idle(0.2)
        view.resume()
        self.assertEqual(view.answer(number).status, "OK")
        self.assertEqual(view.profile().interval, 65536)
        self.assertTrue(jvm.alive())

    @cases((table.Row("G1", "-Xms24m -Xmx24m"),), in_turn=True)
    def check_during_collections(self, jdk, row):
        """S6: asked without a break while one collection follows the other."""
        jvm, view = self.start(jdk, row, "port=0,interval=4k", "Churn",
                               ("seconds=600", "rate=0", "ring=4096"))
        begin, asked = time.monotonic(), 0
        while asked < 12 or view.count("GC finish") <= 10:
            self.check_profile(view.profile("live" if asked % 2 else "allocated"))
            asked += 1
            self.assertLess(time.monotonic(), begin + TIMEOUT)
        self.assertTrue(jvm.alive())

    @cases(SMALL, in_turn=True)
    def check_next_client(self, jdk, row):
        """F14, S8: a client that comes right after the last one gets the call sites with its first
        snapshot, which is of a collection: what was shown has gone with the one before."""
        jvm, view = self.start(jdk, row, "port=0,interval=64k")
        jvm.say("run all 2 4g")
        events = 0
        for _ in range(10):
            view.wait(lambda: view.of("GC finish"), TIMEOUT)
            view.close()
            view = Sampler(jvm.address())
            first = view.picture()
            events += first.event is not None
            tiles = space(first, "Call sites")
            self.assertGreater(len(tiles.tile_names), 2)
            self.assertGreater(sum(column(tiles, "Allocated")), 0)
        self.assertGreater(events, 0, "the first is of a collection, not the look at the heap")
        view.close()

    @cases(ONE, in_turn=True)
    def check_attach(self, jdk, row):
        """H1, S1: loaded into a running program it samples on request; clients come and go; loading
        again does no harm."""
        jvm = Jvm(jdk, "Sites", row.flags, None)
        self.addCleanup(lambda: jvm.__exit__(None, None, None))
        jvm.ask("run pair 2 1m")
        self.assertIn("return code: 0", load(jvm, AGENT, "port=0,interval=4k"))
        for i in range(3):
            with Sampler(jvm.address()) as view:
                jvm.ask("run pair 2 2m", view)
                p = view.steady()
                self.check_profile(p)
                self.assertGreater(p.total("makePair"), (i + 1) * 3 * MIB)
                self.assertIn("return code: 0", load(jvm, AGENT, "port=0,interval=0"))
        self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_end(self, jdk, row):
        """Q4: the program ends while it is sampled, and profiles are asked for."""
        for i in range(2):
            program, arguments = (("Churn", ("rate=0", "total=150m")),
                                  ("Threads", ("rate=0", "churn=2")),)[i % 2]
            jvm, view = self.start(jdk, row, "port=0,interval=2k", program, arguments)
            try:
                while jvm.alive():
                    view.profile("live")
            except (wire.Closed, ConnectionError):
                pass  # the program was faster
            self.assertEqual(jvm.end(), 0, jvm.err)
            self.assertRegex(jvm.out, rf"^truth {program} ")


@expand
class Leaks(Hazard):
    def private_dirty(self, jvm):
        """Bytes of the process that are its own and written, without the Java heap."""
        total, counted = 0, False
        with open(f"/proc/{jvm.pid}/smaps", encoding="utf-8") as maps:
            for line in maps:
                words = line.split()
                if "-" in words[0] and len(words) >= 5:
                    low, high = (int(part, 16) for part in words[0].split("-"))
                    counted = high <= self.heap[0] or low >= self.heap[1]
                elif words[0] == "Private_Dirty:" and counted:
                    total += int(words[1]) << 10
        return total

    @cases(ONE, in_turn=True)
    def check_long_run(self, jdk, row):
        """Q4: classes, threads, stacks and objects come and go, at a small interval, with settings
        changed and profiles fetched: the memory outside of the Java heap does not grow."""
        row = table.Row("Serial", "-Xms64m -Xmx64m -XX:TieredStopAtLevel=1 -XX:+AlwaysPreTouch")
        jvm, view = self.start(jdk, row, "port=0,interval=2k,site-memory=1m,live-memory=256k")
        self.heap = [int(part, 16) for part in view.lines()["Heap range"].split("-")]
        sizes = []
        for i in range(18):
            for command in ("load 60", "storm pair 60 16k", "stacks 20000 8m", "run all 2 512k",
                            "keep six 1m", "gc", "drop six"):
                jvm.ask(command, view)
            self.check_profile(view.profile())
            if i % 3 == 2:
                view.interval(0)
                view.interval("2k")
            jvm.ask("gc", view)
            sizes.append(self.private_dirty(jvm))
        third = sum(sizes[4:8]) / 4
        end = sum(sizes[-4:]) / 4
        print(f"{jdk}: outside of the heap {third / MIB:.1f} MiB, at the end {end / MIB:.1f}",
              flush=True)
        self.assertLess(end - third, 6 * MIB, [f"{size / MIB:.1f}" for size in sizes])


if __name__ == "__main__":
    main()
