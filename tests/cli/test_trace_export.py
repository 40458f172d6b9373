"""`gcspy export`, and `gcspy sites` of a trace (F23, E2), each format read by a reader of its own; how
the traces look is told in trace_maker.c and trace_shapes.c."""

import csv
import io
import json
import os
import resource
import signal
import subprocess

import support
import traces

MIB = 1 << 20


class Tables(traces.Traces):
    def table(self, *arguments):
        """Rows of a table as dictionaries; every row has all columns."""
        out, err = self.written("export", *arguments)
        self.assertEqual(err, "")
        text = out.decode()
        self.assert_clean(text, "\n\t")
        lines = list(csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))
        for line in lines:
            self.assertEqual(len(line), len(lines[0]), line[:6])
        self.assertEqual(lines[0][:4], ["place", "seconds", "time", "event"])
        return [dict(zip(lines[0], line)) for line in lines[1:]], lines

    def test_summary(self):
        rows, lines = self.table(self.trace("plain"), "--what", "summary")
        self.assertEqual(len(lines[0]), len(set(lines[0])), "each column once")
        self.assertEqual([row["event"] for row in rows], ["GC start", "GC finish"] * 10)
        self.assertEqual([row["place"] for row in rows], [str(i + 1) for i in range(20)])
        last = rows[-1]
        self.assertEqual(last["seconds"], "9.010000000")
        self.assertEqual(last["time"], "2026-01-02T03:04:15.000000000Z")
        self.assertEqual((last["Kind"], last["Cause"]), ("Full", "Allocation Failure"))
        self.assertEqual((last["Pause"], last["Committed"]), ("10000000", str(7 * MIB)))
        self.assertEqual(last["Used before"], str(5 * MIB + 9 * 4096))
        self.assertEqual((last["Used"], rows[0]["Used"]), ("", str(4 * MIB)))
        counts = [last["Regions/Type: " + name] for name in ("Free", "Eden", "Old")]
        self.assertEqual(counts, ["5", "1", "1"])
        self.assertEqual(last["Regions/Used"], str((10 * 128 + 64) * 1024))

    def test_stream(self):
        path = self.trace("plain")
        rows, lines = self.table(path, "--what", "stream", "--space", "Regions", "--stream", "Type")
        self.assertEqual(len(lines[0]), 4 + 8)
        self.assertEqual(list(rows[0].values())[4:],
                         ["Old", "Eden", "Free", "Eden", "Eden", "Free", "Eden", ""])
        rows, _ = self.table(path, "--what", "stream", "--space", "Regions", "--stream", "Used")
        self.assertEqual(list(rows[0].values())[4:],
                         ["0", str(MIB), "0", str(MIB), str(MIB), "0", str(MIB), ""])
        rows, _ = self.table(path, "--what", "stream", "--space", "Regions", "--stream", "Control")
        self.assertEqual(list(rows[0].values())[-1], "4", "what is not in use, too")

    def test_what_is_not_counted_has_no_value(self):
        """Streams of a walk over objects are sent as 0 where no walk has been: nobody says 0."""
        path = self.trace("counted")
        rows, _ = self.table(path, "--what", "stream", "--space", "Heap", "--stream", "Objects")
        self.assertEqual([list(row.values())[4:] for row in rows], [[""] * 4, ["0", "", "5", ""]])
        rows, _ = self.table(path, "--what", "summary")
        self.assertEqual([row["Heap/Objects"] for row in rows], ["", "5"])
        self.assertEqual([row["Heap/Counted: Not counted"] for row in rows], ["4", "2"])
        streams = {s["name"]: s for s in self.json("stats", path)["spaces"][0]["streams"]}
        tiles, total = streams["Objects"]["tiles"], streams["Objects"]["summary"][0]["values"]
        self.assertEqual((tiles["count"], tiles["min"], tiles["mean"], tiles["max"]), (2, 0, 2.5, 5))
        self.assertEqual((total["count"], total["min"], total["max"]), (1, 5, 5))
        # Nor that nothing is alive where nothing is sampled.
        self.assertEqual(self.json("stats", path)["spaces"][1]["not_recorded"], "sampling is off")
        self.assertRegex(self.gcspy("stats", path),
                         r"(?m)^Space Call sites\n  All streams +not known: sampling is off$")
        self.assertEqual(self.json("stats", path)["spaces"][2]["streams"][0]["not_recorded"],
                         "sampling is off")
        self.assertRegex(self.gcspy("stats", path), r"(?m)^  Live +not known: sampling is off$")
        # Before anything was counted.
        first = {s["name"]: s for s in self.json("stats", path, "--to", "1")["spaces"][0]["streams"]}
        for series in first["Objects"]["tiles"], first["Objects"]["summary"][0]["values"]:
            self.assertEqual((series["count"], series["min"], series["mean"], series["max"]),
                             (0, None, None, None))
        page = self.gcspy("stats", path, "--to", "1")
        self.assertRegex(page, r"(?m)^  Objects +\(no values\)$")

    def test_ranges(self):
        path = self.trace("plain")
        places = lambda *options: [row["place"] for row in
                                   self.table(path, "--what", "summary", *options)[0]]
        self.assertEqual(places("--from", "19"), ["19", "20"])
        self.assertEqual(places("--to", "2"), ["1", "2"])
        self.assertEqual(places("--from", "1s", "--to", "2.01s"), ["3", "4", "5", "6"])

    def test_a_space_that_grows_and_is_described_anew(self):
        rows, lines = self.table(self.trace("wide", 200), "--what", "stream", "--space", "Line",
                                 "--stream", "Number")
        self.assertEqual(len(lines[0]), 4 + 200)
        self.assertEqual(lines[0][4:6], ["Tile 0", "Tile 1"])
        for i, line in enumerate(lines[1:]):
            tiles = 10 * (i + 1)
            self.assertEqual(line[4:], [str(k + 1000 * i) for k in range(tiles)] +
                             [""] * (200 - tiles))
        self.assertEqual(len(rows), 20)

    def test_hostile_names_are_cells(self):
        for mode in "html", "hostile":
            path = self.trace(mode)
            rows, lines = self.table(path, "--what", "summary")
            for cell in (cell for line in lines for cell in line):
                self.assertNotIn(cell[:1], ("=", "+", "@"), "a formula")
            self.assertTrue(rows)
        causes = [row["Cause"] for row in self.table(self.trace("html"), "--what", "summary")[0]]
        self.assertEqual(causes[0], "'=1+1\ufffdB\ufffdC")

    def test_memory_does_not_grow_with_the_values(self):
        """Twenty events of up to 400,000 tiles: 4.2 million values."""
        path = self.trace("wide", 400000)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        process = subprocess.Popen(
            [support.GCSPY, "export", path, "--what", "stream", "--space", "Line", "--stream",
             "Number"], stdout=subprocess.PIPE)
        count = sum(chunk.count(b"\t") for chunk in iter(lambda: process.stdout.read(1 << 16), b""))
        process.stdout.close()
        self.assertEqual(process.wait(), 0)
        self.assertEqual(count, 21 * (400000 + 3))
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        # Three states of 3.2 MB and what decodes them, not 34 MB of values or 30 MB of text.
        self.assertLess(max(after, before), 48 * 1024, "KiB")


class Events(traces.Traces):
    def document(self, path, *options):
        out, err = self.written("export", path, "--what", "events", *options)
        self.assert_clean(out.decode())
        return json.loads(out, object_pairs_hook=self.unique), err

    def test_every_event_has_what_its_phase_needs(self):
        for mode in "plain", "bare", "hostile", "html", "one":
            document, _ = self.document(self.trace(mode))
            self.assertEqual(document["displayTimeUnit"], "ms")
            named = set()
            for event in document["traceEvents"]:
                self.assertIn(event["ph"], "MXiC")
                self.assertEqual(event["pid"], 1)
                self.assertIsInstance(event["name"], str)
                if event["ph"] == "M" and event["name"] == "thread_name":
                    named.add(event["tid"])
                if event["ph"] != "M":
                    self.assertGreaterEqual(event["ts"], 0)
                if event["ph"] in "Xi":
                    self.assertIn(event["tid"], named, "a track without a name")
                if event["ph"] == "C":
                    self.assertEqual([type(v) for v in event["args"].values()], [int])

    def test_pauses(self):
        document, _ = self.document(self.trace("plain"))
        events = document["traceEvents"]
        tracks = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
        pauses = [e for e in events if e["ph"] == "X"]
        self.assertEqual([tracks[p["tid"]] for p in pauses], ["Young"] * 9 + ["Full"])
        for i, pause in enumerate(pauses):
            self.assertEqual(pause["dur"], 1000.0 * (i + 1))
            self.assertEqual(pause["ts"] + pause["dur"], 1e6 * (i + 1), "ends at its event")
            self.assertEqual(pause["args"]["Cause"], "Allocation Failure")
            self.assertEqual(pause["args"]["Used after"], MIB + i * 4096)
            self.assertEqual(pause["args"]["place"], 2 * i + 2)
        self.assertEqual(len([e for e in events if e["ph"] == "i"]), 10, "the starts")
        used = [e["args"]["bytes"] for e in events if e["ph"] == "C" and e["name"] == "Heap used"]
        self.assertEqual(used[:3], [4 * MIB, 5 * MIB, MIB])
        self.assertEqual({e["args"]["bytes"] for e in events if e["name"] == "Heap committed"},
                         {7 * MIB})

    def test_the_process_is_the_server(self):
        document, _ = self.document(self.trace("html"))
        names = [e["args"]["name"] for e in document["traceEvents"] if e["name"] == "process_name"]
        self.assertEqual(names, ["<script>alert(1)</script>"])

    def test_range(self):
        document, _ = self.document(self.trace("plain"), "--from", "3", "--to", "4")
        self.assertEqual(len([e for e in document["traceEvents"] if e["ph"] in "Xi"]), 2)
        self.assertEqual(document["otherData"]["events"], "2")


class Sites(traces.Traces):
    def sites(self, path, *options):
        return self.json("export", path, "--what", "sites", *options)

    def test_the_last_profile_before_a_moment(self):
        path = self.trace("plain")
        grow = lambda document: {s["class"]: s["bytes"] for s in document["sites"]}[
            "java.lang.String"]
        self.assertEqual(grow(self.sites(path)), 6000000)
        self.assertEqual(grow(self.sites(path, "--at", "20")), 6000000)
        self.assertEqual(grow(self.sites(path, "--at", "6")), 600000)
        self.assertEqual(grow(self.sites(path, "--at", "3.5s")), 600000)
        self.assertEqual(self.sites(path, "--kind", "allocated")["profile"]["kind"], "allocated")

    def test_gcspy_sites_takes_a_trace(self):
        path = self.trace("plain")
        for format in "text", "collapsed", "svg", "html", "json":
            self.assertEqual(self.gcspy("sites", path, "--format", format),
                             self.gcspy("export", path, "--what", "sites", "--format", format))
        self.assertNotEqual(self.gcspy("sites", path), self.gcspy("sites", path, "--at", "3"))

    def test_a_profile_is_kept_whole(self):
        path, kept = self.trace("plain"), self.path("kept.sites")
        self.gcspy("export", path, "--what", "sites", "--format", "gcspy", "-o", kept)
        self.assertEqual(self.gcspy("sites", kept), self.gcspy("sites", path))

    def test_compared_with_another_trace(self):
        document = self.json("sites", self.trace("grown"), "--base", self.trace("plain"))
        changes = {(c["after"] or c["before"])["class"]: c["bytes_change"]
                   for c in document["changes"]}
        self.assertEqual(changes["java.lang.String"], 6000000)

    def test_no_profile(self):
        path = self.trace("one")
        self.assertIn("(--live)", self.gcspy("sites", path, code=1))
        err = self.gcspy("export", self.trace("plain"), "--what", "sites", "--kind", "recent",
                         code=1)
        self.assertIn("--garbage=recent", err)
        self.assertIn("up to event 1 ", self.gcspy("sites", self.trace("plain"), "--at", "1",
                                                  code=1))

    def test_a_damaged_profile_gives_way_to_the_one_before(self):
        path = self.trace("plain")
        with open(path, "rb") as file:
            data = file.read()
        heads = [i for i in range(len(data)) if data[i:i + 6] == b"GCSk\x03\x00"]
        self.assertEqual(len(heads), 4)
        self.damaged(path, heads[2] + 70, 4)
        out, err = self.written("sites", path, "--format", "json")
        self.assertIn("using an earlier one", err)
        bytes_of = {s["class"]: s["bytes"] for s in json.loads(out)["sites"]}
        self.assertEqual(bytes_of["java.lang.String"], 600000)


class Faults(traces.Traces):
    def refused(self, expected, *arguments, code=2):
        err = self.gcspy("export", *arguments, code=code)
        for words in expected.split(" & "):
            self.assertIn(words, err)

    def test_usage(self):
        path = self.trace("plain")
        self.refused("FILE", code=2)
        self.refused("--what & summary, stream, events", path)
        self.refused("--what & all & summary, stream, events or sites", path, "--what", "all")
        self.refused("--space NAME and --stream NAME", path, "--what", "stream")
        self.refused("\"Heap\" & \"Regions\", \"TLABs\"", path, "--what", "stream", "--space",
                     "Heap", "--stream", "Used")
        self.refused("\"Color\" & \"Type\", \"Used\"", path, "--what", "stream", "--space",
                     "Regions", "--stream", "Color")
        self.refused("--space and --stream are for", path, "--what", "events", "--space", "TLABs")
        self.refused("for --what sites", path, "--what", "events", "--kind", "live")
        self.refused("--kind & dead & recent", path, "--what", "sites", "--kind", "dead")
        self.refused("not for --what sites", path, "--what", "sites", "--from", "1")
        self.refused("--from & 1 to 20", path, "--what", "summary", "--from", "21")
        for value in "x", "-1", "1e3", "", "1.5", "2..s":
            self.refused("--to", path, "--what", "summary", "--to=" + value)
        self.assertIn("not a trace", self.gcspy("sites", "3000", "--at", "1", code=2))

    def test_suffix_of_another_format(self):
        path = self.trace("plain")
        stream = ("--space", "Regions", "--stream", "Used")
        for what, bad, good, rest in (("events", ".csv .tsv .txt .html .pb.gz", ".json .trace", ()),
                                      ("summary", ".csv .json .svg", ".tsv .txt .x", ()),
                                      ("stream", ".json .csv", ".tsv", stream)):
            for suffix in bad.split():
                out = self.path(what + suffix)
                self.refused(f"-o {out} & --what {what} writes & .json & .tsv", path, "--what", what, *rest,
                             "-o", out)
                self.assertFalse(os.path.exists(out))
            for suffix in good.split():
                out = self.path(what + suffix)
                self.gcspy("export", path, "--what", what, *rest, "-o", out)
                self.assertTrue(os.path.exists(out))

    def test_files(self):
        missing = self.path("none.gcspy")
        self.refused(missing, missing, "--what", "summary", code=1)
        with open(missing, "wb") as file:
            file.write(b"GCSPROF1 and more, so that it is long enough for a head of 64 bytes......")
        self.refused("not a GCspy trace", missing, "--what", "sites", code=1)
        self.refused("cannot write", self.trace("plain"), "--what", "summary", "-o",
                     self.path("no/such/folder"), code=1)

    def test_empty(self):
        self.refused("no whole event", self.trace("long", 0), "--what", "summary", code=1)

    def test_a_reader_that_goes_away(self):
        path = self.trace("long", 3000)
        for what in "summary", "events":
            process = subprocess.Popen([support.GCSPY, "export", path, "--what", what],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdout.read(10)
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"")
            process.stderr.close()
            self.assertEqual(process.wait(), -signal.SIGPIPE)

    def test_damage_is_said_and_the_rest_is_written(self):
        path = self.trace("long", 2000)
        size = os.path.getsize(path)
        self.damaged(path, size // 3)
        for what in "summary", "events":
            out, err = self.written("export", path, "--what", what)
            self.assertRegex(err, r"^gcspy: warning: .* is damaged: \d+ of 2000 events could not")
            lost = int(err.split("damaged: ")[1].split()[0])
            self.assertTrue(0 < lost < 2000)
            if what == "summary":
                self.assertEqual(out.count(b"\n"), 1 + 2000 - lost)
            else:
                document = json.loads(out)
                self.assertEqual(len([e for e in document["traceEvents"] if e["ph"] == "X"]),
                                 int(document["otherData"]["events"]))
                self.assertEqual(document["otherData"]["unreadable"], str(lost))

    def test_a_file_without_an_end(self):
        path = self.trace("long", 2000)
        self.cut(path, os.path.getsize(path) * 2 // 3)
        out, _ = self.written("export", path, "--what", "summary")
        self.assertTrue(100 < out.count(b"\n") < 2000)


if __name__ == "__main__":
    support.main()
