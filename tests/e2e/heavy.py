"""What the tests of the heavy volume share: the streams of a sweep, over all spaces of a heap."""

import re

from jvm import column, space, summary

STALE = 32
HEAVY = "port=0,volume=heavy,heavy-budget=1000"
HEAPS = {"Serial": ("Eden", "From", "To", "Old"), "Parallel": ("Eden", "From", "To", "Old"),
         "G1": ("G1 regions",), "Shenandoah": ("Shenandoah regions",),
         "Epsilon": ("Epsilon heap",)}


def heaps(row, snapshot):
    return [space(snapshot, name) for name in HEAPS[row.collector]]


def total(row, snapshot, stream):
    return sum(sum(summary(s, stream)[:1]) for s in heaps(row, snapshot))


def shown(snapshot):
    """{class: [instances, bytes]} of the space of classes."""
    s = space(snapshot, "Classes")
    found = {}
    for name, instances, taken in zip(s.tile_names, column(s, "Instances"), column(s, "Bytes")):
        entry = found.get(name, [0, 0])
        found[name] = [entry[0] + instances, entry[1] + taken]
    return found


def has(of, stream):
    return any(s["name"] == stream for s in of.streams)


def settings(view):
    body = view.answered(view.ask("settings")).body.decode()
    return dict(line.split("=", 1) for line in body.splitlines())


def stale(row, snapshot):
    return sum(bool(c & STALE) for s in heaps(row, snapshot) for c in column(s, "Control"))


def swept(row, snapshot):
    return sum(c for s in heaps(row, snapshot) for name, c in summary(s, "Sweep").items()
               if name != "Not swept")


# The JVM's own histogram.

PRIMITIVES = {"Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long",
              "F": "float", "D": "double"}


def java_name(name):
    """A name of the histogram in the words of the Java language."""
    depth = len(name) - len(name.lstrip("["))
    if depth:
        name = name[depth:]
        name = name[1:-1] if name.startswith("L") else PRIMITIVES[name]
    return name + "[]" * depth


def made_up(name):
    """Classes that the JVM makes at run time, which are shown without their numbers."""
    return "0x" in name or "$$" in name or "Generated" in name or "+" in name


def histogram(text):
    """{class: [instances, bytes]}"""
    found = {}
    for line in re.finditer(r"^ *\d+: +(\d+) +(\d+) +(\S+)", text, re.M):
        instances, taken = int(line[1]), int(line[2])
        entry = found.setdefault(java_name(line[3]), [0, 0])
        found[java_name(line[3])] = [entry[0] + instances, entry[1] + taken]
    return found


def without_fillers(jdk, classes):
    """Before JDK 19 the JVM fills holes with objects like any other."""
    filled = ("int[]", "java.lang.Object") if jdk.major < 19 else ()
    return {name: entry for name, entry in classes.items() if name not in filled}


def both(classes):
    return [sum(column) for column in zip(*classes.values())]
