"""Starts the programs under test and ends them. Paths come from the environment: TOY_SERVER,
WIRE_SERVER, TOY_CLIENT, WIRE_CLIENT; CTest sets them."""

import os
import re
import subprocess
import threading
import unittest


def program(variable):
    path = os.environ.get(variable)
    if not path:
        raise AssertionError(f"{variable} must name the program")
    return path


class Server:
    """A server process; its standard input stays open until the end. One that does not read it is
    killed then."""

    def __init__(self, command, await_port=True, reads_input=True):
        self.reads_input = reads_input
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.errors = b""
        self.reader = threading.Thread(target=self.collect, daemon=True)
        self.reader.start()
        line = self.process.stdout.readline().decode()
        found = re.search(r":(-?\d+)$", line.strip())
        if await_port and not found:
            raise AssertionError(f"{command} said {line!r} and {self.end()!r}")
        self.port = found.group(1) if found else None
        self.address = "127.0.0.1:" + (self.port or "0")

    def collect(self):
        self.errors = self.process.stderr.read()

    def running(self):
        return self.process.poll() is None

    def end(self):
        """Ends the process if it has not ended; returns what it wrote to standard error."""
        self.process.stdin.close()
        if not self.reads_input:
            self.process.kill()
        try:
            self.process.wait(60)
            late = b""
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            late = b"the server did not end with its input"
        self.reader.join()
        self.errors += late
        self.process.stdout.close()
        self.process.stderr.close()
        return self.errors.decode("utf-8", "replace")


class ServerCase(unittest.TestCase):
    """One server for each test, checked for life and silence on standard error at its end."""

    server = None

    def start(self, server):
        self.server = server
        self.addCleanup(self.finish)
        return server

    def finish(self):
        running = self.server.running()
        errors = self.server.end()
        self.assertTrue(running, f"the server ended by itself: {errors}")
        self.assertEqual(errors, "", "the server wrote to standard error")

    def connect(self, kind, *arguments, **options):
        """A client of the server, closed at the test's end."""
        client = kind(self.server.address, *arguments, **options)
        self.addCleanup(client.close)
        return client


def toy_server(milliseconds=20, events=1000000):
    return Server([program("TOY_SERVER"), "0", str(events), str(milliseconds)], reads_input=False)


def wire_server(milliseconds=20, keep_alive=60000, clients=0, token="-", path="-", port="0"):
    """Clients may be silent for long unless a test is about that: only one is waited for at a time."""
    return Server([program("WIRE_SERVER"), port, str(milliseconds), str(keep_alive), str(clients),
                   token, path])
