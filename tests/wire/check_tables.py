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
    "seek action": ("gcs_seek_action", "GCS_SEEK_"),
    "plugin kind": ("gcs_plugin_kind", "GCS_PLUGIN_"),
    "parameter kind": ("gcs_parameter_kind", "GCS_PARAMETER_"),
    "column kind": ("gcs_column_kind", "GCS_COLUMN_"),
}

# An enumeration of the document whose numbers are the places in a table of the codec, and that table.
TABLES = {"answer status": ("protocol/wire/codec_query.c", "answers", "GCS_")}

# Those of the profile document, in section 11.
FRAME_KIND = ("gcs_frame_kind", "GCS_FRAME_")

HEADERS = ["include/gcspy/wire.h", "include/gcspy/model.h", "include/gcspy/plugin.h",
           "include/gcspy/client.h",
           "include/gcspy/server.h", "include/gcspy/control.h", "include/gcspy/token.h", "include/gcspy/profile.h",
           "include/gcspy/trigger.h",
           "protocol/wire/codec.h", "protocol/server/gate.h", "protocol/model/profile_tables.h"]

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
        r"#define ((?:GCS_MAX|GCS_WIRE_MAX|CODEC|GATE|PROFILE_MAX)_\w+)\s+(\d+)u", code)}
    differ("limit", rows, found)


def enumerations(section):
    """The rows of a table of enumerations: name to {number: word}."""
    rows = re.findall(r"^\| ([a-z ]+) \| (0 [A-Z].*?) \|$", section, re.M)
    return {name: {int(n): word for n, word in re.findall(r"(\d+) ([A-Z_0-9]+)", numbers)}
            for name, numbers in rows}


def members(what, body, prefix):
    """The members of a C enumeration or the items of a table, without those that count."""
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    found = {}
    for i, member in enumerate(m for m in re.split(r"[\s,]+", body.strip(" \t\n,"))
                               if not m.endswith("_COUNT")):
        if not re.fullmatch(rf"{prefix}\w+", member):
            problems.append(f"enumeration {what}: {member} is not understood")
        found[i] = member[len(prefix):]
    return found


def enumeration(code, tag, prefix):
    return members(tag, re.search(rf"enum {tag} \{{(.*?)\}}", code, re.S).group(1), prefix)


def check_enumerations(document, code):
    rows = enumerations(part(document, "### 4.3", "## "))
    differ("enumeration", dict.fromkeys(rows, 1), dict.fromkeys([*ENUMERATIONS, *TABLES], 1))
    for name, (tag, prefix) in ENUMERATIONS.items():
        differ(f"enumeration {name}", rows.get(name, {}), enumeration(code, tag, prefix))
    for name, (path, table, prefix) in TABLES.items():
        body = re.search(rf"\b{table}\[\] = \{{(.*?)\}};", read(sys.argv[1], path), re.S).group(1)
        differ(f"enumeration {name}", rows.get(name, {}), members(table, body, prefix))
    words = dict(enumerate(wire.ANSWER_STATUS))
    differ("answer status of the Python client", rows.get("answer status", {}), words)
    told = re.findall(r"^\| ([A-Z]+) \| [^|]+ \|$", part(document, "### 6.8", "## "), re.M)
    differ("answer status of section 6.8", dict(enumerate(told)), words)


def check_profile(document, code):
    """Section 11: kinds of profiles and frames, words, buckets of ages, all three of a kind."""
    section = part(document, "## 11", "## ")
    rows = enumerations(section)
    differ("enumeration of section 11", dict.fromkeys(rows, 1),
           dict.fromkeys(["profile kind", "frame kind"], 1))
    body = re.search(r"#define GCS_PROFILE_KINDS\(X\)((?:[^\n]*\\\n)*[^\n]*)", code).group(1)
    kinds = re.findall(r'X\((\w+), "(\w+)", "[^"]+"\)', body)
    differ("profile kind", rows.get("profile kind", {}), dict(enumerate(k for k, _ in kinds)))
    differ("profile kind of the Python client", dict(enumerate(wire.PROFILE_KIND)),
           dict(enumerate(k for k, _ in kinds)))
    words = dict(re.findall(r"^\| ([A-Z]+) \| `(\w+)` \| [^|]+ \| [^|]+ \|$", section, re.M))
    differ("word of a profile kind", words, dict(kinds))
    differ("word of a profile kind in the Python client", wire.PROFILE_WORD, dict(kinds))
    frames = enumeration(code, *FRAME_KIND)
    differ("frame kind", rows.get("frame kind", {}), frames)
    differ("frame kind of the Python client", dict(enumerate(wire.FRAME_KIND)), frames)
    told = re.findall(r"^\| ([A-Z_]+) \| [^|]+ \| [^|]+ \|$", section, re.M)
    differ("frame kind that is explained", dict(enumerate(told)), frames)
    buckets = re.search(r"survival_texts\[\w+\] = \{(.*?)\}", read(sys.argv[1], "protocol/model/profile.c"),
                        re.S).group(1)
    buckets = dict(enumerate(re.findall(r'"([^"]+)"', buckets)))
    ages = re.search(r"^\| age \| (0 .*) \|$", section, re.M).group(1).split(" | ")
    differ("bucket of ages", dict(enumerate(ages)), buckets)
    differ("bucket of ages of the Python client", dict(enumerate(wire.SURVIVAL)), buckets)


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
    for check in (check_kinds, check_flags, check_limits, check_enumerations, check_profile,
                  check_bits, check_constants):
        check(document, code)
    for problem in problems:
        print(f"docs/protocol.md: {problem}")
    if not problems:
        print("docs/protocol.md and the code agree")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
