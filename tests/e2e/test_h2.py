"""A foreign program with every collector: the database h2, in memory. The heap at its pauses is that
of the JVM's log, each event is there once, objects are counted within 1 % of the JVM's histogram, and
call sites name h2's packages (H2, H3, H5, H7, F4, S1, S5, Q4).
"""

import glob
import subprocess

import table
from everything import Everything
from jvm import JAR, MIB, PROGRAM, TIMEOUT, Jvm, cases, expand, main, skipped
from profile import Sampler

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

    @cases((table.Row("G1", "-Xmx200m"), table.Row("Shenandoah", "-Xmx400m"),
            table.Row("Z", "-Xmx400m", since=17)), in_turn=True)
    def check_holders(self, jdk, row):
        """What holds the rows of a table: the root of an h2 map, by the pages of the store, and that from a
        static field of h2's. Rows that a query has kept, or an object that died meanwhile, are the rest."""
        if not FOUND:
            self.skipTest("no h2.jar")
        if row.collector == "Z" and jdk.major > 22:
            self.skipTest("generational ZGC tracks 1,024 samples, of which a handful are rows")
        with Jvm(jdk, "Database", row.flags, "port=0,interval=4k", (*WORK, "hold=600"),
                 jar=f"{JAR}:{FOUND[0]}") as jvm:
            with Sampler(jvm.address()) as view:
                self.assertRegex(jvm.truth(view), TRUTH)
                self.assertEqual(view.answer(view.ask("gc")).status, "OK")
                view.steady("live")
            done = subprocess.run(
                [PROGRAM, "paths", jvm.address(), "--class", "org.h2.value.Value[]", "--max-pause",
                 "60000", "--timeout", "600", "--format", "collapsed"],
                capture_output=True, text=True, timeout=660)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(", at most 40 of them: ", done.stderr)
        chains = [line.rpartition(" ") for line in done.stdout.splitlines()]
        everything = sum(float(weight) for _, _, weight in chains)
        rows = [(chain, float(weight)) for chain, _, weight in chains
                if "org.h2.mvstore.RootReference.root" in chain and "org.h2.mvstore.Page$" in chain]
        self.assertGreater(everything, 0, done.stderr)
        self.assertGreater(sum(weight for _, weight in rows), 0.7 * everything, done.stdout)
        for chain, _ in rows:
            # These chains have some twenty steps, and a search ends after forty pauses.
            self.assertRegex(chain, r"^static_org\.h2\.|^\(the_search_ended_here\);", done.stdout)


if __name__ == "__main__":
    if not FOUND:
        skipped("all of e2e.h2", "no /usr/share/java/h2.jar (Debian: libh2-java)")
    main()
