"""`gcspy push` (E3): what an OTLP receiver gets, decoded by protoc, against /metrics; what Pyroscope gets,
against the known heap of the JVM; receivers that refuse, that are busy, and that are not there.
"""

import email.utils
import functools
import http.server
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.parse

import otlp
import serving
import table
from jvm import MIB, NEWEST, PROGRAM, TIMEOUT, skipped

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import pprof  # noqa: E402

ROW = table.Row("G1", "-Xms128m -Xmx128m")
KEPT = 24 * MIB
NONE = ("--match", "^no such program$")
TOKEN = "a-token-of-the-receiver"


class Receiver:
    """Answers POST with the next of `codes` (and then 200), or (code, function that makes a Retry-After), from
    when `open` is called; `requests` are (code, path, headers, body), at `times`; `bodies` answers by code."""

    def __init__(self, *codes, bodies=None):
        self.codes, self.requests, self.times, self.server = list(codes), [], [], None
        self.bodies = bodies or {}
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))  # refuses connections, and nobody else gets the port
        self.url = "http://127.0.0.1:%d" % self.socket.getsockname()[1]

    def open(self):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                code = receiver.codes.pop(0) if receiver.codes else 200
                code, later = code if isinstance(code, tuple) else (code, None)
                receiver.times.append(time.monotonic())
                receiver.requests.append((code, self.path, self.headers, body))
                self.send_response(code)
                if later:
                    self.send_header("Retry-After", later())
                answer = receiver.bodies.get(code, b"")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler,
                                                      bind_and_activate=False)
        self.server.socket.close()
        self.server.socket = self.socket
        self.server.server_activate()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def close(self):
        if self.server is not None:
            self.server.shutdown()
        self.socket.close()

    def until(self, done, what):
        deadline = time.monotonic() + TIMEOUT
        while not (result := done()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what}: {[r[:2] for r in self.requests]}")
            time.sleep(0.02)
        return result


def counts(families, receiver):
    """{outcome: requests} of a receiver, with "failures" and "bytes"."""
    found = {labels["outcome"]: value for _, labels, value in
             families["gcspy_push_requests"]["samples"] if labels["receiver"] == receiver}
    for key, name in (("failures", "gcspy_push_failures"), ("bytes", "gcspy_push_queue_bytes")):
        found[key] = next(value for _, labels, value in families[name]["samples"]
                          if labels["receiver"] == receiver)
    return found


def as_otlp(name, family):
    """Name, unit and kind that OpenTelemetry has for a family of /metrics."""
    unit = family.get("unit")
    dotted = (name[:-len(unit) - 1] if unit else name).replace("_", ".")
    return (dotted, {None: "1", "bytes": "By", "seconds": "s"}[unit],
            {"gauge": "gauge", "counter": "sum", "histogram": "histogram"}[family["type"]])


class Case(serving.Case):
    def receiver(self, *codes, bodies=None):
        receiver = Receiver(*codes, bodies=bodies)
        self.addCleanup(receiver.close)
        return receiver

    def push(self, *words):
        serve = serving.Serving("--every", "0.2", *words, command="push")
        self.addCleanup(serve.__exit__)
        return serve


class Jvms(Case):
    @classmethod
    def setUpClass(cls):
        cls.own = serving.Own()
        cls.addClassCleanup(cls.own.close)
        cls.jvm = cls.own.start(NEWEST[0], ROW, "shop")
        cls.addClassCleanup(cls.jvm.__exit__, None)
        cls.jvm.ask("pools")
        cls.words = ("--match", cls.own.match, "--interval", "16k")

    @unittest.skipUnless(shutil.which("protoc"), "no protoc (Debian: protobuf-compiler)")
    def test_metrics_are_those_of_the_page(self):
        receiver = self.receiver().open()
        with self.push("--otlp", receiver.url + "/", "--label", "team=shop", "--label", "zone=é",
                       *self.words) as serve:
            serve.until_live([self.jvm.pid])
            self.jvm.ask("alloc 1048576")  # without anything known to live there are no classes
            self.addCleanup(self.jvm.ask, "drop")
            self.jvm.ask("gc")
            serve.until(lambda: serving.values(serve.metrics(), "jvm_gc_duration_seconds",
                                               self.jvm.pid), "the pause")
            page, (attributes, metrics) = self.at_rest(serve, receiver)
            self.assertEqual(serve.stop(), (0, ""))
        for code, path, headers, _ in receiver.requests:
            self.assertEqual((code, path, headers["Content-Type"], headers["Authorization"]),
                             (200, "/v1/metrics", "application/x-protobuf", None))
        self.assertEqual(attributes, {"service.name": "shop.jar",
                                      "process.pid": self.jvm.pid, "team": "shop", "zone": "é",
                                      "host.name": socket.gethostname()})
        compared = set()
        for name, family in page.items():
            samples = serving.values(page, name, self.jvm.pid) if "push" not in name else []
            dotted, unit, kind = as_otlp(name, family)
            self.assertEqual(dotted in metrics, bool(samples), name)
            if samples:
                compared.add(dotted)
                self.compare(family["samples"], metrics[dotted], unit, kind)
        self.assertLessEqual({"jvm.memory.used", "jvm.memory.committed", "jvm.gc.duration",
                              "gcspy.live", "gcspy.allocated", "gcspy.target.info"}, compared)

    def at_rest(self, serve, receiver):
        """/metrics, and a request that was made while it was the same."""
        def same():
            before, since = serve.metrics(), time.time_ns()
            at = len(receiver.requests)
            made = receiver.until(lambda: [
                r for r in map(self.jvm_in, receiver.requests[at:]) if r and r[1]["gcspy.events"][4][0]
                [1]["time_unix_nano"][0] > since], "a new request")
            after = serve.metrics()
            for families in (before, after):
                for name in [n for n in families if "push" in n]:
                    del families[name]
            return (after, made[0]) if before == after and \
                serving.values(after, "gcspy_live_bytes", self.jvm.pid) else None
        return serve.until(same, "a moment in which nothing changes")

    def jvm_in(self, request):
        found = [r for r in otlp.decode(request[3]) if r[0].get("process.pid") == self.jvm.pid]
        return found[0] if found else None

    def compare(self, samples, metric, unit, kind):
        found_unit, found_kind, temporality, monotonic, points = metric
        self.assertEqual((found_unit, found_kind), (unit, kind))
        self.assertEqual((temporality, monotonic), {"gauge": (0, False), "sum": (2, True),
                                                    "histogram": (2, False)}[kind])
        found = {}
        for attributes, point in points:
            key = {k.replace(".", "_"): v for k, v in attributes.items()}
            self.assertLessEqual(otlp.one(point, "start_time_unix_nano", 0),
                                 otlp.one(point, "time_unix_nano"))
            if kind == "histogram":
                self.assertGreater(otlp.one(point, "start_time_unix_nano"), 0)
                total = 0
                for limit, count in zip((*point["explicit_bounds"], float("inf")),
                                        point["bucket_counts"], strict=True):
                    total += count
                    found["_bucket", *sorted({**key, "le": limit}.items())] = total
                found["_count", *sorted(key.items())] = otlp.one(point, "count")
                found["_sum", *sorted(key.items())] = otlp.one(point, "sum")
            else:
                found["_total" if kind == "sum" else "", *sorted(key.items())] = otlp.one(
                    point, "as_int" if "as_int" in point else "as_double")
        expected = {}
        for suffix, labels, value in samples:
            key = {k: float(v) if k == "le" else v for k, v in labels.items()
                   if k not in ("pid", "program")}
            expected[suffix, *sorted(key.items())] = value
        self.assertEqual(found.keys(), expected.keys())
        for key, value in expected.items():
            self.assertLessEqual(abs(found[key] - value), 1e-9 * abs(value), key)

    def test_profiles_are_of_the_known_heap(self):
        receiver = self.receiver().open()
        token = self.own.token(TOKEN)
        with self.push("--pyroscope", receiver.url + "/base", "--push-token", token, "--label",
                       "team=a b&c=d", *self.words) as serve:
            serve.until_live([self.jvm.pid])
            receiver.until(lambda: self.profiles(receiver)[1], "a first difference")
            self.jvm.ask(f"alloc {KEPT}")
            self.jvm.ask("gc")
            grown = receiver.until(lambda: self.near(
                sum(self.arrays(p, "alloc_space") for p in self.profiles(receiver)[1])), "allocated")
            receiver.until(lambda: self.near(
                self.arrays(self.profiles(receiver)[0][-1], "inuse_space")), "live")
            # What was pushed once is not pushed again.
            at = len(self.profiles(receiver)[1])
            last = receiver.until(lambda: self.profiles(receiver)[1][at + 1:], "two more")
            self.assertLess(sum(self.arrays(p, "alloc_space") for p in last), 0.05 * grown)
            self.assertEqual(counts(serve.metrics(), "pyroscope")["failures"], 0)
            self.assertEqual(serve.stop(), (0, ""))
        labels = urllib.parse.quote(
            f"{{pid={self.jvm.pid},hostname={socket.gethostname()},team=a b&c=d}}")
        for _, path, headers, _ in receiver.requests:
            match = re.fullmatch(r"/base/ingest\?format=pprof&from=(\d+)&until=(\d+)"
                                 rf"&name=shop\.jar{re.escape(labels)}", path)
            self.assertIsNotNone(match, path)
            self.assertTrue(int(match[1]) <= int(match[2]) <= time.time(), path)
            self.assertEqual(headers["Authorization"], f"Bearer {TOKEN}")

    @unittest.skipUnless(shutil.which("protoc"), "no protoc (Debian: protobuf-compiler)")
    def test_profiles_for_an_otlp_receiver(self):
        receiver = self.receiver().open()
        other = self.receiver().open()
        with self.push("--otlp-profiles", receiver.url + "/base/", "--pyroscope", other.url,
                       "--label", "hostname=front", *self.words) as serve:
            serve.until_live([self.jvm.pid])

            known = []

            def decoded():
                known.extend(otlp.Profiles(r[3]) for r in receiver.requests[len(known):])
                return known

            def of_arrays(one, kind):
                return sum(value for _, value, attributes in one.profiles[kind][4]
                           if attributes["class"].endswith("Object[]"))
            receiver.until(lambda: any("alloc_space" in p.profiles for p in decoded()), "a first difference")
            before = of_arrays(decoded()[-1], "inuse_space")
            self.jvm.ask(f"alloc {KEPT}")
            self.jvm.ask("gc")
            receiver.until(lambda: self.near(sum(
                of_arrays(p, "alloc_space") for p in decoded() if "alloc_space" in p.profiles)), "allocated")
            receiver.until(lambda: self.near(of_arrays(decoded()[-1], "inuse_space") - before), "live")
            found = decoded()
            self.assertEqual(counts(serve.metrics(), "otlp-profiles")["refused"], 0)
            self.assertEqual(serve.stop(), (0, ""))
        for _, path, headers, _ in receiver.requests:
            self.assertEqual((path, headers["Content-Type"]),
                             ("/base/v1development/profiles", "application/x-protobuf"))
        for _, path, _, _ in other.requests:
            self.assertTrue(path.endswith(f"%7Bpid%3D{self.jvm.pid}%2Chostname%3Dfront%7D"), path)
        end = 0
        for one in found:
            self.assertEqual(one.resource, {"service.name": "shop.jar",
                                            "process.pid": self.jvm.pid, "hostname": "front",
                                            "host.name": socket.gethostname()})
            self.assertLessEqual({"inuse_space", "inuse_objects"}, set(one.profiles))
            for kind, (unit, since, duration, period, samples) in one.profiles.items():
                self.assertEqual((unit, period), ("count" if "objects" in kind else "bytes", 16384))
                self.assertLessEqual(since + duration, time.time_ns())
                self.assertGreater(min((value for _, value, _ in samples), default=1), 0)
                self.assertTrue(all(set(a) <= {"class", "thread.name"} for _, _, a in samples))
                self.assertEqual(duration > 0, "alloc" in kind)
            if "alloc_space" in one.profiles:
                _, since, duration, _, _ = one.profiles["alloc_space"]
                self.assertTrue(end in (0, since), "it begins when the last one ended")
                end = since + duration
        frames = {frame for one in found for profile in one.profiles.values()
                  for stack, _, _ in profile[4] for frame in stack}
        self.assertTrue(any(name.endswith(".main") and file.endswith(".java") and line > 0 and kind == "jvm"
                            for name, file, line, kind in frames), frames)
        self.assertIn(self.jvm_thread(found), ("main",))

    @staticmethod
    def jvm_thread(found):
        """The thread that has most live bytes."""
        by_thread = {}
        for _, value, attributes in found[-1].profiles["inuse_space"][4]:
            name = attributes["thread.name"]
            by_thread[name] = by_thread.get(name, 0) + value
        return max(by_thread, key=by_thread.get)

    @staticmethod
    def near(value):
        return value if abs(value - KEPT) < 0.2 * KEPT else None

    @staticmethod
    def profiles(receiver):
        """What was live, and the differences of what was allocated."""
        both = [pprof.Profile(request[3]) for request in receiver.requests]
        words = [{kind for kind, _ in p.types} for p in both]
        assert all(w in ({"alloc_objects", "alloc_space"},) or
                   {"inuse_space", "inuse_objects"} <= w and "alloc_space" not in w for w in words)
        return ([p for p, w in zip(both, words, strict=True) if "inuse_space" in w],
                [p for p, w in zip(both, words, strict=True) if "alloc_space" in w])

    @staticmethod
    def arrays(profile, kind):
        at = [word for word, _ in profile.types].index(kind)
        assert all("thread" not in labels for _, _, labels in profile.samples)
        return sum(values[at] for _, values, labels in profile.samples
                   if labels["class"].endswith("Object[]"))


class Queue(Case):
    """Without a JVM: what is sent is the figures of `gcspy push` itself."""

    def test_a_receiver_that_is_not_there(self):
        receiver = self.receiver()
        with self.push("--otlp", receiver.url, "--queue", "4096", *NONE) as serve:
            def dropped():
                now = counts(serve.metrics(), "otlp")
                self.assertLessEqual(now["bytes"], 4096)
                return now if now["dropped"] >= 3 else None
            before = serve.until(dropped, "a full queue")
            self.assertEqual((before["sent"], before["refused"]), (0, 0))
            self.assertGreater(before["failures"], 0)
            self.assertGreater(before["bytes"], 2048)
            receiver.open()
            after = serve.until(lambda: (now := counts(serve.metrics(), "otlp"))["sent"] >= 8 and
                                now["bytes"] < 4096 and now, "sent again")
            self.assertGreaterEqual(after["dropped"], before["dropped"])
            code, said = serve.stop()
            self.assertEqual(code, 0)
            url = re.escape(receiver.url) + "/v1/metrics"
            self.assertRegex(said, rf"\Agcspy: otlp {url}: [^\n]+; trying again\n"
                                   rf"gcspy: otlp {url}: the queue is full, the oldest requests are dropped: 1 "
                                   r"so far\n"
                                   rf"gcspy: otlp {url}: requests are received again\n\Z")
        if shutil.which("protoc"):
            self.assertGreaterEqual(self.said_to_be_dropped(receiver), before["dropped"])
        else:
            skipped("drops in the request", "no protoc")

    @staticmethod
    def said_to_be_dropped(receiver):
        (attributes, metrics), = otlp.decode(receiver.requests[-1][3])
        assert attributes == {"service.name": "gcspy push", "host.name": socket.gethostname()}
        return next(otlp.one(point, "as_int") for labels, point in metrics["gcspy.push.requests"][4]
                    if labels == {"receiver": "otlp", "outcome": "dropped"})

    def test_a_receiver_that_is_busy_and_one_that_refuses(self):
        receiver = self.receiver(503, 200, 400).open()
        with self.push("--otlp", receiver.url, *NONE) as serve:
            receiver.until(lambda: len(receiver.requests) > 4, "five requests")
            now = serve.until(lambda: (c := counts(serve.metrics(), "otlp"))["sent"] > 2 and c, "sent")
            self.assertEqual((now["failures"], now["refused"], now["dropped"]), (1, 1, 0))
            self.assertEqual(serve.stop()[0], 0)
        bodies = [request[3] for request in receiver.requests]
        self.assertEqual(bodies[0], bodies[1], "sent again as it was")
        self.assertEqual(len(set(bodies[1:])), len(bodies) - 1, "what is refused is not")

    def test_what_the_receiver_asks_for_is_waited(self):
        """Retry-After as seconds and as a date; and a line for each kind of trouble."""
        soon = functools.partial(str, 1)
        receiver = self.receiver(400, 500, *[(429, soon)] * 4, (503, lambda: email.utils.formatdate(
            time.time() + 4, usegmt=True)), 503).open()
        with self.push("--otlp", receiver.url, *NONE) as serve:
            receiver.until(lambda: len(receiver.requests) > 9, "all answers")
            serve.until(lambda: counts(serve.metrics(), "otlp")["sent"] > 0, "sent")
            said = serve.stop()[1]
        times = receiver.times
        self.assertGreater(times[6] - times[2], 3.9)
        self.assertLess(times[6] - times[2], 11, "twice as long each time it would be 15")
        self.assertGreater(times[7] - times[6], 1.5)
        self.assertEqual([line.rsplit("/v1/metrics: ")[1] for line in said.splitlines()], [
            "a request was refused: it answered 400", "a request was refused: it answered 500",
            "it answered 429; trying again", "it answered 503; trying again",
            "requests are received again"])

    def test_the_end_cuts_a_wait_short(self):
        receiver = self.receiver(503, bodies={503: b"later\n"}).open()
        with self.push("--otlp", receiver.url.replace("//", "//ana:secret@"), *NONE) as serve:
            serve.until(lambda: counts(serve.metrics(), "otlp")["failures"] == 1, "a wait")
            code, said = serve.stop()
        self.assertEqual(code, 0)
        self.assertIn(f"gcspy: otlp {receiver.url}/v1/metrics: it answered 503: later; trying again\n",
                      said)
        self.assertGreaterEqual(len(receiver.requests), 2)
        self.assertEqual(receiver.requests[0][3], receiver.requests[1][3], "sent at the end")

    def test_part_of_a_request_is_rejected(self):
        receiver = self.receiver(404, 200, bodies={
            404: b"no such place\r\nbut another", 200: b"\x0a\x08\x08\x03\x12\x04full"}).open()
        with self.push("--otlp", receiver.url, *NONE) as serve:
            now = serve.until(lambda: (c := counts(serve.metrics(), "otlp"))["refused"] > 2 and c, "refused")
            self.assertEqual((now["sent"], now["failures"]), (0, 0))
            receiver.bodies = {200: b"\x0a\x06\x12\x04fine"}  # a warning: nothing was rejected
            serve.until(lambda: counts(serve.metrics(), "otlp")["sent"] > 0, "sent")
            receiver.bodies = {200: b"\x0a\x08\x08\x03\x12\x04full"}
            serve.until(lambda: counts(serve.metrics(), "otlp")["refused"] > now["refused"] + 1, "again")
            said = serve.stop()[1]
        where = f"gcspy: otlp {receiver.url}/v1/metrics: "
        self.assertEqual(said.splitlines()[:4], [
            where + "a request was refused: it answered 404: no such place",
            where + "a request was refused: 3 of its entries were rejected: full",
            where + "requests are received again",
            where + "a request was refused: 3 of its entries were rejected: full"])

    def test_words(self):
        for words, said in (((), "--otlp URL, --otlp-profiles URL, or --pyroscope URL"), (("--otlp", "ftp://x"), "http://HOST"),
                            (("--otlp", "http://"), "http://HOST"),
                            (("--otlp", "http://x:99999"), "http://HOST"),
                            (("--pyroscope", "http://a b"), "http://HOST"),
                            (("--otlp-profiles", "x"), "--otlp-profiles: expected http://HOST"),
                            (("--otlp", "http://x", "--every", "0"), "--every"),
                            *((("--otlp", "http://x", "--label", bad), "expected NAME=VALUE") for bad in (
                                "", "a", "a=", "=b", "1a=b", "__a=b", "a.b=c", "a=b,c", "a=}", "a=\x01",
                                b"a=\xff", "a=" + "b" * 127)),
                            (("--otlp", "http://x", "--label", "a=b", "--label", "a=c"), "--label a: given twice"),
                            (("--otlp", "http://x", "--push-token", "/nonexistent"), "--push-token"),
                            (("--otlp", "http://x", "--recordings", "/tmp"), "--listen"),
                            (("--otlp", "http://x", "--agent", "/none.so"), "--agent /none.so: No such")):
            done = subprocess.run([PROGRAM, "push", *NONE, *words], capture_output=True, text=True,
                                  check=False, timeout=TIMEOUT)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertRegex(done.stderr, rf"\Agcspy: [^\n]*{re.escape(said)}[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main(verbosity=2)
