"""The truth: what HotSpot's unified log says of collections and heaps.

Asked for with LOG; the heap before and after each collection comes with the exact addresses of
every space or region, and one line per pause with its kind, cause, sizes and time.
"""

import re

LOG = "gc*=info,gc+heap*=trace,safepoint=info"
MIB = 1 << 20

PAUSE = re.compile(r"GC\((\d+)\) Pause (\w+)((?: \(.*?\)+(?=[ (]|$))*) "
                   r"(\d+)([KMG])->(\d+)([KMG])\((\d+)([KMG])\) ([\d.]+)ms")
SAFEPOINT = re.compile(r'Safepoint "(\w+)".* At safepoint: +(\d+) ns')
# The same in two lines, of JDK 11.
ENTERING = re.compile(r"Entering safepoint region: (\w+)")
LEFT = re.compile(r"threads were stopped: ([\d.]+) seconds, Stopping threads took: ([\d.]+) s")
MOMENT = re.compile(r"GC\(\d+\) Heap ([Bb]efore|[Aa]fter) GC invocations=(\d+) \(full (\d+)\)")
# Serial of JDK 17 has a fourth address before the end of its old space: of the offset table.
THREE = re.compile(r"\[0x([0-9a-f]+), ?0x([0-9a-f]+),(?: ?0x[0-9a-f]+,)? ?0x([0-9a-f]+)\)")
RANGE = re.compile(r"(?:total|committed) (\d+)K, used (\d+)K \[0x([0-9a-f]+), 0x([0-9a-f]+)\)")
REGION = re.compile(r"\| *(\d+)\|0x([0-9a-f]+), 0x([0-9a-f]+), 0x([0-9a-f]+)\| *\d+%\| *(\w+)\|")
REGION_SIZE = re.compile(r"region size (\d+)([KM]),")
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

SPACES = {"eden space": "Eden", "from space": "From", "to space": "To", "to   space": "To",
          "the space": "Old", "the  space": "Old", "object space": "Old"}
GENERATIONS = {"def new generation": "young", "DefNew": "young", "PSYoungGen": "young",
               "tenured generation": "old", "Tenured": "old", "ParOldGen": "old"}


class Pause:
    def __init__(self, match):
        self.text = match[0]
        self.id = int(match[1])
        self.kind = match[2]
        self.words = groups(match[3])
        self.before = int(match[4]) * UNITS[match[5]]
        self.after = int(match[6]) * UNITS[match[7]]
        self.total = int(match[8]) * UNITS[match[9]]
        self.ms = float(match[10])
        self.g1_type = self.words[0] if len(self.words) > 1 else None

    @property
    def cause(self):
        """Young pauses of G1 have their type before the cause."""
        return (self.words[1] if self.g1_type is not None else self.words[0]) if self.words else ""


def groups(text):
    """"(Normal) (System.gc())" as ["Normal", "System.gc()"]."""
    found, depth, word = [], 0, ""
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "(" and depth == 1:
            word = ""
        elif letter == ")" and depth == 0:
            found.append(word)
        else:
            word += letter
    return found


class Heap:
    """The heap at one moment: before or after a collection."""

    def __init__(self, when, invocations, full):
        self.when, self.invocations, self.full = when, invocations, full
        self.spaces = {}       # name: (bottom, top, end)
        self.generations = {}  # "young", "old": (low, end of what is committed, high)
        self.regions = {}      # index: (bottom, top, end, type)
        self.range = None
        self.used = self.total = None
        self.region_bytes = None

    def line(self, text):
        three = THREE.search(text)
        for key, name in SPACES.items():
            if three and re.search(rf"\b{key} ", text):
                self.spaces[name] = tuple(int(v, 16) for v in three.groups())
                return
        for key, name in GENERATIONS.items():
            if three and re.search(rf" {key} +total", text):
                self.generations[name] = tuple(int(v, 16) for v in three.groups())
                return
        if (m := REGION_SIZE.search(text)) is not None:
            self.region_bytes = int(m[1]) * UNITS[m[2]]
        elif "garbage-first heap" in text and (m := RANGE.search(text)) is not None:
            self.total, self.used = int(m[1]) << 10, int(m[2]) << 10
            self.range = (int(m[3], 16), int(m[4], 16))

    def sum(self):
        """Bytes below the tops of all spaces or regions."""
        if self.regions:
            return sum(top - bottom for bottom, top, _, _ in self.regions.values())
        return sum(top - bottom for bottom, top, _ in self.spaces.values())


class Log:
    def __init__(self, path):
        self.pauses = []
        self.operations = []  # VM operations with pauses: (name, nanoseconds, [pauses])
        self.heaps = []
        self.range = None
        open_pauses = []
        entered, follows = "", False
        heap = None
        regions = {}  # the newest list of regions: behind "Heap before", ahead of "Heap after"
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if (m := re.search(r"Heap address: 0x([0-9a-f]+), size: (\d+) MB", line)):
                    low = int(m[1], 16)
                    self.range = (low, low + int(m[2]) * MIB)
                if (m := MOMENT.search(line)) is not None:
                    heap = Heap(m[1].lower(), int(m[2]), int(m[3]))
                    self.heaps.append(heap)
                    if heap.when == "after":
                        heap.regions = regions
                    # JDK 11 goes on in this line, and has the list of regions after it.
                    follows = bool(line[m.end():].strip())
                    heap.line(line[m.end():])
                elif " Heap Regions:" in line:
                    regions = {}
                    if heap is not None and heap.when == "before":
                        heap.regions = heap.regions or regions
                    elif heap is not None and follows:
                        heap.regions = regions
                elif (m := REGION.search(line)) is not None:
                    regions[int(m[1])] = (int(m[2], 16), int(m[3], 16), int(m[4], 16), m[5])
                elif (m := PAUSE.search(line)) is not None:
                    open_pauses.append(Pause(m))
                    self.pauses.append(open_pauses[-1])
                elif (m := SAFEPOINT.search(line)) is not None:
                    if open_pauses:
                        self.operations.append((m[1], int(m[2]), open_pauses))
                    open_pauses = []
                elif (m := ENTERING.search(line)) is not None:
                    entered = m[1]
                elif (m := LEFT.search(line)) is not None:
                    if open_pauses:
                        self.operations.append(
                            (entered, int((float(m[1]) - float(m[2])) * 1e9), open_pauses))
                    open_pauses = []
                elif heap is not None and "[gc,heap " in line.replace("]", " "):
                    heap.line(line)
        self.unfinished = open_pauses
        if self.range is None and self.heaps:  # only told with compressed references
            ends = [v for h in self.heaps for low, _, high in h.generations.values()
                    for v in (low, high)]
            ends += [v for h in self.heaps if h.range for v in h.range]
            self.range = (min(ends), max(ends))

    def heap(self, when, collection, collector):
        """The heap before or after the collection with that number, from 1; None if not logged.
        Parallel counts a collection before it prints the heap, the others behind."""
        number = collection - 1 if when == "before" and collector != "Parallel" else collection
        found = [h for h in self.heaps if h.when == when and h.invocations == number]
        # A young collection that turns into a full one has two entries with one number.
        return (found[0] if when == "before" else found[-1]) if found else None
