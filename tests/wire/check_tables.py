"""The tables of docs/protocol.md against the C headers: both must say the same, and all of it.

    check_tables.py ROOT
"""

import os
import re
import sys

import gcspy_wire as wire

# Enumerations of the document: the C enumeration, and the prefix of its members. Members that
# count the others end in _COUNT.
ENUMERATIONS = {
    "reason": ("bye_reason", "BYE_"),
    "attribute kind": ("gcs_attribute_kind", "GCS_ATTRIBUTE_"),
    "format": ("gcs_format", "GCS_"),
    "space kind": ("gcs_space_kind", "GCS_SPACE_"),
    "role": ("gcs_role", "GCS_ROLE_"),
    "type": ("gcs_type", "GCS_TYPE_"),
    "presentation": ("gcs_presentation", "GCS_"),
    "maximum": ("gcs_maximum", "GCS_MAX_"),
    "paint": ("gcs_paint", "GCS_PAINT_"),
    "summary kind": ("gcs_summary_kind", "GCS_SUMMARY_"),
    "run state": ("gcs_run_state", "GCS_"),
    "pace": ("gcs_pace", "GCS_PACE_"),
}

HEADERS = ["include/gcspy/wire.h", "include/gcspy/model.h", "include/gcspy/client.h",
           "include/gcspy/server.h", "include/gcspy/token.h", "protocol/codec.h",
           "protocol/gate.h"]

problems = []


def differ(what, document, code):
    """Notes each entry that the two do not share."""
    for key in sorted(set(document) | set(code), key=str):
        if document.get(key) != code.get(key):
            problems.append(f"{what} {key}: the document says {document.get(key)}, "
                            f"the code {code.get(key)}")
    if not code or not document:
        problems.append(f"{what}: nothing found to compare")


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def part(document, begin, end):
    found = re.search(rf"^{begin}.*?(?=^{end}|\Z)", document, re.M | re.S)
    return found.group(0) if found else ""


def list_macro(code, name):
    body = re.search(rf"#define {name}\(X\)((?:[^\n]*\\\n)*[^\n]*)", code).group(1)
    return {n: (int(number), sender) for n, number, sender in
            re.findall(r"X\((\w+), (\d+), ([SC])\)", body)}


def check_kinds(document, code):
    tables = part(document, r"### 4\.1 ", "### ").split("\n\n")
    rows = [{m[0]: (int(m[1]), m[2]) for m in
             re.findall(r"^\| (\w+) \| (\d+) \| ([SC]) \| [^|]+ \|$", t, re.M)} for t in tables]
    rows = [table for table in rows if table]
    if len(rows) != 2:
        problems.append("section 4.1 has not two tables of messages")
        return
    kinds = list_macro(code, "GCS_WIRE_KINDS")
    differ("message", rows[0], kinds)
    differ("reserved message", rows[1], list_macro(code, "GCS_WIRE_RESERVED"))
    differ("message of the Python client", {n: k[0] for n, k in rows[0].items()}, wire.KIND)
    headings = re.findall(r"^### ([A-Z_]+)$", document, re.M)
    if headings != list(kinds):
        problems.append(f"section 4 describes {headings}, the code has {list(kinds)}")


def check_flags(document, code):
    rows = {m[0]: int(m[1]) for m in
            re.findall(r"^\| (DEFLATED|MUST|HELLO_\w+) \| (\d+) \| [^|]+ \|$", document, re.M)}
    found = {m[0]: int(m[1]) for m in re.findall(
        r"#define GCS_(?:WIRE_)?(DEFLATED|MUST|HELLO_\w+)[ \\\n\t]+(\d+)u", code)}
    differ("flag", rows, found)


def check_limits(document, code):
    rows = {m[0]: int(m[1]) for m in
            re.findall(r"^\| (\w+) \| (\d+) \| [^|]+ \|$", part(document, "## 7", "## "), re.M)}
    found = {m[0]: int(m[1]) for m in re.findall(
        r"#define ((?:GCS_MAX|GCS_WIRE_MAX|CODEC|GATE)_\w+)\s+(\d+)u", code)}
    differ("limit", rows, found)


def check_enumerations(document, code):
    rows = {m[0]: m[1] for m in re.findall(r"^\| ([a-z ]+) \| (0 [A-Z].*?) \|$",
                                           part(document, "### 4.3", "## "), re.M)}
    differ("enumeration", dict.fromkeys(rows, 1), dict.fromkeys(ENUMERATIONS, 1))
    for name, (tag, prefix) in ENUMERATIONS.items():
        text = {int(n): word for n, word in re.findall(r"(\d+) ([A-Z_0-9]+)", rows.get(name, ""))}
        body = re.sub(r"/\*.*?\*/", "", re.search(rf"enum {tag} \{{(.*?)\}}", code, re.S).group(1),
                      flags=re.S)
        members = [m.strip() for m in body.split(",") if m.strip()]
        found = {}
        for i, member in enumerate(m for m in members if not m.endswith("_COUNT")):
            if "=" in member or not member.startswith(prefix):
                problems.append(f"enumeration {tag}: {member} is not understood")
            found[i] = member[len(prefix):]
        differ(f"enumeration {name}", text, found)


def check_bits(document, code):
    rows = {m[0]: int(m[1]) for m in re.findall(
        r"^\| ([A-Z]+) \| (\d+) \| [^|]+ \|$", part(document, "### 6.2", "### "), re.M)}
    found = {m[0]: int(m[1]) for m in re.findall(r"GCS_TILE_(\w+)\s*=\s*(\d+)", code)}
    differ("control bit", rows, found)


def check_constants(document, code):
    """What stands in the text beside the tables."""
    major = re.search(r"GCS_PROTOCOL_MAJOR (\d+)", code).group(1)
    minor = re.search(r"GCS_PROTOCOL_MINOR (\d+)", code).group(1)
    magic = re.search(r'GCS_WIRE_MAGIC\s+"(\w+)"', code).group(1)
    for words in (f"version {major}.{minor}", f"| 4 | 2 | major | {major} |",
                  f"| 6 | 2 | minor | {minor} |", f'`{magic.encode().hex(" ")}`, "{magic}"'):
        if words not in document:
            problems.append(f"the document does not say {words!r}")
    differ("constant of the Python client",
           {"magic": wire.MAGIC.decode(), "version": (wire.MAJOR, wire.MINOR)},
           {"magic": magic, "version": (int(major), int(minor))})


def main(root):
    document = read(root, "docs/protocol.md")
    code = "".join(read(root, path) for path in HEADERS) + read(root, "include/gcspy/version.h")
    for check in (check_kinds, check_flags, check_limits, check_enumerations, check_bits,
                  check_constants):
        check(document, code)
    for problem in problems:
        print(f"docs/protocol.md: {problem}")
    if not problems:
        print("docs/protocol.md and the code agree")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
