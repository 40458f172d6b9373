"""The agent loaded into a running JVM, and more than once (H1, Q4)."""

import re
import socket
import unittest

import table
from jvm import AGENT, Jvm, View, cases, column, expand, main, space

# JDK 21 and later warn of agents that are loaded later unless this is given; older ones do not know
# the flag.
QUIET = "-XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading"
ROWS = tuple(table.Row(collector, f"-Xms32m -Xmx64m {QUIET}")
             for collector in ("Serial", "Parallel", "G1"))
CONCURRENT = (table.Row("Z", f"-Xms32m -Xmx128m {QUIET}"),
              table.Row("Shenandoah", f"-Xms32m -Xmx128m {QUIET}"))


def load(jvm, options=None):
    """jcmd hands options with "=" and "," over only in quotes of its own."""
    words = ["JVMTI.agent_load", AGENT] + ([f'"{options}"'] if options else [])
    return jvm.jcmd(*words)


def port_is_free(port):
    try:
        with socket.create_server(("127.0.0.1", port)):
            return True
    except OSError:
        return False


@expand
class Attach(unittest.TestCase):
    def collections(self, jvm):
        """Attaches and sees two collections; returns the last finish and the view's lines."""
        with jvm.attach() as view:
            view.picture()
            for _ in range(2):
                jvm.ask("churn 8m", view)
                jvm.ask("gc", view)
            view.wait(lambda: len(view.of("GC finish")) >= 2, 30)
            return view, view.of("GC finish")[-1]

    @cases(ROWS, in_turn=True)
    def check_load(self, jdk, row):
        """H1: loaded by jcmd with options; heap, events and names; loading again says where."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            for command in ("alloc 4m", "churn 30m", "gc"):
                jvm.ask(command)
            answer = load(jvm, "port=0")
            self.assertIn("return code: 0", answer)
            view, last = self.collections(jvm)
            a = view.attributes(last)
            self.assertEqual((a["Kind"], a["Cause"]), ("Full", "System.gc()"))
            self.assertIsNotNone(a["Pause"])
            names = space(last, "TLABs").tile_names
            self.assertIn("main", names)
            self.assertIn("input", names)
            address = jvm.address()
            for options in (None, "port=0", "port=0,block=4k"):
                self.assertIn("return code: 0", load(jvm, options))
            self.assertEqual(set(re.findall(r"listening on (\S+)", jvm.err)), {address})
            with View(address) as again:
                again.picture()
            self.assertEqual(jvm.quit(), 0)

    @cases(ROWS[:1], in_turn=True)
    def check_load_by_default(self, jdk, row):
        """H1: without options it listens on port 3000 of loopback."""
        if not port_is_free(3000):
            self.skipTest("port 3000 is in use here")
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            self.assertIn("return code: 0", load(jvm))
            self.assertEqual(jvm.address(), "127.0.0.1:3000")
            with View("3000") as view:
                view.picture()
            self.assertEqual(jvm.quit(), 0)

    @cases(ROWS[:1], in_turn=True)
    def check_bad_options(self, jdk, row):
        """H1, Q4: a bad option is said, the JVM lives; a second try with good ones works."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            self.assertNotIn("return code: 0", load(jvm, "prot=1"))
            self.assertIn('unknown option "prot"', jvm.err)
            self.assertEqual(jvm.ask("churn 8m")["bytes"], 8 << 20)
            self.assertIn("return code: 0", load(jvm, "port=0"))
            self.collections(jvm)
            self.assertEqual(jvm.quit(), 0)

    @cases(ROWS[-1:])
    def check_load_after_agentpath(self, jdk, row):
        """Q4: jcmd loads what -agentpath has loaded: it says where it listens, no more."""
        with Jvm(jdk, "Layout", row.flags, "port=0") as jvm:
            address = jvm.address()
            self.assertIn("return code: 0", load(jvm, "port=0"))
            self.assertEqual(set(re.findall(r"listening on (\S+)", jvm.err)), {address})
            self.collections(jvm)
            self.assertEqual(jvm.quit(), 0)

    @cases(CONCURRENT, in_turn=True)
    def check_concurrent_collectors(self, jdk, row):
        """H1, H2, H3: the same where a cycle may be under way; from the next one on all is known."""
        with Jvm(jdk, "Layout", row.flags, None) as jvm:
            jvm.ask("churn 30m")
            self.assertIn("return code: 0", load(jvm, "port=0"))
            view, last = self.collections(jvm)
            heap = next(s for s in last.spaces if s.name in ("ZGC pages", "Shenandoah regions"))
            self.assertTrue(heap.gathered)
            self.assertGreater(sum(column(heap, "Used")), 0)
            self.assertNotEqual(view.attributes(last)["Kind"], "Pause")
            numbers = [view.attributes(f)["Collection"] for f in view.of("GC finish")]
            self.assertGreater(max(n or 0 for n in numbers), 0)
            self.assertIn("main", space(last, "TLABs").tile_names)
            self.assertEqual(jvm.quit(), 0)


if __name__ == "__main__":
    main()
