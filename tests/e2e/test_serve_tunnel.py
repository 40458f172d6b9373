"""Clients that reach a JVM through `gcspy serve`, whose agent has no port: who may, with what, and what
a client that does not read costs the others.
"""

import contextlib
import http.client
import itertools
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import time
import unittest

import serving
import table
from jvm import NEWEST, PROGRAM, TIMEOUT, skipped

TOKEN = "correct horse battery"
VIEW = os.path.join(os.path.dirname(PROGRAM), "gcspy-view") if PROGRAM else ""
ROW = table.Row("Serial", "-Xms32m -Xmx32m")


def tool(*words, code=0, program=PROGRAM, **environment):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT, env={**os.environ, **environment})
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


class Test(serving.Case):
    @classmethod
    def setUpClass(cls):
        cls.own = serving.Own()
        cls.addClassCleanup(cls.own.close)
        cls.jvm = cls.own.start(NEWEST[-1], ROW, "jvm")
        cls.addClassCleanup(cls.jvm.__exit__, None)
        cls.pid = str(cls.jvm.pid)
        cls.jvm.ask("pools")

    def serving(self, *words):
        serve = serving.Serving("--match", self.own.match, *words)
        self.addCleanup(serve.__exit__)
        return serve

    def test_commands(self):
        """The command line reaches the JVM by all forms of the address, and changes its settings."""
        serve = self.serving()
        serve.until_live([self.jvm.pid])
        at = f"127.0.0.1:{serve.port}"
        program = serve.targets()[self.jvm.pid]["program"]
        direct = tool("info", self.pid)
        for words in ((f"{at}/{self.pid}",), (f"http://{at}/{self.pid}",), (f"{at}/{program}",),
                      (self.pid, "--via", f"http://{at}"), (program, "--via", at + "/")):
            told = json.loads(tool("info", *words, "--json"))
            self.assertEqual(told["info"]["Process"] if isinstance(told["info"], dict) else
                             {i["key"]: i["value"] for i in told["info"]}["Process"], self.pid)
        self.assertIn(self.pid, direct)
        self.assertNotRegex(direct, r"(?m)^Listens.*:\d+$")
        state = json.loads(tool("dump", f"{at}/{self.pid}", "--json"))
        self.assertTrue(state["spaces"])
        tool("set", f"{at}/{self.pid}", "interval=64k")
        self.assertIn("interval=65536", tool("set", self.pid))
        listening = subprocess.run(["ss", "-ltnp"], capture_output=True, text=True, check=False)
        self.assertNotIn(f"pid={self.pid},", listening.stdout)
        trace = os.path.join(self.own.folder, "x.gcspy")
        tool("record", self.pid, "--via", at, "-o", trace, "--seconds", "1")
        self.assertGreater(os.path.getsize(trace), 1000)
        for words, says in ((("99999999",), "no JVM has this PID"), (("",), "ADDRESS|expected")):
            self.assertRegex(tool("info", *words, "--via", at, code=1 if words[0] else 2), says)
        self.assertRegex(tool("info", self.pid, "--via", "unix:/x", code=2), "expected the URL")
        self.assertRegex(tool("info", f"2002:{at}/{self.pid}", code=2), "2002")

    def test_tls_without_https(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            with subprocess.Popen([PROGRAM, "info", f"127.0.0.1:{server.getsockname()[1]}/1"],
                                  stderr=subprocess.PIPE, text=True) as client:
                with server.accept()[0] as peer:
                    peer.recv(100)
                    peer.sendall(b"\x15\x03\x01\x00\x02\x02\x16")
                    peer.shutdown(socket.SHUT_WR)
                    self.assertIn("speaks TLS: use https://", client.communicate(None, TIMEOUT)[1])

    @unittest.skipUnless(VIEW and os.path.exists(VIEW), "gcspy-view is not built")
    def test_window(self):
        serve = self.serving()
        serve.until_live([self.jvm.pid])
        done = subprocess.run([VIEW, f"127.0.0.1:{serve.port}/{self.pid}", "--present", "none",
                               "--no-settings", "--no-history", "--events", "1", "--dump",
                               "summary"], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, rf"process {self.pid}\n[^$]*space\tEden\t")

    def test_who_may(self):
        """With a token only where --tunnels says so; not another user, whatever --allow says."""
        token = self.own.token(TOKEN)
        wrong = os.path.join(self.own.folder, "wrong")
        with open(wrong, "w", encoding="utf-8") as file:
            os.chmod(wrong, 0o600)
            file.write("wrong\n")
        other = shutil.which("setpriv") and os.geteuid() == 0
        for words, mine, says in (((), False, "bearer token is needed"),
                                  (("--tunnels",), True, None)):
            serve = self.serving("--token-file", token, *words)
            self.until_live(serve)
            at = f"127.0.0.1:{serve.port}/{self.pid}"
            self.assertRegex(tool("info", at, code=1), says or "bearer token is needed")
            self.assertRegex(tool("info", at, "--token-file", wrong, code=1),
                             "not the token of this server")
            # This user may connect to the JVM anyway.
            self.assertIn(self.pid, tool("info", at, "--token-file", token))
            if other:
                self.assertEqual(self.status(serve, ("Authorization: Bearer " + TOKEN,)),
                                 "101" if mine else "403")
            self.assertEqual(serve.stop()[0], 0)
        if not other:
            skipped("another user", "needs root and setpriv")
            return
        serve = self.serving("--allow", "any")
        serve.until_live([self.jvm.pid])
        self.assertEqual(self.status(serve, ()), "403")

    @unittest.skipUnless(shutil.which("openssl"), "needs openssl (Debian: openssl)")
    def test_tls(self):
        """The same over https://, by a process that ends with the client; and what is wrong with a server."""
        cert, key = self.own.certificate()
        token = self.own.token(TOKEN)
        serve = self.serving("--token-file", token, "--tunnels", "--tls-cert", cert, "--tls-key", key)
        at = f"https://127.0.0.1:{serve.port}"
        words = ("info", f"{at}/{self.pid}", "--token-file", token)

        def answered():
            return self.pid in subprocess.run(
                [PROGRAM, *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                timeout=TIMEOUT, env={**os.environ, "SSL_CERT_FILE": cert}).stdout
        serve.until(answered, "a live target")
        page = serve.request("/", Authorization="Bearer " + TOKEN, connection=http.client.HTTPSConnection(
            serve.host, serve.port, context=ssl.create_default_context(cafile=cert)))[2].decode()
        self.assertIn(f"<code>gcspy-view {at}/{self.pid} --token-file FILE</code>", page)
        trace = os.path.join(self.own.folder, "tls.gcspy")
        tool("record", self.pid, "--via", at, "--token-file", token, "-o", trace, "--seconds", "1",
             SSL_CERT_FILE=cert)
        self.assertGreater(os.path.getsize(trace), 1000)
        self.check_interrupted(at, token, cert)
        self.check_other_certificate(serve, at, token, cert)
        if VIEW and os.path.exists(VIEW):
            tool(f"{at}/{self.pid}", "--token-file", token, "--present", "none", "--no-settings",
                 "--no-history", "--events", "1", "--dump", "summary", program=VIEW, SSL_CERT_FILE=cert)
        serve.until(lambda: subprocess.run(
            ["pgrep", "-f", f"gcspy-connect 127.0.0.1:{serve.port}"], capture_output=True,
            check=False).returncode == 1, "the end of the processes for TLS")
        self.assertRegex(tool(*words, code=1),
                         r"\Agcspy: https://127[^\n]+certificate[^\n]+SSL_CERT_FILE=FILE[^\n]*\n\Z")
        self.assertRegex(tool("info", f"https://127.0.0.1:{serve.port}/{self.pid}", code=1,
                              SSL_CERT_FILE=cert), "bearer token is needed")
        alone = os.path.join(self.own.folder, "gcspy")
        shutil.copy(PROGRAM, alone)
        self.assertRegex(tool(*words, code=1, program=alone, PATH="/nowhere"),
                         r"\Agcspy: [^\n]*needs gcspy-serve[^\n]*\n\Z")

    def check_interrupted(self, at, token, cert):
        """An interrupt of the terminal's whole group of processes ends what is said in good order."""
        watch = subprocess.Popen([PROGRAM, "watch", self.pid, "--via", at, "--token-file", token],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, "SSL_CERT_FILE": cert}, start_new_session=True)
        watch.stdout.readline()
        os.killpg(watch.pid, signal.SIGINT)
        said = watch.communicate(timeout=TIMEOUT)[1]
        self.assertNotIn("lost", said)
        self.assertIn(watch.returncode, (0, 130), said)

    def check_other_certificate(self, serve, at, token, cert):
        """A client that is there stays when the certificate changes."""
        with subprocess.Popen([PROGRAM, "watch", self.pid, "--via", at, "--token-file", token],
                              stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
                              env={**os.environ, "SSL_CERT_FILE": cert}) as watch:
            watch.stdout.readline()
            self.own.certificate()
            with open(cert, encoding="ascii") as file:
                shown = file.read().strip()
            serve.until(lambda: ssl.get_server_certificate((serve.host, serve.port)).strip() == shown,
                        "another certificate")
            time.sleep(5)  # at each look for JVMs what is no longer used ends
            self.jvm.ask("gc")
            self.assertTrue(any("full" in line.lower() for line in itertools.islice(watch.stdout, 100)))
            watch.send_signal(signal.SIGINT)
            watch.stdout.read()

    @staticmethod
    def until_live(serve):
        deadline = time.monotonic() + TIMEOUT
        while True:
            body = serve.get("/targets", Authorization="Bearer " + TOKEN)
            if any(t["state"] == "live" for t in json.loads(body)["targets"]):
                return
            assert time.monotonic() < deadline, body
            time.sleep(0.05)

    def status(self, serve, headers):
        """What another user is answered to a request for a connection."""
        program = ("import socket, sys\n"
                   "s = socket.create_connection(('127.0.0.1', int(sys.argv[1])), 30)\n"
                   "s.sendall(sys.argv[2].encode())\nprint(s.recv(12).decode()[-3:])")
        done = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", "python3", "-c", program,
                               str(serve.port), request(self.pid, headers)], capture_output=True,
                              text=True, check=False, timeout=TIMEOUT)
        return done.stdout.strip() or done.stderr

    def test_clients_that_go(self):
        """However soon many clients leave, others are served."""
        serve = self.serving()
        serve.until_live([self.jvm.pid])
        for _ in range(300):
            held = []
            with contextlib.suppress(OSError):  # more than there may be
                for _ in range(40):
                    held.append(self.connect(serve, request(self.pid)))
                for end in held:
                    end.recv(12)
            for end in held:
                end.close()
            self.assertIsNone(serve.process.poll(), serve.said())
        serve.until(lambda: subprocess.run([PROGRAM, "info", f"127.0.0.1:{serve.port}/{self.pid}"],
                                           capture_output=True, check=False).returncode == 0,
                    "no place")

    def test_hostile(self):
        """Requests that are none; clients that go, or do not read; more of them than places; the end."""
        serve = self.serving()
        serve.until_live([self.jvm.pid])
        self.assertEqual(serve.request(f"/connect?instance={self.pid}")[0], 426)
        for target, code in (("1", "404"), ("x%00y", "404"), ("", "404")):
            with self.connect(serve, request(target)) as end:
                self.assertEqual(end.recv(12)[-3:].decode(), code, target)
        for garbage in (b"", b"\0" * 70000, b"GET / HTTP/1.1\r\n\r\n", b"GCspy"):
            with self.connect(serve, request(self.pid), garbage) as end:
                self.assertEqual(end.recv(12)[-3:], b"101")
        # A stopped JVM takes no connection in, and so ends none.
        self.jvm.process.send_signal(signal.SIGSTOP)
        self.addCleanup(self.jvm.process.send_signal, signal.SIGCONT)
        os.waitid(os.P_PID, self.jvm.pid, os.WSTOPPED)
        held = [self.connect(serve, request(self.pid)) for _ in range(40)]
        answers = [end.recv(12)[-3:] for end in held]
        self.jvm.process.send_signal(signal.SIGCONT)
        self.assertIn(b"503", answers)
        self.assertTrue(set(answers) <= {b"101", b"503"}, answers)
        serve.get("/metrics")
        self.jvm.ask("churn 4000000")
        for end in held:
            end.close()
        # Their places are free again.
        serve.until(lambda: subprocess.run([PROGRAM, "info", f"127.0.0.1:{serve.port}/{self.pid}"],
                                           capture_output=True, check=False).returncode == 0,
                    "no place")
        with self.connect(serve, request(self.pid)) as end:
            self.assertEqual(end.recv(12)[-3:], b"101")
            began = time.monotonic()
            code, said = serve.stop()
            self.assertEqual((code, said), (0, ""))
            self.assertLess(time.monotonic() - began, TIMEOUT / 2)

    @staticmethod
    def connect(serve, text, more=b""):
        end = socket.create_connection((serve.host, serve.port), TIMEOUT)
        end.sendall(text.encode() + more)
        return end

    def test_addresses(self):
        """A server that is none, and one that says nothing, give one line."""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            at = f"127.0.0.1:{silent.getsockname()[1]}/1"
            for scheme in ("", "http://", "https://"):
                said = tool("info", scheme + at, "--timeout", "0.3", code=1)
                self.assertRegex(said, r"\Agcspy: [^\n]+\n\Z")
        self.assertRegex(tool("info", "https://" + at, code=1), "(?i)refused|connect")
        for bad in ("http://", "http://x", "http://h:0/1", "http://[::1/1", "https://x"):
            self.assertRegex(tool("info", bad, code=2), r"\Agcspy: [^\n]+\n\Z")


def request(target, headers=()):
    lines = (f"GET /connect?instance={target} HTTP/1.1", "Host: localhost", "Connection: Upgrade",
             "Upgrade: gcspy", *headers)
    return "".join(line + "\r\n" for line in (*lines, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
