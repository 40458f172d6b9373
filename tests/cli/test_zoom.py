"""F16: gcspy dump --zoom against a server with zooms (tests/wire/wire_server.c), whose matrix has 64
blocks of 4 KiB from 0 on, and against one without."""

import os
import signal

import support


def zooming():
    return support.Server(os.environ["WIRE_SERVER"], 0, 30, 0, 0, "-", "-")


class Zoom(support.Case):
    def part(self, *arguments):
        """The one space that is written."""
        spaces = self.json("dump", *arguments)["spaces"]
        self.assertEqual(len(spaces), 1)
        return spaces[0]

    def values(self, space, name):
        return next(s["values"] for s in space["streams"] if s["name"] == name)

    def test_a_part_in_finer_blocks(self):
        with zooming() as server:
            space = self.part(server.port, "--zoom", "0x1000-0x2000", "--block", "512")
            self.assertEqual((space["block_bytes"], space["tiles"], space["gathered"]),
                             (512, 8, True))
            self.assertEqual(self.values(space, "From"), list(range(4096, 8192, 512)))
            self.assertEqual(self.values(space, "To"), list(range(4608, 8193, 512)))
            space = self.part(server.port, "--zoom=10-8193", "--block=2k", "--space", "Matrix")
            self.assertEqual((space["block_bytes"], space["tiles"]), (2048, 4))
            self.assertEqual(self.values(space, "To")[-1], 8193)
            space = self.part(server.port, "--zoom", "0-4096")
            self.assertEqual(space["block_bytes"], 256, "a sixteenth of a block")

    def test_text_and_further_events(self):
        with zooming() as server:
            text = self.gcspy("dump", server.port, "--zoom", "0x1000-0x2000", "--events", 3,
                              "--event", "Tick", "--values")
        self.assert_fits(text)
        self.assertEqual(text.count("Matrix 0x1000-0x2000: 16 tiles"), 3)
        self.assertNotIn("Large", text)

    def test_it_ends_with_the_command(self):
        with zooming() as server:
            process = self.start("dump", server.port, "--zoom", "0-4096", "--events", 1000000)
            for _ in range(10):
                self.line(process)
            names = [s["name"] for s in self.json("dump", server.port)["spaces"]]
            self.assertIn("Matrix 0x0-0x1000", names)
            process.send_signal(signal.SIGKILL)
            process.wait()
            for _ in range(200):
                names = [s["name"] for s in self.json("dump", server.port)["spaces"]]
                if "Matrix 0x0-0x1000" not in names:
                    return
        self.fail("the zoom outlives its client")

    def test_refusals(self):
        with zooming() as server:
            missing = f"no space shows 0x0-0x50000; `gcspy dump {server.port} --values` lists"
            for words, told in ((("0-0x50000",), missing),
                                (("0-4096", "--block", "8k"), "in blocks of that size"),
                                (("0-4096", "--space", "List"), '"List" has no blocks'),
                                (("0-0x40001", "--space", "Matrix"), "0x0-0x40000"),
                                (("0-4096", "--space", "Matrix", "--block", "1g"), "16 to the 4096")):
                err = self.gcspy("dump", server.port, "--zoom", *words, code=1)
                self.assertIn(told, err)
        with support.toy() as server:
            err = self.gcspy("dump", server.port, "--zoom", "0-4096", "--space", "Toy heap", code=1)
            self.assertIn("no zooms", err)

    def test_bad_usage(self):
        for value in ("", "0", "0-", "-5", "5-5", "6-5", "0x-1", "1-2x", "a-b", "1--2", " 1-2",
                      "0x1-0x2-0x3", "1-99999999999999999999999"):
            err = self.gcspy("dump", 1, "--zoom=" + value, code=2)
            self.assertIn('--zoom "%s": expected two addresses' % value, err)
        for value in ("", "0", "511", "513", "1000", "4kb", "-4k", "k", "4kk", "1e3"):
            err = self.gcspy("dump", 1, "--zoom", "1-2", "--block=" + value, code=2)
            self.assertIn('--block "%s": expected a power of two from 16' % value, err)
        self.assertIn("--block needs --zoom", self.gcspy("dump", 1, "--block", "4k", code=2))


if __name__ == "__main__":
    support.main()
