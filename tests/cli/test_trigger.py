"""F17: gcspy trigger against tests/wire/wire_server.c, whose Tick counts its attribute `tick` up."""

import json
import os
import pty
import re
import shlex
import signal
import subprocess
import tempfile

import support


def ticking(milliseconds=20):
    return support.Server(os.environ["WIRE_SERVER"], 0, milliseconds, 0, 0, "-", "-")


class Trigger(support.Case):
    def test_a_line_for_each_fire(self):
        with ticking() as server:
            lines = self.gcspy("trigger", server.port, "event=tick and parity=even and words ~ 4",
                               "--most", 3).splitlines()
            self.assertEqual(len(lines), 3)
            for line in lines:
                self.assertRegex(line, r"^#\d+  \S+  Tick  tick \d*4\d*, parity even, words tick ")
            ticks = [int(re.search(r"tick (\d+)", line).group(1)) for line in lines]
            self.assertEqual(ticks, sorted(set(ticks)))
            self.assertTrue(all(t % 2 == 0 for t in ticks))
            self.assertEqual(self.gcspy("trigger", server.port, "--list"), "No triggers are set.\n",
                             "it went with its client")

    def test_json(self):
        with ticking() as server:
            lines = self.gcspy("trigger", server.port, "tick > 0", "--nth", 2, "--most", 2, "--name", "every second",
                               "--format", "json").splitlines()
            documents = [json.loads(line) for line in lines]
            self.assertEqual([(d["format"], d["trigger"], d["condition"], d["times"]) for d in documents],
                             [(1, "every second", "tick > 0", 1), (1, "every second", "tick > 0", 2)])
            first, second = (d["event"]["attributes"]["tick"] for d in documents)
            self.assertEqual(second, first + 2)
            self.assertEqual(documents[0]["event"]["name"], "Tick")

    def test_a_command(self):
        with ticking() as server, tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out")
            self.gcspy("trigger", server.port, "tick > 0 and parity = odd", "--most", 2, "--name", "odd", "--do", "command",
                       "--command", 'echo "$GCSPY_TRIGGER $GCSPY_TIMES $GCSPY_EVENT $GCSPY_PARITY $GCSPY_WORDS" >>%s' % path,
                       env={**os.environ, "GCSPY_PARITY": "not this one"})
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
            self.assertEqual(len(lines), 2)
            for i, line in enumerate(lines):
                self.assertRegex(line, r"^odd %d Tick odd tick \d+$" % (i + 1))
            process = self.start("trigger", server.port, "tick > 0", "--most", 1, "--do", "command", "--command", "exit 3")
            self.assertEqual(process.wait(support.LIMIT), 0)
            self.assertEqual(process.stderr.read().decode(), "gcspy: the command failed with exit code 3\n")

    def test_a_pause(self):
        with ticking() as server:
            process = self.start("trigger", server.port, "tick > 3", "--do", "pause", "--most", 1)
            line = self.line(process)
            tick = int(re.search(r"tick (\d+)", line).group(1))
            # The line comes with the event; the program pauses at its end.
            while (document := self.json("dump", server.port))["program"]["state"] != "paused":
                pass
            self.assertEqual(document["event"]["attributes"]["tick"], tick)
            self.gcspy("resume", server.port)
            self.assertEqual(process.wait(support.LIMIT), 0)
            # The program goes on too when the one that holds it is interrupted.
            process = self.start("trigger", server.port, "tick > 3", "--do", "pause")
            self.line(process)
            process.send_signal(signal.SIGINT)
            process.wait(support.LIMIT)
            self.gcspy("watch", server.port, "--events", 3)

    def test_how_to_go_on(self):
        """What holds the program is said, with the command that resumes it."""
        with ticking() as server:
            process = self.start("trigger", server.port, "tick > 3", "--do", "pause")
            self.assertRegex(self.line(process), r"^#\d+  \S+  Tick  ")
            self.assertEqual(self.line(process), "The program is paused; `gcspy resume %s` or the end of this command "
                             "resumes it.\n" % server.port)
            while self.json("dump", server.port)["program"]["state"] != "paused":
                pass
            self.gcspy("resume", server.port)
            self.assertRegex(self.line(process), r"^#\d+  \S+  Tick  ")
            process.send_signal(signal.SIGINT)
            process.wait(support.LIMIT)

    def test_a_text_of_several_lines(self):
        """A stack has a line for each frame, after the event's."""
        with ticking() as server:
            text = self.gcspy("trigger", server.port, "event = tock and path ~ outer", "--most", 2)
            self.assertRegex(text, r"\A(#\d+  \S+  Tock\n    path\n        inner \d+\n        outer\n){2}\Z")
            text = self.gcspy("watch", server.port, "--event", "Tock", "--events", 1)
            self.assertRegex(text, r"(?m)^#\d+  \S+  Tock[^\n]*\n    path\n        inner \d+\n        outer$")

    def test_a_terminal(self):
        """Standard error says that it waits, but only to a person; lines are as ever."""
        with ticking() as server:
            ours, theirs = pty.openpty()
            self.addCleanup(os.close, ours)
            done = subprocess.run([support.GCSPY, "trigger", server.port, "tick > 0", "--most", "1"],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
                                  timeout=support.LIMIT, check=True)
            os.close(theirs)
            self.assertRegex(done.stdout.decode(), r"^#\d+  \S+  Tick  .*\n$")
            self.assertIn(b"waiting until it fires", os.read(ours, 1000))

    def test_a_plugin(self):
        with ticking() as server:
            lines = self.gcspy("trigger", server.port, "tick > 0", "--most", 1, "--plugin", "walk").splitlines()
            self.assertRegex(lines[0], r"^#\d+  \S+  Tick  ")
            self.assertEqual(lines[1:], ["a walk in 0", "Step      Left", "down         -", "  down     0 B", "    down  -1 B"])
            document = json.loads(self.gcspy("trigger", server.port, "tick > 0", "--most", 1, "--plugin", "walk", "--format",
                                             "json"))
            self.assertEqual((document["answer"]["plugin"], len(document["answer"]["rows"])), ("walk", 3))
            document = json.loads(self.gcspy("trigger", server.port, "tick > 0", "--most", 1, "--plugin", "bytes", "--format",
                                             "json"))
            self.assertEqual(document["answer"], {"plugin": "bytes", "message": "not available here"})
            self.assertIn('unknown plugin "heap"',
                          self.gcspy("trigger", server.port, "tick > 0", "--plugin", "heap", code=1))

    def test_a_plugin_that_does_not_answer_at_events(self):
        with ticking() as server:
            lines = self.gcspy("trigger", server.port, "tick > 0", "--most", 1, "--plugin", "bytes").splitlines()
            self.assertEqual(lines[1:], ["bytes: not available here"])
        with support.toy() as server:
            self.assertIn("plugins do not answer at events",
                          self.gcspy("trigger", server.port, "count > 0", "--plugin", "walk", code=1))

    def test_a_name_is_quoted_and_numbers_are_english(self):
        with ticking() as server:
            text = self.gcspy("trigger", server.port, "tick < 0", "--keep", "--name", "a b'c", "--nth", 111,
                              "--most", 1)
            command = re.search("`(.*)`", text).group(1)
            listed = self.gcspy("trigger", server.port, "--list")
            self.assertIn("tick < 0 (every 111th time) (at most 1 time)\n", listed)
            for nth, words in ((3, "3rd"), (21, "21st"), (12, "12th"), (100, "100th")):
                self.gcspy("trigger", server.port, "tick < 0", "--keep", "--name", "n", "--nth", nth)
                self.assertIn("(every %s time)" % words, self.gcspy("trigger", server.port, "--list"))
            self.assertEqual(shlex.split(command)[-2:], ["--remove", "a b'c"])
            self.gcspy(*shlex.split(command)[1:])
            self.assertNotIn("a b'c", self.gcspy("trigger", server.port, "--list"))

    def test_kept_triggers(self):
        with ticking() as server:
            text = self.gcspy("trigger", server.port, "tick > 3", "--keep", "--name", "kept", "--nth", 2)
            self.assertEqual(text, "The trigger is set; `gcspy trigger %s --remove kept` removes it.\n" % server.port)
            self.gcspy("trigger", server.port, "tick < 0", "--keep", "--name", "other", "--most", 7)
            self.gcspy("trigger", server.port, "tick > 0", "--most", 5)
            lines = self.gcspy("trigger", server.port, "--list").splitlines()
            self.assertEqual(lines[0], "Name      Fired  Does            Condition")
            self.assertRegex(lines[1], r"^kept   +[1-9]\d*  keep            tick > 3 \(every 2nd time\)$")
            self.assertRegex(lines[2], r"^other +0  keep            tick < 0 \(at most 7 times\)$")
            kept, other = self.json("trigger", server.port, "--list")["triggers"]
            self.assertGreater(kept.pop("times"), 0)
            self.assertEqual(kept, {"name": "kept", "condition": "tick > 3", "pause": False, "record": False,
                                    "keep": True, "nth": 2, "most": 0, "plugin": ""})
            self.assertEqual((other["times"], other["most"]), (0, 7))
            self.assertEqual(self.gcspy("trigger", server.port, "--remove", "kept"), 'trigger "kept" is removed\n')
            self.assertIn('there is no trigger "kept"', self.gcspy("trigger", server.port, "--remove", "kept", code=1))

    def test_errors(self):
        with ticking() as server:
            for condition, words in (
                    ("tock > 3", "expected an attribute (event, count, change, tick, parity, words, sometimes, path), not \"tock\""),
                    ("parity = 3", "expected one of even, odd, not \"3\""),
                    ("event = Tack", "expected one of Tick, Tock, not \"Tack\"")):
                self.assertIn(words, self.gcspy("trigger", server.port, condition, code=1))
            self.assertIn("keeps no ring", self.gcspy("trigger", server.port, "tick > 0", "--do", "record", code=1))
            for arguments, words in (
                    ([], "needs one of a CONDITION, --list and --remove"),
                    ([""], "the condition is empty"),
                    ([" "], "the condition is empty"),
                    (["tick > 0", "--name", ""], "--name: the name is empty"),
                    (["tick > 0", "--list"], "needs one of a CONDITION, --list and --remove"),
                    (["tick > 0", "--do", "command"], "--do command needs --command"),
                    (["tick > 0", "--command", "ls"], "--do command needs --command"),
                    (["tick > 0", "--do", "pause", "--keep"], "--do pause ends with this program"),
                    (["tick > 0", "--do", "stop"], "expected pause, record or command")):
                self.assertIn(words, self.gcspy("trigger", server.port, *arguments, code=2))
        self.assertIn("triggers work in a running program", self.gcspy("trigger", "some.gcspy", "tick > 0", code=2))


if __name__ == "__main__":
    support.main()
