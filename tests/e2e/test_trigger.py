"""Triggers at the events of a JVM, and the flight ring that they save (F17, F21)."""

import glob
import json
import os
import re
import subprocess
import unittest

import table
from jvm import Jvm, cases, expand, main

TRACE_JSON = os.environ["TRACE_JSON"]
SERIAL = table.Row("Serial", "-Xmx32m -Xmn8m")
G1 = table.Row("G1", "-Xms64m -Xmx64m -XX:G1HeapRegionSize=1m")
COLLECTORS = (SERIAL, G1, table.Row("Parallel", "-Xmx64m"), table.Row("Z", "-Xms64m -Xmx64m"))
CHURN = ("rate=0", "total=600m")
HUMONGOUS = 'event = "Sampled allocation" and Size >= 1m and Stack ~ Humongous.main'
PAUSE, RECORD = 1, 2  # actions
PAUSED = 2  # a state


def read(path):
    done = subprocess.run([TRACE_JSON, path], capture_output=True, text=True, check=True,
                          timeout=120)
    return json.loads(done.stdout)


@expand
class Trigger(unittest.TestCase):
    def recorded(self, jvm, count=1):
        """The recordings that the ring has been saved to, whole and in order."""
        paths = sorted(glob.glob(jvm.path("*.gcspy")), key=os.path.getmtime)
        self.assertEqual(len(paths), count, jvm.err)
        traces = [read(path) for path in paths]
        for path, trace in zip(paths, traces):
            self.assertEqual((trace["damage"], trace["stray"]), (0, 0))
            numbers = [e["sequence"] for e in trace["events"]]
            self.assertEqual(numbers, sorted(numbers))
            times = [e["time"] for e in trace["events"]]
            self.assertEqual(times, sorted(times))
            self.assertRegex(jvm.err, rf"(?m)^gcspy: saved {len(numbers):,} events?, .* to "
                                      rf"{os.path.basename(path)}: ")
        return traces

    def fired(self, trace):
        return [e for e in trace["events"] if e["fired"]]

    @cases(COLLECTORS)
    def check_attributes(self, jdk, row):
        """Exactly the collections fire of which the recorded attributes say that they do."""
        condition = 'event = "GC finish" and Used after > 100k and Pause > 0 and count >= 4'
        with Jvm(jdk, "Churn", row.flags,
                 f"record-ring=600,record-ring-bytes=256m,trigger={condition},"
                 "record-ring-file=r.gcspy,strict",
                 CHURN) as jvm:
            self.assertEqual(jvm.end(), 0, jvm.err)
            trace = self.recorded(jvm)[0]
        finishes = [e for e in trace["events"] if e["name"] == "GC finish"]
        self.assertGreater(len(finishes), 4)
        self.assertEqual(trace["events"][-1]["missed"], 0)
        for number, event in enumerate(finishes, 1):
            a = event["attributes"]
            # An attribute that is not known is null: the comparison does not hold.
            holds = number >= 4 and (a["Used after"] or 0) > 100 << 10 and (a["Pause"] or 0) > 0
            self.assertEqual(event["fired"], [condition] if holds else [], (number, a))
        self.assertTrue(self.fired(trace))
        self.assertEqual([e for e in self.fired(trace) if e["name"] != "GC finish"], [])

    @cases((SERIAL, G1), in_turn=True)
    def check_kind_and_cause(self, jdk, row):
        """The kind, also a mixed one, is the recorded one; a young collection promotes."""
        conditions = ("Kind = Full", "Kind = Young and Promoted > 0", "Kind = Mixed",
                      'Cause ~ "System.gc"')
        with Jvm(jdk, "Layout", row.flags,
                 f"port=0,record-ring=600,trigger={';'.join(conditions)},record-ring-file=r.gcspy,"
                 "strict") as jvm:
            jvm.ask("gc")
            jvm.ask("gc")
            self.assertEqual(jvm.quit(), 0, jvm.err)
            trace = self.recorded(jvm)[0]
        finishes = [e for e in trace["events"] if e["name"] == "GC finish"]
        for event in finishes:
            a = event["attributes"]
            holds = (a["Kind"] == "Full", a["Kind"] == "Young" and (a["Promoted"] or 0) > 0,
                     a["Kind"] == "Mixed", "System.gc" in a["Cause"])
            self.assertEqual(sorted(event["fired"]),
                             sorted(c for c, h in zip(conditions, holds) if h), a)
        self.assertGreaterEqual(sum("Kind = Full" in e["fired"] for e in finishes), 2)

    @cases((G1, SERIAL))
    def check_humongous_allocation(self, jdk, row):
        """The stack of a large allocation, at once; others of the program do not fire."""
        with Jvm(jdk, "Humongous", row.flags,
                 f"record-ring=600,interval=64k,trigger={HUMONGOUS},record-ring-file=r.gcspy,"
                 "strict", ("arrays=60", "rate=0", "size=2m")) as jvm:
            self.assertEqual(jvm.end(), 0, jvm.err)
            trace = self.recorded(jvm)[0]
        events = self.fired(trace)
        self.assertGreater(len(events), 10)
        self.assertEqual([e for e in trace["events"] if e["name"] == "Sampled allocation"], events)
        for event in events:
            a = event["attributes"]
            self.assertEqual(event["fired"], [HUMONGOUS])
            self.assertEqual((a["Class"], a["Thread"]), ("byte[]", "main"))
            self.assertGreaterEqual(a["Size"], 2 << 20)
            self.assertRegex(a["Frame"], r"^Humongous\.main\(Humongous\.java:\d+\)$")
            self.assertTrue(a["Stack"].startswith(a["Frame"]), a)
            self.assertGreater(event["tiles"], 0)
        if row.collector == "G1":
            last = [e for e in trace["events"] if e["name"] == "GC finish"][-1]
            self.assertGreater(last["attributes"]["Humongous regions"], 0)

    @cases((G1, SERIAL), in_turn=True)
    def check_pause_at_an_allocation(self, jdk, row):
        """The allocating thread waits in native code: the JVM reaches safepoints meanwhile."""
        with Jvm(jdk, "Humongous", row.flags, "port=0,interval=64k",
                 ("arrays=100000000", "rate=20", "size=2m")) as jvm:
            with jvm.attach() as view:
                view.trigger("stop", HUMONGOUS, actions=PAUSE, most=1)
                view.wait(lambda: view.of("Sampled allocation"))
                view.wait(lambda: view.states and view.states[-1][0] == PAUSED)
                self.assertEqual([f["name"] for f in view.of("Sampled allocation")[0].fired],
                                 ["stop"])
                starts = view.count("GC start")
                # The program's only thread waits, and yet the JVM stops at a safepoint.
                with subprocess.Popen([jdk.tool("jcmd"), str(jvm.pid), "GC.run"],
                                      stdout=subprocess.DEVNULL) as jcmd:
                    view.wait(lambda: view.count("GC start") > starts)
                    view.resume()
                    self.assertEqual(jcmd.wait(), 0)
                finishes = view.count("GC finish")
                view.wait(lambda: view.count("GC finish") > finishes)

    @cases((SERIAL,))
    def check_costs_nothing_without(self, jdk, row):
        """No event of this kind is sent to a client with default filters."""
        with Jvm(jdk, "Churn", row.flags, "port=0,interval=16k", ("rate=64m", "total=100g")) as jvm:
            with jvm.attach() as view:
                view.wait(lambda: view.count("GC finish") >= 3)
                self.assertEqual(view.count("Sampled allocation"), 0)
                self.assertFalse(view.of("Sampled allocation"))

    @cases((SERIAL,))
    def check_options(self, jdk, row):
        """One line says what is wrong; the program runs, or with `strict` does not."""
        for options, said in (
                ("trigger=Pausse > 1ms", r"option trigger: .*Pausse"),
                ("trigger=Pause > ", r"option trigger: "),
                ("record-ring=0", r"record-ring=.*seconds from 1 to 3600"),
                ("record-ring=5,record-ring-file=%q", r"option record-ring: .*%q")):
            with Jvm(jdk, "Idle", row.flags, options + ",port=0", ("seconds=1",)) as jvm:
                jvm.end()
                self.assertTrue(re.search(said, jvm.err), (options, jvm.err))

    @cases((SERIAL, G1), in_turn=True)
    def check_command_line(self, jdk, row):
        """A trigger that stays when `gcspy` has gone saves the ring, once."""
        condition = "event = GC finish and pause > 0"
        with Jvm(jdk, "Churn", row.flags, "port=0,record-ring=60,record-ring-file=r.gcspy",
                 ("rate=64m", "total=100g")) as jvm:
            def gcspy(command, *arguments):
                return subprocess.run([os.environ["GCSPY"], command, jvm.address(), *arguments],
                                      capture_output=True, text=True, check=True,
                                      timeout=60).stdout
            self.assertRegex(gcspy("ask", "flight-ring"), r"(?m)^0 recordings$")
            gcspy("trigger", condition, "--do", "record", "--keep", "--most", "1", "--name", "night")
            jvm.until(lambda: "gcspy: saved " in jvm.err, "the ring's recording")
            self.assertRegex(gcspy("ask", "flight-ring"), r"(?m)^1 recording$")
            trace = self.recorded(jvm)[0]
            self.assertRegex(jvm.err, r"(?m)^gcspy: saved .* to r\.gcspy: night$")
        self.assertEqual([e["fired"] for e in self.fired(trace)], [[condition]])
        self.assertEqual(trace["events"][-1]["missed"], 0)

    @cases((SERIAL,))
    def check_a_ring_is_needed(self, jdk, row):
        with Jvm(jdk, "Idle", row.flags, "port=0", ("seconds=100",)) as jvm:
            with jvm.attach() as view:
                answer = view.answered(view.trigger("save", "Pause > 1", actions=RECORD))
                self.assertIn("keeps no ring", answer.words)


if __name__ == "__main__":
    main()
