"""Figures of recordings against the JVM's own log (F23): pauses, the heap after collections, what was
allocated and promoted.
"""

import json
import os
import re
import subprocess
import tempfile
import unittest

import table
from gclog import LOG, MIB, Log
from jvm import TIMEOUT, PROGRAM, Jvm, cases, expand, main
from test_events import expected

TRACE_MAKER = os.environ.get("TRACE_MAKER", "")
COMMANDS = ("alloc 2m", "churn 30m", "gc", "alloc 20m", "churn 60m", "drop", "alloc 16m",
            "churn 30m", "drop", "gc")


def gcspy(*arguments):
    done = subprocess.run([PROGRAM, *arguments, "--format", "json"], capture_output=True, text=True,
                          timeout=TIMEOUT, check=True)
    return json.loads(done.stdout)


def amount(text):
    """Of "+25.1 MiB"."""
    number, unit = text.split()
    return float(number) * 1024 ** "BKMG".index(unit[0])


def promoted(log, events):
    """What the old space grew by in each young collection. The log has its heap before and after
    each pause; a full collection may have one for its young part and one for the rest."""
    def old(heap):
        bottom, top, _ = heap.spaces["Old"]
        return top - bottom

    heaps, grown = iter(log.heaps), []
    for kind, _, pauses, _ in events:
        pairs = [(old(next(heaps)), old(next(heaps))) for _ in pauses]
        grown.append(pairs[0][1] - pairs[0][0] if kind == "Young" else None)
    return grown


@expand
@unittest.skipUnless(PROGRAM and TRACE_MAKER, "gcspy or trace-maker is not built")
class Stats(unittest.TestCase):
    def record(self, jdk, row, path):
        """A program that does COMMANDS, recorded from before the first collection to its end."""
        with Jvm(jdk, "Layout", row.flags, row.options, log=LOG) as jvm:
            with subprocess.Popen([TRACE_MAKER, "record", jvm.address(), path, "1000000"],
                                  stdout=subprocess.PIPE) as recorder:
                self.addCleanup(recorder.kill)
                self.assertEqual(recorder.stdout.readline(), b"recording\n")
                for command in COMMANDS:
                    jvm.ask(command)
                self.assertEqual(jvm.quit(), 0)
                self.assertEqual(recorder.wait(TIMEOUT), 0)
            return Log(jvm.log)

    @cases(table.DRAWN, in_turn=True)
    def check_against_the_log(self, jdk, row):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "layout.gcst")
            log = self.record(jdk, row, path)
            stats = gcspy("stats", path)
        events = expected(log.operations, row.collector)
        self.assertEqual([(e["name"], e["recorded"], e["unseen"]) for e in stats["events"][:2]],
                         [("GC start", len(events), 0), ("GC finish", len(events), 0)])
        self.assertEqual(stats["recording"]["gaps"], 0)
        self.pauses(stats, events)
        self.heap(stats, events, MIB if row.collector == "G1" else 0)
        self.rates(stats, events, log, row)

    @cases((table.Row("G1", "-Xmx128m -XX:MetaspaceSize=4m", "record=run.gcspy"),))
    def check_full_metaspace(self, jdk, row):
        """G1 of JDK 17 tells of such a collection twice, and, while a cycle runs, of pauses in which
        nothing is collected and of which the log has nothing."""
        with Jvm(jdk, "ClassUnload classes=20000 rate=0 keep=15000", row.flags, row.options,
                 log="gc") as jvm:
            self.assertEqual(jvm.end(), 0)
            stats = gcspy("stats", jvm.path("run.gcspy"))
            told = {p["name"]: p["count"] for p in stats["pauses"]["by_kind"]}
            with open(jvm.log, encoding="utf-8") as file:
                log = file.read()
        self.assertIn("Metadata GC Threshold", log)
        logged = re.findall(r"GC\(\d+\) Pause (Young \(Mixed|Young|Full|Remark|Cleanup)\b", log)
        kinds = ["Mixed" if kind.startswith("Young (") else kind for kind in logged]
        told.pop("Pause", None)
        told["Young"] += told.pop("Mixed", 0)
        real = {kind: kinds.count(kind) + (kind == "Young") * kinds.count("Mixed")
                for kind in set(kinds) - {"Mixed"}}
        # On a busy machine a burst of such pauses is more than the agent keeps; it tells how many.
        unseen = sum(event["unseen"] for event in stats["events"][:2])
        if unseen == 0:
            self.assertEqual(told, real)
        self.assertLessEqual(sum(abs(real.get(kind, 0) - told.get(kind, 0)) for kind in {*real, *told}),
                             unseen)

    def pauses(self, stats, events):
        kinds = [kind for kind, _, _, _ in events]
        told = {p["name"]: p for p in stats["pauses"]["by_kind"]}
        self.assertEqual({name: p["count"] for name, p in told.items()},
                         {kind: kinds.count(kind) for kind in kinds})
        self.assertEqual(sum(p["count"] for p in stats["pauses"]["by_cause"]), len(events))
        self.assertLessEqual({p["name"] for p in stats["pauses"]["by_cause"]},
                             set().union(*(causes for _, causes, _, _ in events)))
        for kind, p in told.items():
            same = [(sum(x.ms for x in pauses) * 1e6, time)
                    for k, _, pauses, time in events if k == kind]
            # The log's pause has the agent's own time in it; see test_events.py.
            self.assertLessEqual(p["total"], sum(time for _, time in same) + 1e6 * len(same))
            self.assertGreaterEqual(p["total"] + stats["recording"]["cost"],
                                    0.2 * sum(ns for ns, _ in same) - 5e6 * len(same))
            self.assertLessEqual(p["max"], max(time for _, time in same) + 1e6)

    def heap(self, stats, events, slack):
        """`slack`: a sum of tops counts the region that is allocated from, the log may not."""
        after = stats["heap"]["used_after"]
        logged = [pauses[-1].after for kind, _, pauses, _ in events
                  if kind in ("Young", "Mixed", "Full")]
        self.assertEqual(after["count"], len(logged))
        for name, value in (("first", logged[0]), ("last", logged[-1]), ("min", min(logged)),
                            ("max", max(logged))):
            self.assertLessEqual(abs(after[name] // MIB * MIB - value), slack, name)
        self.assertLessEqual(abs(after["mean"] - sum(logged) / len(logged)), MIB + slack)
        self.assertIsNotNone(after["trend"])

    def rates(self, stats, events, log, row):
        allocated = sum(b[2][0].before - a[2][-1].after for a, b in zip(events, events[1:]))
        rate = stats["rates"]["allocation"]
        self.assertEqual(rate["intervals"], len(events) - 1)
        self.assertLessEqual(abs(rate["bytes"] - allocated), 2 * MIB * len(events))
        # What the commands allocate and drop; a part may come before the first collection.
        self.assertGreater(rate["bytes"], 100 * MIB)
        promotion = stats["rates"]["promotion"]
        if row.collector == "G1":
            self.assertGreaterEqual(promotion["bytes"], 0)
        else:
            # The first collection has no interval before it.
            grown = [bytes for bytes in promoted(log, events)[1:] if bytes is not None]
            self.assertEqual(promotion["bytes"], sum(grown))
            self.assertEqual(promotion["intervals"], len(grown))
        waste = stats["rates"]["tlab_waste"]
        self.assertEqual(waste["collections"],
                         sum(kind in ("Young", "Mixed", "Full") for kind, _, _, _ in events))
        self.assertTrue(0 < waste["share"] < 0.5, waste)
        self.assertTrue(0 <= stats["heap"]["fragmentation"]["max"] <= 1)

    @cases((table.Row("Serial", options="port=0,interval=64k"),
            table.Row("G1", options="port=0,interval=64k")))
    def check_live(self, jdk, row):
        """A program that is followed: the same figures, and its call sites that grow."""
        with Jvm(jdk, "Leak", row.flags, row.options, ("rate=4m", "total=24m", "hold=60")) as jvm:
            stats = gcspy("stats", jvm.address(), "--seconds", "4")
        self.assertGreater(stats["pauses"]["all"]["count"], 0)
        self.assertGreater(stats["heap"]["used_after"]["trend"], 0)
        grew = stats["call_sites"]["growth"]["grew"]
        self.assertIn("Leak.retain", grew[0]["stack"][0])
        # 4 MiB in a second, in which the noise of the sampling and of the start have a part.
        error = 5 * grew[0]["bytes_change_error"]
        self.assertTrue(3 * MIB < grew[0]["bytes_change"] < 24 * MIB + error, grew[0])
        self.assertGreater(stats["rates"]["allocation_sampled"]["per_second"], 4 * MIB)

    # Heaps in which the leak makes the collector look at old objects.
    @cases((table.Row("Serial", "-Xmx36m"), table.Row("G1", "-Xmx48m")))
    def check_suspects(self, jdk, row):
        """A leak is named first, at its line; healthy programs name none."""
        with tempfile.TemporaryDirectory() as folder:
            def suspects(name, *words):
                path = os.path.join(folder, name + ".gcspy")
                options = "record=%s,record-profiles=1,interval=64k" % path
                with Jvm(jdk, words[0], row.flags, options, words[1:]) as jvm:
                    self.assertEqual(jvm.process.wait(TIMEOUT), 0)
                return gcspy("stats", path)["call_sites"]["suspects"]

            found = suspects("leak", "Shop", "visits=14000", "rate=2000")
            self.assertIn("Shop.visit (Shop.java:55)", found[0]["frame"])
            self.assertEqual(found[0]["class"], "byte[]")
            # 2,000 baskets of 2 KiB a second; a busy machine makes fewer.
            error = 5 * found[0]["per_second_error"]
            self.assertLess(found[0]["per_second"], 2000 * 2064 + error)
            self.assertGreater(found[0]["per_second"] + error, 1000 * 2064)
            for words in (("shop", "Shop", "visits=14000", "rate=2000", "leak=no"),
                          ("churn", "Churn", "rate=64m", "total=512m", "seconds=6")):
                none = suspects(*words)
                if none != []:  # so short a time leaves room for growth
                    more, error = (amount(text) for text in re.search(
                        r"cannot be told: .* changes by (\S+ \S+) ± (\S+ \S+) a minute",
                        none["not_recorded"]).groups())
                    self.assertLess(more, 3 * error)

    @cases((table.Row("Z", "-Xmx256m"),))
    def check_concurrent(self, jdk, row):
        """What a concurrent collector does not tell is absent, with the reason."""
        with Jvm(jdk, "Churn", row.flags, row.options, ("rate=256m", "total=2g", "seconds=6")) as jvm:
            stats = gcspy("stats", jvm.address(), "--seconds", "4")
        self.assertGreater(stats["pauses"]["all"]["count"], 2)
        for part in (stats["heap"]["used_after"], stats["rates"]["allocation"],
                     stats["rates"]["promotion"], stats["rates"]["tlab_waste"]):
            self.assertIn("while the program runs", part["not_recorded"])
        self.assertIn("no page", stats["heap"]["fragmentation"]["not_recorded"])
        self.assertGreater(stats["heap"]["used"]["count"], 2)


if __name__ == "__main__":
    main()
