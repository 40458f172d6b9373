"""A foreign program with every collector: the database h2, in memory. The heap at its pauses is that
of the JVM's log, each event is there once, objects are counted within 1 % of the JVM's histogram, and
call sites name h2's packages (H2, H3, H5, H7, F4, S1, S5, Q4).
"""

import glob

import table
from everything import Everything
from jvm import JAR, MIB, cases, expand, main, skipped

FOUND = sorted(glob.glob("/usr/share/java/h2.jar") + glob.glob("/usr/share/java/h2-*.jar"))
WORK = ("rows=6000", "rounds=10")
TRUTH = " rows=6000 rounds=10 inserted=12000 updated=6000 "


@expand
class Database(Everything):
    @cases(table.EVERY, in_turn=True)
    def check_database(self, jdk, row):
        """H2, H3, H5, S1, S5, Q4: what is shown of it is so."""
        if not FOUND:
            self.skipTest("no h2.jar")
        profile, classes = self.watch(jdk, row, "Database", WORK, TRUTH, f"{JAR}:{FOUND[0]}")
        everything = sum(e.bytes for e in profile.entries)
        below = [e for e in profile.entries if any(f.owner.startswith("org.h2.") for f in e.frames)]
        itself = [e for e in below if e.frames[0].owner.startswith("org.h2.")]
        self.assertGreater(everything, 20 * MIB)
        self.assertGreater(sum(e.bytes for e in below), 0.6 * everything)
        self.assertGreater(sum(e.bytes for e in itself), 0.2 * everything)
        packages = {f.owner.rpartition(".")[0] for e in below for f in e.frames}
        self.assertLessEqual({"org.h2.command", "org.h2.table"}, packages)
        if classes is not None:
            held = sum(entry[0] for name, entry in classes.items() if name.startswith("org.h2."))
            self.assertGreater(held, 20000)


if __name__ == "__main__":
    if not FOUND:
        skipped("all of e2e.h2", "no /usr/share/java/h2.jar (Debian: libh2-java)")
    main()
