"""Heaps of ZGC and Shenandoah as the agent shows them at their pauses, against the JVM's own log:
kinds and numbers, pages and regions, buffers."""

from concurrentlog import KINDS, MIB
from jvm import USED, column, named, space, summary

HEAPS = ("ZGC pages", "Shenandoah regions")
GRANULE = 2 * MIB
FINISH = 1  # index of the event


def heap_of(snapshot):
    return next(s for s in snapshot.spaces if s.name in HEAPS)


class Pauses:
    """For a test case."""

    def compare_events(self, view, snapshots, log):
        """H2: kind and number of each pause; a start and a finish for each."""
        starts = [s for s in snapshots if s.event == 0]
        finishes = [s for s in snapshots if s.event == FINISH]
        self.assertLessEqual(abs(len(starts) - len(finishes)), 1)
        self.assertEqual([s.sequence for s in snapshots], sorted(s.sequence for s in snapshots))
        # What a client sees first may count pauses that are published after it: the first of these
        # has the number of the next one.
        numbers = [finish.counters[FINISH] for finish in finishes]
        for i in reversed(range(len(numbers) - 1)):
            numbers[i] = min(numbers[i], numbers[i + 1] - 1)
        for finish, number in zip(finishes, numbers):
            told, pause = view.attributes(finish), log.pauses[number - 1]
            self.assertIn(told["Kind"], KINDS[pause.operation], f"{pause} {told}")
            self.assertIn(told["Collection"],
                          {pause.number, None if told["Kind"] == "Mark end" else pause.number},
                          f"{pause} {told}")
            self.assertGreater(len(told["Cause"]), 3)
            self.assertTrue(heap_of(finish).gathered and space(finish, "TLABs").gathered)
            if told["Pause"] is not None:  # absent if the client came inside
                self.assertLessEqual(told["Pause"], pause.nanoseconds + 1e6)
        for start in starts:
            told, pause = view.attributes(start), log.pauses[start.counters[0] - 1]
            self.assertIn(told["Collection"], (pause.number, None), f"{pause} {told}")
        # The last start may be the one at which the program was held.
        for start, finish in zip(starts, finishes):
            if finish.counters[FINISH] == start.counters[0]:
                self.assertEqual(view.attributes(finish)["Used before"],
                                 view.attributes(start)["Used"])

    @staticmethod
    def pause_of(finish, log):
        return log.pauses[finish.counters[FINISH] - 1]

    def compare_cycles(self, view, finishes, log, jdk):
        """H3: used, live, ages and relocation sets of ZGC against each cycle's account in the log.
        That rounds to MiB; a page may be given out between its measure and ours. While both generations
        are collected, the pages are read after the pauses (docs/collectors.md), on a busy machine in
        the next cycle. Returns what of it there was to be seen."""
        moments = {"MarkStart": 0, "MarkEnd": 1, "RelocateStart": 2}
        seen = set()
        for finish in finishes:
            pause, told, s = self.pause_of(finish, log), view.attributes(finish), heap_of(finish)
            young = "Old" not in pause.operation or pause.operation == "ZMarkStartYoungAndOld"
            if not young or pause.number > len(log.cycles):
                continue
            cycle = log.cycles[pause.number - 1]
            moment = next(v for k, v in moments.items() if k in pause.operation)
            late = pause.both
            least = most = cycle.used[moment]
            if late:
                most, least = self.extremes(log.cycles[pause.number - 1:pause.number + 1])
            self.assertTrue(least - 2 * GRANULE <= told["Used after"] <= most + 2 * GRANULE,
                            f"{pause} {told} {cycle.used}")
            self.assertEqual(summary(s, "Used"), [told["Used after"], told["Committed"]])
            in_pages = GRANULE * sum(1 for t in column(s, "Type") if t)
            if not late:  # else the program may run between the sum and the pages
                least = most = told["Used after"]
            self.assertTrue(least - 4 * GRANULE <= in_pages <= most + 4 * GRANULE,
                            f"{pause} {told} {in_pages}")
            if moment == 1:
                try:
                    seen |= self.compare_marked(s, cycle, pause.number, jdk)
                except AssertionError:
                    if not late:  # one that was in time is asked for below
                        raise
            if jdk.major == 17:
                self.assertEqual(summary(s, "Relocation set")["Yes"],
                                 cycle.relocated if moment == 2 else 0, pause)
                seen |= {"relocated"} if moment == 2 and cycle.relocated else set()
        return seen

    @staticmethod
    def extremes(cycles):
        """The most and the least bytes that were used during these cycles."""
        return max(c.used[4] for c in cycles), min(c.used[5] for c in cycles)

    def compare_marked(self, s, cycle, number, jdk):
        """At the end of a marking: live bytes, and pages by age."""
        words = f"{number} {cycle.live} {cycle.ages}"
        generations = named(s, "Generation") if jdk.major > 17 else ["Young"] * s.tiles
        live = sum(v for v, g in zip(column(s, "Live"), generations) if g == "Young")
        self.assertLessEqual(abs(live - cycle.live[1]), 1.5 * MIB, words)
        if jdk.major == 17:
            return {"live"}
        for generation, age in zip(generations, column(s, "Age")):
            self.assertEqual(age == 15, generation == "Old")
        ages = self.ages_of(s, number)
        self.assertEqual(ages, {k: v for k, v in cycle.ages.items() if v}, words)
        return {"live", "ages"} if len(ages) > 1 else {"live"}

    @staticmethod
    def ages_of(s, number):
        """Young pages by age, without those that were made while the collection marked."""
        ages = {}
        for generation, age, born in zip(named(s, "Generation"), column(s, "Age"),
                                         column(s, "Cycle")):
            if generation == "Young" and born <= number:
                ages[age] = ages.get(age, 0) + 1
        return ages

    def has_aged(self, finishes, log):
        """Whether the marking of a young collection on its own has ended with pages of several
        ages."""
        for finish in finishes:
            if finish.counters[FINISH] > len(log.pauses):  # the log comes after the snapshot
                continue
            pause = self.pause_of(finish, log)
            if pause.operation == "ZMarkEndYoung" and not pause.both and \
                    len(self.ages_of(heap_of(finish), pause.number)) > 1:
                return True
        return False

    def compare_collection_sets(self, view, finishes, log):
        """H3: the collection set appears at the end of marking, as large as the log says, and is
        trash when the references are updated. Returns how many there were."""
        seen = 0
        for finish in finishes:
            kind, s = view.attributes(finish)["Kind"], heap_of(finish)
            states, used = named(s, "State"), column(s, "Used")
            chosen = [u for u, state in zip(used, states) if "ollection set" in state]
            pause = self.pause_of(finish, log)
            if pause.collected and kind == "Final mark":
                what, size = pause.collected
                logged = len(chosen) if what == "regions" else sum(chosen)
                self.assertLessEqual(abs(logged - size), 0 if what == "regions" else MIB // 2)
                seen += 1
            if kind in ("Init mark", "Final update refs", "Final roots", "Full", "Degenerated"):
                self.assertEqual(chosen, [])
            if kind == "Init update refs":
                self.assertGreater(len(chosen), 0)
            if kind == "Final update refs":
                self.assertIn("Trash", states)
            if kind == "Final mark":
                self.assertGreater(summary(s, "Live")[0], 0)
        return seen

    def compare_tlabs(self, view):
        """H4, F15: buffers lie on pages or regions in use, and their extents add up."""
        largest = 0
        for finish in view.of("GC finish"):
            tlabs, s = space(finish, "TLABs"), heap_of(finish)
            sizes, extents = column(tlabs, "Size"), column(s, "TLABs")
            largest = max([largest, *sizes])
            self.assertEqual(sum(extents), sum(sizes))
            self.assertEqual(summary(s, "TLABs"), [sum(extents)])
            for tile, (extent, control) in enumerate(zip(extents, column(s, "Control"))):
                self.assertTrue(extent == 0 or control & USED,
                                f"a buffer on tile {tile} of {view.attributes(finish)}: no page")
            ranges = sorted((a, b) for a, b, n in zip(column(tlabs, "Start"), column(tlabs, "End"),
                                                      sizes) if n)
            self.assertTrue(all(b <= c for (_, b), (c, _) in zip(ranges, ranges[1:])), "overlap")
        self.assertGreater(largest, 0, "no TLAB at any pause")
        self.assertLessEqual({"main", "input"}, set(space(finish, "TLABs").tile_names))
