"""Who may connect to a JVM's agent: programs of another user (Q1). Making them needs root."""

import os
import shutil
import subprocess
import tempfile
import unittest

import table
from jvm import Jvm, cases, expand, main

STRANGER = 54322
FLAGS = "-Xms16m -Xmx32m"
REFUSED = r"\Agcspy: [^\n]*admits only root, not user 54322; allow=any or token-file= [^\n]*\n\Z"


@unittest.skipUnless(os.geteuid() == 0, "other users' programs need root")
@expand
class Users(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gcspy-users-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.chmod(self.folder, 0o755)
        self.gcspy = os.path.join(self.folder, "gcspy")
        shutil.copy(os.environ["GCSPY"], self.gcspy)
        os.chmod(self.gcspy, 0o755)

    def run_as(self, uid, *arguments):
        done = subprocess.run([self.gcspy, *arguments], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              text=True, user=uid, group=uid, extra_groups=[], check=False)
        return done.returncode, done.stdout, done.stderr

    @cases((table.Row("G1", FLAGS),), in_turn=True)
    def check_port(self, jdk, row):
        """Q1: the port serves the JVM's user; allow=any serves all, and its user ends their holds."""
        with Jvm(jdk, "Churn", row.flags, "port=0,verbose", ("seconds=60",)) as jvm:
            for command in ("info", "dump", "pause", "resume"):
                code, out, err = self.run_as(STRANGER, command, jvm.address())
                self.assertEqual((code, out), (1, ""))
                self.assertRegex(err, REFUSED)
            self.assertIn("a client was rejected: this server admits only root", jvm.err)
            self.assertEqual(self.run_as(0, "info", jvm.address())[0], 0)
        with Jvm(jdk, "Churn", row.flags, "port=0,allow=any", ("seconds=60",)) as jvm:
            self.assertEqual(self.run_as(STRANGER, "info", jvm.address())[0], 0)
            holder = subprocess.Popen([self.gcspy, "pause", jvm.address()], text=True,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      user=STRANGER, group=STRANGER, extra_groups=[])
            with holder:
                self.assertIn("Waiting", holder.stdout.readline())
                self.assertIn("Paused", holder.stdout.readline())
                code, out, err = self.run_as(0, "resume", jvm.address())
                self.assertEqual((code, out), (0, "The program resumes; 1 client held it.\n"), err)

    @cases((table.Row("G1", FLAGS),), in_turn=True)
    def check_socket(self, jdk, row):
        """Q1: the socket's mode decides."""
        path = os.path.join(self.folder, "socket")
        with Jvm(jdk, "Churn", row.flags, f"socket={path}", ("seconds=60",)) as jvm:
            self.assertEqual(jvm.address(), f"unix:{path}")
            code, out, err = self.run_as(STRANGER, "info", f"unix:{path}")
            self.assertEqual((code, out), (1, ""))
            self.assertIn("Permission denied", err)
            self.assertEqual(self.run_as(0, "info", f"unix:{path}")[0], 0)


if __name__ == "__main__":
    main()
