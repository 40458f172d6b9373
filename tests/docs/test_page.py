"""What page.py takes for right and for wrong. Each wrong page must be found out."""

import os
import tempfile
import unittest

import page

RIGHT = """# A page

```sh
echo "   a    1.5 MiB  G1 (Shop.java:52)"
echo b; echo c
```

Words between.

```text
 a  20 KiB  G1 (Shop.java:52)
b
c
```

## Another part

```sh
echo only here
```
"""


class Page(unittest.TestCase):
    def wrong(self, old, new, why):
        """The page with one thing changed is found out, for that reason."""
        self.assertIn(old, RIGHT)
        with self.assertRaisesRegex(page.Wrong, why):
            page.check(RIGHT.replace(old, new))

    def test_right(self):
        page.check(RIGHT)
        page.check(RIGHT, section="Another part")

    def test_what_varies(self):
        for shown, line in (("0xf0-0x1ff Old", "0x12-0x34 Old"), ("12 %", "7.5 %"),
                            ("+21 GiB/h ± 3.5 B", "+1 B/h ± 4 MiB"), ("-16.5 MiB", "-7 MiB"),
                            ("[site 40c1d93f7ae2]", "[site 9a51b5c02c6e]"),
                            ("at 14:02:11.250", "at 1:1:1.1"), ("1,204 events", "7 events"),
                            ("process 41:", "process 7:"), ("/tmp/.gcspy_41", "/tmp/.gcspy_7")):
            self.assertEqual(page.form(shown), page.form(line))
        for shown, line in (("JDK17", "JDK25"), ("p99", "p90"), ("Shop.java:5", "Shop.java:6"),
                            ("+2 B", "-2 B"), ("2 events", "2 pauses"), ("none", "1")):
            self.assertNotEqual(page.form(shown), page.form(line))

    def test_what_is_left_out(self):
        self.assertIsNone(page.missing(["…", "b", "…"], "a\nb\nc\n"))
        self.assertIsNone(page.missing(["a … c"], "a lot of c\n"))
        self.assertEqual(page.missing(["b"], "a\nb\n"), 0)
        self.assertEqual(page.missing(["a"], "a\nb\n"), 1)
        self.assertEqual(page.missing(["a", "c"], "a\nb\nc\n"), 1)
        self.assertEqual(page.missing(["…", "c", "b"], "a\nb\nc\n"), 2)

    def test_wrong_output(self):
        self.wrong("\nb\nc\n", "\nc\nb\n", "line 12: not as shown")
        self.wrong("\nb\nc\n", "\nb\n", "there is more")
        self.wrong("(Shop.java:52)\nb", "(Shop.java:53)\nb", "line 11: not as shown")

    def test_wrong_commands(self):
        self.wrong("echo b; echo c", "false", "commands failed .exit code 1")
        self.wrong("echo b; echo c", "exit 0", "commands failed")
        self.wrong("echo only here", "no-such-command", "commands failed .exit code 127")
        with self.assertRaisesRegex(page.Wrong, "no commands"):
            page.check("# Nothing here\n")

    def test_files(self):
        text = ("```sh\ncat a.txt\n```\n```text\none\ntwo\n```\n"
                "```text a.txt\none\n```\n```text a.txt\ntwo\n```\n")
        page.check(text)
        with self.assertRaisesRegex(page.Wrong, "line 6: not as shown"):
            page.check(text.replace("a.txt\ntwo", "a.txt\nthree"))

    def test_excerpts(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "A.java"), "w", encoding="utf-8") as file:
                file.write("class A {\n    int a;\n    int b;\n}\n")
            text = RIGHT + "```java\nint a;\nint b;\n```\n"
            page.check(text, sources=folder)
            with self.assertRaisesRegex(page.Wrong, "no source file"):
                page.check(text.replace("int b", "int c"), sources=folder)


if __name__ == "__main__":
    unittest.main(verbosity=2)
