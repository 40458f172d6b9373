"""A hundred clients that come and go, well and badly, while the program works (F8, Q2, Q3)."""

import os
import random
import socket
import subprocess
import sys
import unittest

import table
from jvm import MIB, Jvm, View, cases, expand, main, run, wire

CLIENTS = 100
ARGUMENTS = ("rounds=900", "depth=14", "array=200000", "hold=60")
FLAGS = "-Xms32m -Xmx64m"


def killed_client(address):
    """A client in a process of its own that holds the program and is killed with kill -9."""
    code = ("import sys; sys.path.insert(0, %r); import gcspy_wire as w;"
            "c = w.Client(sys.argv[1], flags=1); c.ready(); print('on', flush=True); c.idle(60)"
            % os.path.dirname(os.path.abspath(wire.__file__)))
    with subprocess.Popen([sys.executable, "-B", "-c", code, address],
                          stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        child.kill()


def garbage_client(address, rng):
    """Noise: at once, behind a good preamble, or behind a good hello."""
    with wire.connect(address) as s:
        start = rng.choice((b"", wire.PREAMBLE, wire.PREAMBLE + wire.frame(
            "HELLO", wire.varint(0) + wire.text("noise") + wire.text(""))))
        try:
            s.sendall(start + rng.randbytes(rng.randrange(1, 3000)))
            s.settimeout(0.05)
            while s.recv(65536):
                pass
        except (OSError, TimeoutError):
            pass


def hasty_client(address, rng):
    """Connects and leaves in the middle of a hello."""
    hello = wire.PREAMBLE + wire.frame("HELLO", wire.varint(0) + wire.text("x") + wire.text(""))
    with wire.connect(address) as s:
        s.sendall(hello[:rng.randrange(len(hello))])
        if rng.random() < 0.5:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset


def holding_client(address):
    with View(address, pause=True) as view:
        view.wait(lambda: view.states and view.states[-1][0] != wire.RUNNING, 20)


def good_client(address):
    with View(address) as view:
        view.picture(20)
        view.send("CLOSE")


@expand
class Storm(unittest.TestCase):
    @cases((table.Row("Parallel", FLAGS), table.Row("G1", FLAGS)), in_turn=True)
    def check_hundred_clients(self, jdk, row):
        """F8, Q2, Q3: truth and exit code as without, no descriptor, thread or memory kept."""
        _, out, _ = run(jdk, "GCBench", row.flags, None, ARGUMENTS[:-1])
        truth = out.strip().splitlines()[-1]
        rng = random.Random(20021)
        options = "port=0,keep-alive=2,max-clients=4"
        with Jvm(jdk, "GCBench", row.flags, options, ARGUMENTS) as jvm:
            address = jvm.address()
            for _ in range(5):
                good_client(address)
            before = jvm.threads(), jvm.descriptors(), jvm.rss()
            for i in range(CLIENTS):
                if i % 25 == 7:
                    killed_client(address)
                elif i % 5 == 0:
                    garbage_client(address, rng)
                elif i % 5 == 1:
                    hasty_client(address, rng)
                elif i % 5 == 2 and not jvm.out:
                    holding_client(address)
                else:
                    try:
                        good_client(address)
                    except wire.Closed as closed:  # four are still there to be noticed
                        self.assertEqual(closed.bye and closed.bye[0], "FULL")
            self.assertEqual(jvm.truth(), truth)
            # The silent are noticed after the keep-alive time.
            jvm.until(lambda: jvm.descriptors() <= before[1] and
                      jvm.threads() <= before[0] + 2, f"{before} {jvm.descriptors()} descriptors "
                      f"and {jvm.threads()} threads to be given back")
            # What the heap's own pages and the compiler may grow by.
            self.assertLess(jvm.rss() - before[2], 64 * MIB + 48 * MIB)
            good_client(address)
            self.assertTrue(jvm.alive())
            jvm.process.kill()
        code, out, err = run(jdk, "GCBench", row.flags, options, ARGUMENTS[:-1])
        self.assertEqual((code, out.strip().splitlines()[-1]), (0, truth), err)

    @cases((table.Row("G1", FLAGS),), in_turn=True)
    def check_client_limit(self, jdk, row):
        """Q3: one client too many gets a message; a place that becomes free can be taken."""
        with Jvm(jdk, "Layout", row.flags, "port=0,max-clients=2") as jvm:
            with jvm.attach() as one:
                with jvm.attach() as two:
                    with self.assertRaises(wire.Closed) as refused:
                        jvm.attach()
                    self.assertEqual(refused.exception.bye[0], "FULL")
                    two.send("CLOSE")
                    two.ended()
                jvm.until(lambda: self.fits(jvm), "a place", one)
            self.assertEqual(jvm.quit(), 0)

    @staticmethod
    def fits(jvm):
        try:
            jvm.attach().close()
            return True
        except wire.Closed:
            return False

    @cases((table.Row("G1", FLAGS),), in_turn=True)
    def check_descriptors_run_out(self, jdk, row):
        """Q3, Q4: hundreds of connections that say nothing do not stop the program."""
        with Jvm(jdk, "Layout", row.flags, "port=0,keep-alive=1") as jvm:
            address = jvm.address()
            silent = [wire.connect(address) for _ in range(200)]
            self.assertEqual(jvm.ask("churn 20m")["bytes"], 20 * MIB)
            jvm.until(lambda: self.fits_later(address), "service after the flood")
            for s in silent:
                s.close()
            self.assertEqual(jvm.quit(), 0)

    @staticmethod
    def fits_later(address):
        try:
            good_client(address)
            return True
        except (wire.Closed, ConnectionError, TimeoutError):
            return False


if __name__ == "__main__":
    main()
