"""`gcspy why-big` and `gcspy why-slow` on programs with a known answer; figures against the JVM's log."""

import json
import os
import re
import subprocess
import tempfile
import time
import unittest

import table
from gclog import LOG, MIB, Log
from jvm import TIMEOUT, PROGRAM, Jvm, cases, expand, main

RATE = 1500  # of baskets in a second: some 60 samples, which show growth beyond doubt


def gcspy(*arguments):
    done = subprocess.run([PROGRAM, *arguments, "--format", "json"], capture_output=True, text=True,
                          timeout=TIMEOUT, check=True)
    return json.loads(done.stdout)


def evidence(document, label):
    return [line["text"] for line in document["evidence"] if line["label"] == label]


@expand
@unittest.skipUnless(PROGRAM, "gcspy is not built")
class Why(unittest.TestCase):
    @cases((table.Row("Serial", "-Xmx192m"), table.Row("G1", "-Xmx192m"),
            table.Row("Z", "-Xmx384m", since=17), table.Row("Shenandoah", "-Xmx256m")),
           in_turn=True)
    def check_leak(self, jdk, row):
        """Sampling is off at first: the class, its line and its holder are named, and it is off again."""
        with Jvm(jdk, "Shop", row.flags, row.options, ("visits=120000", f"rate={RATE}"),
                 log="gc*=info") as jvm:
            big = gcspy("why-big", jvm.address(), "--seconds", "12", "--gc", "--max-pause", "5000")
            settings = subprocess.run([PROGRAM, "set", jvm.address()], capture_output=True,
                                      text=True, timeout=TIMEOUT, check=True).stdout
            self.follow_next(jvm, big["next"])
        live = [line["text"] for line in big["evidence"]]
        self.assertIn("byte[] at Shop.visit (Shop.java:55)",
                      live[live.index(evidence(big, "Live")[0]) + 1])
        self.assertIn("Shop.baskets", evidence(big, "Held by")[0])
        self.assertIn("byte[]", evidence(big, "Classes")[0])
        self.assertIn("interval=0\n", settings)
        # What is in use at the ends of concurrent cycles differs too much for so short a time.
        if row.collector in ("Z", "Shenandoah"):
            self.assertIn(big["conclusion"], ("grows", "grows-unknown", "unknown"), big)
            return
        self.assertEqual(big["conclusion"], "grows", big)
        self.assertIn("byte[] at Shop.visit (Shop.java:55)", big["text"])
        suspect = big["figures"]["call_sites"]["suspects"][0]
        # Baskets of 2 KiB; a busy machine makes fewer.
        self.assertLess(suspect["per_second"], RATE * 2064 + 5 * suspect["per_second_error"])
        self.assertGreater(suspect["per_second"] + 5 * suspect["per_second_error"], RATE * 1032)

    @cases((table.Row("Serial", "-Xmx260m -Xmn2m"),), in_turn=True)
    def check_many_collections(self, jdk, row):
        """Their events do not keep the answers away: a hundred come in a second."""
        with Jvm(jdk, "Shop", row.flags, row.options,
                 ("visits=300000", "rate=3000", "page=64k", "basket=4k"), log="gc=info") as jvm:
            jvm.until(lambda: jvm.read(jvm.log).count("Pause Young") > 100, "collections")
            begin = time.monotonic()
            # Full collections, because what was promoted and died is not held by anything.
            big = gcspy("why-big", jvm.address(), "--seconds", "5", "--gc", "--max-pause", "5000")
            took = time.monotonic() - begin
        self.assertIn("Shop.baskets", (evidence(big, "Held by") or [big])[0])
        self.assertLess(took, 100)
        # A reader without a processor misses some.
        recorded = big["figures"]["pauses"]["all"]["count"]
        self.assertGreater(recorded, 30)
        self.assertGreater(recorded + big["figures"]["recording"]["missed"], 5 * 30)

    def follow_next(self, jvm, words):
        """What it says to do works as it is written, though sampling is off again."""
        turn_on, sites = re.match(r"gcspy (set \S+ interval=512k); gcspy (sites \S+ --live)  # ",
                                  words).groups()

        def run(command, *words):
            """Its output; or, while there is no sample yet, the one line that says so."""
            done = subprocess.run([PROGRAM, *command.split()], capture_output=True, text=True,
                                  timeout=TIMEOUT, check=False)
            self.assertTrue((done.returncode, done.stderr) == (0, "") or done.returncode == 1 and
                            any(word in done.stderr for word in words), (command, done.stderr))
            return done.stdout
        run(turn_on)
        jvm.until(lambda: run("gc " + jvm.address()) and "Shop.visit" in run(sites, "no samples of"),
                  "a live sample")

    @cases((table.Row("G1", "-Xms256m -Xmx256m -Xmn16m"),), in_turn=True)
    def check_only_young(self, jdk, row):
        """What it says to do where only young collections ran tells more."""
        with Jvm(jdk, "Shop", row.flags, row.options,
                 ("visits=120000", f"rate={RATE}")) as jvm:
            address = jvm.address()
            young = gcspy("why-big", address, "--seconds", "6")
            told = gcspy("why-big", address, "--seconds", "6", "--gc")
        self.assertEqual(young["conclusion"], "unknown", young)
        self.assertIn("only young collections ran", young["text"])
        for words in young["text"], young["next"]:
            self.assertIn(f"gcspy why-big {address} --gc", words)
        self.assertIn(told["conclusion"], ("grows", "grows-unknown"), told)

    @cases((table.Row("Serial", "-Xms64m -Xmx64m -Xmn4m"), table.Row("G1", "-Xms64m -Xmx64m")),
           in_turn=True)
    def check_full(self, jdk, row):
        """What has grown to the limit grows no more."""
        with Jvm(jdk, "Leak", row.flags, row.options, ("rate=64m", "total=55m", "hold=600")) as jvm:
            jvm.truth()
            big = gcspy("why-big", jvm.address(), "--seconds", "8", "--gc")
        self.assertEqual(big["conclusion"], "full", big)
        # Nothing is allocated any more, so samples have nothing; the count of classes needs none.
        self.assertIn("byte[]", evidence(big, "Classes")[0])
        self.assertRegex(big["text"], "nearly full: collections leave 5[0-9].* MiB of its limit of 6")

    @cases((table.Row("Serial", "-Xmx64m"), table.Row("G1", "-Xmx64m")), in_turn=True)
    def check_healthy(self, jdk, row):
        """The same program without its leak has no suspect."""
        with Jvm(jdk, "Shop", row.flags, row.options, ("visits=400000", "rate=2000", "leak=no"),
                 log=LOG) as jvm:
            big = gcspy("why-big", jvm.address(), "--seconds", "8", "--gc")
            log = Log(jvm.log)
        self.assertIn(big["conclusion"], ("room", "steady", "unknown"), big)
        suspects = big["figures"]["call_sites"]["suspects"]
        if big["conclusion"] == "unknown":
            self.assertRegex(suspects["not_recorded"], "cannot be told|grow")
        else:
            self.assertEqual(suspects, [])
        # What the log says that collections leave; a start of the watch in between leaves one out.
        left = big["figures"]["heap"]["used_after"]
        self.assertLessEqual(left["max"], max(p.after for p in log.pauses) + 2 * MIB)
        self.assertGreaterEqual(left["min"], min(p.after for p in log.pauses) - MIB)

    @cases((table.Row("Serial", "-Xmx128m"), table.Row("Parallel", "-Xmx128m"),
            table.Row("G1", "-Xmx128m")), in_turn=True)
    def check_long_pause(self, jdk, row):
        """The longest pauses of a recording are the log's, with their causes."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "slow.gcspy")
            with Jvm(jdk, "Fragment", row.flags, "record=" + path,
                     ("blocks=30000", "rounds=6"), log=LOG) as jvm:
                self.assertEqual(jvm.process.wait(TIMEOUT), 0)
                log = Log(jvm.log)
            slow = gcspy("why-slow", path)
        longest = slow["figures"]["pauses"]["longest"]
        asked = [p for p in log.pauses if p.cause == "System.gc()"]
        self.assertGreaterEqual(len(asked), 6)
        told = next(p for p in slow["figures"]["pauses"]["by_cause"] if p["name"] == "System.gc()")
        self.assertEqual(told["count"], len([o for o in log.operations
                                             if o[2][-1].cause == "System.gc()"]))
        operations = {int(sum(p.ms for p in o[2]) * 1e6): o for o in log.operations}
        # Our pause has the log's in it, and what the JVM does besides at a safepoint.
        bound = max(time for _, time, _ in log.operations) + 1e6
        self.assertLessEqual(longest[0]["pause"], bound)
        self.assertGreaterEqual(longest[0]["pause"] * 1.25 + 3e6, 0.5 * max(operations))
        self.assertEqual(longest, sorted(longest, key=lambda p: -p["pause"]))
        for p in longest:
            self.assertTrue(any(abs(p["used_after"] - q.after) <= 2 * MIB for q in log.pauses), p)

    @cases((table.Row("Serial", "-Xmx128m"), table.Row("G1", "-Xmx128m")), in_turn=True)
    def check_system_gc(self, jdk, row):
        with Jvm(jdk, "Layout", row.flags, row.options, log=LOG) as jvm:
            with subprocess.Popen([PROGRAM, "why-slow", jvm.address(), "--collections", "3",
                                   "--format", "json"], stdout=subprocess.PIPE) as process:
                self.addCleanup(process.kill)
                jvm.ask("alloc 2m")
                while process.poll() is None:
                    jvm.ask("gc")
                slow = json.loads(process.stdout.read())
        names = [p["name"] for p in slow["figures"]["pauses"]["by_cause"]]
        self.assertEqual(names[0], "System.gc()", names)
        self.assertTrue(evidence(slow, "Causes")[0].startswith("System.gc() "))
        self.assertGreaterEqual(slow["figures"]["pauses"]["all"]["count"], 3)
        if slow["conclusion"] == "pauses":
            self.assertIn("the program asked for it", slow["text"])

    @cases((table.Row("G1", "-Xms64m -Xmx64m -XX:G1HeapRegionSize=1m",
                      options="port=0,interval=64k"),), in_turn=True)
    def check_humongous(self, jdk, row):
        with Jvm(jdk, "Humongous", row.flags, row.options,
                 ("ring=8", "arrays=100000", "rate=40")) as jvm:
            slow = gcspy("why-slow", jvm.address(), "--seconds", "5")
            big = gcspy("why-big", jvm.address(), "--seconds", "5")
        # Of a region of 1 MiB an array takes little more than a half.
        self.assertEqual(sum("the unused ends of humongous objects' regions" in text
                             for text in big["not_seen"]), 1, big)
        told = evidence(slow, "Humongous")
        self.assertEqual(len(told), 1, slow)
        self.assertIn("byte[] at Humongous.main", told[0])


if __name__ == "__main__":
    main()
