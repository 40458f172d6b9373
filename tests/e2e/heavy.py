"""What the tests of the heavy volume share: the streams of a heap walk, over all spaces of a heap."""

import re

from jvm import TIMEOUT, column, space, summary

STALE = 32
# A client is silent while jcmd counts, for long on a busy machine.
HEAVY = "port=0,volume=heavy,heavy-budget=1000,keep-alive=600"
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


def walked(row, snapshot):
    return sum(c for s in heaps(row, snapshot) for name, c in summary(s, "Counted").items()
               if name != "Not counted")


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


# A program at rest.


def announces(jdk, row):
    """Whether agents are notified of the full collection with which a histogram begins."""
    return jdk.major > 21 or row.collector == "G1"


def full(view, since):
    """The finish of a full collection after that place."""
    def found():
        return [s for s in view.of("GC finish")[since:] if view.attributes(s)["Kind"] == "Full"]
    view.wait(found, TIMEOUT)
    return found()[-1]


def marked(view, since):
    """Ends of Shenandoah's markings from there on."""
    return len([s for s in view.of("GC finish")[since:]
                if view.attributes(s)["Kind"] in ("Final mark", "Full")])


def after_tick(view, row):
    """A tick of Epsilon's clock from now on at which everything was counted."""
    return view.tick(lambda s: stale(row, s) == 0)


def counted(jdk, row, jvm, view):
    """All objects of a program at rest, as the heap walk and the JVM count them: (snapshot, text of
    the histogram)."""
    if row.collector == "Epsilon":
        return after_tick(view, row), jvm.jcmd("GC.class_histogram")
    since = len(view.of("GC finish"))
    if row.collector == "Shenandoah":
        for cycle in range(3):
            jvm.jcmd("GC.run")
            view.wait(lambda n=cycle: marked(view, since) > n, TIMEOUT)
        text = jvm.jcmd("GC.class_histogram")
        return [s for s in view.of("GC finish") if stale(row, s) == 0][-1], text
    if not announces(jdk, row):
        jvm.jcmd("GC.run")
    text = jvm.jcmd("GC.class_histogram")
    return full(view, since), text


class Counting:
    """For a test case."""

    def near(self, here, there, what, slack=0):
        """Within 1 %."""
        self.assertLessEqual(abs(here - there), 0.01 * there + slack, f"{what}: {here}, {there}")

    def compare_classes(self, truth, classes, slack):
        """H5: instances and bytes of the whole heap and of each class. The JVM's own threads may make
        so many objects of a class in between."""
        there, here = both(truth), both(classes)
        self.assertGreater(there[0], 10000)
        self.near(here[0], there[0], "objects")
        self.near(here[1], there[1], "bytes")
        compared = 0
        for name, (count, bytes_) in truth.items():
            if made_up(name) or name not in classes:
                continue
            compared += 1
            self.near(classes[name][0], count, f"objects of {name}", slack)
            self.near(classes[name][1], bytes_, f"bytes of {name}", slack * 100)
        self.assertGreater(compared, 100)
