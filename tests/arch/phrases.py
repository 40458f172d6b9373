"""Finds phrases that must not return: phrases.py LIST, the names of the files on standard input.

Each line of LIST is a regular expression, a tabulator and what to write instead; `#` begins a
comment. A line `!NAME<tabulator>EXPRESSION` lets the expression pass in that file. Blanks, line ends
and the marks of comments between two words count as one blank, so a phrase is found across lines.
Upper and lower case are the same.
"""

import re
import sys

BLANK = r"(?:[ \t]|\n[ \t]*(?:///?|\*|#|\|)?)+"


def compiled(expression):
    return re.compile(expression.replace(" ", BLANK), re.IGNORECASE)


def needed(expression):
    """A word without which the expression matches nothing; empty if that is not obvious."""
    plain = re.sub(r"\\.|\([^()]*(?:\([^()]*\)[^()]*)*\)[?*+]?|\[[^]]*\][?*+]?", " ", expression)
    plain = re.sub(r".[?*]", " ", plain)
    words = re.findall(r"[a-z]+", plain.lower()) if not re.search(r"[|()\[]", plain) else []
    return max(words, key=len, default="")


def rules(path):
    """(expressions with a word in each and what to write instead, expressions that pass by file)."""
    found, passing = [], {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("#") or not line.strip():
                continue
            left, tab, right = line.rstrip("\n").partition("\t")
            if not tab or not left or not right:
                sys.exit("%s:%d: no expression, tabulator and text" % (path, number))
            if left.startswith("!"):
                passing.setdefault(left[1:], []).append(compiled(right))
            else:
                found.append((compiled(left), needed(left), right))
    return found, passing


def main():
    path = sys.argv[1]
    found, passing = rules(path)
    bad = False
    for name in sys.stdin.read().splitlines():
        with open(name, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for expression in passing.get(name, []):
            text = expression.sub(lambda match: re.sub(r"[^\n]", "_", match[0]), text)
        lower = text.lower()
        for expression, word, instead in found:
            for match in () if word not in lower else expression.finditer(text):
                print("phrases: %s:%d: \"%s\"; write: %s" % (
                    name, text.count("\n", 0, match.start()) + 1,
                    re.sub(r"\s+", " ", match[0]), instead))
                bad = True
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
