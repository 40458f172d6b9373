"""Debian's Prometheus scrapes `gcspy serve`, and its answers agree with the JVMs' logs (E3). Eight JVMs with
GCSPY_E2E=all, else two.
"""

import json
import os
import shutil
import socket
import subprocess
import time
import unittest
import urllib.parse
import urllib.request

import gclog
import serving
import table
from jvm import ALL, MIB, NEWEST, TIMEOUT, skipped

ROWS = (table.Row("G1", "-Xms32m -Xmx32m"), table.Row("Serial", "-Xms32m -Xmx32m"),
        table.Row("Parallel", "-Xms32m -Xmx32m"), table.Row("Z", "-Xms64m -Xmx64m", since=21),
        table.Row("Shenandoah", "-Xms64m -Xmx64m", since=17))
EIGHT = ROWS + ROWS[:3]
CHURN = 64 * MIB
NAME = "jvm_gc_duration_seconds"


def free_port():
    with socket.socket() as end:
        end.bind(("127.0.0.1", 0))
        return end.getsockname()[1]


@unittest.skipUnless(shutil.which("prometheus"), "no prometheus (Debian: prometheus)")
class Test(serving.Case):
    def setUp(self):
        self.own = serving.Own()
        self.addCleanup(self.own.close)
        self.token = self.own.token("a secret")

    def start_prometheus(self, serve, *options):
        """Returns its port."""
        port = free_port()
        config = os.path.join(self.own.folder, "prometheus.yml")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"global": {"scrape_interval": "500ms", "scrape_timeout": "500ms"},
                       "scrape_configs": [{
                           "job_name": "gcspy",
                           "authorization": {"credentials_file": self.token},
                           "static_configs": [{"targets": [f"127.0.0.1:{serve.port}"]}]}]}, file)
        done = subprocess.run(["promtool", "check", "config", config], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.own.folder, "log"), "ab") as log:
            server = subprocess.Popen(
                ["prometheus", f"--config.file={config}", *options,
                 f"--storage.tsdb.path={self.own.folder}/data-{port}",
                 f"--web.listen-address=127.0.0.1:{port}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return port

    def ask(self, query, port=None):
        """[(labels, value)], or None while there is no answer."""
        url = f"http://127.0.0.1:{port or self.port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
        try:
            with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:
                document = json.load(answer)
        except OSError:
            return None
        self.assertEqual(document["status"], "success")
        return [(one["metric"], float(one["value"][1])) for one in document["data"]["result"]]

    def until(self, query, done, port=None):
        deadline = time.monotonic() + TIMEOUT
        while not ((found := self.ask(query, port)) is not None and done(found)):
            self.assertLess(time.monotonic(), deadline, (query, found))
            time.sleep(0.1)
        return found

    def start_jvms(self):
        jvms = []
        for i, row in enumerate(EIGHT if ALL else EIGHT[:2]):
            why = row.why_not(NEWEST[0])
            if why:
                skipped(f"{row} on {NEWEST[0]}", why)
                continue
            jvm = self.own.start(NEWEST[0], row, f"jvm{i}")
            self.addCleanup(jvm.__exit__, None)
            jvm.row = row
            jvms.append(jvm)
        return jvms

    def test_scraped_and_queried(self):
        jvms = self.start_jvms()
        for jvm in jvms:
            jvm.ask("pools")
        serve = serving.Serving("--match", self.own.match, "--token-file", self.token)
        self.addCleanup(serve.__exit__)
        get = serve.request
        serve.request = lambda path, **headers: get(path, Authorization="Bearer a secret", **headers)
        serve.until_live([jvm.pid for jvm in jvms])
        self.port = self.start_prometheus(serve)
        self.native_port = self.start_prometheus(serve, "--enable-feature=native-histograms")
        for port in self.port, self.native_port:
            self.until("gcspy_target_up", lambda found: len(found) == len(jvms) and
                       all(value == 1 for _, value in found), port)
        for jvm in jvms:
            jvm.logged = len(gclog.Log(jvm.log).pauses)
            jvm.ask(f"churn {CHURN}")
            jvm.ask("gc")
        for jvm in jvms:
            if jvm.row.collector in ("G1", "Serial", "Parallel"):
                self.check_jvm(jvm)

    def check_jvm(self, jvm):
        pauses = gclog.Log(jvm.log).pauses
        new = pauses[jvm.logged:]
        which = f'{{pid="{jvm.pid}"}}'
        self.until(f'sum({NAME}_count{which})', lambda found: found and found[0][1] >= len(new))
        # What the log's pauses say was allocated between them; the log has whole megabytes.
        known = pauses[max(jvm.logged - 1, 0):]
        logged = sum(now.before - then.after for then, now in zip(known, known[1:]))
        query = (f"max_over_time(gcspy_allocated_bytes_total{which}[5m]) - "
                 f"min_over_time(gcspy_allocated_bytes_total{which}[5m])")
        found = self.until(query, lambda found: found and found[0][1] >= CHURN)
        self.assertLess(found[0][1], CHURN + 8 * MIB)
        self.assertLess(abs(found[0][1] - logged), 10 * MIB + len(new) * MIB, jvm.row)
        # A median of an even number is the lower one here, and the log has the agent's own time in each.
        lengths = sorted(pause.ms / 1000 for pause in gclog.Log(jvm.log).pauses)
        highest = lengths[len(lengths) // 2] + 0.001
        quantile = self.ask(f"histogram_quantile(0.5, sum by (le) ({NAME}_bucket{which}))")[0][1]
        low, high = self.bucket_of_median(which)
        self.assertTrue(low <= quantile <= high, (jvm.row, low, quantile, high))
        self.assertLess(low, highest, lengths)
        self.check_native(which, (low, min(high, highest)))

    def bucket_of_median(self, which):
        """The limits of the classic bucket with the pause in the middle, in seconds."""
        buckets = sorted((float(labels["le"]), count) for labels, count in
                         self.ask(f"sum by (le) ({NAME}_bucket{which})"))
        at = next(i for i, (_, count) in enumerate(buckets) if count >= buckets[-1][1] / 2)
        return buckets[at - 1][0] if at else 0, buckets[at][0]

    def check_native(self, which, limits):
        """By the protobuf format: the same counters, and quantiles to within a fine bucket."""
        count = self.ask(f"sum({NAME}_count{which})")[0][1]
        self.until(f"histogram_count(sum({NAME}{which}))", lambda found: found and found[0][1] == count,
                   self.native_port)
        self.assertEqual(self.ask(f"{NAME}_count{which}", self.native_port), [])
        # Their first scrapes may lie on two sides of an update.
        allocated = f"sum(gcspy_allocated_bytes_total{which})"
        self.until(allocated, lambda found: found == self.ask(allocated), self.native_port)
        total, = self.ask(f"sum({NAME}_sum{which})")
        self.assertEqual(self.ask(f"histogram_sum(sum({NAME}{which}))", self.native_port), [total])
        quantile = self.ask(f"histogram_quantile(0.5, sum({NAME}{which}))", self.native_port)[0][1]
        # Of the pauses that the classic buckets have, to within the width of a fine one.
        self.assertTrue(limits[0] / 1.1 <= quantile <= 1.1 * limits[1], (quantile, limits))


if __name__ == "__main__":
    unittest.main(verbosity=2)
