"""Processes as addresses: by number, from other mount namespaces and roots, and what is said of those
that cannot be reached. The JVMs are programs that look like one in /proc; what listens is a server."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

import support

# Maps a file named libjvm.so, and others; keeps an announcement; ends with its input.
FAKE = """
import mmap, os, signal, sys
text, *files = sys.argv[1:]
maps = []
for name in files:
    with open(name, "rb") as file:
        maps.append(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
signal.signal(signal.SIGQUIT, lambda *_: None)
if text:
    os.write(os.memfd_create("gcspy-announcement"), text.encode())
print("ready", flush=True)
sys.stdin.read()
"""


def announcement(*lines):
    return "\n".join(["gcspy 1", *lines, "end", ""])


class Case(support.Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o755)
        for name in "libjvm.so", "libgcspyagent.so":
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(b"\0" * 4096)

    def jvm(self, text="", agent=True, prefix=(), **options):
        """Starts one; returns its number."""
        names = ["libjvm.so"] + (["libgcspyagent.so"] if agent else [])
        command = [*prefix, sys.executable, "-c", FAKE, text,
                   *(os.path.join(self.folder, name) for name in names)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   cwd="/", **options)
        self.addCleanup(self.end, process)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process.pid

    def end(self, process):
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()

    def fails(self, words, address, code=1, **options):
        err = self.gcspy("info", address, "--timeout", 3, code=code, **options)
        self.assertRegex(err, words)
        return err


class Found(Case):
    def test_number_of_a_process(self):
        with support.toy() as server:
            pid = self.jvm(announcement("listening " + server.address))
            for address in str(pid), "pid:%d" % pid:
                told = self.json("dump", address)
                self.assertEqual(told["server"], self.json("dump", server.port)["server"])
            self.assertIn("Connection refused", self.fails("gcspy", ":%d" % pid))

    def test_every_command_takes_it(self):
        with support.toy() as server:
            pid = self.jvm(announcement("listening " + server.address))
            for command in (["info"], ["watch", "--events", 1], ["resume"], ["dump"],
                            ["stats", "--events", 1]):
                self.gcspy(command[0], pid, *command[1:])

    def test_colon_is_a_port(self):
        with support.toy() as server:
            for address in ":" + server.port, server.port:
                self.assertIn("Toy", self.gcspy("info", address))

    def test_socket_comes_first(self):
        path = os.path.join(self.folder, "socket")
        with support.odd(path=path):
            pid = self.jvm(announcement("listening 127.0.0.1:1", "listening unix:" + path))
            self.gcspy("info", pid)

    def test_socket_whose_path_is_too_long(self):
        longer = os.path.join(self.folder, "x" * 120)
        with support.toy() as server:
            pid = self.jvm(announcement("listening " + server.address, "listening unix:" + longer))
            self.gcspy("info", pid)
        pid = self.jvm(announcement("listening unix:" + longer))
        self.fails("process %d listens at unix:%s: .*at most 107 bytes" % (pid, longer), pid)

    def test_server_of_2002(self):
        with support.toy() as server:
            pid = self.jvm(announcement("listening " + server.address))
            for address in "2002:%d" % pid, "2002:pid:%d" % pid, "2002::" + server.port:
                self.assertIn("Toy heap", self.gcspy("info", address))


class NotFound(Case):
    def both(self, words, pid):
        """A bare number may also be a port at which nothing listens."""
        self.fails(r"\Agcspy: %d: cannot connect to 127\.0\.0\.1:%d: Connection refused; %s" % (
            pid, pid, words), pid)
        self.fails(r"\Agcspy: pid:%d: %s" % (pid, words), "pid:%d" % pid)

    def small(self, *arguments, **options):
        """A process whose number is that of a port, too."""
        pid = self.jvm(*arguments, **options)
        if pid > 65535:
            self.skipTest("numbers of processes are above those of ports here")
        return pid

    def test_no_agent(self):
        pid = self.small(agent=False)
        self.both(r"process %d \(\S+\) has not loaded the agent; `gcspy attach %d` loads it\n" % (
            pid, pid), pid)

    def test_detached(self):
        pid = self.small(announcement("refused detached by gcspy"))
        self.both(r"process %d \(\S+\): the agent is detached; `gcspy attach %d` loads it again" % (
            pid, pid), pid)
        self.assertRegex(self.gcspy("list"), r"(?m)^ *%d .*  detached$" % pid)

    def test_refused(self):
        pid = self.small(announcement("refused it does not like you"))
        self.both(r"process %d \(\S+\): the agent does not listen: it does not like you" % pid, pid)

    def test_not_yet(self):
        for text in "", "gcspy 1\nlistening 127.0.0.1:1\n", "gcspy 2\nlistening x\nend\n":
            pid = self.small(text)
            self.both(r"process %d \(\S+\) has the agent, which does not listen yet" % pid, pid)

    def test_no_jvm(self):
        with subprocess.Popen(["sleep", "60"]) as process:
            self.addCleanup(process.kill)
            pid = process.pid
            # Of a program that was killed and had the same number.
            left = "/tmp/.gcspy_%d" % pid
            if os.path.exists(left):
                os.unlink(left)
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(left)
            self.addCleanup(os.unlink, left)
            err = self.fails(r"cannot connect[^;]*\n\Z", ":%d" % pid)
            if pid <= 65535:
                self.assertIn(err.strip()[len("gcspy: :"):] + "; process %d (sleep) is not a JVM" % pid,
                              self.fails("cannot connect", pid))
            self.fails(r"process %d \(sleep\) is not a JVM" % pid, "pid:%d" % pid)
            process.kill()
            process.wait()
            for address in [pid] if pid <= 65535 else []:
                self.fails("cannot connect.*; process %d does not exist" % pid, address)

    def test_no_process(self):
        with open("/proc/sys/kernel/pid_max", encoding="utf-8") as file:
            above = max(int(file.read()) + 1, 70000)
        for address in above, "pid:%d" % above:
            self.fails("process %d does not exist" % above, address)

    def test_bad_numbers(self):
        for address in "pid:", "pid:0", "pid:x", "pid:1x", "pid:-1", "pid:99999999999":
            self.fails("pid:N is a process", address, code=2)

    def test_process_of_another_user(self):
        if os.geteuid() != 0:
            self.skipTest("only root can be another user")
        nobody = {"user": 65534, "group": 65534, "extra_groups": []}
        program = shutil.copy(support.GCSPY, self.folder)
        pid = self.jvm(announcement("listening 127.0.0.1:1"))
        done = subprocess.run([program, "info", "pid:%d" % pid], capture_output=True, check=False,
                              timeout=support.LIMIT, **nobody)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), r"process %d \(\S+\) belongs to root \(user 0\): "
                         "only that user and root" % pid)


def can_unshare():
    return os.geteuid() == 0 and shutil.which("unshare") and subprocess.run(
        ["unshare", "--mount", "--net", "true"], capture_output=True, check=False).returncode == 0


class Elsewhere(Case):
    """The server listens outside at a path that is inside, by a bind mount, another one."""

    def setUp(self):
        if not can_unshare():
            self.skipTest("no right to make namespaces")
        super().setUp()
        self.shared = os.path.join(self.folder, "shared")
        os.mkdir(self.shared)

    def listed(self, pid):
        document = json.loads(self.gcspy("list", "--format", "json"))
        return next(jvm for jvm in document["jvms"] if jvm["pid"] == pid)

    def reaches(self, prefix):
        """A socket that is /tmp/s for the process."""
        with support.odd(path=os.path.join(self.shared, "s")):
            pid = self.jvm(announcement("listening unix:/tmp/s"), prefix=prefix)
            address = "unix:/proc/%d/root/tmp/s" % pid
            self.assertEqual(self.listed(pid)["addresses"], [address])
            self.gcspy("info", address)
            self.gcspy("info", pid)

    def test_mounts(self):
        self.reaches(["unshare", "--mount", "--net", "sh", "-c",
                      'mount --bind "$0" /tmp && exec "$@"', self.shared])

    def test_chroot(self):
        root = os.path.join(self.folder, "root")
        os.mkdir(root)
        self.reaches(["unshare", "--mount", "sh", "-c",
                      'mount --rbind / "$1" && mount --bind "$0" "$1/tmp" && r=$1 && shift && '
                      'exec chroot "$r" "$@"', self.shared, root])

    def test_network(self):
        """A TCP address means nothing outside; a port here is not taken for it."""
        with socket.create_server(("127.0.0.1", 0)) as here:
            port = here.getsockname()[1]
            pid = self.jvm(announcement("listening 127.0.0.1:%d" % port),
                           prefix=["unshare", "--net"])
            self.fails(r"process %d listens on 127\.0\.0\.1:%d in a network namespace of its own" % (
                pid, port), pid)


class Attach(Case):
    def test_help_is_for_the_caller(self):
        """The options on our standard output, and the process is not asked for anything."""
        for options in "help", "port=0,help", "help,block=4k":
            text = self.gcspy("attach", 1, options)
            self.assert_fits(text)
            for key in "port=N", "interval=SIZE", "heavy-budget=MS", "help":
                self.assertRegex(text, r"(?m)^  %s( {2,}\S|$)" % key)

    def test_agent_that_listens_elsewhere(self):
        """No success where nothing listens that was asked for."""
        pid = self.jvm(announcement("listening unix:/tmp/.gcspy_x"))
        for options in "port=0", "port=3000", "host=127.0.0.1", "block=4k,port=0", "socket=/tmp/y":
            err = self.gcspy("attach", pid, options, code=1)
            self.assertIn("listening on unix:/tmp/.gcspy_x and not as asked: `gcspy detach %d` first" %
                          pid, err)
        tcp = self.jvm(announcement("listening 127.0.0.1:3000", "listening unix:/tmp/y"))
        self.assertIn("not as asked", self.gcspy("attach", tcp, "port=3001", code=1))
        for number, options in ((pid, "block=4k"), (pid, "socket=/tmp/.gcspy_x"), (pid, "socket=/tmp/%p"),
                                (tcp, "port=0"), (tcp, "port=3000,socket=/tmp/y"), (tcp, "host=::1")):
            self.assertIn("has the agent already; listening on ", self.gcspy("attach", number, options))


class Detach(Case):
    def test_what_is_there_to_detach(self):
        pid = self.jvm(agent=False)
        err = self.gcspy("detach", pid, code=1)
        self.assertRegex(err, r"process %d \(\S+\) has not loaded the agent" % pid)
        pid = self.jvm(announcement("refused detached by gcspy"))
        self.assertEqual(self.gcspy("detach", pid), "Process %d: the agent has closed its sockets "
                         "and threads already; `gcspy attach %d` opens them again\n" % (pid, pid))
        pid = self.jvm(announcement("listening 127.0.0.1:1"))
        err = self.gcspy("detach", pid, "--timeout", 0.5, code=1)
        self.assertRegex(err, "process %d" % pid)

    def test_usage(self):
        for words in ([], ["x"], ["0"], ["1", "2"], ["pid:1"]):
            self.assertRegex(self.gcspy("detach", *words, code=2), "needs a PID or the name|is not a PID|extra argument|no running JVM")


if __name__ == "__main__":
    unittest.main()
