"""Help, versions and bad usage; the documentation's tables are those of the program."""

import os
import re
import subprocess
import time

import support

LEAK = os.path.join(support.DOCS, "leak.gcspy")


def rows(page):
    """The cells of all table rows of docs/command-line.md."""
    with open(os.path.join(support.DOCS, page), encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.startswith("|")]
    return [[cell.strip().replace("\\", "") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in lines]


class Help(support.Case):
    def commands(self):
        listed = self.gcspy("help").split("Commands:\n")[1].split("\n\n")[0]
        return [re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in listed.split("\n")]

    def test_list_has_every_command_and_is_the_documented_one(self):
        commands = self.commands()
        self.assertEqual([words.split()[0] for words, _ in commands],
                         ["info", "dump", "watch", "pause", "resume", "step", "sites", "paths",
                          "histogram", "gc", "tiles", "replay",
                          "why-big", "why-slow", "stats", "diff", "record", "export", "report", "set", "ask",
                          "trigger", "run", "attach", "detach", "list", "serve", "push", "version",
                          "help"])
        documented = [row for row in rows("command-line.md") if len(row) == 2]
        listed = [row for row in documented if not re.search(r" 3000\b", row[0])]
        for words, text in commands:
            self.assertIn(["`gcspy %s`" % words, text], documented)
        names = [row[0] for row in listed if row[0].startswith("`gcspy ")]
        self.assertEqual(len(names), len(commands), "no command that is gone")

    def test_options_are_the_documented_ones(self):
        options = {}
        for words, _ in self.commands():
            name = words.split()[0]
            text = self.gcspy("help", name)
            self.assertEqual(text, self.gcspy(name, "--help"))
            self.assert_fits(text)
            for usage, words in re.findall(r"^  (--\S+(?: \S+)?)(?: {2,}|\n {26})(.*)$", text, re.M):
                options.setdefault((usage, words), []).append(name)
        expected = [["`%s`" % usage, ", ".join(names), words]
                    for (usage, words), names in options.items()]
        documented = [row for row in rows("command-line.md")
                      if len(row) == 3 and row[0].startswith("`--")]
        self.assertEqual(sorted(documented), sorted(expected))
        self.assertGreaterEqual(len(expected), 8)

    def test_every_key_of_the_documents_is_documented(self):
        known = {key for row in rows("dump-format.md") for key in re.findall(r"`(\w+)`", row[0])}

        def walk(value, named):
            for key, inner in value.items() if isinstance(value, dict) else []:
                if not named:
                    self.assertIn(key, known)
                walk(inner, key in ("info", "counters", "attributes") and
                     not isinstance(inner, list))
            for inner in value if isinstance(value, list) else []:
                walk(inner, False)

        with support.odd() as server:
            walk(self.json("dump", server.port), False)
            walk(self.json("info", server.port), False)

    def test_version(self):
        self.assertRegex(self.gcspy("version"), r"^gcspy \d+\.\d+\.\d+, protocol \d+\.\d+\n$")
        self.assertEqual(self.gcspy("--version"), self.gcspy("version"))

    def test_help_as_an_option(self):
        self.assertEqual(self.gcspy("--help"), self.gcspy("help"))
        self.assertEqual(self.gcspy("-h"), self.gcspy("help"))


class Usage(support.Case):
    def refused(self, expected, *arguments):
        err = self.gcspy(*arguments, code=2)
        for words in expected.split(" & "):
            self.assertIn(words, err)

    def test_commands(self):
        self.refused("missing command")
        self.refused("\"frobnicate\" & gcspy help", "frobnicate")
        for meant, word in (("record", "recrod"), ("record", "rec"), ("attach", "atach"),
                            ("sites", "site"), ("stats", "stat"), ("diff", "dif"), ("set", "sett")):
            self.refused("unknown command \"%s\" (did you mean \"%s\"?);" % (word, meant), word)
            self.refused("did you mean \"%s\"?" % meant, "help", word)
        for word in "frobnicate", "", "x", "xyz", "a" * 300:
            self.assertNotIn("did you mean", self.gcspy(word, code=2))
        self.refused("\"frobnicate\"", "help", "frobnicate")
        self.refused("extra argument & 3000", "version", "3000")
        self.refused("extra argument & 3001", "info", "3000", "3001")

    def test_addresses(self):
        for command in "info", "dump", "watch", "pause", "resume", "step", "sites", "stats", "set":
            self.refused("ADDRESS & HOST:PORT & unix:PATH", command)
        for address in "0", "host", "host:", "host:port", "::1:3000", "unix:", "", "3000x":
            self.refused("HOST:PORT & unix:PATH", "info", address)
        self.refused("unix:/x", "info", "unix:/" + "x" * 200)

    def test_options(self):
        self.refused("--what & --format & --timeout", "info", "3000", "--what")
        self.refused("--values & --help", "info", "3000", "--values")
        self.refused("-f", "info", "3000", "-f")
        self.refused("--format & xml & text & json", "dump", "3000", "--format", "xml")
        self.refused("--format & missing", "dump", "3000", "--format")
        self.refused("unknown option \"--secconds\" (did you mean \"--seconds\"?);", "watch", "3000",
                     "--secconds", "3")
        # A script's empty variable, or a zero, does not mean everything.
        for words in (("paths", "3000", "--class"), ("paths", "3000", "--where"), ("sites", LEAK, "--class"),
                      ("sites", LEAK, "--thread"), ("sites", LEAK, "--where"),
                      ("export", LEAK, "--what", "sites", "--class")):
            self.refused("%s: the value is empty" % words[-1], *words, "")
        for command in "paths", "tiles":
            for site in "", "12", "0" * 12:
                self.refused("--site \"%s\": expected the 12 hexadecimal digits" % site, command, "3000",
                             "--site", site)
        for tile in "", "0x0", "0", "old":
            self.refused("--tile \"%s\": expected an address" % tile, "paths", "3000", "--tile", tile)
        self.refused("unknown option \"--sites\"; available: ", "watch", "3000", "--sites")
        self.refused("--values takes no value", "dump", "3000", "--values=1")
        for value in ("0", "-1", "x", "", "1e3", "99999999", "nan", "1.2.3", "1q", "s", "1 s",
                      "99ms", "1e1m", "100000h"):
            self.refused("--timeout & 0.1 to 86400", "info", "3000", "--timeout=" + value)
            self.refused("--seconds & 0.1 to 1000000", "watch", "3000", "--seconds=" + value)
        for value in "0", "-1", "x", "", "1.5", "1000000001", "99999999999999999999":
            self.refused("--events & 1 to 1000000000", "watch", "3000", "--events=" + value)

    def test_units_of_time(self):
        with support.toy() as server:
            for value in "200ms", "0.2s", "0.2", "0.004m", "0.0001h":
                began = time.monotonic()
                self.gcspy("watch", server.port, "--seconds", value)
                self.assertLess(time.monotonic() - began, 30)
                self.assertGreater(time.monotonic() - began, 0.19)

    def test_no_command(self):
        done = subprocess.run([support.GCSPY], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=support.LIMIT, check=False)
        self.assertEqual(done.returncode, 2)
        jobs = done.stdout.decode().rstrip("\n").split("\n")
        self.assertEqual(len(jobs), 5)
        for job in jobs:
            command = job.split()[1]
            self.assertIn(f"gcspy {command} ", self.gcspy("help", command))

    def test_terminal_sequences_of_the_command_line_are_not_repeated(self):
        self.assertNotIn("\x1b", self.gcspy("info", "\x1b[31m", code=2))

    def test_names_that_the_server_does_not_have(self):
        with support.toy() as server:
            self.refused("--event \"X\" & \"Collection start\", \"Collection end\"",
                         "dump", server.port, "--event", "X")
            self.refused("--event \"X\" & \"Collection end\"",
                         "watch", server.port, "--event", "X")
            self.refused("--space \"X\" & \"Toy heap\"", "dump", server.port, "--space", "X")


if __name__ == "__main__":
    support.main()
