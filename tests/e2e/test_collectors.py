"""Odd flags and odd programs: the agent says what it lacks, shows the rest, and never brings the JVM
down (H2, H3, H7, Q4)."""

import os
import re
import signal
import socket
import tempfile
import unittest

import table
from gclog import LOG, Log
from jvm import (TIMEOUT, Jvm, View, cases, column, compile_java, expand, main, run, space,
                 summary)

ONE = (table.Row("G1", "-Xmx64m"),)

VIRTUAL = """
import java.util.concurrent.*;
public class Virtual {
    public static void main(String[] a) throws Exception {
        System.in.read();
        long[] sum = new long[1];
        try (ExecutorService e = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 3000; i++)
                e.submit(() -> {
                    long s = 0;
                    for (int k = 0; k < 20; k++) {
                        s += new byte[1000].length;
                        Thread.sleep(1);
                    }
                    synchronized (sum) { sum[0] += s; }
                    return null;
                });
        }
        System.gc();
        System.out.println("truth Virtual sum=" + sum[0]);
    }
}
"""

FORKS = """
import java.util.concurrent.TimeUnit;
public class Forks {
    public static void main(String[] a) throws Exception {
        Process child = new ProcessBuilder("sleep", "60").start();
        System.out.println("truth Forks child=" + child.pid());
        System.in.read();
        System.gc();
        Runtime.getRuntime().halt(0);
    }
}
"""


@expand
class Collectors(unittest.TestCase):
    @cases(table.ODD, in_turn=True)
    def check_odd_flags(self, jdk, row):
        """H7, Q4: what is missing is reported, the rest is right, the JVM lives."""
        small = "-Xmx8m" in row.flags
        with Jvm(jdk, "Layout", row.flags, row.options, log=LOG) as jvm:
            with jvm.attach() as view:
                view.picture()
                for command in ("alloc 1m", "churn 4m" if small else "churn 40m", "gc", "drop",
                                "gc"):
                    jvm.ask(command, view)
                view.wait(lambda: len(view.of("GC finish")) >= 2, TIMEOUT)
                view.idle(0.3)
                finishes = view.of("GC finish")
            self.assertEqual(jvm.quit(), 0)
            log = Log(jvm.log)
            out, err = jvm.out, jvm.err
        self.assertEqual([view.attributes(f)["Kind"] for f in finishes][-1], "Full")
        # The last collection, byte by byte where there is a map.
        heap = log.heap("after", view.attributes(finishes[-1])["Collection"], row.collector)
        if "Not available: heap map" in view.lines():
            self.assertGreater(len(view.lines()["Not available: heap map"]), 20)
        else:
            names = ["G1 regions"] if row.collector == "G1" else ["Eden", "From", "To", "Old"]
            used = sum(summary(space(finishes[-1], n), "Used")[0] for n in names)
            self.assertLessEqual(abs(used - heap.sum()), 64 << 10)
            self.assertEqual(used, view.attributes(finishes[-1])["Used after"])
        if "-XX:-UsePerfData" in row.flags:
            self.assertTrue(any("PerfData" in v or "counter" in v
                                for k, v in view.info if k.startswith("Not available")))
            self.assertIsNone(view.attributes(finishes[-1])["Cause"])
        if "-XX:-UseTLAB" in row.flags and space(finishes[-1], "TLABs") is not None:
            for snapshot in view.snapshots:
                self.assertEqual(sum(column(space(snapshot, "TLABs"), "Size")), 0)
        if "-Xcheck:jni" in row.flags:
            self.assertNotRegex(out + err, r"(?i)warning.*jni|FATAL ERROR in native|gcspyagent")

    @cases(tuple(table.Row(c, "-Xmx64m", since=21) for c in ("G1", "Serial", "Z")), in_turn=True)
    def check_virtual_threads(self, jdk, row):
        """H4, Q4: thousands of virtual threads have no buffers of their own: carriers have."""
        with tempfile.TemporaryDirectory() as folder:
            compile_java(jdk, folder, "Virtual", VIRTUAL)
            with Jvm(jdk, "Virtual", row.flags, row.options, jar=folder) as jvm:
                with jvm.attach() as view:
                    view.picture()
                    jvm.say("go")
                    self.assertIn("sum=60000000", jvm.truth(view))
                    self.assertLess(space(view.snapshots[-1], "TLABs").tiles, 200)
                self.assertEqual(jvm.end(), 0)

    @cases((table.Row("G1", "-Xmx64m"), table.Row("Serial", "-Xmx64m"),
            table.Row("Shenandoah", "-Xmx64m")), in_turn=True)
    def check_class_unloading(self, jdk, row):
        """Q4: classes are unloaded under our eyes."""
        with Jvm(jdk, "ClassUnload", row.flags, row.options,
                 ("classes=1500", "rate=0")) as jvm:
            with jvm.attach() as view:
                view.picture()
                truth = jvm.truth(view)
            self.assertEqual(jvm.end(), 0)
        self.assertGreater(int(re.search(r"approx_unloaded=(\d+)", truth)[1]), 1000)

    @cases(ONE, in_turn=True)
    def check_fork(self, jdk, row):
        """Q4: a child process does not inherit the port."""
        with tempfile.TemporaryDirectory() as folder:
            compile_java(jdk, folder, "Forks", FORKS)
            with Jvm(jdk, "Forks", row.flags, row.options, jar=folder) as jvm:
                port = int(jvm.address().rpartition(":")[2])
                with View(jvm.address()) as view:
                    view.picture()
                    child = int(re.search(r"child=(\d+)", jvm.truth(view))[1])
                    with open(f"/proc/{child}/stat", encoding="utf-8") as stat:
                        self.assertIn("(sleep)", stat.read())
                    jvm.say("go")
                    jvm.end(None)
                try:
                    with socket.socket() as again:
                        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                        again.bind(("127.0.0.1", port))
                        again.listen()
                finally:
                    self.end(child)

    @staticmethod
    def end(child):
        """Only the process that the program above has started."""
        os.kill(child, signal.SIGKILL)

    @cases(ONE, in_turn=True)
    def check_out_of_memory(self, jdk, row):
        """Q4: a program that runs out of heap ends with its own error, as without us."""
        results = [run(jdk, "Leak", row.flags, options, ("total=200m", "rate=1g"))
                   for options in (None, "port=0")]
        self.assertEqual(results[0][0], results[1][0])
        self.assertIn("OutOfMemoryError", results[1][2])


if __name__ == "__main__":
    main()
