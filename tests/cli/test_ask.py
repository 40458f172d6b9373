"""F18: gcspy ask against the plugins of tests/wire/wire_plugins.c."""

import json
import os
import re
import signal
import tempfile
import time

import support


def asked():
    return support.Server(os.environ["WIRE_SERVER"], 0, 30, 0, 0, "-", "-")


class Ask(support.Case):
    def test_the_list(self):
        with asked() as server:
            text = self.gcspy("ask", server.port)
            self.assert_fits(text)
            self.assertEqual(text, """\
walk: Walk (table)
    Counts down
    depth: a number; default: 3
        rows
    order: up or down; default: down
    space: a space, by its name or number; default: 0, List
bytes: Bytes (bytes)
    address: an address such as 0x7f00; required
        of the first byte
    length: a number of bytes such as 64k; default: 16
""")
            document = self.json("ask", server.port)
            self.assertEqual([p["name"] for p in document["plugins"]], ["walk", "bytes"])
            self.assertEqual(document["plugins"][0]["parameters"][1],
                             {"name": "order", "description": "", "kind": "enum", "initial": "down",
                              "names": ["up", "down"]})
            self.assertIsNone(document["plugins"][1]["parameters"][0]["initial"])
        with support.toy() as server:
            self.assertIn("no plugins", self.gcspy("ask", server.port))
            self.assertEqual(self.json("ask", server.port)["plugins"], [])

    def test_a_tree(self):
        with asked() as server:
            self.assertEqual(self.gcspy("ask", server.port, "walk", "depth=3", "order=up"), """\
a walk in 0
Step    Left
up         -
  up     0 B
    up  -1 B
""")
            document = self.json("ask", server.port, "walk", "space=Matrix")
            self.assertRegex(document["title"], r"^a walk in [1-9]$")
            self.assertEqual(document["rows"], [
                {"depth": 0, "cells": ["down", None]}, {"depth": 1, "cells": ["down", 0]},
                {"depth": 2, "cells": ["down", -1]}])
            self.assertEqual(document["columns"], [
                {"name": "Step", "kind": "text", "number_format": "decimal"},
                {"name": "Left", "kind": "number", "number_format": "bytes"}])

    def test_memory(self):
        with asked() as server:
            text = self.gcspy("ask", server.port, "bytes", "address=0x7f00", "length=64")
            self.assert_fits(text)
            lines = text.splitlines()
            self.assertEqual(lines[:4], [
                "counting", "-- 7f00, 65 bytes: all",
                "0000000000007f00  00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f  "
                "................",
                "0000000000007f10  10 11 12 13 14 15 16 17  18 19 1a 1b 1c 1d 1e 1f  "
                "................"])
            self.assertTrue(lines[4].endswith(" !\"#$%&'()*+,-./"), lines[4])
            self.assertEqual(lines[6], "-- 7f40, 1 bytes: last")
            self.assertRegex(lines[7], r"^0000000000007f40  40 +@$")
            document = self.json("ask", server.port, "bytes", "address=0x7f00", "length=17")
            self.assertEqual((document["address"], document["length"], document["bytes"]),
                             ("0x7f00", 18, ["000102030405060708090a0b0c0d0e0f", "1011"]))
            self.assertEqual(document["marks"], [{"start": 0, "length": 18, "text": "all"},
                                                 {"start": 17, "length": 1, "text": "last"}])

    def test_errors(self):
        with asked() as server:
            self.assertIn('the server has "walk", "bytes"',
                          self.gcspy("ask", server.port, "walks", code=2))
            self.assertIn("expected KEY=VALUE",
                          self.gcspy("ask", server.port, "walk", "depth", code=2))
            for parameter, words in (("depth=x", "not a number"), ("deep=3", "available: depth"),
                                     ("space=Nowhere", 'no space "Nowhere"; the server has "')):
                self.assertIn(words, self.gcspy("ask", server.port, "walk", parameter, code=1))
            self.assertRegex(self.gcspy("ask", server.port, "bytes", code=1), r"address: missing; of the first byte\n$")
        with support.odd() as server:
            self.assertRegex(self.gcspy("ask", server.port, "bare", code=1), r": at: missing\n$")
        self.assertIn("some.gcspy", self.gcspy("ask", "some.gcspy", code=1))

    def test_a_recording(self):
        """The answers to triggers are in the recording, wherever the triggers were set."""
        with asked() as server, tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.gcspy")
            recorder = self.start("record", server.port, "-o", path)
            self.connected(server, 1)
            told = self.gcspy("trigger", server.port, "tick > 0", "--most", 3, "--plugin", "walk")
            deadline = time.monotonic() + support.LIMIT
            while not os.path.exists(path) or os.path.getsize(path) < 4096:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            recorder.send_signal(signal.SIGINT)
            self.assertEqual(recorder.wait(support.LIMIT), 0)
            text = self.gcspy("ask", path)
            self.assertEqual(text.count("a walk in 0\n"), 3)
            self.assertEqual(self.gcspy("ask", path, "walk"), text)

            def without_times(lines):
                return re.sub(r"(?m)^(#\d+)  \S+", r"\1", lines)
            self.assertEqual(without_times(text), without_times(told))
            documents = [json.loads(line) for line in
                         self.gcspy("ask", path, "--format", "json").splitlines()]
            self.assertEqual([d["times"] for d in documents], [1, 2, 3])
            self.assertTrue(all(len(d["answer"]["rows"]) == 3 for d in documents))
            self.assertIn("no trigger has asked the plugin bytes",
                          self.gcspy("ask", path, "bytes", code=1))
            self.assertIn("no parameters", self.gcspy("ask", path, "walk", "depth=1", code=2))


if __name__ == "__main__":
    support.main()
