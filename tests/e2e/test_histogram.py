"""`gcspy histogram` against jcmd GC.class_histogram, class by class."""

import json
import os
import re
import subprocess
import unittest

import table
from jvm import PROGRAM, Jvm, TIMEOUT, cases, expand, main

ROOM = "-Xms64m -Xmx64m"
ROWS = (table.Row("Serial", ROOM), table.Row("Parallel", ROOM), table.Row("G1", ROOM),
        table.Row("Z", "-Xmx128m"), table.Row("Shenandoah", ROOM))
ONE = (table.Row("G1", ROOM),)
LATE = (table.Row("G1", ROOM), table.Row("Parallel", ROOM))
EPSILON = (table.Row("Epsilon", "-Xmx512m", "port=0,interval=1k", unlock=table.EXPERIMENTAL),)
PRIMITIVES = {"[B": "byte[]", "[C": "char[]", "[I": "int[]", "[J": "long[]", "[Z": "boolean[]",
              "[D": "double[]", "[F": "float[]", "[S": "short[]"}


def printed(text):
    """(objects, bytes) by class, as jcmd prints them."""
    found = {}
    for objects, size, name in re.findall(r"^\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)", text, re.M):
        depth = len(name) - len(name.lstrip("["))
        if name in PRIMITIVES:
            name = PRIMITIVES[name]
        elif depth and name[depth] == "L":
            name = name[depth + 1:].rstrip(";") + "[]" * depth
        old = found.get(name, (0, 0))
        found[name] = (old[0] + int(objects), old[1] + int(size))
    return found


@expand
class Histogram(unittest.TestCase):
    def start(self, jdk, row):
        if not PROGRAM:
            self.skipTest("no gcspy")
        jvm = Jvm(jdk, "Layout", row.flags, row.options)
        self.addCleanup(jvm.__exit__, None, None, None)
        jvm.answer()
        return jvm

    def ask(self, jvm, *options):
        done = subprocess.run([PROGRAM, "histogram", jvm.address(), *options], capture_output=True,
                              text=True, check=False, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @cases(ROWS, in_turn=True, whole=1)
    def check_classes(self, jdk, row):
        """Instances and bytes of each class with more than 200 objects, within 1 %."""
        jvm = self.start(jdk, row)
        jvm.ask("alloc 4096000")
        said = json.loads(self.ask(jvm, "--live", "--format", "json"))
        # JDK 17 does not tell which of G1's regions have dead objects of classes that are gone.
        if row.collector != "G1" or jdk.major >= 25:
            own_walk = row.collector in ("Serial", "Parallel", "G1")
            self.assertEqual(said["walked_by"], "agent" if own_walk else "jvmti")
        self.assertGreaterEqual(said["pause_ms"], said["cpu_ms"])
        # What was allocated after the collection is counted; with these two, no garbage at all.
        self.assertIn("; after a collection, and with what was allocated since", said["title"])
        self.assertEqual("; without garbage: " in said["title"],
                         row.collector in ("Z", "Shenandoah"), said["title"])
        own = {c["class"]: c for c in said["classes"]}
        other = printed(jvm.jcmd("GC.class_histogram", "-all"))
        compared = 0
        for name, (objects, size) in other.items():
            # Fillers are the collector's, and hidden classes have other names.
            if objects < 200 or "/" in name or "$$" in name or "Filler" in name:
                continue
            compared += 1
            self.assertAlmostEqual(own[name]["objects"] / objects, 1, delta=0.01, msg=name)
            if name != "java.lang.Class":  # their sizes vary, and jcmd counts hidden ones
                self.assertLess(abs(own[name]["bytes"] - size) / size, 0.01 if name != "int[]" else 1,
                                name)
        self.assertGreater(compared, 10)
        self.assertIn("java.lang.String", own)

    @cases((table.Row("Z", "-Xmx128m", "port=0,interval=64k"),
            table.Row("Shenandoah", ROOM, "port=0,interval=64k")), in_turn=True)
    def check_samples(self, jdk, row):
        """The weak references of samples lead these JVMs' walks to garbage: the title says so."""
        jvm = self.start(jdk, row)
        jvm.ask("alloc 4096000")
        said = json.loads(self.ask(jvm, "--format", "json"))
        self.assertIn("; without garbage but that of samples: ", said["title"])
        done = subprocess.run([PROGRAM, "set", jvm.address(), "interval=0"], capture_output=True,
                              check=False, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0)
        jvm.until(lambda: "; without garbage: " in json.loads(self.ask(jvm, "--format", "json"))["title"],
                  "the end of sampling")

    @cases(ONE)
    def check_changes(self, jdk, row):
        """What has changed since is what the program has made."""
        jvm = self.start(jdk, row)
        before = os.path.join(jvm.folder, "before.histogram")
        self.ask(jvm, "--live", "--format", "gcspy", "-o", before)
        jvm.ask("alloc 3072000")
        classes = json.loads(self.ask(jvm, "--live", "--base", before, "--format", "json"))["classes"]
        grown = {c["class"]: c["objects"] for c in classes}
        self.assertEqual(max(grown.values()), grown["java.lang.Object[]"])
        self.assertAlmostEqual(grown["java.lang.Object[]"], 3000, delta=300)
        said = os.path.join(jvm.folder, "said.json")
        self.ask(jvm, "-o", said)
        with open(said, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["format"], 1)
        text = self.ask(jvm, "--base", before, "--top", "1")
        self.assertRegex(text, r"\+(3,[0-2]|2,[7-9])\d\d")
        for bad in (("--base", jvm.log), ("--base", "no-such-file")):
            done = subprocess.run([PROGRAM, "histogram", jvm.address(), *bad], capture_output=True,
                                  text=True, check=False, timeout=TIMEOUT)
            self.assertEqual(done.returncode, 1, done.stderr)

    def paths(self, jvm, *options):
        return subprocess.run([PROGRAM, "paths", jvm.address(), *options], capture_output=True,
                              text=True, check=False, timeout=TIMEOUT)

    @cases(LATE, in_turn=True)
    def check_late(self, jdk, row):
        """What a search is expected to go through has the objects from before sampling, and is better
        when they have been counted."""
        jvm = Jvm(jdk, "Holders each=100 orders=15000", row.flags, row.options)
        self.addCleanup(jvm.__exit__, None, None, None)
        jvm.say("go")
        jvm.truth()

        def objects(said):
            found = re.search(r"([\d,]+) objects", said)
            return found and int(found[1].replace(",", ""))
        subprocess.run([PROGRAM, "set", jvm.address(), "interval=64k"], check=True,
                       capture_output=True, timeout=TIMEOUT)

        def expected():
            subprocess.run([PROGRAM, "gc", jvm.address()], check=True, capture_output=True, timeout=TIMEOUT)
            return objects(self.paths(jvm, "--class", "Loader", "--estimate").stdout)
        guessed = jvm.until(expected, "an estimate")
        said = json.loads(self.ask(jvm, "--live", "--format", "json"))["title"]
        counted = objects(said)
        self.assertGreater(counted, 300_000)
        self.assertGreater(guessed, counted / 2)
        self.assertLess(guessed, counted * 2)
        self.assertAlmostEqual(expected() / counted, 1, delta=0.3)

    @cases(EPSILON)
    def check_epsilon(self, jdk, row):
        """Where nothing is ever collected, nothing tells what is alive, and the search says so."""
        jvm = self.start(jdk, row)
        done = self.paths(jvm)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Epsilon does not collect garbage", done.stderr)
        self.assertIn("java.lang.String", self.ask(jvm))


if __name__ == "__main__":
    main()
