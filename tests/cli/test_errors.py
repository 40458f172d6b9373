"""Servers that are not there, not ours, silent, or gone in the middle: one line, exit code 1, and
never a wait without an end."""

import os
import socket
import subprocess
import tempfile
import time

import support

COMMANDS = ["info", "dump", "watch", "pause", "resume", "step", "set", "sites"]


class Unreachable(support.Case):
    def fails(self, expected, address, *options, within=9.0, commands=COMMANDS):
        for command in commands:
            begin = time.monotonic()
            err = self.gcspy(command, address, *options, code=1)
            self.assertLess(time.monotonic() - begin, within)
            self.assertIn("gcspy: %s: " % address, err)
            self.assertIn(expected, err)

    def test_a_file_instead_of_an_address(self):
        leak = os.path.join(support.DOCS, "leak.gcspy")
        self.assertIn("leak.gcspy is a file; `gcspy replay` serves",
                      self.gcspy("watch", leak, code=2))

    def test_nobody_listens(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.fails("Connection refused", "127.0.0.1:%d" % taken.getsockname()[1])

    def test_no_such_host(self):
        self.fails("nosuch.invalid", "nosuch.invalid:3000", "--timeout", 3, commands=["info"])

    def test_no_such_socket(self):
        self.fails("No such file", "unix:/nonexistent/socket")

    def test_host_that_does_not_answer(self):
        # A listener whose queue is full drops what arrives, as a firewall does.
        with socket.socket() as full:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            port = full.getsockname()[1]
            waiting = []
            for _ in range(4):
                waiting.append(socket.socket())
                waiting[-1].setblocking(False)
                waiting[-1].connect_ex(("127.0.0.1", port))
            self.fails("no answer", "127.0.0.1:%d" % port, "--timeout", 0.5,
                       commands=["info", "pause"])
            for one in waiting:
                one.close()


class Foreign(support.Case):
    def answer(self, answer, expected):
        with support.Listener(answer) as listener:
            for command in COMMANDS:
                begin = time.monotonic()
                err = self.gcspy(command, listener.port, "--timeout", 1, code=1)
                self.assertLess(time.monotonic() - begin, 9)
                self.assertIn("gcspy: %s: " % listener.port, err)
                self.assertIn(expected, err)

    def test_web_server(self):
        def http(connection, over):
            connection.recv(100)
            connection.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")
        self.answer(http, "not a GCspy server")

    def test_one_that_says_nothing(self):
        self.answer(lambda connection, over: over.wait(3), "not a GCspy server")

    def test_one_that_closes(self):
        self.answer(lambda connection, over: None, "not a GCspy server")

    def test_one_that_drips(self):
        def drip(connection, over):
            connection.sendall(b"GCSP\x01\x00\x00\x00" + b"\x00\x00\x10\x00\x03\x00\x00\x00")
            while not over.wait(0.1):
                connection.sendall(b"\x00")
        self.answer(drip, "")

    def test_one_that_ends_meanwhile(self):
        """A GCspy server that closes within its description is known to be one."""
        with support.toy() as server:
            def half(connection, over):
                with socket.create_connection(("127.0.0.1", int(server.port))) as real:
                    real.sendall(connection.recv(4096))
                    time.sleep(0.2)
                    connection.sendall(real.recv(40))
                    # Unread bytes would reset the connection.
                    connection.settimeout(0.2)
                    try:
                        connection.recv(4096)
                    except socket.timeout:
                        pass
            self.answer(half, "the server closed the connection while it described itself")
        self.answer(lambda connection, over: connection.recv(4096), "or has just ended")

    def test_one_that_sends_rubbish(self):
        def rubbish(connection, over):
            connection.sendall(b"GCSP\x01\x00\x00\x00" + os.urandom(4096))
            over.wait(0.2)
        self.answer(rubbish, "")


class Lost(support.Case):
    def test_server_killed(self):
        for command in ["watch"], ["pause"], ["dump", "--event", "Twice"]:
            with support.toy() if command[0] == "pause" else support.odd() as server:
                before = self.sockets(server)
                process = self.start(command[0], server.port, *command[1:])
                if command[0] != "dump":
                    self.line(process)
                else:
                    self.connected(server, before)
                server.process.kill()
                self.assertEqual(process.wait(support.LIMIT), 1, command)
                err = process.stderr.read().decode()
                self.assertRegex(err, r"\Agcspy: %s: [^\n]*closed[^\n]*\n\Z" % server.port)

    def test_server_that_ends(self):
        with support.odd() as server:
            process = self.start("watch", server.port)
            self.line(process)
            server.process.stdin.close()
            self.assertEqual(process.wait(support.LIMIT), 1)
            self.assertIn(b"the server ends", process.stderr.read())

    def test_stopped_server(self):
        with support.toy() as server:
            server.stop()
            for command in COMMANDS:
                begin = time.monotonic()
                err = self.gcspy(command, server.port, "--timeout", 0.7, code=1)
                self.assertLess(time.monotonic() - begin, 9)
                self.assertIn("is stopped", err)

    def test_stopped_in_the_middle(self):
        with support.odd() as server:
            before = self.sockets(server)
            process = self.start("dump", server.port, "--event", "Twice", "--timeout", 1)
            self.connected(server, before)
            server.stop()
            self.assertEqual(process.wait(support.LIMIT), 1)


class Token(support.Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, content, mode=0o600):
        path = os.path.join(self.folder.name, "token%d" % len(os.listdir(self.folder.name)))
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, mode)
        return path

    def test_missing_and_wrong(self):
        with support.odd(token="secret") as server:
            self.assertIn("--token-file FILE", self.gcspy("info", server.port, code=1))
            for content in b"Secret\n", b"secret \n", b"secre", b"secrets":
                err = self.gcspy("info", server.port, "--token-file", self.file(content), code=1)
                self.assertIn("the token is wrong", err)

    def test_right(self):
        with support.odd(token="secret") as server:
            for content in b"secret", b"secret\n", b"secret\nsecond line\n":
                for command in "info", "dump", "resume":
                    self.gcspy(command, server.port, "--token-file", self.file(content))

    def test_readable_by_others(self):
        with support.odd(token="secret") as server:
            for mode, warned in (0o600, False), (0o604, True), (0o640, True):
                path = self.file(b"secret\n", mode)
                done = subprocess.run([support.GCSPY, "info", server.port, "--token-file", path],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      timeout=support.LIMIT)
                self.assertEqual(done.returncode, 0)
                self.assertEqual("%04o" % mode in done.stderr, warned, done.stderr)

    def test_file_that_holds_none(self):
        for path in (self.file(b""), self.file(b"\nsecret\n"), self.file(b"a\0b\n"),
                     self.file(b"x" * 5000), self.folder.name, "/nonexistent/token"):
            err = self.gcspy("info", "1", "--token-file", path, code=2)
            self.assertIn("--token-file", err)
            self.assertIn(path, err)
        err = self.gcspy("info", "1", "--token-file", self.file(b"x" * 300), code=2)
        self.assertIn("255", err)

    def test_socket(self):
        path = os.path.join(self.folder.name, "socket")
        with support.odd(path=path):
            self.assertEqual(self.json("info", "unix:" + path)["address"], "unix:" + path)


if __name__ == "__main__":
    support.main()
