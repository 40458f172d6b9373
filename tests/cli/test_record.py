"""record: whatever ends it, the file is there and says how much of the program it has (F21, Q3, Q4)."""

import contextlib
import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

import support

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))

import gcspy_2002 as old  # noqa: E402

TRACE_JSON = os.environ["TRACE_JSON"]
SUMMARY = re.compile(r"^(?P<path>\S+): (?P<events>[\d,]+) events?, .*B, (?P<each>[\d,]+) bytes/event, "
                     r"(?P<profiles>\d+) profiles?, (?P<missed>[\d,]+) missed, in [\d.]+ s\n$")


class Record(support.Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "run.gcspy")

    def read(self, path=None):
        done = subprocess.run([TRACE_JSON, path or self.file], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=support.LIMIT)
        self.assertEqual(done.returncode, 0, done.stderr)
        trace = json.loads(done.stdout)
        self.assertEqual((trace["damage"], trace["stray"]), (0, 0))
        return trace

    def whole(self, summary, least=1, path=None):
        """The file is finished, and holds what the summary says, without a gap but the told ones."""
        said = SUMMARY.match(summary)
        self.assertTrue(said, summary)
        trace = self.read(path)
        self.assertTrue(trace["complete"])
        events = trace["events"]
        self.assertEqual(said["path"], path or self.file)
        self.assertEqual(int(said["events"].replace(",", "")), len(events))
        self.assertEqual(int(said["profiles"]), len(trace["profiles"]))
        self.assertGreaterEqual(len(events), least)
        return trace

    def no_gaps(self, trace):
        """Every event is there, but those that the server left out on a busy machine, and counted."""
        numbers = [e["sequence"] - e["missed"] for e in trace["events"]]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))

    def recording(self, server, *arguments, **options):
        """A recording under way that has some events in its file."""
        process = self.start("record", server.port, "-o", self.file, *arguments, **options)
        deadline = time.monotonic() + support.LIMIT
        while not os.path.exists(self.file) or os.path.getsize(self.file) < 200:
            self.assertIsNone(process.poll(), "it has ended")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        return process

    def ended(self, process, code=0):
        out, err = process.communicate(timeout=support.LIMIT)
        self.assertEqual(process.returncode, code, err)
        return out.decode(), err.decode()

    def test_events(self):
        with support.toy(2) as server:
            trace = self.whole(self.gcspy("record", server.port, "-o", self.file, "--events", 300))
        self.assertEqual(len(trace["events"]), 300)
        self.no_gaps(trace)
        self.assertGreater(min(e["tiles"] for e in trace["events"]), 0)
        self.assertEqual({e["name"] for e in trace["events"][1:]},
                         {"Collection start", "Collection end"})

    def test_seconds(self):
        with support.toy(5) as server:
            begin = time.monotonic()
            summary = self.gcspy("record", server.port, "-o", self.file, "--seconds", 1)
            self.assertGreaterEqual(time.monotonic() - begin, 0.9)
        self.no_gaps(self.whole(summary, 20))

    def test_only_one_event(self):
        with support.toy(2) as server:
            trace = self.whole(self.gcspy("record", server.port, "-o", self.file, "--events", 50,
                                          "--event", "Collection end"))
            self.assertEqual({e["name"] for e in trace["events"]}, {"Collection end"})
            self.assertIn("Collection start", self.gcspy(
                "record", server.port, "-o", self.file + "2", "--event", "Nothing", code=2))
        self.assertFalse(os.path.exists(self.file + "2"))

    def test_signals_end_it(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            with support.toy(5) as server:
                process = self.recording(server)
                process.send_signal(number)
                out, err = self.ended(process)
            self.assertEqual(err, "")
            self.no_gaps(self.whole(out, 2))
            os.unlink(self.file)

    def test_force_spares_what_is_being_recorded(self):
        with support.toy(5) as server:
            process = self.recording(server)
            said = self.gcspy("record", server.port, "-o", self.file, "--force", "--events", 1,
                              code=1)
            self.assertIn("run.gcspy: another recorder is writing this file", said)
            process.send_signal(signal.SIGINT)
            self.no_gaps(self.whole(self.ended(process)[0], 2))
            self.gcspy("record", server.port, "-o", self.file, "--force", "--events", 1)
        self.assertEqual(len(self.read()["events"]), 1)

    def test_killed_it_leaves_all_but_the_last_half_second(self):
        with support.toy(5) as server:
            process = self.recording(server)
            begin = self.count(server)
            time.sleep(1.5)
            happened = self.count(server) - begin
            process.kill()
            process.wait()
        trace = self.read()
        self.assertFalse(trace["complete"])
        self.no_gaps(trace)
        self.assertGreater(len(trace["events"]), happened / 4)

    def test_server_that_goes(self):
        with support.toy(5) as server:
            process = self.recording(server)
            server.process.kill()
            out, err = self.ended(process, 1)
        self.assertRegex(err, r"\Agcspy: %s: [^\n]+\n\Z" % server.port)
        self.no_gaps(self.whole(out, 2))

    def test_cable_that_is_cut(self):
        """Nothing comes any more, and nobody says so: a signal ends it at once, without profiles."""
        with support.toy(5) as server:
            process = self.recording(server)
            server.stop()
            time.sleep(0.3)
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            out, _ = self.ended(process)
            self.assertLess(time.monotonic() - begin, 9)
        self.no_gaps(self.whole(out, 2))

    def test_second_signal(self):
        """Two at once are one, as timeout(1) sends them: only one after a second gives up."""
        for wait, profiles, said in (0.1, 8, r"\A\Z"), (1.3, 4, "a second signal ended the wait"):
            with support.profiles() as server:
                process = self.recording(server)
                deadline = time.monotonic() + support.LIMIT
                while os.path.getsize(self.file) < 1000 and time.monotonic() < deadline:
                    time.sleep(0.02)
                server.stop()
                process.send_signal(signal.SIGTERM)
                time.sleep(wait)
                process.send_signal(signal.SIGTERM)
                time.sleep(0.3)
                server.process.send_signal(signal.SIGCONT)
                out, err = self.ended(process)
            self.assertRegex(err, said)
            self.assertEqual(len(self.whole(out)["profiles"]), profiles)
            os.unlink(self.file)

    def test_file_that_exists(self):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("precious")
        with support.toy(5) as server:
            said = self.gcspy("record", server.port, "-o", self.file, "--events", 3, code=1)
            self.assertIn(self.file, said)
            self.assertIn("--force", said)
            with open(self.file, encoding="utf-8") as file:
                self.assertEqual(file.read(), "precious")
            self.whole(self.gcspy("record", server.port, "-o", self.file, "--events", 3, "--force"))
            self.assertIn("not a regular file", self.gcspy(
                "record", server.port, "-o", "/dev/full", "--force", code=1))
            self.assertIn("/nowhere/x", self.gcspy("record", server.port, "-o", "/nowhere/x", code=1))

    def test_name_of_its_own(self):
        with support.toy(5) as server:
            for _ in range(2):
                out = self.gcspy("record", server.port, "--events", 2, cwd=self.folder.name)
                self.assertRegex(out, r"^gcspy-%s-\d{8}-\d{6}\.gcspy(\.1)?: 2 events" % server.port)
        self.assertEqual(len(os.listdir(self.folder.name)), 2)

    def test_full_disk(self):
        """The system refuses to let the file grow: one line, and what is there is readable."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (150000, resource.RLIM_INFINITY))
        with support.toy(1) as server:
            process = self.start("record", server.port, "-o", self.file, preexec_fn=limit)
            out, err = self.ended(process, 1)
        self.assertRegex(err, r"\Agcspy: %s: File too large\n\Z" % self.file)
        self.assertTrue(SUMMARY.match(out), out)
        trace = self.read()
        self.assertFalse(trace["complete"])
        self.no_gaps(trace)
        self.assertGreater(len(trace["events"]), 2)

    def test_a_size(self):
        with support.toy(0) as server:
            out = self.gcspy("record", server.port, "-o", self.file, "--max-size", "64k")
            self.whole(out, 200)
            self.assertLessEqual(os.path.getsize(self.file), 65536)
            said = self.gcspy("record", server.port, "-o", self.file, "--max-size", "64", code=2)
            self.assertIn("65536", said)

    def test_profiles(self):
        kinds = ["allocated", "frequent", "live", "recent"]
        with support.profiles() as server:
            trace = self.whole(self.gcspy("record", server.port, "-o", self.file, "--seconds", 0.5))
            self.assertEqual(sorted(p["kind"] for p in trace["profiles"]), sorted(2 * kinds))
            self.assertTrue(all(p["entries"] > 0 for p in trace["profiles"]))
            os.unlink(self.file)
            trace = self.whole(self.gcspy("record", server.port, "-o", self.file, "--seconds", 2.5,
                                          "--profiles", 1))
            self.assertEqual(sorted(p["kind"] for p in trace["profiles"]), sorted(4 * kinds))
            os.unlink(self.file)
            trace = self.whole(self.gcspy("record", server.port, "-o", self.file, "--seconds", 0.5,
                                          "--profiles", 0))
            self.assertEqual(trace["profiles"], [])
        os.unlink(self.file)
        with support.profiles("busy") as server:  # some 400 events come before each answer
            trace = self.whole(self.gcspy("record", server.port, "-o", self.file, "--seconds", 3))
            self.assertEqual(sorted(p["kind"] for p in trace["profiles"]), sorted(2 * kinds))
        for mode in "off", "old":
            os.unlink(self.file)
            with support.profiles(mode) as server:
                trace = self.whole(self.gcspy("record", server.port, "-o", self.file, "--seconds", 0.5))
                self.assertEqual(trace["profiles"], [], mode)

    def test_bad_usage(self):
        for option, value in (("--profiles", "-1"), ("--profiles", "x"), ("--level", "0"),
                              ("--level", "10"), ("--max-size", "5"), ("--events", "0")):
            self.assertIn(option, self.gcspy("record", "1", option, value, code=2))
        self.gcspy("record", "1", "-o", self.file, code=1)
        self.assertFalse(os.path.exists(self.file), "no file for a server that is not there")

    def test_server_of_2002(self):
        """A session of the protocol of 2002 becomes an ordinary trace."""
        over = threading.Event()

        def script(server, connection):
            for i in range(40):
                old.fill(server.spaces[0], i + 1)
                server.send(connection, server.event(i % 2))
            over.wait(10)
        server = old.Server([old.presentations(main=True)], script=script)
        self.addCleanup(server.finish)
        self.addCleanup(over.set)
        out = self.gcspy("record", server.address, "-o", self.file, "--events", 40)
        over.set()
        trace = self.whole(out, 40)
        self.assertEqual([e["name"] for e in trace["events"]], ["Start", "End"] * 20)
        self.assertEqual({e["tiles"] for e in trace["events"]}, {6})
        self.assertIsNone(server.error)

    def test_progress_on_a_terminal(self):
        ours, theirs = pty.openpty()
        with support.toy(5) as server:
            process = self.start("record", server.port, "-o", self.file, "--seconds", 1.5)
            self.ended(process)
            os.unlink(self.file)
            process = subprocess.Popen([support.GCSPY, "record", server.port, "-o", self.file,
                                        "--seconds", "1.5"], stderr=theirs,
                                       stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
            self.addCleanup(self.end, process)
            out, _ = process.communicate(timeout=support.LIMIT)
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # how a terminal that nobody has open any more ends
            while part := os.read(ours, 65536):
                shown += part
        shown = shown.decode()
        os.close(ours)
        self.assertGreater(shown.count(" events, "), 3)
        self.assertIn(", 0 missed, 0:01 ", shown)
        self.assertTrue(shown.endswith("\r\33[K"), repr(shown[-50:]))
        self.assertNotIn("\n", shown)
        self.whole(out.decode(), 20)


if __name__ == "__main__":
    support.main()
