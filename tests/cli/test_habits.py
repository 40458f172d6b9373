"""Habits of a person: units, JSON everywhere, what is meant, closed pipes, ^C, progress, color."""

import json
import os
import pty
import re
import signal
import subprocess
import tempfile
import time

import support

LEAK = os.path.join(support.DOCS, "leak.gcspy")


class Json(support.Case):
    def documents(self, *arguments):
        out = self.gcspy(*arguments, "--json")
        found = [json.loads(line, object_pairs_hook=self.unique) for line in out.splitlines()]
        for document in found:
            self.assertEqual(document["format"], 1)
        return found

    def test_short_form(self):
        with support.odd() as server:
            for command in ["info", server.port], ["dump", server.port], ["stats", LEAK]:
                self.assertEqual(set(json.loads(self.gcspy(*command, "--json"))),
                                 set(json.loads(self.gcspy(*command, "--format", "json"))))
        self.assertIn("sites", json.loads(self.gcspy("sites", LEAK, "--json")))

    def test_watch(self):
        with support.odd(20) as server:
            found = self.documents("watch", server.port, "--events", 4)
        self.assertEqual(len(found), 4)
        named = [f["event"] for f in found if f["event"]["name"] is not None]
        self.assertTrue(all(f["missed"] == 0 for f in found), found)
        self.assertTrue(any("Pause" in e["attributes"] or e["attributes"] for e in named), named)
        sequence = [f["event"]["sequence"] for f in found]
        self.assertEqual(sequence, sorted(set(sequence)))

    def test_settings(self):
        with support.profiles() as server:
            text = self.gcspy("set", server.port)
            [listed] = self.documents("set", server.port)
            self.assertEqual("".join("%s=%s\n" % s for s in listed["settings"].items()).replace("\x1b", "?"),
                             text)
            [done] = self.documents("set", server.port, "interval=64k")
        self.assertEqual((done["key"], done["value"]), ("interval", "64k"))
        self.assertTrue(done["message"])

    def test_pause_step_resume(self):
        with support.toy() as server:
            process = self.start("pause", server.port, "--json")
            waiting, paused = (json.loads(self.line(process)) for _ in range(2))
            self.assertEqual((waiting["program"], paused["program"]), ("pausing", "paused"))
            [step] = self.documents("step", server.port)
            self.assertEqual(step["program"], "paused")
            self.assertIn(step["event"]["name"], ("Collection start", "Collection end"))
            [resume] = self.documents("resume", server.port)
            self.assertEqual((resume["program"], resume["held_by"]), ("running", 1))
            [resume] = self.documents("resume", server.port)
            self.assertEqual(resume["held_by"], 0)
            process.wait(support.LIMIT)

    def test_record_and_version(self):
        with support.toy() as server, tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.gcspy")
            [summary] = self.documents("record", server.port, "-o", path, "--events", 5)
            self.assertEqual((summary["file"], summary["events"]), (path, 5))
            self.assertEqual(summary["bytes"], os.path.getsize(path))
        [version] = self.documents("version")
        self.assertIn(version["version"], self.gcspy("version"))


class Words(support.Case):
    def test_missing_file(self):
        for command in (("info", "nosuch.gcspy"), ("watch", "./nosuch"), ("stats", "nosuch.gcspy"),
                        ("sites", "nosuch.sites"), ("report", "nosuch"), ("replay", "nosuch"),
                        ("diff", "nosuch", LEAK), ("why-big", "nosuch.gcspy"),
                        ("sites", LEAK, "--base", "nosuch")):
            err = self.gcspy(*command, code=1)
            self.assertRegex(err, r"nosuch.*: No such file or directory\n$")

    def test_meant_setting(self):
        with support.profiles() as server:
            for word in "intervall", "inteval", "interv":
                self.assertIn('unknown setting "%s" (did you mean "interval"?);' % word,
                              self.gcspy("set", server.port, word + "=64k", code=1))
            err = self.gcspy("set", server.port, "zzz=1", code=1)
            self.assertNotIn("did you mean", err)
            listed = [line.split("=")[0] for line in self.gcspy("set", server.port).splitlines()]
            self.assertGreater(len(listed), 0)
            self.assertTrue(err.endswith('unknown setting "zzz"; available: %s\n' %
                                         ", ".join('"%s"' % key for key in listed)), err)

    def test_units(self):
        with support.toy() as server, tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.gcspy")
            for size in "64k", "64KiB", "0.0625m", "0.0625MiB", "65536":
                self.gcspy("record", server.port, "-o", path, "--force", "--events", 2,
                           "--max-size", size, "--profiles", "1.5m")
            for size in "63k", "63.9KiB", "64KB", "1.5", "0.06.25m":
                self.assertIn("--max-size", self.gcspy("record", server.port, "-o", path, "--force",
                                                       "--max-size", size, code=2))
        for value in "0", "0.5ms", "601s", "11m", "1.5q", "":
            self.assertIn("milliseconds from 1 to 600000",
                          self.gcspy("why-big", "127.0.0.1:1", "--max-pause", value, code=2))
        for value in "1", "500ms", "0.5s", "10m":
            self.assertIn("cannot connect",
                          self.gcspy("why-big", "127.0.0.1:1", "--max-pause", value, code=1))


class Pipes(support.Case):
    def test_closed(self):
        """A reader that has enough: no message, and the status of a program that does not look."""
        with support.toy() as server:
            process = self.start("watch", server.port)
            process.stdout.readline()
            process.stdout.close()
            self.assertEqual(process.wait(support.LIMIT), -signal.SIGPIPE)
            self.assertEqual(process.stderr.read(), b"")
            process.stdout = None

    def test_ignored(self):
        """Whoever ignores SIGPIPE learns of it by a message and a status."""
        with support.toy() as server:
            done = subprocess.run(
                ["bash", "-c", "trap '' PIPE; \"$0\" watch \"$1\" | head -1; exit ${PIPESTATUS[0]}",
                 support.GCSPY, server.port],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=support.LIMIT, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, b"gcspy: cannot write the output: Broken pipe\n")


class Interrupted(support.Case):
    def test_watch(self):
        with support.toy() as server:
            process = self.start("watch", server.port)
            self.line(process)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=support.LIMIT)
        self.assertEqual((process.returncode, err), (0, b""))
        self.assertTrue(out == b"" or out.endswith(b"\n"))


class Terminal(support.Case):
    def colored(self, *arguments, **environment):
        ours, theirs = pty.openpty()
        clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
        process = subprocess.Popen([support.GCSPY, *arguments], stdin=subprocess.DEVNULL,
                                   stdout=theirs, stderr=theirs, env={**clean, **environment})
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:
            pass
        os.close(ours)
        self.assertEqual(process.wait(support.LIMIT), 0, shown)
        return shown

    def test_color(self):
        for command in ("why-big", LEAK), ("why-slow", LEAK), ("stats", LEAK):
            self.assertIn(b"\x1b[1m", self.colored(*command, TERM="xterm"))
            for environment in ({"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}, {}):
                self.assertNotIn(b"\x1b", self.colored(*command, **environment))
            self.assertNotIn(b"\x1b", self.colored(*command, "--color", "never", TERM="xterm"))
            self.assertIn(b"\x1b[1m", self.colored(*command, "--color=always", NO_COLOR="1"))
            self.assertIn("\x1b[1m", self.gcspy(*command, "--color", "always"))
            self.assertNotIn("\x1b", self.gcspy(*command))

    def test_progress(self):
        """On a terminal, from the third second on; gone at the end."""
        with support.toy() as server:
            shown = self.colored("stats", server.port, "--seconds", "4", NO_COLOR="1", TERM="xterm")
            self.assertRegex(shown, rb"following: \d+ of 4 s, \d+ events, \d+ collections")
            lines = shown.split(b"\r\x1b[K")
            self.assertTrue(lines[-1].startswith(b"Toy"), lines[-1][:80])
            done = subprocess.run([support.GCSPY, "stats", server.port, "--seconds", "3"],
                                  capture_output=True, check=True, timeout=support.LIMIT)
            self.assertEqual(done.stderr, b"")


if __name__ == "__main__":
    support.main()
