"""Processes that `gcspy attach` leaves alone or gives up on, and those of other users and in
containers (E4, Q1, Q4)."""

import contextlib
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from jvm import AGENT, JAR, TIMEOUT, PROGRAM, Jvm, cases, expand, main, other_users, skipped
from running import NO_PERF, ONE, Case, gcspy, leave_socket, listed

FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_jvm.py")


@expand
class Refused(Case):
    @cases(ONE + NO_PERF, in_turn=True)
    def check_disabled(self, jdk, row):
        """Q4: no SIGQUIT for a JVM that would print its threads."""
        flags = (*row.flags, "-XX:+DisableAttachMechanism")
        with Jvm(jdk, "Layout", flags, None) as jvm:
            jvm.ask("churn 1m")
            self.refused(r"\(Layout\).*DisableAttachMechanism.*-agentpath", jvm.pid)
            self.untouched(jvm)
            self.assertFalse(listed(jvm.pid)["agent"])
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE + NO_PERF, in_turn=True)
    def check_disabled_elsewhere(self, jdk, row):
        """Q4: the same when the flag stands in the environment or in the last of two places."""
        for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"):
            environment = dict(os.environ, **{name: "-XX:+DisableAttachMechanism"})
            command = [jdk.java, *row.flags, "-cp", JAR, "Idle", "seconds=600", "arrays=10"]
            with self.subTest(name=name), subprocess.Popen(
                    command, env=environment, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, text=True) as process:
                try:
                    deadline = time.monotonic() + TIMEOUT
                    while not listed(process.pid) and time.monotonic() < deadline:
                        time.sleep(0.05)
                    self.refused("DisableAttachMechanism", process.pid)
                finally:
                    process.kill()
                    self.assertNotIn("thread dump", process.stdout.read())

    @cases(ONE, in_turn=True)
    def check_stopped(self, jdk, row):
        """Q4: a stopped JVM is reported at once; SIGQUIT does not wait for it."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            jvm.signal(signal.SIGSTOP)
            jvm.until(lambda: self.state(jvm.pid) == "T", "the stop")
            self.refused(rf"is stopped: .*kill -CONT {jvm.pid}", jvm.pid)
            self.assertIsNotNone(listed(jvm.pid))
            jvm.signal(signal.SIGCONT)
            jvm.ask("churn 1m")
            self.untouched(jvm)
            self.attach(jvm.pid)
            self.assertEqual(jvm.quit(), 0)

    @staticmethod
    def state(pid):
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0]

    @staticmethod
    def name(pid):
        with open(f"/proc/{pid}/comm", encoding="utf-8") as comm:
            return comm.read().strip()

    def test_no_jvm(self):
        """Q4: a program that SIGQUIT would end lives on."""
        with subprocess.Popen(["sleep", "600"]) as process:
            try:
                while self.name(process.pid) != "sleep":  # exec returns before it is named so
                    time.sleep(0.01)
                self.refused(r"\(sleep\) is not a JVM", process.pid)
                time.sleep(0.1)
                self.assertIsNone(process.poll())
                self.assertIsNone(listed(process.pid))
            finally:
                process.kill()
        self.refused("does not exist", process.pid)

    def test_zombie(self):
        """Q4: one that has ended."""
        with subprocess.Popen(["true"]) as process:
            deadline = time.monotonic() + TIMEOUT
            while self.state(process.pid) != "Z" and time.monotonic() < deadline:
                time.sleep(0.01)
            self.refused("has ended", process.pid)

    def test_usage(self):
        """What is no number of a process."""
        for pid in ("0", "-1", "1x", "", "99999999999", "no.such.Program", "1.5"):
            self.refused("PID|option|no running JVM", pid, code=2)
        self.refused("PID", code=2)
        self.refused("extra argument", "1", "port=0", "port=1", code=2)
        self.refused("--agent", "1", "--agent", code=2)


class Fake(Case):
    """Q4: processes that look like a JVM and are none. One SIGQUIT, and another at half of the
    time; never a wait without an end, nothing left."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.library = os.path.join(self.folder.name, "libjvm.so")
        with open(self.library, "wb") as file:
            file.write(b"\0" * 4096)

    def start(self, mode):
        process = subprocess.Popen([sys.executable, FAKE, mode, self.library], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   cwd=self.folder.name)
        self.addCleanup(self.end, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def told(self, process):
        """What the process has seen, at its end by itself."""
        out, _ = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(glob.glob(os.path.join(self.folder.name, ".attach*")), [])
        return out.splitlines()

    def fails(self, mode, words, seconds=0.5):
        process = self.start(mode)
        self.refused(words, process.pid, "--timeout", seconds)
        return self.told(process)

    def test_no_handler(self):
        self.assertEqual(self.fails("deaf", "does not handle SIGQUIT"), [])

    def test_no_sign_of_having_started(self):
        self.assertEqual(self.fails("young", "has not started in time"), [])
        process = self.start("young")
        self.refused("not begun to listen in time", process.pid, "--timeout", 2.5)
        self.assertEqual(self.told(process), ["SIGQUIT"])

    def test_no_socket(self):
        self.assertEqual(self.fails("silent", "not begun to listen in time"), ["SIGQUIT"])

    def test_answers(self):
        for mode, words in (("mute", "not answered in time"), ("slow", "not answered in time"),
                            ("endless", "did not load the agent: xxx"),
                            ("closing", "without an answer"),
                            ("garbage", "cannot be understood"),
                            ("proper", "loaded, but listens nowhere")):
            with self.subTest(mode=mode):
                seen = self.fails(mode, words, 4)
                self.assertEqual(seen[0], "SIGQUIT")
                self.assertEqual(seen[1], "request " + repr(
                    [b"1", b"load", AGENT.encode(), b"true", b"socket=/tmp/.gcspy_%p", b""]))
                self.assertEqual(len(seen), 2)

    def test_signal_again(self):
        """A JVM that was starting at the first one may have lost it."""
        process = self.start("late")
        self.refused("without an answer", process.pid, "--timeout", 4)
        self.assertEqual([line.split()[0] for line in self.told(process)],
                         ["SIGQUIT", "SIGQUIT", "request"])

    def test_no_signal_again(self):
        """One that had started has got it: a client may hold it for long."""
        process = self.start("started")
        self.refused("not begun to listen in time", process.pid, "--timeout", 2.5)
        self.assertEqual(self.told(process), ["SIGQUIT"])

    def test_second_request_sends_no_signal(self):
        process = self.start("closing")
        for _ in range(2):
            self.refused("without an answer", process.pid)
        self.assertEqual([line.split()[0] for line in self.told(process)],
                         ["SIGQUIT", "request", "request"])

    def test_trigger_that_is_there(self):
        """One that somebody else has made does, and is theirs to take away."""
        process = self.start("closing")
        trigger = os.path.join(self.folder.name, f".attach_pid{process.pid}")
        with open(trigger, "w", encoding="utf-8"):
            pass
        self.refused("without an answer", process.pid)
        self.assertTrue(os.path.exists(trigger))
        os.unlink(trigger)
        self.assertEqual(self.told(process)[0], "SIGQUIT")

    def test_socket_without_a_listener(self):
        """What a process of that number left is no socket: the JVM is asked, and replaces it."""
        process = self.start("closing")
        leave_socket(process.pid)
        for _ in range(2):
            self.refused("without an answer", process.pid)
        self.assertEqual([line.split()[0] for line in self.told(process)],
                         ["SIGQUIT", "request", "request"])

    def test_socket_that_stays(self):
        """Nor is it one while the JVM does not replace it; the error names it."""
        process = self.start("silent")
        path = leave_socket(process.pid)
        self.refused(f"not begun to listen in time: the file {path} ", process.pid,
                     "--timeout", 0.5)
        self.assertEqual(self.told(process), ["SIGQUIT"])

    def test_socket_of_another_user(self):
        """Q1: one that anybody may have made is not connected to, though somebody listens."""
        if not other_users():
            skipped("a socket of another user", "only root can make one")
            self.skipTest("only root can make another user's socket")
        process = self.start("silent")
        with socket.socket(socket.AF_UNIX) as theirs:
            path = leave_socket(process.pid, theirs)
            theirs.listen(1)
            theirs.setblocking(False)
            os.chown(path, 65534, 65534)
            self.refused(f"the file {path} ", process.pid, "--timeout", 0.5)
            self.assertRaises(BlockingIOError, theirs.accept)
        self.assertEqual(self.told(process), ["SIGQUIT"])

    def test_hidden_listener(self):
        """No SIGQUIT for a JVM that listens behind a dead socket: it would print its threads."""
        process = self.start("hidden")
        path = leave_socket(process.pid)
        self.refused(f"left its file at {path}: remove", process.pid)
        self.assertEqual(self.told(process), [])

    def test_interrupted(self):
        """SIGINT ends the wait at once, and the file is taken away."""
        process = self.start("silent")
        with subprocess.Popen([PROGRAM, "attach", str(process.pid)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as attach:
            self.assertEqual(process.stdout.readline(), "SIGQUIT\n")
            attach.send_signal(signal.SIGINT)
            self.assertEqual(attach.wait(3), -signal.SIGINT)
            self.assertEqual(attach.stderr.read(), "")
        self.assertEqual(self.told(process), [])


def unshare(*words):
    """The command that starts something in namespaces of its own, or None."""
    tool = shutil.which("unshare")
    if tool is None or os.geteuid() != 0:
        return None
    command = [tool, *words]
    done = subprocess.run([*command, "true"], capture_output=True, check=False, timeout=TIMEOUT)
    return command if done.returncode == 0 else None


@expand
class Elsewhere(Case):
    """E4: other users and containers. They need root to be set up."""

    def start(self, command, **options):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   stdin=subprocess.PIPE, text=True, **options)
        self.addCleanup(self.end, process)
        line = process.stdout.readline()
        self.assertIn('"ready"', line)
        return process

    @staticmethod
    def child(pid):
        """The only child of a process that waits for it, or the process itself."""
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as children:
            found = children.read().split()
        return int(found[0]) if found else pid

    def command(self, jdk, row, *flags):
        return [jdk.java, "-XX:-CreateCoredumpOnCrash", *row.flags, *flags, "-cp", JAR, "Layout"]

    @cases(ONE)
    def check_same_number(self, jdk, row):
        """Two PID namespaces and one /tmp: the JVMs have the same socket, and only its owner is asked."""
        isolate = unshare("--fork", "--pid", "--mount-proc", "--kill-child")
        if isolate is None:
            skipped("namespaces", "no right to make them")
            self.skipTest("no right to make namespaces")
        socket = "/tmp/.java_pid1"
        if os.path.exists(socket):
            self.skipTest(f"{socket} is there already")
        self.addCleanup(lambda: os.path.exists(socket) and os.unlink(socket))
        first, second = (self.child(self.start([*isolate, *self.command(jdk, row, "-XX:-UsePerfData")]).pid)
                         for _ in range(2))
        self.attach(first)
        self.refused(f"process {second}: its socket {socket} is that of process {first}", second)

    @cases(ONE + NO_PERF, in_turn=True)
    def check_namespaces(self, jdk, row):
        """E4: a process, mount and network namespace of its own, with a /tmp of its own."""
        isolate = unshare("--fork", "--pid", "--mount", "--net", "--kill-child")
        if isolate is None:
            skipped("namespaces", "no right to make them")
            self.skipTest("no right to make namespaces")
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            for path in (AGENT, JAR):
                shutil.copy(path, folder)
            inside = os.path.join(folder, os.path.basename(AGENT))
            words = self.command(jdk, row)
            words[words.index(JAR)] = os.path.join(folder, os.path.basename(JAR))
            script = 'mount -t tmpfs tmpfs /tmp && mount -t proc proc /proc && cd / && ' \
                'if [ -d "$0" ]; then mount -t tmpfs tmpfs "$0"; fi && exec "$@"'
            process = self.start([*isolate, "sh", "-c", script, os.path.dirname(AGENT), *words])
            pid = self.child(process.pid)
            self.assertEqual(listed(pid)["program"], "Layout")
            self.refused("file system of its own.*--agent", pid)
            self.refused("no such file|file system of its own", pid, "--agent", "/tmp/none.so")
            addresses = self.attach(pid, "--agent", inside)
            self.assertEqual(addresses, [f"unix:/proc/{pid}/root/tmp/.gcspy_1"])
            self.assertEqual(listed(pid)["addresses"], addresses)
            self.assertEqual(self.attach(pid, loaded=False), addresses)
            for address in (addresses[0], pid):
                code, out, err = gcspy("info", address)
                self.assertEqual((code, err), (0, ""))
                self.assertIn("Layout", out)
            self.detached(pid)
            self.attach(pid)
            process.stdin.write("quit\n")
            process.stdin.flush()
            self.assertEqual(process.wait(TIMEOUT), 0)
            self.assertNotIn("thread dump", process.stdout.read())

    def detached(self, pid):
        """The library is asked by the path that the process has for it."""
        code, out, err = gcspy("detach", pid)
        self.assertEqual((code, err), (0, ""))
        self.assertIn(f"Process {pid}: the agent has closed", out)
        self.assertEqual(listed(pid)["refusal"], "detached")

    @cases(ONE, in_turn=True)
    def check_network(self, jdk, row):
        """E4: a TCP port in another network namespace is reported, and not reachable from here."""
        isolate = unshare("--net")
        if isolate is None:
            skipped("namespaces", "no right to make them")
            self.skipTest("no right to make namespaces")
        process = self.start([*isolate, *self.command(jdk, row)])
        code, out, err = gcspy("attach", process.pid, "port=0", "--format", "json")
        self.assertEqual(code, 1)
        self.assertRegex(err, r"\Agcspy: [^\n]*network namespace of its own[^\n]*without port=[^\n]*\n\Z")
        address, = json.loads(out)["addresses"]
        code, out, err = gcspy("info", process.pid)
        self.assertEqual((code, out), (1, ""))
        self.assertIn(f"listens on {address} in a network namespace of its own", err)
        self.detached(process.pid)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            both = self.attach(process.pid, "port=0,socket=" + path,
                               says=r"reachable only from inside\n\Z")
            self.assertEqual([a for a in both if a.startswith("unix:")][0][-len(path):], path)
            self.assertEqual(gcspy("info", process.pid)[0], 0)
            self.detached(process.pid)
            self.assertEqual(len(self.attach(process.pid, "socket=" + path)), 1)
            self.assertEqual(gcspy("info", process.pid)[0], 0)

    @cases(ONE, in_turn=True)
    def check_chroot(self, jdk, row):
        """E4: a root of its own with a /tmp of its own; the library's path is that in there."""
        isolate = unshare("--mount")
        if isolate is None:
            skipped("a root", "no right to make one")
            self.skipTest("no right to make namespaces")
        with tempfile.TemporaryDirectory(dir="/var/tmp") as root:
            script = 'mount --rbind / "$0" && mount -t tmpfs tmpfs "$0/tmp" && ' \
                'mkdir -p "$0/tmp/lib" && cp "$1" "$2" "$0/tmp/lib" && r=$0 && shift 2 && ' \
                'exec chroot "$r" "$@"'
            words = self.command(jdk, row)
            words[words.index(JAR)] = "/tmp/lib/" + os.path.basename(JAR)
            process = self.start([*isolate, "sh", "-c", script, root, AGENT, JAR, *words])
            pid = process.pid
            self.assertEqual(listed(pid)["java"], jdk.version)
            inside = "/tmp/lib/" + os.path.basename(AGENT)
            addresses = self.attach(pid, "--agent", inside)
            self.assertEqual(addresses, [f"unix:/proc/{pid}/root/tmp/.gcspy_{pid}"])
            self.assertEqual(gcspy("info", pid)[0], 0)
            self.detached(pid)
            self.assertEqual(self.attach(pid), addresses)
            process.stdin.write("quit\n")
            process.stdin.flush()
            self.assertEqual(process.wait(TIMEOUT), 0)

    NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}

    def test_no_jvm_of_ones_own(self):
        """H1: none is no error."""
        if not other_users():
            skipped("a user without JVMs", "only root can be another user")
            self.skipTest("only root can be another user")
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            os.chmod(folder, 0o755)
            program = shutil.copy(PROGRAM, folder)
            user = {"user": 65432, "group": 65432, "extra_groups": [], "check": True}
            for words, expected in (((), b"No JVM of yours is running.\n"),
                                    (("--format", "json"), b'{"format": 1, "jvms": []}\n')):
                done = subprocess.run([program, "list", *words], stdout=subprocess.PIPE,
                                      timeout=TIMEOUT, **user)
                self.assertEqual(done.stdout, expected)

    def test_process_that_is_closed(self):
        """Q4: one's own process that may not be looked at, as with capabilities of its file."""
        if not other_users():
            skipped("a closed process", "only root can be another user")
            self.skipTest("only root can be another user")
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            os.chmod(folder, 0o755)
            program = shutil.copy(PROGRAM, folder)
            shell = shutil.copy("/bin/sh", os.path.join(folder, "closed"))
            os.chmod(shell, 0o711)  # what may not be read may not be looked at when it runs
            closed = self.start([shell, "-c", "echo '\"ready\"'; read line"], cwd="/",
                                **self.NOBODY)
            done = subprocess.run([program, "attach", str(closed.pid)], capture_output=True,
                                  text=True, check=False, timeout=TIMEOUT, **self.NOBODY)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, "has privileges that you lack: only root can")
            # A container's root.
            done = subprocess.run(["setpriv", "--bounding-set=-all", program, "attach", str(closed.pid)],
                                  capture_output=True, text=True, check=False, timeout=TIMEOUT)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, "only root with CAP_SYS_PTRACE can attach to it")

    @cases(ONE + NO_PERF, in_turn=True)
    def check_users(self, jdk, row):
        """E4, Q1: root attaches to anybody's JVM, others only to their own."""
        if not other_users():
            skipped("other users", "only root can be one")
            self.skipTest("only root can be another user")
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            os.makedirs(os.path.join(folder, "bin"))
            os.makedirs(os.path.join(folder, "lib"))
            program = shutil.copy(PROGRAM, os.path.join(folder, "bin"))
            shutil.copy(AGENT, os.path.join(folder, "lib"))
            words = self.command(jdk, row)
            words[words.index(JAR)] = shutil.copy(JAR, folder)
            os.chmod(folder, 0o755)
            nobody = self.NOBODY
            ours = self.start(words, cwd="/")

            def start_theirs():
                process = self.start(words, cwd="/", **nobody)
                # An earlier process of that number that was killed may have been root's.
                for name in ("gcspy_", "java_pid"):
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(f"/tmp/.{name}{process.pid}")
                return process
            theirs = start_theirs()

            def as_nobody(*arguments):
                done = subprocess.run([program, *map(str, arguments)], capture_output=True,
                                      text=True, check=False, timeout=TIMEOUT, **nobody)
                return done.returncode, done.stdout, done.stderr
            code, out, err = as_nobody("attach", ours.pid)
            self.assertEqual((code, out), (1, ""))
            self.assertRegex(err, r"belongs to root \(user 0\): only that user and root")
            code, out, err = as_nobody("list")
            self.assertIn(f" {theirs.pid} ", out)
            self.assertNotIn(f" {ours.pid} ", out)
            code, out, err = as_nobody("attach", theirs.pid)
            self.assertEqual(code, 0, err)
            self.assertIn("has loaded the agent", out)
            self.assertEqual(len(self.attach(theirs.pid, loaded=False)), 1)
            self.assertEqual(as_nobody("info", theirs.pid)[0], 0)
            self.assertEqual(gcspy("info", theirs.pid)[0], 0)
            # Q1: nobody else gets in by the process, its socket, or the JVM's own one.
            path = self.attach(ours.pid)[0]
            for asked, expected in ((("info", f"pid:{ours.pid}"), "belongs to root"),
                                    (("info", path), "Permission denied"),
                                    (("resume", path), "Permission denied"),
                                    (("detach", ours.pid), "belongs to root")):
                code, out, err = as_nobody(*asked)
                self.assertEqual((code, out), (1, ""))
                self.assertIn(expected, err)
            self.assertEqual(as_nobody("detach", theirs.pid)[0], 0)
            self.assertEqual(as_nobody("attach", theirs.pid)[0], 0)
            second = start_theirs()
            done = subprocess.run([program, "attach", str(second.pid)], capture_output=True,
                                  text=True, check=False, timeout=TIMEOUT)
            self.assertEqual(done.returncode, 0, done.stderr)
            for process in (ours, theirs, second):
                process.stdin.write("quit\n")
                process.stdin.flush()
                self.assertEqual(process.wait(TIMEOUT), 0)
                self.assertNotIn("thread dump", process.stdout.read())


if __name__ == "__main__":
    main()
