"""`gcspy serve` with no more rights than the examples for Kubernetes give it (E4): as root with five
capabilities for the JVMs of others, and without any for those of its own user, on a root file system
that it cannot write to.
"""

import os
import shutil
import subprocess
import tempfile
import unittest

import serving
from jvm import AGENT, NEWEST, PROGRAM, TIMEOUT

NOBODY = 65534
USER = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
# As in protocol/serve/deploy/kubernetes-daemonset.yaml.
FIVE = ("setpriv", "--bounding-set=-all,+dac_override,+kill,+setgid,+setuid,+sys_ptrace",
        "--no-new-privs")
NONE = (*USER, "--bounding-set=-all", "--no-new-privs")


@unittest.skipUnless(os.geteuid() == 0 and NEWEST, "needs root and a JDK")
class Test(serving.Case):
    ended = False

    def setUp(self):
        self.own = serving.Own()
        self.addCleanup(self.own.close)
        os.chmod(self.own.folder, 0o755)
        home = os.path.join(self.own.folder, "home")
        os.mkdir(home)
        os.chown(home, NOBODY, NOBODY)
        self.jvm = subprocess.Popen(
            [*USER, NEWEST[0].java, "-Xmx32m", *serving.QUIET, "-jar", self.own.jar("service")],
            cwd=home, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end)

    def end(self):
        if self.ended:
            return
        self.jvm.kill()
        self.jvm.wait()
        self.jvm.stdin.close()
        for name in (f".java_pid{self.jvm.pid}", f".gcspy_{self.jvm.pid}"):
            if os.path.exists(f"/tmp/{name}"):
                os.unlink(f"/tmp/{name}")

    def check(self, before, *words):
        """It loads the agent and follows the JVM; the test itself asks as root."""
        with serving.Serving("--match", self.own.match, "--allow", "any", *words,
                             before=before) as serve:
            served = serve.until_live([self.jvm.pid])
            self.assertTrue(served[self.jvm.pid]["loaded"])
            with open(f"/proc/{serve.process.pid}/status", encoding="ascii") as status:
                lines = dict(line.split(":", 1) for line in status)
            self.assertEqual(serve.stop()[0], 0)
        return int(lines["CapBnd"], 16), int(lines["Uid"].split()[0])

    def test_root_with_five_capabilities(self):
        capabilities, user = self.check(FIVE, "--all")
        self.assertEqual((bin(capabilities).count("1"), user), (5, 0))

    def test_user_without_capabilities_on_a_read_only_root(self):
        locked = ("unshare", "--mount", "sh", "-c",
                  'mount -o remount,bind,ro / && ! touch "$0" 2>/dev/null && exec "$@"',
                  os.path.join(self.own.folder, "written"), *NONE)
        done = subprocess.run([*locked, "true"], check=False, capture_output=True, timeout=TIMEOUT)
        if done.returncode != 0:
            self.skipTest("no mount namespace with a root that is read-only: " + str(done.stderr))
        self.assertEqual(self.check(locked), (0, NOBODY))

    def test_jvm_on_a_read_only_root(self):
        """The JVM too: not root, no capability, and nothing to write to but its own /tmp, which we do not have."""
        self.end()
        self.ended = True
        before = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
                  'mount -t tmpfs none /tmp && mount -o remount,bind,ro / && exec "$@"', "sh", *NONE)
        folder = tempfile.mkdtemp(prefix="gcspy-serve-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, folder)
        os.chmod(folder, 0o755)
        jar = shutil.copy(self.own.jar("locked"), os.path.join(folder, "locked.jar"))
        agent = shutil.copy(AGENT, folder)  # the build may be in our /tmp
        done = subprocess.run([*before, "sh", "-c", f"! touch {folder}/x 2>/dev/null && touch /tmp/x"],
                              check=False, capture_output=True, timeout=TIMEOUT)
        if done.returncode != 0:
            self.skipTest("no mount namespace with a root that is read-only: " + str(done.stderr))
        jvm = subprocess.Popen([*before, NEWEST[0].java, "-Xmx32m", *serving.QUIET, "-jar", jar],
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, cwd=folder)
        try:
            for rights, words in ((NONE, ()), (FIVE, ("--all",))):
                with serving.Serving("--match", f"^{folder}/", "--allow", "any", "--agent", agent, *words,
                                     before=rights) as serve:
                    found = serve.until(lambda serve=serve: (t := serve.targets()) and all(
                        one["state"] == "live" and one["events"] for one in t.values()) and t, "live")
                    self.assertEqual(len(found), 1)
                    self.assertEqual(serve.stop()[0], 0)
        finally:
            jvm.kill()
            jvm.wait()
            jvm.stdin.close()

    def test_user_cannot_serve_others(self):
        """--all is root's alone, and without it another user's JVM is not even listed."""
        done = subprocess.run([*NONE, PROGRAM, "serve", "--all"], capture_output=True, text=True,
                              check=False, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Agcspy: --all is for root: [^\n]+\n\Z")
        with serving.Serving("--match", self.own.match) as serve:
            serve.until(lambda: "gcspy_target_up" in serve.metrics(), "it answers")
            self.assertEqual(serve.targets(), {})


if __name__ == "__main__":
    unittest.main(verbosity=2)
