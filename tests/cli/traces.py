"""Traces for the tests of what reads them, made by trace-maker and trace-shapes, and damaged here."""

import os
import subprocess
import tempfile

import support

MAKER = os.environ["TRACE_MAKER"]
SHAPES = os.environ["TRACE_SHAPES"]


class Traces(support.Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def trace(self, mode, *arguments):
        """A trace file; the head of its maker describes each mode."""
        path = self.path(mode + ".gcspy")
        maker = MAKER if mode in ("plain", "grown", "hostile", "bare") else SHAPES
        subprocess.run([maker, mode, path] + [str(a) for a in arguments], check=True)
        return path

    def damaged(self, path, offset, length=40):
        """The same file with some bytes turned over."""
        with open(path, "rb") as file:
            data = bytearray(file.read())
        for i in range(offset, offset + length):
            data[i] ^= 0xff
        with open(path, "wb") as file:
            file.write(data)
        return path

    def cut(self, path, length):
        """The same file, as a writer that was killed leaves it."""
        with open(path, "r+b") as file:
            file.truncate(length)
        return path

    def written(self, *arguments):
        """Standard output as bytes, and standard error."""
        done = subprocess.run([support.GCSPY] + [str(a) for a in arguments],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=support.LIMIT, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr.decode()

    def assert_clean(self, text, also="\n"):
        """No control character but those, none that turns the direction of writing."""
        for c in text:
            self.assertTrue(c in also or
                            (ord(c) >= 0x20 and not 0x7f <= ord(c) < 0xa0 and
                             not 0x202a <= ord(c) <= 0x202e and not 0x2066 <= ord(c) <= 0x2069),
                            repr(c))
