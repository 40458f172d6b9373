"""`gcspy why-big` and `gcspy why-slow`: recordings with a known answer, and running servers."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time

import support

LEAK = os.path.join(support.DOCS, "leak.gcspy")
COMMANDS = "why-big", "why-slow"
LINES = 15


class Why(support.MadeTraces):
    def json(self, command, *arguments, **how):
        """What is next are whole commands, with words behind a # alone."""
        document = super().json(command, *arguments, **how)
        if command in COMMANDS and document["next"]:
            commands = document["next"].split("  # ")[0].split("; ")
            for words in map(shlex.split, commands):
                self.assertEqual(words[0], "gcspy", commands)
                self.assertRegex(self.gcspy(words[1], "--help"), f"^gcspy {words[1]} ")
                self.assertFalse([word for word in words if word.endswith(",")], commands)
        return document

    def evidence(self, document, label):
        """The texts with that label, and those that go on from them."""
        texts, current = [], None
        for line in document["evidence"]:
            current = line["label"] or current
            texts += [line["text"]] if current == label else []
        return texts

    def shaped(self, mode):
        path = os.path.join(self.folder, mode + ".gcspy")
        subprocess.run([os.environ["TRACE_SHAPES"], mode, path], check=True, timeout=support.LIMIT)
        return path


class Recordings(Why):
    def test_figures_are_those_of_stats(self):
        for path in LEAK, self.made("plain"), self.made("bare"):
            for command in COMMANDS:
                document = self.json(command, path)
                self.assertEqual(document["figures"], self.json("stats", path))
                text = self.gcspy(command, path)
                self.assertEqual(text.split("\n")[0], document["text"])
                for line in document["evidence"]:
                    self.assertIn(line["text"], text)

    def test_leak(self):
        big = self.json("why-big", LEAK)
        self.assertEqual(big["conclusion"], "grows")
        self.assertIn("byte[] at Shop.visit (Shop.java:55)", big["text"])
        suspect = big["figures"]["call_sites"]["suspects"][0]
        grows = self.evidence(big, "Grows")
        self.assertEqual(len(grows), 1)
        told = re.match(r"\+([\d.]+) MiB/min ± ([\d.]+) MiB", grows[0])
        for text, value in zip(told.groups(), (suspect["per_second"], suspect["per_second_error"])):
            self.assertAlmostEqual(float(text), value * 60 / 2**20, delta=0.005 * float(text) + 0.01)
        # Profiles share their samples: the slope is no surer than what is live.
        self.assertGreaterEqual(suspect["per_second_error"] / suspect["per_second"],
                                0.999 * suspect["bytes_error"] / suspect["bytes"])
        live = self.evidence(big, "Live")
        self.assertEqual(len(live), 4)
        self.assertIn("byte[] at Shop.visit (Shop.java:55)", live[1])
        self.assertIn("not recorded; the agent's option record-histogram does it", big["not_seen"][0])
        self.assertIn("gcspy report", big["next"])

    def test_a_line_that_keeps_several_classes(self):
        """And is reached by two stacks, whose bytes are one figure."""
        big = self.json("why-big", self.made("leaking"))
        live = self.evidence(big, "Live")
        self.assertIn(" 3 call sites", live[0])
        self.assertRegex(live[1], r"^ *4\.29 MiB ± 66\.3 KiB  byte\[\] at \S*visit")
        self.assertRegex(live[2], r"^ *1\.43 MiB ± .*  Order at \S*visit")
        self.assertEqual(len(live), 3)
        self.assertEqual(big["conclusion"], "grows")
        self.assertRegex(big["text"], r"^It grows: byte\[\] and others at \S*visit")
        self.assertIn("  byte[] and others\n", self.gcspy("stats", self.made("leaking")))
        self.assertRegex(self.evidence(big, "Grows")[0], r"  byte\[\] and others at \S*visit")

    def test_what_does_not_grow(self):
        big = self.json("why-big", self.made("plain"))
        self.assertEqual(big["conclusion"], "room")
        # 1 MiB and 36 KiB of 7 MiB.
        self.assertIn("at most 1.04 MiB", big["text"])
        self.assertIn("Nothing grew in 9 s, over 10 collections:", big["text"])
        self.assertIn("the 7 MiB that the JVM has committed", big["text"])
        self.assertEqual(self.evidence(big, "Grows"), [])

    def test_growth_before_the_collections_that_are_judged(self):
        """The last of the seven is not judged: more may come before the next one."""
        path = self.shaped("filled")
        big = self.json("why-big", path)
        self.assertEqual(big["conclusion"], "grew")
        self.assertEqual(big["text"], "It grew from 26 MiB to 80 MiB in 47 s, and no more since: in "
                                      "5 s, over 6 collections of old objects, what stays is 80 MiB "
                                      "of 100 MiB committed.")
        after = big["figures"]["heap"]["used_after"]
        self.assertEqual((after["min"], after["max"]), (26 * 2**20, 80 * 2**20))
        self.assertIn("26 MiB to 80 MiB, 80 MiB at the end", self.evidence(big, "After GC")[0])
        # Only the time in which there is nothing more to see.
        big = self.json("why-big", path, "--from", "41")
        self.assertEqual(big["conclusion"], "steady")
        self.assertIn("Nothing grew in 5 s, over 6 collections of old objects:", big["text"])

    def test_a_program_that_is_no_jvm(self):
        """What it has committed is not made up, and no tool of a JVM is recommended."""
        path = self.shaped("other")
        text = self.gcspy("why-big", path)
        self.assertIn("what stays is 80 MiB.\n", text)
        self.assertRegex(text, r"(?m)^  Heap +26 MiB to 80 MiB used at events$")
        with support.toy() as server:
            live = self.gcspy("why-big", server.port, "--seconds", "0.5")
            slow = self.gcspy("why-slow", server.port, "--seconds", "0.5")
        self.assertIn(f"gcspy record {server.port} -o big.gcspy", live)
        for words in text, self.gcspy("why-slow", path), live, slow:
            for advice in "jcmd", "JVM", "--gc", "histogram", "agent's", "Xlog", "interval=", "committed":
                self.assertNotIn(advice, words)
            self.assertIn("  Next ", words)

    def test_what_is_not_known(self):
        path = self.made("bare")
        big, slow = self.json("why-big", path), self.json("why-slow", path)
        self.assertEqual((big["conclusion"], slow["conclusion"]), ("unknown", "no-pauses"))
        for document in big, slow:
            self.assertNotRegex(" ".join(e["text"] for e in document["evidence"]), r"\b0 B\b")

    def test_long_pause(self):
        slow = self.json("why-slow", self.made("slow"))
        self.assertEqual(slow["conclusion"], "pauses")
        self.assertEqual(slow["text"], "The longest pause took 300 ms: Full, System.gc(); the "
                                       "program asked for it. All take 3.83 % of the time.")
        longest = slow["figures"]["pauses"]["longest"]
        self.assertEqual([p["pause"] for p in longest],
                         [300000000, 9000000, 8000000, 7000000, 6000000])
        self.assertEqual((longest[0]["kind"], longest[0]["cause"], longest[0]["event"]),
                         ("Full", "System.gc()", 20))
        # In a second before each; the full collection does not promote.
        self.assertEqual([p["allocated"] for p in longest], [4 * 2**20 + 4096] * 5)
        self.assertEqual([p["allocated_seconds"] for p in longest], [1] * 5)
        self.assertEqual([p["promoted"] for p in longest], [None] + [128 * 1024] * 4)
        told = self.evidence(slow, "Longest")
        self.assertEqual(len(told), 3)
        self.assertRegex(told[0], r"300 ms  03:04:15  Full, System\.gc\(\): 5\.04 MiB → 1\.04 MiB")
        self.assertIn("128 KiB promoted", told[1])
        # Nothing ran in the pauses themselves, of 300 ms and 9 ms.
        self.assertIn(" allocated in 700 ms before", told[0])
        self.assertIn(" allocated in 991 ms before", told[1])
        self.assertEqual(self.evidence(slow, "Full"), ["1 collection, 300 ms in all"])

    def test_what_a_kind_of_pause_means(self):
        """A marking's pause copies nothing, though its name begins like that of a collection."""
        slow = self.json("why-slow", self.shaped("marks"))
        self.assertIn("took 300 ms: Young mark start, Warmup. All", slow["text"])
        slow = self.json("why-slow", self.shaped("marks"), "--from", "11")
        self.assertIn("took 200 ms: Young, Warmup; it takes as long as what survives and is copied",
                      slow["text"])

    def test_pauses_that_the_heap_does_not_explain(self):
        """256 ms, where half of its kind took 5 ms and promoted as much: it ran on a busy machine."""
        slow = self.json("why-slow", LEAK)
        self.assertEqual(slow["conclusion"], "odd-pause")
        self.assertIn("busy processors", slow["text"])

    def test_what_is_allocated_meanwhile(self):
        """Not what was allocated since sampling began."""
        path = self.shaped("shifted")
        for command, label in (("why-slow", "Allocation"), ("why-slow", "Humongous"),
                               ("why-big", "Humongous")):
            self.assertIn("byte[] at app.Work.late", self.evidence(self.json(command, path), label)[0])
        path = self.shaped("humongous")
        for command in COMMANDS:
            document = self.json(command, path)
            self.assertNotIn("app.Work", self.evidence(document, "Humongous")[0])
            self.assertIn("who allocates humongous objects (no allocation was sampled in that time)",
                          document["not_seen"])
        self.assertEqual(self.evidence(slow := self.json("why-slow", path), "Allocation"), [], slow)
        self.assertIn("who allocates (no allocation was sampled in that time)", slow["not_seen"])
        slow = self.json("why-slow", LEAK, "--from", "10s", "--to", "13s")
        self.assertIn("who allocates (there is one profile of allocation only, and sampling began "
                      "before)", slow["not_seen"])

    def test_short_pauses(self):
        slow = self.json("why-slow", self.made("plain"))
        self.assertEqual(slow["conclusion"], "short")
        self.assertIn("the longest took 10 ms", slow["text"])

    def test_threads_that_waited_for_memory(self):
        """Of two pauses each: no pause is as long as they waited."""
        slow = self.json("why-slow", self.shaped("stalling"))
        self.assertEqual(slow["conclusion"], "stalls")
        self.assertIn("Threads waited for memory at least 2 times (Allocation Stall)", slow["text"])
        self.assertIn("-Xlog:gc", slow["text"])
        self.assertIn("A larger heap helps", slow["text"])
        self.assertRegex(self.evidence(slow, "Stalls")[0], "^2 collections began when threads waited")
        behind = self.json("why-slow", self.shaped("degenerated"))
        self.assertEqual(behind["conclusion"], "stalls")
        self.assertIn("fell behind the allocation 10 times (Degenerated)", behind["text"])
        slow = self.json("why-slow", self.shaped("stalling"), "--to", "14")
        self.assertEqual((slow["conclusion"], self.evidence(slow, "Stalls")), ("short", []))

    def test_next_command_is_quoted(self):
        path = os.path.join(self.folder, "Joe's run.gcspy")
        shutil.copy(LEAK, path)
        for command in COMMANDS:
            self.assertEqual(shlex.split(self.json(command, path)["next"]),
                             ["gcspy", "report", path, "-o", "report.html"])

    def test_parts_of_a_recording(self):
        path = self.made("plain")
        slow = self.json("why-slow", path, "--to", "10")
        self.assertIn("the longest took 5 ms", slow["text"])
        self.assertEqual(slow["figures"], self.json("stats", path, "--to", "10"))

    def test_at_most_fifteen_lines(self):
        for path in LEAK, *map(self.made, ("plain", "bare", "hostile", "wide", "slow", "grown")):
            for command in COMMANDS:
                text = self.gcspy(command, path)
                self.assertLessEqual(text.count("\n"), LINES)
                for row in text.split("\n"):
                    self.assertTrue(row.isprintable(), repr(row))
                shown = self.terminal(80, command, path)
                self.assertLessEqual(shown.count("\n"), LINES, shown)
                for row in re.sub("\x1b\\[[0-9;]*m", "", shown).split("\n"):
                    self.assertLessEqual(len(row), 100, row)


class Holders(Why):
    """What a search for what holds objects says, and what raises a limit that has ended it."""
    def told(self, mode, *arguments):
        with support.profiles(mode) as server:
            big = self.json("why-big", server.port, "--seconds", "0.5", *arguments)
        return self.evidence(big, "Held by"), [t for t in big["not_seen"] if "what holds" in t]

    def paths(self, mode, *arguments):
        with support.profiles(mode) as server:
            return self.json("paths", server.port, "--class", "x", *arguments)["title"]

    def test_long_chain(self):
        """Whole for programs; in text its middle is left out."""
        whole = " → ".join(["static app.Cache.ENTRIES"] +
                           [f"org.example.application.with.long.names.Part{i}.next"
                            for i in range(12)] + ["app.Session (100 %)"])
        self.assertEqual(self.told("busy"), ([whole], []))
        with support.profiles("busy") as server:
            text = self.gcspy("why-big", server.port, "--seconds", "0.5")
            shown = self.terminal(80, "why-big", server.port, "--seconds", "0.5")
        for text, columns in (text, 400), (shown, 86):
            line, = re.findall(r"  Held by     (.*)", text)
            self.assertRegex(line, r"^static app\.Cache\.ENTRIES → (org.* → )?… → (org.* → )?app\.Session \(100 %\)$")
            self.assertLessEqual(len(line), columns)
            self.assertGreater(len(line), columns - 60)

    def test_ended_by_a_long_pause(self):
        words = "ended early: a pause was longer than the limit of 40 ms, which --max-pause 124 raises"
        held, unseen = self.told("ended", "--max-pause", "40")
        self.assertEqual((held, unseen), ([], [f"what holds it (the search {words})"]))
        self.assertTrue(self.paths("ended", "--max-pause", "40").endswith("; " + words))

    def test_class_loader_not_searched_for(self):
        words = "a pause of about 441 ms: more than the limit of 100 ms, which --max-pause 442 raises"
        held, unseen = self.told("loader", "--max-pause", "100")
        self.assertEqual((held, unseen), ([], [f"what holds it, a class loader ({words})"]))
        self.assertTrue(self.paths("loader", "--max-pause", "100").endswith(
            "; what holds a class loader takes " + words))

    def test_references_that_changed(self):
        held, unseen = self.told("nothing")
        self.assertEqual(held, [])
        self.assertRegex(unseen[0], r"^what holds it \(it died, or the references to it changed during "
                                    "the search, as in a CopyOnWriteArrayList: a quieter moment helps, or "
                                    "--gc")
        self.assertNotIn("--gc", self.told("nothing", "--gc")[1][0])
        held, unseen = self.told("partly")
        self.assertEqual(held, ["static app.Cache.ENTRIES → byte[] (40 %)"])
        self.assertIn("what holds 60 % of it (it died, or the references", unseen[0])

    def test_what_is_expected_is_no_bound(self):
        expected = "expected: about 8 pauses of about 88.2 ms on an idle machine, at most 40 of them"
        with support.profiles("refused") as server:
            done = subprocess.run([support.GCSPY, "paths", server.port, "--class", "x"],
                                  capture_output=True, text=True, timeout=support.LIMIT, check=False)
        self.assertEqual(done.stderr.count(expected), 2, done.stderr)
        self.assertEqual(done.returncode, 1)
        self.assertIn("than the limit of 50 ms, which --max-pause 89 raises; expected: ", done.stderr)
        self.assertIn(expected, self.told("refused")[1][0])
        self.assertIn("of about 88.2 ms on an idle machine", self.paths("ended", "--estimate"))


class Running(Why):
    def test_nothing_to_see(self):
        with support.toy() as server:
            big = self.json("why-big", server.port, "--seconds", "0.5")
            slow = self.json("why-slow", server.port, "--seconds", "500ms")
        self.assertEqual((big["conclusion"], slow["conclusion"]), ("unknown", "no-pauses"))
        # The time that was watched, not that between the events in it.
        for document in big, slow:
            self.assertRegex(self.evidence(document, "Watched")[0], r", ([5-9]\d\d ms|[\d.]+ s), 0 ")
        self.assertTrue(any("by call site" in text for text in big["not_seen"]), big["not_seen"])

    def test_answers_behind_many_events(self):
        """Some 400 come before each answer."""
        with support.profiles("busy") as server:
            begin = time.monotonic()
            big = self.json("why-big", server.port, "--seconds", "1.5")
            self.assertLess(time.monotonic() - begin, 30)
            self.assertEqual(len(self.evidence(big, "Held by")), 1, big["not_seen"])
            stats = self.json("stats", server.port, "--seconds", "1.5")
        for figures in big["figures"], stats:
            recording = figures["recording"]
            self.assertEqual((recording["missed"], recording["gaps"]), (0, 0))

    def test_what_is_allocated_meanwhile(self):
        """Most was allocated elsewhere before."""
        with support.profiles("busy") as server:
            slow = self.json("why-slow", server.port, "--seconds", "1")
        self.assertIn("most by byte[] at app.Now.make", self.evidence(slow, "Allocation")[0])
        with support.profiles("off") as server:
            slow = self.json("why-slow", server.port, "--seconds", "0.5")
        self.assertIn(f"who allocates (sampling is off; gcspy set {server.port} interval=512k turns "
                      "it on)", slow["not_seen"])

    def test_sampling_is_off_again_after_a_signal(self):
        with support.profiles("ended") as server:
            self.gcspy("set", server.port, "interval=0")
            process = self.start("why-big", server.port, "--seconds", "1h")
            self.assertIn(b"sampling was off", process.stderr.readline())
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=support.LIMIT)
            self.assertEqual(process.returncode, 0)
            self.assertIn("interval=0", self.gcspy("set", server.port))

    def test_interrupted(self):
        for command in (*COMMANDS, "stats"):
            with support.toy() as server:
                before = self.sockets(server)
                process = self.start(command, server.port, "--seconds", "1h")
                self.connected(server, before)
                time.sleep(1)
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=support.LIMIT)
            self.assertEqual((process.returncode, err), (0, b""), command)
            self.assertIn(b"Toy", out)

    def test_paused(self):
        """Nothing happens in it, and a collection has no answer: both say why."""
        with support.toy() as server:
            self.hold(server)
            for command in COMMANDS:
                said = self.gcspy(command, server.port, code=1)
                self.assertIn(f"it is paused, and gcspy resume {server.port} lets it go on", said)

    def test_next_command_has_the_token(self):
        """Where another command is told, it can be given as it stands."""
        token = self.folder + "/a token"
        with open(token, "w", encoding="utf-8") as file:
            file.write("secret\n")
        os.chmod(token, 0o600)
        with support.toy() as server:
            slow = self.json("why-slow", server.port, "--seconds", "0.5", "--token-file", token)
        self.assertIn(f"gcspy record {server.port} --token-file '{token}' -o", slow["next"])

    def test_replay(self):
        """It knows call sites only, and no command is told that it refuses."""
        socket = os.path.join(self.folder, "a socket")
        process = self.start("replay", LEAK, "--socket", socket, "--speed", "100")
        self.assertIn(b"served at", process.stderr.readline())
        address = "unix:" + socket
        asking = self.start("why-big", address, "--seconds", "1.5", "--gc", "--json")
        out, err = asking.communicate(timeout=support.LIMIT)
        self.assertEqual(err.count(b"only answers"), 1, "a refused collection is not asked for again")
        big = json.loads(out)
        slow = self.json("why-slow", address, "--seconds", "1.5")
        for document in big, slow:
            said = " ".join([document["text"], document["next"], *document["not_seen"]])
            for word in "--gc", "gcspy set", "gcspy histogram", "gcspy paths", "only answers", "jcmd":
                self.assertNotIn(word, said)
            self.assertIn(" FILE  # the recording's", document["next"])
        self.assertEqual(sum("a replay" in text for text in big["not_seen"]), 1, big["not_seen"])

    def test_server_that_ends(self):
        with support.toy() as server:
            before = self.sockets(server)
            process = self.start("why-slow", server.port)
            self.connected(server, before)
            time.sleep(1)
            server.process.kill()
            out, err = process.communicate(timeout=support.LIMIT)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn(b"the figures end there", err)
        self.assertIn(b"Watched", out)

    def test_errors(self):
        path = self.made("plain")
        for command in COMMANDS:
            for option in ("--seconds", "1"), ("--collections", "1"):
                self.assertIn("is a file", self.gcspy(command, path, *option, code=2))
            self.assertIn("for traces", self.gcspy(command, "127.0.0.1:1", "--from", "1", code=2))
            self.assertIn("cannot connect", self.gcspy(command, "127.0.0.1:1", code=1))
            self.assertIn("/nosuch", self.gcspy(command, self.folder + "/nosuch", code=1))
        self.assertIn("is a file", self.gcspy("why-big", path, "--gc", code=2))


if __name__ == "__main__":
    support.main()
