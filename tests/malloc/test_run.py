"""`gcspy run` (M3): the program becomes what was asked for, and is watched. GCSPY comes from CMake."""

import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

GCSPY, PITFALLS = os.environ["GCSPY"], os.environ["PITFALLS"]


def run(*words, **options):
    return subprocess.run([GCSPY, "run", *words], capture_output=True, text=True, timeout=120,
                          check=False, **options)


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def script(self, text):
        path = f"{self.folder}/script"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def test_status_and_output_are_the_programs(self):
        for words, status, output in ((["sh", "-c", "echo a; exit 7"], 7, "a\n"),
                                      (["--", "echo", "--wait"], 0, "--wait\n"),
                                      (["--update", "5", "echo", "-o", "x"], 0, "-o x\n"),
                                      (["cat"], 0, "typed")):
            done = run(*words, input="typed")
            self.assertEqual((done.returncode, done.stdout), (status, output))
            self.assertRegex(done.stderr,
                             r"\Alibgcspymalloc: listening on unix:/tmp/\.gcspy_\d+\n\Z")
        self.assertEqual(run("sh", "-c", "kill -TERM $$").returncode, -signal.SIGTERM)

    def test_exit_without_handlers_removes_the_socket(self):
        done = run("--socket", f"{self.folder}/s", sys.executable, "-c", "import os; os._exit(3)")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(os.listdir(self.folder), [])
        # A child's end is not the program's.
        done = run("--socket", f"{self.folder}/s", sys.executable, "-c",
                   "import os\nif os.fork() == 0: os._exit(3)\nos.wait(); print(os.listdir())", cwd=self.folder)
        self.assertIn("'s'", done.stdout)

    def test_address_is_that_of_the_process(self):
        done = run("bash", "-c", "echo $$; ls -l /tmp/.gcspy_$$; exit 0")
        pid, entry = done.stdout.splitlines()
        self.assertTrue(entry.startswith("srw-------"))
        self.assertIn(f"/tmp/.gcspy_{pid}\n", done.stderr)
        self.assertFalse(os.path.exists(f"/tmp/.gcspy_{pid}"))

    def test_number_and_name_are_addresses(self):
        program = f"{self.folder}/a-program-of-{os.getpid()}"
        shutil.copy(shutil.which("cat"), program)
        with subprocess.Popen([GCSPY, "run", "--socket", f"{self.folder}/s", program],
                              stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            self.assertIn("listening", process.stderr.readline())
            for word in (str(process.pid), os.path.basename(program)):
                done = subprocess.run([GCSPY, "info", word], capture_output=True, text=True,
                                      timeout=60, check=False)
                self.assertRegex(done.stdout, rf"Process +{process.pid}\n", done.stderr)
                self.assertIn("    Fragmentation(most, window)", done.stdout)
            listed = subprocess.run([GCSPY, "list"], capture_output=True, text=True, check=True).stdout
            self.assertRegex(listed, rf"{process.pid}  \S*a-program-of-\S+ +- +unix:{self.folder}/s\n")
            process.communicate("\n", timeout=60)

    FORK = ("import os, sys; child = os.fork()\n"
            "if child == 0: print(os.getpid(), flush=True); sys.stdin.readline(); os._exit(0)\n"
            "os.waitpid(child, 0)")

    def gcspy(self, *words):
        done = subprocess.run([GCSPY, *words], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_children_of_fork_have_addresses(self):
        """By their number and in the list, and none is left when they end by _exit."""
        words = [GCSPY, "run", "--children", sys.executable, "-c", self.FORK]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            child = int(process.stdout.readline())
            self.assertRegex(self.gcspy("info", str(child)), rf"Process +{child}\n")
            self.assertRegex(self.gcspy("list"), rf"\b{child} .* unix:/tmp/\.gcspy_{child}\n")
            said = process.communicate("\n", timeout=60)[1]
        self.assertIn(f"the child of fork has a server of its own: unix:/tmp/.gcspy_{child}\n", said)
        self.assertFalse(os.path.exists(f"/tmp/.gcspy_{child}"))

    def test_children_have_sockets_by_the_pattern(self):
        """Wherever the number is in it; what a child executes takes its socket over."""
        words = [GCSPY, "run", "--children", "--socket", f"{self.folder}/a.%p.sock", sys.executable, "-c",
                 self.FORK.replace("os._exit(0)", "os.execv('/bin/cat', ['cat'])")]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            child = int(process.stdout.readline())
            self.assertIn(f"a.{child}.sock", os.listdir(self.folder))
            process.communicate("\n", timeout=60)
        self.assertEqual(os.listdir(self.folder), [])
        done = run("--children", "--socket", f"{self.folder}/s", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("give --socket a path with %p", done.stderr)

    def test_children_of_fork_are_recorded(self):
        done = run("--children", "-o", f"{self.folder}/%p.gcspy", sys.executable, "-c",
                   self.FORK.replace("os._exit", "sys.exit"))
        child = int(done.stdout)
        files = sorted(os.listdir(self.folder))
        self.assertEqual(len(files), 2, done.stderr)
        self.assertIn(f"{child}.gcspy", files)
        self.assertRegex(self.gcspy("stats", f"{self.folder}/{child}.gcspy"), rf"pid {child}\n")
        self.assertNotIn("(null)", done.stderr)
        done = run("--children", "-o", f"{self.folder}/one", sys.executable, "-c", self.FORK)
        self.assertIn("a child of fork is not recorded: %p in the file's name", done.stderr)

    def test_program_with_a_title(self):
        """What writes over its command line, as servers do, is known by its file."""
        program, source = f"{self.folder}/titled-{os.getpid()}", f"{self.folder}/t.c"
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <stdio.h>\n#include <string.h>\nint main(int n, char **words)\n"
                       "{ memcpy(words[0], \"titled: master /x/y.conf\", 25); puts(\"\"); fflush(stdout);\n"
                       "  return getchar() == n; }\n")
        if subprocess.run(["cc", source, "-o", program], check=False).returncode != 0:
            self.skipTest("no compiler")
        with subprocess.Popen([GCSPY, "run", program, "a long argument that makes room"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            self.assertRegex(self.gcspy("info", os.path.basename(program)), rf"Process +{process.pid}\n")
            process.communicate("\n", timeout=60)

    def test_program_that_closes_everything(self):
        with subprocess.Popen([GCSPY, "run", sys.executable, "-c",
                               "import os, sys; os.closerange(3, 5000); print(); sys.stdin.readline()"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            self.assertRegex(self.gcspy("info", str(process.pid)), rf"Process +{process.pid}\n")
            process.communicate("\n", timeout=60)

    def test_what_cannot_be_run(self):
        for words, status, message in (
                (["no-such-program"], 127, "no-such-program: No such file"),
                (["/etc/passwd"], 126, "/etc/passwd: Permission denied"),
                ([], 2, "run needs a PROGRAM"),
                (["--port", "70000", "true"], 2, "--port"),
                (["--socket", "a,b", "true"], 2, "without a comma"),
                (["--output", "/no/such/folder/f", "true"], 1, "no file can be made in /no/such/folder"),
                (["--allocator", "/no/such.so", "true"], 1, "/no/such.so"),
                (["--allocator", "nosuch.so", "true"], 1, "--allocator nosuch.so: cannot open"),
                (["--allocator", "/etc/passwd", "true"], 1, "--allocator /etc/passwd: "),
                (["--deferred", "60", "true"], 2, "--allocator dlmalloc")):
            done = run(*words)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_static_and_privileged_programs(self):
        source, program = f"{self.folder}/s.c", f"{self.folder}/s"
        with open(source, "w", encoding="utf-8") as file:
            file.write("int main(void) { return 0; }\n")
        for flags, message in ((["-static"], "statically linked"), ([], "set-user-ID")):
            if subprocess.run(["cc", *flags, source, "-o", program], check=False,
                              stderr=subprocess.DEVNULL).returncode != 0:
                self.skipTest("no compiler")
            if not flags:
                if os.geteuid() != 0:
                    continue
                os.chown(program, 65534, 65534)
                os.chmod(program, 0o4755)
            for path in (program, self.script(f"#!{program}\n") if flags else program):
                done = run(path)
                self.assertEqual(done.returncode, 1)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_scripts_and_what_they_execute(self):
        """A wrapper's program has the wrapper's process and address; other processes are not shown."""
        done = run(self.script("#!/bin/sh\ntrue\n/bin/echo child\nexec sh -c 'echo program'\n"))
        self.assertEqual(done.stdout, "child\nprogram\n")
        self.assertEqual(done.stderr.count("listening"), 1, done.stderr)
        done = run("--children", "--socket", f"{self.folder}/%p",
                   self.script("#!/bin/sh\n/bin/true\n/bin/echo child\n"))
        self.assertGreaterEqual(done.stderr.count("listening"), 3, done.stderr)
        # Each process says so once, also if it executes another program.
        done = run("--children", "--socket", f"{self.folder}/%p", self.script("#!/bin/sh\nexec /bin/true\n"))
        self.assertEqual(done.stderr.count("listening"), 1, done.stderr)

    def test_environment_has_no_traces_but_two(self):
        plain = subprocess.run(["env"], capture_output=True, text=True, check=True).stdout
        done = run("env")
        extra = set(done.stdout.splitlines()) - set(plain.splitlines())
        self.assertEqual({line.split("=")[0] for line in extra} - {"_"},
                         {"LD_PRELOAD", "GCSPYMALLOC"})

    def test_closed_descriptors_stay_closed(self):
        look = "readlink /proc/$$/fd/0 || echo closed"
        done = subprocess.run(["sh", "-c", f"exec {GCSPY} run sh -c '{look}' <&-"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.stdout, "closed\n", done.stderr)

    def test_recording(self):
        path = f"{self.folder}/run.gcspy"
        done = run("-o", path, "--update", "1", PITFALLS, "many")
        self.assertIn(f"recording to {path}\n", done.stderr)
        stats = subprocess.run([GCSPY, "stats", path], capture_output=True, text=True, check=True)
        self.assertGreater(int(re.search(r"Update +([\d,]+)", stats.stdout)[1].replace(",", "")),
                           10)

    def test_recorded_events_are_among_the_counted(self):
        path = f"{self.folder}/run.gcspy"
        with subprocess.Popen([GCSPY, "run", "-o", path, "--wait", "--socket", f"{self.folder}/s", PITFALLS, "many"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as program:
            self.assertIn("listening", program.stderr.readline())
            subprocess.run([GCSPY, "trigger", f"unix:{self.folder}/s", "event = malloc", "--keep", "--most", "3"],
                           capture_output=True, check=True, timeout=60)
            program.communicate(timeout=60)
        stats = subprocess.run([GCSPY, "stats", path], capture_output=True, text=True, check=True)
        self.assertRegex(stats.stdout, r"malloc +3  recorded, of [\d,]+ that were counted")

    def test_a_full_disk_is_said(self):
        def small():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        churn = [sys.executable, "-c",
                 "for i in range(300): x = [bytes(600 + i * k % 3000) for k in range(500)]"]
        file = f"{self.folder}/n.gcspy"
        done = run("-o", file, "--update", "1", *churn, preexec_fn=small)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.splitlines(), [f"libgcspymalloc: recording to {file}",
                                                    f"libgcspymalloc: {file}: File too large"])
        done = subprocess.run(churn, env={"LD_PRELOAD": os.environ["LIBRARY"], "PATH": os.environ["PATH"],
                                          "GCSPYMALLOC": f"record={file},update=1"},
                              capture_output=True, text=True, timeout=120, check=False, preexec_fn=small)
        self.assertEqual(done.stderr, f"libgcspymalloc: {file}: File too large\n")

    def test_recording_is_not_overwritten(self):
        path = f"{self.folder}/run.gcspy"
        with open(path, "w", encoding="utf-8") as file:
            file.write("precious")
        for words in (["-o", path], ["-o", path, "--leaks"], ["-o", self.folder, "--force"]):
            done = run(*words, "echo", "run")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, f"gcspy: {self.folder} is not a regular file\n"
                             if "--force" in words else f"gcspy: {path} exists; --force replaces it\n")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")
        # A script's program goes on in the file that its shell has begun.
        done = run("-o", path, "--force", "sh", "-c", "exec echo run")
        self.assertEqual((done.returncode, done.stdout), (0, "run\n"))
        subprocess.run([GCSPY, "stats", path], capture_output=True, check=True)

    def test_last_update(self):
        """What a program has done is told at its end, however short it was."""
        path = f"{self.folder}/run.gcspy"
        run("-o", path, "--update", "60000", PITFALLS, "many")
        stats = subprocess.run([GCSPY, "stats", path], capture_output=True, text=True, check=True)
        self.assertRegex(stats.stdout, r"Update +1\b")

    def test_wait(self):
        """The program begins when the first client is there, and the client sees its heap."""
        path = f"{self.folder}/s"
        with subprocess.Popen([GCSPY, "run", "--wait", "--socket", path, "sh", "-c",
                               "echo begun; read line"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
            self.assertIn("listening", program.stderr.readline())
            done = subprocess.run([GCSPY, "dump", f"unix:{path}"], capture_output=True, text=True,
                                  timeout=60, check=False)
            again = subprocess.run([GCSPY, "dump", f"unix:{path}"], capture_output=True, text=True,
                                   timeout=60, check=False)
            self.assertEqual(program.stdout.readline(), "begun\n")
            program.communicate("\n", timeout=60)
        for line in ("Heap: ", "Size classes: ", "Gaps: ", "Mappings: "):
            self.assertIn(line, done.stdout)
            self.assertIn(line, again.stdout)
        self.assertNotIn("Mappings: 0 tiles", again.stdout)
        self.assertNotIn("gcspy", re.sub(r"libgcspy\S+", "", done.stdout))
        # The shadow alone is larger: GCspy's memory is in no picture.
        size = re.search(r"Mappings: .*?Size +([\d.]+) MiB", done.stdout, re.S)
        self.assertLess(float(size[1]), 64, done.stdout)

    def test_wait_with_a_recording(self):
        """Its own recording is not the client that it waits for, and clients have an address without --socket."""
        for words in (("--socket", f"{self.folder}/s"), ()):
            with subprocess.Popen([GCSPY, "run", "--wait", "-o", f"{self.folder}/f", "--force", *words, "sh", "-c",
                                   "echo begun; read line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as program:
                self.addCleanup(program.kill)
                address = re.match(r"libgcspymalloc: listening on (unix:\S+); recording to", program.stderr.readline())
                self.assertTrue(address)
                self.assertEqual(select.select([program.stdout], [], [], .5)[0], [])
                subprocess.run([GCSPY, "info", address[1]], stdout=subprocess.DEVNULL, timeout=60, check=True)
                self.assertEqual(program.stdout.readline(), "begun\n")
                program.communicate("\n", timeout=60)

    def test_dlmalloc(self):
        """One server: the heap of any allocator, and dlmalloc's inside in the same tree."""
        if not os.path.exists(f"{os.path.dirname(GCSPY)}/../lib/libgcspydlmalloc.so"):
            self.skipTest("libgcspydlmalloc.so is not built here")
        path = f"{self.folder}/s"
        with subprocess.Popen([GCSPY, "run", "--allocator", "dlmalloc", "--deferred", "50", "--socket", path,
                               "sh", "-c", "read line"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as program:
            self.assertIn("listening", program.stderr.readline())
            dump = subprocess.run([GCSPY, "dump", f"unix:{path}"], capture_output=True, text=True,
                                  timeout=60, check=False).stdout
            info = subprocess.run([GCSPY, "info", f"unix:{path}"], capture_output=True, text=True,
                                  timeout=60, check=False).stdout
            program.communicate("\n", timeout=60)
        for line in ("Heap: ", "Size classes: ", "Gaps: ", "Mappings: ", "  Free chunks ", "Smallbin 48 B: ",
                     "Treebin from ", "Mspaces: ", "dv and top: 2 tiles", "Parked: "):
            self.assertIn(line, dump)
        self.assertIn("dlmalloc 2.8.3", info)

    def test_leaks_are_of_one_process(self):
        done = run("--children", "--leaks", "--socket", f"{self.folder}/%p", "/bin/true")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("give one of them", done.stderr)

    def test_leaks_of_a_program_whose_main_thread_left(self):
        done = run("--leaks", PITFALLS, "leave")
        self.assertEqual((done.returncode, done.stdout), (0, "outlived 1\nat exit\n"))
        self.assertIn("12.1 KiB", done.stderr)

    def test_completion_knows_it(self):
        text = subprocess.run([GCSPY, "help", "run"], capture_output=True, text=True, check=True)
        for option in ("--wait", "--children", "--allocator LIBRARY", "--output FILE"):
            self.assertIn(option, text.stdout)


if __name__ == "__main__":
    unittest.main()
