"""C++'s operators new and delete, with the C library's allocator and with those that have operators of their
own: the program does the same, and its bytes are shown. LIBRARY, GCSPY and OPERATORS come from CMake.
"""

import glob
import json
import os
import shutil
import subprocess
import tempfile
import unittest

LIBRARY, GCSPY, OPERATORS = (os.environ[name] for name in ("LIBRARY", "GCSPY", "OPERATORS"))
BLOCKS, BYTES = 8 * 200, 10240  # those of operators.cc


class Operators(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def live(self, path):
        """How many blocks of that size there are, by call site."""
        text = subprocess.run([GCSPY, "sites", f"unix:{path}", "--format", "json"], check=True,
                              capture_output=True, text=True, timeout=60).stdout
        return sum(s["objects"] for s in json.loads(text)["sites"]
                   if s["bytes"] == s["objects"] * BYTES)

    def both(self, preload, *words):
        environment = dict(os.environ, LD_PRELOAD=preload)
        alone = subprocess.run([OPERATORS, *words], env=environment, input="\n", text=True,
                               capture_output=True, timeout=60, check=False)
        path = f"{self.folder}/s"
        environment["LD_PRELOAD"] = f"{LIBRARY}:{preload}".strip(":")
        environment["GCSPYMALLOC"] = f"socket={path},interval=1"
        with subprocess.Popen([OPERATORS, *words], env=environment, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as program:
            first = program.stdout.readline()
            if not first:
                self.fail(program.stderr.read())
            live = self.live(path)
            text, errors = program.communicate("\n", timeout=60)
        self.assertEqual((first + text, program.returncode), (alone.stdout, alone.returncode),
                         errors)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        self.assertEqual(live, BLOCKS)

    def test_c_library(self):
        self.both("")

    def test_other_allocators(self):
        found = [(path, words) for name, words in (("libjemalloc.so.2", ()),
                                                   ("libmimalloc.so.2.0", ("no exception",)),
                                                   ("libtcmalloc.so.4", ()))
                 for path in glob.glob(f"/usr/lib/*/{name}")]
        if not found:
            self.skipTest("none of libjemalloc2, libmimalloc2.0, libgoogle-perftools4")
        for path, words in found:
            with self.subTest(path):
                self.both(path, *words)


if __name__ == "__main__":
    unittest.main()
