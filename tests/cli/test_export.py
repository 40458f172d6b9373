"""The formats of `gcspy sites`, each read by a reader of its own (S6, E2), with plain and with hostile
names; docs/sites.md has every key."""

import gzip
import html
import json
import os
import re
import resource
import subprocess
import tempfile
import xml.etree.ElementTree

import pprof
import support

SVG = "{http://www.w3.org/2000/svg}"
MODES = ["plain", "hostile"]
KINDS = ["--live", "--garbage=recent", "--garbage=frequent", "--allocated"]


class Formats(support.Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def bytes_of(self, mode, form, *options):
        path = os.path.join(self.folder, "out")
        with support.profiles(mode) as server:
            self.gcspy("sites", server.port, "--format", form, "-o", path, *options)
        with open(path, "rb") as file:
            return file.read()

    def text_of(self, mode, form, *options):
        return self.bytes_of(mode, form, *options).decode("utf-8")

    def assert_clean(self, text, also=""):
        """No control character but line ends, none that turns the direction of writing."""
        for c in text:
            self.assertTrue(c == "\n" or c in also or
                            (ord(c) >= 0x20 and not 0x7f <= ord(c) < 0xa0 and
                             not 0x202a <= ord(c) <= 0x202e and not 0x2066 <= ord(c) <= 0x2069),
                            repr(c))


class Collapsed(Formats):
    def stacks(self, *arguments):
        """What flamegraph.pl and its kind make of it: the weight is after the last blank."""
        stacks = {}
        text = self.text_of(arguments[0], "collapsed", *arguments[1:])
        self.assert_clean(text)
        for line in text.split("\n")[:-1]:
            match = re.match(r"^(.*)\s+?(\d+(?:\.\d*)?)$", line)
            self.assertIsNotNone(match, line)
            self.assertIsNone(re.match(r"^(.*)\s+?(\d+(?:\.\d*)?)$", match.group(1)),
                              "a second number is a difference")
            frames = match.group(1).split(";")
            self.assertTrue(all(frames), line)
            stacks[tuple(frames)] = int(match.group(2))
        return stacks

    def test_plain(self):
        self.assertEqual(self.stacks("plain"), {
            ("app.Main.main", "app.Work.run", "byte[]"): 800000,
            ("app.Main.main", "java.util.ArrayList"): 100000,
            ("byte[]",): 40000})

    def test_hostile(self):
        stacks = self.stacks("hostile", "--all-frames")
        self.assertEqual(sorted(stacks.values()), [1000 + i for i in range(8)])
        self.assertEqual(sorted(len(s) for s in stacks), [i + 2 for i in range(8)])


class Pictures(Formats):
    def frames(self, root):
        group = [g for g in root.iter(SVG + "g") if g.get("id") == "flame-frames"][0]
        found = []
        for g in group:
            rect = g.find(SVG + "rect")
            found.append((g.find(SVG + "title").text, float(rect.get("x")), float(rect.get("y")),
                          float(rect.get("width")), g.find(SVG + "text").text or ""))
        return found

    def parse(self, mode, form, *options):
        text = self.text_of(mode, form, *options)
        self.assert_clean(text)
        self.assertNotIn("alert(1)</script>", text)
        return text, xml.etree.ElementTree.fromstring(text)

    def check_layout(self, frames, width=1200):
        """Nothing beyond the edges, nothing over its neighbour, children within their callers."""
        rows = {}
        for _, x, y, w, label in frames:
            self.assertGreaterEqual(x, 11.99)
            self.assertLessEqual(x + w, width - 11.98)
            self.assertLessEqual(len(label) * 7.22 + 4, max(w, 0.1) if label else 1e9)
            rows.setdefault(y, []).append((x, x + w))
        for row in rows.values():
            row.sort()
            for (_, end), (begin, _) in zip(row, row[1:]):
                self.assertLessEqual(end, begin + 0.02)

    def test_svg(self):
        for mode in MODES:
            for kind in KINDS:
                text, root = self.parse(mode, "svg", kind, "--all-frames")
                self.assertEqual(root.tag, SVG + "svg")
                frames = self.frames(root)
                self.check_layout(frames)
                self.assertEqual(len(list(root.iter(SVG + "script"))), 1)
                self.assertNotIn("href", text)
                self.assertIn(".flame:root { max-width: 100%; height: auto; }", text)
                height = float(root.get("height"))
                for y in (float(e.get("y")) for e in root.iter() if (e.get("y") or "").isdigit()):
                    self.assertLess(y, height)

    def test_titles(self):
        _, root = self.parse("plain", "svg")
        titles = [f[0] for f in self.frames(root)]
        self.assertEqual(titles[0].split("\n")[0], "all")
        self.assertIn("app.Work.run\n781 KiB \u00b1 8.73 KiB (85 %), about 8,000 objects \u00b1 3, 2 "
                      "samples\n781 KiB by itself", titles)

    def test_html(self):
        for mode in MODES:
            text, root = self.parse(mode, "html")
            self.check_layout(self.frames(root))
            rows = [r for r in root.iter() if r.tag.endswith("}tr")]
            self.assertEqual(len(rows), 1 + self.site_count(mode))
            columns = {len(list(r)) for r in rows}
            self.assertEqual(len(columns), 1, "as many cells as heads")
            self.assertIn("standard error", text)
            for src in re.findall(r"<(?:script|link|img)[^>]*>", text):
                self.assertEqual(src, "<script>", "needs no other file")

    def site_count(self, mode):
        return len(json.loads(self.text_of(mode, "json"))["sites"])

    def test_notes_name_what_is_missing(self):
        for form in "svg", "html", "text":
            text = self.text_of("hostile", form)
            text = html.unescape(re.sub(r"</text>\s*<text[^>]*>|\n", " ", text))
            for words in ("5 samples are not tracked", "6 samples were lost",
                          "7 samples have no call site"):
                self.assertIn(words, text)


class Pprof(Formats):
    def test_live(self):
        profile = pprof.Profile(self.bytes_of("plain", "pprof"))
        self.assertEqual(profile.types, [("inuse_objects", "count"), ("inuse_space", "bytes")])
        self.assertEqual(profile.default_type, "inuse_space")
        self.assertEqual((profile.period_type, profile.period), (("space", "bytes"), 65536))
        self.assertEqual(profile.time, 1767323045000000000)
        main = ("app.Main.main", "File.java", 10)
        work = ("app.Work.run", "File.java", 20)
        self.assertEqual(profile.samples, [
            ([work, main], [6000, 600000], {"class": "byte[]", "thread": "main"}),
            ([work, main], [2000, 200000], {"class": "byte[]", "thread": "worker-*"}),
            ([main], [1000, 100000], {"class": "java.util.ArrayList", "thread": "main"}),
            ([("[no Java frames]", "", 0)], [400, 40000],
             {"class": "byte[]", "thread": "worker-*"})])

    def test_kinds(self):
        for kind in "--garbage=recent", "--garbage=frequent":
            profile = pprof.Profile(self.bytes_of("plain", "pprof", kind))
            self.assertEqual([t for t, _ in profile.types], ["alloc_objects", "alloc_space"])
        profile = pprof.Profile(self.bytes_of("plain", "pprof", "--allocated"))
        self.assertEqual([t for t, _ in profile.types],
                         ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"])
        self.assertEqual(profile.default_type, "alloc_space")
        self.assertEqual(profile.samples[0][1], [6000, 600000, 1500, 150000])

    def test_hostile(self):
        profile = pprof.Profile(self.bytes_of("hostile", "pprof", "--all-frames"))
        self.assertEqual(sum(values[1] for _, values, _ in profile.samples), 8028)
        for text in profile.strings:
            self.assert_clean(text)
        self.assertEqual(max(len(frames) for frames, _, _ in profile.samples), 8)


class Json(Formats):
    def test_figures(self):
        document = json.loads(self.text_of("plain", "json", "--allocated"))
        self.assertEqual(document["format"], 2)
        self.assertEqual(document["profile"]["allocated_bytes"], 5000000)
        self.assertEqual(document["total"]["bytes"], 940000)
        first = document["sites"][0]
        self.assertEqual((first["bytes"], first["bytes_error"]), (800000, 8944))
        self.assertEqual((first["objects"], first["objects_error"], first["samples"]), (8000, 3, 6))
        self.assertEqual((first["mean_age"], first["mean_lifetime_bytes"]), (2.5, 2500))
        self.assertEqual((first["live_bytes"], first["live_objects"]), (200000, 2000))
        self.assertEqual(document["survival_buckets"],
                         ["0", "1", "2", "3-4", "5-8", "9-16", "17-64", "65+"])
        self.assertEqual(first["survival"], [0, 150000, 0, 450000, 0, 0, 0, 0])
        frame = document["stacks"][first["stack"]]
        self.assertIsNotNone(frame.pop("caller"))
        self.assertEqual(frame, {"class": "app.Work", "method": "run", "file": "File.java",
                                 "line": 20, "frame_kind": "java"})
        self.assertIs(document["stacks_cut"], False)

    def test_hostile(self):
        text = self.text_of("hostile", "json", "--all-frames")
        self.assert_clean(text)
        document = json.loads(text, object_pairs_hook=self.unique)
        names = {s["class"] for s in document["sites"]}
        self.assertIn("<script>alert(1)</script>", names)
        self.assertIn("\u6f22\u5b57\u6f22\u5b57.\u96fb\u8133", names)
        self.assertIn("L" * 4095, names)

    def test_every_key_is_documented(self):
        with open(os.path.join(support.DOCS, "sites.md"), encoding="utf-8") as file:
            known = set(re.findall(r"^\| `(\w+)`", file.read(), re.M))
        base = os.path.join(self.folder, "base.sites")
        with support.profiles() as server:
            self.gcspy("sites", server.port, "-o", base)
            texts = [self.gcspy("sites", server.port, "--format", "json"),
                     self.gcspy("sites", server.port, "--format", "json", "--base", base)]
        seen = set()

        def walk(value):
            for key, inner in value.items() if isinstance(value, dict) else []:
                self.assertIn(key, known)
                seen.add(key)
                walk(inner)
            for inner in value if isinstance(value, list) else []:
                walk(inner)

        for text in texts:
            walk(json.loads(text))
        self.assertGreater(len(seen), 40)


class Plumbing(support.Case):
    def test_the_table_is_the_documented_one(self):
        table = os.path.join(support.DOCS, "..", "protocol", "profile", "runtime_frames.c")
        with open(table, encoding="utf-8") as file:
            rules = re.findall(r'\{RUNTIME_FRAME_\w+, "([^"]+)",\s+"([^}]*)"\}', file.read())
        with open(os.path.join(support.DOCS, "sites.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| `([^`]+)` \| [^|]* \| ([^|]*) \|$", file.read(), re.M)
        self.assertEqual(rows, rules)
        self.assertGreaterEqual(len(rules), 10)


class Text(Formats):
    def test_hostile_names_do_not_steer_a_terminal(self):
        self.assert_clean(self.text_of("hostile", "text", "--all-frames"))


class Large(Formats):
    def test_hundred_thousand_sites_in_seconds(self):
        path = os.path.join(self.folder, "large.sites")
        subprocess.run([support.PROFILE_SERVER, "large", path], check=True)
        for form in "text", "collapsed", "svg", "html", "pprof", "json":
            out = os.path.join(self.folder, "out")
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.gcspy("sites", path, "--format", form, "-o", out)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
            print("%s: %.2f s, %d bytes" % (form, seconds, os.path.getsize(out)))
            # Of one processor, whatever else the machine does. JSON repeats each frame's file and
            # line at each site, which makes 200 MB here.
            self.assertLess(seconds, 16 if form == "json" else 6, form)


if __name__ == "__main__":
    support.main()
