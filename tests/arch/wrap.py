#!/usr/bin/env python3
"""Wraps the prose of Markdown pages at 100 columns: wrap.py FILE...

Only paragraphs and items with a longer line change. Tables, headings, pictures, blocks of code and
what a program wrote (between `<!-- by …` and `<!-- to here`) stay as they are.
"""

import re
import sys

WIDTH = 100
ITEM = re.compile(r"^ *([-*+]|\d+\.) +")
OTHER = ("|", "#", "<", "    ", "\t", "![")


def words(text):
    """A short span of code is one word."""
    parts = re.split(r"(`[^`]{1,58}`)", text)
    parts[1::2] = [part.replace(" ", "\0") for part in parts[1::2]]
    return [word.replace("\0", " ") for word in "".join(parts).split()]


def wrapped(first, rest, text):
    lines, line = [], first
    for word in words(text):
        begun = line not in (first, rest)
        # What Markdown would take for an item, a heading or a table does not begin a line.
        special = re.match(r"([-*+>]|\d+\.)$|[#|]", word)
        if begun and len(line) + 1 + len(word) > WIDTH and not special:
            lines.append(line)
            line, begun = rest, False
        line += (" " if begun else "") + word
    return lines + [line]


def page(lines):
    result, at, code, made = [], 0, False, False
    while at < len(lines):
        line = lines[at]
        fence = line.lstrip().startswith("```")
        code = code != fence
        made = line.startswith("<!-- by ") or made and not line.startswith("<!-- to here")
        at += 1
        if code or fence or made or not line.strip() or line.startswith(OTHER):
            result.append(line)
            continue
        item = ITEM.match(line)
        first = item[0] if item else line[:len(line) - len(line.lstrip(" "))]
        block = [line[len(first):]]
        while at < len(lines) and lines[at].strip() and not ITEM.match(lines[at]) and \
                not lines[at].lstrip().startswith(("```", "|", "#", "![", "<!--")):
            block.append(lines[at].strip())
            at += 1
        if len(first + block[0]) > WIDTH or any(
                len(whole) > WIDTH for whole in lines[at - len(block) + 1:at]):
            result += wrapped(first, " " * len(first), " ".join(block))
        else:
            result += lines[at - len(block):at]
    return result


def main():
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        new = "\n".join(page(text.split("\n")))
        if new != text:
            with open(name, "w", encoding="utf-8") as file:
                file.write(new)


if __name__ == "__main__":
    main()
