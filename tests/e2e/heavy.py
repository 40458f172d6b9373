"""What the tests of the heavy volume share: the streams of a sweep, over all spaces of a heap."""

from jvm import column, space, summary

STALE = 32
HEAVY = "port=0,volume=heavy,heavy-budget=1000"
HEAPS = {"Serial": ("Eden", "From", "To", "Old"), "Parallel": ("Eden", "From", "To", "Old"),
         "G1": ("G1 regions",)}


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
