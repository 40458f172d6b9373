"""Which JVMs `gcspy serve` follows, under which names, and what they notice of it (E3): --match, --exclude,
--min-age, and the JDK's own tools.
"""

import json
import os
import subprocess
import time
import unittest

import serving
import table
from jvm import NEWEST, PROGRAM, TIMEOUT, Jvm
from test_serve_sockets import NAMESPACES, may_unshare

ROW = table.Row("Serial", "-Xms32m -Xmx32m")
LABELS = 'gcspy_target_up{pid="%d",program="%s"}'


def info(address):
    done = subprocess.run([PROGRAM, "info", address], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT)
    return done.returncode, done.stdout + done.stderr


@unittest.skipUnless(NEWEST, "needs a JDK")
class Test(serving.Case):
    def setUp(self):
        self.own = serving.Own()
        self.addCleanup(self.own.close)

    def start(self, name):
        jvm = self.own.start(NEWEST[0], ROW, name)
        self.addCleanup(jvm.__exit__, None)
        return jvm

    def serving(self, *words, **more):
        serve = serving.Serving(*words, **more)
        self.addCleanup(serve.__exit__)
        return serve

    def test_an_archive_has_the_name_of_its_file(self):
        """As `gcspy info` has it, in metrics, /targets and addresses; --match takes it, or the whole path."""
        name = f"orders{os.getpid()}.jar"
        jvm = self.start(name[:-len(".jar")])
        jvm.ask("pools")
        serve = self.serving("--match", f"^{name}$")
        target = serve.until_live([jvm.pid])[jvm.pid]
        self.assertEqual(target["program"], name)
        self.assertIn(LABELS % (jvm.pid, name) + " 1", serve.get("/metrics").decode())
        for instance in (name, os.path.join(self.own.folder, name)):
            self.assertEqual(serve.request(f"/debug/pprof/heap?instance={instance}")[0], 200)
        code, said = info(f"127.0.0.1:{serve.port}/{name}")
        self.assertEqual(code, 0, said)
        self.assertIn(f"{name}, process {jvm.pid}", said)

    def test_exclude(self):
        shop, bank = self.start("shop"), self.start("bank")
        shop.ask("pools")
        bank.ask("pools")
        serve = self.serving("--match", self.own.match, "--exclude", r"^bank\.jar$")
        serve.until_live([shop.pid])
        scans = time.monotonic() + 5
        serve.until(lambda: time.monotonic() > scans, "two more scans")
        self.assertEqual(set(serve.targets()), {shop.pid})
        done = subprocess.run([PROGRAM, "serve", "--match", "^no ", "--exclude", "("], check=False,
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 2)
        self.assertIn('--exclude "(": not a regular expression', done.stderr)

    def test_young_ones_are_left_alone(self):
        """Until they are as old as --min-age; and then standard error has no line of the agent."""
        least = 6
        serve = self.serving("--match", self.own.match, "--min-age", str(least), "--flight", "10")
        began = time.monotonic()
        jvm = self.start("shop")
        jvm.ask("pools")
        served = serve.until_live([jvm.pid])
        self.assertGreater(time.monotonic() - began, least - 0.1)
        self.assertTrue(served[jvm.pid]["loaded"])
        self.assertNotRegex(jvm.err, "gcspy: ")

    def test_an_agent_that_wants_a_token(self):
        """Nobody can give gcspy serve one for it; /targets says what to do instead."""
        options = f"port=0,token-file={self.own.token('0123456789abcdef')}"
        jvm = Jvm(NEWEST[0], f"-jar {self.own.jar('shop')}", ROW.flags, options=options)
        self.addCleanup(jvm.__exit__, None)
        jvm.ask("pools")
        serve = self.serving("--match", self.own.match)
        error = serve.until(lambda: serve.targets().get(jvm.pid, {}).get("error"), "it is refused")
        self.assertRegex(error, "needs a token; .* without token-file=, with socket=PATH")

    @unittest.skipUnless(may_unshare(), "needs root and namespaces")
    def test_tools_of_the_jdk(self):
        """In a namespace with a program and a jshell only the program is followed, both where --match says so."""
        tool = NEWEST[0].tool("jshell")
        script = (f"sleep 1000 | {NEWEST[0].java} -Xmx32m -jar {self.own.jar('shop')} >/dev/null 2>&1 &\n"
                  f"sleep 1000 | {tool} - >/dev/null 2>&1 &\n"
                  'exec "$@"')
        inner = [word for word in NAMESPACES if word != "--net"]
        for words, expected in (((), {"shop.jar"}), (("--match", "shop|JShellTool"), {
                "shop.jar", "jdk.internal.jshell.tool.JShellToolProvider"})):
            serve = self.serving(*words, before=(*inner, "sh", "-c", script, "sh"))

            def programs():
                targets = json.loads(serve.get("/targets"))["targets"]  # pylint: disable=cell-var-from-loop
                return {t["program"] for t in targets}
            serve.until(lambda: programs() >= expected, expected)  # pylint: disable=cell-var-from-loop
            scans = time.monotonic() + 8  # jshell has begun, and its second JVM
            serve.until(lambda: time.monotonic() > scans, "more scans")  # pylint: disable=cell-var-from-loop
            self.assertEqual(programs(), expected)
            serve.__exit__()  # with all processes of the namespace


if __name__ == "__main__":
    unittest.main(verbosity=2)
