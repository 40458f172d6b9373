"""`gcspy attach` and `gcspy list` on JVMs that run already (H1, Q4)."""

import json
import contextlib
import os
import re
import shutil
import socket
import stat
import subprocess
import tempfile
import time

import table
from jvm import (AGENT, JAR, NEWEST, TIMEOUT, PROGRAM, Jvm, View, cases, expand, main, other_users,
                 space)
from running import NO_PERF, ONE, Case, gcspy, leave_socket, listed

G1 = (table.Row("G1", "-Xms32m -Xmx64m"),)
STARTED = ONE + NO_PERF + (
    table.Row("Serial", "-Xmx32m -Xrs", name="without signals"),
    table.Row("Serial", "-Xmx32m -XX:+StartAttachListener", name="listening"),
    table.Row("Serial", "-Xmx32m -XX:+DisableAttachMechanism -XX:-DisableAttachMechanism",
              name="allowed again"))


@expand
class Attach(Case):
    @cases(G1)
    def check_attach(self, jdk, row):
        """H1, Q1: loaded without a JDK's tools; a socket of its user alone; the heap is there."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("alloc 4m")
            path = f"/tmp/.gcspy_{jvm.pid}"
            leave_socket(jvm.pid, path=path)
            code, out, err = gcspy("attach", jvm.pid)
            self.assertEqual((code, err), (0, ""))
            self.assertEqual(
                out, f"Process {jvm.pid} has loaded the agent; listening on unix:{path}\n"
                f"Allocation sampling is off; `gcspy set {jvm.pid} interval=512k` turns it on\n"
                f"Next: gcspy-view {jvm.pid}. For TCP: gcspy detach {jvm.pid}; "
                f"gcspy attach {jvm.pid} port=0\n")
            self.assertEqual(jvm.address(), f"unix:{path}")
            mode = os.stat(path).st_mode
            self.assertTrue(stat.S_ISSOCK(mode))
            self.assertEqual(stat.S_IMODE(mode), 0o600)
            for address in jvm.pid, f"pid:{jvm.pid}":
                code, out, err = gcspy("info", address)
                self.assertEqual((code, err), (0, ""))
                self.assertRegex(out, rf"(?m)^ *Process +{jvm.pid}$")
            with View(f"unix:{path}") as view:
                view.picture()
                jvm.ask("gc", view)
                view.wait(lambda: view.of("GC finish"), 30)
                self.assertIsNotNone(space(view.of("GC finish")[-1], "G1 regions"))
            warned = "has been loaded dynamically" in jvm.err
            self.assertEqual(warned, jdk.major >= 21, "as the documentation says")
            self.untouched(jvm)
            self.assertEqual(jvm.quit(), 0)
            self.assertFalse(os.path.exists(path), "taken away at the end")

    @cases(ONE, in_turn=True)
    def check_port(self, jdk, row):
        """H1: a free TCP port when it is asked for."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            path = f"/tmp/.gcspy_{jvm.pid}"
            with contextlib.suppress(FileNotFoundError):  # a killed process of that number left it
                os.unlink(path)
            code, out, err = gcspy("attach", jvm.pid, "port=0")
            self.assertEqual((code, err), (0, ""))
            found = re.fullmatch(rf"Process {jvm.pid} has loaded the agent; listening on "
                                 r"(127\.0\.0\.1:\d+)\nAllocation sampling is off; [^\n]*\n", out)
            self.assertTrue(found, out)
            self.assertEqual(jvm.address(), found[1])
            self.assertFalse(os.path.exists(path))
            self.assertEqual(gcspy("info", jvm.pid)[0], 0)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_path_in_use(self, jdk, row):
        """Q1: what is no socket, or is another's, is left alone and named."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            path = f"/tmp/.gcspy_{jvm.pid}"
            with open(path, "w", encoding="utf-8") as file:
                file.write("precious")
            try:
                self.refused(f"cannot listen on socket {path}: a file that is not a "
                             "socket", jvm.pid)
                with open(path, encoding="utf-8") as file:
                    self.assertEqual(file.read(), "precious")
            finally:
                os.unlink(path)
            with socket.socket(socket.AF_UNIX) as other:
                other.bind(path)
                other.listen(1)
                self.refused(f"{path}: another process listens there", jvm.pid)
                os.unlink(path)
            self.attach(jvm.pid)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_recording_alone(self, jdk, row):
        """F21: attached for a recording it listens nowhere, which is no error."""
        with tempfile.TemporaryDirectory() as folder, \
                Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            path = os.path.join(folder, "r.gcspy")
            code, out, err = gcspy("attach", jvm.pid, f"record={path}")
            self.assertEqual((code, err), (0, ""))
            self.assertEqual(out, f"Process {jvm.pid} has loaded the agent; "
                             "it records to a file and does not listen\n")
            code, out, err = gcspy("attach", jvm.pid)
            self.assertEqual((code, out), (1, ""))
            self.assertEqual(err, f"gcspy: process {jvm.pid}: the agent is there, but it records to a file "
                             f"and does not listen; gcspy detach {jvm.pid} ends that, and attach then "
                             "makes it listen\n")
            jvm.ask("gc")
            self.assertEqual(jvm.quit(), 0)
            self.assertGreater(os.path.getsize(path), 0)

    @cases(STARTED, in_turn=True)
    def check_twice(self, jdk, row):
        """H1: an agent that is already loaded is reported with its address, and not changed."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            addresses = self.attach(jvm.pid)
            self.assertEqual(self.attach(jvm.pid, loaded=False), addresses)
            again = self.attach(jvm.pid, "block=4k", loaded=False,
                                says=r"has the agent already; its options stay")
            self.refused("and not as asked: `gcspy detach", jvm.pid, "port=0,block=4k")
            self.assertEqual(again, addresses)
            self.assertEqual(jvm.err.count("listening on"), 1)
            with View(addresses[0]) as view:
                view.picture()
            self.untouched(jvm)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_options(self, jdk, row):
        """H1: the agent's options are handed over as they are."""
        with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as s:
            path, port = os.path.join(folder, "a socket"), s.getsockname()[1]
            s.close()
            for options, expected in (
                    ("block=4k", [r"unix:/tmp/\.gcspy_\d+"]),
                    ("port=0,block=4k", [r"127\.0\.0\.1:\d+"]),
                    (f"port={port},max-tiles=64", [rf"127\.0\.0\.1:{port}"]),
                    (f"socket={path}", [f"unix:{path}"]),
                    ("socket=of the program", [r"unix:/.*/of the program"]),
                    (f"max-clients=3,socket={path},port=0", [r"127\.0\.0\.1:\d+", f"unix:{path}"])):
                with self.subTest(options=options), Jvm(jdk, "Layout", row.flags, None) as jvm:
                    jvm.ask("churn 1m")
                    addresses = self.attach(jvm.pid, options)
                    self.assertEqual(len(addresses), len(expected), addresses)
                    for address, form in zip(addresses, expected):
                        self.assertRegex(address, rf"\A{form}\Z")
                        self.assertEqual(gcspy("info", address)[0], 0)
                    self.assertEqual(listed(jvm.pid)["addresses"], addresses)
                    self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_ipv6(self, jdk, row):
        """H1: an IPv6 address is printed in a form that commands accept."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            try:
                socket.create_server(("::1", 0), family=socket.AF_INET6).close()
            except OSError:
                self.skipTest("no IPv6 loopback")
            address, = self.attach(jvm.pid, "host=::1")
            self.assertRegex(address, r"\A\[::1\]:\d+\Z")
            self.assertEqual(jvm.address(), address)
            self.assertEqual(gcspy("info", address)[0], 0)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE + NO_PERF, in_turn=True)
    def check_at_once(self, jdk, row):
        """H1: a JVM that starts just now is waited for, and never ended by SIGQUIT."""
        for pause in (0, 0, 0.02, 0.05, 0.1):
            with self.subTest(pause=pause), Jvm(jdk, "Layout", row.flags, None) as jvm:
                time.sleep(pause)
                addresses = self.attach(jvm.pid)
                with View(addresses[0]) as view:
                    view.picture()
                self.untouched(jvm)
                self.assertEqual(jvm.quit(), 0)

    @cases(ONE + NO_PERF, in_turn=True)
    def check_dead_socket(self, jdk, row):
        """H1, Q4: a socket that a process of the same number left is not in the way."""
        for owner in (os.geteuid(), 65534) if other_users() else (os.geteuid(),):
            with self.subTest(owner=owner), Jvm(jdk, "Layout", row.flags, None) as jvm:
                jvm.ask("churn 1m")  # a JVM that starts removes it
                os.chown(leave_socket(jvm.pid), owner, -1)
                with View(self.attach(jvm.pid)[0]) as view:
                    view.picture()
                self.untouched(jvm)
                self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_hidden_listener(self, jdk, row):
        """Q4: a JVM whose socket has gone is asked again; one that has another file in its place
        would print its threads, and is not."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            self.refused("does not start", jvm.pid, "prot=1")
            path = f"/tmp/.java_pid{jvm.pid}"
            os.unlink(path)
            leave_socket(jvm.pid)
            self.refused(f"left its file at {path}: remove", jvm.pid)
            os.unlink(path)
            self.attach(jvm.pid)
            self.untouched(jvm)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_many_at_once(self, jdk, row):
        """Q4: several attach at the same time; all print the same address."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            command = [PROGRAM, "attach", str(jvm.pid), "--format", "json"]
            running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
            addresses = {tuple(json.loads(p.communicate(timeout=TIMEOUT)[0])["addresses"])
                         for p in running}
            self.assertEqual(len(addresses), 1, addresses)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_after_agentpath(self, jdk, row):
        """H1: an agent given at the start is found too, also while a client holds the JVM."""
        with Jvm(jdk, "Layout", row.flags, "port=0") as jvm:
            address = jvm.address()
            self.assertEqual(self.attach(jvm.pid, loaded=False), [address])
            with View(address, pause=True) as view:
                jvm.say("gc")
                view.wait(lambda: view.states and view.states[-1][0] == 2, 30)
                self.assertEqual(self.attach(jvm.pid, loaded=False), [address])
                self.assertEqual(listed(jvm.pid)["addresses"], [address])
            jvm.answer()
            jvm.answer()
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_bad_options(self, jdk, row):
        """H1, Q4: the agent's reason reaches the user; a further attempt works."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            descriptors = None
            for options, words in (("prot=1", 'does not start: unknown option "prot"'),
                                   ("block=3", r'block="3".*power of two'),
                                   ("host=0.0.0.0", "token"),
                                   ("socket=/nowhere/s", "/nowhere/s"),
                                   ("socket=/tmp/" + "x" * 120, "too long: .*limit is 107")):
                self.refused(words, jvm.pid, options)
                self.assertRegex(listed(jvm.pid)["refusal"], words.rpartition(": ")[2])
                descriptors = descriptors or jvm.descriptors()
                self.assertLessEqual(jvm.descriptors(), descriptors, "nothing is left open")
            code, out, err = gcspy("attach", jvm.pid, "help")
            self.assertEqual((code, err), (0, ""))
            self.assertIn("port=N", out)
            self.assertNotIn("port=N", jvm.err)
            self.refused("at most", jvm.pid, "x" * 1100, code=2)
            with View(self.attach(jvm.pid, "block=8k")[0]) as view:
                view.picture()
            self.untouched(jvm)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_agent_path(self, jdk, row):
        """H1: --agent, relative or absolute; what is no agent is named."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            self.refused("/nowhere/agent.so", jvm.pid, "--agent", "/nowhere/agent.so")
            self.refused("nowhere.so.*No such file", jvm.pid, "--agent", "nowhere.so")
            self.refused("no such file|not loaded", jvm.pid, "--agent", "/tmp")
            self.refused("did not load the agent: .*invalid ELF header|too short", jvm.pid,
                         "--agent", JAR)
            folder, name = os.path.split(AGENT)
            code, out, err = gcspy("attach", jvm.pid, "--agent", name, cwd=folder)
            self.assertEqual(code, 0, err)
            self.assertIn("has loaded", out)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_alone(self, jdk, row):
        """H1: a program without its library beside it says what it needs."""
        with tempfile.TemporaryDirectory() as folder, Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            alone = shutil.copy(PROGRAM, folder)
            done = subprocess.run([alone, "attach", str(jvm.pid)], capture_output=True, text=True,
                                  check=False, timeout=TIMEOUT)
            self.assertEqual(done.returncode, 1)
            self.assertIn("libgcspyagent.so is not beside gcspy; --agent", done.stderr)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_loading_forbidden(self, jdk, row):
        """H1: the JVM's own refusal is passed on."""
        flags = (*row.flags, "-XX:-EnableDynamicAgentLoading")
        with Jvm(jdk, "Layout", flags, None) as jvm:
            jvm.ask("churn 1m")
            self.refused("Dynamic agent loading is not enabled", jvm.pid)
            self.untouched(jvm)
            self.assertEqual(jvm.quit(), 0)


@expand
class Detach(Case):
    """`gcspy detach`: which library is asked, and what is said of it (what the agent gives up then is
    in test_detach.py)."""

    def detach(self, pid, words="has closed its sockets and threads"):
        code, out, err = gcspy("detach", pid)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(
            out, f"Process {pid}: the agent {words}; `gcspy attach {pid}` opens them again\n")
        told = listed(pid)
        self.assertEqual((told["agent"], told["addresses"], told["refusal"]),
                         (True, [], "detached"))
        self.assertRegex(gcspy("list")[1], rf"(?m)^ *{pid} .*  detached$")

    @cases(ONE, in_turn=True)
    def check_attach_again(self, jdk, row):
        """Detached and attached with other options, as often as one likes."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            code, out, err = gcspy("detach", jvm.pid)
            self.assertEqual((code, out), (1, ""))
            self.assertRegex(err, rf"process {jvm.pid} \(Layout\) has not loaded the agent\n")
            path = f"/tmp/.gcspy_{jvm.pid}"
            for _ in range(2):
                self.assertEqual(self.attach(jvm.pid), [f"unix:{path}"])
                self.detach(jvm.pid)
                self.assertFalse(os.path.exists(path))
                self.detach(jvm.pid, "has closed its sockets and threads already")
                code, out, err = gcspy("info", f"pid:{jvm.pid}")
                self.assertRegex(err, rf"the agent is detached; `gcspy attach {jvm.pid}` loads")
                address, = self.attach(jvm.pid, "port=0,block=4k")
                self.assertRegex(address, r"\A127\.0\.0\.1:\d+\Z")
                with View(address) as view:
                    view.picture()
                self.detach(jvm.pid)
            self.untouched(jvm)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_agentpath(self, jdk, row):
        """An agent given at the start detaches, too."""
        with Jvm(jdk, "Layout", row.flags, "port=0") as jvm:
            jvm.ask("churn 1m")
            self.detach(jvm.pid)
            with View(self.attach(jvm.pid)[0]) as view:
                view.picture()
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_copies(self, jdk, row):
        """Of two copies in one JVM the one that listens is asked."""
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, os.path.basename(AGENT))
            shutil.copy(AGENT, other)
            for first, second in ((AGENT, other), (other, AGENT)):
                with self.subTest(second=second), Jvm(jdk, "Layout", row.flags, None) as jvm:
                    jvm.ask("churn 1m")
                    self.refused("unknown option", jvm.pid, "prot=1", "--agent", first)
                    self.attach(jvm.pid, "--agent", second)
                    self.detach(jvm.pid)
                    self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_removed_library(self, jdk, row):
        """A library that is gone from its folder since is still the one that the JVM has."""
        with tempfile.TemporaryDirectory() as folder, \
                Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            other = os.path.join(folder, os.path.basename(AGENT))
            shutil.copy(AGENT, other)
            self.attach(jvm.pid, "--agent", other)
            os.unlink(other)
            self.detach(jvm.pid)
            with View(self.attach(jvm.pid)[0]) as view:
                view.picture()
            self.detach(jvm.pid)
            self.assertEqual(jvm.quit(), 0)

    @cases(ONE, in_turn=True)
    def check_held(self, jdk, row):
        """A JVM that a client holds cannot answer; `gcspy resume` lets it, by the process's number."""
        with Jvm(jdk, "Layout", row.flags, "port=0") as jvm:
            with View(jvm.address(), pause=True) as view:
                jvm.say("gc")
                view.wait(lambda: view.states and view.states[-1][0] == 2, 30)
                code, out, err = gcspy("detach", jvm.pid, "--timeout", 0.5)
                self.assertEqual((code, out), (1, ""))
                self.assertRegex(err, rf"in time.*`gcspy resume {jvm.pid}`")
                self.assertEqual(gcspy("resume", jvm.pid)[0], 0)
                jvm.answer()
                jvm.until(lambda: (listed(jvm.pid) or {}).get("refusal") == "detached" or
                          gcspy("detach", jvm.pid)[0] == 0, "the detach")
            self.assertEqual(jvm.quit(), 0)


@expand
class List(Case):
    @cases(ONE + NO_PERF, in_turn=True)
    def check_list(self, jdk, row):
        """H1: before and after the agent, as text and as JSON."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 1m")
            before = listed(jvm.pid)
            self.assertEqual(before, {"pid": jvm.pid, "program": "Layout", "java": jdk.version,
                                      "agent": False, "addresses": [], "refusal": None})
            address, = self.attach(jvm.pid)
            self.assertEqual(listed(jvm.pid), before | {"agent": True, "addresses": [address]})
            code, out, err = gcspy("list")
            self.assertEqual((code, err), (0, ""))
            self.assertRegex(out, r"\A +PID  PROGRAM +JAVA +AGENT\n")
            self.assertRegex(out, rf"(?m)^ *{jvm.pid}  Layout +{jdk.version} +{address}$")
            self.assertEqual(jvm.quit(), 0)
            self.assertIsNone(listed(jvm.pid))

    @cases(ONE + NO_PERF, in_turn=True)
    def check_archive(self, jdk, row):
        """H1: the archive is named, the program's arguments are not."""
        with tempfile.TemporaryDirectory() as folder:
            archive = os.path.join(folder, "a program.jar")
            manifest = os.path.join(folder, "manifest")
            classes = os.path.join(folder, "classes")
            os.mkdir(classes)
            with open(manifest, "w", encoding="utf-8") as file:
                file.write("Main-Class: Idle\n")
            if jdk.tool("jar") is None:
                self.skipTest("no jar tool")
            subprocess.run([jdk.tool("jar"), "xf", JAR], cwd=classes, check=True, timeout=TIMEOUT)
            subprocess.run([jdk.tool("jar"), "cfm", archive, manifest, "-C", classes, "."],
                           check=True, timeout=TIMEOUT)
            command = [jdk.java, *row.flags, "-jar", archive, "seconds=600", "arrays=10"]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
                try:
                    deadline = time.monotonic() + TIMEOUT
                    while not listed(process.pid) and time.monotonic() < deadline:
                        time.sleep(0.05)
                    program = listed(process.pid)["program"]
                    # PerfData has words that are separated by blanks alone.
                    self.assertIn(program, (archive, os.path.join(folder, "a")))
                    self.assertNotIn("arrays", gcspy("list")[1])
                finally:
                    process.kill()

    @cases(ONE, only=NEWEST)
    def check_by_name(self, jdk, row):
        """H1: a program's name stands for its number wherever one is expected, if it is the only one."""
        name = f"store{os.getpid()}"
        if jdk.tool("jar") is None:
            self.skipTest("no jar tool")
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            archive = os.path.join(folder, name + ".jar")
            manifest = os.path.join(folder, "manifest")
            with open(manifest, "w", encoding="utf-8") as file:
                file.write(f"Main-Class: Idle\nClass-Path: {JAR}\n")
            subprocess.run([jdk.tool("jar"), "cfm", archive, manifest], check=True, timeout=TIMEOUT)
            command = [jdk.java, *row.flags, "-jar", archive, "seconds=600", "arrays=10"]

            def start():
                process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.DEVNULL))
                stack.callback(process.kill)
                deadline = time.monotonic() + TIMEOUT
                while not listed(process.pid):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.05)
                return process.pid

            first = start()
            code, out, err = gcspy("attach", name)
            self.assertEqual((code, err), (0, ""))
            self.assertIn(f"Process {first} has loaded the agent", out)
            for written in name, name + ".jar", archive:
                code, out, err = gcspy("info", written)
                self.assertEqual((code, err), (0, ""))
                self.assertRegex(out, rf"(?m)^ *Process +{first}$")
            second = start()
            for command_ in ("info", "attach", "sites"):
                code, out, err = gcspy(command_, name)
                self.assertEqual((code, out), (2, ""))
                self.assertRegex(err, rf'"{name}" is the program of 2 running JVMs: '
                                 rf"({first}, {second}|{second}, {first}); give the number of one")
            code, _, err = gcspy("detach", name + "s")
            self.assertEqual(code, 2)
            self.assertIn(f'no running JVM has the program "{name}s" (did you mean "{name}"?)', err)
            code, _, err = gcspy("sites", name.upper())
            self.assertEqual(code, 2)
            self.assertIn(f'"{name.upper()}" is neither a file, PID', err)
            code, _, err = gcspy("sites", name.replace("store", "Store"))
            self.assertEqual(code, 2)
            self.assertIn(f'(did you mean "{name}"?)', err)

    @cases(ONE, only=NEWEST)
    def check_refused_option(self, jdk, row):
        """H1: an agent that does not listen is reported as such, at the start too."""
        with Jvm(jdk, "Layout", row.flags, "prot=1") as jvm:
            jvm.ask("churn 1m")
            told = listed(jvm.pid)
            self.assertEqual((told["agent"], told["addresses"]), (True, []))
            self.assertIn('unknown option "prot"', told["refusal"])
            self.assertRegex(gcspy("list")[1], rf"(?m)^ *{jvm.pid} .* does not listen$")
            self.attach(jvm.pid)
            self.assertEqual(jvm.quit(), 0)


if __name__ == "__main__":
    main()
