"""Pause, step and resume of a real JVM, and every way in which a holding client can end (F10,
Q3, V3). Nothing may hold a program longer than its client lives."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import table
from jvm import (NEWEST, TIMEOUT, PROGRAM, Jvm, View, cases, compile_java, expand, main, skipped,
                 space, wire)

ROWS = table.DRAWN
SERIAL, PARALLEL, ONE = ((row,) for row in table.DRAWN)  # for what does not depend on it
PAUSED = wire.PAUSED
CHURN = ("seconds=300", "rate=64m")

CHILD = ("import sys; sys.path.insert(0, %r); import gcspy_wire as w;"
         "c = w.Client(sys.argv[1], flags=1); c.ready();"
         "c.wait(lambda: c.states and c.states[-1][0] == 2, 60); print('paused', flush=True);"
         "c.idle(600)" % os.path.dirname(os.path.abspath(wire.__file__)))

EXITS = """
public class Exits {
    public static void main(String[] a) throws Exception {
        new Thread(() -> { while (true) { byte[] b = new byte[1 << 12]; } }) {{
            setDaemon(true); }}.start();
        System.in.read();
        System.out.println("leaving");
        System.exit(7);
    }
}
"""


def paused(view):
    view.wait(lambda: view.states and view.states[-1][0] == PAUSED, TIMEOUT)


def running(view, seconds=TIMEOUT):
    view.wait(lambda: view.states and view.states[-1][0] == wire.RUNNING, seconds)


class Holder:
    """A client in a process of its own that holds the program."""

    def __init__(self, address):
        self.process = subprocess.Popen([sys.executable, "-B", "-c", CHILD, address],
                                        stdout=subprocess.PIPE, text=True)
        self.line = self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@expand
class Pause(unittest.TestCase):
    def standing(self, jvm, view):
        """The program does not move: no event, (almost) no processor time."""
        count, cpu = view.count("GC finish"), jvm.cpu()
        view.idle(0.8)
        self.assertEqual(view.count("GC finish"), count)
        # The agent answers pings, the JVM's own timers tick.
        self.assertLess(jvm.cpu() - cpu, 0.4)

    def moves(self, jvm, seconds=TIMEOUT):
        """The program moves again within the time; returns after how long."""
        begin = time.monotonic()
        with jvm.attach() as view:
            first = view.picture()
            view.wait(lambda: view.count("GC finish") > first.counters[1] + 1, seconds)
        return time.monotonic() - begin

    @cases(ROWS, in_turn=True)
    def check_pause_step_resume(self, jdk, row):
        """F10: a pause holds; a step is exactly one event; resume releases it."""
        with Jvm(jdk, "Churn", row.flags, row.options, CHURN) as jvm:
            with jvm.attach() as view:
                view.picture()
                view.pause()
                paused(view)
                self.standing(jvm, view)
                last = view.snapshots[-1]
                self.assertIsNotNone(last.event)
                for _ in range(5):
                    have = len(view.snapshots)
                    view.step()
                    view.wait(lambda have=have: len(view.snapshots) > have, TIMEOUT)
                    paused(view)
                    view.idle(0.1)
                    new = view.snapshots[have:]
                    self.assertEqual(len(new), 1, "one event for a step")
                    self.assertEqual(new[0].sequence, last.sequence + 1)
                    self.assertNotEqual(new[0].event, last.event, "start and finish take turns")
                    last = new[0]
                self.standing(jvm, view)
                view.resume()
                running(view)
                count = view.count("GC finish")
                view.wait(lambda: view.count("GC finish") > count + 2, TIMEOUT)

    @cases(ONE, in_turn=True)
    def check_two_holders(self, jdk, row):
        """F10: the program continues when the last hold ends; "everyone" ends all."""
        with Jvm(jdk, "Churn", row.flags, row.options, CHURN) as jvm:
            with jvm.attach() as one, jvm.attach() as two:
                one.pause()
                paused(one)
                two.pause()
                two.wait(lambda: two.states and two.states[-1] == (PAUSED, True, 1), TIMEOUT)
                one.wait(lambda: one.states[-1] == (PAUSED, True, 1), TIMEOUT)
                one.resume()
                one.wait(lambda: one.states[-1] == (PAUSED, False, 1), TIMEOUT)
                self.standing(jvm, one)
                two.idle(0.1)
                one.resume(everyone=True)
                running(one)
                running(two)

    @cases(ROWS, in_turn=True)
    def check_newcomer(self, jdk, row):
        """F8, F10: who attaches to a paused program gets its picture."""
        with Jvm(jdk, "Churn", row.flags, row.options, CHURN) as jvm:
            with jvm.attach(pause=True) as one:
                paused(one)
                with jvm.attach() as two:
                    picture = two.picture()
                    self.assertTrue(any(s.tiles for s in picture.spaces))
                    two.wait(lambda: two.states and two.states[-1] == (PAUSED, False, 1), TIMEOUT)
                    name = "G1 regions" if row.collector == "G1" else "Old"
                    self.assertEqual(space(picture, name).summaries[0],
                                     space(one.snapshots[-1], name).summaries[0])

    @cases(SERIAL, in_turn=True)
    def check_killed_holder(self, jdk, row):
        """F10, Q3: kill -9 of a client that holds: the program goes on, long before the keep-alive
        limit."""
        with Jvm(jdk, "Churn", row.flags, row.options + ",keep-alive=60", CHURN) as jvm:
            with Holder(jvm.address()) as holder, jvm.attach() as view:
                self.assertEqual(holder.line, "paused\n")
                view.picture()
                paused(view)
                self.standing(jvm, view)
                holder.process.kill()
                begin = time.monotonic()
                running(view)
                self.assertLess(time.monotonic() - begin, 50)
            self.moves(jvm)

    @cases(ONE, in_turn=True)
    def check_silent_holder(self, jdk, row):
        """F10, Q3: a stopped client that holds: the program goes on after the keep-alive time."""
        with Jvm(jdk, "Churn", row.flags, "port=0,keep-alive=2", CHURN) as jvm:
            with Holder(jvm.address()) as holder, jvm.attach() as view:
                view.picture()
                paused(view)
                holder.process.send_signal(signal.SIGSTOP)
                begin = time.monotonic()
                running(view)
                took = time.monotonic() - begin
                self.assertLess(took, 8, "by default it would take 10 s")
                self.assertGreater(took, 0.5, "silence is not noticed at once")

    @cases(ONE, in_turn=True)
    def check_filters(self, jdk, row):
        """F9: an event switched off, every third, with a pause, with a delay."""
        with Jvm(jdk, "Churn", row.flags, row.options, CHURN) as jvm:
            with jvm.attach() as view:
                view.picture()
                view.filter(0, enabled=False)
                view.filter(1, period=3)
                view.obeyed()
                view.later(TIMEOUT)
                have = len(view.snapshots)
                view.more(4, TIMEOUT)
                for snapshot in view.snapshots[have:]:
                    self.assertEqual(snapshot.event, 1)
                # Counted all the same.
                self.assertGreater(view.counters[0], 0)
                view.filter(1, pause=True)
                paused(view)
                self.standing(jvm, view)
                view.filter(1, delay=300)
                view.resume()
                view.more(1, TIMEOUT)
                first, second = view.more(2, TIMEOUT)[:2]
                self.assertGreaterEqual(second.time - first.time, 300e6)

    @cases(PARALLEL, in_turn=True)
    def check_exit_with_clients(self, jdk, row):
        """F10, Q4: System.exit with clients attached: its code, and a word for the clients."""
        with tempfile.TemporaryDirectory() as folder:
            compile_java(jdk, folder, "Exits", EXITS)
            with Jvm(jdk, "Exits", row.flags, row.options, jar=folder) as jvm:
                with jvm.attach() as one, jvm.attach() as two:
                    one.picture()
                    jvm.say("go")
                    bye = one.ended(TIMEOUT)
                    self.assertEqual(bye[0], "PROGRAM")
                    self.assertTrue(bye[1], "words for people")
                    self.assertEqual(two.ended(TIMEOUT)[0], "PROGRAM")
                self.assertEqual(jvm.end(), 7)

    @cases(SERIAL, in_turn=True)
    def check_sigterm(self, jdk, row):
        """F10, Q4: SIGTERM of a program that a client holds ends it, with a word for the client."""
        with Jvm(jdk, "Churn", row.flags, row.options, CHURN) as jvm:
            with jvm.attach(pause=True) as view:
                paused(view)
                view.resume()
                running(view)
                jvm.signal(signal.SIGTERM)
                self.assertEqual(view.ended(TIMEOUT)[0], "PROGRAM")
            self.assertEqual(jvm.end(), 143)

    @cases(ONE)
    @unittest.skipUnless(PROGRAM, "gcspy is not built")
    def check_steps_beside_a_clock(self, jdk, row):
        """The clock ticks on while the program is paused; what is told is the event where it stands."""
        with Jvm(jdk, "Churn", row.flags, "port=0,clock=50", CHURN) as jvm:
            with subprocess.Popen([PROGRAM, "pause", jvm.address()], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True) as process:
                said = [process.stdout.readline(), process.stdout.readline()]
                for _ in range(6):
                    time.sleep(0.3)  # some ticks
                    process.stdin.write("s\n")
                    process.stdin.flush()
                    while "Stepped; " not in (line := process.stdout.readline()):
                        self.assertNotEqual(line, "")
                        said.append(line)
                    said.append(line)
                told = [line for line in said if "aused at #" in line]
                self.assertEqual(len(told), 7, said)
                numbers = [int(re.search(r"at #([\d,]+)", line)[1].replace(",", "")) for line in told]
                self.assertEqual(numbers, sorted(set(numbers)), told)
                self.assertFalse([line for line in told if "Clock" in line or "client" in line], told)
                time.sleep(0.3)
                step = subprocess.run([PROGRAM, "step", jvm.address()], capture_output=True,
                                      text=True, timeout=TIMEOUT, check=True).stdout
                self.assertRegex(step, r"^Paused at #[\d,]+ .*(GC start|GC finish) ")
                process.communicate("q\n", timeout=TIMEOUT)

    @cases(ONE, only=NEWEST)
    def check_command_line(self, jdk, row):
        """F10: `gcspy pause` holds until it ends, `gcspy step` moves one event."""
        if not PROGRAM or not os.path.exists(PROGRAM):
            skipped("the command line program in real JVMs", "it is not built")
            self.skipTest("gcspy is not built")
        with Jvm(jdk, "Churn", row.flags, row.options, CHURN) as jvm:
            address = jvm.address()
            with subprocess.Popen([PROGRAM, "pause", address], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True) as command, \
                    View(address) as view:
                paused(view)
                self.standing(jvm, view)
                count = sum(view.counters)
                subprocess.run([PROGRAM, "step", address], check=False, timeout=TIMEOUT,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                view.wait(lambda: sum(view.counters) > count, TIMEOUT)
                paused(view)
                self.assertEqual(sum(view.counters), count + 1)
                command.terminate()
                running(view)
            info = subprocess.run([PROGRAM, "info", address], check=True, timeout=TIMEOUT,
                                  capture_output=True, text=True).stdout
            self.assertRegex(info, r"GC start")
            self.assertRegex(info, re.compile(r"G1 regions"))


if __name__ == "__main__":
    main()
