"""Collections as the agent tells them against the pauses of the JVM's log: how many, of what kind,
why, how long, how much before and after (H2, F6, F7).
"""

import unittest

import table
from gclog import LOG, MIB, Log
from jvm import Jvm, cases, column, expand, main, named, space

KINDS = {"Young": "Young", "Full": "Full", "Remark": "Remark", "Cleanup": "Cleanup"}
CONCURRENT = "Concurrent cycle"  # the agent's words for pauses without a cause

# Programs that go on for long enough to attach to and keep their heap at the end.
CHURN = table.DRAWN
CYCLES = (
    table.Row("G1", "-Xms32m -Xmx64m " + table.CYCLES, name="Leak"),
    # Room enough: "Mixed" is recognised by old regions that became empty, which a collection that runs
    # out of memory need not do.
    table.Row("G1", "-Xms160m -Xmx160m " + table.CYCLES, name="Humongous"),
    table.Row("G1", "-Xms64m -Xmx64m -Xmn8m " + table.MIXED, name="GCOld"),
)
ARGUMENTS = {"Leak": ("rate=16m", "total=12m", "hold=600"),
             "Humongous": ("arrays=60", "rate=60", "hold=600"),
             "GCOld": ("live=16m", "steps=900", "work=20", "hold=600")}


def expected(operations, collector):
    """What the agent has to tell: one event per VM operation, but one per pause with G1. A list of
    (kind, causes, pauses, nanoseconds of the whole operation)."""
    events = []
    for _, time, pauses in operations:
        parts = [[p] for p in pauses] if collector == "G1" else [pauses]
        for part in parts:
            kind = KINDS[part[-1].kind]
            if part[-1].g1_type == "Mixed":
                kind = "Mixed"
            causes = {p.cause or CONCURRENT for p in part}
            if "Ergonomics" in causes:  # of a collection within one that has another cause
                causes = {"Ergonomics"}
            events.append((kind, causes, part, time))
    return events


@expand
class Events(unittest.TestCase):
    maxDiff = 4000

    def compare(self, view, finishes, log, row, slack):
        """Each event that the client has, against the one of that number in the log."""
        events = expected(log.operations, row.collector)
        self.assertEqual(view.count("GC finish"), len(events), "number of GC finish events")
        self.assertEqual(view.count("GC start"), len(events), "number of GC start events")
        # The program rests: the last event is the log's last. Sequence numbers count two for each.
        places = [len(events) - 1 - (finishes[-1].sequence - f.sequence) // 2 for f in finishes]
        self.assertLessEqual(len(events) - places[0] - len(finishes), view.snapshots[-1].missed,
                             "what did not come is counted as missed")
        events = [events[place] for place in places]
        told = [view.attributes(f) for f in finishes]
        self.assertEqual([a["Kind"] for a in told], [kind for kind, _, _, _ in events])
        costs = {s.sequence: s.cost for s in view.snapshots}
        for finish, a, (_, causes, pauses, time) in zip(finishes, told, events):
            words = f"{a} {[p.text for p in pauses]}"
            self.assertIn(a["Cause"], causes, words)
            if a["Pause"] is not None:  # absent when the client came in the middle of it
                logged = sum(p.ms for p in pauses) * 1e6
                # The log's time has the agent's own part at the start in it, ours has not.
                own = finish.cost - costs.get(finish.sequence - 1, 0)
                # What the log times around our two events may be delayed on a busy machine.
                self.assertGreaterEqual(a["Pause"] + own, 0.2 * logged - 5e6, words)
                self.assertLessEqual(a["Pause"], time + 1e6, words)
            for name, logged in (("Used before", pauses[0].before),
                                 ("Used after", pauses[-1].after)):
                if a[name] is not None:
                    self.assertLessEqual(abs(a[name] // MIB * MIB - logged), slack, words)
            if row.collector == "G1":  # its own figure may be a region or two behind
                self.assertLessEqual(abs(a["Committed"] - pauses[-1].total), 2 * MIB, words)
            else:
                heap = log.heap("after", a["Collection"], row.collector)
                self.assertEqual(a["Committed"], sum(end - low for low, _, end in
                                                     heap.spaces.values()), words)
        return events

    @cases(CHURN)
    def check_every_pause(self, jdk, row):
        """H2, F7: from the first collection on, in order, with cause, kind, time and sizes."""
        with Jvm(jdk, "Layout", row.flags, row.options, log=LOG) as jvm:
            with jvm.attach() as view:
                view.picture()
                for command in ("alloc 2m", "churn 30m", "gc", "alloc 20m", "churn 60m", "drop",
                                "alloc 16m", "churn 30m", "drop", "gc", "pools"):
                    beans = jvm.ask(command, view)["collectors"] if command == "pools" else \
                        jvm.ask(command, view)
                jvm.balanced(view, Log, lambda log: len(log.operations))
                self.assertEqual(jvm.quit(), 0)
                # All that happened up to the end was sent before the goodbye.
                self.assertEqual((view.ended() or "?")[0], "PROGRAM")
                finishes, starts = view.of("GC finish"), view.of("GC start")
                sequence = [s.sequence for s in view.snapshots]
            log = Log(jvm.log)
        self.assertEqual(sequence, sorted(sequence))
        self.assertEqual(len(finishes), len(log.operations), "the first collection is there")
        # A collector's sum of tops counts the region that is being allocated from; its log may not.
        events = self.compare(view, finishes, log, row, MIB if row.collector == "G1" else 0)
        self.assertLessEqual({"Young", "Full"}, {kind for kind, _, _, _ in events})
        counted = sum(c["count"] for c in beans if "Concurrent" not in c["name"])
        self.assertEqual(counted, sum(p.kind in ("Young", "Full") for p in log.pauses))
        # A start comes before its finish, says why (or nothing: JDK 17 does not know it there), and
        # has the bytes that the finish calls "before".
        self.assertEqual(len(starts), len(finishes))
        for start, finish in zip(starts, finishes):
            a, b = view.attributes(start), view.attributes(finish)
            self.assertLess(start.sequence, finish.sequence)
            self.assertLess(start.time, finish.time)
            self.assertLessEqual(a["Collection"], b["Collection"])
            self.assertIn(a["Cause"], (None, b["Cause"]))
            self.assertEqual(a["Used"], b["Used before"])
            self.assertLessEqual(b["Pause"], finish.time - start.time)

    @cases(CYCLES)
    def check_concurrent_cycles(self, jdk, row):
        """H2: the pauses of G1's concurrent cycles and mixed collections, in the log's order."""
        with Jvm(jdk, row.name, row.flags, row.options, ARGUMENTS[row.name], log=LOG) as jvm:
            with jvm.attach() as view:
                view.picture()
                jvm.truth(view)
                log = jvm.balanced(view, Log, lambda log: len(expected(log.operations, "G1")))
                finishes = view.of("GC finish")
        events = self.compare(view, finishes, log, row, 2 * MIB)
        kinds = {kind for kind, _, _, _ in events}
        self.assertLessEqual({"Young", "Remark", "Cleanup"}, kinds)
        if row.name == "GCOld":
            self.assertIn("Mixed", kinds)

    @cases((table.Row("G1", "-Xms64m -Xmx64m", name="Humongous"),))
    def check_humongous(self, jdk, row):
        """H3, F5: humongous objects over several regions; regions freed in a young collection."""
        with Jvm(jdk, "Humongous", row.flags, row.options,
                 ("size=2500k", "ring=3", "arrays=80", "rate=80", "hold=600"), log=LOG) as jvm:
            with jvm.attach() as view:
                view.picture()
                jvm.truth(view)
                log = jvm.balanced(view, Log, lambda log: len(expected(log.operations, "G1")))
                finishes = view.of("GC finish")
        self.assertTrue(finishes)
        seen = 0
        for finish in finishes:
            number = view.attributes(finish)["Collection"]
            before, after = (log.heap(w, number, "G1") for w in ("before", "after"))
            if view.attributes(finish)["Kind"] not in ("Young", "Mixed") or \
                    view.attributes(finish)["Used before"] is None:
                continue
            s = space(finish, "G1 regions")
            parts, fates = named(s, "Humongous"), named(s, "Collection")
            heads = [i for i, r in after.regions.items() if r[3] == "HS"]
            self.assertEqual([i for i, p in enumerate(parts) if p == "Starts here"], sorted(heads))
            for i in heads:  # an array of 2,560,016 bytes takes three regions
                self.assertEqual(parts[i:i + 3], ["Starts here", "Continues", "Continues"])
                self.assertEqual([bool(c & 16) for c in column(s, "Control")[i:i + 3]],
                                 [True, True, False])
                used = sum(column(s, "Used")[i:i + 3])
                self.assertEqual(used, sum(after.regions[k][1] - after.regions[k][0]
                                           for k in range(i, i + 3)))
                self.assertGreaterEqual(used, 2560016)
            # What the collection freed, filled and kept, region by region.
            busy = [{i for i, r in heap.regions.items() if r[3] != "F"} for heap in (before, after)]
            shown = {fate: {i for i, f in enumerate(fates) if f == fate} for fate in fates}
            self.assertEqual(shown.get("Freed", set()), busy[0] - busy[1])
            self.assertEqual(shown.get("Filled", set()), busy[1] - busy[0])
            eden = {i for i, r in before.regions.items() if r[3] == "E"}
            self.assertEqual(eden - shown.get("Freed", set()), shown.get("Kept in place", set()) &
                             eden)
            seen += len(heads)
        self.assertGreater(seen, 0)


if __name__ == "__main__":
    main()
