"""Recording inside the JVM, without any client (F21, Q3, Q4): the file has what the JVM's own log has,
whatever becomes of the JVM."""

import collections
import glob
import json
import os
import re
import resource
import signal
import subprocess
import time
import unittest

import concurrentlog
import gclog
import table
from jvm import Jvm, NEWEST, View, cases, expand, main, skipped

TRACE_JSON = os.environ["TRACE_JSON"]
KINDS = {"Young": "Young", "Full": "Full", "Remark": "Remark", "Cleanup": "Cleanup"}

CHURN = ("Churn", ("rate=0", "total=600m"))
ENDLESS = ("Churn", ("rate=64m", "total=100g"))
STOPPING = (table.Row("Serial", "-Xmx32m -Xmn8m"), table.Row("G1", "-Xms64m -Xmx64m"))
CONCURRENT = (table.Row("Z", "-Xms64m -Xmx64m"),)
ONE = STOPPING[:1]


def read(path):
    done = subprocess.run([TRACE_JSON, path], capture_output=True, text=True, check=False,
                          timeout=120)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


@expand
class Record(unittest.TestCase):
    def record(self, jdk, row, program, options="record=run-%p.gcspy", log=None):
        return Jvm(jdk, program[0], row.flags, options, program[1], log=log)

    def file(self, jvm, name="run-%d.gcspy"):
        return jvm.path(name % jvm.pid if "%d" in name else name)

    def said(self, jvm):
        return [line for line in jvm.err.splitlines() if line.startswith("gcspy: ")]

    def whole(self, trace):
        self.assertEqual((trace["damage"], trace["stray"]), (0, 0))
        numbers = [e["sequence"] for e in trace["events"]]
        self.assertEqual(numbers, sorted(numbers))
        return trace

    def named(self, trace, name):
        return [e for e in trace["events"] if e["name"] == name]

    def finishes(self, trace):
        """The attributes of all collections; nothing was missed."""
        self.assertEqual(self.whole(trace)["events"][-1]["missed"], 0)
        self.assertEqual(len(self.named(trace, "GC start")), len(self.named(trace, "GC finish")))
        return [e["attributes"] for e in self.named(trace, "GC finish")]

    def has_thread(self, jvm, name):
        names = []
        for path in glob.glob(f"/proc/{jvm.pid}/task/*/comm"):
            with open(path, encoding="utf-8") as file:
                names.append(file.read().strip())
        return name in names

    def under_way(self, jvm, name="run-%d.gcspy", size=3000):
        path = self.file(jvm, name)
        jvm.until(lambda: os.path.exists(path) and os.path.getsize(path) > size, "the recording")
        return path

    @cases(STOPPING, in_turn=True)
    def check_equal_to_the_log(self, jdk, row):
        """H2, F21: each pause of the log is in the file, in order; its summary is one line."""
        with self.record(jdk, row, CHURN, log=gclog.LOG) as jvm:
            self.assertEqual(jvm.end(), 0, jvm.err)
            trace = read(self.file(jvm))
            said = self.said(jvm)
            log = gclog.Log(jvm.log)
        told = self.finishes(trace)
        self.assertTrue(trace["complete"])
        parts = [[p] for _, _, pauses in log.operations for p in pauses] if row.collector == "G1" \
            else [pauses for _, _, pauses in log.operations]
        self.assertGreater(len(parts), 10)
        self.assertEqual([a["Kind"].replace("Mixed", "Young") for a in told],
                         [KINDS[p[-1].kind] for p in parts])
        for a, p in zip(told, parts):
            self.assertLessEqual(abs(a["Used after"] // gclog.MIB * gclog.MIB - p[-1].after),
                                 gclog.MIB if row.collector == "G1" else 0, p[-1].text)
        self.assertGreater(min(e["tiles"] for e in trace["events"]), 10)
        self.assertRegex(said[0], r"recording to run-%d\.gcspy$" % jvm.pid)
        self.assertRegex(said[1], r"recorded %d events, 0 profiles, \S+ KiB to run-%d\.gcspy$" % (
            len(trace["events"]), jvm.pid))
        self.assertEqual(len(said), 2, said)

    @cases(CONCURRENT, in_turn=True)
    def check_equal_to_the_log_of_pauses(self, jdk, row):
        """H4, F21: the pauses of ZGC."""
        with self.record(jdk, row, CHURN, log=concurrentlog.LOG) as jvm:
            self.assertEqual(jvm.end(), 0, jvm.err)
            trace = read(self.file(jvm))
            log = concurrentlog.Log(jvm.log)
        told = self.finishes(trace)
        self.assertGreater(len(told), 3)
        # The JVM may end in the middle of a pause.
        self.assertLessEqual(abs(len(told) - len(log.pauses)), 1)
        for a, p in zip(told, log.pauses):
            self.assertIn(a["Kind"], concurrentlog.KINDS[p.operation])

    @cases(STOPPING + CONCURRENT, in_turn=True)
    def check_killed(self, jdk, row):
        """Q4: after SIGKILL the file has all but the last half second."""
        with self.record(jdk, row, ENDLESS) as jvm:
            path = self.under_way(jvm)
            self.assertFalse(self.has_thread(jvm, "gcspy-io"), "nothing listens")
            self.assertTrue(self.has_thread(jvm, "gcspy-record"))
            time.sleep(2)
            before = time.monotonic_ns()
            jvm.process.kill()
            jvm.process.wait()
            trace = self.whole(read(path))
        self.assertFalse(trace["complete"])
        self.assertGreater(len(self.finishes(trace)), 0)
        # The machine may be busy, and a quiet collector's last pause a while ago.
        self.assertLess(before - trace["events"][-1]["time"], 3e9 if row.collector == "Serial" else 2e10)

    @cases(ONE, in_turn=True)
    def check_beside_a_client(self, jdk, row):
        """F21, Q3: a client that pauses, filters and goes changes nothing in the file."""
        with self.record(jdk, row, ("Layout", ()), "port=0,record=run.gcspy",
                         log=gclog.LOG) as jvm:
            with jvm.attach() as view:
                view.picture()
                for command in ("alloc 2m", "churn 40m", "gc"):
                    jvm.ask(command, view)
            jvm.ask("churn 40m")
            self.assertTrue(self.has_thread(jvm, "gcspy-io"))
            self.assertEqual(jvm.quit(), 0)
            trace = read(self.file(jvm, "run.gcspy"))
            log = gclog.Log(jvm.log)
        self.assertEqual(len(self.finishes(trace)), len(log.operations))

    @cases(ONE, in_turn=True)
    def check_profiles(self, jdk, row):
        """S1, F21: while something is sampled, profiles of all kinds, each second and at the end."""
        with self.record(jdk, row, ("Churn", ("rate=64m", "total=200m")),
                         "record=run.gcspy,record-profiles=1,interval=16k") as jvm:
            self.assertEqual(jvm.end(), 0, jvm.err)
            trace = self.whole(read(self.file(jvm, "run.gcspy")))
        kinds = collections.Counter(p["kind"] for p in trace["profiles"])
        self.assertEqual(set(kinds), {"live", "recent", "frequent", "allocated"})
        self.assertGreaterEqual(min(kinds.values()), 2)
        events = trace["events"]
        for p in trace["profiles"]:
            # After the end of its collection, and before anything that came after that.
            self.assertEqual(events[p["place"] - 1]["name"], "GC finish")
            self.assertLess(abs(p["judged"] - events[p["place"] - 1]["wall"]), 1e9)
            for event in events[p["place"]:p["place"] + 1]:
                self.assertGreater(event["wall"], p["judged"])
        self.assertGreater(max(p["entries"] for p in trace["profiles"]), 0)
        with self.record(jdk, row, CHURN, "record=run.gcspy,record-profiles=0,interval=16k") as jvm:
            self.assertEqual(jvm.end(), 0, jvm.err)
            self.assertEqual(read(self.file(jvm, "run.gcspy"))["profiles"], [])

    @cases(ONE, in_turn=True)
    def check_size(self, jdk, row):
        """Q4: the limit is one line and a whole file; the program goes on."""
        with self.record(jdk, row, ENDLESS, "record=run.gcspy,record-size=64k,record-profiles=1,"
                         "interval=4k") as jvm:
            jvm.until(lambda: "has reached its limit of 65536 bytes" in jvm.err, "the limit")
            trace = self.whole(read(self.file(jvm, "run.gcspy")))
            time.sleep(1)
            self.assertTrue(jvm.alive())
            jvm.signal(signal.SIGTERM)
            self.assertEqual(jvm.end(), 128 + signal.SIGTERM)
            self.assertEqual(len(self.said(jvm)), 2, self.said(jvm))
        self.assertTrue(trace["complete"])
        self.assertLessEqual(trace["bytes"], 65536)
        # Profiles come by time, and collections by work: on a busy machine profiles fill the file.
        self.assertGreater(len(trace["events"]), 0)

    @cases(ONE, in_turn=True)
    def check_disk_that_is_full(self, jdk, row):
        """Q4: a disk that takes no more is one line; the program goes on, what was written opens."""
        with self.record(jdk, row, ENDLESS, "record=run.gcspy,record-profiles=1,interval=4k") as jvm:
            path = self.under_way(jvm, "run.gcspy")
            # For this process a file ends here; the JVM takes the signal, and writing fails.
            room = os.path.getsize(path) + 20000
            resource.prlimit(jvm.pid, resource.RLIMIT_FSIZE, (room, room))
            jvm.until(lambda: len(self.said(jvm)) > 1, "the failure")
            self.assertRegex(self.said(jvm)[1], r"run\.gcspy.*File too large")
            trace = self.whole(read(path))
            time.sleep(1)
            self.assertTrue(jvm.alive())
            jvm.signal(signal.SIGTERM)
            self.assertEqual(jvm.end(), 128 + signal.SIGTERM)
            self.assertEqual(len(self.said(jvm)), 2, self.said(jvm))
        # As above: how many collections come before the file is full, the machine decides.
        self.assertGreater(len(trace["events"]), 0)

    def told(self, jvm):
        """The line of general information about the recording."""
        with jvm.attach() as view:
            return view.lines()["Recording"]

    @cases(ONE, in_turn=True)
    def check_file_that_is_removed(self, jdk, row):
        """One line; the recording ends, its room on the disk is given back, the program goes on."""
        with self.record(jdk, row, ENDLESS, "port=0,record=run.gcspy") as jvm:
            path = self.under_way(jvm, "run.gcspy")
            self.assertEqual(self.told(jvm), "recording to run.gcspy")
            os.unlink(path)
            line = "run.gcspy has been removed: recording has ended"
            jvm.until(lambda: line in jvm.err, "the line")
            self.assertEqual(self.told(jvm), line)
            names = [os.readlink(fd) for fd in glob.glob(f"/proc/{jvm.pid}/fd/*")
                     if os.path.islink(fd)]
            self.assertFalse([name for name in names if "run.gcspy" in name], names)
            jvm.signal(signal.SIGTERM)
            self.assertEqual(jvm.end(), 128 + signal.SIGTERM)
            self.assertEqual(len(self.said(jvm)), 3, self.said(jvm))
            self.assertFalse(os.path.exists(path))

    @cases(ONE, in_turn=True)
    def check_file_that_is_moved(self, jdk, row):
        """One line; the recording goes on in the moved file, and another of its name is not touched."""
        with self.record(jdk, row, ENDLESS, "port=0,record=run.gcspy") as jvm:
            path = self.under_way(jvm, "run.gcspy")
            os.rename(path, jvm.path("moved.gcspy"))
            with open(path, "w", encoding="utf-8") as file:
                file.write("precious")
            line = "run.gcspy has been moved or replaced: the recording continues in the original file"
            jvm.until(lambda: line in jvm.err, "the line")
            self.assertEqual(self.told(jvm), line)
            jvm.signal(signal.SIGTERM)
            self.assertEqual(jvm.end(), 128 + signal.SIGTERM)
            self.assertEqual(len(self.said(jvm)), 4, self.said(jvm))
            self.assertRegex(self.said(jvm)[3], "to the file that was run.gcspy$")
            trace = self.whole(read(jvm.path("moved.gcspy")))
            self.assertTrue(trace["complete"])
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "precious")

    @cases(ONE, in_turn=True)
    def check_name_that_is_taken(self, jdk, row):
        """A file that is there is left alone, and the line says what was taken."""
        with self.record(jdk, row, CHURN, "record=a%%b-%t.gcspy") as jvm:
            jvm.end()
            names = glob.glob(jvm.path("a%b-*.gcspy"))
            self.assertEqual(len(names), 1)
            self.assertRegex(names[0], r"/a%b-\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.gcspy$")
            with open(jvm.path("old"), "w", encoding="utf-8") as file:
                file.write("precious")
            path = jvm.path("old")
            with self.record(jdk, row, CHURN, f"record={path}") as second:
                self.assertEqual(second.end(), 0)
                self.assertIn(f"recording to {path}.1", second.err)
            self.whole(read(path + ".1"))
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "precious")

    @cases(ONE, in_turn=True)
    def check_path_that_cannot_be(self, jdk, row):
        """Q4: one line that names it, at the start; the program runs on."""
        for path, words in (("/nowhere/x", "No such file"), ("/dev/null/x", "Not a directory"),
                            ("/proc/x", "/proc/x"), ("x%d", "%p, %t and %%")):
            with self.record(jdk, row, ("Idle", ("seconds=0", "arrays=10")), f"record={path}") as jvm:
                self.assertEqual(jvm.end(), 0)
                self.assertRegex(jvm.out, r"^truth Idle ")
                said = self.said(jvm)
            self.assertEqual(len(said), 1, said)
            self.assertIn(words, said[0])
            self.assertIn("the program runs without GCspy", said[0])

    @cases(ONE, in_turn=True)
    def check_ends_of_the_jvm(self, jdk, row):
        """Q4: System.exit in the middle of work and SIGTERM finish the file."""
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.record(jdk, row, ENDLESS) as jvm:
                path = self.under_way(jvm)
                jvm.signal(number)
                self.assertEqual(jvm.end(), 128 + number)
                trace = self.whole(read(path))
            self.assertTrue(trace["complete"])

    @cases(ONE, only=NEWEST)
    def check_gcspy_record(self, jdk, row):
        """F21: the same from outside, with profiles."""
        program = os.environ.get("GCSPY")
        if not program:
            skipped("gcspy record", "gcspy is not built")
            self.skipTest("no gcspy")
        with self.record(jdk, row, ("Layout", ()), "port=0,interval=16k", log=gclog.LOG) as jvm:
            path = self.file(jvm, "run.gcspy")
            recorder = subprocess.Popen([program, "record", jvm.address(), "-o", path],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            jvm.until(lambda: os.path.exists(path) and os.path.getsize(path) > 500, "recording")
            for command in ("alloc 2m", "churn 60m", "gc"):
                jvm.ask(command)
            recorder.send_signal(signal.SIGINT)
            out, err = recorder.communicate(timeout=60)
            self.assertEqual((recorder.returncode, err), (0, ""))
            trace = self.whole(read(path))
            self.assertEqual(jvm.quit(), 0)
        self.assertRegex(out, rf"^{re.escape(path)}: {len(trace['events'])} events, .* 8 profiles, ")
        self.assertGreater(len(self.finishes(trace)), 2)


if __name__ == "__main__":
    main()
