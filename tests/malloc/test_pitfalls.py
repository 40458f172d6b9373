"""Programs behave with libgcspymalloc.so as without it (M3): same output, same status.

Each pitfall runs plain, preloaded, with a server that a client is attached to at 1,000 updates a second, with
a trigger that counts each event by itself, and in children. LIBRARY, GCSPY and PITFALLS come from CMake.
"""

import glob
import os
import shutil
import subprocess
import tempfile
import unittest

LIBRARY, GCSPY, PITFALLS = (os.environ[name] for name in ("LIBRARY", "GCSPY", "PITFALLS"))
NAMES = ("early resize align pages edges children forks ends many signals running last unload "
         "leave forked limited").split()


def run(words, **variables):
    environment = dict(os.environ, **variables)
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300,
                          check=False)
    return done.stdout, done.returncode, done.stderr


class Pitfalls(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def same(self, words, options, preload=LIBRARY):
        plain = run(words, LIBRARY=LIBRARY)
        ours = run(words, LD_PRELOAD=preload, GCSPYMALLOC=options)
        self.assertEqual(ours[:2], plain[:2], ours[2])
        return ours[2]

    def each(self, options, names=NAMES, preload=LIBRARY):
        for name in names:
            with self.subTest(name):
                said = self.same([PITFALLS, name], options, preload)
                expected = "no address space" if name == "limited" else None
                if expected is None:
                    self.assertEqual(said, "")
                else:
                    self.assertIn(expected, said)

    def test_preloaded(self):
        self.each(f"socket={self.folder}/s")

    def test_children(self):
        self.each(f"children=yes,socket={self.folder}/%p")

    def test_another_process_is_meant(self):
        for name in NAMES:
            with self.subTest(name):
                self.assertEqual(self.same([PITFALLS, name], "pid=1"), "")

    def test_attached(self):
        """A recorder is a client from the first moment on."""
        names = [name for name in NAMES if name != "limited"]
        self.each(f"record={self.folder}/r.gcspy,update=1", names)

    def test_each_event_for_itself(self):
        """A trigger that never fires makes each event a call."""
        for name in ("resize", "align", "ends", "many", "signals", "running", "forks"):
            with self.subTest(name):
                path = f"{self.folder}/{name}"
                plain = run([PITFALLS, name])
                with subprocess.Popen(
                        [PITFALLS, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                        env=dict(os.environ, LD_PRELOAD=LIBRARY,
                                 GCSPYMALLOC=f"socket={path},wait=yes,say=yes")) as program:
                    # The socket's file is there before anybody listens.
                    self.assertIn("listening", program.stderr.readline())
                    with subprocess.Popen(
                            [GCSPY, "trigger", f"unix:{path}",
                             "event = malloc and Fragmentation(16, 4096) > 100000 or "
                             "event = free and Size = 7"], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL) as trigger:
                        text = program.communicate(timeout=300)[0]
                        trigger.wait(60)
                self.assertEqual((text, program.returncode), plain[:2])

    def test_other_allocators(self):
        found = [path for name in ("libjemalloc.so.2", "libmimalloc.so.2.0", "libtcmalloc.so.4")
                 for path in glob.glob(f"/usr/lib/*/{name}")]
        if not found:
            self.skipTest("none of libjemalloc2, libmimalloc2.0, libgoogle-perftools4")
        for path in found:
            # What an edge does is each allocator's own: the output is compared with its own, or with the C
            # library's where the allocator has no pvalloc, so that the program alone fails.
            for name in NAMES:
                if name in ("limited", "early"):
                    continue
                with self.subTest(f"{path} {name}"):
                    alone = run([PITFALLS, name], LD_PRELOAD=path)
                    if name == "pages" and alone[1] != 0:
                        alone = run([PITFALLS, name])
                    both = run([PITFALLS, name], LD_PRELOAD=f"{LIBRARY}:{path}",
                               GCSPYMALLOC=f"socket={self.folder}/s")
                    self.assertEqual(both[:2], alone[:2], both[2])

    def test_wrong_options(self):
        for options, words in (("foo=1", "unknown option"), ("port=x", "expected a number"),
                               ("wait=maybe", "expected yes or no"),
                               ("deferred=60", "only dlmalloc defers"),
                               (f"socket={self.folder}/no/s", "no/s")):
            with self.subTest(options):
                said = self.same([PITFALLS, "edges"], options)
                self.assertIn(words, said)
                self.assertEqual(said.count("\n"), 1, said)

    def test_help_lists_options(self):
        said = self.same([PITFALLS, "edges"], "help")
        for key in ("port=N", "socket=PATH", "children=yes|no", "update=MS"):
            self.assertIn(key, said)


if __name__ == "__main__":
    unittest.main()
