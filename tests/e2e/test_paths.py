"""Reference chains: what holds the objects of Holders, each of whose classes says it by its name."""

import json
import os
import re
import subprocess
import time
import unittest

import table
from jvm import PROGRAM, Jvm, TIMEOUT, cases, expand, main, skipped
from profile import Sampler

OPTIONS = "port=0,interval=1k"
ROOM = "-Xms64m -Xmx64m"
EACH = 400
ATTEMPTS = 10  # at a search that no pause ends on a busy machine
ROWS = (table.Row("Serial", ROOM, OPTIONS), table.Row("Parallel", ROOM, OPTIONS),
        table.Row("G1", ROOM, OPTIONS), table.Row("Z", "-Xmx128m", OPTIONS),
        table.Row("Shenandoah", ROOM, OPTIONS))
ONE = (table.Row("G1", ROOM, OPTIONS),)
EVERY = (table.Row("G1", ROOM, "port=0,interval=1"),)
LOADERS = (table.Row("Serial", ROOM, OPTIONS),)
LIMITED = (table.Row("Serial", ROOM, OPTIONS + ",paths-pause=1"),)
STACKS = (table.Row("G1", ROOM, OPTIONS), table.Row("Serial", ROOM, OPTIONS))
UNSEEN = (table.Row("G1", ROOM, "port=0", since=21),)
LONG = (table.Row("G1", ROOM, OPTIONS), table.Row("Serial", ROOM, OPTIONS))

# What holds all objects of a class: the branch that text shows.
TRUE = {
    "InMap": "static Holders.MAP → java.util.HashMap value",
    "InLru": "static Holders.LRU → Holders$Lru value",
    "InTree": "static Holders.TREE → java.util.TreeMap value",
    "InConcurrentMap": "static Holders.CONCURRENT → java.util.concurrent.ConcurrentHashMap value",
    "InSet": "static Holders.SET → java.util.HashSet[*]",
    "InDeque": "static Holders.DEQUE → java.util.ArrayDeque[*]",
    "InLinkedList": "static Holders.LINKED → java.util.LinkedList[*]",
    "Listener": "static Holders$Feed.INSTANCE → Holders$Feed.listeners → java.util.ArrayList[*]",
    "InThreadLocal": "thread pool-1-thread-* → thread-local variable Holders.LOCAL → "
                     "java.util.ArrayList[*]",
    "WeakAndStrong": "static Holders.STRONG → java.util.ArrayList[*]",
    "Cached": "static Holders.leaked → class Holders$Plugin → class loader java.net.URLClassLoader → "
              "static Holders$Plugin.CACHE → java.util.ArrayList[*]",
    "InContext": "thread forgotten → java.lang.Thread.contextClassLoader → class loader "
                 "java.net.URLClassLoader → static Holders$OfThread.CACHE → java.util.ArrayList[*]",
    "InWorld": "thread worker-* → thread-local variable → Holders$OfLocal$Key → class loader "
               "java.net.URLClassLoader → static Holders$OfLocal.CACHE → java.util.ArrayList[*]",
    "InNative": "JNI global reference",
    "InFrame": "JNI local reference in thread native-*",
    "InThread": "thread self-* → Holders$Worker.mine → Holders$InThread[*]",
    "Soft": "(weak, soft or phantom references only: java.lang.ref.SoftReference)",
}
# Those of class loaders that have leaked: the class that they are in.
LOADED = {"Cached": "Plugin", "InContext": "OfThread", "InWorld": "OfLocal"}
LINKED = {
    "InGuarded": r"local variable of Holders\.main \(Holders\.java:\d+\) in thread main → "
                 r"Holders\$Guard\[\*\] → Holders\$Guard\.guarded → Holders\$InGuarded",
    "InQueue": r"^thread queue-\* → java\.lang\.Thread\.(target|holder → java\.lang\.Thread\$FieldHolder\.task) → "
               r"\S*ThreadPoolExecutor\$Worker\.this\$0 → .*LinkedBlockingQueue\[\*\] → "
               r"Holders\$Queued\.mine → Holders\$InQueue$",
    "Link": r"static Holders\.head → Holders\$Link\.next \(repeated\)",
    "Ring": r"static Holders\.ring → Holders\$Ring( \(linked\)|\.(left|right) \(repeated\))",
    "InLocalVariable": r"local variable of Holders\.main \(Holders\.java:\d+\) in thread main → "
                       r"Holders\$InLocalVariable\[\*\]",
}


class Chains:
    """What `gcspy paths` has said as JSON."""

    def __init__(self, text):
        self.said = json.loads(text)
        self.rows = self.said["rows"]

    def branches(self):
        """Each chain to its end, with its samples."""
        path, found = [], []
        for i, row in enumerate(self.rows):
            path[row["depth"]:] = [row["held_by"]]
            if i + 1 == len(self.rows) or self.rows[i + 1]["depth"] <= row["depth"]:
                found.append((" → ".join(path), row["samples"]))
        return sorted(found, key=lambda branch: -branch[1])


@expand
class Paths(unittest.TestCase):
    def start(self, jdk, row, chain=1000, threads="", late=False):
        if not PROGRAM:
            self.skipTest("no gcspy")
        flags = row.flags + (f"-Dholders.library={os.environ['GCSPY_CALLERS']}",)
        # With generational ZGC few samples are tracked: some 20 of each class.
        more = 4 if row.collector == "Z" else 1
        jvm = Jvm(jdk, f"Holders each={EACH * more} chain={chain * more} {threads}", flags, row.options)
        self.addCleanup(jvm.__exit__, None, None, None)
        jvm.until(lambda: "threads wait" in jvm.out, "waiting threads")
        if late:
            subprocess.run([PROGRAM, "set", jvm.address(), "interval=1024"], check=True,
                           capture_output=True, timeout=TIMEOUT)
        settings = [PROGRAM, "set", jvm.address()]
        jvm.until(lambda: "interval=1024" in subprocess.run(
            settings, capture_output=True, text=True, check=False, timeout=TIMEOUT).stdout, "sampling")
        jvm.say("go")
        jvm.truth()
        return jvm

    def run_paths(self, jvm, *options):
        return subprocess.run([PROGRAM, "paths", jvm.address(), *options], capture_output=True,
                              text=True, check=False, timeout=TIMEOUT)

    def chains(self, jvm, *options):
        """Asks again, after another collection, while the sampler does not know what has survived."""
        def known():
            done = self.run_paths(jvm, "--format", "json", "--max-pause", "60000", *options)
            if done.returncode == 0 or "no live sample" not in done.stderr:
                return done
            subprocess.run([PROGRAM, "gc", jvm.address()], capture_output=True, check=False,
                           timeout=TIMEOUT)
            return None
        done = jvm.until(known, "live samples")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^gcspy: expected: about \d+ pauses? of about ")
        return Chains(done.stdout)

    @cases(ROWS, in_turn=True, whole=1)
    def check_true_holder(self, jdk, row):
        """Every object of each class is held as its class says, and no chain says anything else."""
        jvm = self.start(jdk, row)
        for name, expected in TRUE.items():
            if (name, row.collector) == ("Soft", "Shenandoah"):
                continue  # System.gc clears soft references there
            found = self.chains(jvm, "--class", name)
            inside = f"{LOADED[name]}$" if name in LOADED else ""
            end = f"{expected} → Holders${inside}{name}"
            self.assertEqual([branch for branch, _ in found.branches()], [end])
            self.assertTrue(found.said["complete"])
            samples = found.said["sampled_objects"]
            self.assertGreater(samples, 0, name)
            self.assertEqual(found.said["chains_found"], 0 if name == "Soft" else samples)
        for name, expected in LINKED.items():
            branches = self.chains(jvm, "--class", name).branches()
            self.assertRegex(branches[0][0], expected)
            for branch, _ in branches:
                self.assertNotIn("(nothing", branch)
                self.assertNotIn("(the search", branch)

    @cases(LOADERS, in_turn=True)
    def check_class_loaders(self, jdk, row):
        """All class loaders of a name, sampled or not, and what keeps each."""
        jvm = self.start(jdk, row)
        end = "java.net.URLClassLoader"
        found = self.chains(jvm, "--class", end)
        wanted = [TRUE[name].split(f" → class loader {end}", maxsplit=1)[0] + f" → {end}" for name in LOADED]
        self.assertEqual(sorted(branch for branch, _ in found.branches()), sorted(wanted))
        self.assertEqual((found.said["chains_found"], found.said["sampled_objects"]), (3, 3))
        self.assertRegex(self.run_paths(jvm, "--class", end, "--max-pause", "60000").stdout,
                         r"\A3 class loaders: chains of 3 of 3; ")
        jvm = self.start(jdk, row, threads="dropped=60")
        self.assertRegex(self.run_paths(jvm, "--class", end, "--max-pause", "60000").stdout,
                         r"\Aat least 50 class loaders: chains of ")

    @cases(LOADERS, in_turn=True)
    def check_class_loaders_limit(self, jdk, row):
        """What holds a loader is not looked for if that pause would be longer than the limit."""
        jvm = self.start(jdk, row, chain=20_000)
        self.chains(jvm, "--class", "Cached")

        # That of a loader is expected to be five times as long.
        held = TRUE["Cached"].split(" → class loader ", maxsplit=1)
        for _ in range(ATTEMPTS):
            expected = json.loads(self.run_paths(jvm, "--class", "Cached", "--format", "json",
                                                 "--estimate").stdout)["longest_pause_ms"]
            limit = str(int(4.5 * expected))
            found = self.chains(jvm, "--class", "Cached", "--max-pause", limit)
            branches = [branch for branch, _ in found.branches()]
            for branch in branches:
                self.assertNotIn(held[0], branch)
            # What is expected is processor time: a pause that had to wait for a processor may be
            # longer than the limit, and ends the search.
            if found.said["complete"]:
                self.assertEqual(branches, ["(what holds the class loader takes too long a pause) → "
                                            f"class loader {held[1]} → Holders$Plugin$Cached"])
                self.assertRegex(found.said["title"], "; what holds a class loader takes a pause of about .*: "
                                 rf"more than the limit of {limit} ms, which --max-pause \d+ raises$")
                break

    @cases(ONE, in_turn=True)
    def check_finalizers(self, jdk, row):
        """What waits for its finalizer is held by java.lang.ref.Finalizer, not by nothing."""
        jvm = self.start(jdk, row)
        for branch, _ in self.chains(jvm, "--class", "Finalized").branches():
            if branch.startswith("local variable of Holders$Finalized.finalize"):
                continue  # the one in which the finalizer's thread waits
            self.assertRegex(branch, r"Finalizer.*\.referent → Holders\$Finalized$")
            # The finalizer's thread has the one that it waits in as a local variable.
            for remark in ("(nothing", "(weak", "(the search", "(died", "(many"):
                self.assertNotIn(remark, branch)

    @cases(ONE, in_turn=True)
    def check_interned(self, jdk, row):
        """Interned texts are held by what refers to them, not by the table of interned texts."""
        jvm = self.start(jdk, row)
        branches = self.chains(jvm, "--class", "java.lang.String").branches()
        self.assertEqual(branches[0][0],
                         "static Holders.INTERNED → java.util.ArrayList[*] → java.lang.String")

    @cases(LONG)
    def check_long_chain(self, jdk, row):
        """A list of 100,000 nodes to its head."""
        jvm = self.start(jdk, row, chain=100_000)
        found = self.chains(jvm, "--class", "Link", "--raw")
        hops = [int(row["held_by"].split("× ")[1].replace(",", ""))
                for row in found.rows if "×" in row["held_by"]]
        self.assertEqual(found.rows[0]["held_by"], "static Holders.head")
        self.assertEqual(found.rows[0]["samples"], found.said["sampled_objects"])
        self.assertGreater(max(hops), 50_000)
        self.assertLess(max(hops), 100_000)

    @cases(ONE, in_turn=True)
    def check_longer_chain(self, jdk, row):
        """Of a list that is too long to be tagged, all samples have the root; of two such lists, none has
        that of the other."""
        jvm = self.start(jdk, row, chain=200_000, threads="linked=150000")
        self.assertEqual([branch for branch, _ in self.chains(jvm, "--class", "InLinkedList").branches()],
                         [TRUE["InLinkedList"] + " → Holders$InLinkedList"])
        found = self.chains(jvm, "--class", "Link")
        self.assertEqual(found.branches()[0][0], "static Holders.head → list of Holders$Link, "
                         "at least 100,000 → Holders$Link")
        self.assertEqual(found.said["chains_found"], found.said["sampled_objects"])
        raw = self.chains(jvm, "--class", "Link", "--raw")
        self.assertEqual({row["held_by"] for row in raw.rows if row["depth"] == 0}, {"static Holders.head"})
        self.assertIn("list of Holders$Link, at least 100,000", [row["held_by"] for row in raw.rows])
        jvm.__exit__(None, None, None)
        jvm = self.start(jdk, row, chain=150_000, threads="lists=2")
        branches = [branch for branch, _ in self.chains(jvm, "--class", "Link").branches()]
        self.assertEqual(branches[0], "(many objects of Holders$Link that hold each other) → "
                         "Holders$Link.next (repeated) → Holders$Link")
        for branch in branches:
            self.assertNotIn("list of", branch)

    @cases(ONE, in_turn=True)
    def check_raw(self, jdk, row):
        """The fields by their names, inherited ones and behind interfaces."""
        jvm = self.start(jdk, row)
        self.assertEqual([branch for branch, _ in self.chains(jvm, "--class", "Listener", "--raw").branches()],
                         ["static Holders$Feed.INSTANCE → Holders$Feed.listeners → "
                          "java.util.ArrayList.elementData → java.lang.Object[*] → Holders$Listener"])

    @cases(ONE, in_turn=True)
    def check_everything(self, jdk, row):
        """Objects of all classes at once; the estimates of all rows at the top are the whole."""
        jvm = self.start(jdk, row)
        found = self.chains(jvm)
        tops = [row for row in found.rows if row["depth"] == 0]
        # The soft ones of the program, and what has died since it was last judged, have none.
        without = sum(row["samples"] for row in tops if row["held_by"].startswith("("))
        self.assertEqual(found.said["chains_found"] + without, found.said["sampled_objects"])
        self.assertGreater(found.said["chains_found"], 0.75 * found.said["sampled_objects"])
        self.assertAlmostEqual(sum(row["share"] for row in tops), 1, places=6)
        for row in found.rows:
            self.assertLessEqual(row["bytes"], tops[0]["bytes"])

    @cases(ONE, in_turn=True)
    def check_choice(self, jdk, row):
        """By call site and by tile, as collapsed stacks; and what matches nothing."""
        jvm = self.start(jdk, row)
        self.chains(jvm, "--class", "InMap")
        sites = subprocess.run([PROGRAM, "sites", jvm.address(), "--class", "InMap$"],
                               capture_output=True, text=True, check=True, timeout=TIMEOUT).stdout
        number = re.search(r"\[site ([0-9a-f]{12})\]", sites)[1]
        done = self.run_paths(jvm, "--site", number, "--format", "collapsed", "--max-pause", "60000")
        self.assertRegex(done.stdout, r"^static_Holders\.MAP;java\.util\.HashMap_value;"
                                      r"Holders\$InMap \d+\n$", done.stderr)
        with Sampler(jvm.address()) as view:
            place = next(e.address for e in view.profile("live").entries if e.address)
        done = self.run_paths(jvm, "--tile", f"{place:#x}", "--format", "json", "--max-pause", "60000")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(Chains(done.stdout).said["sampled_objects"], 0)
        for options, why in ((("--class", "NoSuchClass"),
                              "no loaded class is named NoSuchClass or ends in .NoSuchClass"),
                             (("--class", "shop.InMapp"), '(did you mean "Holders$InMap"?)\n'),
                             (("--class", ".*InMap"), '(did you mean "Holders$InMap"?): expected a name or its '
                              'end, not a regular expression\n'),
                             (("--class", "Holders"), "no live sample is of class Holders: its objects are "
                              "older than sampling, few or small"),
                             (("--site", "111111111111"), "no live sample has the call site 111111111111; "
                              "`gcspy sites` lists the call sites"),
                             (("--min-age", "100000"), "no live sample matches"),
                             (("--where", "nowhere"), "nowhere")):
            done = self.run_paths(jvm, "--max-pause", "60000", *options)
            self.assertEqual((done.returncode, done.stdout), (1, ""), options)
            self.assertIn(why, done.stderr)
        asked = subprocess.run([PROGRAM, "ask", jvm.address(), "paths", "site=000000000000"], check=False,
                               capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual((asked.returncode, asked.stdout), (1, ""))
        self.assertIn("expected 12 hexadecimal digits", asked.stderr)
        arrays = [self.chains(jvm, "--class", name).branches()[0][0] for name in ("byte[]", "[B")]
        self.assertEqual([chain.split(" → ")[-1] for chain in arrays], ["byte[]"] * 2)

    @cases(EVERY, in_turn=True)
    def check_own_threads(self, jdk, row):
        """What the agent's threads create when they attach to the JVM is not sampled."""
        with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
            jvm.say("alloc 100000")
            self.chains(jvm, "--class", "byte[]")  # starts a thread
            with Sampler(jvm.address()) as view:
                def sampled():
                    jvm.say("alloc 10000")  # an earlier one may have been too fast for the buffer
                    subprocess.run([PROGRAM, "gc", jvm.address()], check=True, capture_output=True,
                                   timeout=TIMEOUT)
                    names = {e.thread for e in view.profile("live").entries}
                    return names if "main" in names else None
                threads = jvm.until(sampled, "a sample of main")
            self.assertFalse([name for name in threads if "gcspy" in name or name == "(unnamed)"])

    @cases(LIMITED, in_turn=True)
    def check_limit(self, jdk, row):
        """No pause is begun that is expected to be longer than the option says, unless asked for."""
        jvm = self.start(jdk, row, chain=300_000)
        done = jvm.until(lambda: (lambda run: run if "no live" not in run.stderr else None)(
            self.run_paths(jvm, "--class", "Link")), "live samples")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"the limit of 1 ms, which --max-pause \d+ raises; expected: ")
        found = self.chains(jvm, "--class", "InMap")
        self.assertTrue(found.said["complete"])

    @cases(STACKS, in_turn=True, whole=1)
    def check_stacks(self, jdk, row):
        """The stacks of threads, which each pause goes through, are in what is expected."""
        # Only a pass over all references shows that nothing but a local variable holds an object.
        virtual = jdk.major >= 21
        jvm = self.start(jdk, row, threads="virtual=6000" if virtual else "threads=400 depth=500")
        def expected():
            done = self.run_paths(jvm, "--class", "InLocalVariable", "--estimate", "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(done.stdout)
            self.assertRegex(found["title"], r"about [\d,]+ virtual threads" if virtual
                             else r"2\d\d,\d\d\d frames of 4\d\d threads")
            return found["longest_pause_ms"]

        before = expected()
        took = self.chains(jvm, "--class", "InLocalVariable").said["longest_cpu_ms"]
        self.assertLess(took / 5, before)
        self.assertLess(before, took * 5)
        self.assertLess(took / 1.5, expected())
        done = self.run_paths(jvm, "--class", "InLocalVariable", "--max-pause", str(int(took / 2)))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"the limit of \d+ ms, which --max-pause \d+ raises; expected: ")
        own, = (branch for branch, _ in self.chains(jvm, "--class", "InWaiting").branches())
        self.assertRegex(own, r"^local variable of Holders\.\S* \(Holders\.java:\d+\) in thread " +
                         (r"\(virtual or ended\)" if virtual else r"waiting-\*") + r" → Holders\$InWaiting$")

    @cases(UNSEEN)
    def check_unseen_stacks(self, jdk, row):
        """Virtual threads that began before sampling: a pause that is longer than the limit is the last
        one, also of the next search, unless it is not begun."""
        jvm = self.start(jdk, row, threads="virtual=6000", late=True)
        done = self.run_paths(jvm, "--class", "InLocalVariable", "--format", "json", "--max-pause", "100")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = Chains(done.stdout).said
        self.assertFalse(found["complete"])
        self.assertEqual(found["pauses"], 1)
        self.assertRegex(found["title"], "ended early: a pause was longer than the limit of 100 ms, which "
                         r"--max-pause \d+ raises$")
        done = self.run_paths(jvm, "--class", "InLocalVariable", "--max-pause", "100")
        self.assertRegex(done.stdout + done.stderr, "; 1 pause, .* ended early: a pause was longer than "
                         "the limit|longer than the limit of 100 ms, which")

    @cases(ONE, in_turn=True)
    def check_replaced(self, jdk, row):
        """A list whose array is another one every 20 ms of its thread's processor time."""
        jvm = self.start(jdk, row, threads="copied=20")
        held = "static Holders.COPIED → java.util.concurrent.CopyOnWriteArrayList[*] → Holders$InCopied"
        for _ in range(ATTEMPTS):
            branches = [branch for branch, _ in self.chains(jvm, "--class", "InCopied").branches()]
            if branches == [held]:
                return
            # One object that was between two arrays is on a line of its own.
            for branch in branches:
                self.assertRegex(branch, "changed meanwhile|in thread copier|^" + re.escape(held))
        self.fail(branches)

    @cases(ONE, in_turn=True)
    def check_versions(self, jdk, row):
        """What leads to a page is replaced all the time: what was found of the chain is told."""
        jvm = self.start(jdk, row, threads="replaced=1")
        lost = r"\(nothing found: it died, or what refers to it changed meanwhile, .*\)"
        for _ in range(ATTEMPTS):
            found = self.chains(jvm, "--class", "InVersion")
            # A thread that the machine leaves waiting replaces nothing.
            for branch, _ in found.branches():
                self.assertRegex(branch, fr"^({lost}|static Holders\.VERSION) → .*Holders\$Inner\.page → "
                                 r"Holders\$Page\.rows → Holders\$InVersion\[\*\] → Holders\$InVersion$")
            if found.said["chains_found"] == 0:
                return
        self.fail("each search found all of it")

    @cases(LOADERS, in_turn=True)
    def check_unloading(self, jdk, row):
        """A collection within a search unloads what is garbage."""
        for _ in range(ATTEMPTS):
            jvm = self.start(jdk, row, chain=100_000, threads="dropped=20")
            asking = subprocess.Popen([PROGRAM, "paths", jvm.address(), "--max-pause", "60000"],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            asking.stderr.readline()
            time.sleep(0.2)  # it has begun by then
            subprocess.run([PROGRAM, "gc", jvm.address()], check=True, capture_output=True, timeout=TIMEOUT)
            within = asking.poll() is None
            jvm.process.stdin.close()
            jvm.end()
            asking.communicate(timeout=TIMEOUT)
            if within:
                self.assertRegex(jvm.out, "(?m)^truth loaders=0$")
                return
        self.fail("each search ended before its collection")

    @cases(ONE, in_turn=True)
    def check_vanished_client(self, jdk, row):
        """A search whose client has gone ends; the next one is answered, and sampling goes on."""
        jvm = self.start(jdk, row, chain=100_000)
        self.chains(jvm, "--class", "InMap")
        for _ in range(5):
            with Sampler(jvm.address()) as view:
                view.ask("paths")
        found = jvm.until(lambda: (lambda run: run if run.returncode == 0 else None)(
            self.run_paths(jvm, "--class", "InMap", "--format", "json", "--max-pause", "60000")),
                          "an answer")
        self.assertEqual(Chains(found.stdout).said["chains_found"],
                         Chains(found.stdout).said["sampled_objects"])
        with Sampler(jvm.address()) as view:
            before = view.profile("allocated").samples
            jvm.jcmd("Thread.print")
            self.assertGreaterEqual(view.profile("allocated").samples, before)
        self.assertTrue(jvm.alive())

    @cases(ONE, in_turn=True)
    def check_end(self, jdk, row):
        """The JVM ends, and the agent is detached, in the middle of searches."""
        for end in (lambda jvm: jvm.process.stdin.close(),
                    lambda jvm: subprocess.run([PROGRAM, "detach", str(jvm.pid)], check=True,
                                               capture_output=True, timeout=TIMEOUT)):
            jvm = self.start(jdk, row, chain=100_000)
            self.chains(jvm, "--class", "InMap")
            asking = subprocess.Popen([PROGRAM, "paths", jvm.address()], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE)
            asking.stderr.readline()
            end(jvm)
            asking.communicate(timeout=TIMEOUT)
            if jvm.process.stdin.closed:
                self.assertEqual(jvm.end(), 0)
            else:
                self.assertTrue(jvm.alive())


if __name__ == "__main__":
    if not PROGRAM:
        skipped("reference chains", "they need gcspy")
    main()
