"""Recordings that `gcspy serve` makes (E3): who starts one gets a file that tells the same as the metrics, whose
pauses name it, and whose folder never grows beyond what it was given.
"""

import contextlib
import http.client
import json
import os
import re
import shutil
import stat
import subprocess
import threading
import time
import unittest

import serving
import table
from jvm import MIB, NEWEST, PROGRAM, TIMEOUT

ROW = table.Row("Serial", "-Xms32m -Xmx32m")
NONE = ("--match", "^no such program$")


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT)


def tool(*words):
    done = run(*words)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


class Test(serving.Case):
    @classmethod
    def setUpClass(cls):
        cls.own = serving.Own()
        cls.addClassCleanup(cls.own.close)
        cls.jvm = cls.own.start(NEWEST[0], ROW, "shop")
        cls.addClassCleanup(cls.jvm.__exit__, None)
        cls.jvm.ask("pools")

    def serving(self, *words, match=True):
        self.folder = os.path.join(self.own.folder, self.id().rsplit(".", 1)[1])
        os.mkdir(self.folder)
        serve = serving.Serving(*(("--match", self.own.match) if match else NONE),
                                "--recordings", self.folder, *words)
        self.addCleanup(serve.__exit__)
        if match:
            serve.until_live([self.jvm.pid])
        return serve

    def test_a_file_is_no_folder(self):
        done = run("serve", "--recordings", "/etc/passwd")
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\A[^\n]*--recordings /etc/passwd: Not a directory\n\Z")

    def start(self, serve, words, code=201):
        status, headers, body = serve.request(f"/recordings?{words}", "POST")
        self.assertEqual(status, code, body)
        self.assertRegex(body.decode(), r"\A[^\n]+\n\Z")
        if code == 201:
            self.assertEqual(headers["Location"], "/recordings/" + body.decode().strip())
        return body.decode().strip()

    @staticmethod
    def listed(serve):
        document = json.loads(serve.get("/recordings"))
        assert document["format"] == 1
        return {r["name"]: r for r in document["recordings"]}

    def test_a_recording_has_what_the_metrics_have(self):
        serve = self.serving()
        self.assertEqual(self.listed(serve), {})
        name = self.start(serve, f"instance={self.jvm.pid}&seconds=3600")
        self.assertRegex(name, rf"\A[\w]+-{self.jvm.pid}-\d{{8}}T\d{{6}}Z-\d+\.gcspy\Z")
        self.assertTrue(self.listed(serve)[name]["runs"])
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.folder, name)).st_mode) & 0o077, 0)
        before = serving.values(serve.metrics(), "jvm_gc_duration_seconds", self.jvm.pid, "_count")
        self.jvm.ask(f"churn {64 * MIB}")
        self.jvm.ask("gc")
        # A pause within the recording names it.
        text = serve.until(lambda: (t := self.open_metrics(serve)) if "# {recording=" in
                           self.open_metrics(serve) else None, "an exemplar")
        lines = re.findall(r'(?m)^jvm_gc_duration_seconds_bucket\{.*le="(.*?)"\} \d+ '
                           r'# \{recording="(.*)"\} (\S+) (\S+)$', text)
        self.assertTrue(lines)
        for limit, recording, seconds, when in lines:
            self.assertEqual(recording, name)
            self.assertLessEqual(float(seconds), float(limit))
            self.assertLess(abs(float(when) - time.time()), TIMEOUT)
        # What has been written so far can be read while it goes on, and all of it at the end.
        def part():
            done = run("stats", self.fetch(serve, name, "part.gcspy"))
            return None if done.stderr.endswith("has no whole event\n") else done
        done = serve.until(part, "a written event")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"process {self.jvm.pid}", done.stdout)
        counted = sum(v for _, v in serving.values(serve.metrics(), "jvm_gc_duration_seconds",
                                                   self.jvm.pid, "_count"))
        counted -= sum(v for _, v in before)
        self.assertEqual(serve.stop(), (0, ""))
        whole = os.path.join(self.folder, name)
        stats = json.loads(tool("stats", whole, "--json"))
        self.assertEqual(stats["pauses"]["all"]["count"], counted)

    def test_it_ends_by_itself(self):
        serve = self.serving()
        name = self.start(serve, f"instance={self.jvm.pid}&seconds=1")
        ended = serve.until(lambda: (r := self.listed(serve)[name]) and not r["runs"] and r, "its end")
        got = self.fetch(serve, name, "got.gcspy")
        self.assertEqual(os.path.getsize(got), ended["bytes"])
        self.assertNotIn("not finished", tool("stats", got))

    def test_the_folder_is_bounded(self):
        """Four at a time; the oldest complete ones make way, other files and the running ones never."""
        serve = self.serving("--recordings-size", "1m")
        for i in range(6):
            path = os.path.join(self.folder, f"old-{i}.gcspy")
            with open(path, "wb") as file:
                file.write(bytes(150_000))
            os.utime(path, (1_000_000 + i, 1_000_000 + i))
        with open(os.path.join(self.folder, "notes.txt"), "wb") as file:
            file.write(bytes(400_000))
        first = self.start(serve, f"instance={self.jvm.pid}&seconds=600")
        self.assertEqual(set(self.listed(serve)), {f"old-{i}.gcspy" for i in range(1, 6)} | {first})
        more = [self.start(serve, f"instance={self.jvm.pid}&seconds=600") for _ in range(3)]
        self.assertEqual(set(self.listed(serve)), {first, *more})
        self.assertIn("4 recordings run", self.start(serve, f"instance={self.jvm.pid}", 503))
        self.assertTrue(os.path.exists(os.path.join(self.folder, "notes.txt")))

    def test_one_that_reaches_its_size_ends(self):
        serve = self.serving("--recordings-size", "1m")
        name = self.start(serve, f"instance={self.jvm.pid}&seconds=600")
        deadline = time.monotonic() + TIMEOUT
        while self.listed(serve)[name]["runs"]:
            self.assertLess(time.monotonic(), deadline)
            self.jvm.ask(f"churn {256 * MIB}")
        self.assertLessEqual(self.listed(serve)[name]["bytes"], MIB // 4 + 65536)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root and unshare")
    def test_full_disk(self):
        """The oldest complete ones make way; one that is cut short, and one that cannot begin, say why."""
        folder = os.path.join(self.own.folder, "disk")
        os.mkdir(folder)
        serve = serving.Serving(
            "--match", self.own.match, "--recordings", folder, "--recordings-size", "4m",
            before=("unshare", "--mount", "sh", "-c",
                    f"mount -t tmpfs -o size=300k tmpfs {folder} && exec \"$@\"", "sh"))
        self.addCleanup(serve.__exit__)
        serve.until_live([self.jvm.pid])
        inside = f"/proc/{serve.process.pid}/root{folder}"
        for i in range(2):
            path = os.path.join(inside, f"old-{i}.gcspy")
            with open(path, "wb") as file:
                file.write(bytes(140_000))
            os.utime(path, (1_000_000 + i, 1_000_000 + i))
        name = self.start(serve, f"instance={self.jvm.pid}&seconds=600")
        self.assertEqual(set(self.listed(serve)), {"old-1.gcspy", name})
        self.assertEqual(self.listed(serve)[name]["error"], "")
        deadline = time.monotonic() + TIMEOUT
        while self.listed(serve)[name]["runs"]:
            self.assertLess(time.monotonic(), deadline)
            self.jvm.ask(f"churn {256 * MIB}")
        self.assertEqual(set(self.listed(serve)), {name})
        self.assertRegex(self.listed(serve)[name]["error"], "No space left on device")
        os.unlink(os.path.join(inside, name))
        with open(os.path.join(inside, "notes.txt"), "wb", buffering=0) as file, \
                contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        said = self.start(serve, f"instance={self.jvm.pid}&seconds=600", 503)
        self.assertRegex(said, f"process {self.jvm.pid}: .*No space left on device")
        self.assertNotIn(folder, said)
        self.assertEqual(serve.stop()[0], 0)

    def open_metrics(self, serve):
        return serve.get("/metrics", Accept="application/openmetrics-text").decode()

    def fetch(self, serve, name, to):
        status, headers, body = serve.request(f"/recordings/{name}")
        self.assertEqual((status, headers["Content-Type"]), (200, "application/octet-stream"))
        path = os.path.join(self.own.folder, to)
        with open(path, "wb") as file:
            file.write(body)
        return path

    def test_who_and_what(self):
        """Errors are one line; nothing outside the folder can be named; a page of a browser starts nothing."""
        serve = self.serving()
        os.symlink("/etc/passwd", os.path.join(self.folder, "link.gcspy"))
        os.mkfifo(os.path.join(self.folder, "fifo.gcspy"))
        for words, code in (("instance=1", 404), (f"instance={self.jvm.pid}&seconds=0", 400),
                            (f"instance={self.jvm.pid}&seconds=3601", 400),
                            (f"instance={self.jvm.pid}&seconds=x", 400)):
            self.start(serve, words, code)
        for name in ("link.gcspy", "fifo.gcspy", "../shop.jar", "..%2fshop.jar", "", ".gcspy", "x" * 300,
                     "%00", "a%0ab.gcspy", "none.gcspy"):
            if name:
                status, _, body = serve.request(f"/recordings/{name}")
                self.assertEqual(status, 404, (name, body))
        self.assertEqual(self.listed(serve), {})
        status, _, body = serve.request(f"/recordings?instance={self.jvm.pid}", "POST",
                                        Origin="http://evil.example")
        self.assertEqual(status, 403, body)
        for method, path in (("DELETE", "/recordings"), ("POST", "/recordings/x.gcspy"),
                             ("POST", "/metrics"), ("PUT", "/recordings")):
            self.assertEqual(serve.request(path, method)[0], 405, (method, path))
        self.assertEqual(self.listed(serve), {})

    def test_a_body_is_not_read(self):
        serve = self.serving()
        connection = http.client.HTTPConnection(serve.host, serve.port, timeout=TIMEOUT)
        status, _, body = serve.request(f"/recordings?instance={self.jvm.pid}&seconds=1", "POST",
                                        body=b"x" * 1000, connection=connection)
        self.assertEqual(status, 201, body)

    def test_many_at_once(self):
        """Requests at the same time: never more than four run."""
        serve = self.serving()
        codes = []

        def one():
            codes.append(serve.request(f"/recordings?instance={self.jvm.pid}&seconds=600", "POST")[0])
        threads = [threading.Thread(target=one) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(codes), [201] * 4 + [503] * 8)

    def test_flight_recording(self):
        """Where gcspy serve loads the agent with --flight, the last seconds are there afterwards."""
        jvm = self.own.start(NEWEST[0], ROW, "flight")
        self.addCleanup(jvm.__exit__, None)
        jvm.ask("pools")
        folder = os.path.join(self.own.folder, "flights")
        os.mkdir(folder)
        with serving.Serving("--match", "/flight.jar$", "--recordings", folder, "--flight",
                             "60s") as serve:
            serve.until_live([jvm.pid])
            jvm.ask(f"churn {48 * MIB}")
            jvm.ask("gc")
            pauses = sum(v for _, v in serving.values(serve.metrics(), "jvm_gc_duration_seconds",
                                                      jvm.pid, "_count"))
            names = [self.start(serve, f"instance={jvm.pid}&flight=yes") for _ in range(2)]
            self.assertEqual(set(self.listed(serve)), set(names))
            self.start(serve, f"instance={jvm.pid}&flight=no", 400)
            self.start(serve, f"instance={jvm.pid}&flight=yes&seconds=5", 400)
            for name in names:
                stats = json.loads(tool("stats", self.fetch(serve, name, name), "--json"))
                self.assertGreaterEqual(stats["pauses"]["all"]["count"], pauses)
            info = tool("info", f"127.0.0.1:{serve.port}/{jvm.pid}")
            kept = re.search(rf"(?m)^ *Flight recording:? +(/tmp/gcspy-{jvm.pid}-\S+\.gcspy)$", info)
            self.assertIsNotNone(kept, info)
            for path in self.flights(jvm.pid):
                os.unlink(path)
            self.assertEqual(serve.stop(), (0, ""))

    @staticmethod
    def flights(pid):
        return [os.path.join("/tmp", n) for n in os.listdir("/tmp") if n.startswith(f"gcspy-{pid}-")]

    def test_without_a_flight_ring(self):
        serve = self.serving()
        self.assertIn("record-ring", self.start(serve, f"instance={self.jvm.pid}&flight=yes", 503))
        self.assertEqual(self.listed(serve), {})

    def test_without_a_folder(self):
        with serving.Serving(*NONE) as serve:
            for method in ("GET", "POST"):
                status, _, body = serve.request("/recordings", method)
                self.assertEqual(status, 404)
                self.assertIn(b"--recordings", body)
        for folder in ("/nonexistent", "/etc/passwd"):
            done = subprocess.run([PROGRAM, "serve", *NONE, "--recordings", folder],
                                  capture_output=True, text=True, check=False, timeout=TIMEOUT)
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr, rf"\Agcspy: --recordings {folder}: [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main(verbosity=2)
