"""Who may connect: programs of other users, forty silent connections, tokens (Q1).

Other users need root. The programs are copied to a folder that every user can reach.
"""

import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import unittest

import support

OWNER, STRANGER = 54321, 54322
RECORDING = os.path.join(support.DOCS, "leak.gcspy")

other_users = unittest.skipUnless(os.geteuid() == 0, "other users' programs need root")


def as_user(uid):
    return {"user": uid, "group": uid, "extra_groups": []}


class OwnServer(support.Server):
    """A server of the user OWNER. `replay` says where it listens on standard error."""

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, **as_user(OWNER))
        line = self.process.stdout.readline()
        if "127.0.0.1:" not in line:
            raise AssertionError("the server said %r" % line)
        self.address = line.split()[-1]
        self.port = self.address.split(":")[1]
        return self


def request(port, data, uid):
    """What a process of that user gets for these bytes at first; b"" if the connection is closed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        answer = b"failed"
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            with socket.create_connection(("127.0.0.1", int(port)), 10) as s:
                s.sendall(data)
                try:
                    answer = s.recv(4096)
                except ConnectionResetError:
                    answer = b""
            os.write(writer, answer)
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        answer = file.read()
    os.waitpid(child, 0)
    return answer


class Users(support.Case):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gcspy-users-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.chmod(self.folder, 0o755)
        for variable in ("GCSPY", "TOY_SERVER"):
            shutil.copy(os.environ[variable], self.path(variable))
            os.chmod(self.path(variable), 0o755)
        shutil.copy(RECORDING, self.path("recording.gcspy"))
        os.chmod(self.path("recording.gcspy"), 0o644)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_as(self, uid, *arguments):
        done = subprocess.run([self.path("GCSPY")] + [str(a) for a in arguments],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=support.LIMIT, text=True,
                              **as_user(uid))
        return done.returncode, done.stdout, done.stderr

    def replay(self, *options):
        return OwnServer(self.path("GCSPY"), "replay", self.path("recording.gcspy"), "--port", 0,
                         *options)

    @other_users
    def test_strangers_are_refused(self):
        with OwnServer(self.path("TOY_SERVER"), 0, 1000000, 20) as server:
            for command in ("info", "dump", "watch", "pause", "step", "resume"):
                code, out, err = self.run_as(STRANGER, command, server.port)
                self.assertEqual((code, out), (1, ""), command)
                self.assertRegex(err, r"\Agcspy: [^\n]*admits only user 54321 and root, not user "
                                      r"54322; allow=any or token-file= admits others\n\Z")
            for uid in (OWNER, 0):
                code, out, err = self.run_as(uid, "info", server.port)
                self.assertEqual((code, err), (0, ""))
                self.assertIn("Toy server", out)

    @other_users
    def test_clients_of_2002_of_strangers_are_closed(self):
        greeting = struct.pack(">I", 14) + b"GCspy666\0" + struct.pack(">iB", 1, 0)
        browser = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with OwnServer(self.path("TOY_SERVER"), 0, 1000000, 20) as server:
            for data in (greeting, browser):
                self.assertEqual(request(server.port, data, STRANGER), b"")
            self.assertEqual(request(server.port, browser, OWNER), b"")
            self.assertNotEqual(request(server.port, greeting, OWNER), b"")

    @other_users
    def test_users_without_a_number_are_refused(self):
        """A server in a user namespace where only its owner has a number: root reads there as the
        overflow user, and so would all others."""
        unshare = ["unshare", "--user", "--map-user", str(OWNER)]
        if subprocess.run(unshare + ["true"], stderr=subprocess.DEVNULL, check=False,
                          **as_user(OWNER)).returncode != 0:
            self.skipTest("this system makes no user namespaces")
        with OwnServer(*unshare, self.path("TOY_SERVER"), 0, 1000000, 20) as server:
            self.assertEqual(self.run_as(OWNER, "info", server.port)[0], 0)
            for uid in (STRANGER, 65534, 0):
                code, out, err = self.run_as(uid, "info", server.port)
                self.assertEqual((code, out), (1, ""), uid)
                self.assertIn("cannot determine the user of this client", err)

    @other_users
    def test_allow(self):
        with self.replay("--allow", "user") as server:
            self.assertEqual(self.run_as(STRANGER, "info", server.port)[0], 1)
            self.assertEqual(self.run_as(OWNER, "info", server.port)[0], 0)
        with self.replay("--allow", "any") as server:
            for uid in (STRANGER, OWNER, 0):
                self.assertEqual(self.run_as(uid, "info", server.port)[0], 0)

    @other_users
    def test_the_token_decides(self):
        for uid in (STRANGER, OWNER, 0):
            with open(self.path(f"token{uid}"), "w", encoding="utf-8") as file:
                file.write("sesame\n")
            os.chmod(file.name, 0o600)
            os.chown(file.name, uid, uid)
        with self.replay("--token-file", self.path(f"token{OWNER}")) as server:
            for uid in (STRANGER, OWNER, 0):
                token = self.path(f"token{uid}")
                code, _, err = self.run_as(uid, "info", server.port)
                self.assertEqual(code, 1)
                self.assertIn("needs a token", err)
                self.assertEqual(
                    self.run_as(uid, "info", server.port, "--token-file", token)[0], 0)

    @other_users
    def test_the_owner_ends_the_hold_of_another(self):
        with self.replay("--allow", "any") as server:
            holder = subprocess.Popen([self.path("GCSPY"), "pause", server.port],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      **as_user(STRANGER))
            self.addCleanup(self.end, holder)
            self.assertIn("Waiting", self.line(holder))
            self.assertIn("Paused", self.line(holder))
            code, out, _ = self.run_as(OWNER, "resume", server.port)
            self.assertEqual((code, out), (0, "The program resumes; 1 client held it.\n"))


class Crowd(support.Case):
    def test_forty_silent_connections(self):
        """The program is held, all that only connects stays silent: resume and info get in."""
        with support.toy() as server:
            watch = self.start("watch", server.port)
            self.line(watch)
            self.hold(server)
            crowd = [socket.create_connection(("127.0.0.1", int(server.port)), 10)
                     for _ in range(40)]
            begin = time.monotonic()
            before = self.count(server)
            self.assertIn("1 client held it", self.gcspy("resume", server.port))
            self.assert_goes_on(server, before)
            self.assertLess(time.monotonic() - begin, 8, "none waits for their time limit of 10 s")
            self.assertIsNone(watch.poll(), "the attached client keeps its place")
            for s in crowd:
                s.close()

    def test_resume_when_all_places_are_taken(self):
        with support.Server(os.environ["WIRE_SERVER"], 0, 20, 10000, 2, "-", "-") as server:
            self.hold_wire(server)
            self.hold_wire(server)
            self.assertIn("as many clients", self.gcspy("info", server.port, code=1))
            self.assertIn("2 clients held it", self.gcspy("resume", server.port))

    def hold_wire(self, server):
        process = self.start("pause", server.port)
        self.assertIn("Waiting", self.line(process))
        self.assertIn("Paused", self.line(process))


class Tokens(support.Case):
    def test_a_fifo_is_refused_without_waiting(self):
        with tempfile.TemporaryDirectory() as folder:
            fifo = os.path.join(folder, "fifo")
            os.mkfifo(fifo, 0o600)
            err = self.gcspy("info", 1, "--token-file", fifo, code=2)
            self.assertIn(fifo, err)
            self.assertIn("regular file", err)


if __name__ == "__main__":
    support.main()
