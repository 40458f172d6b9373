"""What the tests of the program `gcspy` share: servers that end with the test, and running gcspy.

Paths come from the environment: GCSPY, TOY_SERVER, ODD_SERVER, PROFILE_SERVER, DOCS (the folder docs/) and, for
MadeTraces, TRACE_MAKER.
"""

import contextlib
import fcntl
import json
import os
import pty
import signal
import socket
import struct
import subprocess
import tempfile
import termios
import threading
import time
import unittest

GCSPY = os.environ["GCSPY"]
TOY_SERVER = os.environ["TOY_SERVER"]
ODD_SERVER = os.environ["ODD_SERVER"]
PROFILE_SERVER = os.environ["PROFILE_SERVER"]
DOCS = os.environ["DOCS"]

# No single run of gcspy that ends by itself takes longer, even with sanitizers.
LIMIT = 120


def frames(document, site, stacks="stacks"):
    """The frames of a site in a document of call sites, the youngest first."""
    found, number = [], site["stack"]
    while number is not None:
        found.append(document[stacks][number])
        number = found[-1]["caller"]
    return found


class Server:
    """A server program of ours, from its first line on until the end of the `with`."""

    def __init__(self, program, *arguments):
        self.command = [program] + [str(a) for a in arguments]

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            raise AssertionError("the server said %r" % line)
        self.address = line.split()[-1]
        self.port = self.address.split(":")[1]
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def stop(self):
        """Stops it, and waits until all its threads have."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)


def toy(milliseconds=20):
    return Server(TOY_SERVER, 0, 1000000, milliseconds)


def odd(milliseconds=0, token="", path=None):
    return Server(ODD_SERVER, 0, milliseconds, token, *([path] if path else []))


def profiles(mode="plain"):
    """A server that answers questions; the modes are those of profile_server.c."""
    return Server(PROFILE_SERVER, 0, mode)


class Listener:
    """A TCP listener that is no GCspy server: `answer(connection)` does what it likes."""

    def __init__(self, answer):
        self.answer = answer

    def __enter__(self):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(8)
        self.port = str(self.socket.getsockname()[1])
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def run(self):
        self.socket.settimeout(0.1)
        while not self.over.is_set():
            try:
                connection, _ = self.socket.accept()
            except socket.timeout:
                continue
            with connection:
                try:
                    self.answer(connection, self.over)
                except OSError:
                    pass

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.socket.close()


class Case(unittest.TestCase):
    def gcspy(self, *arguments, code=0, **options):
        """Runs gcspy to its end; returns its standard output, or its standard error if that is
        what `code` promises."""
        options.setdefault("stdin", subprocess.DEVNULL)
        done = subprocess.run([GCSPY] + [str(a) for a in arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=LIMIT, **options)
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, code, "%s: %s%s" % (arguments, out[:500], err))
        if code == 0:
            return out
        self.assertRegex(err, r"\Agcspy: [^\n]+\n\Z", "exactly one line")
        return err

    def json(self, *arguments):
        return json.loads(self.gcspy(*arguments, "--format", "json"), object_pairs_hook=self.unique)

    def unique(self, pairs):
        """No key occurs twice in an object."""
        keys = [key for key, _ in pairs]
        self.assertEqual(len(keys), len(set(keys)), keys)
        return dict(pairs)

    def terminal(self, columns, *arguments):
        """What gcspy writes to a terminal of that width."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        process = subprocess.Popen([GCSPY, *arguments], stdin=subprocess.DEVNULL,
                                   stdout=theirs, stderr=subprocess.PIPE,
                                   env={**os.environ, "NO_COLOR": "1"})
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # how a terminal that nobody has open any more ends
            while part := os.read(ours, 65536):
                shown += part
        os.close(ours)
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 0, err)
        return shown.decode().replace("\r\n", "\n")

    def start(self, *arguments, **options):
        """Starts gcspy; killed at the end of the test if it has not ended."""
        options.setdefault("stdin", subprocess.DEVNULL)
        process = subprocess.Popen([GCSPY] + [str(a) for a in arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()

    def line(self, process):
        """The next line of standard output, within the limit."""
        timer = threading.Timer(LIMIT, process.kill)
        timer.start()
        try:
            return process.stdout.readline().decode()
        finally:
            timer.cancel()

    def hold(self, server, *arguments, **options):
        """A `gcspy pause` that has said that the program is paused: at an event, or at one that
        began before the client was there."""
        process = self.start("pause", server.port, *arguments, **options)
        self.assertIn("Waiting", self.line(process))
        self.assertRegex(self.line(process), r"^Paused( at #\d+ .*Collection (start|end).*)?$")
        return process

    def count(self, server):
        """How many events have happened."""
        return sum(self.json("info", server.port)["counters"].values())

    def assert_goes_on(self, server, since=None, within=8.0):
        """Events happen again within that many seconds: before the keep-alive limit, 10 s, ends the
        hold of a client that is not noticed to have gone."""
        begin = time.monotonic()
        before = self.count(server) if since is None else since
        while self.count(server) == before:
            self.assertLess(time.monotonic() - begin, within, "the program stands still")
        self.assertLess(time.monotonic() - begin, within)

    @staticmethod
    def sockets(server):
        """How many sockets the server has."""
        folder = "/proc/%d/fd" % server.process.pid
        found = 0
        for name in os.listdir(folder):
            try:
                found += os.readlink(os.path.join(folder, name)).startswith("socket:")
            except FileNotFoundError:
                pass
        return found

    def connected(self, server, before):
        """Waits until it has accepted one more connection than it had sockets before."""
        deadline = time.monotonic() + LIMIT
        while self.sockets(server) <= before:
            self.assertLess(time.monotonic(), deadline, "nobody connects")
            time.sleep(0.01)

    def assert_fits(self, text):
        """Made for a terminal: 100 columns and nothing that steers it."""
        for row in text.split("\n"):
            self.assertLessEqual(len(row), 100, row)
            self.assertTrue(row.isprintable(), repr(row))


class MadeTraces(Case):
    """Traces that TRACE_MAKER writes into a folder of the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def made(self, mode):
        path = os.path.join(self.folder, mode + ".gcst")
        subprocess.run([os.environ["TRACE_MAKER"], mode, path], check=True, timeout=LIMIT)
        return path


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main(verbosity=2)
