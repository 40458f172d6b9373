"""Who may ask `gcspy serve`, and requests of people who mean no good. There is no JVM here."""

import base64
import contextlib
import http.client
import os
import shutil
import socket
import ssl
import subprocess
import time
import unittest

import serving
from jvm import PROGRAM, TIMEOUT, skipped

NONE = ("--match", "^no such program$")
TOKEN = "correct horse battery"


def basic(text):
    return "Basic " + base64.b64encode(text.encode()).decode()


class Test(serving.Case):
    @classmethod
    def setUpClass(cls):
        cls.own = serving.Own()
        cls.addClassCleanup(cls.own.close)
        cls.token = cls.own.token(TOKEN)

    def refused(self, words, *arguments):
        done = subprocess.run([PROGRAM, "serve", *NONE, *arguments], capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Agcspy: [^\n]+\n\Z")
        self.assertRegex(done.stderr, words)

    def test_command_line(self):
        guarded = ("--token-file", self.token)
        self.refused("needs --token-file, --tls-cert and --tls-key", "--listen", "0.0.0.0:0")
        self.refused("needs --token-file, --tls-cert and --tls-key", "--listen", "[::]:0", *guarded)
        for bad in ("x", "127.0.0.1:65536", "::1:80", "127.0.0.1:", "unix:/tmp/x"):
            self.refused("expected HOST:PORT", "--listen", bad)
        self.refused("need each other", "--tls-cert", self.token)
        self.refused("not a file with a text", "--tls-cert", "/", "--tls-key", "/")
        self.refused("No such file", "--tls-cert", "/no/such", "--tls-key", "/no/such")
        self.refused("not a regular expression", "--match", "(")
        self.refused("from 0 to 100", "--top-classes", "101")
        self.refused("extra argument", "4711")

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_other_users(self):
        """On loopback only this user and root, unless --allow says otherwise; no user but root --all."""
        ask = ("import sys, urllib.request as r\n"
               "try: print(r.urlopen(sys.argv[1]).status)\n"
               "except r.HTTPError as e: print(e.code)")
        for words, code in (((), "403"), (("--allow", "any"), "200")):
            with serving.Serving(*NONE, *words) as serve:
                url = f"http://127.0.0.1:{serve.port}/metrics"
                done = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", "python3", "-c",
                                       ask, url], capture_output=True, text=True, check=False)
                self.assertEqual(done.stdout.strip(), code, done.stderr)

    def test_token(self):
        with serving.Serving(*NONE, "--token-file", self.token) as serve:
            for header in (None, "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}",
                           f"Basic {TOKEN}", basic(""), basic(TOKEN), basic(f"{TOKEN}:"),
                           basic(f":{TOKEN}x"), basic(f"a:b:{TOKEN}"), "Basic !", "Basic ", TOKEN,
                           "Bearer " + "x" * 5000, "Basic " + "x" * 5000):
                headers = {} if header is None else {"Authorization": header}
                for path in ("/", "/metrics", "/targets", "/debug/pprof/heap", "/x"):
                    status, answer, _ = serve.request(path, **headers)
                    self.assertEqual((status, answer.get_all("WWW-Authenticate")),
                                     (401, ["Bearer", 'Basic realm="gcspy serve"']), header)
            serve.get("/metrics", Authorization=f"Bearer {TOKEN}", Host="example.com")
            serve.get("/metrics", Authorization=f"bearer {TOKEN}")
            for user in ("", "somebody"):
                serve.get("/", Authorization=basic(f"{user}:{TOKEN}"))
            self.assertNotIn(TOKEN, serve.said())
            with open(f"/proc/{serve.process.pid}/cmdline", encoding="utf-8") as words:
                self.assertNotIn(TOKEN, words.read())

    def test_tls(self):
        if not shutil.which("openssl"):
            skipped("TLS", "no openssl to make a certificate")
            self.skipTest("no openssl")
        cert, key = self.own.certificate()
        with serving.Serving(*NONE, "--tls-cert", cert, "--tls-key", key, "--token-file", self.token,
                             "--listen", "0.0.0.0:0") as serve:
            self.assertEqual(serve.scheme, "https")
            context = ssl.create_default_context(cafile=cert)
            for header, code in ((TOKEN, 200), ("x", 401)):
                status, _, _ = serve.request(
                    "/metrics", Authorization=f"Bearer {header}",
                    connection=http.client.HTTPSConnection("127.0.0.1", serve.port, timeout=TIMEOUT,
                                                           context=context))
                self.assertEqual(status, code)
            with self.assertRaises((http.client.HTTPException, OSError)):
                serve.request("/metrics")  # without TLS
            self.assertEqual(serve.stop(), (0, ""))
        done = subprocess.run([PROGRAM, "serve", *NONE, "--listen", "127.0.0.1:0", "--tls-cert",
                               self.token, "--tls-key", key], capture_output=True, text=True,
                              check=False, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Agcspy: [^\n]*a certificate and its key\?\n\Z")

    @unittest.skipUnless(shutil.which("openssl"), "no openssl to make a certificate")
    def test_changed_files(self):
        """Token and certificate are read again; files that are wrong have no effect, but for a line."""
        own = serving.Own()
        self.addCleanup(own.close)
        (cert, key), token = own.certificate(), own.token(TOKEN)
        insecure = ssl._create_unverified_context()  # pylint: disable=protected-access
        with serving.Serving(*NONE, "--tls-cert", cert, "--tls-key", key,
                             "--token-file", token) as serve:
            def status(word):
                return serve.request("/targets", Authorization=f"Bearer {word}",
                                     connection=http.client.HTTPSConnection(
                                         serve.host, serve.port, timeout=TIMEOUT,
                                         context=insecure))[0]

            def is_shown():
                return ssl.get_server_certificate((serve.host, serve.port)).strip() == shown

            def threads():
                return len(os.listdir(f"/proc/{serve.process.pid}/task"))
            before = serve.until(lambda: status(TOKEN) == 200 and threads(), "threads")
            own.token("another")
            serve.until(lambda: status("another") == 200, "another token")
            self.assertEqual(status(TOKEN), 401)
            own.certificate()
            with open(cert, encoding="ascii") as file:
                shown = file.read().strip()
            serve.until(is_shown, "another certificate")
            serve.until(lambda: threads() <= before, "the end of the daemon before")
            with open(cert, "w", encoding="ascii") as file:
                file.write("no certificate\n")
            os.unlink(token)
            serve.until(lambda: serve.said().count("\n") == 2, "two lines")
            self.assertTrue(is_shown())
            self.assertEqual(status("another"), 200)
            own.token(TOKEN)
            own.certificate()
            with open(cert, encoding="ascii") as file:
                shown = file.read().strip()
            serve.until(is_shown, "a third certificate")
            serve.until(lambda: status(TOKEN) == 200, "the first token")
            code, said = serve.stop()
            self.assertEqual(code, 0)
            self.assertRegex(said, r"(?m)^gcspy: --token-file: .* the token before is kept$")
            self.assertRegex(said, r"(?m)^gcspy: .*\?; the certificate before is kept$")
            self.assertEqual(said.count("\n"), 2)

    def test_hostile(self):
        with serving.Serving(*NONE) as serve:
            for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"):
                status, headers, _ = serve.request("/metrics", method, "x" * 1000)
                self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"), method)
            for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80"):
                self.assertEqual(serve.request("/", Host=host)[0], 403, host)
            for path in ("/metrics/", "//metrics", "/../etc/passwd", "/%2e%2e/etc/passwd",
                         "/debug/pprof/", "/\xff"):
                self.assertEqual(serve.request(path.encode("latin-1").decode("latin-1")
                                               if path.isascii() else "/%ff")[0], 404, path)
            for raw in (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 100000 + b"\r\n\r\n",
                        b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n",
                        b"\0" * 1000 + b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\r\n",
                        b"GET / HTTP/9.9\r\n\r\n", b"A: " * 20000 + b"\r\n\r\n"):
                answer = self.raw(serve, raw)
                self.assertFalse(answer.startswith(b"HTTP/1.1 2"), (raw[:40], answer[:80]))
            self.assertEqual(serve.request("/metrics")[0], 200)
            self.crowd(serve)
            code, said = serve.stop()
            self.assertEqual(code, 0)
            self.assertRegex(said, r"\Agcspy: 64 connections are open[^\n]+\n\Z")

    @staticmethod
    def raw(serve, raw):
        """What comes back for these bytes, and then the end of the connection."""
        got = b""
        with socket.create_connection((serve.host, serve.port), TIMEOUT) as end, \
                contextlib.suppress(OSError):
            end.sendall(raw)
            end.shutdown(socket.SHUT_WR)
            while part := end.recv(65536):
                got += part
        return got

    def crowd(self, serve):
        """Clients that send half a request take no more than the places that there are, and none for
        ever; those that are there already are served meanwhile, and the first ones beyond are told."""
        with contextlib.ExitStack() as stack:
            ends = []
            for i in range(100):
                if i == 70:
                    status, headers, body = serve.request("/metrics")
                    self.assertEqual((status, headers["Connection"]), (503, "close"))
                    self.assertRegex(body, rb"\A64 connections are open[^\n]+\n\Z")
                end = stack.enter_context(socket.create_connection((serve.host, serve.port), TIMEOUT))
                with contextlib.suppress(OSError):
                    end.sendall(b"GET /metrics HTTP/1.1\r\n")
                ends.append(end)
            self.assertLessEqual(len(os.listdir(f"/proc/{serve.process.pid}/task")), 64 + 16 + 4)
            with contextlib.suppress(OSError):
                ends[0].sendall(b"Host: localhost\r\n\r\n")
            self.assertTrue(ends[0].recv(100).startswith(b"HTTP/1.1 200"))
        deadline = time.monotonic() + TIMEOUT
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if serve.request("/metrics")[0] == 200:
                    return
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main(verbosity=2)
