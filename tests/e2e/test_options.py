"""The agent's options: what is taken, what is refused and how it is said, and that the program's
own output is never touched (H1, Q1, Q4)."""

import contextlib
import os
import re
import socket
import stat
import subprocess
import tempfile
import unittest

import table
from jvm import AGENT, JAR, Jvm, NEWEST, View, cases, expand, main, run, wire

ONE = (table.Row("Serial", "-Xmx32m"),)
IDLE = ("seconds=0", "arrays=10")

# Options, and what the one line about them has to say besides naming the option.
REFUSED = (
    ("prot=3000", r'unknown option "prot".*help'),
    ("port=70000", r'port="70000".*0 to 65535'),
    ("port=x1", r'port="x1".*whole number'),
    ("port=", r'port="".*whole number'),
    ("port", r'port.*whole number'),
    ("port=-1", r'port="-1"'),
    ("port=0,block=3000", r'block="3000".*power of two'),
    ("port=0,block=256", r'block="256".*512'),
    ("port=0,max-tiles=1", r'max-tiles="1".*16 to'),
    ("port=0,keep-alive=0", r'keep-alive="0".*1 to 3600'),
    ("port=0,max-clients=99", r'max-clients="99".*1 to 32'),
    ("port=0,allow=all", r'allow="all".*user\|any'),
    ("port=0,interval=x", r'interval="x".*0 to 2147483647.*512k'),
    ("port=0,interval=2g", r'interval="2g".*0 to 2147483647'),
    ("port=0,depth=0", r'depth="0".*1 to 512'),
    ("port=0,depth=513", r'depth="513".*1 to 512'),
    ("port=0,live-memory=63k", r'live-memory="63k".*65536 to'),
    ("port=0,site-memory=255k", r'site-memory="255k".*262144 to'),
    ("port=0,recent=100001", r'recent="100001".*0 to 100000'),
    ("port=0,frequent=-1", r'frequent="-1".*0 to 100000'),
    ("port=0,stackwalk=fast", r'stackwalk="fast".*auto|jvmti'),
    ("record=", r'record needs a value'),
    ("record=/nowhere/in/particular/r", r"record.*/nowhere/in/particular/r.*No such file"),
    ("record=r,record-size=64", r'record-size="64".*65536 to'),
    ("record=r,record-profiles=x", r'record-profiles="x".*0 to 86400'),
    ("port=0,strict=yes", r'strict takes no value'),
    ("port=0,token-file=", r'token-file needs a value'),
    ("port=0,token-file=/nowhere/token", r"/nowhere/token.*No such file"),
    ("port=0,host=0.0.0.0", r"token"),
    ("port=0,host=::", r"token"),
    ("port=0,host=256.1.1.1,token-file=TOKEN", r"256\.1\.1\.1"),
    ("port=0,socket=/nowhere/in/particular/s", r"/nowhere/in/particular/s"),
)


@expand
class Options(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.token = os.path.join(self.folder.name, "token")
        with open(self.token, "w", encoding="utf-8") as file:
            file.write("open sesame\nnot this\n")
        os.chmod(self.token, 0o600)

    def refused(self, jdk, row, options, words):
        """Once strict, once not; returns what was said."""
        options = options.replace("TOKEN", self.token)
        code, out, err = run(jdk, "Idle", row.flags, options, IDLE)
        lines = [line for line in err.splitlines() if line.startswith("gcspy: ")]
        self.assertEqual(code, 0, err)
        self.assertEqual(len(lines), 1, err)
        self.assertRegex(lines[0], words)
        self.assertIn("the program runs without GCspy", lines[0])
        self.assertRegex(out, r"^truth Idle .*\n$")
        strict, out, err = run(jdk, "Idle", row.flags, options + ",strict", IDLE)
        self.assertNotEqual(strict, 0)
        self.assertNotIn("truth", out)
        self.assertRegex(err, words)

    @cases(ONE, in_turn=True)
    def check_refused(self, jdk, row):
        """H1, Q1: one clear line; the program runs on, or does not start if strict is given."""
        for options, words in REFUSED if jdk in NEWEST else REFUSED[:2]:
            with self.subTest(options=options[:40]):
                self.refused(jdk, row, options, words)

    @cases(ONE, in_turn=True)
    def check_endless(self, jdk, row):
        """H1: more than the agent reads is refused by its length."""
        code, out, err = run(jdk, "Idle", row.flags, "x" * 5000, IDLE)
        self.assertEqual(code, 0)
        self.assertRegex(err, "gcspy: the options have 5000 bytes; the limit is 4095")
        self.assertRegex(out, r"\Atruth Idle .*\n\Z")

    @cases(ONE, in_turn=True)
    def check_bad_tokens(self, jdk, row):
        """Q1: an empty token, one that is too long, no right to read: named, never shown."""
        for content, words in (("\n", "1 to 255 bytes"), ("x" * 300, "1 to 255 bytes")):
            with open(self.token, "w", encoding="utf-8") as file:
                file.write(content)
            code, _, err = run(jdk, "Idle", row.flags, f"port=0,token-file={self.token}", IDLE)
            self.assertEqual(code, 0)
            self.assertRegex(err, words)
            self.assertNotIn("xxx", err)

    @cases(ONE, in_turn=True)
    def check_token_files(self, jdk, row):
        """Q1: one line when others may read it; a FIFO is refused at once."""
        options = f"port=0,token-file={self.token}"
        for mode, warns in ((0o600, False), (0o640, True), (0o604, True)):
            os.chmod(self.token, mode)
            code, _, err = run(jdk, "Idle", row.flags, options, IDLE)
            self.assertEqual(code, 0)
            self.assertIn("gcspy: listening on", err)
            self.assertEqual(len(re.findall(r"gcspy: other users can read the token in .*chmod 600",
                                            err)), int(warns), err)
        os.remove(self.token)
        os.mkfifo(self.token, 0o600)
        code, _, err = run(jdk, "Idle", row.flags, options, IDLE)
        self.assertEqual(code, 0)
        self.assertRegex(err, "gcspy: token file .*not a regular file")

    @cases(ONE, in_turn=True)
    def check_help(self, jdk, row):
        """H1: help lists every option on standard error, and the program runs."""
        code, out, err = run(jdk, "Idle", row.flags, "help", IDLE)
        self.assertEqual(code, 0)
        for option in ("port=", "host=", "token-file=", "socket=", "allow=", "block=", "max-tiles=",
                       "keep-alive=", "max-clients=", "interval=", "depth=", "live-memory=",
                       "site-memory=", "recent=", "frequent=", "stackwalk=", "strict", "verbose",
                       "quiet", "help"):
            self.assertRegex(err, rf"gcspy: +{option}")
        self.assertNotIn("listening", err)
        self.assertRegex(out, r"\Atruth Idle .*\n\Z")

    @cases(ONE, in_turn=True)
    def check_output_untouched(self, jdk, row):
        """H1: standard output is the same byte for byte, with, without and with a wrong option."""
        arguments = ("rounds=20", "depth=10")
        outputs = {run(jdk, "GCBench", row.flags, options, arguments)[1]
                   for options in (None, "port=0", "port=0,verbose", "nonsense", "help")}
        self.assertEqual(len(outputs), 1)

    @cases(ONE, in_turn=True)
    def check_sampling(self, jdk, row):
        """H1, S1: the least and the most that the options of sampling allow are honoured."""
        least = "interval=1,depth=1,live-memory=64k,site-memory=256k,recent=0,frequent=0," \
            "stackwalk=jvmti"
        most = "interval=2147483647,depth=512,live-memory=1g,site-memory=1g,recent=100000," \
            "frequent=100000,stackwalk=auto"
        for options, every, walk in ((least, "every 1 B ", "GetStackTrace"), (most, "GiB", "fast")):
            with self.subTest(options=options), \
                    Jvm(jdk, "Layout", row.flags, f"port=0,{options}") as jvm:
                with View(jvm.address()) as view:
                    jvm.ask("churn 2m", view)
                    jvm.ask("gc", view)
                    view.picture()
                    self.assertRegex(view.lines()["Sampling"], f"^on, .*{every}")
                    self.assertIn(walk, view.lines()["Stack walk"])
                    answer = view.answered(view.ask("settings"))
                    interval = options.split(",")[0]
                    self.assertEqual(answer.body.decode().splitlines()[0], interval)
                self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_port_in_use(self, jdk, row):
        """H1, Q4: a port in use is named; the program runs, or does not if strict is given."""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.refused(jdk, row, f"port={port}", rf"{port}.*in use")

    @cases(ONE, in_turn=True)
    def check_named_port(self, jdk, row):
        """H1, Q1: port=0 names the port that it took, on loopback alone."""
        with Jvm(jdk, "Layout", row.flags, "port=0") as jvm:
            address = jvm.address()
            self.assertRegex(address, r"^127\.0\.0\.1:[1-9]\d+$")
            with View(address) as view:
                view.picture()
                self.assertEqual(int(view.lines()["Process"]), jvm.pid)
            listening = self.listeners(jvm.pid)
            self.assertEqual(listening, {("0100007F", int(address.rpartition(":")[2]))})
            self.assertEqual(jvm.quit(), 0)

    @staticmethod
    def listeners(pid):
        """(address, port) of each listening TCP socket of the process."""
        inodes = set()
        for entry in os.listdir(f"/proc/{pid}/fd"):
            try:
                found = re.match(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{entry}"))
            except OSError:
                continue
            if found:
                inodes.add(found[1])
        result = set()
        for name in ("tcp", "tcp6"):
            with open(f"/proc/{pid}/net/{name}", encoding="utf-8") as table_of_sockets:
                for line in table_of_sockets.readlines()[1:]:
                    words = line.split()
                    if words[3] == "0A" and words[9] in inodes:
                        address, port = words[1].split(":")
                        result.add((address, int(port, 16)))
        return result

    @cases(ONE, in_turn=True)
    def check_token(self, jdk, row):
        """Q1: any address works with a token, and only with the right one, which appears nowhere."""
        for host in ("0.0.0.0", "127.0.0.1", "::1"):
            options = f"port=0,host={host},token-file={self.token},verbose"
            with self.subTest(host=host), Jvm(jdk, "Layout", row.flags, options) as jvm:
                port = jvm.address().rpartition(":")[2]
                if host == "::1" and not self.has_ipv6():
                    self.skipTest("no IPv6 loopback")
                name = "[::1]" if host == "::1" else "127.0.0.1"
                for token in ("", "wrong", "open sesam", "open sesame\n"):
                    with self.assertRaises(wire.Closed) as refused:
                        View(f"{name}:{port}", token=token)
                    self.assertEqual(refused.exception.bye[0], "TOKEN")
                    self.assertTrue(refused.exception.bye[1])
                with View(f"{name}:{port}", token="open sesame") as view:
                    view.picture()
                    told = str(view.info) + jvm.err + jvm.out
                self.assertNotIn("sesam", told)
                self.assertRegex(jvm.err, r"(?i)token", "verbose says why")
                with open(f"/proc/{jvm.pid}/cmdline", encoding="utf-8") as line:
                    self.assertNotIn("sesam", line.read())
                self.assertEqual(jvm.quit(), 0)

    @staticmethod
    def has_ipv6():
        try:
            with socket.socket(socket.AF_INET6) as s:
                s.bind(("::1", 0))
            return True
        except OSError:
            return False

    @cases(ONE, in_turn=True)
    def check_unix_socket(self, jdk, row):
        """Q1: a Unix socket of mode 0600, without TCP; a stale one does not stand in the way."""
        path = os.path.join(self.folder.name, "s")
        for stale in (False, True):
            with self.subTest(stale=stale), \
                    Jvm(jdk, "Layout", row.flags, f"socket={path}") as jvm:
                self.assertEqual(jvm.address(), f"unix:{path}")
                mode = os.stat(path).st_mode
                self.assertTrue(stat.S_ISSOCK(mode))
                self.assertEqual(stat.S_IMODE(mode), 0o600)
                with View(f"unix:{path}") as view:
                    view.picture()
                self.assertEqual(self.listeners(jvm.pid), set())
                if not stale:
                    jvm.process.kill()
                    jvm.end()
                    self.assertTrue(os.path.exists(path), "as a crash leaves it")
                    continue
                self.assertEqual(jvm.quit(), 0)
            self.assertFalse(os.path.exists(path), "taken away at the end")

    @cases(ONE, in_turn=True)
    def check_both_sockets(self, jdk, row):
        """Q1: TCP and a Unix socket at once."""
        path = os.path.join(self.folder.name, "s")
        with Jvm(jdk, "Layout", row.flags, f"socket={path},port=0") as jvm:
            with View(jvm.address()) as one, View(f"unix:{path}") as two:
                self.assertEqual(one.lines(), two.lines())
                shapes = [[(s.name, s.block_bytes) for s in view.picture().spaces]
                          for view in (one, two)]
                self.assertEqual(*shapes)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_second_agentpath(self, jdk, row):
        """Q4: the same library twice: the second is reported and ignored."""
        flags = (*row.flags, f"-agentpath:{AGENT}=port=0")
        with Jvm(jdk, "Layout", flags, "port=0") as jvm:
            jvm.attach().close()
            self.assertIn("ignoring the second -agentpath", jvm.err)
            self.assertEqual(jvm.err.count("listening on"), 1)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_nobody_reads(self, jdk, row):
        """Q4: standard error is a pipe that is full: lines are dropped, and nothing waits for it."""
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writing, b"x" * 4096)
        os.set_blocking(writing, True)
        process = subprocess.Popen(
            [jdk.java, *row.flags, f"-agentpath:{AGENT}=port=0", "-cp", JAR, "Idle", *IDLE],
            stdout=subprocess.DEVNULL, stderr=writing)
        try:
            self.assertEqual(process.wait(60), 0)
        finally:
            process.kill()
            process.wait()
            os.close(reading)
            os.close(writing)


if __name__ == "__main__":
    main()
