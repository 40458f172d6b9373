"""info, dump and watch: what they show, and that it is consistent and well formed."""

import json
import os
import re
import signal
import subprocess
import time

import support

# TORN of odd_server.c, with U+FFFD for each byte that is not UTF-8.
TORN = "a \"quote\", a \\, \x1b[31mred\x1b[0m, \ufffd\ufffd, \u00e9, \ufffd\ufffd, end"


class Info(support.Case):
    def test_text(self):
        with support.toy() as server:
            text = self.gcspy("info", server.port)
        self.assert_fits(text)
        for words in ("Toy server", "Address   " + server.port, "Program   running",
                      "Protocol  GCspy 1.", "used before  bytes", "Toy heap: 64 tiles",
                      "4 KiB to a block", "one of empty, partly used, full",
                      "bytes, 0 B to 4 KiB; number and percentage of the maximum"):
            self.assertIn(words, text)
        self.assertRegex(text, r"Collection start +\d+\n")

    def test_json(self):
        with support.toy() as server:
            told = self.json("info", server.address)
        self.assertEqual(told["server"], "Toy server")
        self.assertEqual([e["name"] for e in told["events"]],
                         ["Collection start", "Collection end"])
        self.assertEqual(told["events"][0]["attributes"][0],
                         {"name": "used before", "kind": "number", "number_format": "bytes",
                          "parameters": [], "names": []})
        self.assertEqual(told["counters"], {e["name"]: e["count"] for e in told["events"]})
        self.assertEqual([s["name"] for s in told["spaces"][0]["streams"]],
                         ["Used", "State", "Control"])
        self.assertEqual(told["connection"]["address"], server.address)
        self.assertGreater(told["connection"]["received_bytes"], 100)
        self.assertEqual(told["program"], {"state": "running", "held_by": 0, "text": "running"})

    def test_awkward_server(self):
        with support.odd() as server:
            text = self.gcspy("info", server.port)
            told = self.json("info", server.port)
        self.assert_fits(text)
        self.assertRegex(text, r'(?m)^  a "quote", .*, end\n {30}  a "quote", ', "a long key is whole")
        self.assertEqual(told["server"], TORN)
        self.assertEqual(told["info"][TORN], TORN)
        self.assertEqual(len(told["info"]["Long"]), 2999)
        self.assertEqual(told["counters"], {"Twice": 0, "Twice (2)": 0})
        self.assertEqual(told["groups"], [{"name": "Top " + TORN, "parent": None},
                                          {"name": "Inner", "parent": 0}])
        self.assertEqual([s["name"] for s in told["spaces"]], ["List " + TORN, "Empty"])

    def test_held_program(self):
        with support.toy() as server:
            self.hold(server)
            self.assertIn("Program   paused, held by 1 client\n", self.gcspy("info", server.port))
            self.assertEqual(self.json("info", server.port)["program"]["state"], "paused")


class Dump(support.Case):
    def check(self, state):
        """What must hold of any dump of the toy server."""
        self.assertEqual(state["server"], "Toy server")
        event = state["event"]
        self.assertIn(event["name"], ("Collection start", "Collection end"))
        self.assertIs(type(event["sequence"]), int)
        self.assertLess(abs(event["time"] / 1e9 - time.time()), 120)
        self.assertEqual(set(event["attributes"]), {"used before"})
        self.assertEqual(set(state["counters"]), {"Collection start", "Collection end"})
        self.assertEqual(len(state["spaces"]), 1)
        space = state["spaces"][0]
        self.assertEqual((space["name"], space["group"], space["tiles"]), ("Toy heap", None, 64))
        used, states, control = space["streams"]
        for stream in space["streams"]:
            self.assertEqual(len(stream["values"]), space["tiles"])
            self.assertTrue(all(type(v) is int for v in stream["values"]))
        self.assertEqual((used["name"], used["unit"]), ("Used", "bytes"))
        self.assertEqual(used["summary"], [sum(used["values"]), 64 * 4096])
        self.assertEqual(states["names"], ["empty", "partly used", "full"])
        self.assertEqual(states["summary"], [states["values"].count(i) for i in range(3)])
        self.assertEqual([c["role"] for c in space["streams"]], ["data", "data", "control"])
        self.assertEqual(control["values"], [1] * 64)
        if event["name"] == "Collection start":
            self.assertEqual(event["attributes"]["used before"], sum(used["values"]))

    def test_json(self):
        with support.toy() as server:
            self.check(self.json("dump", server.port))

    def test_event(self):
        with support.toy() as server:
            for name in "Collection start", "Collection end":
                state = self.json("dump", server.port, "--event", name)
                self.check(state)
                self.assertEqual(state["event"]["name"], name)

    def test_several(self):
        with support.toy() as server:
            lines = self.gcspy("dump", server.port, "--events", 5, "--format=json").splitlines()
        self.assertEqual(len(lines), 5)
        states = [json.loads(line) for line in lines]
        for state in states:
            self.check(state)
        numbers = [state["event"]["sequence"] for state in states]
        self.assertEqual(numbers, sorted(set(numbers)))

    def test_space(self):
        with support.odd() as server:
            state = self.json("dump", server.port, "--space", "Empty")
            self.assertEqual([s["name"] for s in state["spaces"]], ["Empty"])
            self.assertIn("Empty: 0 tiles", self.gcspy("dump", server.port, "--space", "Empty"))

    def test_text(self):
        with support.toy() as server:
            self.hold(server)
            state = self.json("dump", server.port)
            text = self.gcspy("dump", server.port)
            long = self.gcspy("dump", server.port, "--values")
        self.assert_fits(text)
        self.assert_fits(long)
        self.assertLess(len(text.splitlines()), 12, "no lists unless asked for")
        self.assertIn("#%d" % state["event"]["sequence"], text)
        self.assertIn("Program   paused, held by 1 client", text)
        used = state["spaces"][0]["streams"][0]
        self.assertIn(used["summary_text"], text)
        self.assertRegex(text, r"Control +used 64\n")
        listed = long.split("  Used ")[1].split("  State ")[0]
        cells = re.sub(r"^ +\d+: ", "", listed.split("\n", 1)[1], flags=re.M).split()
        self.assertEqual([int(cell) for cell in cells], used["values"])

    def test_awkward_server(self):
        with support.odd() as server:
            state = self.json("dump", server.port)
            text = self.gcspy("dump", server.port, "--values")
        self.assert_fits(text)
        self.assertIsNone(state["event"]["name"], "a look from outside any event")
        self.assertEqual(state["event"]["attributes"], {})
        first, empty = state["spaces"]
        self.assertEqual(first["group"], "Inner")
        self.assertEqual(first["group_path"], ["Top " + TORN, "Inner"])
        self.assertEqual(first["space_info"], TORN)
        self.assertEqual((first["gathered"], empty["gathered"]), (True, False))
        streams = {s["name"].split()[0]: s for s in first["streams"]}
        extremes = streams["Extremes"]
        self.assertEqual(extremes["unit"], "things")
        self.assertEqual(extremes["values"],
                         [-2**63, 2**63 - 1] + [-i for i in range(2, 40)])
        self.assertEqual(extremes["summary"], [])
        self.assertEqual(streams["State"]["names"], ["five", "six", "seven"])
        self.assertEqual((streams["State"]["min"], streams["State"]["summary"]), (5, [40, 0, 0]))
        self.assertEqual(streams["From"]["role"], "range-start")
        self.assertEqual(streams["To"]["values"],
                         [v + 4096 for v in streams["From"]["values"]])
        self.assertEqual(streams["Control"]["values"][3], 4)
        self.assertEqual(streams["Time"]["unit"], "ns")
        self.assertEqual(streams["Time"]["summary"], [sum(streams["Time"]["values"])])
        self.assertEqual(first["tile_names"], ["", "", TORN] + [""] * 37)
        self.assertEqual((empty["tiles"], empty["tile_names"]), (0, []))
        self.assertTrue(all(s["values"] == [] for s in empty["streams"]))

    def test_attributes_of_all_kinds(self):
        with support.odd(20) as server:
            lines = self.gcspy("dump", server.port, "--event", "Twice", "--events", 4,
                               "--format", "json").splitlines()
        states = [json.loads(line, object_pairs_hook=self.unique) for line in lines]
        told = [s["event"]["attributes"] for s in states if s["event"]["attributes"]]
        self.assertTrue(told)
        self.assertEqual(told[0], {"kind": TORN, "heap before": 12 << 20, "heap after": 3 << 20,
                                   "pause": 2100000, "note": TORN, "absent": None})

    def test_limit(self):
        with support.odd() as server:
            begin = time.monotonic()
            err = self.gcspy("dump", server.port, "--event", "Twice", "--timeout", 2, code=1)
            self.assertLess(time.monotonic() - begin, 9)
            self.assertIn("event \"Twice\" within 2 s", err)


class Watch(support.Case):
    LINE = r"^#(\d+)  \d\d:\d\d:\d\d\.\d{3}  (Collection \w+)  used before [\d.,]+ \w+( \(\d+ missed before\))?$"

    def test_lines(self):
        with support.toy() as server:
            lines = self.gcspy("watch", server.port, "--events", 6).splitlines()
        self.assertEqual(len(lines), 6)
        numbers = [int(re.match(self.LINE, line).group(1)) for line in lines]
        self.assertEqual(numbers, sorted(set(numbers)))

    def test_event(self):
        with support.toy() as server:
            lines = self.gcspy("watch", server.port, "--events", 4,
                               "--event", "Collection end").splitlines()
        self.assertEqual({re.match(self.LINE, line).group(2) for line in lines},
                         {"Collection end"})

    def test_seconds(self):
        with support.odd() as server:
            begin = time.monotonic()
            out = self.gcspy("watch", server.port, "--seconds", 0.7)
            self.assertGreaterEqual(time.monotonic() - begin, 0.69)
        self.assertRegex(out, r"^#\d+  [\d:.]+  present state\n$")

    def test_no_event_is_said(self):
        with support.odd() as server:
            process = self.start("watch", server.port, "--seconds", 0.3)
            said = process.communicate(timeout=support.LIMIT)[1].decode()
        self.assertEqual((process.returncode, said),
                         (0, "gcspy: %s: no event within 0.3 s\n" % server.port))

    def test_each_line_is_written_at_once(self):
        with support.toy(300) as server:
            process = self.start("watch", server.port)
            for _ in range(3):
                self.assertRegex(self.line(process).rstrip("\n"), self.LINE)
            self.assertIsNone(process.poll())

    def test_attributes(self):
        with support.odd(20) as server:
            out = self.gcspy("watch", server.port, "--events", 4)
        self.assertNotIn("\x1b", out)
        self.assertIn(", heap 12 MiB -> 3 MiB, pause 2.1 ms, note a \"quote\"", out)
        self.assertNotIn("absent", out)

    def test_reader_that_leaves(self):
        with support.toy() as server:
            done = subprocess.run(
                "%s watch %s | head -1" % (support.GCSPY, server.port), shell=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=support.LIMIT, text=True)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        self.assertEqual(done.stderr, "")

    def test_reader_that_leaves_while_nothing_happens(self):
        with support.odd() as server:
            process = self.start("watch", server.port)
            self.assertIn("present state", self.line(process))
            process.stdout.close()
            self.assertEqual(process.wait(support.LIMIT), -signal.SIGPIPE)
            self.assertEqual(process.stderr.read(), b"")
            process.stdout = None


class Output(support.Case):
    def test_full_disk(self):
        with support.toy() as server, open("/dev/full", "wb") as full:
            for command in ["info"], ["dump", "--values"], ["watch"], ["pause"], ["resume"], ["help"]:
                words = [support.GCSPY] + command[:1] + \
                    ([server.port] if command != ["help"] else []) + command[1:]
                done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE,
                                      stdin=subprocess.DEVNULL, timeout=support.LIMIT, text=True)
                self.assertEqual(done.returncode, 1, command)
                self.assertEqual(
                    done.stderr, "gcspy: cannot write the output: No space left on device\n")

    def test_closed_descriptors(self):
        with support.toy() as server:
            err = self.gcspy("info", server.port, code=1, preexec_fn=lambda: os.close(1))
            self.assertIn("cannot write the output: Bad file descriptor", err)


if __name__ == "__main__":
    support.main()
