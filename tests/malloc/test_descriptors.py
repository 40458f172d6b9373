"""A program's descriptors are its own: libgcspymalloc.so takes no numbers, closes none of the program's files
and writes to none, and goes on when the program closes all. LIBRARY, GCSPY and DESCRIPTORS come from CMake.
"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

LIBRARY, GCSPY, DESCRIPTORS = (os.environ[name] for name in ("LIBRARY", "GCSPY", "DESCRIPTORS"))


class Descriptors(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def environment(self, options):
        return dict(os.environ, LD_PRELOAD=LIBRARY, GCSPYMALLOC=options)

    def test_numbers_are_as_without(self):
        """Updates at the shortest interval open the kernel's files all the time."""
        for mode in ("twice", "standard"):
            for options in (f"update=1,record={self.folder}/r.gcspy",
                            f"update=1,socket={self.folder}/s,record={self.folder}/r.gcspy"):
                with self.subTest(mode + " " + options):
                    plain, ours = (subprocess.run([DESCRIPTORS, mode], env=env, check=True,
                                                  capture_output=True, text=True, timeout=300)
                                   for env in (None, self.environment(options)))
                    self.assertEqual((ours.stdout, ours.stderr), (plain.stdout, ""))

    def test_everything_is_closed(self):
        """The client's connection, the recording and triggers in the program's threads outlive it; so do
        call sites, as long as the program does not use libunwind's numbers."""
        path, recording = f"{self.folder}/s", f"{self.folder}/r.gcspy"
        with subprocess.Popen(
                [DESCRIPTORS, "everything"], text=True, cwd=self.folder, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=self.environment(f"update=1,interval=1k,children=yes,socket={path},"
                                     f"record={recording}")) as program:
            self.assertEqual(program.stdout.readline(), "ready\n")
            with subprocess.Popen([GCSPY, "trigger", f"unix:{path}",
                                   "event = malloc and Size > 2m", "--most", "1"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as trigger:
                while "Size > 2m" not in self.listed(path):
                    self.assertIsNone(trigger.poll())
                print("", file=program.stdin, flush=True)
                self.assertEqual(program.stdout.readline(), "closed\n")
                said, errors = trigger.communicate(timeout=60)
                self.assertIn("malloc", said, errors)
            # New clients are accepted, too.
            info = subprocess.run([GCSPY, "info", f"unix:{path}"], capture_output=True, text=True,
                                  timeout=60, check=True)
            self.assertIn("Allocator", info.stdout)
            text, errors = program.communicate("\n", timeout=300)
        lines = text.splitlines()
        self.assertEqual(lines[:2], [f"{who}: 0 descriptors lost, 0 bytes written"
                                     for who in ("child", "parent")], errors)
        self.assertEqual(lines[2], "status 0, file 3")
        self.assertEqual((program.returncode, errors), (0, ""))
        self.assertEqual(sorted(os.listdir(self.folder)), ["r.gcspy"], "the sockets are gone")
        stats = json.loads(subprocess.run([GCSPY, "stats", recording, "--json"], check=True,
                                          capture_output=True, text=True, timeout=120).stdout)
        self.assertEqual(stats["recording"]["unreadable"], 0)
        self.assertGreater(stats["recording"]["profiles"], 0)

    def listed(self, path):
        """The triggers that are set."""
        return subprocess.run([GCSPY, "trigger", f"unix:{path}", "--list"], capture_output=True,
                              text=True, timeout=60, check=True).stdout


if __name__ == "__main__":
    unittest.main()
