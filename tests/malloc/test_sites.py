"""Call sites of native memory: what `gcspy sites` says of programs that know what they have allocated.
GCSPY, PROGRAM, PLUGIN, CXX, TMP come from CMake."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

GCSPY, PROGRAM, PLUGIN = (os.environ[name] for name in ("GCSPY", "PROGRAM", "PLUGIN"))
CXX = os.environ.get("CXX_PROGRAM", "")  # "": no C++ compiler


class Program:
    """A program that stands still when it has said "ready"."""

    def __init__(self, folder, *words, interval="1", options=()):
        self.socket = f"{folder}/s"
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(
            [GCSPY, "run", "--socket", self.socket, "--interval", interval, *options, *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = {}
        self.ready()

    def ready(self):
        for line in self.process.stdout:
            if line == "ready\n":
                return
            name, number = line.split()
            self.said[name] = int(number)
        raise AssertionError("the program ended: " + self.process.stderr.read())

    def go_on(self):
        """Until it stands still again."""
        self.process.stdin.write("x")
        self.process.stdin.flush()
        self.ready()

    def ask(self, command, *words):
        done = subprocess.run([GCSPY, command, f"unix:{self.socket}", *words], capture_output=True,
                              text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done.stdout

    def sites(self, *words):
        return Sites(self.ask("sites", "--format", "json", *words))

    def end(self):
        output = self.process.communicate("x", timeout=60)
        return self.process.returncode, *output


class Sites:
    """The sites of a document, by a function that is in their stack."""

    def __init__(self, text):
        self.document = json.loads(text)
        self.head = self.document["profile"]
        stacks = self.document["stacks"]
        self.sites = []
        for site in self.document["sites"]:
            names, at = [], site["stack"]
            while at is not None:
                names.append(stacks[at])
                at = stacks[at]["caller"]
            self.sites.append((names, site))

    def of(self, function):
        return [s for names, s in self.sites if any(f["method"] == function for f in names)]

    def sum(self, function, key):
        return sum(s[key] for s in self.of(function))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, *words, **options):
        program = Program(self.folder, *words, **options)
        self.addCleanup(program.process.stdin.close)
        self.addCleanup(program.process.stderr.close)
        self.addCleanup(program.process.stdout.close)
        self.addCleanup(program.process.wait)
        self.addCleanup(program.process.kill)
        return program


class Exact(Case):
    """With interval=1 each block is a sample."""

    def test_bytes_and_blocks_by_function(self):
        program = self.start(PROGRAM, "known")
        live, all_of = program.sites(), program.sites("--allocated")
        for function, kind, blocks, size, allocated in (
                ("by_malloc", "malloc", 40, 100, 100), ("by_calloc", "calloc", 10, 5000, 10),
                ("by_realloc", "realloc", 1, 70000, None), ("by_memalign", "memalign", 5, 640, 5)):
            sites = live.of(function)
            self.assertEqual([(s["objects"], s["bytes"], s["bytes_error"], s["class"])
                              for s in sites], [(blocks, blocks * size, 0, kind)], function)
            if allocated:
                self.assertEqual(all_of.sum(function, "objects"), allocated)
                self.assertEqual(all_of.sum(function, "bytes"), allocated * size)
                self.assertEqual(all_of.sum(function, "live_bytes"), blocks * size)
        self.assertEqual(all_of.sum("by_realloc", "bytes"), 70300)
        head = live.head
        self.assertEqual((head["interval"], head["lost"], head["dropped"], head["elsewhere"]),
                         (1, 0, 0, 0))
        self.assertTrue(head["explicit_free"])
        dead = program.sites("--garbage", "recent")
        self.assertEqual((dead.sum("by_malloc", "objects"), dead.sum("by_malloc", "bytes")),
                         (60, 6000))
        self.assertEqual(program.end()[0], 0)

    def test_names_files_and_lines(self):
        program = self.start(PROGRAM, "known")
        frames = [f for names, _ in program.sites().sites for f in names]
        with open(os.path.join(os.path.dirname(__file__), "sites_program.c"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        for function, call in (("by_malloc", "malloc(bytes)"), ("known", "by_calloc(5000)")):
            there = {f["line"] for f in frames if f["method"] == function}
            self.assertTrue(any(call in lines[line - 1] for line in there), (function, there))
        self.assertIn("main", {f["method"] for f in frames})

    def test_lifetimes_are_bytes_allocated_meanwhile(self):
        """A block of `known` that was freed lived until all had been allocated."""
        dead = self.start(PROGRAM, "known").sites("--garbage", "recent").of("by_malloc")
        most = 10000 + 50000 + 70300 + 3200
        self.assertTrue(all(most - 10000 <= s["mean_lifetime_bytes"] <= most for s in dead), dead)

    def test_threads(self):
        live = self.start(PROGRAM, "threads").sites("--by", "thread")
        names = {s["thread"]: s["objects"] for _, s in live.sites}
        self.assertEqual(names, {**names, **{f"worker-{i}": 1000 for i in range(4)}})

    def test_many_threads(self):
        """Threads of few samples have no table of 256 KiB for their stacks, of the others 64 have one."""
        program = self.start(PROGRAM, "pool")
        live = program.sites()
        self.assertEqual((live.sum("by_malloc", "objects"), live.sum("by_calloc", "objects")),
                         (150 * 8, 150 * 50))
        self.assertEqual({f["method"] for names, s in live.sites for f in names[1:2]
                          if s["bytes"] >= 1000 * 100}, {"pool_thread"})
        self.assertLess(program.said["resident"], 48 * 1024)

    def test_deep_stacks_end_with_a_remark(self):
        sites = [(names, s) for names, s in self.start(PROGRAM, "deep").sites().sites
                 if s["bytes"] == 4096 and any(f["method"] == "deep" for f in names)]
        self.assertEqual(len(sites), 1)
        self.assertEqual(sites[0][0][-1]["method"], "[more frames]")

    def in_use(self, program, live_bytes):
        """The profile's bytes in use are those of its blocks, their headers and rounding."""
        live = program.sites()
        found = live.document["total"]["bytes"]
        self.assertGreaterEqual(found, live_bytes)
        self.assertLessEqual(found, live.head["used_bytes"])
        self.assertLess(live.head["used_bytes"], found + 24 * 1200 + 20000)
        self.assertNotIn("without a call site", program.ask("sites"))

    def test_bytes_in_use_while_a_trigger_is_set(self):
        """Then events are counted one by one, and there are no updates."""
        program = self.start(PROGRAM, "later")
        program.ask("trigger", "event = malloc and Size > 1g", "--keep", "--name", "never")
        program.go_on()
        self.in_use(program, 1000 * 10000 + 127200)
        program.ask("trigger", "--remove", "never")
        self.in_use(program, 1000 * 10000 + 127200)

    def test_bytes_in_use_where_each_event_is_an_update(self):
        program = self.start(PROGRAM, "later", options=("--update", "0"))
        with subprocess.Popen([GCSPY, "watch", f"unix:{program.socket}"], stdout=subprocess.DEVNULL) as watch:
            program.go_on()
            self.in_use(program, 1000 * 10000 + 127200)
            watch.terminate()

    def test_bytes_in_use_at_a_paused_event(self):
        program = self.start(PROGRAM, "later")
        with subprocess.Popen([GCSPY, "trigger", f"unix:{program.socket}", "event = malloc and count = 1500",
                               "--do", "pause"], stdout=subprocess.PIPE, text=True) as trigger:
            while json.loads(program.ask("trigger", "--list", "--json"))["triggers"] == []:
                time.sleep(.05)
            program.process.stdin.write("x")
            program.process.stdin.flush()
            self.assertIn("malloc", trigger.stdout.readline())
            self.in_use(program, 700 * 10000)
            program.ask("resume")
            program.ready()
            self.in_use(program, 1000 * 10000 + 127200)
            trigger.terminate()
            trigger.communicate(timeout=60)

    def test_library_that_was_closed(self):
        live = self.start(PROGRAM, "plugin", PLUGIN).sites()
        self.assertEqual([(s["bytes"], s["objects"]) for s in live.of("plugin_allocate")], [(12345, 1)])

    def test_fork(self):
        program = self.start(PROGRAM, "fork")
        live, all_of = program.sites(), program.sites("--allocated")
        self.assertEqual((live.sum("by_malloc", "objects"), live.sum("by_malloc", "bytes")),
                         (20, 20000))
        self.assertEqual(all_of.sum("by_malloc", "objects"), 20)
        self.assertEqual(program.end()[0], 0)

    def test_signals_in_the_middle(self):
        live = self.start(PROGRAM, "busy").sites()
        self.assertEqual((live.sum("by_malloc", "objects"), live.head["lost"]), (1, 0))
        self.assertGreaterEqual(live.head["died"], 200000)

    @unittest.skipIf(CXX == "", "no C++ compiler")
    def test_small_stacks(self):
        """Coroutines and signal handlers with 8 KiB: a sample takes none of it, and has its stack."""
        program = self.start(PROGRAM, "small")
        sites = program.sites()
        self.assertEqual(sites.sum("in_coroutine", "bytes"), 100 * 1000)
        self.assertEqual(sites.sum("in_handler", "bytes"), 100 * 500)
        self.assertEqual(program.end()[0], 0)

    def test_cxx(self):
        program = self.start(CXX)
        made = program.sites().of("shop::Cart* make<shop::Cart>")
        self.assertEqual([s["objects"] for s in made], [1])
        self.assertGreaterEqual(made[0]["bytes"], 1600)
        filled = program.sites("--allocated").of("shop::Cart::fill")
        self.assertEqual(sum(s["live_bytes"] for s in filled), 0)
        self.assertGreater(sum(s["objects"] for s in filled), 100 * 10)
        self.assertEqual(program.end()[0], 0)


class Sampled(Case):
    def test_estimates_are_within_their_errors(self):
        """Five errors are never exceeded by chance; the mean of the runs must be near the truth too."""
        runs = 6
        deviations = {}
        for _ in range(runs):
            program = self.start(PROGRAM, "random", interval="16k")
            live = program.sites()
            for function, truth in program.said.items():
                found, error = live.sum(function, "bytes"), live.sum(function, "bytes_error")
                self.assertGreater(error, 0)
                self.assertLess(error, truth / 2)
                self.assertLess(abs(found - truth), 5 * error, (function, truth))
                deviations.setdefault(function, []).append((found - truth) / error)
            self.assertLess(live.head["samples_taken"], 0.5 * 60000)
            self.assertEqual(program.end()[0], 0)
        self.assertEqual(len(deviations), 3)
        for function, values in deviations.items():
            self.assertLess(abs(sum(values)) / runs, 5 / runs ** 0.5, (function, values))
        self.assertGreater(len(set(sum(deviations.values(), []))), runs)

    def test_what_is_said_of_the_rest(self):
        """Never that it was allocated before, but where sampling was off."""
        program = self.start(PROGRAM, "known", interval="1")
        text = program.ask("sites")
        self.assertRegex(text, r"Samples cover .* used \(\d+ %\); the rest is headers and rounding\n")
        self.assertIn("\nEvery allocation was sampled: bytes and objects are exact\n", text)
        program.end()
        program = self.start(PROGRAM, "later", interval="4k")
        program.go_on()
        text = program.ask("sites")
        self.assertRegex(text, "the rest is headers, rounding and chance\n|more than the .* used: figures")
        self.assertNotIn("before", text)
        program.end()
        program = self.start(PROGRAM, "later", interval="0")
        program.ask("set", "interval=1")
        program.go_on()
        for kind, rest in (("--live", True), ("--allocated", False)):
            text = " ".join(program.ask("sites", kind).split())
            self.assertIn("what was allocated while sampling was off has no call site", text)
            self.assertIn("Every one of these allocations was sampled: bytes", text)
            self.assertEqual("the rest is headers, rounding and the blocks that were not" in text, rest)

    def test_interval_is_a_setting(self):
        program = self.start(PROGRAM, "known", interval="0")
        done = subprocess.run([GCSPY, "sites", f"unix:{program.socket}"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"gcspy: unix:{program.socket}: sampling of allocations is off; `gcspy set "
                                      f"unix:{program.socket} interval=512k` turns it on\n")
        self.assertEqual(program.ask("set", "update=1s").strip(), "an update every 1000 ms")
        self.assertIn("interval=0\n", program.ask("set"))
        program.ask("set", "interval=512k")
        self.assertIn("interval=524288\n", program.ask("set"))
        done = subprocess.run([GCSPY, "set", f"unix:{program.socket}", "interval=3g"],
                              capture_output=True, text=True, check=False)
        self.assertIn("expected bytes from 0 (off) to 2147483647", done.stderr)


class Uses(Case):
    """What is there for Java is there for native memory."""

    def test_formats(self):
        program = self.start(PROGRAM, "known")
        collapsed = program.ask("sites", "--format", "collapsed")
        self.assertRegex(collapsed, r"(?m)`main;.*`known;.*`by_calloc;calloc 50000$")
        for name in ("a.pb.gz", "a.svg", "a.html", "a.gcprof"):
            path = f"{self.folder}/{name}"
            program.ask("sites", "-o", path, *(["--format", "gcspy"] if "gcprof" in name else []))
            self.assertGreater(os.path.getsize(path), 200)
        with open(f"{self.folder}/a.svg", encoding="utf-8") as file:
            self.assertIn("by_calloc", file.read())
        kept = subprocess.run([GCSPY, "sites", f"{self.folder}/a.gcprof", "--format", "json"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(Sites(kept.stdout).sum("by_calloc", "bytes"), 50000)

    def test_base(self):
        program = self.start(PROGRAM, "known")
        path = f"{self.folder}/before"
        program.ask("sites", "--format", "gcspy", "-o", path)
        same = program.ask("sites", "--base", path)
        self.assertNotIn("Not known", same)
        self.assertIn("+0 B", same)

    def test_recording(self):
        path = f"{self.folder}/run.gcspy"
        program = self.start(PROGRAM, "known", options=("--output", path))
        program.ask("dump")  # an update has been recorded
        self.assertEqual(program.end()[0], 0)
        found = subprocess.run([GCSPY, "sites", path, "--live", "--format", "json"],
                               capture_output=True, text=True, check=False)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertEqual(Sites(found.stdout).sum("by_calloc", "bytes"), 50000)
        page = f"{self.folder}/page.html"
        for words in (["sites", path, "--format", "svg", "-o", page], ["report", path, "-o", page]):
            subprocess.run([GCSPY, *words], check=True, capture_output=True)
            with open(page, encoding="utf-8") as file:
                self.assertIn("by_calloc", file.read(), words)

    def test_what_grows_is_a_suspect(self):
        """In a recording, by the executable's frame, with what all of the heap grows by."""
        path = f"{self.folder}/grow.gcspy"
        subprocess.run([GCSPY, "run", "-o", path, "--interval", "64k", PROGRAM, "grow"], check=True,
                       timeout=120, stderr=subprocess.DEVNULL)
        document = json.loads(subprocess.run([GCSPY, "stats", path, "--format", "json"], check=True,
                                             capture_output=True, text=True).stdout)
        (suspect,) = document["call_sites"]["suspects"]
        self.assertIn("by_malloc (sites_program.c:", suspect["frame"])
        self.assertGreater(suspect["share"], 0.8)

    def test_by_frame(self):
        rows = self.start(PROGRAM, "known").sites("--by", "frame").sites
        self.assertTrue({"by_malloc", "by_calloc"} <= {names[0]["method"] for names, _ in rows if names})

    def test_recording_by_a_client(self):
        """It asks for the profiles when it ends."""
        path = f"{self.folder}/client.gcspy"
        program = self.start(PROGRAM, "known")
        recorder = subprocess.run([GCSPY, "record", f"unix:{program.socket}", "-o", path, "--events",
                                   "1"], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(recorder.returncode, 0, recorder.stderr)
        program.end()
        found = subprocess.run([GCSPY, "sites", path, "--live", "--format", "json"],
                               capture_output=True, text=True, check=False)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertEqual(Sites(found.stdout).sum("by_calloc", "bytes"), 50000)

    def test_why_is_for_java_heaps(self):
        path = f"{self.folder}/run.gcspy"
        program = self.start(PROGRAM, "known", options=("--output", path))
        program.ask("dump")  # an update has been recorded
        self.assertEqual(program.end()[0], 0)
        running = self.start(PROGRAM, "known")
        for command in "why-big", "why-slow":
            for target in path, f"unix:{running.socket}":
                done = subprocess.run([GCSPY, command, target], text=True, capture_output=True,
                                      timeout=60, check=False)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("is the native heap of a program", done.stderr)

    def test_tiles_are_not_available(self):
        program = self.start(PROGRAM, "known")
        for words in ((), ("--site", "0123456789ab")):
            done = subprocess.run([GCSPY, "tiles", f"unix:{program.socket}", *words], text=True,
                                  capture_output=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("not available", done.stderr)

    def test_range_of_addresses(self):
        program = self.start(PROGRAM, "known")
        everything = program.sites("--where", "range=0x1000-0x7fffffffffff")
        self.assertEqual(everything.sum("by_calloc", "objects"), 10)


class Leaks(Case):
    def leaks(self, *words):
        return subprocess.run([GCSPY, "run", "--leaks", *words], capture_output=True, text=True,
                              timeout=120, check=False, env=dict(os.environ, TMPDIR=self.folder))

    def test_list(self):
        done = self.leaks(PROGRAM, "leak")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("64 KiB in 64 objects, 1 call site\n", done.stderr)
        self.assertRegex(done.stderr, r"`by_malloc \(sites_program.c:\d+\)\n +\S+`lose \(")

    def test_what_constructors_of_libraries_leave(self):
        """They run before the first sample: how many blocks there are is said."""
        source, library, program = (f"{self.folder}/{name}" for name in ("c.c", "libc1.so", "p"))
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <stdlib.h>\nvoid *kept[100];\n__attribute__((constructor)) "
                       "static void begin(void)\n{ for (int i = 0; i < 100; i++) kept[i] = malloc(1000); }\n")
        main = f"{self.folder}/main.c"
        with open(main, "w", encoding="utf-8") as file:
            file.write("extern void *kept[100];\nint main(void) { return kept[0] == 0; }\n")
        try:
            subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library], check=True)
            subprocess.run(["cc", main, library, "-o", program], check=True)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("no compiler")
        said = " ".join(self.leaks(program).stderr.split())
        self.assertRegex(said, r"no call site is known: 10\d blocks of the program without a call site")

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_as_many_bytes_as_valgrind(self):
        done = subprocess.run(["valgrind", "--leak-check=full", PROGRAM, "leak"], text=True,
                              capture_output=True, timeout=300, check=False)
        found = re.search(r"definitely lost: ([\d,]+) bytes in ([\d,]+) blocks", done.stderr)
        self.assertEqual(found.groups(), ("65,536", "64"))
        self.assertIn("64 KiB in 64 objects", self.leaks(PROGRAM, "leak").stderr)

    def test_status_is_the_programs(self):
        self.assertEqual(self.leaks("sh", "-c", "exit 9").returncode, 9)
        done = self.leaks("sh", "-c", "kill -KILL $$")
        self.assertEqual(done.returncode, -9)
        self.assertIn("what sh has not freed is not known: signal 9 ended it (Killed)\n", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_no_list(self):
        """The line is true whatever the cause was."""
        for words, also in (((sys.executable, "-c", "import os; os._exit(0)"), ""),
                            (("sh", "-c", f"ulimit -v 4000000; exec {PROGRAM} leak"), "the heap is not shown")):
            done = self.leaks(*words)
            self.assertEqual(done.returncode, 0)
            self.assertIn(also, done.stderr)
            self.assertIn(f"gcspy: what {words[0]} has not freed is not known: it ended without exit(), its heap was "
                          "not shown, or it could not write the list\n", done.stderr)

    def test_file_is_a_profile(self):
        """GCSPYMALLOC=leaks=FILE writes what `gcspy sites FILE` reads."""
        path, library = f"{self.folder}/leaks", f"{os.path.dirname(GCSPY)}/../lib/libgcspymalloc.so"
        subprocess.run([PROGRAM, "leak"], check=True, timeout=60, env=dict(
            os.environ, LD_PRELOAD=library, GCSPYMALLOC=f"interval=1,leaks={path},socket={self.folder}/s"))
        done = subprocess.run([GCSPY, "sites", path, "--format", "json"], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(Sites(done.stdout).sum("by_malloc", "objects"), 64)

    def test_nothing_is_left(self):
        """Of an allocator in the executable nothing is known, also not that all is freed."""
        own = ("#include <stddef.h>\n_Alignas(16) static char all[1 << 24];\nstatic size_t used;\n"
               "void *malloc(size_t n) { void *p = all + used; used += n / 16 * 16 + 16; return p; }\n"
               "void *calloc(size_t n, size_t m) { return malloc(n * m); }\n"
               "void *realloc(void *p, size_t n) { (void)p; return malloc(n); }\n"
               "void free(void *p) { (void)p; }\n")
        for head, expected in ((own, "no allocation was seen"),
                               ("#include <stdlib.h>\n", "all blocks were freed")):
            source, program = f"{self.folder}/p.c", f"{self.folder}/p"
            with open(source, "w", encoding="utf-8") as file:
                file.write(head + "int main(void) { free(malloc(10)); return 0; }\n")
            if subprocess.run(["cc", "-fno-builtin", source, "-o", program], check=False,
                              stderr=subprocess.DEVNULL).returncode != 0:
                self.skipTest("no compiler")
            done = self.leaks(program)
            self.assertEqual(done.returncode, 0)
            self.assertIn(expected, done.stderr)


if __name__ == "__main__":
    unittest.main()
