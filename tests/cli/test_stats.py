"""`gcspy stats` and `gcspy diff` (F23): pages, JSON against figures computed here, damage, errors."""

import os
import re
import signal
import subprocess

import support

GOLDEN = os.path.join(support.DOCS, "..", "tests", "golden", "stats")
MIB = 1 << 20


class Traces(support.MadeTraces):
    def golden(self, name, text):
        path = os.path.join(GOLDEN, name)
        if os.environ.get("GCSPY_UPDATE_GOLDEN"):
            os.makedirs(GOLDEN, exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(text, file.read(),
                             "looked at and right? GCSPY_UPDATE_GOLDEN=1 writes it anew")


class Stats(Traces):
    def stats(self, mode="plain", *options):
        return self.json("stats", self.made(mode), *options)

    def test_page(self):
        text = self.gcspy("stats", self.made("plain"))
        self.assert_fits(text)
        self.golden("plain.txt", text.replace(self.folder, "FOLDER"))

    def test_pauses(self):
        pauses = self.stats()["pauses"]
        # Pauses of 1 to 10 ms; the last one is the full one. The first event is 990 ms after the beginning.
        self.assertAlmostEqual(pauses["all"].pop("share"), 55 / 9010)
        self.assertEqual(pauses["all"], {
            "name": "all", "count": 10, "total": 55000000, "mean": 5500000,
            "min": 1000000, "median": 5000000, "p90": 9000000, "p99": 10000000, "max": 10000000,
            "max_event": 20})
        self.assertEqual([(p["name"], p["count"]) for p in pauses["by_kind"]],
                         [("Young", 9), ("Full", 1)])
        self.assertEqual([p["name"] for p in pauses["by_cause"]], ["Allocation Failure"])

    def test_heap_and_rates(self):
        stats = self.stats()
        after = stats["heap"]["used_after"]
        self.assertEqual((after["count"], after["first"], after["last"]), (10, MIB, MIB + 9 * 4096))
        self.assertAlmostEqual(after["trend"], 4096 * 3600)
        rates = stats["rates"]
        self.assertAlmostEqual(rates["allocation"]["per_second"], 4 * MIB + 4096)
        self.assertEqual(rates["allocation"]["intervals"], 9)
        # 128 KiB in each young collection but the first, which has no interval before it.
        self.assertEqual(rates["promotion"]["bytes"], 8 * 128 * 1024)
        self.assertAlmostEqual(rates["promotion"]["per_second"], 8 * 128 * 1024 / 9)
        self.assertLess(rates["allocation"]["per_second_error"], 1, "all intervals are alike")
        sampled = rates["allocation_sampled"]
        self.assertAlmostEqual(sampled["per_second"], 5e6)
        # The root of the samples between the profiles, one in 1 KiB, each worth 1 KiB.
        samples = int(50e6 / 1024) - int(5e6 / 1024)
        self.assertAlmostEqual(sampled["per_second_error"], 1024 * samples ** 0.5 / 9)
        waste = rates["tlab_waste"]
        self.assertEqual((waste["at_refills"], waste["at_collections"], waste["collections"]),
                         (1240, 1000, 10))
        self.assertAlmostEqual(waste["share"], 9 * 224 / (9 * (4 * MIB + 4096)))

    def test_call_sites(self):
        sites = self.stats()["call_sites"]
        self.assertEqual([s["class"] for s in sites["live"]["largest"]],
                         ["java.lang.String", "byte[]", "int[]"])
        self.assertEqual(sites["live"]["largest"][0]["stack"], ["app.Work.grow (Work.java:10)"])
        self.assertEqual(sites["growth"]["seconds"], 9)
        self.assertEqual([c["bytes_change"] for c in sites["growth"]["grew"]], [5400000])
        self.assertEqual([c["bytes_change"] for c in sites["growth"]["shrank"]], [-72000])

    def test_parts(self):
        path = self.made("plain")
        for options, first, last in ((("--from", "5"), 5, 20), (("--to", "5"), 1, 5),
                                     (("--from", "2s", "--to", "4.5s"), 5, 10),
                                     (("--from", "0s", "--to", "1h"), 1, 20),
                                     (("--from", "0.05m"), 7, 20),
                                     # The first event is at 03:04:05.990.
                                     (("--from", "2026-01-02T03:04:07Z"), 4, 20),
                                     (("--to", "2026-01-02T03:04:06.995Z"), 1, 3)):
            found = self.json("stats", path, *options)["recording"]
            self.assertEqual((found["first_event"], found["last_event"]), (first, last), options)
        # The profiles lie behind events 2 and 20.
        self.assertIn("only one profile", self.json("stats", path, "--from", "6")
                      ["call_sites"]["growth"]["not_recorded"])

    def test_what_is_not_there_has_a_reason(self):
        text = self.gcspy("stats", self.made("bare"))
        self.assert_fits(text)
        self.golden("bare.txt", text.replace(self.folder, "FOLDER"))
        stats = self.stats("bare")
        for part in (stats["pauses"], *[stats["heap"][k] for k in ("used_after", "used", "committed",
                                                                   "fragmentation")],
                     *stats["rates"].values(), *stats["call_sites"].values()):
            self.assertEqual(list(part), ["not_recorded"])
            self.assertTrue(part["not_recorded"])

    def test_a_program_without_collections(self):
        """Has no rows about them; JSON has the reasons."""
        path = os.path.join(self.folder, "counted.gcspy")
        subprocess.run([os.environ["TRACE_SHAPES"], "counted", path], check=True, timeout=support.LIMIT)
        text = self.gcspy("stats", path)
        self.assert_fits(text)
        for words in "Pauses", "Used after", "Committed", "Fragmentation", "Promotion", "TLABs", "\nHeap":
            self.assertNotIn(words, text)
        self.assertRegex(text, r"(?m)^  Collections +-  no event has attributes of any")
        self.assertRegex(text, r"(?m)^Rates\n  Allocation, by samples  ")
        stats = self.json("stats", path)
        for part in stats["pauses"], stats["heap"]["committed"], stats["rates"]["promotion"]:
            self.assertEqual(list(part), ["not_recorded"])

    def test_hostile_names_do_not_steer_a_terminal(self):
        path = self.made("hostile")
        self.assert_fits(self.gcspy("stats", path))
        self.assert_fits(self.gcspy("diff", self.made("plain"), path, "--all"))
        stats = self.json("stats", path)
        self.assertEqual(stats["server"], "\x1b[31mred")
        self.assertIn("un\x1b[2Jcommitted", stats["heap"]["fragmentation"]["not_recorded"])

    def damage(self, path, place):
        with open(path, "r+b") as file:
            file.seek(place)
            byte = file.read(1)[0]
            file.seek(place)
            file.write(bytes([byte ^ 255]))

    def test_damage_is_told(self):
        path = self.made("long")
        whole = self.json("stats", path)["recording"]
        self.assertEqual((whole["snapshots"], whole["unreadable"], whole["gaps"]), (1600, 0, 0))
        self.damage(path, os.path.getsize(path) // 2)
        stats = self.json("stats", path)
        part = stats["recording"]
        self.assertGreater(part["unreadable"], 0)
        self.assertEqual(part["snapshots"] + part["unreadable"], 1600)
        self.assertEqual(part["gaps"], 1)
        self.assertEqual([e["recorded"] + e["unseen"] for e in stats["events"]], [800, 800, 0])
        # What does not come from one side of the gap to the other is as it was.
        self.assertAlmostEqual(stats["rates"]["allocation"]["per_second"], 4 * MIB + 4096)
        self.assertRegex(self.gcspy("stats", path), r"Unreadable +%d  events" % part["unreadable"])

    def test_a_trace_without_its_end(self):
        path = self.made("plain")
        said = "Unfinished: the file has no end"
        self.assertNotIn(said, self.gcspy("stats", path))
        self.assertIs(self.json("stats", path)["recording"]["unfinished"], False)
        os.truncate(path, os.path.getsize(path) - 30)
        self.assertIn(said, self.gcspy("stats", path))
        recording = self.json("stats", path)["recording"]
        self.assertIs(recording["unfinished"], True)
        self.assertEqual(recording["snapshots"], 20)
        self.damage(path, 300)
        self.assertIn("no event can be read", self.gcspy("stats", path, code=1))

    def test_server(self):
        with support.toy() as server:
            stats = self.json("stats", server.port, "--events", 5)
            self.assertEqual(stats["recording"]["snapshots"], 5)
            self.assertEqual(stats["recording"]["gaps"], 0)
            self.assertIsNone(stats["recording"]["unfinished"], "no file")
            self.assertEqual(stats["source"], server.port)
            self.assertIn("no event has an attribute \"Pause\"", stats["pauses"]["not_recorded"])
            text = self.gcspy("stats", server.address, "--seconds", "0.3")
            self.assert_fits(text)
            past = self.json("stats", "2002:" + server.address, "--events", 5)
            self.assertEqual(past["recording"]["snapshots"], 5)
            self.assertEqual([s["name"] for s in past["spaces"]],
                             [s["name"] for s in stats["spaces"]])
        with support.profiles() as server:
            stats = self.json("stats", server.port, "--seconds", "0.2")
            slow = self.json("stats", server.port, "--seconds", "0.7")
            # The time in which nothing happens counts, too: it is what somebody waited for.
            self.assertGreaterEqual(slow["recording"]["wall"], 0.7)
            self.assertEqual(stats["call_sites"]["live"]["largest"][0]["class"], "byte[]")

    def test_a_server_that_ends_leaves_figures(self):
        with support.toy() as server:
            before = self.sockets(server)
            process = self.start("stats", server.port, "--seconds", 60)
            self.connected(server, before)
            self.count(server)
            subprocess.run(["sleep", "0.5"], check=True)
            server.process.kill()
            out, err = process.communicate(timeout=support.LIMIT)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn(b"the figures end there", err)
        self.assertRegex(out, rb"Snapshots +[1-9]")

    def test_errors(self):
        path = self.made("plain")
        for expected, *options in (
                ("events 1 to 20", "--from", "21"), ("events 1 to 20", "--to", "0"),
                ("an event's number", "--from", "soon"), ("an event's number", "--to", "5x"),
                ("an event's number", "--from", "2026-13-02T03:04:07Z"),
                ("an event's number", "--from", ""), ("no event from", "--from", "9", "--to", "8"),
                ("no event from", "--from", "2h"), ("is a file", "--seconds", "1"),
                ("is a file", "--events", "1")):
            self.assertIn(expected, self.gcspy("stats", path, *options, code=2))
        for expected, *options in (("is no file, and stats of an ADDRESS needs --seconds N or --events N",),
                                   ("for traces", "--from", "1", "--events", "2")):
            self.assertIn(expected, self.gcspy("stats", "127.0.0.1:1", *options, code=2))
        self.assertIn("cannot connect", self.gcspy("stats", "127.0.0.1:1", "--events", 1, code=1))
        other = os.path.join(self.folder, "other")
        with open(other, "w", encoding="utf-8") as file:
            file.write("something else, and long enough to have a head of sixty-four bytes or more")
        self.assertIn(other, self.gcspy("stats", other, code=1))
        self.assertIn("/nosuch", self.gcspy("stats", self.folder + "/nosuch", code=1))
        self.assertIn("two trace files", self.gcspy("diff", path, code=2))
        self.assertIn("two trace files", self.gcspy("diff", code=2))
        self.assertIn("extra argument", self.gcspy("diff", path, path, path, code=2))
        self.assertIn(other, self.gcspy("diff", path, other, code=1))


class Fired(Traces):
    """F17: the triggers that fired in a recording, of tests/wire/wire_server.c."""

    def test_when_which_and_what_they_did(self):
        path = os.path.join(self.folder, "fired.gcspy")
        with support.Server(os.environ["WIRE_SERVER"], 0, 20, 0, 0, "-", "-") as server:
            recorder = self.start("record", server.port, "-o", path)
            self.connected(server, 1)
            self.gcspy("trigger", server.port, "tick > 0", "--most", 3, "--plugin", "walk", "--name", "each")
            holder = self.start("trigger", server.port, "parity = odd", "--do", "pause", "--name", "<odd>",
                                "--nth", 2)
            self.line(holder)
            self.gcspy("resume", server.port)
            self.line(holder)  # what it says
            holder.send_signal(signal.SIGINT)
            holder.wait(support.LIMIT)
            recorder.send_signal(signal.SIGINT)
            self.assertEqual(recorder.wait(support.LIMIT), 0)
        each, odd = self.json("stats", path)["triggers"]
        self.assertEqual({k: each[k] for k in ("name", "condition", "plugin", "fires", "pause", "record")},
                         {"name": "each", "condition": "tick > 0", "plugin": "walk", "fires": 3,
                          "pause": False, "record": False})
        self.assertLess(each["first_event"], each["last_event"])
        self.assertLess(each["first_time"], each["last_time"])
        self.assertEqual((odd["name"], odd["pause"], odd["plugin"]), ("<odd>", True, ""))
        text = self.gcspy("stats", path)
        self.assertRegex(text, r"(?m)^Triggers that fired\n  each +3  times, from event %d, 20[^,]*, to "
                         r"event %d, 20.*\n +tick > 0\n +asked walk\n  <odd> .*\n +parity = odd\n"
                         r" +paused the program\n" % (each["first_event"], each["last_event"]))
        page = os.path.join(self.folder, "page.html")
        self.gcspy("report", path, "-o", page)
        with open(page, encoding="utf-8") as file:
            table = re.search(r'<table id="triggers">.*?</table>', file.read(), re.S).group(0)
        for words in (">each<", ">&lt;odd&gt;<", ">tick &gt; 0<", ">asked walk<", ">paused the program<",
                      "<td>%d, 20" % each["first_event"]):
            self.assertIn(words, table)
        self.assertNotIn("Triggers that fired", self.gcspy("stats", self.made("plain")))


class Diff(Traces):
    def test_page(self):
        text = self.gcspy("diff", self.made("plain"), self.made("grown"), "--all")
        self.assert_fits(text)
        self.golden("diff.txt", text.replace(self.folder, "FOLDER"))

    def test_equal_traces_differ_in_nothing(self):
        path = self.made("plain")
        text = self.gcspy("diff", path, path, "--all")
        self.assertEqual(re.findall(r"%$", text, re.M), [])
        self.assertEqual(text.count("(nothing)"), 4)
        document = self.json("diff", path, path)
        changed = [f for f in document["figures"] if f["change"] != 0]
        self.assertEqual([f for f in changed if f["before"] is not None or f["after"] is not None], [])
        self.assertLess(len(changed), len(document["figures"]) / 4)

    def test_figures_are_those_of_stats(self):
        plain, grown = self.made("plain"), self.made("grown")
        figures = {(f["section"], f["subject"], f["name"]): f
                   for f in self.json("diff", plain, grown)["figures"]}
        for path, side in (plain, "before"), (grown, "after"):
            stats = self.json("stats", path)
            for key, value in (
                    (("pauses", "", "p90"), stats["pauses"]["all"]["p90"]),
                    (("pauses by kind", "Full", "max"), stats["pauses"]["by_kind"][1]["max"]),
                    (("heap after collection", "", "mean"), stats["heap"]["used_after"]["mean"]),
                    (("promotion", "", "per second"), stats["rates"]["promotion"]["per_second"]),
                    (("streams, over tiles", "Regions / Used", "mean"),
                     stats["spaces"][0]["streams"][1]["tiles"]["mean"])):
                self.assertEqual(figures[key][side], value)
        p90 = figures["pauses", "", "p90"]
        self.assertEqual((p90["change"], p90["relative"], p90["unit"]), (9000000, 1, "ns"))
        unseen = figures["events", "GC start", "not recorded"]
        self.assertEqual((unseen["before"], unseen["relative"]), (0, None))

    def test_verdict(self):
        """At most twelve lines, each with its significance; the rest comes with --all."""
        plain, grown = self.made("plain"), self.made("grown")
        text = self.gcspy("diff", plain, grown)
        lines = text.split("\n\n", 1)[1].rstrip("\n").split("\n")
        self.assertLessEqual(len(lines), 12)
        self.assertEqual(lines[:4], [
            "  Pauses: 1.11/s, before 1.11/s (not significant, 0.0 errors)",
            "  Mean pause: 11 ms, before 5.5 ms (significant, 2.6 errors)",
            # From 8 KiB above to 24 KiB below 4 MiB, in steps of 4 KiB, against 4 KiB above.
            "  Allocation: 3.99 MiB/s, before 4 MiB/s (significant, 4.4 errors)",
            # The mean of 10 values 8 KiB apart, against 4 KiB apart.
            "  Heap after collections: 1.04 MiB, before 1.02 MiB (significant, 2.1 errors)"])
        self.assertEqual(lines[4], "  Live +5.72 MiB (significant, 54.1 errors): java.lang.String "
                                   "at app.Work.grow (Work.java:10)")
        self.assertTrue(lines[5].startswith("  Allocated +586 KiB/s (significant, "), lines[5])
        self.assertTrue(self.gcspy("diff", plain, grown, "--all").startswith(text))
        self.assertIn("  Live: not known: no profile of live objects was recorded\n",
                      self.gcspy("diff", plain, self.made("bare")))

    def test_old_recordings_do_not_tell_what_is_live(self):
        """Live objects that no collection has judged are most of them garbage: no growth."""
        plain, old = self.made("plain"), self.made("old")
        why = "live includes what was allocated since the last collection"
        for pair in (plain, old), (old, plain), (old, old):
            text = " ".join(self.gcspy("diff", *pair).split())
            self.assertIn("Live: not known: " + why, text)
            self.assertNotIn("Live +", text)
            self.assertNotIn("Live -", text)
            live = self.json("diff", *pair)["call_sites"]["live"]
            self.assertEqual(list(live), ["not_recorded"])
            self.assertIn(why, live["not_recorded"])
        text = " ".join(self.gcspy("diff", plain, old, "--all").split())
        self.assertIn("after: not known: " + why, text)
        self.assertNotIn("before: not known: " + why, text)
        self.assertIn("Allocated +586 KiB/s", text, "that is compared")
        self.assertIn("Live " + why[5:], self.gcspy("stats", old).replace("\n    ", " "))
        self.assertNotIn("Live " + why[5:], self.gcspy("stats", plain))

    def test_call_sites_in_both_directions(self):
        plain, grown = self.made("plain"), self.made("grown")
        there = self.json("diff", plain, grown)["call_sites"]["live"]
        self.assertEqual([c["bytes_change"] for c in there["grew"]], [6000000])
        self.assertEqual(there["shrank"], [])
        back = self.json("diff", grown, plain)["call_sites"]["live"]
        self.assertEqual([c["bytes_change"] for c in back["shrank"]], [-6000000])

    def test_what_only_one_has(self):
        plain, bare = self.made("plain"), self.made("bare")
        text = self.gcspy("diff", plain, bare, "--all")
        self.assert_fits(text)
        self.assertIn("after: not known: no event with its pause was recorded", text)
        figures = {(f["section"], f["subject"], f["name"]): f
                   for f in self.json("diff", bare, plain)["figures"]}
        young = figures["pauses by kind", "Young", "count"]
        self.assertEqual((young["before"], young["after"]), (None, 9))
        self.assertEqual(young["before_not_recorded"], "nothing of that name")
        self.assertIn("no profile", self.json("diff", bare, plain)["call_sites"]["live"]["not_recorded"])


class Wide(Traces):
    NAME = ("com.example.warehouse.inventory.persistence.transactional.optimistic."
            "OrderLineRepositoryWithAuditTrailAndRetries")

    def test_nothing_is_cut_on_a_wide_terminal(self):
        folder = os.path.join(self.folder, "with-a-name-" * 9)
        os.mkdir(folder)
        path = os.path.join(folder, "wide.gcspy")
        os.rename(self.made("wide"), path)
        plain = self.made("plain")
        for command in (("stats", path), ("diff", plain, path), ("diff", plain, path, "--all")):
            narrow, wide = self.terminal(80, *command), self.terminal(240, *command)
            self.assertIn("…", narrow, "it is laid out for 100 columns")
            self.assertNotIn(self.NAME, narrow)
            self.assertLessEqual(max(map(len, narrow.split("\n"))), 100)
            self.assertIn(self.NAME, wide)
            self.assertIn(path, wide)
            self.assertNotIn("…", wide)
            self.assertLessEqual(max(map(len, wide.split("\n"))), 240)
            self.assertEqual(wide, self.gcspy(*command), "nor in a file")
        # A table of call sites is never cut.
        for columns in 80, 240:
            self.assertEqual(self.terminal(columns, "sites", path), self.gcspy("sites", path))
        self.assertIn(self.NAME, self.gcspy("sites", path))


class Documents(Traces):
    def test_every_key_is_documented(self):
        with open(os.path.join(support.DOCS, "stats.md"), encoding="utf-8") as file:
            rows = [line for line in file if line.startswith("|")]
        known = {key for row in rows for key in re.findall(r"`(\w+)`", row)}

        def walk(value, named):
            for key, inner in value.items() if isinstance(value, dict) else []:
                if not named:
                    self.assertIn(key, known)
                walk(inner, key == "info")
            for inner in value if isinstance(value, list) else []:
                walk(inner, False)

        plain = self.made("plain")
        walk(self.json("stats", plain), False)
        walk(self.json("stats", self.made("bare")), False)
        walk(self.json("diff", plain, self.made("bare")), False)


if __name__ == "__main__":
    support.main()
