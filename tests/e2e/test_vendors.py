"""Builds of a JVM that lack or add something (H7), by stand-ins where there is no such build: the tables
that the agent reads hidden, the parts for compilers in Java, another JVM than HotSpot."""

import mmap
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from jvm import Jdk, Jvm, cases, expand, main
from running import ONE, Case

TABLE = b"gHotSpotVMStructs\0"


def without_tables(jdk, folder):
    """The JDK once more, with one of HotSpot's exported symbols under another name."""
    for where, _, names in os.walk(jdk.home):
        there = os.path.join(folder, os.path.relpath(where, jdk.home))
        os.makedirs(there, exist_ok=True)
        for name in names:
            path = os.path.join(where, name)
            if name in ("java", "libjvm.so"):  # they look for the rest beside them
                shutil.copy(path, there)
            elif not name.endswith(".jsa"):
                os.symlink(os.path.realpath(path), os.path.join(there, name))
    library = os.path.join(folder, "lib", "server", "libjvm.so")
    with open(library, "r+b") as file, mmap.mmap(file.fileno(), 0) as image:
        at = image.find(TABLE)
        assert at > 0
        while at > 0:
            image[at:at + 1] = b"x"
            at = image.find(TABLE)
    return Jdk(folder, jdk.version)


@expand
class Hidden(unittest.TestCase):
    @cases(ONE, in_turn=True)
    def check_without_tables(self, jdk, row):
        """Q4: one line says so; the JVM runs, and what JVMTI tells is shown."""
        with tempfile.TemporaryDirectory(prefix="gcspy-e2e-") as folder:
            other = without_tables(jdk, folder)
            with Jvm(other, "Layout", row.flags, "port=0,interval=64k") as jvm:
                jvm.answer()
                with jvm.attach() as view:
                    view.picture()
                    jvm.ask("churn 64m", view)
                    jvm.until(lambda: view.count("GC finish") > 0, "a collection", view)
                    missing = {key: why for key, why in view.info if key.startswith("Not available")}
                    info = dict(view.info)
                self.assertEqual(info["Collector"], "unknown")
                self.assertRegex(info["Stack walk"], "GetStackTrace")
                line = "Not available: what the JVM's tables tell"
                self.assertRegex(missing.pop(line), "does not export gHotSpotVMStructs: it is no HotSpot")
                self.assertLess(len(missing), 5, missing)
                self.assertEqual(jvm.quit(), 0)


class OpenJ9(Case):
    def test_refused(self):
        """Q4: a process that has loaded the JVM of OpenJ9, and one that is a native image: no JVM."""
        code = "import mmap, sys; f = open(sys.argv[1], 'r+b'); m = mmap.mmap(f.fileno(), 0); print(1, flush=True); input()"
        with tempfile.TemporaryDirectory(prefix="gcspy-e2e-") as folder:
            for name, says in (("libj9vm29.so", r"runs on OpenJ9: HotSpot is needed"),
                               ("image", r"is not a JVM: it has not loaded libjvm.so")):
                library = os.path.join(folder, name)
                with open(library, "wb") as file:
                    file.write(bytes(4096))
                with subprocess.Popen([sys.executable, "-c", code, library], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE) as process:
                    process.stdout.readline()
                    self.refused(says, process.pid)
                    process.kill()


if __name__ == "__main__":
    main()
