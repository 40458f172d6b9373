"""`gcspy serve` over JVMs of several collectors (E3): what it says of each, against the JVM's own log and
beans; profiles, by the reader of pprof that the other tests have; JVMs that end.
"""

import contextlib
import gzip
import http.client
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

import exposition
import gclog
import serving
import table
from jvm import ALL, JDKS, MIB, NEWEST, TIMEOUT, skipped

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import pprof  # noqa: E402

CHURN = 48 * MIB
ROWS = (table.Row("G1", "-Xms32m -Xmx32m"), table.Row("Serial", "-Xms32m -Xmx32m"),
        table.Row("Z", "-Xms64m -Xmx64m", since=21))
MORE = (table.Row("Parallel", "-Xms32m -Xmx32m"),
        table.Row("Shenandoah", "-Xms64m -Xmx64m", since=17),
        table.Row("Epsilon", "-Xms128m -Xmx128m", unlock=table.EXPERIMENTAL))
# What frees memory while the program runs, so that the growth between collections says nothing.
CONCURRENT = ("Z", "Shenandoah")


def chosen():
    """(jdk, row) of each JVM: three in the plain test, eight with GCSPY_E2E=all."""
    able = [(jdk, row) for jdk in NEWEST for row in ROWS + (MORE if ALL else ())]
    able += [(jdk, row) for jdk in JDKS[:1] for row in ROWS[:2] if ALL]
    for jdk, row in able:
        why = row.why_not(jdk)
        if why:
            skipped(f"{row} on {jdk}", why)
        else:
            yield jdk, row


class Served:
    def __init__(self, jvm, row):
        self.jvm, self.collector, self.pid = jvm, row.collector, jvm.pid
        self.limit = int(re.search(r"-Xmx(\d+)m", " ".join(row.flags))[1]) * MIB

    def pauses(self):
        return len(gclog.Log(self.jvm.log).pauses)


class Test(serving.Case):
    @classmethod
    def setUpClass(cls):
        cls.own = serving.Own()
        cls.addClassCleanup(cls.own.close)
        cls.served = []
        for i, (jdk, row) in enumerate(chosen()):
            jvm = cls.own.start(jdk, row, f"jvm{i}")
            cls.addClassCleanup(jvm.__exit__, None)
            cls.served.append(Served(jvm, row))
        cls.serve = serving.Serving("--match", cls.own.match, "--interval", "16k")
        cls.addClassCleanup(cls.serve.__exit__)
        for one in cls.served:
            one.jvm.ask("pools")
        cls.serve.until_live([one.pid for one in cls.served])
        cls.before = cls.serve.metrics()
        for one in cls.served:
            one.logged = one.pauses()
            one.asked = time.time()
            one.jvm.ask(f"churn {CHURN}")
            one.pools = one.jvm.ask("gc")["pools"]
        cls.after = cls.settled()

    @classmethod
    def settled(cls):
        """The figures once they have all pauses that the logs have."""
        def counted():
            now = cls.serve.metrics()
            return now if all(cls.new_pauses(now, one) == one.pauses() - one.logged
                              for one in cls.served if one.collector not in CONCURRENT
                              and one.collector != "Epsilon") else None
        return cls.serve.until(counted, "as many pauses as in the logs")

    @classmethod
    def new_pauses(cls, now, one):
        name = "jvm_gc_duration_seconds"
        return (sum(v for _, v in serving.values(now, name, one.pid, "_count")) -
                sum(v for _, v in serving.values(cls.before, name, one.pid, "_count")))

    def difference(self, name, one):
        then, now = (serving.value(f, name, one.pid) for f in (self.before, self.after))
        return None if now is None else now - (then or 0)

    def in_pauses(self):
        return [one for one in self.served if one.collector in ("G1", "Serial", "Parallel")]

    def test_up(self):
        for one in self.served:
            self.assertEqual(serving.value(self.after, "gcspy_target_up", one.pid), 1)
            labels, _ = serving.values(self.after, "gcspy_target_info", one.pid)[0]
            self.assertEqual(labels["jvm_gc_name"][0], one.collector[0])
            self.assertEqual(serving.value(self.after, "jvm_memory_limit_bytes", one.pid), one.limit)
            self.assertGreaterEqual(
                serving.value(self.after, "gcspy_last_event_timestamp_seconds", one.pid),
                one.asked - 1)
            self.assertEqual(serving.value(self.after, "gcspy_events_missed", one.pid), 0)
            cost = serving.value(self.after, "gcspy_cost_seconds", one.pid)
            self.assertTrue(0 <= cost < 5, cost)

    def test_go_tool_pprof(self):
        """Go's own reader fetches both pages and names the program's method."""
        if not shutil.which("go"):
            skipped("go tool pprof", "no go")
            self.skipTest("no go")
        for page, kind in (("heap", "inuse_space"), ("heap", "alloc_space"),
                           ("allocs", "alloc_space"), ("allocs", "alloc_objects")):
            url = (f"http://{self.serve.host}:{self.serve.port}/debug/pprof/{page}"
                   f"?instance={self.served[0].pid}")
            done = subprocess.run(["go", "tool", "pprof", "-top", f"-sample_index={kind}", url],
                                  capture_output=True, text=True, check=False,
                                  stdin=subprocess.DEVNULL, timeout=TIMEOUT,
                                  env={**os.environ, "PPROF_TMPDIR": self.own.folder})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, rf"(?m)^Type: {kind}$")
            if kind != "inuse_space":  # the program keeps nothing
                self.assertRegex(done.stdout, r"(?m)^ *\S+ +\S+% .*Layout\.")

    def test_pauses_as_in_the_log(self):
        name = "jvm_gc_duration_seconds"
        for one in self.in_pauses():
            new = gclog.Log(one.jvm.log).pauses[one.logged:]
            self.assertGreater(len(new), 1, one.collector)
            self.assertEqual(self.new_pauses(self.after, one), len(new))
            causes = {}
            for pause in new:
                causes[pause.cause] = causes.get(pause.cause, 0) + 1
            self.assertEqual(causes.get("System.gc()"), 1, causes)
            counted = {}
            for families, sign in ((self.after, 1), (self.before, -1)):
                for labels, count in serving.values(families, name, one.pid, "_count"):
                    cause = labels["jvm_gc_cause"]
                    counted[cause] = counted.get(cause, 0) + sign * count
            for cause in ("System.gc()", "Allocation Failure", "G1 Evacuation Pause"):
                self.assertEqual(counted.get(cause, 0), causes.get(cause, 0), cause)
            seconds = sum(sign * v for families, sign in ((self.after, 1), (self.before, -1))
                          for _, v in serving.values(families, name, one.pid, "_sum"))
            logged = sum(pause.ms for pause in new) / 1000
            # The log's pause has its printing in it, ours the way to our two calls: a thread that
            # has to wait for a processor there makes either of them longer.
            self.assertLess(seconds, 1.25 * logged + 0.1 * len(new))
            self.assertGreater(seconds, 0.2 * logged)

    def test_allocation(self):
        for one in self.served:
            grown = self.difference("gcspy_allocated_bytes", one)
            if one.collector in CONCURRENT:
                self.assertIsNone(grown, "not known")
            else:
                # The JVM allocates a little besides, and buffers are not full.
                self.assertTrue(CHURN <= grown < CHURN + 6 * MIB, (one.collector, grown))
        for one in self.in_pauses():
            self.assertGreaterEqual(self.difference("gcspy_promoted_bytes", one), 0)
            self.assertTrue(0 <= self.difference("gcspy_tlab_waste_bytes", one) < CHURN)

    def test_pools_as_in_the_beans(self):
        for one in self.in_pauses():
            found = {labels["jvm_memory_pool_name"]: used for labels, used in
                     serving.values(self.after, "jvm_memory_used_bytes", one.pid)}
            beans = {pool["name"]: pool for pool in one.pools if pool["name"] in found}
            self.assertEqual(len(beans), 3, (found, one.pools))
            old = next(name for name in found if re.search("Old|Tenured", name))
            self.assertLess(abs(found[old] - beans[old]["used"]), MIB // 2, (found, beans))
            self.assertEqual(
                serving.value(self.after, "jvm_memory_committed_bytes", one.pid),
                sum(pool["committed"] for pool in beans.values()) +
                (beans["Survivor Space"]["committed"] if "Survivor Space" in beans else 0) +
                (beans["PS Survivor Space"]["committed"] if "PS Survivor Space" in beans else 0))
            regions = serving.value(self.after, "gcspy_humongous_regions", one.pid)
            self.assertEqual(regions is not None, one.collector == "G1")

    def test_after_the_last_collection(self):
        """The program has asked for a collection last: its pools are what that left."""
        name = "jvm_memory_used_after_last_gc_bytes"
        for one in self.served:
            after = {labels["jvm_memory_pool_name"]: used for labels, used in
                     serving.values(self.after, name, one.pid)}
            self.assertEqual(bool(after), one in self.in_pauses(), one.collector)
            for pool in one.pools if after else ():
                if pool["name"] in after and re.search("Old|Tenured", pool["name"]):
                    self.assertLess(abs(after[pool["name"]] - pool["used"]), MIB // 2)
            for eden in (used for pool, used in after.items() if "Eden" in pool):
                self.assertEqual(eden, 0)
            share = serving.value(self.after, "gcspy_fragmentation_ratio", one.pid)
            largest = serving.value(self.after, "gcspy_largest_free_bytes", one.pid)
            self.assertEqual(share is None, one.collector in ("Z", "Epsilon"), one.collector)
            self.assertTrue(share is None or (0 <= share <= 1 and 0 <= largest <= 128 * MIB))

    def test_live_bytes_are_known_or_missing(self):
        """No heap is empty: 0 bytes would mean that no sample is known to be alive."""
        for families in (self.before, self.after, self.serve.metrics()):
            for one in self.served:
                live = serving.values(families, "gcspy_live_bytes", one.pid)
                self.assertTrue(not live or sum(v for _, v in live) > 0, (one.collector, live))

    def test_zy_live_bytes_are_within_the_heap(self):
        """What a full collection has freed is not shown as live, not even until there is a new profile."""
        one = next(one for one in self.served if one.collector == "Serial")
        live, used, time_of = ("gcspy_live_bytes", "jvm_memory_used_bytes",
                               "gcspy_profile_timestamp_seconds")

        def total(families, name):
            return sum(v for _, v in serving.values(families, name, one.pid))
        for command in (f"alloc {12 * MIB}", "gc"):
            one.jvm.ask(command)
        kept = time.time()
        self.serve.until(lambda: total(self.serve.metrics(), live) > 8 * MIB, "the objects are live")
        one.jvm.ask("drop")
        one.jvm.ask("gc")
        dropped = time.time()

        def renewed():
            now = self.serve.metrics()
            self.assertLessEqual(total(now, live), total(now, used))
            return serving.value(now, time_of, one.pid) > dropped and now
        now = self.serve.until(renewed, "a new profile")
        self.assertLess(time.time() - dropped, 12, "before 15 seconds are over")
        self.assertTrue(kept < dropped < serving.value(now, time_of, one.pid) < time.time() + 1)
        self.assertLess(total(now, live), 2 * MIB)

    def test_what_the_process_used(self):
        """Processor time and memory, as the kernel tells them of the process at once; of it the collector's."""
        for one in self.served:
            def read():
                with open(f"/proc/{one.pid}/stat", encoding="ascii") as file:
                    user, system = file.read().rsplit(")", 1)[1].split()[11:13]
                return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
            least = serving.value(self.before, "jvm_cpu_time_seconds", one.pid) or 0
            cpu = serving.value(self.after, "jvm_cpu_time_seconds", one.pid)
            self.assertTrue(least <= cpu <= read(), (least, cpu))
            resident = serving.value(self.after, "process_memory_usage_bytes", one.pid)
            self.assertTrue(8 * MIB < resident < 4096 * MIB, resident)
            collecting = serving.value(self.after, "gcspy_gc_cpu_seconds", one.pid)
            self.assertEqual(collecting is None, one.collector == "Epsilon")
            self.assertTrue(collecting is None or 0 <= collecting <= cpu)
            self.assertIsNone(serving.value(self.after, "gcspy_native_used_bytes", one.pid))

    def test_profiles(self):
        one = self.in_pauses()[0]
        status, headers, body = self.serve.request(f"/debug/pprof/allocs?instance={one.pid}")
        self.assertEqual((status, headers["Content-Type"]), (200, "application/octet-stream"))
        allocs = pprof.Profile(body)
        self.assertEqual(allocs.types[:4], [("alloc_objects", "count"), ("alloc_space", "bytes"),
                                            ("inuse_objects", "count"), ("inuse_space", "bytes")])
        self.assertEqual((allocs.default_type, allocs.period), ("alloc_space", 16384))
        arrays = sum(v[1] for _, v, labels in allocs.samples if labels["class"] == "Object[]"
                     or labels["class"] == "java.lang.Object[]")
        self.assertLess(abs(arrays - CHURN), 0.2 * CHURN)
        heap = pprof.Profile(self.serve.get(f"/debug/pprof/heap?instance={one.pid}"))
        self.assertEqual((heap.default_type, heap.duration), ("inuse_space", 0))
        self.assertEqual({labels["thread"] for _, _, labels in heap.samples} - {"main"} & {""}, set())

    def test_profile_of_seconds(self):
        """Only what is allocated meanwhile, and nothing of the live."""
        one = self.in_pauses()[1]
        before = time.time_ns()
        status, _, body = self.serve.request(f"/debug/pprof/allocs?instance={one.pid}&seconds=1")
        self.assertEqual(status, 200, body)
        profile = pprof.Profile(body)
        self.assertLessEqual(before, profile.time)
        self.assertLessEqual(profile.time + profile.duration, time.time_ns())
        self.assertGreaterEqual(profile.duration, 900_000_000)
        self.assertEqual(profile.types, [("alloc_objects", "count"), ("alloc_space", "bytes")])
        self.assertLess(sum(v[1] for _, v, _ in profile.samples), 8 * MIB)
        status, _, body = self.serve.request(f"/debug/pprof/heap?instance={one.pid}&seconds=1")
        self.assertEqual(status, 400, body)

    def test_waits_are_bounded(self):
        """Of requests that wait for seconds, 16 at a time; one whose client has gone waits no longer."""
        path = f"/debug/pprof/allocs?instance={self.served[0].pid}&seconds="
        paths = [f"/debug/pprof/allocs?instance={one.pid}&seconds=600" for one in self.served]
        with contextlib.ExitStack() as stack:
            ends = [stack.enter_context(socket.create_connection((self.serve.host, self.serve.port),
                                                                 TIMEOUT)) for _ in range(20)]
            for i, end in enumerate(ends):
                end.sendall(f"GET {paths[i % len(paths)]} HTTP/1.1\r\nHost: localhost\r\n\r\n"
                            .encode())
                time.sleep(0.1)  # an agent takes a few questions at a time
            refused, deadline = set(), time.monotonic() + TIMEOUT
            while len(refused) < 4:
                self.assertLess(time.monotonic(), deadline)
                refused |= set(select.select(ends, (), (), 1)[0])
            for end in refused:
                answer = end.recv(4096)
                self.assertRegex(answer, rb"\AHTTP/1.1 503 (?s:.)*\r\n16 requests wait [^\n]+\n\Z")
            self.assertEqual(self.serve.request(path + "1")[0], 503)
            self.serve.metrics()
            self.assertEqual(set(select.select(ends, (), (), 0)[0]), refused)
        self.serve.until(lambda: self.serve.request(path + "1")[0] == 200, "a free place")

    def test_which_instance(self):
        for path, status in (("", 400), ("?instance=1", 404), ("?instance=", 404),
                             (f"?instance={self.served[0].pid}&seconds=0", 400)):
            found, _, body = self.serve.request("/debug/pprof/allocs" + path)
            self.assertEqual(found, status, body)
            self.assertRegex(body.decode(), r"\A[^\n]+\n\Z")

    def test_formats(self):
        status, headers, plain = self.serve.request("/metrics")
        self.assertEqual((status, headers["Content-Type"]),
                         (200, "text/plain; version=0.0.4; charset=utf-8"))
        names = {line.split("{")[0] for line in plain.decode().splitlines() if line[0] != "#"}
        self.assertIn("gcspy_allocated_bytes_total", names)
        if shutil.which("promtool"):
            done = subprocess.run(["promtool", "check", "metrics"], input=plain, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual((done.returncode, done.stdout), (0, b""))
        else:
            skipped("promtool check metrics", "no promtool (Debian: prometheus)")
        reader = ("import sys; from prometheus_client.openmetrics.parser import "
                  "text_string_to_metric_families as f; "
                  "print(sum(len(m.samples) for m in f(sys.stdin.read())))")
        have = subprocess.run(["/usr/bin/python3", "-c", "import prometheus_client.openmetrics.parser"],
                              check=False, stderr=subprocess.DEVNULL)
        text = self.serve.get("/metrics", Accept="application/openmetrics-text; version=1.0.0")
        count = sum(len(f["samples"]) for f in serving.parse(text.decode()).values())
        self.assertGreater(count, 50)
        self.check_documented(text.decode())
        if have.returncode != 0:
            skipped("a second reader of OpenMetrics", "no python3-prometheus-client")
            return
        done = subprocess.run(["/usr/bin/python3", "-c", reader], input=text, capture_output=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, str(count).encode()),
                         done.stderr)

    def test_gzip(self):
        """For clients that take it, as Prometheus and curl --compressed do: a tenth."""
        for path, most in (("/metrics", 0.2), ("/targets", 1), ("/", 1)):
            status, headers, packed = self.serve.request(path, Accept_Encoding="gzip")
            self.assertEqual((status, headers["Content-Encoding"]), (200, "gzip"))
            plain = self.serve.get(path)
            begin = re.sub(rb"\d+", b"", plain)[:200]
            self.assertTrue(re.sub(rb"\d+", b"", gzip.decompress(packed)).startswith(begin))
            self.assertLess(len(packed), most * len(plain))
        for header in ("identity", "gzip;q=0", "br"):
            _, headers, _ = self.serve.request("/metrics", Accept_Encoding=header)
            self.assertIsNone(headers["Content-Encoding"], header)

    @unittest.skipUnless(shutil.which("protoc"), "no protoc (Debian: protobuf-compiler)")
    def test_protobuf(self):
        """The same series as in the text, and pauses in fine buckets beside the same few."""
        status, headers, body = self.serve.request("/metrics", Accept=exposition.ACCEPT)
        self.assertEqual((status, headers["Content-Type"].replace(" ", "")),
                         (200, exposition.ACCEPT))
        found, text = exposition.decode(body), self.serve.metrics()
        series = {}
        for name, family in text.items():
            total = name + ("_total" if family["type"] == "counter" else "")
            for suffix, labels, value in family["samples"]:
                key = tuple(sorted((k, v) for k, v in labels.items() if k != "le"))
                series.setdefault((total, family["type"], family.get("unit")), {}) \
                    .setdefault(key, {})[suffix, labels.get("le")] = value
        self.assertEqual({key: set(values) for key, values in series.items()},
                         {(name, kind, unit): set(values)
                          for name, (kind, unit, values) in found.items()})
        histograms = found["jvm_gc_duration_seconds"][2]
        self.assertGreater(len(histograms), 3)
        for key, h in histograms.items():
            samples = series["jvm_gc_duration_seconds", "histogram", "seconds"][key]
            count = exposition.one(h, "sample_count")
            self.assertEqual(count, samples["_count", None])
            self.assertAlmostEqual(exposition.one(h, "sample_sum"), samples["_sum", None], 6)
            self.assertEqual({exposition.one(b, "upper_bound"):
                              exposition.one(b, "cumulative_count", 0) for b in h["bucket"]},
                             {float(le): v for (_, le), v in samples.items() if le})
            native = exposition.native(h)
            self.assertEqual(sum(native.values()) + exposition.one(h, "zero_count", 0), count)
            middle = sum(n * 2 ** ((i - 0.5) / 8) for i, n in native.items())
            self.assertLess(abs(middle - samples["_sum", None]), 0.05 * middle + 1e-6 * count)
        for name in ("gcspy_events_missed_total", "gcspy_target_up"):
            values = [exposition.one(v, "value") for v in found[name][2].values()]
            self.assertEqual(values, [name == "gcspy_target_up"] * len(self.served))

    def check_documented(self, text):
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/serve.md")
        with open(page, encoding="utf-8") as file:
            table = file.read().split("\n## Metrics\n")[1].split("\n## ")[0]
        names = {name for row in table.splitlines() if row.startswith("| `")
                 for name in re.findall(r"`([a-z_]+)`", row.split("|")[1])}
        self.assertEqual(names, {name + ("_total" if family["type"] == "counter" else "")
                                 for name, family in serving.parse(text).items()})

    def test_page(self):
        status, headers, body = self.serve.request("/")
        page = body.decode()
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertNotIn("<script", page)
        for one in self.served:
            through = f"{self.serve.host}:{self.serve.port}"
            self.assertIn(f"<code>gcspy-view {through}/{one.pid}</code>", page)
        # What is no name is in no command.
        for host in ("localhost:1;reboot", "localhost:<b>", "localhost", "[::1]"):
            page = self.serve.get("/", Host=host).decode()
            self.assertIn(f"<code>gcspy-view {self.served[0].pid}</code>", page, host)
            self.assertNotIn("reboot", page)
            self.assertNotIn("<b>", page)

    def test_zz_end(self):
        """A JVM that ends is forgotten, the others are still served, and the end leaves them alone."""
        last, *others = reversed(self.served)
        asked = http.client.HTTPConnection(self.serve.host, self.serve.port, timeout=TIMEOUT)
        asked.request("GET", f"/debug/pprof/allocs?instance={last.pid}&seconds=600")
        time.sleep(1)  # the first of its two profiles
        last.jvm.signal(signal.SIGKILL)
        last.jvm.process.wait()
        self.serve.until(lambda: last.pid not in self.serve.targets(), "it is forgotten")
        self.assertEqual(asked.getresponse().status, 503, "and not after ten minutes")
        asked.close()
        now = self.serve.metrics()
        self.assertIsNone(serving.value(now, "gcspy_target_up", last.pid))
        for one in others:
            self.assertEqual(serving.value(now, "gcspy_target_up", one.pid), 1)
        self.assertEqual(self.serve.stop(), (0, ""))
        for one in others:
            self.assertTrue(one.jvm.alive())
            one.jvm.ask("pools")


if __name__ == "__main__":
    unittest.main(verbosity=2)
