"""The space Arenas (M3): each thread's blocks are in its arena, and the sums are those of the heap. GCSPY and
ARENAS come from CMake."""

import glob
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest

GCSPY, ARENAS = os.environ["GCSPY"], os.environ["ARENAS"]


def columns(text, space):
    """The values of a space's streams, and the names of its tiles, from `gcspy dump --values`."""
    found, name = {}, None
    for line in text.split(f"\n{space}: ")[1].split("\n\n")[0].splitlines()[1:]:
        values = re.match(r" +(\d+): +(.*)", line)
        if not values:
            name = line.strip().split("  ")[0]
            found[name] = []
        elif name == "Names of tiles":
            found[name].append(values[2])
        else:
            found[name] += [int(v, 0) for v in values[2].split() if v[0].isdigit()]
    return found


class Arenas(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def dump(self, environment=None):
        socket = f"{self.folder}/s"
        with subprocess.Popen([GCSPY, "run", "--socket", socket, ARENAS], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              env={**os.environ, **(environment or {})}) as program:
            self.assertEqual(program.stdout.readline(), "ready\n")
            done = subprocess.run([GCSPY, "dump", f"unix:{socket}", "--values"], check=True,
                                  capture_output=True, text=True, timeout=60)
            program.stdin.close()
        self.assertEqual(program.returncode, 0)
        return done.stdout

    def test_threads_blocks_are_in_their_arenas(self):
        text = self.dump()
        arenas, heap = columns(text, "Arenas"), columns(text, "Heap")
        rows = dict(zip(arenas["Names of tiles"], zip(arenas["Used"], arenas["Blocks"],
                                                      arenas["Heaps"])))
        others = sorted(v for name, v in rows.items() if name.startswith("arena at 0x"))
        self.assertEqual(len(others), 3, rows)
        for i, (used, blocks, heaps) in enumerate(others):
            self.assertEqual((blocks, heaps), (1000, 1))
            self.assertEqual(used, 1000 * ((1000 * (i + 1) + 8 + 15) // 16 * 16))
        used, blocks, heaps = rows["other mappings"]
        self.assertEqual((blocks, heaps), (1, 1))
        self.assertGreaterEqual(used, 10 << 20)
        self.assertGreater(rows["main arena"][1], 0)
        for stream in ("Used", "Blocks"):
            self.assertEqual(sum(arenas[stream]), sum(heap[stream]), stream)

    def test_others_have_none(self):
        found = glob.glob("/usr/lib/*/libjemalloc.so.2")
        if not found:
            self.skipTest("libjemalloc.so.2 is not installed")
        text = self.dump({"LD_PRELOAD": found[0]})
        self.assertNotIn("\nArenas: ", text)
        # What it has mapped beyond its blocks is not known.
        self.assertRegex(text, r"fragmentation .* of .*,\s+only\s+in\s+tiles\s+that\s+had\s+a\s+block")

    def test_one_arena(self):
        """What all threads have is the main arena's."""
        arenas = columns(self.dump({"GLIBC_TUNABLES": "glibc.malloc.arena_max=1"}), "Arenas")
        self.assertEqual(arenas["Names of tiles"], ["main arena", "other mappings"])
        self.assertGreaterEqual(arenas["Blocks"][0], 3000)

    def test_gaps_are_what_is_mapped_and_free(self):
        """Also after the last block, joined over the tiles' borders, and never more than is mapped."""
        socket = f"{self.folder}/s"
        with subprocess.Popen([GCSPY, "run", "--socket", socket, ARENAS, "blocks"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as program:
            for word in ("ready\n", "freed\n"):
                self.assertEqual(program.stdout.readline(), word)
                time.sleep(0.7)  # the mappings are read every half second
                text = subprocess.run([GCSPY, "dump", f"unix:{socket}", "--values"], check=True,
                                      capture_output=True, text=True, timeout=60).stdout
                with open(f"/proc/{program.pid}/maps", encoding="ascii") as maps:
                    start, end = (int(v, 16) for v in re.search(r"(\w+)-(\w+) .*\[heap\]", maps.read()).groups())
                heap, gaps = columns(text, "Heap"), columns(text, "Gaps")
                tiles = [i for i, at in enumerate(heap["Start"]) if start < at + 65536 and at < end]
                self.assertEqual(sum(heap["Used"][i] + heap["Free"][i] for i in tiles), end - start)
                if word == "ready\n":
                    self.assertGreater(sum(gaps["Gaps"]), 1)
                    self.assertEqual(sum(gaps["Bytes"]), sum(heap["Free"]))
                    self.assertLess(heap["Largest gap"][tiles[0]], 2048)
                    program.stdin.write("\n")
                    program.stdin.flush()
                else:
                    self.assertEqual((sum(gaps["Gaps"]), sum(gaps["Bytes"])), (1, end - start))
                    for i in tiles:
                        self.assertEqual(heap["Largest gap"][i], heap["Free"][i])
                    self.assertIn("fragmentation 0.0 %", text)
            program.stdin.close()
        self.assertEqual(program.returncode, 0)


if __name__ == "__main__":
    unittest.main()
