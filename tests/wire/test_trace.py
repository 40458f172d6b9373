"""Trace files read by the independent reader (F21, F22, Q2): a recording is what a live client got,
whatever is cut off or damaged costs no more than the format says, and the files in
tests/golden/traces say for ever what the text beside them says. The table of numbers in
docs/trace-format.md is that of protocol/trace/trace_format.h."""

import os
import random
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import check_tables
import gcspy_trace
import gcspy_wire as wire
import test_golden
from harness import program, toy_server, wire_server

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
# Seconds that a client may be behind, which decodes 70,000 tiles in Python.
TIMEOUT = 60
GOLDEN = os.path.join(ROOT, "tests", "golden", "traces")


def told(s):
    """Everything that two clients must agree on at the same event. What has elapsed is since the
    event before, which they need not share."""
    return (s.described, s.sequence, s.event, s.time, s.wall, s.cost, s.attributes, s.counters, s.state(),
            [space.gathered for space in s.spaces],
            [(p.description, p.streams, p.kind, p.columns) for p in s.spaces])


class Describing:
    """A mirror whose snapshots know the description that they were made with."""

    def on_end(self, r):
        super().on_end(r)
        self.snapshots[-1].described = (self.name, list(self.info), self.events, self.groups)


class LiveClient(Describing, wire.Client):
    pass


class TraceMirror(Describing, wire.Mirror):
    pass


class Recording:
    """A program that records, beside a client that looks at the same server."""

    def __init__(self, server, events, profile_every=0):
        with tempfile.TemporaryDirectory(prefix="gcspy-trace-") as folder:
            path = os.path.join(folder, "run.gcspy")
            with LiveClient(server.address, wire.HELLO_EVERY) as client:
                client.ready(TIMEOUT)
                self.profile = None
                if profile_every:
                    number = client.ask("sites", ("kind", "live"))
                    self.profile = wire.profile_decode(client.answered(number, TIMEOUT).body)
                recorder = subprocess.Popen(
                    [program("WIRE_RECORDER"), server.address, path, str(events),
                     str(profile_every)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                with recorder:
                    while recorder.poll() is None:
                        client.idle(0.02)
                    self.sequences = [int(line.split()[0]) for line in recorder.stdout]
                    self.errors = recorder.stderr.read().decode()
                # What was recorded last may still be on its way to this client.
                client.wait(lambda: client.snapshots[-1].sequence >= self.sequences[-1], TIMEOUT)
                self.live = {s.sequence: s for s in client.snapshots}
            with open(path, "rb") as file:
                self.data = file.read()
            self.trace = gcspy_trace.Trace(path, TraceMirror)


class Recorded(unittest.TestCase):
    """F21"""

    def compare(self, server, events, profile_every=0):
        try:
            recording = Recording(server, events, profile_every)
        finally:
            server.end()
        self.assertEqual(recording.errors, "")
        trace = recording.trace
        self.assertTrue(trace.complete)
        self.assertEqual((trace.events, trace.stray, trace.lost), (events, 0, []))
        compared, before = 0, None
        for place, mirror in trace.snapshots():
            s = mirror.snapshots[-1]
            self.assertEqual(s.sequence, recording.sequences[place])
            if s.sequence in recording.live:
                self.assertEqual(told(s), told(recording.live[s.sequence]), f"place {place}")
                compared += 1
            if before is not None:
                self.assertEqual(s.elapsed, s.time - before)
            before = s.time
        self.assertEqual(trace.lost, [])
        self.assertGreater(compared, events * 3 // 4)
        moments = [m["sequence"] for m in trace.moments()]
        self.assertEqual(moments, recording.sequences)
        self.check_index(trace)
        return recording

    def check_index(self, trace):
        """The index says of segments, profiles and answers what their chunks say."""
        segments, profiles, answers = trace.index
        self.assertEqual((len(profiles), len(answers)), (len(trace.profiles), len(trace.answers)))
        self.assertEqual(len(segments), len(trace.segments()))
        for entry, chunks in zip(segments, trace.segments()):
            self.assertEqual(entry, {
                "kind": "KEY", "offset": chunks[0].offset, "place": chunks[0].place, "detail": 0,
                "count": sum(c.count for c in chunks), "first": chunks[0].first,
                "last": chunks[-1].last, "bytes": sum(c.end - c.offset for c in chunks)})
        for entry, chunk in zip(profiles + answers, trace.profiles + trace.answers):
            self.assertEqual(entry, {
                "kind": chunk.name, "offset": chunk.offset, "place": chunk.place,
                "detail": chunk.detail, "count": 0, "first": chunk.first, "last": chunk.last,
                "bytes": chunk.end - chunk.offset})

    def test_every_value_of_every_kind_of_space(self):
        """Groups, names, ranges, spaces described again, withdrawn, added, 70,000 tiles, profiles."""
        recording = self.compare(wire_server(20), 150, 40)
        trace = recording.trace
        # At their collection, or last of all if that has not come yet.
        judged = recording.profile["judged"]["end"]
        upto = sum(m["wall"] <= judged for m in trace.moments())
        self.assertEqual([c.place for c in trace.profiles], [min(upto, n) for n in (40, 80, 120)])
        for number in range(3):
            self.assertEqual(trace.profile(number), recording.profile)
            self.assertEqual(wire.PROFILE_KIND[trace.profiles[number].detail], "LIVE")

    def test_several_segments(self):
        recording = self.compare(toy_server(1), 1200)
        self.assertGreater(len(recording.trace.segments()), 2)


class Cut(unittest.TestCase):
    """Q4: without its end a file is read as far as it goes."""

    @classmethod
    def setUpClass(cls):
        server = toy_server(2)
        try:
            cls.recording = Recording(server, 600)
        finally:
            server.end()
        cls.folder = tempfile.TemporaryDirectory(prefix="gcspy-trace-")
        cls.path = os.path.join(cls.folder.name, "cut.gcspy")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def put(self, data):
        with open(self.path, "wb") as file:
            file.write(data)
        return gcspy_trace.Trace(self.path)

    def sequences(self, trace):
        return [mirror.snapshots[-1].sequence for _, mirror in trace.snapshots()]

    def test_a_cut_costs_what_is_behind_it(self):
        data, chunks = self.recording.data, self.recording.trace.chunks
        for chunk in chunks[1:]:
            for cut in (chunk.offset, chunk.offset + 10, chunk.offset + 64, chunk.end - 1):
                trace = self.put(data[:cut])
                self.assertFalse(trace.complete)
                whole = [c for c in chunks if c.end <= cut and c.name != "INDEX"]
                self.assertEqual(self.sequences(trace),
                                 self.recording.sequences[:sum(c.count for c in whole)])
                self.assertEqual(trace.stray, cut - whole[-1].end)

    def test_damage_costs_the_rest_of_its_segment(self):
        data, segments = self.recording.data, self.recording.trace.segments()
        self.assertEqual(len(segments), 2)
        hit = segments[0][1] if len(segments[0]) > 1 else segments[0][0]
        for at in (hit.offset + 30, hit.offset + 70, hit.end - 1):
            damaged = bytearray(data)
            damaged[at] ^= 0x55
            trace = self.put(damaged)
            got = self.sequences(trace)
            first = hit.place
            second = segments[1][0].place
            self.assertEqual(got, self.recording.sequences[:first] +
                             self.recording.sequences[second:])
            self.assertEqual(trace.lost, list(range(first, second)))


class Killed(unittest.TestCase):
    """Q4: a writer that is killed at any moment leaves all that is older than a second."""

    ROUNDS, TOGETHER = 20, 5

    def kill_one(self, server, path, seconds):
        """The sequences that were given to the writer, and how many of them are older."""
        with subprocess.Popen([program("WIRE_RECORDER"), server.address, path, "0"],
                              stdout=subprocess.PIPE) as recorder:
            lines = [recorder.stdout.readline()]
            reader = threading.Thread(target=lambda: lines.extend(recorder.stdout))
            reader.start()
            time.sleep(seconds)
            killed = time.monotonic_ns()
            recorder.kill()
            self.assertEqual(recorder.wait(), -signal.SIGKILL)
            reader.join()
        told = [tuple(map(int, line.split())) for line in lines if line.endswith(b"\n")]
        return [sequence for sequence, _ in told], sum(1 for _, at in told if at < killed - 10**9)

    def round(self, server, path, seconds):
        given, older = self.kill_one(server, path, seconds)
        trace = gcspy_trace.Trace(path)
        self.assertFalse(trace.complete)
        got = [mirror.snapshots[-1].sequence for _, mirror in trace.snapshots()]
        self.assertEqual(trace.lost, [])
        self.assertGreater(older, 0)
        self.assertGreaterEqual(len(got), older, f"killed after {seconds} s")
        # What was written last may not have been told.
        self.assertEqual(got[:len(given)], given[:len(got)])
        self.assertLessEqual(len(got), len(given) + 1)
        text = subprocess.run([program("TRACE_TEXT"), path], capture_output=True, text=True,
                              check=True).stdout
        self.assertEqual(text, tell_trace(path))

    def test_killed_at_random_moments(self):
        seed = time.time_ns()
        print(f"seed {seed}")
        draw, failures = random.Random(seed), []

        def one(server, path, seconds):
            try:
                self.round(server, path, seconds)
            except (AssertionError, OSError, ValueError, gcspy_trace.TraceError,
                    subprocess.SubprocessError) as error:
                failures.append(error)

        with tempfile.TemporaryDirectory(prefix="gcspy-trace-") as folder:
            server = toy_server(10)
            try:
                for first in range(0, self.ROUNDS, self.TOGETHER):
                    threads = [threading.Thread(target=one, args=(
                        server, os.path.join(folder, f"{first + i}.gcspy"),
                        draw.uniform(1.1, 3.5))) for i in range(self.TOGETHER)]
                    for thread in threads:
                        thread.start()
                    for thread in threads:
                        thread.join()
            finally:
                server.end()
        self.assertEqual(failures, [])


def tell_trace(path):
    """The same as tests/wire/trace_text.c."""
    trace = gcspy_trace.Trace(path, test_golden.Telling)
    lines = [f"version {trace.major}.{trace.minor} created {trace.created}: {trace.events} events, "
             f"{len(trace.profiles)} profiles, {'complete' if trace.complete else 'cut'}, "
             f"{trace.stray} stray bytes"]
    texts, sequences = {}, {}
    for place, mirror in trace.snapshots():
        mirror.lines = [line for line in mirror.lines if not line.startswith(("model ", "  plugin "))]
        mirror.changed = False
        mirror.tell_model()
        # The description, of one line or more, comes first.
        model = next(i for i, line in enumerate(mirror.lines) if line.startswith("model "))
        texts[place] = mirror.lines[model:] + mirror.lines[:model]
        sequences[place] = mirror.lines[0].split()[1]
        mirror.lines = []
    for place in range(trace.events):
        text = "".join(line + "\n" for line in texts.get(place, []))
        sequence = sequences.get(place, "-")
        lines.append(f"event {place}: " + (f"sequence {sequence} "
                     f"hash {test_golden.fnv(text.encode()):x}" if text else "lost"))
        if place % 16 == 0:
            lines += text.splitlines()
    for number, chunk in enumerate(trace.profiles):
        lines.append(f"profile {number} after {chunk.place} events, time {chunk.first}")
        lines += test_golden.tell_profile(trace.profile(number)).splitlines()
    for number, chunk in enumerate(trace.answers):
        plugin, message, when, body = trace.answer(number)
        lines.append(f"answer {number} of {plugin} after {chunk.place} events at {when}: {message}, "
                     f"{len(body)} bytes hash {test_golden.fnv(body):x}")
    return "\n".join(lines) + "\n"


class Golden(unittest.TestCase):
    """Files of every version, read for ever."""

    def test_each_file_says_what_it_said(self):
        names = sorted(n for n in os.listdir(GOLDEN) if n.endswith(".gcspy"))
        self.assertGreaterEqual(len(names), 3)
        for name in names:
            with open(os.path.join(GOLDEN, name[:-6] + ".txt"), encoding="utf-8") as file:
                self.assertEqual(tell_trace(os.path.join(GOLDEN, name)), file.read(), name)


class Document(unittest.TestCase):
    """The numbers of docs/trace-format.md, protocol/trace/trace_format.h and the Python reader."""

    KINDS = r"enum trace_kind \{(.*?)\}"

    def setUp(self):
        self.document = check_tables.read(ROOT, "docs/trace-format.md")
        self.code = (check_tables.read(ROOT, "protocol/trace/trace_format.h") +
                     check_tables.read(ROOT, "include/gcspy/trace.h"))

    def constants(self):
        """The enumeration of sizes: name to number."""
        found = re.findall(r"^\t(TRACE_[A-Z_]+) = (\d+)(?: << (\d+))?,?",
                           re.sub(self.KINDS, "", self.code, flags=re.S), re.M)
        return {name: int(number) << int(shift or 0) for name, number, shift in found}

    def test_kinds(self):
        rows = dict(re.findall(r"^\| ([A-Z]+) \| (\d+) \| [^|]+ \|$", self.document, re.M))
        body = re.search(self.KINDS, self.code, re.S).group(1)
        code = dict(re.findall(r"TRACE_([A-Z]+) = (\d+)", body))
        self.assertEqual(rows, code)
        self.assertEqual({name: str(n) for name, n in gcspy_trace.KIND.items()}, code)

    def test_sizes(self):
        c = self.constants()
        python = {"TRACE_FILE_HEAD": gcspy_trace.FILE_HEAD,
                  "TRACE_CHUNK_HEAD": gcspy_trace.CHUNK_HEAD,
                  "TRACE_END_MARK": gcspy_trace.END_MARK,
                  "TRACE_DICTIONARY": gcspy_trace.DICTIONARY,
                  "TRACE_MAX_HEADS": gcspy_trace.MAX_HEADS,
                  "TRACE_MAX_BODY": gcspy_trace.MAX_BODY,
                  "TRACE_FREE_RAW": gcspy_trace.FREE_RAW, "TRACE_DENSITY": gcspy_trace.DENSITY,
                  "TRACE_FREE_VALUES": gcspy_trace.FREE_VALUES, "TRACE_VALUES": gcspy_trace.VALUES}
        self.assertEqual(python, c)
        for words in (f"| file head | {c['TRACE_FILE_HEAD']} |",
                      f"| {c['TRACE_CHUNK_HEAD']} + heads + body each |",
                      f"| end mark, if the file was finished | {c['TRACE_END_MARK']} |",
                      f"the last {c['TRACE_END_MARK']} bytes",
                      f"last {c['TRACE_DICTIONARY']:,} raw bytes",
                      f"at most {c['TRACE_MAX_HEADS']:,} |", f"at most {c['TRACE_MAX_BODY']:,} |",
                      f"more than {c['TRACE_FREE_RAW']:,} raw bytes",
                      f"more than {c['TRACE_FREE_VALUES']:,} and {c['TRACE_VALUES']:,} for each byte",
                      f"a {c['TRACE_DENSITY']}nd of"):
            self.assertIn(words, re.sub(r"\n *", " ", self.document))  # also across lines

    def test_magics_and_version(self):
        for macro, python in (("GCS_TRACE_MAGIC", gcspy_trace.MAGIC),
                              ("TRACE_CHUNK_MAGIC", gcspy_trace.CHUNK_MAGIC),
                              ("TRACE_END_MAGIC", gcspy_trace.END_MAGIC)):
            magic = re.search(rf'#define {macro}\s+"(\w+)"', self.code).group(1).encode()
            self.assertEqual(magic, python)
            self.assertIn(f'`{magic.hex(" ")}`, "{magic.decode()}"', self.document)
        version = tuple(int(re.search(rf"GCS_TRACE_{part} (\d+)", self.code).group(1))
                        for part in ("MAJOR", "MINOR"))
        self.assertEqual(version, (gcspy_trace.MAJOR, gcspy_trace.MINOR))
        self.assertIn(f"version {version[0]}.{version[1]}\n", self.document)

    def test_layouts_have_no_holes(self):
        """The fields of each of the three tables follow each other up to the size of the whole."""
        sizes = []
        for table in self.document.split("\n\n"):
            rows = re.findall(r"^\| (\d+) \| (\d+) \| [\w ]+ \| .* \|$", table, re.M)
            at = 0
            for offset, size in rows:
                self.assertEqual(int(offset), at, table)
                at += int(size)
            sizes += [at] if rows else []
        self.assertEqual(sizes, [gcspy_trace.FILE_HEAD, gcspy_trace.CHUNK_HEAD,
                                 gcspy_trace.END_MARK])


if __name__ == "__main__":
    unittest.main(verbosity=2)
