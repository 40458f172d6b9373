"""A client of 2002 attached to a real JVM (E2): it sees what a client of ours sees at the same
collection, pauses, steps and filters, and the heap grows under it."""

import unittest

import table
from jvm import TIMEOUT, Jvm, cases, expand, main, space, wire

import gcspy_2002 as old  # jvm has said where it is

ROWS = (table.Row("G1", "-Xms16m -Xmx256m"), table.Row("Serial", "-Xms16m -Xmx256m"))
CHURN = ("seconds=300", "rate=64m")


@expand
class Old(unittest.TestCase):
    def attach(self, jvm):
        client = old.Client(jvm.address())
        self.addCleanup(client.close)
        return client.ready(TIMEOUT)

    def same(self, client, snapshot):
        """Every space of the old client shows what ours does, unit for unit."""
        compared = 0
        for shown in client.spaces:
            ours = space(snapshot, shown.name)
            self.assertEqual(shown.tiles, max(ours.tiles, 1), shown.name)
            if ours.tiles == 0:
                continue
            for stream in shown.streams:
                index = next((i for i, s in enumerate(ours.streams) if s["name"] == stream.name),
                             None)
                if index is None:  # in another unit
                    continue
                described = ours.streams[index]
                least = described["min"] if stream.presentation == old.ENUM else 0
                for i, (mine, theirs) in enumerate(zip(ours.values[index],
                                                       shown.values[stream.id])):
                    if shown.control[i] & old.USED and stream.presentation != old.PERCENT_VAR:
                        self.assertEqual(mine - least, theirs, f"{shown.name} {stream.name} {i}")
                        compared += 1
        self.assertGreater(compared, 20)

    @cases(ROWS, in_turn=True)
    def check_attach_step_and_compare(self, jdk, row):
        # While one of the two is waited for, the other may be silent.
        with Jvm(jdk, "Churn", row.flags, row.options + ",keep-alive=600", CHURN) as jvm:
            client, ours = self.attach(jvm), jvm.attach()
            self.addCleanup(ours.close)
            self.assertIn("GC finish", client.events)
            client.more(4, TIMEOUT)
            client.pause()
            client.wait(lambda: client.pauses == 1, TIMEOUT)
            for _ in range(4):
                count = len(client.log)
                client.play_one()
                client.wait(lambda count=count: len(client.log) == count + 1, TIMEOUT)
                event, _, _, counters, _ = client.log[-1]
                ours.wait(lambda event=event, n=counters[event]: ours.snapshots and
                          ours.counters[event] >= n and
                          ours.states[-1][0] == wire.PAUSED, TIMEOUT)
                self.same(client, ours.snapshots[-1])
            self.assertEqual(client.pauses, 1)
            before = len(client.log)
            client.restart()
            client.more(4, TIMEOUT)
            self.assertGreater(len(client.log), before)
            client.shutdown()
            client.ended(TIMEOUT)
            self.assertTrue(client.shut_down and jvm.alive())

    @cases(ROWS[:1], in_turn=True)
    def check_heap_grows_and_filters(self, jdk, row):
        with Jvm(jdk, "Churn", row.flags, row.options,
                 ("seconds=300", "rate=64m", "ring=262144")) as jvm:
            client = self.attach(jvm)
            client.wait(lambda: client.log, TIMEOUT)
            used = sum(c & old.USED for c in client.spaces[0].control)
            client.wait(lambda: sum(c & old.USED for c in client.spaces[0].control) > 2 * used,
                        TIMEOUT)
            finish = client.events.index("GC finish")
            client.filters(*[(i == finish, 0, False, 3) for i in range(len(client.events))])
            # What was under way may come first; the filter itself is not answered.
            for _ in range(20):
                told = [(event, counters[finish] % 3)
                        for event, _, _, counters, _ in client.more(3, TIMEOUT)]
                if told == 3 * [(finish, 0)]:
                    break
            self.assertEqual(told, 3 * [(finish, 0)])
            for event, _, _, counters, _ in client.more(3, TIMEOUT):
                self.assertEqual((event, counters[finish] % 3), (finish, 0))
            self.assertGreater(client.described, 0)


if __name__ == "__main__":
    main()
