"""What each JDK here shows of each collector, from real runs: the table of docs/collectors.md.

    gaps.py            prints the table of the JDKs here
    gaps.py --write    writes it into docs/collectors.md

tests/jdks/jdks.sh has a system with every JDK of the table; test_gaps.py compares the page with the
JDKs that there are.
"""

import os
import re
import sys

import table
from jvm import JDKS, Jvm, space

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "collectors.md")
BEGIN = "<!-- by tests/e2e/gaps.py: -->"
END = "<!-- to here -->"
OPTIONS = "port=0,volume=heavy,interval=64k"
SPACES = ("Eden", "G1 regions", "ZGC pages", "Shenandoah regions", "Epsilon heap")
UNLOCK = table.EXPERIMENTAL

# Name, row and the JDKs that have it.
MODES = (
    ("Serial", table.Row("Serial", "-Xmx64m", OPTIONS), ()),
    ("Parallel", table.Row("Parallel", "-Xmx64m", OPTIONS), ()),
    ("G1", table.Row("G1", "-Xmx64m", OPTIONS), ()),
    ("ZGC without generations", table.Row("Z", "-Xmx64m", OPTIONS, unlock=UNLOCK), range(11, 21)),
    ("ZGC without generations", table.Row("Z", "-Xmx64m -XX:-ZGenerational", OPTIONS), (21,)),
    ("ZGC with generations", table.Row("Z", "-Xmx64m -XX:+ZGenerational", OPTIONS), (21,)),
    ("ZGC with generations", table.Row("Z", "-Xmx64m", OPTIONS), range(23, 100)),
    ("Shenandoah", table.Row("Shenandoah", "-Xmx64m", OPTIONS), ()),
    ("Shenandoah with generations", table.Row("Shenandoah", f"-Xmx64m {table.GENERATIONAL}",
                                              OPTIONS, unlock=UNLOCK), range(25, 100)),
    ("Epsilon", table.Row("Epsilon", "-Xmx256m", OPTIONS, unlock=UNLOCK), ()),
)

# The line of the general information that says why a stream is missing, where it is not the line of
# the heap map. Lines that no stream is about are rows of their own.
REASONS = (
    (r"^Live$", r"^live bytes of each"),
    (r"^(Age|Generation)$", r"age of each (ZGC page|Shenandoah region)"),
    (r"^Relocation set$", r"^which ZGC pages"),
    (r"^(Counted|Objects|Object bytes|Scalars|Arrays|Unparsable|Fillers)$", r"^heavy volume"),
    (r"^(Dirty|Clean|Other) cards$", r"^(the card table|heavy volume)"),
    (r"^Sampled live", r"^addresses of sampled"),
    (r"", r"^(heap map|type and fill of|state and fill of)"),
)
# Rows of every collector.
ALWAYS = ("the list of all threads at a safepoint", "fast stacks of sampled allocations",
          "sampling without bias")
FILLERS = "Fillers look like an Object or an int array."


def look(jdk, row):
    """The streams of the heap's first space, and {what is missing: why}."""
    release = re.compile(rf"(HotSpot|JDK) {jdk.major}[\w.+-]*(?<![.])")
    with Jvm(jdk, "Layout", row.flags, row.options) as jvm:
        jvm.answer()
        with jvm.attach() as view:
            snapshot = view.picture()
            found = [s for s in (space(snapshot, name) for name in SPACES) if s is not None]
            streams = [s["name"] for s in found[0].streams] if found else []
            missing = {key[len("Not available: "):]: release.sub(r"\1 N", why)
                       for key, why in view.info if key.startswith("Not available: ")}
    return [s for s in streams if s not in ("Control", "Range", "Start", "End")], missing


def gaps(jdk):
    """{collector: (streams, missing)} of one JDK."""
    return {name: look(jdk, row) for name, row, majors in MODES
            if (not majors or jdk.major in majors) and not row.why_not(jdk)}


def line(what):
    """A row that is no stream."""
    return f"*{what[0].upper()}{what[1:]}*"


def rows_of(modes):
    """The rows of one collector, given what JDKs show of it."""
    rows = []
    for streams, _ in modes:
        rows += [s for s in streams if s not in rows]
    counted = "Counted" in rows
    own = list(ALWAYS)
    for _, missing in modes:
        own += [what for what in missing if what not in own and
                (what == "heavy volume" and not counted or
                 not any(re.search(told, what) for _, told in REASONS) or what == "the card table"
                 and not counted)]
    return rows + [line(what) for what in own]


def why_not(row, streams, missing):
    """Why a JDK does not have the row; None: it has."""
    if row in streams:
        return None
    if row.startswith("*"):
        found = {line(what): why for what, why in missing.items()}
        return found.get(row, missing.get("heap map") if row == "*Heavy volume*" else None)
    for mine, told in REASONS:
        if re.search(mine, row):
            for what, why in missing.items():
                if re.search(told, what):
                    return why
    return FILLERS if row == "Fillers" else "It has none."


def text(found):
    """The page's part."""
    majors, reasons, lines = sorted(found), [], []
    for name in dict.fromkeys(name for name, _, _ in MODES):
        modes = {major: shown[name] for major, shown in found.items() if name in shown}
        lines += [f"### {name}", "", "| | " + " | ".join(map(str, majors)) + " |",
                  "| --- |" + " --- |" * len(majors)]
        for row in rows_of(modes.values()):
            cells = []
            for major in majors:
                why = why_not(row, *modes[major]) if major in modes else None
                if why is not None and why not in reasons:
                    reasons.append(why)
                cells.append("" if major not in modes else "yes" if why is None
                             else f"({reasons.index(why) + 1})")
            lines.append(f"| {row} | " + " | ".join(cells) + " |")
        lines.append("")
    lines += ["The gaps, with N for the number of the JDK:", ""]
    lines += [f"{i + 1}. {why}" for i, why in enumerate(reasons)]
    return "\n".join(lines)


def newest():
    """One JDK for each number: the newest update."""
    return {jdk.major: jdk for jdk in JDKS}


def main():
    found = {major: gaps(jdk) for major, jdk in newest().items()}
    if sys.argv[1:] != ["--write"]:
        print(text(found))
        return
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    before, rest = page.split(BEGIN)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n\n{text(found)}\n\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
