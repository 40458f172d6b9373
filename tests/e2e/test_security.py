"""What docs/security.md says of the agent inside the JVM's process, against strace (E4): each of its threads, the
system calls of each by their groups, the files that it opens, and the sockets; no other, and none that is not seen.
"""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

import serving
from jvm import AGENT, JAR, NEWEST, PROGRAM, TIMEOUT

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/security.md")
CALL = re.compile(r"^(\d+) +(?:<\.\.\. )?(\w+)(?:\(| resumed)")
NAME = re.compile(r'^(\d+) +prctl\(PR_SET_NAME, "(gcspy-[a-z]+)"')
FILE = re.compile(r'^(\d+) +(?:open|openat|rename|unlink|mkdir|link|symlink)(?:at)?\((?:AT_FDCWD, )?"(.*?)"'
                  r'(?:, (\S+?)[,)])?.*')


def tables():
    """{heading of the first column: [cells of each row]} of the section about the process."""
    with open(PAGE, encoding="utf-8") as file:
        section = file.read().split("\n## Inside the JVM's process\n")[1].split("\n## ")[0]
    found, head = {}, None
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not line.startswith("| "):
            head = None
        elif head is None:
            head = cells[0]
            found[head] = []
        elif not cells[0].startswith("---"):
            found[head].append(cells)
    return found


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


def tool(*words, good=True):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT)
    assert done.returncode == 0 or not good, (words, done.stdout, done.stderr)
    return done.stdout


@unittest.skipUnless(shutil.which("strace") and NEWEST, "needs strace (Debian: strace) and a JDK")
class Test(serving.Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="gcspy-security-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.trace = os.path.join(cls.folder, "trace")
        done = subprocess.run(["strace", "-o", cls.trace, "true"], check=False, capture_output=True)
        if done.returncode != 0:
            raise unittest.SkipTest("strace may not trace here")
        cls.token = os.path.join(cls.folder, "token")
        with open(cls.token, "w", encoding="ascii") as file:
            os.chmod(cls.token, 0o600)
            file.write("a secret\n")
        cls.run_all()
        cls.read_trace()

    @classmethod
    def run_all(cls):
        """A JVM that does everything that the agent can, with one client after another."""
        with socket.socket() as end:
            end.bind(("127.0.0.1", 0))
            port = end.getsockname()[1]
        options = (f"socket={cls.folder}/agent.sock,port={port},token-file={cls.token},interval=16k,"
                   f"clock=200,record={cls.folder}/all.gcspy,record-profiles=1,record-ring=20s,memory=on,"
                   f"record-ring-file={cls.folder}/ring.gcspy")
        with open(os.path.join(cls.folder, "out"), "wb") as out:
            jvm = subprocess.Popen(
                ["strace", "-f", "-qq", "-s", "300", "-o", cls.trace, NEWEST[0].java, "-Xmx32m",
                 "-XX:+UseSerialGC", *serving.QUIET, f"-agentpath:{AGENT}={options}", "-cp", JAR,
                 "Layout"], stdin=subprocess.PIPE, stdout=out, stderr=out, cwd=cls.folder)
        try:
            deadline = time.monotonic() + TIMEOUT
            while not os.path.exists(f"{cls.folder}/agent.sock"):
                assert jvm.poll() is None and time.monotonic() < deadline, cls.said()
                time.sleep(0.05)
            at = ("--token-file", cls.token)
            address = f"unix:{cls.folder}/agent.sock"
            jvm.stdin.write(b"alloc 4000000\ngc\n")
            jvm.stdin.flush()
            tool("info", address, *at)
            tool("dump", f"127.0.0.1:{port}", *at)
            tool("gc", address, *at)
            tool("sites", address, *at, good=False)
            tool("histogram", address, *at)
            tool("paths", address, *at, good=False)
            tool("ask", address, "native-memory", *at)
            tool("ask", address, "flight-ring", "save=yes", *at)
            tool("watch", address, "--seconds", "2", *at)
            tool("set", address, "volume=heavy", *at)
            tool("gc", address, *at)
            tool("watch", address, "--seconds", "1", *at)
            java = subprocess.run(["pgrep", "-P", str(jvm.pid)], capture_output=True, text=True,
                                  check=True).stdout.split()[0]
            tool("detach", java)
            jvm.stdin.close()
            jvm.wait(TIMEOUT)
        finally:
            if jvm.poll() is None:
                jvm.kill()
                jvm.wait()

    @classmethod
    def said(cls):
        with open(os.path.join(cls.folder, "out"), encoding="utf-8", errors="replace") as file:
            return file.read()

    @classmethod
    def read_trace(cls):
        calls, cls.names, files, cls.sockets = {}, {}, {}, set()
        with open(cls.trace, encoding="utf-8", errors="replace") as file:
            for line in file:
                if match := NAME.match(line):
                    cls.names[match[1]] = match[2]
                if match := CALL.match(line):
                    calls.setdefault(match[1], set()).add(match[2])
                if match := FILE.match(line):
                    files.setdefault(match[1], set()).add((match[2], match[3] or ""))
                if re.match(r"\d+ +bind\(", line):
                    cls.sockets.add(line)
        cls.calls = {name: set().union(*(calls[i] for i in calls if cls.names.get(i) == name))
                     for name in set(cls.names.values())}
        cls.files = {name: set().union(*(files.get(i, set()) for i in calls
                                         if cls.names.get(i) == name))
                     for name in set(cls.names.values())}
        cls.others = {(path, flags) for i, found in files.items() if i not in cls.names
                      for path, flags in found if path.startswith(cls.folder)}

    def test_threads(self):
        """Exactly those of the table; the one of the native heap is there with its library only."""
        documented = {quoted(row[0])[0] for row in tables()["thread"]}
        self.assertEqual(documented - {"gcspy-native"}, set(self.calls))

    def test_system_calls(self):
        """No thread has one that its groups do not have, and each group is used by some thread."""
        groups = {quoted(row[0])[0]: set(quoted(row[1])) for row in tables()["group"]}
        used = set()
        for row in tables()["thread"]:
            name, own = quoted(row[0])[0], quoted(row[2])
            allowed = set().union(*(groups[group] for group in own))
            self.assertLessEqual(self.calls.get(name, set()), allowed, name)
            used |= self.calls.get(name, set())
        for group, calls in groups.items():
            self.assertTrue(calls & used, f"{group}: none of them is called")

    def test_files(self):
        """Only those of the table, and for writing only those that its column says."""
        patterns = []
        for row in tables()["file"]:
            for text in quoted(row[0]):
                patterns.append((re.compile(re.escape(text).replace("PID", r"(?:\d+|self)").replace(
                    "TID", r"\d+").replace("PATH", ".*")), "write" in row[1]))
        for name, files in self.files.items():
            for path, flags in files:
                found = [writes for pattern, writes in patterns if pattern.fullmatch(
                    path.replace(self.folder, "PATH"))] or [
                        writes for pattern, writes in patterns if pattern.fullmatch(path)]
                self.assertTrue(found, (name, path, flags))
                if re.search("O_WRONLY|O_RDWR|O_CREAT", flags):
                    self.assertTrue(any(found), (name, path, flags))

    def test_files_of_the_start(self):
        """The thread that loads the agent opens what its options name."""
        opened = {os.path.basename(path): flags for path, flags in self.others}
        self.assertLessEqual({"token", "all.gcspy"}, set(opened))
        self.assertLessEqual(set(opened), {"token", "all.gcspy", "ring.gcspy", "agent.sock"})
        self.assertNotRegex(opened["token"], "O_WRONLY|O_RDWR|O_CREAT")
        self.assertIn("O_EXCL", opened["all.gcspy"])

    def test_sockets(self):
        """It binds what its options say, and connects to nothing."""
        bound = [line for line in self.sockets if "sun_path" in line or "sin" in line]
        ours = [line for line in bound if self.folder in line]
        self.assertEqual(len(ours), 1, bound)
        self.assertTrue(any("127.0.0.1" in line for line in bound), bound)
        for line in bound:
            self.assertTrue(self.folder in line or "127.0.0.1" in line or "/.java_pid" in line, line)
        for name, calls in self.calls.items():
            self.assertFalse(calls & {"connect", "execve", "fork", "vfork", "ptrace", "kill"}, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
