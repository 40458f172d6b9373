"""Recordings with reference chains and histograms: what they say is what the program does, and the
figures of the recording name what holds what grows."""

import json
import os
import re
import subprocess
import unittest

import table
from jvm import PROGRAM, Jvm, TIMEOUT, cases, expand, main, skipped

ROOM = "-Xms96m -Xmx96m"
OPTIONS = ("port=0,record=run-%p.gcspy,interval=4k,record-profiles=1,record-paths=1,record-histogram=1,"
           "paths-pause=60000")
ROWS = (table.Row("G1", ROOM, OPTIONS), table.Row("Serial", ROOM, OPTIONS),
        table.Row("Parallel", ROOM, OPTIONS))
LIMITED = (table.Row("Serial", ROOM, "port=0,record=run-%p.gcspy,interval=4k,record-paths=1,paths-pause=1"),)
PLAIN = (table.Row("Serial", ROOM, "port=0,record=run-%p.gcspy,interval=4k,record-profiles=1"),)
LEAK = ("rate=1m", "total=60m", "noise=4", "hold=600")
HELD = r"local variable of Leak\.(?:main|retain) \(Leak\.java:\d+\) in thread main → Leak\.newest"
# The table cuts that chain where the variable also holds a sample of something else.
HELD_IN_TABLE = HELD.replace(" → ", r"(?: → |\n[^\n]* )")


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False,
                          timeout=TIMEOUT)


@expand
class RecordedPaths(unittest.TestCase):
    def start(self, jdk, row, arguments=LEAK):
        if not PROGRAM:
            self.skipTest("no gcspy")
        jvm = Jvm(jdk, "Leak", row.flags, row.options, arguments)
        self.addCleanup(jvm.__exit__, None, None, None)
        return jvm, jvm.path(f"run-{jvm.pid}.gcspy")

    def collect_until(self, jvm, done, what):
        """Full collections, as often as a second's recorded answers need."""
        def again():
            if done():
                return True
            collected = run("gc", jvm.address())
            self.assertEqual(collected.returncode, 0, collected.stderr)
            return None
        jvm.until(again, what)

    def histograms(self, file, *options):
        done = run("histogram", file, "--format", "json", *options)
        return json.loads(done.stdout) if done.returncode == 0 else None

    @cases(ROWS, in_turn=True)
    def check_recording(self, jdk, row):
        """What holds the leaked objects, what has grown, and the suspects with what holds them."""
        jvm, file = self.start(jdk, row)
        self.collect_until(jvm, lambda: (lambda h: h and any(
            c["class"] == "Leak$Record" and c["objects"] > 1500 for c in h["classes"]))(
                self.histograms(file, "--base", file)), "growth in the recording")
        done = run("histogram", file, "--base", __file__)
        self.assertEqual((done.returncode, done.stderr), (1, f"gcspy: {__file__}: not a class histogram\n"))
        self.collect_until(jvm, lambda: "held by" in run("stats", file).stdout, "suspects")
        jvm.process.kill()
        found = json.loads(run("paths", file, "--format", "json").stdout)
        top = max((r for r in found["rows"] if r["depth"] == 0), key=lambda r: r["bytes"])
        self.assertRegex(top["held_by"], HELD.split(" → ", maxsplit=1)[0])
        self.assertGreater(top["share"], 0.5)
        self.assertFalse(any(r["held_by"].startswith("site ") for r in found["rows"]))
        self.assertGreater(found["pauses"], 0)
        big = run("why-big", file).stdout
        self.assertRegex(big, r"\n  Classes +of .*byte\[\] ")
        self.assertRegex(big, r"\n  Held by +" + HELD)
        text = run("paths", file)
        self.assertRegex(text.stdout, HELD_IN_TABLE)
        stats = json.loads(run("stats", file, "--format", "json").stdout)
        self.assertRegex(stats["call_sites"]["suspects"][0]["held_by"], r"^\d+ %: " + HELD)
        self.check_exports(jvm, file)
        self.check_choice(file)

    def check_exports(self, jvm, file):
        for form, begin in (("collapsed", "local_variable"), ("svg", "<?xml"), ("html", "<!DOCTYPE html>")):
            path = jvm.path("paths." + form)
            self.assertEqual(run("paths", file, "--format", form, "-o", path).returncode, 0)
            with open(path, encoding="utf-8") as written:
                text = written.read()
            self.assertIn(begin, text)
            self.assertRegex(text, r"Leak\.newest")
        report = jvm.path("report.html")
        done = run("report", file, "-o", report)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(report, encoding="utf-8") as written:
            self.assertRegex(written.read(), r"Held by \d+ %: " + HELD)

    def check_choice(self, file):
        """By site and by moment; what a recording does not have is one line."""
        sites = run("sites", file, "--class", r"^byte\[\]$").stdout
        number = re.search(r"\[site ([0-9a-f]{12})\]", sites)[1]
        one = run("paths", file, "--site", number)
        self.assertRegex(one.stdout, HELD + r" → .*Leak\$Record\.payload → byte\[\]", one.stderr)
        for options, code, why in ((("paths", file, "--site", "000000000001"), 1, "no chain of site"),
                                   (("paths", file, "--raw"), 2, "is a recording"),
                                   (("paths", file, "--at", "1"), 1, "no answer of paths up to event 1;"),
                                   (("histogram", file, "--live"), 2, "is a file"),
                                   (("histogram", os.path.join(os.path.dirname(file), "no.log")), 1, "no such")):
            done = run(*options)
            self.assertEqual((done.returncode, done.stdout), (code, ""), options)
            self.assertRegex(done.stderr.lower(), why)
            self.assertEqual(done.stderr.count("\n"), 1)

    @cases(LIMITED)
    def check_limit(self, jdk, row):
        """A search that is expected to pause for too long is not made, and the recording says so."""
        jvm, file = self.start(jdk, row, ("rate=100m", "total=40m", "size=16", "noise=1", "hold=600"))
        self.collect_until(jvm, lambda: "the limit of 1 ms, which paths-pause=" in run("paths", file).stdout,
                           "the reason")

    @cases(PLAIN)
    def check_unasked(self, jdk, row):
        """Without the options nothing is searched for or counted."""
        jvm, file = self.start(jdk, row)
        for _ in range(3):
            self.collect_until(jvm, lambda: run("sites", file).returncode == 0, "profiles")
        for command in ("paths", "histogram"):
            done = run(command, file)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(f"the agent's option record-{command} records some", done.stderr)


if __name__ == "__main__":
    if not PROGRAM:
        skipped("reference chains in recordings", "they need gcspy")
    main()
