"""`gcspy report` (F23, V8): the page read by parsers of XML, HTML and PNG that are not ours; how the
traces look is told in trace_maker.c and trace_shapes.c."""

import base64
import html.parser
import os
import pty
import re
import shutil
import struct
import subprocess
import unittest
import xml.etree.ElementTree
import zlib

import support
import traces

XHTML, SVG = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
MODES = ["plain", "grown", "hostile", "bare", "html", "one"]
SECTIONS = ["suspects", "figures", "charts", "pictures", "history", "sites", "missing"]


class Terminal(support.Case):
    def test_no_page_in_a_terminal(self):
        ours, theirs = pty.openpty()
        done = subprocess.run([support.GCSPY, "report", "any.gcspy"], stdout=theirs,
                              stderr=subprocess.PIPE, timeout=support.LIMIT, check=False)
        os.close(theirs)
        self.addCleanup(os.close, ours)
        self.assertEqual((done.returncode, done.stderr),
                         (2, b"gcspy: report writes HTML, which is not for a terminal; "
                             b"-o FILE writes to a file\n"))


class Tags(html.parser.HTMLParser):
    """The elements as a browser sees them, which does not know that the page is XML."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.problems = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(tag)


def pixels(uri):
    """Width, height, rows of palette numbers, and the palette with alpha, of an indexed PNG."""
    data = base64.b64decode(uri.split("data:image/png;base64,")[1], validate=True)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == \
            zlib.crc32(kind + body)
        chunks[kind] = body
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, colour) == (8, 3)
    raw = zlib.decompress(chunks[b"IDAT"])
    assert len(raw) == (width + 1) * height
    rows = []
    for y in range(height):
        line = raw[y * (width + 1):(y + 1) * (width + 1)]
        assert line[0] == 0
        rows.append(line[1:])
    palette = [tuple(chunks[b"PLTE"][i:i + 3]) for i in range(0, len(chunks[b"PLTE"]), 3)]
    alphas = list(chunks[b"tRNS"])
    return width, height, rows, [c + (a,) for c, a in zip(palette, alphas)]


class Pages(traces.Traces):
    def page(self, path, *options):
        """Text and tree; whatever the page is of, it is whole, clean, and alone in the world."""
        out = self.path("report.html")
        self.gcspy("report", path, "-o", out, *options)
        with open(out, encoding="utf-8") as file:
            text = file.read()
        self.assert_clean(text)
        root = xml.etree.ElementTree.fromstring(text)
        tags = Tags(text)
        self.assertEqual((tags.problems, tags.open), ([], []))
        self.check_alone(tags)
        self.assertEqual([s.get("id") for s in root.iter(XHTML + "section")], SECTIONS)
        ids = [e.get("id") for e in root.iter() if e.get("id")]
        self.assertEqual(len(ids), len(set(ids)), "each id once")
        return text, root

    def check_alone(self, tags):
        for tag, attributes in tags.tags:
            self.assertNotIn(tag, ("link", "iframe", "object", "embed", "base", "form"))
            for key, value in attributes.items():
                self.assertFalse(key.startswith("on"), "%s of %s" % (key, tag))
                if key in ("src", "href"):
                    self.assertRegex(value, r"^(#[a-z]+$|data:image/png;base64,)")
        self.assertEqual([t for t, _ in tags.tags].count("script"), 3)

    def section(self, root, name):
        found = [s for s in root.iter(XHTML + "section") if s.get("id") == name][0]
        return found, re.sub(r"\s+", " ", "".join(found.itertext()))

    def charts(self, root):
        return {s.get("aria-label"): s for s in root.iter(SVG + "svg") if s.get("aria-label")}


class Parts(Pages):
    def test_every_trace_makes_a_page(self):
        for mode in MODES:
            text, root = self.page(self.trace(mode))
            self.assertLess(len(text), 300000, mode)
            for element in root.iter():
                for key in ("x", "y", "width", "height", "points", "d"):
                    self.assertNotRegex(element.get(key) or "", "nan|inf", mode)

    def test_head(self):
        _, root = self.page(self.trace("plain"))
        self.assertEqual(root.find(".//" + XHTML + "h1").text, "Hand made")
        facts = [e.text for e in root.find(".//" + XHTML + "dl")]
        self.assertEqual(facts[:4], ["Recorded", "2026-01-02 03:04:05 UTC to "
                                     "2026-01-02 03:04:15 UTC", "Length", "9.01 s, 20 events"])

    def test_figures(self):
        _, root = self.page(self.trace("plain"))
        found, words = self.section(root, "figures")
        rows = {r[0].text: r[1].text for r in found.iter(XHTML + "tr") if len(r) == 3}
        self.assertEqual(rows["Total pause time"], "55 ms")
        self.assertEqual(rows["Longest pause"], "10 ms")
        self.assertEqual(rows["Committed, at the end"], "7 MiB")
        self.assertIn("Young", words)

    def test_suspects(self):
        _, root = self.page(self.trace("plain"))
        _, words = self.section(root, "suspects")
        self.assertIn("growth of call sites (it takes 3 profiles of live objects, each judged by "
                      "another collection; 2 were recorded)", words)
        self.assertIn("Full collections: 1 of them took 10 ms", words)
        self.assertRegex(words, "Checked and in order: .*no pause stands out")
        _, root = self.page(self.trace("long", 2000))
        _, words = self.section(root, "suspects")
        self.assertIn("Long pause: 400 ms, Full, caused by Allocation Failure, at 9.99 s "
                      "(event 1000); half of all pauses took at most 2 ms", words)
        self.assertIn("growth of call sites (no profile of live objects was recorded)", words)
        _, root = self.page(self.trace("bare"))
        self.assertIn("Nothing stands out", self.section(root, "suspects")[1])

    def test_who_allocates_humongous_objects(self):
        """Also those that die: one command, and a line of the report."""
        path = self.trace("humongous")
        _, root = self.page(path)
        _, words = self.section(root, "suspects")
        words = " ".join(words.split())
        # Two of three regions in use, then one of two: 1.5 of 2.5.
        self.assertIn("Humongous objects: 60.0 % of the regions in use", words)
        self.assertIn("Most were allocated as byte[], 5 MiB \u00b1 1.41 KiB of 5 MiB in all, at "
                      "app.Work.big:20 ", words)
        text = self.gcspy("sites", path, "--allocated", "--where", "humongous", "--top", "1")
        self.assertIn("app.Work.big (Work.java:20)", text)
        self.assertNotIn("app.Work.small", text)
        found = self.json("sites", path, "--allocated", "--where", "humongous")
        self.assertEqual([s["bytes"] for s in found["sites"]], [5 << 20])
        # A recording without samples names none.
        _, words = self.section(self.page(self.trace("plain"))[1], "suspects")
        self.assertNotIn("Most were allocated", words)

    def test_call_sites_of_a_tile(self):
        """By the addresses of the profile, and the map at its collection."""
        path = self.trace("humongous")
        for options, mib in (((), 5), (("--at", "1"), 2)):
            for address in "0x10100000", "0x101ffff8":
                found = self.json("sites", path, "--where", "tile=" + address, *options)
                self.assertEqual(found["total"]["bytes"], mib << 20, (options, address))
        self.assertEqual(self.json("sites", path, "--where", "tile=0x10000000")["total"]["bytes"], 1 << 20)
        self.assertEqual(self.json("sites", path, "--where", "tile=0x10300000")["sites"], [])
        self.assertIn("no tile has this address",
                      self.gcspy("sites", path, "--where", "tile=0x10400000", code=2))
        self.assertIn("expected an address", self.gcspy("sites", path, "--where", "tile=x", code=2))
        self.assertIn("has no addresses", self.gcspy("sites", path, "--allocated", "--where",
                                                     "tile=0x10100000", code=2))

    def test_pauses_are_bars(self):
        _, root = self.page(self.trace("plain"))
        chart = self.charts(root)["Length of each pause over time"]
        bars = [g for g in chart.iter(SVG + "g") if (g.get("class") or "").startswith("k")]
        heights = sorted(float(g.find(SVG + "rect").get("height")) for g in bars)
        self.assertEqual(len(heights), 10)
        for i, height in enumerate(heights):
            self.assertAlmostEqual(height / heights[0], i + 1, delta=0.05)
        titles = [g.find(SVG + "title").text for g in bars]
        self.assertIn("Full, 10 ms, Allocation Failure, at 9.01 s, event 20", titles)

    def test_the_heap_is_a_line(self):
        _, root = self.page(self.trace("plain"))
        chart = self.charts(root)["Used and committed bytes of the heap over time"]
        lines = {e.get("class"): [tuple(map(float, p.split(","))) for p in e.get("points").split()]
                 for e in chart.iter(SVG + "polyline")}
        after, before = lines["line after"], lines["line before"]
        self.assertEqual(len(after), 10)
        self.assertEqual(sorted(x for x, _ in after), [x for x, _ in after])
        # 1 MiB stands at an eighth of an axis to 8 MiB.
        self.assertAlmostEqual((222 - after[0][1]) / 210, 1 / 8, delta=0.01)
        self.assertTrue(all(y < after[0][1] for _, y in before), "more was used before")

    def test_the_rate_fills_the_time_between_collections(self):
        _, root = self.page(self.trace("long", 1000), "--to", "51")
        chart = self.charts(root)["Bytes allocated in a second over time"]
        bars = [g.find(SVG + "rect") for g in chart.iter(SVG + "g") if g.get("class") == "rate"]
        self.assertAlmostEqual(len(bars), 800, delta=120, msg="8 of 10 ms; the pauses have none")
        heights = sorted(float(bar.get("height")) for bar in bars)
        # 4 MiB in 8 ms, of an axis to 512 MiB a second.
        self.assertAlmostEqual(heights[0] / 210, 500 / 512, delta=0.01)
        self.assertAlmostEqual(heights[-1] / 210, 500 / 512, delta=0.01)

    def test_a_long_trace_is_thinned_and_says_so(self):
        path = self.trace("long", 20000)
        text, root = self.page(path)
        self.assertLess(len(text), 1500000)
        _, words = self.section(root, "charts")
        self.assertIn("20,000 pauses, in columns of 200 ms: a bar is the longest of its kind", words)
        chart = self.charts(root)["Length of each pause over time"]
        full = [g.find(SVG + "title").text for g in chart.iter(SVG + "g") if
                g.find(SVG + "title") is not None and
                g.find(SVG + "title").text.startswith("Full")]
        self.assertEqual(len(full), 20, "none of the long ones is lost")
        self.assertIn("A row is 23 events, a column 1 tile: the commonest name",
                      self.section(root, "history")[1])

    def test_names_are_text(self):
        for mode in "html", "hostile":
            text, root = self.page(self.trace(mode))
            self.assertNotIn("alert(1)</script>", text)
            self.assertNotIn("<b onload", text)
        _, root = self.page(self.trace("html"))
        self.assertEqual(root.find(".//" + XHTML + "h1").text, "<script>alert(1)</script>")
        _, words = self.section(root, "suspects")
        self.assertIn("Growing: <script>alert(1)</script> grows by 5.72 MiB", words)
        self.assertIn("caused by </script>&amp;\"'", words)

    def test_range(self):
        _, root = self.page(self.trace("plain"), "--from", "5", "--to", "10")
        self.assertIn("6 events", root.find(".//" + XHTML + "dl")[3].text)
        self.assertIn("Only events 4 to 9 of 20 are shown", self.section(root, "missing")[1])

    def test_the_page_goes_to_standard_output(self):
        path = self.trace("plain")
        out, err = self.written("report", path)
        self.assertEqual(err, "")
        self.gcspy("report", path, "-o", self.path("again"))
        with open(self.path("again"), "rb") as file:
            self.assertEqual(file.read(), out, "equal traces make equal pages")

    @unittest.skipUnless(shutil.which("node"), "there is no node")
    def test_scripts_are_scripts(self):
        text, _ = self.page(self.trace("plain"))
        for i, script in enumerate(re.findall(r"<script>(.*?)</script>", text, re.S)):
            with open(self.path("%d.js" % i), "w", encoding="utf-8") as file:
                file.write(script)
            subprocess.run(["node", "--check", file.name], check=True, timeout=support.LIMIT)


class Pictures(Pages):
    COLOURS = {"F": (0x9e, 0xc9, 0xff, 255), "E": (0xe5, 0x7d, 0x1a, 255),
               "O": (0x14, 0xf4, 0xa8, 255)}

    def test_the_history_has_a_row_for_each_event_and_a_column_for_each_tile(self):
        _, root = self.page(self.trace("plain"))
        history, words = self.section(root, "history")
        self.assertIn("A row is an event, a column a tile.", words)
        image = history.find(".//" + SVG + "image")
        width, height, rows, palette = pixels(image.get("href"))
        self.assertEqual((float(image.get("width")), float(image.get("height"))), (width, height))
        self.assertEqual((width % 8, height % 20), (0, 0))
        tile, row = width // 8, height // 20
        for event, types in enumerate(["OEFEEFE-", "OFFFFEF-"] * 10):
            for column, kind in enumerate(types):
                shown = palette[rows[event * row][column * tile]]
                if kind in self.COLOURS:
                    self.assertEqual(shown, self.COLOURS[kind])
                else:
                    self.assertLess(shown[3], 255, "an uncommitted one lets the page through")

    def test_beside_it_stand_summary_and_pauses(self):
        _, root = self.page(self.trace("plain"))
        history, _ = self.section(root, "history")
        line = history.find(".//" + SVG + "polyline").get("points").split()
        self.assertEqual(len(line), 20)
        bars = [p for p in history.iter(SVG + "path") if p.get("class") == "bars"][0]
        self.assertEqual(len(re.findall("M", bars.get("d"))), 10)
        full = [p for p in history.iter(SVG + "path") if p.get("class") == "full"][0]
        self.assertEqual(len(re.findall("M", full.get("d"))), 1)

    def test_maps_of_moments(self):
        _, root = self.page(self.trace("plain"))
        section, words = self.section(root, "pictures")
        titles = [e.text for e in section.iter(XHTML + "h3")]
        self.assertEqual(titles, ["At the beginning", "Where most of the heap was used",
                                  "After the longest pause"])
        self.assertIn("Event 1 at 0 ms, GC start", words)
        self.assertIn("Event 20 at 9.01 s, GC finish, pause 10 ms", words)
        maps = [pixels(e.get("src")) for e in section.iter(XHTML + "img")
                if e.get("class") == "map"]
        self.assertEqual(len(maps), 3)
        for (width, height, rows, palette), types in zip(maps, ["OEFEEFE-", None, "OFFFFEF-"]):
            if types is None:
                continue
            self.assertEqual(height, 14)
            shown = [palette[rows[0][14 * i]] for i in range(8)]
            for colour, kind in zip(shown, types):
                if kind in self.COLOURS:
                    self.assertEqual(colour, self.COLOURS[kind])
                else:
                    self.assertLess(colour[3], 255)

    def test_the_legend_has_the_colours_of_the_maps(self):
        _, root = self.page(self.trace("plain"))
        for name in "pictures", "history":
            legend = [p for p in self.section(root, name)[0].iter(XHTML + "p")
                      if p.get("class") == "legend"][0]
            samples = {e.find(XHTML + "img").tail.strip(): pixels(e.find(XHTML + "img").get("src"))
                       for e in legend}
            self.assertEqual(sorted(samples), ["Eden", "Free", "Old", "uncommitted"])
            for title, (width, height, rows, palette) in samples.items():
                self.assertEqual((width, height), (13, 13))
                corner = palette[rows[0][0]]
                self.assertEqual(corner, self.COLOURS.get(title[0], corner))
            self.assertLess(corner[3], 255, "the last one is unused")

    def test_spaces_of_one_group_are_shown_together(self):
        _, root = self.page(self.trace("wide", 100))
        section, words = self.section(root, "pictures")
        figures = [f for f in section.iter(XHTML + "figure")]
        self.assertEqual(len(figures), 2)
        for figure in figures:
            self.assertEqual([b.text for b in figure.iter(XHTML + "b")], ["Line", "Rest"])
            self.assertEqual(len(list(figure.iter(XHTML + "img"))), 2)
        _, root = self.page(self.trace("plain"))
        self.assertNotIn("TLABs", self.section(root, "pictures")[1], "a list, and not the heap")

    def test_numbers_have_shades_and_wide_spaces_are_put_together(self):
        _, root = self.page(self.trace("wide", 20000))
        history, words = self.section(root, "history")
        self.assertIn("a column 32 tiles: the largest value is shown", words)
        width, height, rows, palette = pixels(history.find(".//" + SVG + "image").get("href"))
        last = rows[-1]
        light = [sum(palette[p][:3]) for p in last]
        self.assertLess(light[0], light[width // 2])
        self.assertLess(light[width // 2], light[-1], "larger numbers are lighter")
        self.assertEqual(palette[rows[0][-1]][3], 0, "there were fewer tiles at first")


class CallSites(Pages):
    def test_graphs_and_tables(self):
        _, root = self.page(self.trace("plain"))
        section, words = self.section(root, "sites")
        graphs = [s.get("id") for s in section.iter(SVG + "svg") if s.get("class") == "flame"]
        self.assertEqual(graphs, ["live", "allocated"])
        tables = [t.get("id") for t in section.iter(XHTML + "table")]
        self.assertEqual(tables, ["growth", "live-table", "allocated-table"])
        growth = [t for t in section.iter(XHTML + "table") if t.get("id") == "growth"][0]
        first = [c.text for c in growth.find(XHTML + "tbody")[0]]
        self.assertEqual(first[0], "5.15 MiB")
        self.assertEqual(first[4], "java.lang.String")
        for name in graphs:
            frames = [g for g in section.iter(SVG + "g") if g.get("id") == name + "-frames"][0]
            self.assertTrue(any("java.lang.String" in (g.find(SVG + "title").text)
                                for g in frames))
        self.assertNotIn("Not known", words)

    def test_without_profiles_the_page_says_why(self):
        _, root = self.page(self.trace("one"))
        _, words = self.section(root, "sites")
        self.assertEqual(words.count("Not known: no profile"), 3)
        _, words = self.section(root, "missing")
        self.assertIn("Live objects by call site: no profile of live objects was recorded", words)


class WithoutCollections(Pages):
    def test_no_rows_about_them(self):
        _, root = self.page(self.trace("counted"))
        for part in "suspects", "figures", "missing":
            _, words = self.section(root, part)
            for name in "no event has an attribute", "Pauses", "TLAB", "Promotion", "Committed":
                self.assertNotIn(name, words)
        self.assertIn("Allocation, from samples", self.section(root, "figures")[1])


class Faults(Pages):
    def test_damage(self):
        path = self.trace("long", 3000)
        self.damaged(path, os.path.getsize(path) // 2)
        _, err = self.written("report", path, "-o", self.path("report.html"))
        self.assertRegex(err, r"^gcspy: warning: .* is damaged: \d+ of \d+ events could not be read")
        lost = int(err.split("damaged: ")[1].split()[0])
        root = xml.etree.ElementTree.parse(self.path("report.html")).getroot()
        _, words = self.section(root, "missing")
        self.assertIn("%d events cannot be read: the file is damaged" % lost, words)
        self.assertRegex(words, r"Damage at byte \d+")

    def test_a_file_without_an_end(self):
        path = self.trace("long", 3000)
        _, root = self.page(path)
        self.assertNotIn("Unfinished", [e.text for e in root.find(".//" + XHTML + "dl")])
        self.cut(path, os.path.getsize(path) // 2)
        _, root = self.page(path)
        self.assertIn("Unfinished", [e.text for e in root.find(".//" + XHTML + "dl")])
        self.assertIn("The file has no end", self.section(root, "missing")[1])

    def test_a_damaged_profile_is_said(self):
        path = self.trace("plain")
        with open(path, "rb") as file:
            data = file.read()
        heads = [i for i in range(len(data)) if data[i:i + 6] == b"GCSk\x03\x00"]
        for head in heads:
            self.damaged(path, head + 70, 4)
        _, root = self.page(path)
        self.assertIn("the profile there cannot be read", self.section(root, "missing")[1])
        self.assertIn("Not known", self.section(root, "sites")[1])

    def test_refusals(self):
        path = self.trace("plain")
        self.assertIn("FILE", self.gcspy("report", code=2))
        self.assertIn("--from", self.gcspy("report", path, "--from", "21", code=2))
        self.assertIn("no whole event", self.gcspy("report", self.trace("long", 0), code=1))
        self.assertIn("cannot write", self.gcspy("report", path, "-o", "/dev/full", code=1))
        self.assertIn("not a GCspy trace", self.gcspy("report", support.GCSPY, code=1))


if __name__ == "__main__":
    support.main()
