"""The fast walk of sampled stacks (S7): an agent that has nothing else compares each stack that the
walker finds or composes with GetStackTrace, and the names and lines that native stacks would have (M4)
with JVMTI's. One difference, in any JVM, is a failure."""

import os
import re
import unittest

import table
from jvm import Jvm, cases, expand, main

WALK_AGENT = os.path.abspath(os.environ["GCSPY_WALK_AGENT"])

class Row(table.Row):
    """A program, the flags of its JVM and the options of the agent."""

    def __init__(self, name, program, flags="", options="interval=4096", since=11, least=1000):
        super().__init__("", f"-Xmx128m {flags}".strip(), options, since, name)
        self.program, self.least = program, least


STACKS = "Stacks rounds=3500"
ROWS = (
    Row("shapes", STACKS, least=3000),
    Row("shapes, found again", "GCBench rounds=50", options="interval=16384", least=10000),
    Row("deep", "Stacks rounds=250 depth=200"),
    Row("interpreted", "Stacks rounds=1000", "-Xint"),
    Row("C1", STACKS, "-XX:TieredStopAtLevel=1", least=3000),
    Row("C2", STACKS, "-XX:-TieredCompilation", least=3000),
    Row("frame pointers, one code heap", STACKS,
        "-XX:+PreserveFramePointer -XX:-SegmentedCodeCache", least=3000),
    Row("wide references, Serial", STACKS, "-XX:-UseCompressedOops -XX:+UseSerialGC", least=3000),
    Row("ZGC", STACKS, "-XX:+UseZGC", least=3000),
    Row("unloading", "ClassUnload classes=1500 rate=0", options="interval=512"),
    Row("unloading hidden classes", "ClassUnload classes=1500 rate=0 kind=hidden",
        options="interval=512", since=15),
    Row("threads", "Threads threads=24 churn=10 share=200k rate=0", options="interval=512"),
    Row("redefinition", "Stacks rounds=3500",
        options="interval=4096,redefine=Stacks$Target", least=3000),
    Row("new numbers, other depth", STACKS, options="interval=4096,stacks=300,depth=7",
        least=3000),
    Row("virtual threads", STACKS + " kind=virtual", since=21, least=3000),
    Row("virtual threads, ZGC", STACKS + " kind=virtual", "-XX:+UseZGC", since=21, least=3000),
    Row("JVMCI", STACKS, f"{table.EXPERIMENTAL} -XX:+EnableJVMCI", least=3000),
    Row("JVMTI only", "Stacks rounds=1000", options="interval=4096,jvmti=1"),
    Row("without PerfData", STACKS, "-XX:-UsePerfData", least=3000),
    Row("without PerfData, unloading", "ClassUnload classes=1500 rate=0", "-XX:-UsePerfData",
        options="interval=512"),
    Row("without PerfData, unloading, ZGC", "ClassUnload classes=1500 rate=0",
        "-XX:-UsePerfData -XX:+UseZGC", options="interval=512", since=17),
)


def numbers(text, pattern):
    """The key=value pairs of the first line of the agent's that has the pattern."""
    line = re.search(rf"^walk .*{pattern}.*$", text, re.M)
    return {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", line[0] if line else "")}


@expand
class Walk(unittest.TestCase):
    @cases(ROWS, in_turn=True)
    def check_walk(self, jdk, row):
        """S7: every stack is that of GetStackTrace."""
        program, *arguments = row.program.split()
        agent = f"-agentpath:{WALK_AGENT}={row.options},out=walk.txt"
        with Jvm(jdk, program, (*row.flags, agent), None, arguments) as jvm:
            status = jvm.end()
            text = jvm.read("walk.txt")
            story = f"status {status}\n{jvm.out[-500:]}{text}{jvm.err[-3000:]}"
            self.assertEqual(status, 0, story)
            self.assertIn("truth", jvm.out, story)
        named = numbers(text, "named=")
        self.assertEqual(named["misnamed"], 0, story)
        if row.name != "without PerfData":
            self.assertGreater(named["named"], row.least // 16, story)
        compared, counted = numbers(text, "compared="), numbers(text, "walks=")
        self.assertEqual(compared["wrong"], 0, story)
        self.assertEqual(compared["wrong_flags"], 0, story)
        if jdk.major >= 26 and "redefine" in row.options and counted["mismatches"] == 1:
            # Seen once in six runs, where method ids are numbers: a redefinition amid the comparison
            # looks like a difference. No stack was wrong, and GetStackTrace is used from then on.
            self.assertEqual(counted["fast"], 0, story)
            return
        self.assertEqual(counted["mismatches"], 0, story)
        self.assertGreater(compared["compared"], row.least, story)
        fast = row.name != "JVMTI only"
        self.assertEqual(counted["fast"], fast, story)
        if not fast:
            self.assertEqual(counted["asked"], counted["walks"], story)
            self.assertRegex(text, r"walker: GetStackTrace, because: .*\.\n")
            return
        self.assertGreater(counted["found"], 0, story)
        self.assertGreater(counted["composed"], 0, story)
        self.assertGreater(counted["verified"], 0, story)
        self.assertLess(counted["asked"], counted["walks"] // 2, story)
        if "redefine" in row.options:
            self.assertGreater(compared["redefined"], 2, story)


if __name__ == "__main__":
    main()
