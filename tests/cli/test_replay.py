"""replay: a recorded trace is served like a running program, and led by those who can (F21, F22)."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile

import support

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))

import gcspy_2002 as old  # noqa: E402
import gcspy_trace  # noqa: E402
import gcspy_wire as wire  # noqa: E402

TRACES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "traces")
FINISHED = os.path.join(TRACES, "v1.0-finished.gcspy")
DAMAGED = os.path.join(TRACES, "v1.0-damaged.gcspy")
CUT = os.path.join(TRACES, "v1.0-cut.gcspy")
TRACE_JSON = os.environ["TRACE_JSON"]
SECOND = 10**9


class Replay(support.Case):
    def replay(self, path=FINISHED, *options):
        """A replay under way; its port."""
        process = self.start("replay", path, "--port", 0, *options)
        line = process.stderr.readline().decode()
        found = re.search(r"served at \S+:(\d+)$", line)
        self.assertTrue(found, line)
        self.process = process
        return int(found[1])

    def client(self, port, **options):
        c = wire.Client("127.0.0.1:%d" % port, **options)
        self.addCleanup(c.socket.close)
        return c

    @staticmethod
    def settled(c, run):
        c.wait(lambda: c.states and c.states[-1][0] == run)

    def stopped(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.assertEqual(self.process.wait(timeout=support.LIMIT), 0)

    @staticmethod
    def events(path):
        done = subprocess.run([TRACE_JSON, path], stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def test_a_name_does_not_steer_a_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a\nb\x1b[31m.gcspy")
            os.symlink(FINISHED, path)
            process = self.start("replay", path, "--port", 0)
            line = process.stderr.readline().decode()
            self.assertRegex(line, r"^gcspy: .* served at \S+:\d+\n$")
            self.assertTrue(line[:-1].isprintable(), repr(line))

    def test_a_dash_for_what_is_not_counted(self):
        """A dump of the moments before and after the first tiles were counted."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "counted.gcspy")
            subprocess.run([os.environ["TRACE_SHAPES"], "counted", path], check=True)
            for at, speed, summary, values, text in (
                    (0, "0.001", [None], [None] * 4, "\u2013 \u2013 \u2013 \u2013"),
                    (1, "fast", [5], [0, None, 5, None], "0 \u2013 5 \u2013")):
                port = self.replay(path, "--speed", speed)
                c = self.client(port)
                c.wait(lambda: c.position is not None and c.position["place"] == at)
                stream = self.json("dump", port)["spaces"][0]["streams"][1]
                self.assertEqual((stream["summary"], stream["values"]), (summary, values))
                self.assertEqual(stream["summary_text"], "5" if at else "\u2013")
                page = self.gcspy("dump", port, "--values")
                self.assertRegex(page, r"(?m)^  Objects +" + stream["summary_text"] + r"$")
                self.assertIn("0:  " + text, page)
                self.stopped()

    def test_recorded_again_it_is_equal(self):
        with tempfile.TemporaryDirectory() as folder:
            again = os.path.join(folder, "again.gcspy")
            port = self.replay(FINISHED, "--speed", "fast", "--once")
            done = subprocess.run([support.GCSPY, "record", str(port), "-o", again, "--profiles",
                                   "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=support.LIMIT)
            self.assertEqual(self.process.wait(timeout=support.LIMIT), 0)
            self.assertIn(b"the server ends", done.stderr)
            first, second = self.events(FINISHED), self.events(again)
            self.assertEqual(second["events"], first["events"])
            one, two = self.values(FINISHED), self.values(again)
            self.assertEqual(two, one)

    @staticmethod
    def values(path):
        """Every value of every snapshot, by the reader that was written from the document."""
        return [mirror.snapshots[-1].state() for _, mirror in gcspy_trace.Trace(path).snapshots()]

    def test_everything_in_its_time(self):
        # 110 events, 1 ms apart; slower than recorded, so that time can be told from none.
        c = self.client(self.replay(FINISHED, "--speed", "0.5"))
        c.wait(lambda: len(c.snapshots) == 110)
        numbers = [s.sequence for s in c.snapshots]
        self.assertEqual(numbers, [2 * i + 1 for i in range(110)])
        self.assertEqual([s.time for s in c.snapshots],
                         [SECOND + i * 1000000 for i in range(110)])
        c.wait(lambda: c.position and c.position["ended"])
        self.assertEqual((c.position["place"], c.position["events"]), (109, 110))
        self.stopped(signal.SIGINT)

    def test_led_by_a_client(self):
        c = self.client(self.replay(FINISHED, "--speed", "0.001"))
        c.wait(lambda: c.position is not None)

        def at(place):
            c.wait(lambda: c.snapshots and c.snapshots[-1].sequence == 2 * place + 1)

        def lead(action, value):
            c.raw(wire.seek(action, value))

        lead("PLACE", 50)
        at(50)
        lead("MOVE", -20)
        at(30)
        lead("TIME", SECOND + 77 * 1000000)
        at(77)
        lead("PLACE", 2**62)
        at(109)
        lead("SPEED", -1000000)
        at(0)
        lead("LOOP", 1)
        c.wait(lambda: c.position["loop"])
        lead("SPEED", 1000)
        c.wait(lambda: sum(s.sequence == 1 for s in c.snapshots) >= 2)
        lead("LOOP", 0)
        lead("SPEED", 0)
        c.wait(lambda: c.position["speed"] == 0)

    def test_pause_step_and_filters_as_with_a_running_program(self):
        c = self.client(self.replay(FINISHED, "--speed", "0.001"), flags=1)
        self.settled(c, wire.PAUSED)
        first = c.snapshots[-1].sequence
        for i in range(1, 6):
            c.step()
            c.wait(lambda: c.snapshots[-1].sequence == first + 2 * i)
            self.settled(c, wire.PAUSED)
        # Steps go over events that the client does not want, and do not wait for their time.
        wanted = c.snapshots[-1].event
        for event in range(3):
            c.filter(event, enabled=event == wanted)
        for _ in range(5):
            before = len(c.snapshots)
            c.step()
            c.wait(lambda: len(c.snapshots) > before)
            self.assertEqual(c.snapshots[-1].event, wanted)
            self.settled(c, wire.PAUSED)
        c.resume()
        self.settled(c, wire.RUNNING)

    def test_several_clients_and_one_of_2002(self):
        port = self.replay(FINISHED, "--speed", "0.02")
        first = self.client(port)
        of_2002 = old.Client("127.0.0.1:%d" % port)
        self.addCleanup(of_2002.socket.close)
        second = self.client(port)
        for c in first, second:
            c.wait(lambda: len(c.snapshots) > 5)
        of_2002.wait(lambda: len(of_2002.events) > 3)
        self.assertEqual(self.gcspy("info", port).splitlines()[0].split()[-1], "Kit")

    def test_profiles_are_those_of_the_moment(self):
        port = self.replay(FINISHED, "--speed", "0.001")
        c = self.client(port)
        c.wait(lambda: c.position is not None)
        c.raw(wire.seek("PLACE", 109))
        c.wait(lambda: c.position["place"] == 109)
        text = self.gcspy("sites", port, "--live")
        self.assertRegex(text, r"(?m)^ *[\d.]+ .?i?B")
        self.gcspy("sites", port, "--allocated")
        self.assertIn("only answers queries for recorded sites", self.gcspy("set", port, code=1))
        self.assertIn("recording", self.gcspy("set", port, "interval=64k", code=1))

    def test_damage_is_passed_over(self):
        c = self.client(self.replay(DAMAGED, "--speed", "fast"), flags=wire.HELLO_EVERY)
        c.pace(wire.PACE_LOCKSTEP)  # nothing is left out for a client that is slow
        c.raw(wire.seek("PLACE", 0))
        while not (c.position and c.position["ended"]):
            c.step_input(0.05)
            if c.snapshots:
                c.ack(c.snapshots[-1].sequence)
        self.assertGreater(c.position["skipped"], 0)
        c.wait(lambda: len({s.sequence for s in c.snapshots}) + c.position["skipped"] ==
               c.position["events"])

    def test_an_unfinished_trace_says_so(self):
        self.replay(CUT)
        self.assertRegex(self.process.stderr.readline().decode(),
                         r"not finished by its writer: its last \d+ bytes are ignored")

    def test_refusals(self):
        for options, words in (
                ((), "needs a FILE"), (("/nonexistent",), "/nonexistent"),
                (("/tmp",), "not a regular file"), ((__file__,), "not a GCspy trace"),
                ((FINISHED, "--speed", "0"), "0.001 to 1000"),
                ((FINISHED, "--speed", "quick"), "original, fast"),
                ((FINISHED, "--port", "65536"), "0 to 65535"),
                ((FINISHED, "--gap", "-1"), "0.001 to 86400"),
                ((FINISHED, "--host", "0.0.0.0", "--port", "0"), "token")):
            code = 2 if "--" in str(options[1:]) and "host" not in str(options) or not options else 1
            with self.subTest(options=options):
                self.assertIn(words, self.gcspy("replay", *options, code=code))


if __name__ == "__main__":
    support.main()
