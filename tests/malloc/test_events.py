"""Conditions of triggers on native heaps as malloc.md has them, on the C library's allocator: which fire, and
how often. What the plugins answer, and dlmalloc's, are in test_dlmalloc_trigger.sh. LIBRARY, GCSPY and
DESCRIPTORS come from CMake.
"""

import os
import shutil
import subprocess
import tempfile
import unittest

LIBRARY, GCSPY, DESCRIPTORS = (os.environ[name] for name in ("LIBRARY", "GCSPY", "DESCRIPTORS"))
NEVER, ONCE, OFTEN = "never", "once", "often"
# The program of descriptors.c allocates 100,000 blocks of 1 to 4901 bytes and gives each back, then one of 3 MiB.
CONDITIONS = (("event = malloc and Size > 2m", ONCE),
              ("event = free and Size > 2m", ONCE),
              ("event = malloc and Size > 8m", NEVER),
              ("event = malloc and Location = 0", NEVER),
              ("event = malloc and Location > 0", OFTEN),
              ("event = malloc and count = 50000", ONCE),
              ("event = malloc and count = 1000000000", NEVER),
              ("event = malloc and Fragmentation(16, 4096) > 100", NEVER),
              ("event = malloc and Fragmentation(65536, 65536) > 0", OFTEN),
              ("event = realloc and Old size > 2g", NEVER),
              ('event = Update and "malloc per second" > 0', OFTEN),
              ('event = Update and "malloc: Size, most" > 2m', ONCE))


class Events(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.address = f"unix:{self.folder}/s"

    def program(self):
        return subprocess.Popen([DESCRIPTORS, "everything"], text=True, cwd=self.folder,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                env=dict(os.environ, LD_PRELOAD=LIBRARY,
                                         GCSPYMALLOC=f"socket={self.folder}/s"))

    def trigger(self, *words):
        return subprocess.run([GCSPY, "trigger", self.address, *words], capture_output=True,
                              text=True, timeout=60, check=True).stdout

    def fired(self):
        lines = [line.split() for line in self.trigger("--list").splitlines()[1:]]
        return [int(number) for _, number in
                sorted((int(words[0][1:]), words[1]) for words in lines)]

    def agrees(self, fired):
        return all({NEVER: n == 0, ONCE: n == 1, OFTEN: n >= 1}[expected]
                   for n, (_, expected) in zip(fired, CONDITIONS, strict=True))

    def test_window_out_of_range(self):
        """A condition that could never hold is refused when it is set, wherever it is in the text."""
        with self.program() as program:
            self.assertEqual(program.stdout.readline(), "ready\n")
            for condition in ("event = malloc and Fragmentation(512, 100) > 3",
                              "Size > 5 or Fragmentation(512, 16777217) > 3",
                              "change(Fragmentation(512, 4095), 1 events) > 3"):
                done = subprocess.run([GCSPY, "trigger", self.address, condition, "--keep"],
                                      capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
                self.assertIn("window 4096 to 16777216 bytes", done.stderr)
            self.trigger("Fragmentation(0, 4096) > 3 or Fragmentation(9, 16777216) > 3", "--keep",
                         "--name", "t0")
            self.assertEqual(len(self.fired()), 1)
            program.kill()

    def test_conditions(self):
        with self.program() as program:
            self.assertEqual(program.stdout.readline(), "ready\n")
            for i, (condition, _) in enumerate(CONDITIONS):
                self.trigger(condition, "--keep", "--most", "5", "--name", f"t{i}")
            # Updates need a client that stays.
            with subprocess.Popen([GCSPY, "watch", self.address], stdout=subprocess.PIPE,
                                  text=True) as watch:
                watch.stdout.readline()
                print("", file=program.stdin, flush=True)
                self.assertEqual(program.stdout.readline(), "closed\n")
                fired = self.fired()
                for _ in zip(range(100), watch.stdout):  # updates come later than events
                    fired = self.fired()
                    if self.agrees(fired):
                        break
                watch.terminate()
                watch.communicate(timeout=60)
            self.assertTrue(self.agrees(fired), list(zip(fired, CONDITIONS)))
            program.communicate("\n", timeout=60)


if __name__ == "__main__":
    unittest.main()
