"""Signals while a file is being written: the old one stays as it was, and nothing else is left."""

import os
import random
import signal
import subprocess
import tempfile
import time
import unittest

import support

TRACE = os.path.join(support.DOCS, "leak.gcspy")
COMMANDS = {"report": ["report", TRACE], "export": ["export", TRACE, "--what", "events"]}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(support.Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "out")

    def whole(self, command):
        """The file as it is when nothing happens, and how long that takes."""
        begin = time.monotonic()
        self.gcspy(*command, "-o", self.path)
        seconds = time.monotonic() - begin
        with open(self.path, "rb") as file:
            return file.read(), seconds

    def left(self):
        with open(self.path, "rb") as file:
            content = file.read()
        self.assertEqual(os.listdir(self.folder), ["out"])
        return content

    def run_until(self, command, number, reached):
        """Starts it over an old file, and sends the signal when `reached` says so. True if it was
        ended by that."""
        with open(self.path, "wb") as file:
            file.write(b"old")
        process = self.start(*command, "-o", self.path)
        while not reached() and process.poll() is None:
            pass
        process.send_signal(number)
        code = process.wait(support.LIMIT)
        self.assertIn(code, (0, -number))
        self.assertEqual(process.stderr.read(), b"")
        self.end(process)
        return code != 0

    def test_while_the_temporary_file_is_there(self):
        for name, command in COMMANDS.items():
            whole, _ = self.whole(command)
            for number in SIGNALS:
                with self.subTest(command=name, signal=number):
                    for _ in range(100):
                        self.run_until(command, number, lambda: len(os.listdir(self.folder)) > 1)
                        content = self.left()
                        if content == b"old":
                            break
                        self.assertEqual(content, whole, "it was too late")
                    else:
                        self.fail("never ended in the middle")

    def test_at_random_moments(self):
        generator = random.Random(13)
        for name, command in COMMANDS.items():
            whole, seconds = self.whole(command)
            for _ in range(40):
                at = time.monotonic() + generator.uniform(0, 1.2 * seconds)
                number = generator.choice(SIGNALS)
                with self.subTest(command=name, signal=number):
                    ended = self.run_until(command, number, lambda: time.monotonic() >= at)
                    content = self.left()
                    self.assertIn(content, (b"old", whole) if ended else (whole,))

    def test_signal_that_is_ignored(self):
        """As after nohup: it stays ignored."""
        whole, _ = self.whole(COMMANDS["report"])
        done = subprocess.run(
            ["sh", "-c", 'trap "" HUP; "$0" "$@" & p=$!; sleep 0.05; kill -HUP $p; wait $p',
             support.GCSPY, *COMMANDS["report"], "-o", self.path], check=False,
            timeout=support.LIMIT)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.left(), whole)

    def test_kept_mode_and_link(self):
        """What was there keeps its mode, and a link its target."""
        for mode in 0o600, 0o644:
            with open(self.path, "wb"):
                os.chmod(self.path, mode)
            link = os.path.join(self.folder, "link")
            os.symlink("out", link)
            self.gcspy(*COMMANDS["export"], "-o", link)
            self.assertEqual(os.stat(self.path).st_mode & 0o777, mode)
            self.assertTrue(os.path.islink(link))
            os.unlink(link)
            self.assertGreater(len(self.left()), 100)


if __name__ == "__main__":
    unittest.main()
