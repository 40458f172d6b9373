"""Large programs do the same with libgcspymalloc.so preloaded in all their processes (M3): a database under its
own benchmark, a version control system over a history, 10,000 threads at a time.

LIBRARY comes from CMake. A program that is not installed is skipped by name.
"""

import glob
import os
import shutil
import subprocess
import tempfile
import time
import unittest

LIBRARY, PITFALLS = os.environ["LIBRARY"], os.environ["PITFALLS"]
POSTGRES = sorted(glob.glob("/usr/lib/postgresql/*/bin/pgbench"))


class Matrix(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def watched(self, name):
        """The environment of a run in which each process records itself."""
        os.makedirs(f"{self.folder}/{name}.traces")
        os.chmod(f"{self.folder}/{name}.traces", 0o777)
        return {"LD_PRELOAD": LIBRARY,
                "GCSPYMALLOC": f"children=yes,update=5,record={self.folder}/{name}.traces/%p.gcspy"}

    def both(self, run):
        """Plain and watched; the watched run has left recordings."""
        plain, ours = run("plain", {}), run("ours", self.watched("ours"))
        self.assertEqual(ours, plain)
        self.assertNotEqual(os.listdir(f"{self.folder}/ours.traces"), [], "it was watched")

    def test_ten_thousand_threads(self):
        def run(_, extra):
            done = subprocess.run([PITFALLS, "crowd"], env=dict(os.environ, **extra), capture_output=True,
                                  text=True, timeout=300, check=False)
            return done.stdout, done.stderr, done.returncode

        self.both(run)

    def test_git(self):
        if shutil.which("git") is None:
            self.skipTest("git is not installed")
        fixed = {name: value for who in ("AUTHOR", "COMMITTER") for name, value in (
            (f"GIT_{who}_NAME", "n"), (f"GIT_{who}_EMAIL", "e"), (f"GIT_{who}_DATE", "2026-01-01T00:00:00Z"))}

        def run(name, extra):
            folder, output = f"{self.folder}/{name}", []

            def git(*words):
                done = subprocess.run(["git", "-C", folder, *words], env=dict(os.environ, **fixed, **extra),
                                      capture_output=True, text=True, timeout=120, check=False)
                output.append((done.stdout.replace(folder, ""), done.returncode))
            os.mkdir(folder)
            git("init", "-q")
            for step in range(3):
                for i in range(200):
                    with open(f"{folder}/file{i}", "w", encoding="utf-8") as file:
                        file.write(f"{i * step}\n" * (i % 40 + 1))
                git("add", ".")
                git("commit", "-q", "-m", f"step {step}")
            for words in (["gc", "-q"], ["fsck", "--full"], ["log", "-p", "--stat"], ["blame", "file39"],
                          ["clone", "-q", ".", f"{folder}/copy"], ["-C", "copy", "rev-parse", "HEAD"],
                          ["grep", "-c", "398"], ["archive", "HEAD"]):
                git(*words)
            self.assertEqual([code for _, code in output], [0] * len(output))
            return output

        self.both(run)

    @unittest.skipIf(not POSTGRES, "postgresql with pgbench is not installed")
    def test_postgres(self):
        programs = os.path.dirname(POSTGRES[-1])
        # It refuses to run as root.
        user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        os.chmod(self.folder, 0o777)

        def call(name, *words, extra=None):
            done = subprocess.run([f"{programs}/{name}", *words], env=dict(os.environ, **(extra or {})),
                                  cwd=self.folder, capture_output=True, text=True, timeout=300, check=False, **user)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        def run(name, extra):
            data = f"{self.folder}/{name}"
            call("initdb", "-D", data, "-U", "u", "--no-sync", "-A", "trust")
            with subprocess.Popen([f"{programs}/postgres", "-D", data, "-k", data, "-h", "", "-F"],
                                  env=dict(os.environ, **extra), cwd=self.folder, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, **user) as server:
                end = time.monotonic() + 120
                while subprocess.run([f"{programs}/pg_isready", "-q", "-h", data], check=False).returncode != 0:
                    self.assertIsNone(server.poll(), "the server has ended")
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.1)
                where = ("-h", data, "-U", "u")
                call("pgbench", *where, "-i", "-q", "-s", "1", "postgres")
                call("pgbench", *where, "-n", "-t", "500", "--random-seed", "7", "postgres")
                call("pgbench", *where, "-n", "-c", "4", "-S", "-t", "200", "postgres")
                rows = call("psql", *where, "-At", "-c", "select sum(abalance), count(*), md5(string_agg("
                            "abalance::text, ',' order by aid)) from pgbench_accounts", "postgres")
                server.terminate()
                return rows, server.wait(120)

        self.both(run)


if __name__ == "__main__":
    unittest.main()
