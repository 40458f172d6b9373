"""What the tests of `gcspy attach` and `gcspy list` share: running them, and JVMs to run them on."""

import contextlib
import glob
import json
import os
import socket
import subprocess
import time
import unittest

import table
from jvm import TIMEOUT, PROGRAM

# JDK 21 and later warn of agents that are loaded later unless this is given; older ones do not know
# the flag.
QUIET = "-XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading"
ONE = (table.Row("Serial", f"-Xmx32m {QUIET}"),)
NO_PERF = (table.Row("Serial", "-Xmx32m -XX:-UsePerfData", name="without PerfData"),)


def gcspy(*words, **options):
    """Runs it to its end; returns exit code, standard output, standard error."""
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT, **options)
    return done.returncode, done.stdout, done.stderr


def listed(pid):
    """The process in `gcspy list --format json`, or None."""
    code, out, err = gcspy("list", "--format", "json")
    assert (code, err) == (0, ""), (code, err)
    document = json.loads(out)
    assert document["format"] == 1
    found = [jvm for jvm in document["jvms"] if jvm["pid"] == pid]
    return found[0] if found else None


def leave_socket(pid, end=None, path=None):
    """Lays a socket where a JVM with that number has its own. Nobody listens, unless at `end`."""
    path = path or f"/tmp/.java_pid{pid}"
    left = end or socket.socket(socket.AF_UNIX)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # of an earlier process with that number
    left.bind(path)
    if end is None:
        left.close()
    return path


@unittest.skipUnless(PROGRAM, "the program gcspy is not built")
class Case(unittest.TestCase):
    def attach(self, pid, *words, loaded=True, says=""):
        """A successful attach; returns the addresses."""
        code, out, err = gcspy("attach", pid, *words, "--format", "json")
        self.assertEqual(code, 0, err)
        answer = json.loads(out)
        self.assertEqual((answer["pid"], answer["loaded"]), (pid, loaded))
        self.assertRegex(err, says if says else r"\A\Z")
        return answer["addresses"]

    def refused(self, words, *arguments, code=1, within=8.0, **options):
        """An attach that fails with one line; returns it."""
        begin = time.monotonic()
        done, out, err = gcspy("attach", *arguments, **options)
        self.assertEqual((done, out), (code, ""), err)
        self.assertRegex(err, r"\Agcspy: [^\n]+\n\Z", "exactly one line")
        self.assertRegex(err, words)
        self.assertLess(time.monotonic() - begin, within)
        return err

    @staticmethod
    def end(process):
        """Ends one that was started with pipes."""
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()

    def untouched(self, jvm):
        """Neither a thread dump nor a file is left."""
        self.assertNotIn("thread dump", jvm.out + jvm.err)
        left = glob.glob(f"/tmp/.attach_pid{jvm.pid}") + glob.glob(jvm.path(".attach_pid*"))
        self.assertEqual(left, [])
