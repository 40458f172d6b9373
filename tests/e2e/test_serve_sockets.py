"""`gcspy serve` with agents that it knows by their sockets alone (E4): a JVM in a container whose processes and
network it cannot see, several on one volume, sockets that come, go, and belong to nobody; and containers whose
processes it sees, by their control groups.
"""

import http.client
import json
import os
import shutil
import socket
import subprocess
import threading
import time
import unittest

import serving
from jvm import AGENT, NEWEST, PROGRAM, TIMEOUT

HERE = os.path.dirname(os.path.abspath(__file__))
NAMESPACES = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--net", "--ipc", "--uts")


def tool(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT)
    return done.returncode, done.stdout, done.stderr


def may_unshare():
    return os.geteuid() == 0 and shutil.which("unshare") and subprocess.run(
        [*NAMESPACES, "true"], check=False, capture_output=True, timeout=TIMEOUT).returncode == 0


@unittest.skipUnless(NEWEST, "needs a JDK")
class Test(serving.Case):
    def setUp(self):
        self.own = serving.Own()
        self.addCleanup(self.own.close)

    def start(self, name, before=(), options=None):
        """A JVM that loads the agent by JAVA_TOOL_OPTIONS alone, as an image does not know of it."""
        environment = {**os.environ}
        if options is not None:
            environment["JAVA_TOOL_OPTIONS"] = f"-agentpath:{AGENT}={options}"
        jvm = subprocess.Popen([*before, NEWEST[0].java, "-Xmx32m", "-XX:+UseSerialGC", *serving.QUIET,
                                "-jar", self.own.jar(name)], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
                               cwd=self.own.folder)
        self.addCleanup(self.end, jvm)
        return jvm

    @staticmethod
    def end(jvm):
        """The JVM that `unshare` has started ends a little later, and its files in /tmp are the next one's."""
        children = ()
        if jvm.poll() is None:
            with open(f"/proc/{jvm.pid}/task/{jvm.pid}/children", encoding="ascii") as file:
                children = file.read().split()
        jvm.kill()
        jvm.wait()
        jvm.stdin.close()
        deadline = time.monotonic() + TIMEOUT
        while any(os.path.exists(f"/proc/{child}") for child in children):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the end of {children}")
            time.sleep(0.01)

    def serving(self, *words, before=()):
        serve = serving.Serving("--sockets", f"{self.own.folder}/*.sock", *words, before=before)
        self.addCleanup(serve.__exit__)
        return serve

    def by_program(self, serve):
        return {t["program"]: t for t in json.loads(serve.get("/targets"))["targets"]}

    def until_live(self, serve, names):
        return serve.until(lambda: (t := self.by_program(serve)).keys() == set(names) and all(
            one["state"] == "live" and one["events"] for one in t.values()) and t, f"{names} live")

    def test_names_and_labels(self):
        """Each socket is a target with the name of its file; all pages know it by that."""
        for name in ("shop", "bank"):
            self.start(name, options=f"socket={self.own.folder}/{name}.sock,clock=200,interval=16k")
        serve = self.serving("--match", "^(shop|bank)$")
        served = self.until_live(serve, ("shop", "bank"))
        for name, target in served.items():
            path = f"{self.own.folder}/{name}.sock"
            self.assertEqual((target["pid"], target["socket"], target["loaded"]), (0, path, False))
            self.assertEqual(serve.request(f"/debug/pprof/heap?instance={name}")[0], 200)
            self.assertEqual(serve.request(f"/debug/pprof/heap?instance={path}")[0], 200)
            code, said, error = tool("info", f"127.0.0.1:{serve.port}/{name}")
            self.assertEqual(code, 0, error)
            self.assertIn(f"{name}.jar", said)
            self.assertIn(f"<code>gcspy-view 127.0.0.1:{serve.port}/{name}</code>",
                          serve.get("/").decode())
        families = serve.metrics()
        labels = [labels for _, labels, value in families["gcspy_target_up"]["samples"] if value == 1]
        self.assertEqual(sorted(labels, key=lambda one: one["program"]),
                         [{"socket": f"{self.own.folder}/{name}.sock", "program": name}
                          for name in ("bank", "shop")])
        self.assertEqual(serve.request("/debug/pprof/heap?instance=0")[0], 404)

    def test_sockets_come_and_go(self):
        serve = self.serving("--match", "^(shop|stale)$")
        serve.until(lambda: "gcspy_target_up" in serve.metrics(), "it answers")
        stale = socket.socket(socket.AF_UNIX)
        stale.bind(f"{self.own.folder}/stale.sock")
        stale.close()
        with open(f"{self.own.folder}/file.sock", "w", encoding="ascii") as file:
            file.write("no socket\n")
        jvm = self.start("shop", options=f"socket={self.own.folder}/shop.sock,clock=200")
        served = serve.until(lambda: (t := self.by_program(serve)).keys() == {"shop", "stale"} and
                             t["shop"]["state"] == "live" and t["stale"]["state"] == "failed" and t,
                             "one live, one that is nobody's")
        self.assertRegex(served["stale"]["error"], "refused")
        jvm.kill()
        jvm.wait()
        serve.until(lambda: self.by_program(serve).get("shop", {}).get("state") == "failed",
                    "it is gone")
        self.start("shop", options=f"socket={self.own.folder}/shop.sock,clock=200")
        os.unlink(f"{self.own.folder}/stale.sock")
        self.until_live(serve, ("shop",))

    def test_targets_that_end_while_they_are_read(self):
        """Replays that come and go under many readers: what an answer still needs is not freed with its target."""
        recording = os.path.join(HERE, "..", "golden", "traces", "v1.1-finished.gcspy")
        for i in range(12):
            os.symlink(f"{self.own.folder}/replay", f"{self.own.folder}/jvm-{i}.sock")
        serve = self.serving("--match", "^jvm-")
        over = threading.Event()
        failures = []

        def read():
            while not over.is_set():
                try:
                    serve.metrics()
                    self.by_program(serve)
                except (OSError, http.client.HTTPException, AssertionError) as failure:
                    failures.append(failure)
                    return
        readers = [threading.Thread(target=read) for _ in range(6)]
        for reader in readers:
            reader.start()
        try:
            for _ in range(4):
                replay = subprocess.Popen([PROGRAM, "replay", recording, "--loop", "--socket",
                                           f"{self.own.folder}/replay"], stdin=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL)
                self.addCleanup(replay.wait)
                self.addCleanup(replay.kill)
                serve.until(lambda: any(t["events"] for t in self.by_program(serve).values()) or
                            failures, "a target is live")
                replay.kill()
                replay.wait()
                os.unlink(f"{self.own.folder}/replay")
                serve.until(lambda: not self.by_program(serve) or failures, "all are forgotten")
        finally:
            over.set()
            for reader in readers:
                reader.join()
        self.assertEqual(failures, [])
        self.assertEqual(serve.stop(), (0, ""))

    @unittest.skipUnless(may_unshare(), "needs root and namespaces")
    def test_namespaces_of_its_own(self):
        """Process, network and IPC namespaces that are not shared: the socket on a common volume suffices."""
        self.start("shop", before=NAMESPACES, options=f"socket={self.own.folder}/shop.sock,clock=200")
        # Nor does gcspy serve see the JVM's process: it has namespaces of its own, too, but for the network.
        inner = [word for word in NAMESPACES if word != "--net"]
        serve = self.serving("--match", "^shop$", before=inner)
        target = self.until_live(serve, ("shop",))["shop"]
        self.assertEqual(target["pid"], 0)
        families = serve.metrics()
        self.assertTrue(families["jvm_memory_used_bytes"]["samples"])
        self.assertFalse(families["process_memory_usage_bytes"]["samples"], "its process is not seen")

    @unittest.skipUnless(may_unshare(), "needs root and namespaces")
    def test_namespaces_that_are_seen(self):
        """A JVM in namespaces below ours is attached to by its number here, through its own files."""
        self.start("shop", before=NAMESPACES)
        serve = serving.Serving("--match", self.own.match)
        self.addCleanup(serve.__exit__)
        found = serve.until(lambda: (t := serve.targets()) and all(
            one["state"] == "live" and one["events"] for one in t.values()) and t, "it is live")
        (pid, target), = found.items()
        self.assertTrue(target["loaded"])
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            numbers = next(line for line in status if line.startswith("NSpid:")).split()[1:]
        self.assertEqual(len(numbers), 2 + 0)
        self.assertTrue(target["address"].startswith("unix:"), target)
        self.assertEqual(tool("info", f"127.0.0.1:{serve.port}/{pid}")[0], 0)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_container(self):
        """--match on a container's number, which is a label and finds the target."""
        number = "0123456789abcdef" * 4
        group = self.make_group(f"gcspy-test-{os.getpid()}", f"docker-{number}.scope")
        if group is None:
            self.skipTest("no control groups to write to")
        jvm = self.start("shop")
        with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as file:
            file.write(str(jvm.pid))
        serve = serving.Serving("--match", f"^{number[:12]}")
        self.addCleanup(serve.__exit__)
        served = serve.until_live([jvm.pid])
        self.assertEqual(served[jvm.pid]["container"], number)
        labels = serve.metrics()["gcspy_target_info"]["samples"][0][1]
        self.assertEqual(labels["container_id"], number)
        self.assertEqual(serve.request(f"/debug/pprof/heap?instance={number}")[0], 200)

    def make_group(self, *names):
        for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/cpuacct",
                     "/sys/fs/cgroup/systemd"):
            path, made = root, []
            try:
                for name in names:
                    path = os.path.join(path, name)
                    os.mkdir(path)
                    made.append(path)
                if not os.path.exists(os.path.join(path, "cgroup.procs")):
                    raise OSError
            except OSError:
                for one in reversed(made):
                    os.rmdir(one)
                continue
            for one in made:
                self.addCleanup(self.remove_group, one)
            return path
        return None

    @staticmethod
    def remove_group(path):
        try:
            os.rmdir(path)
        except OSError:
            pass


if __name__ == "__main__":
    unittest.main(verbosity=2)
