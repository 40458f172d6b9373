"""The arithmetic of the measurements: a wrong median is a wrong claim."""

import random
import tempfile
import unittest

import measure


def follower(lines):
    """A follower that has already written these lines."""
    f = measure.Follower.__new__(measure.Follower)
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write(lines)
        file.flush()
        f.output = file.name
        return f.read()


class Statistics(unittest.TestCase):
    def test_quantile_interpolates(self):
        self.assertEqual(measure.median([3, 1, 2]), 2)
        self.assertEqual(measure.median([4, 1, 2, 3]), 2.5)
        self.assertEqual(measure.quantile([10, 20], 0), 10)
        self.assertEqual(measure.quantile([10, 20], 1), 20)
        self.assertAlmostEqual(measure.quantile([0, 1, 2, 3, 4], 0.9), 3.6)

    def test_interval_holds_the_truth_as_often_as_it_says(self):
        draw = random.Random(7)
        held = 0
        for _ in range(200):
            low, high = measure.bootstrap([draw.gauss(1, 0.1) for _ in range(15)], times=300)
            held += low <= 1 <= high
        self.assertGreater(held, 175)
        self.assertLess(held, 200)

    def test_interval_of_equal_values_is_a_point(self):
        self.assertEqual(measure.bootstrap([5.0] * 6), (5.0, 5.0))

    def test_each_configuration_has_each_place(self):
        names = ["a", "b", "c", "d"]
        orders = [measure.rotated(names, turn) for turn in range(2 * len(names))]
        for place in range(len(names)):
            seen = [order[place] for order in orders]
            self.assertEqual({name: seen.count(name) for name in names}, dict.fromkeys(names, 2))
        self.assertEqual(orders[0][::-1], orders[1])

    def test_verdict(self):
        self.assertEqual(measure.verdict(1.0, 0.9, 1.01, 1.01), "met")
        self.assertEqual(measure.verdict(1.1, 1.02, 1.2, 1.01), "missed")
        self.assertIn("beyond", measure.verdict(1.0, 0.9, 1.02, 1.01))
        self.assertIn("below", measure.verdict(1.02, 0.9, 1.1, 1.01))


class Following(unittest.TestCase):
    def test_cost_of_an_event_is_the_growth_until_the_next(self):
        f = follower("server 42 100\n"
                     "event 1 10 0 0 look\n"
                     "event 2 20 0 0 GC start\n"
                     "event 3 30 500 0 GC finish\n"
                     "event 4 35 700 0 look\n"
                     "event 5 40 700 0 GC start\n"
                     "event 6 50 1000 0 GC finish\n"
                     "end 6 0 999 the server ends\n")
        self.assertEqual((f.process_id, f.tiles), (42, 100))
        self.assertEqual((f.snapshots, f.missed, f.bytes), (6, 0, 999))
        self.assertEqual(f.ended, "the server ends")
        self.assertEqual(f.costs(), {"GC start": [500, 300], "GC finish": [200]})

    def test_events_before_a_gap_are_left_out(self):
        f = follower("event 2 20 0 0 GC start\n"
                     "event 4 30 500 1 GC start\n"
                     "event 5 40 600 1 GC finish\n"
                     "event 6 50 650 2 GC start\n"
                     "event 7 60 7")
        self.assertEqual(f.costs(), {"GC start": [100]})


if __name__ == "__main__":
    unittest.main()
