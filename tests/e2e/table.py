"""What runs where: one row for a collector, the JVM's flags and the agent's options. Each check
takes the rows of its list on every JDK; a row that a JDK cannot run says why.
"""

import functools


class Row:
    def __init__(self, collector, flags="-Xms32m -Xmx64m", options="port=0", since=11, name="",
                 unlock=""):
        self.collector, self.options, self.since, self.name = collector, options, since, name
        words = unlock.split() + ([f"-XX:+Use{collector}GC"] if collector else [])
        self.flags = tuple(words + flags.split())

    def __repr__(self):
        return f"{self.collector} {self.name}".strip()

    def why_not(self, jdk):
        """None, or why this JDK cannot run the row."""
        if jdk.major < self.since:
            return f"JDK {self.since} or later is needed"
        return None if starts(jdk, self.flags) else "the JVM does not start with " + \
            " ".join(self.flags)


@functools.lru_cache(maxsize=None)
def starts(jdk, flags):
    return jdk.takes(*flags)


EXPERIMENTAL = "-XX:+UnlockExperimentalVMOptions"

# The three collectors whose heaps are drawn.
DRAWN = (Row("Serial"), Row("Parallel"), Row("G1"))

# Heaps against the JVM's own account of them.
LAYOUT = DRAWN + (
    Row("Serial", name="blocks of 4k", options="port=0,block=4k"),
    Row("Parallel", name="blocks of 256k", options="port=0,block=256k"),
    Row("Serial", "-Xms32m -Xmx2g", name="2g in 100 tiles", options="port=0,max-tiles=100"),
    Row("Parallel", "-Xms32m -Xmx2g", name="2g in 64 tiles",
        options="port=0,block=512,max-tiles=64"),
    Row("G1", "-Xms32m -Xmx2g", name="2g in 50 tiles", options="port=0,max-tiles=50"),
    Row("G1", "-Xms64m -Xmx64m -XX:G1HeapRegionSize=2m", name="regions of 2m"),
    Row("Serial", "-Xms32m -Xmx64m -XX:-UseCompressedOops", name="wide references"),
    Row("G1", "-Xms32m -Xmx64m -XX:-UseCompressedOops", name="wide references"),
    Row("Parallel", "-Xms32m -Xmx64m -XX:ObjectAlignmentInBytes=16", name="alignment of 16"),
    Row("G1", "-Xms32m -Xmx64m -XX:+UseCompactObjectHeaders", name="compact headers", since=25),
)

# Collectors that work while the program runs.
GENERATIONAL = "-XX:ShenandoahGCMode=generational"
MAPPED = 17  # JDK 11 does not export what a map of these two needs
CONCURRENT = (
    Row("Z", "-Xms32m -Xmx128m", since=MAPPED),
    Row("Shenandoah", "-Xms32m -Xmx128m", since=MAPPED),
    Row("Shenandoah", f"-Xms32m -Xmx128m {GENERATIONAL}", since=25, name="generational",
        unlock=EXPERIMENTAL),
)

# Whole collections of Shenandoah with the program standing still.
PASSIVE = "-XX:+UnlockDiagnosticVMOptions -XX:ShenandoahGCMode=passive"
STOPPED = (Row("Shenandoah", f"-Xms32m -Xmx64m {PASSIVE}", since=MAPPED, name="passive"),)

# Heaps page by page and region by region, with other layouts of objects, and humongous ones.
AT_REST = (
    Row("Z", "-Xmx128m -XX:-UseCompressedClassPointers", since=MAPPED, name="wide classes"),
    Row("Z", "-Xms64m -Xmx64m -XX:+UseCompactObjectHeaders", since=25, name="compact headers"),
    Row("Z", "-Xmx256m", since=MAPPED, name="256m in 32 tiles", options="port=0,max-tiles=32"),
    Row("Shenandoah", "-Xmx128m -XX:-UseCompressedClassPointers", since=MAPPED,
        name="wide classes"),
    Row("Shenandoah", "-Xms64m -Xmx64m -XX:+UseCompactObjectHeaders", since=25,
        name="compact headers"),
    Row("Shenandoah", "-Xms32m -Xmx1g -XX:-UsePerfData", since=MAPPED, name="1g in 100 tiles",
        options="port=0,max-tiles=100"),
)
EPSILON = (Row("Epsilon", "-Xms32m -Xmx256m", unlock=EXPERIMENTAL),
           Row("Epsilon", "-Xms32m -Xmx64m", "port=0,clock=50,block=256k", name="clock of 50 ms",
               unlock=EXPERIMENTAL))

# Heaps whose objects are counted, and each layout of objects. A full collection leaves no dead ones.
NO_DEAD = "-Xms64m -Xmx64m -XX:MarkSweepDeadRatio=0"
HEAVY_PLAIN = (Row("Serial", NO_DEAD), Row("Parallel", NO_DEAD),
               Row("G1", NO_DEAD))
HEAVY = HEAVY_PLAIN + (
    Row("G1", f"{NO_DEAD} -XX:-UseCompressedOops", name="wide references"),
    Row("Parallel", f"{NO_DEAD} -XX:-UseCompressedOops -XX:-UseCompressedClassPointers",
        name="nothing compressed"),
    Row("G1", f"{NO_DEAD} -XX:-UseCompressedClassPointers", name="wide classes"),
    Row("Serial", f"{NO_DEAD} -XX:ObjectAlignmentInBytes=16", name="alignment of 16"),
    Row("Serial", f"{NO_DEAD} -XX:+UseCompactObjectHeaders", name="compact headers", since=25),
    Row("G1", f"{NO_DEAD} -XX:+UseCompactObjectHeaders -XX:ObjectAlignmentInBytes=16",
        name="compact headers and alignment of 16", since=25),
)



def layouts(collector, flags, unlock=""):
    """A heap with each layout of objects."""
    wide = "-XX:-UseCompressedOops"
    compact, aligned = "-XX:+UseCompactObjectHeaders", "-XX:ObjectAlignmentInBytes=16"
    return (
        Row(collector, flags, unlock=unlock),
        Row(collector, f"{flags} {wide}", unlock=unlock, name="wide references"),
        Row(collector, f"{flags} -XX:-UseCompressedClassPointers", unlock=unlock,
            name="wide classes"),
        Row(collector, f"{flags} {aligned}", unlock=unlock, name="alignment of 16"),
        Row(collector, f"{flags} {compact}", unlock=unlock, name="compact headers", since=25),
        Row(collector, f"{flags} {compact} {aligned}", unlock=unlock, since=25,
            name="compact headers and alignment of 16"),
    )


HEAVY_SHENANDOAH = layouts("Shenandoah", "-Xms128m -Xmx128m") + (
    Row("Shenandoah", f"-Xms128m -Xmx128m {PASSIVE}", name="passive"),
    Row("Shenandoah", f"-Xms32m -Xmx128m {PASSIVE} -XX:-ShenandoahDegeneratedGC",
        name="full collections only"),
)
HEAVY_EPSILON = layouts("Epsilon", "-Xms1g -Xmx1g", EXPERIMENTAL)
EPSILON_VIRTUAL = (
    Row("Epsilon", "-Xms1g -Xmx1g", "port=0,clock=50", 21, "virtual threads", EXPERIMENTAL),
    Row("Epsilon", "-Xms1g -Xmx1g", "port=0,volume=heavy,clock=100", 21, "virtual threads, heavy",
        EXPERIMENTAL),
)
HEAVY_NOT = (CONCURRENT[2],)


class Hard(Row):
    """A program that is hard to walk over, and the share of the heap that may be unparsable: in G1
    regions that wait to be cleaned of dead objects whose classes are gone, in JDK 17 all old ones."""

    def __init__(self, collector, program, *arguments, flags="", **words):
        super().__init__(collector, f"-Xms64m -Xmx64m {flags}", **words)
        self.program = program, arguments

    def unparsable(self, jdk):
        return 0.01 if self.collector != "G1" else 0.3 if jdk.major >= 25 else 1


OFTEN = "-XX:InitiatingHeapOccupancyPercent=5 -XX:-G1UseAdaptiveIHOP"
LONG = "seconds=600"
COPIES = (LONG, "rate=0", "classes=1000000")
HEAVY_HARD = (
    Hard("Serial", "ClassUnload", *COPIES, name="classes"),
    Hard("Parallel", "ClassUnload", *COPIES, "kind=hidden", since=17, name="hidden classes"),
    Hard("G1", "ClassUnload", *COPIES, flags=OFTEN, name="classes"),
    Hard("G1", "ClassUnload", *COPIES, "kind=hidden", flags=OFTEN, since=17,
         name="hidden classes"),
    Hard("G1", "Stacks", LONG, "rounds=100000000", "kind=virtual", flags=OFTEN, since=25,
         name="virtual threads"),
    Hard("Parallel", "Stacks", LONG, "rounds=100000000", "kind=virtual", since=25,
         name="virtual threads"),
    Hard("Shenandoah", "ClassUnload", *COPIES, name="classes"),
    Hard("Shenandoah", "ClassUnload", *COPIES, "kind=hidden", since=17, name="hidden classes"),
    Hard("Shenandoah", "Stacks", LONG, "rounds=100000000", "kind=virtual", since=25,
         name="virtual threads"),
)

# Every collector; objects are counted wherever they can be, and all programs are sampled.
SAMPLED = "port=0,volume=heavy,heavy-budget=1000,interval=64k,keep-alive=600"
EVERY = tuple(Row(c, NO_DEAD, SAMPLED) for c in ("Serial", "Parallel", "G1")) + (
    Row("Z", "-Xms32m -Xmx128m", SAMPLED),
    Row("Shenandoah", "-Xms128m -Xmx128m", SAMPLED),
    Row("Shenandoah", f"-Xms32m -Xmx128m {GENERATIONAL}", SAMPLED, since=25, name="generational",
        unlock=EXPERIMENTAL),
    Row("Epsilon", "-Xms1g -Xmx1g", SAMPLED + ",clock=400", unlock=EXPERIMENTAL),
)

# Flags that change what the agent reads; everything has to work on.
ODD = (
    Row("G1", "-Xmx64m -Xint", name="interpreted"),
    Row("G1", "-Xmx64m -XX:-UsePerfData", name="without PerfData"),
    Row("Serial", "-Xmx64m -XX:-UsePerfData", name="without PerfData"),
    Row("Parallel", "-Xmx64m -XX:-UseTLAB", name="without TLABs"),
    Row("Serial", "-Xmx64m -XX:-UseTLAB", name="without TLABs"),
    Row("Parallel", "-Xmx64m -XX:+UseNUMA", name="NUMA"),
    Row("Serial", "-Xmx8m", name="8m"),
    Row("G1", "-Xmx8m", name="8m"),
    Row("Parallel", "-Xmx8m", name="8m"),
    Row("G1", "-Xmx64m -Xcheck:jni", name="checked JNI"),
    Row("G1", "-Xmx64m -XX:+UseCompactObjectHeaders", name="compact headers", since=25),
    Row("G1", "-Xmx64m -XX:ObjectAlignmentInBytes=16", name="alignment of 16"),
    Row("Serial", "-Xmx64m -XX:-UseCompressedOops -XX:-UseCompressedClassPointers",
        name="nothing compressed"),
)

# A concurrent cycle in every second collection, and mixed collections that take what they can.
CYCLES = "-XX:InitiatingHeapOccupancyPercent=5 -XX:-G1UseAdaptiveIHOP"
MIXED = f"{CYCLES} {EXPERIMENTAL} -XX:G1MixedGCLiveThresholdPercent=95 " \
    "-XX:G1HeapWastePercent=1 -XX:MaxTenuringThreshold=1"
