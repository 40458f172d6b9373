"""`gcspy sites` and `gcspy set`: options, errors, files (S6, S8). The formats: test_export.py."""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))

import gcspy_wire as wire  # noqa: E402
import pprof  # noqa: E402
import support  # noqa: E402


class Files(support.Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def saved(self, name="kept.sites", *options, mode="plain"):
        path = self.path(name)
        with support.profiles(mode) as server:
            self.gcspy("sites", server.port, *options, "-o", path)
        return path


class Sites(Files):
    def sites(self, *options):
        with support.profiles() as server:
            return self.json("sites", server.port, *options)

    def classes(self, *options):
        return [(s["class"], s["bytes"]) for s in self.sites(*options)["sites"]]

    def test_live_is_what_comes_without_an_option(self):
        with support.profiles() as server:
            self.assertEqual(self.gcspy("sites", server.port),
                             self.gcspy("sites", server.port, "--live"))

    def test_kinds(self):
        for option, kind in (("--live", "live"), ("--garbage=recent", "recent"),
                             ("--garbage=frequent", "frequent"), ("--allocated", "allocated")):
            self.assertEqual(self.sites(option)["profile"]["kind"], kind)

    def test_filters(self):
        self.assertEqual(self.classes("--class", "^java\\.util\\.(Array|Linked)List$"),
                         [("java.util.ArrayList", 100000)])
        self.assertEqual(self.classes("--class", "BYTE"), [])
        self.assertEqual([b for _, b in self.classes("--thread", "^worker")], [200000, 40000])
        self.assertEqual([b for _, b in self.classes("--min-age", "1")], [800000])
        self.assertEqual([b for _, b in self.classes("--min-age", "3")], [600000])
        self.assertEqual([b for _, b in self.classes("--top", "2")], [800000, 100000])
        self.assertEqual(self.sites("--top", "2")["sites_left_out"], 1)

    def test_plumbing(self):
        def first(*options):
            document = self.sites(*options)
            return [f["method"] for f in support.frames(document, document["sites"][0])]
        self.assertEqual(first(), ["run", "main"])
        self.assertEqual(first("--all-frames"), ["JVM_NewArray", "run", "invoke", "main"])

    def test_text(self):
        with support.profiles() as server:
            text = self.gcspy("sites", server.port, "--class", "byte")
        self.assertIn("Live by call site: Profile server\n"
                      "2026-01-02 03:04:05 UTC: at the last collection\n", text)
        self.assertIn("Selected by class ~ byte: 820 KiB \u00b1 8.95 KiB in about 8,400 objects, "
                      "2 call sites\n", text)
        self.assertIn("Interval 64 KiB; 76 samples of about 4.77 MiB allocated since 2026", text)
        self.assertIn("Samples: 4 tracked, 72 died in 12 collections, 0 dropped, 0 lost, 0 without call site", text)
        self.assertIn("estimates", text)
        self.assertRegex(text, r"(?m)^    1     781 KiB   8.73 KiB    95 %        8,000          3"
                               r"        2    2.5  byte\[\]\n"
                               r"            app.Work.run \(File.java:20\)\n"
                               r"            app.Main.main \(File.java:10\)\n")
        self.assertIn("[no Java frames]", text)

    def test_text_has_twenty_sites_unless_told(self):
        large = self.path("large.sites")
        subprocess.run([support.PROFILE_SERVER, "large", large], check=True)
        ranks = re.findall(r"(?m)^ {0,4}(\d+)  ", self.gcspy("sites", large))
        self.assertEqual(ranks, [str(i + 1) for i in range(20)])
        ranks = re.findall(r"(?m)^ {0,4}(\d+)  ", self.gcspy("sites", large, "--top", 30))
        self.assertEqual(len(ranks), 30)

    def test_bad_usage(self):
        for expected, *options in (
                ("exclude each other", "--live", "--allocated"),
                ("expected recent or frequent", "--garbage", "old"),
                ("from 1 to 1000000", "--top", "0"),
                ("--min-age", "--min-age", "-1"),
                ("--class \"(\" is not a regular expression", "--class", "("),
                ("--thread \"[a\" is not a regular expression", "--thread", "[a"),
                ("expected text, collapsed, svg, html, pprof, json or gcspy", "--format", "xml"),
                ("died at each age", "--allocated", "--min-age", "2"),
                ("keeps the whole profile", "--format", "gcspy", "--class", "x"),
                ("expected text, collapsed or json", "--base", "x", "-o", "x.svg")):
            # Said before anything is asked of a server: nobody listens there.
            self.assertIn(expected, self.gcspy("sites", "127.0.0.1:1", *options, code=2))

    def test_a_file_that_is_not_there(self):
        """What looks like a file's name is not taken for an address."""
        for command in (["sites"], ["sites", "--at", "5s"], ["stats"]):
            for name in "nosuch.gcspy", "nosuch.sites", "./nosuch", "no/such":
                err = self.gcspy(command[0], name, *command[1:], code=1)
                self.assertEqual(err, "gcspy: %s: No such file or directory\n" % name)

    def test_errors_of_servers(self):
        for mode, expected in (("off", "sampling of allocations is off; `gcspy set %s interval=512k` "
                                       "turns it on"),
                               ("empty", "no samples of that kind yet (--live): at the last collection"), ("old", "answers no queries"), ("broken", "cannot be read")):
            with support.profiles(mode) as server:
                err = self.gcspy("sites", server.port, code=1)
                self.assertIn("gcspy: %s: " % server.port, err)
                self.assertIn(expected % server.port if "%s" in expected else expected, err)
        with support.profiles("silent") as server:
            self.assertIn("no answer within 3 s",
                          self.gcspy("sites", server.port, "--timeout", "3", code=1))

    def test_nothing_live_is_no_error(self):
        """A collection found all samples dead: an answer, however soon after it."""
        with support.profiles("dead") as server:
            text = self.gcspy("sites", server.port, "--live")
            self.assertIn("survived young collection 41", text)
            self.assertIn("No samples.", text)
            document = self.json("sites", server.port)
            self.assertEqual(document["sites"], [])
            self.assertIn("no samples", self.gcspy("sites", server.port, "--garbage", "recent", code=1))

    def test_nothing_selected_is_no_error(self):
        with support.profiles() as server:
            self.assertIn("No samples.", self.gcspy("sites", server.port, "--class", "nosuch"))


class Judged(Files):
    """Live is what has survived a collection; new objects are never added to it."""

    def sites(self, *options):
        with support.profiles("judged") as server:
            return self.json("sites", server.port, *options)

    def text(self, *options):
        with support.profiles("judged") as server:
            return self.gcspy("sites", server.port, *options)

    def test_live_leaves_new_out(self):
        found = self.sites()
        self.assertEqual((found["total"]["bytes"], found["total"]["new_bytes"]), (800000, 0))
        self.assertEqual(len(found["sites"]), 1)
        self.assertEqual(found["profile"]["judged"],
                         {"number": 41, "time": 1767323043000000000, "collection": "Young"})
        found = self.sites("--with-new")
        self.assertEqual((found["total"]["bytes"], found["total"]["new_bytes"]), (800000, 140000))
        self.assertEqual([(s["bytes"], s["new_bytes"]) for s in found["sites"]],
                         [(800000, 0), (0, 100000), (0, 40000)])
        found = self.sites("--allocated")["sites"][0]
        self.assertEqual((found["bytes"], found["live_bytes"], found["new_bytes"]),
                         (800000, 200000, 100000))

    def test_heads(self):
        text = self.text("--with-new")
        self.assertIn("\nLive: survived young collection 41 at 03:04:03; old objects judged by full "
                      "collection 3 at 03:03:35\n781 KiB \u00b1", text)
        self.assertIn("\nAlso 137 KiB \u00b1 3.65 KiB not collected yet (new), in about 1,400 "
                      "objects\nSamples cover 781 KiB of 1.91 MiB used (40 %); objects older than the "
                      "sampling (since 03:03:05) are\nnot seen; gcspy histogram", text)
        self.assertRegex(text, r"(?m) Age         New  Class, call site$")
        self.assertNotIn("New", self.text())
        text = self.text("--allocated")
        self.assertIn("Of that 229 KiB are live, and 115 KiB not collected yet (new)", text)
        self.assertRegex(text, r"(?m) Age        Live         New  Class, call site$")
        with support.profiles() as server:
            self.assertIn("Live includes what was allocated since", self.gcspy("sites", server.port))

    def test_totals_after_sampling(self):
        """No object is tracked any more: what is live is not 0, but not known."""
        with support.profiles("judged") as server:
            self.gcspy("set", server.port, "interval=0")
            text = self.gcspy("sites", server.port, "--allocated")
            found = self.json("sites", server.port, "--allocated")
            path = self.path("off.pprof")
            self.gcspy("sites", server.port, "--allocated", "-o", path)
            page = self.gcspy("sites", server.port, "--allocated", "--format", "html")
        self.assertIn("\nLive: not known, sampling is off", text)
        self.assertIn("\nSamples: none tracked any more, 72 died in 12 collections before, ", text)
        self.assertNotRegex(text, "not collected yet|Of that| Live  | New  ")
        for site in found["total"], *found["sites"]:
            self.assertEqual([site[k + u] for k in ("live_", "new_") for u in ("bytes", "objects")],
                             [None] * 4)
        profile = pprof.Profile(open(path, "rb").read())
        self.assertEqual([t for t, _ in profile.types], ["alloc_objects", "alloc_space"])
        self.assertIn('<td data-value="-1">-</td>', page)
        self.assertNotIn("<th>New</th>", page)

    def test_other_formats(self):
        self.assertEqual(self.text("--format", "collapsed", "--with-new"),
                         "app.Main.main;app.Work.run;byte[] 800000\n"
                         "[not_collected_yet];app.Main.main;java.util.ArrayList 100000\n"
                         "[not_collected_yet];byte[] 40000\n")
        svg = self.text("--format", "svg", "--with-new")
        self.assertNotIn("ArrayList", svg)
        self.assertIn("not collected yet (new)", svg)
        self.assertIn("<th>New</th>", self.text("--format", "html", "--with-new"))
        self.assertNotIn("<th>New</th>", self.text("--format", "html"))
        path = self.path("out.pprof")
        self.text("-o", path, "--with-new")
        profile = pprof.Profile(open(path, "rb").read())
        self.assertEqual([t for t, _ in profile.types],
                         ["inuse_objects", "inuse_space", "new_objects", "new_space"])
        self.assertEqual(sum(v[3] for _, v, _ in profile.samples), 140000)

    def test_growth_needs_a_collection_between(self):
        path = self.saved(mode="judged")
        with support.profiles("judged") as server:
            text = self.gcspy("sites", server.port, "--base", path)
            document = self.json("sites", server.port, "--base", path)
            self.assertIn("--with-new with --base",
                          self.gcspy("sites", server.port, "--base", path, "--with-new", code=2))
        self.assertIn("not known: no collection between: young collection 41 at 03:04:03 judged both\n",
                      text)
        self.assertNotRegex(text, r"byte\[\]|A minute|\xb1")
        self.assertEqual((document["total"], document["changes"]), (None, []))
        self.assertIn("no collection between", document["not_known"])

    def test_rows(self):
        for by, rows in (("class", [("byte[]", None)]), ("thread", [("byte[]", None)] * 2),
                         ("frame", [("byte[]", "app.Work.run (File.java:20)")])):
            found = self.sites("--by", by)
            self.assertEqual([(s["class"], s["own_frame"]) for s in found["sites"]], rows)
        for by, heading in (("site", "Class, call site"), ("class", "Class"), ("frame", "Class, frame"),
                            ("thread", "Thread"), ("package", "Package")):
            self.assertRegex(self.text("--by", by), rf"(?m)^ Rank  .*  {heading}$\n +1  ")
        self.assertIn("Live by thread: ", self.text("--by", "thread"))
        self.assertRegex(self.text("--by", "thread"), r"(?m)  main$")
        frames = self.sites("--by", "frame", "--library", "app.Work", "--library", "org.")
        self.assertEqual(frames["sites"][0]["own_frame"], "app.Main.main (File.java:10)")
        self.assertRegex(self.text("--library", "app.Work"),
                         r"(?m)  byte\[\]  from app.Main.main \(File.java:10\)$")
        self.assertIn("expected site, class, frame, thread or package", self.gcspy("sites", "1", "--by", "x",
                                                                          code=2))

    def test_places_and_sizes(self):
        for kind in ("--live", "--garbage=recent", "--garbage=frequent", "--allocated"):
            path = self.saved("judged%s.sites" % kind, kind, mode="judged")
            found = self.json("sites", path, "--where", "old")
            self.assertEqual(found["total"]["bytes"], 600000, kind)
            self.assertEqual(self.json("sites", path, "--where", "humongous")["total"]["bytes"], 200000)
            # What is at a place says nothing of the whole heap.
            covers = "Samples cover" in self.gcspy("sites", path)
            self.assertEqual(covers, kind == "--live")
            self.assertNotIn("Samples cover", self.gcspy("sites", path, "--where", "old"))
            with support.profiles("judged") as server:
                if kind != "--live":
                    found = self.json("sites", server.port, kind, "--where", "humongous")
                    self.assertEqual(found["total"]["bytes"], 200000, kind)
        text = self.gcspy("sites", path, "--min-size", "100k")
        self.assertIn("Selected by objects of 64 KiB or more (rounded down: totals keep sizes by "
                      "powers of two from 1 KiB):\n586 KiB", text)
        self.assertIn("Old", self.gcspy("sites", path, "--where", "nowhere", code=2))
        live = self.saved("live.sites", mode="judged")
        self.assertEqual(self.json("sites", live, "--where", "range=0x13000-0x13001")["total"]["bytes"],
                         600000)
        self.assertIn("tile=", self.gcspy("sites", live, "--where", "tile=0x13000", code=2))
        self.assertEqual(self.json("sites", live, "--min-size", "101")["sites"], [])

    def test_collection(self):
        with support.profiles("judged") as server:
            self.assertEqual(self.gcspy("gc", server.port),
                             "Collection 1: the program was paused for 2.5 ms\n")
            self.assertEqual(self.json("gc", server.port)["collection"],
                             {"collection": "1", "pause": "2500000"})
            self.assertEqual(self.sites("--gc")["total"]["bytes"], 800000)
        with support.profiles("off") as server:
            err = self.gcspy("gc", server.port, code=1)
            self.assertEqual(err, "gcspy: %s: a replay collects nothing\n" % server.port)
            self.assertEqual(err, self.gcspy("sites", server.port, "--gc", code=1))
        self.assertIn("--gc: %s is a file" % self.saved(),
                      self.gcspy("sites", self.path("kept.sites"), "--gc", code=2))


class Places(Files):
    """S8: the call sites of a part of the heap, and the tiles of a call site."""

    def test_where(self):
        with support.profiles() as server:
            self.assertIn("Selected by place old, class ~ byte: 820 KiB",
                          self.gcspy("sites", server.port, "--where", "old", "--class", "byte"))
            err = self.gcspy("sites", server.port, "--where", "nowhere", code=1)
            self.assertIn("no live samples are there (--where nowhere)", err)
        path = self.saved()
        self.assertIn("does not say where objects are",
                      self.gcspy("sites", path, "--where", "old", code=2))

    def test_numbers_are_those_of_the_protocol(self):
        with support.profiles() as server:
            for options in ((), ("--all-frames",), ("--allocated",)):
                document = self.json("sites", server.port, *options)
                for site in document["sites"]:
                    self.assertEqual(int(site["site"], 16), wire.site_number(site["class"], [
                        (f["class"], f["method"], f["file"], f["line"],
                         f["frame_kind"].upper().replace(" ", "_")) for f in support.frames(document, site)]))
            text = self.gcspy("sites", server.port)
            numbers = [s["site"] for s in self.json("sites", server.port)["sites"]]
        self.assertEqual(re.findall(r"\[site (\w+)\]", text), numbers)
        self.assertEqual(len(set(numbers)), len(numbers))

    def test_tiles(self):
        with support.profiles() as server:
            text = self.gcspy("tiles", server.port, "--site", "0123456789ab")
            found = self.json("tiles", server.port, "--site", "0123456789AB")
        self.assertIn("Call site 0123456789ab\nnow\n5 KiB ± 2 KiB in 4 samples, of which 4 KiB ± 1.5 "
                      "KiB in 3 have a position in 2 tiles; 1 of them approximate\n", text)
        self.assertRegex(text, r"(?m)^ +3 KiB +1 KiB  60\.0 % +2 +1  "
                               "0x00007f0000000000-0x00007f0000100000  "
                               "Hum\\?\\[31mongous\n +1 KiB +512 B  20\\.0 % +1 +0  "
                               "0x0000000000010000-0x0000000000020000  Old$")
        # ± ends where its values do.
        head, first, second = text.splitlines()[-3:]
        self.assertEqual(head.index("±"), first.index("1 KiB") + 4)
        self.assertEqual(head.index("±"), second.index("512 B") + 4)
        self.assertEqual((found["site"], found["bytes"], found["placed"]), ("0123456789ab", 5120, 3))
        self.assertEqual((found["bytes_error"], found["placed_bytes_error"]), (2048, 1536))
        self.assertEqual([(t["start"], t["end"], t["bytes"], t["bytes_error"])
                          for t in found["tiles"]],
                         [("0x10000", "0x20000", 1024, 512),
                          ("0x7f0000000000", "0x7f0000100000", 3072, 1024)])

    def test_tiles_of_an_older_server(self):
        """It sends no errors: they are not known, rather than 0."""
        with support.profiles("older") as server:
            text = self.gcspy("tiles", server.port, "--site", "0123456789ab")
            found = self.json("tiles", server.port, "--site", "0123456789ab")
        self.assertIn("5 KiB in 4 samples, of which 4 KiB in 3 have", text)
        self.assertRegex(text, r"(?m)^ +3 KiB          –  60\.0 % +2 +1  0x")
        self.assertEqual((found["bytes_error"], found["placed_bytes_error"],
                          [t["bytes_error"] for t in found["tiles"]]), (None, None, [None, None]))

    def test_tiles_that_cannot_be(self):
        for expected, *words in (("12 hexadecimal", "--site", "12"),
                                 ("12 hexadecimal", "--site", "0123456789ag")):
            self.assertIn(expected, self.gcspy("tiles", "127.0.0.1:1", *words, code=2))
        with support.profiles("older") as server:
            self.assertIn("--site NUMBER is missing", self.gcspy("tiles", server.port, code=2))
        for mode, expected in (("off", "sampling of allocations is off"), ("broken", "cannot be read"),
                               ("old", "answers no queries")):
            with support.profiles(mode) as server:
                self.assertIn(expected, self.gcspy("tiles", server.port, "--site", "0123456789ab",
                                                   code=1))


class Kept(Files):
    def test_a_file_reads_like_its_server(self):
        path = self.saved()
        with open(path, "rb") as file:
            self.assertEqual(file.read(8), b"GCSPROF1")
        with support.profiles() as server:
            for options in ((), ("--format", "json"), ("--class", "List"), ("--format", "svg")):
                self.assertEqual(self.gcspy("sites", path, *options),
                                 self.gcspy("sites", server.port, *options))

    def test_the_kind_is_the_files(self):
        path = self.saved("kept.sites", "--allocated")
        self.assertIn("Allocated by call site", self.gcspy("sites", path))
        self.gcspy("sites", path, "--allocated")
        self.assertIn("--live: the profile in", self.gcspy("sites", path, "--live", code=2))
        self.assertIn("died at each age", self.gcspy("sites", path, "--min-age", 1, code=2))

    def test_bad_files(self):
        path = self.saved()
        with open(path, "rb") as file:
            good = file.read()
        bad = self.path("bad.sites")
        for content, expected in ((b"", "not a profile file of GCspy"), (b"GCSPROF2" + good[8:], "not a profile file"),
                                  (good[:-9], "ends before"), (good + b"x", "continues"),
                                  (b"GCSPROF1" + b"\xff" * 50, "cannot be read"),
                                  (good[:8] + good[8:40] + b"\0" * 40, "cannot be read")):
            with open(bad, "wb") as file:
                file.write(content)
            err = self.gcspy("sites", bad, code=1)
            self.assertIn(bad, err)
            self.assertIn(expected, err)
        self.assertIn("No such file", self.gcspy("sites", self.path("nosuch.sites"), code=1))

    def test_difference(self):
        before, after = self.saved("before.sites"), self.saved("after.sites")
        text = self.gcspy("sites", after, "--base", before)
        self.assertIn("+0 B \u00b1", text)
        other = self.path("hostile.sites")
        with support.profiles("hostile") as server:
            self.gcspy("sites", server.port, "-o", other)
            document = self.json("sites", server.port, "--base", before)
        self.assertEqual(document["total"]["bytes_change"],
                         sum(1000 + i for i in range(1, 8)) - 800000, "what survived")
        changes = [c["bytes_change"] for c in document["changes"]]
        self.assertEqual(changes, sorted(changes, reverse=True))
        gone = [c for c in document["changes"] if c["after"] is None]
        self.assertEqual([c["bytes_change"] for c in gone], [-800000])
        folded = self.gcspy("sites", other, "--base", before, "--format", "collapsed")
        self.assertIn("app.Main.main;app.Work.run;byte[] 800000 0\n", folded)
        for base, said in ((before, r"\Agcspy: --base is a profile of another program: "
                                    r'"Profile server", not "[ -~\u0080-\uffff]*"\n\Z'), (other, r"\A\Z")):
            done = subprocess.run([support.GCSPY, "sites", other, "--base", base], check=True,
                                  capture_output=True, timeout=60)
            self.assertRegex(done.stderr.decode(), said)
        allocated = self.saved("allocated.sites", "--allocated")
        self.assertIn("--base: the profile in",
                      self.gcspy("sites", after, "--base", allocated, code=2))
        self.assertIn("No such file", self.gcspy("sites", after, "--base", "/nosuch", code=1))


class Output(Files):
    def test_format_follows_the_name(self):
        path = self.saved()
        for name, begin in (("a.svg", b"<?xml"), ("a.html", b"<!DOCTYPE html>"), ("a.htm", b"<!DOC"),
                            ("a.json", b"{"), ("a.pb.gz", b"\x1f\x8b"), ("a.pprof", b"\x1f\x8b"),
                            ("a.collapsed", b"app.Main"), ("a.folded", b"app.Main"),
                            ("a.sites", b"GCSPROF1"), ("a.txt", b"Live"), ("a", b"Live")):
            self.assertEqual(self.gcspy("sites", path, "-o", self.path(name)), "")
            with open(self.path(name), "rb") as file:
                self.assertTrue(file.read().startswith(begin), name)
        self.gcspy("sites", path, "--output=" + self.path("b.svg"), "--format", "json")
        with open(self.path("b.svg"), "rb") as file:
            self.assertTrue(file.read().startswith(b"{"))

    def test_other_commands(self):
        """Chains and counts too; a name of what a command does not write is refused."""
        with support.profiles("ended") as server:
            for name, begin in (("c.svg", b"<?xml"), ("c.html", b"<!DOC"), ("c.json", b"{"),
                                ("c.folded", b"(the"), ("c.txt", b"1 MiB"), ("c", b"1 MiB")):
                self.gcspy("paths", server.port, "--class", "x", "-o", self.path(name))
                with open(self.path(name), "rb") as file:
                    self.assertTrue(file.read().startswith(begin), name)
            self.gcspy("paths", server.port, "--class", "x", "-o", self.path("c.svg"), "--format", "text")
            with open(self.path("c.svg"), "rb") as file:
                self.assertTrue(file.read().startswith(b"1 MiB"))
            for command, name, words in (("paths", "d.pprof", "pprof, only text, collapsed, svg, html, json"),
                                         ("paths", "d.sites", "gcspy, only text"),
                                         ("histogram", "d.svg", "svg, only text, json, gcspy")):
                self.assertIn("does not write " + words,
                              self.gcspy(command, server.port, "-o", self.path(name), code=2))
                self.assertFalse(os.path.exists(self.path(name)))

    def test_whole_or_not_at_all(self):
        path, target = self.saved(), self.path("out.json")
        with open(target, "w", encoding="utf-8") as file:
            file.write("old")
        os.chmod(target, 0o640)
        os.symlink(target, self.path("link.json"))
        self.gcspy("sites", self.path("link.json"), code=1)
        self.gcspy("sites", path, "-o", self.path("link.json"))
        self.assertTrue(os.path.islink(self.path("link.json")))
        self.assertEqual(os.stat(target).st_mode & 0o777, 0o640)
        with open(target, encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("{"))
        # A limit of the size of files stands for a full disk.
        done = subprocess.run(["sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh",
                               support.GCSPY, "sites", path, "-o", self.path("link.json"),
                               "--format", "html"], stderr=subprocess.PIPE, timeout=support.LIMIT,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rb"\Agcspy: cannot write [^\n]*\n\Z")
        with open(target, encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("{"), "the old file")
        self.assertEqual(sorted(os.listdir(self.folder)), ["kept.sites", "link.json", "out.json"],
                         "no temporary file is left")

    def test_places_that_cannot_be_written(self):
        path = self.saved()
        for place in self.path("nosuch/out.svg"), self.folder, "/dev/full":
            self.assertIn("cannot write " + place, self.gcspy("sites", path, "-o", place, code=1))

    def test_pipe(self):
        done = subprocess.run([support.GCSPY, "sites", self.saved(), "-o", "/dev/stdout"],
                              stdout=subprocess.PIPE, timeout=support.LIMIT, check=True)
        self.assertIn(b"Live by call site", done.stdout)


class Set(support.Case):
    def test_list_and_change(self):
        with support.profiles() as server:
            self.assertEqual(self.gcspy("set", server.port), "interval=65536\nnote=?[31mred\n")
            self.assertEqual(self.gcspy("set", server.port, "interval=512"), "interval is 512\n")
            self.assertIn("interval=512\n", self.gcspy("set", server.port))

    def test_errors(self):
        with support.profiles() as server:
            self.assertIn("%s: unknown setting \"colour\"; available:" % server.port,
                          self.gcspy("set", server.port, "colour=red", code=1))
            for setting in "interval", "=5", "", "k" * 300 + "=1":
                self.assertIn("expected KEY=VALUE", self.gcspy("set", server.port, setting, code=2))
            self.assertIn("extra argument", self.gcspy("set", server.port, "a=b", "c=d", code=2))
        with support.profiles("silent") as server:
            self.assertIn("no answer", self.gcspy("set", server.port, "--timeout", 3, code=1))


if __name__ == "__main__":
    support.main()
