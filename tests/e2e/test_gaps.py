"""What is missing with each JDK and collector, against the table of docs/collectors.md (H7): a gap that
is not in the page is a failure, and so is one that the page still has."""

import re
import unittest

import gaps
from jvm import JDKS, main

with open(gaps.PAGE, encoding="utf-8") as file:
    PAGE = file.read().split(gaps.BEGIN)[1].split(gaps.END)[0]


def page_of():
    """{collector: {row: {major: None or why not}}}, as the page has it."""
    reasons = dict(re.findall(r"^(\d+)\. (.+)$", PAGE, re.M))
    result = {}
    for part in re.split(r"^### ", PAGE, flags=re.M)[1:]:
        name, *lines = part.splitlines()
        rows = [[cell.strip() for cell in line.strip("| ").split("|")]
                for line in lines if line.startswith("|")]
        majors = [int(cell) for cell in rows[0] if cell]
        for row, *cells in rows[2:]:
            cells += [""] * (len(majors) - len(cells))
            result.setdefault(name, {})[row] = {
                major: None if cell == "yes" else reasons[cell.strip("()")]
                for major, cell in zip(majors, cells) if cell}
    return result


class Gaps(unittest.TestCase):
    maxDiff = None

    def test_page(self):
        page = page_of()
        for jdk in JDKS:
            shown = gaps.gaps(jdk)
            self.assertGreater(len(shown), 3)
            for name, (streams, missing) in shown.items():
                with self.subTest(jdk=jdk, collector=name):
                    self.compare(jdk, page[name], streams, missing)

    def compare(self, jdk, rows, streams, missing):
        told = {row: cells[jdk.major] for row, cells in rows.items() if jdk.major in cells}
        self.assertEqual(told, {row: gaps.why_not(row, streams, missing) for row in told})
        # With some JDK's streams in the page, these two lines are no rows.
        rows = set(gaps.rows_of([(streams, missing)])) - {"*Heavy volume*", "*The card table*"}
        self.assertLessEqual(rows, set(told))


if __name__ == "__main__":
    main()
