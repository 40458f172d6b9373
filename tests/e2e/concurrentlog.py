"""The truth for concurrent collectors: the JVM's log for pauses and sizes, `jcmd VM.info` for every
page or region at one moment.
"""

import re

LOG = "gc*=info,gc+reloc=trace,safepoint=info"
MIB = 1 << 20

OPERATION = re.compile(r'Safepoint "((?:Z|Shenandoah)\w+)".* At safepoint: +(\d+) ns')
SIZES = re.compile(r"GC\((\d+)\) (?:([YyO]): )?  +(Used|Live): +(.*)")
AGE = re.compile(r"GC\((\d+)\) [Yy]: (Eden|Survivor (\d+)) +(?:(?:\S+ \(\S+\)|-) +){2}(\d+) / ")
RELOCATION = re.compile(r"GC\((\d+)\) Relocation Set \(\w+ Pages\): (\d+)->")
COLLECTION_SET = re.compile(r"CSet: \S+ \(\S+\), (\d+) regions|Used CSet: (\d+)([BKM]),")
MAJOR_END = re.compile(r"GC\((\d+)\) Major Collection \(.*\) +\d+M")
PAGE = re.compile(r" (Small|Medium|Large) +0x([0-9a-f]+) 0x([0-9a-f]+) 0x([0-9a-f]+) +"
                  r"(?:([YO])/(\d+))?")
REGION = re.compile(r"\| *(\d+)\|(\w+) *\|(?:(\w+) *\|)?BTE +([0-9a-f]+), +([0-9a-f]+), +"
                    r"([0-9a-f]+)\|.*\|L +(\d+)([BKM]) *\|")
UNITS = {"B": 1, "K": 1 << 10, "M": 1 << 20}

# What the agent calls a pause, by the name of the JVM's operation.
KINDS = {
    "ZMarkStart": {"Mark start"},
    "ZMarkEnd": {"Mark end"},
    "ZRelocateStart": {"Relocate start"},
    "ZMarkStartYoung": {"Young mark start"},
    "ZMarkStartYoungAndOld": {"Young and old mark start"},
    # A young collection in the middle of an old one leaves open whose marking has ended.
    "ZMarkEndYoung": {"Young mark end", "Mark end"},
    "ZRelocateStartYoung": {"Young relocate start"},
    "ZMarkEndOld": {"Old mark end", "Mark end"},
    "ZRelocateStartOld": {"Old relocate start"},
    "ShenandoahInitMark": {"Init mark"},
    "ShenandoahFinalMarkStartEvac": {"Final mark"},
    "ShenandoahFinalRoots": {"Final roots"},
    "ShenandoahInitUpdateRefs": {"Init update refs"},
    "ShenandoahFinalUpdateRefs": {"Final update refs"},
    "ShenandoahFullGC": {"Full", "Degenerated or full"},
    # It may turn into a full collection inside.
    "ShenandoahDegeneratedGC": {"Degenerated", "Degenerated or full", "Full"},
}
FIRST = {"ZMarkStart", "ZMarkStartYoung", "ZMarkStartYoungAndOld", "ShenandoahInitMark",
         "ShenandoahFullGC", "ShenandoahDegeneratedGC"}


def megabytes(text):
    """"42M (33%)  54M (42%)" as bytes; "-" as None."""
    return [None if word == "-" else int(word[:-1]) * MIB
            for word in re.findall(r"-|\d+M", re.sub(r"\(.*?\)", "", text))]


class Pause:
    def __init__(self, operation, nanoseconds, number):
        self.operation, self.nanoseconds, self.number = operation, nanoseconds, number
        self.collected = None  # what the log says of the collection set, of a final mark
        self.both = False      # both generations of ZGC were being collected

    def __repr__(self):
        return f"{self.operation} of {self.number}"


class Cycle:
    """One young or whole collection, or one of the old generation."""

    def __init__(self):
        self.used = self.live = None  # at the start and the end of marking, before relocation …
        self.ages = {}                # pages that could be relocated, by age
        self.relocated = 0


class Log:
    def __init__(self, path):
        self.pauses = []
        self.cycles = []  # of ZGC, without the old generation's
        self.olds = []
        number = old_number = 0
        collected = None
        both = False
        open_cycles = {}
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if (m := OPERATION.search(line)) is not None:
                    number += m[1] in FIRST
                    if m[1] == "ZMarkStartYoungAndOld":
                        old_number = number
                    self.pauses.append(Pause(m[1], int(m[2]), old_number if "Old" in m[1]
                                             else number))
                    self.pauses[-1].collected, collected = collected, None
                    both = both or m[1] == "ZMarkStartYoungAndOld"
                    self.pauses[-1].both = both
                elif MAJOR_END.search(line) is not None:
                    both = False
                elif (m := COLLECTION_SET.search(line)) is not None:
                    collected = ("regions", int(m[1])) if m[1] else \
                        ("bytes", int(m[2]) * UNITS[m[3]])
                else:
                    self.sizes(line, open_cycles)

    def cycle(self, key, open_cycles, new):
        """The cycle that the line belongs to; a list of sizes for the whole heap begins one."""
        if new or key not in open_cycles:
            open_cycles[key] = Cycle()
            (self.olds if key[1] == "O" else self.cycles).append(open_cycles[key])
        return open_cycles[key]

    def sizes(self, line, open_cycles):
        if (m := RELOCATION.search(line)) is not None:  # JDK 17: before the sizes
            open_cycles.setdefault(("set", m[1]), [0])[0] += int(m[2])
        elif (m := AGE.search(line)) is not None:
            open_cycles.setdefault(("ages", m[1]), {})[int(m[3] or 0)] = int(m[4])
        elif (m := SIZES.search(line)) is not None:
            key = (m[1], (m[2] or "").upper())
            values = megabytes(m[4])
            if m[3] == "Live":
                self.cycle(key, open_cycles, False).live = values
            elif len(values) == 6:  # of the whole heap, with its highest and lowest
                cycle = self.cycle(key, open_cycles, True)
                cycle.used = values
                cycle.relocated = open_cycles.pop(("set", m[1]), [0])[0]
                if key[1] != "O":
                    cycle.ages = open_cycles.pop(("ages", m[1]), {})


def pages(info):
    """VM.info of ZGC: {offset: (end, top, type, generation or None, cycle or None)}."""
    return {int(m[2], 16): (int(m[4], 16), int(m[3], 16), m[1], m[5], m[6] and int(m[6]))
            for m in PAGE.finditer(info)}


STATES = {"EU": "Uncommitted", "EC": "Empty", "R": "Regular", "H": "Humongous start",
          "HP": "Pinned humongous start", "HC": "Humongous continuation", "CS": "Collection set",
          "TR": "Trash", "P": "Pinned", "CSP": "Pinned in collection set"}


def regions(info):
    """VM.info of Shenandoah: {index: (state, bottom, top, end, live, unit of live)}."""
    return {int(m[1]): (STATES[m[2]], int(m[4], 16), int(m[5], 16), int(m[6], 16),
                        int(m[7]) * UNITS[m[8]], UNITS[m[8]]) for m in REGION.finditer(info)}
