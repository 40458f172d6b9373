"""Triggers and plugins came with 1.3. Clients that cannot know of them, of 2002 and of 1.2, beside one
that sets triggers; and the program `gcspy` with a server of 1.2. WIRE_SERVER and GCSPY name the programs.
"""

import json
import socket
import struct
import subprocess
import threading
import unittest

import gcspy_2002 as old
import gcspy_wire as wire
import harness
from gcspy_wire import frame, text, varint
from harness import program, wire_server
from test_client import begin, end, event, space, tiles, values

TICK = 0  # event of the wire server
NEW = {"PLUGINS", "FIRE_TRIGGER"}  # messages of a server since 1.3
NEW_COMMANDS = {"TRIGGER", "INTEREST"}


class Client12(wire.Client):
    """Knows what 1.2 has, and says so."""

    def __init__(self, address, flags=0):
        super().__init__(address, hello=False)
        self.raw(wire.MAGIC + struct.pack("<HH", 1, 2) +
                 frame("HELLO", varint(flags) + text("of 1.2") + text("")))
        self.skipped = []

    def frame(self, kind, flags, payload, log=None, base=0):
        if wire.NAME.get(kind) not in NEW:
            super().frame(kind, flags, payload, log, base)
            return
        if flags & wire.MUST:
            raise wire.WireError(f"kind {kind} must be known")
        self.skipped.append(wire.NAME[kind])

    @staticmethod
    def later_fields(_):
        return {}


class ServerCase(harness.ServerCase):
    def setUp(self):
        self.start(wire_server(20))
        self.new = self.connect(wire.Client).ready()

    def set(self, *arguments, **more):
        answer = self.new.answered(self.new.trigger(*arguments, **more))
        self.assertEqual((answer.failed, answer.status), (False, "OK"), answer.words)

    def fired(self, name):
        """The snapshot at which the trigger fired last, as the client of 1.3 has it."""
        def found():
            return [s for s in self.new.snapshots if any(f["name"] == name for f in s.fired)]
        self.new.wait(found)
        return found()[-1]


class Of2002(ServerCase):
    """E2, F17: what docs/protocol-2002.md promises."""

    def attach(self):
        return self.connect(old.Client).ready()

    def test_a_trigger_pauses_the_program(self):
        c = self.attach()
        c.more(1)
        self.set("stop", "tick > 3", actions=wire.PAUSE_ACTION, most=1, plugin="walk")
        c.wait(lambda: c.pauses == 1)
        tick = self.fired("stop").counters[TICK]
        number, _, _, counters, pauses = c.log[-1]
        self.assertEqual((number, counters[TICK], pauses), (TICK, tick, 0), "first the event, then PAUSE")
        self.assertIn("\nTrigger stop fired: tick > 3\n", c.find("Matrix").info)
        self.assertFalse([s.name for s in c.spaces if s.name != "Matrix" and "Trigger" in s.info])
        count = len(c.log)
        c.idle(0.3)
        self.assertEqual(len(c.log), count, "it stands")
        c.play_one()
        c.wait(lambda: len(c.log) == count + 1)
        self.assertNotIn("Trigger", c.find("Matrix").info, "only at that event")
        self.new.settled((wire.PAUSED, True, 0))
        c.restart()
        self.new.settled((wire.RUNNING, False, 0))
        c.more(3)
        self.assertEqual(c.pauses, 1)

    def test_filters_do_not_hide_it(self):
        c = self.attach()
        c.more(1)
        off = (False, 0, False, 1)
        c.filters(off, off)
        self.set("even", "parity = even", nth=3)
        c.wait(lambda: "\nTrigger even fired: parity = even\n" in c.find("Matrix").info)
        first = c.log[-1][3][TICK]
        self.assertEqual([(e[0], (e[3][TICK] - first) % 6) for e in c.more(3)[:3]], [(TICK, 0)] * 3)

    def test_the_hold_ends_with_its_client(self):
        c = self.attach()
        self.set("seen", "tick > 0")
        self.set("stop", "tick > 0", actions=wire.PAUSE_ACTION)
        c.wait(lambda: c.pauses == 1)
        self.assertEqual(sorted(line for line in c.find("Matrix").info.split("\n") if "fired" in line),
                         ["Trigger seen fired: tick > 0", "Trigger stop fired: tick > 0"])
        self.new.close()
        c.more(5)

    def test_it_may_hold_too(self):
        """A pause of the client of 2002 survives that of a trigger, and the other way round."""
        c = self.attach()
        self.set("stop", "tick > 0", actions=wire.PAUSE_ACTION, most=1)
        self.new.settled((wire.PAUSED, True, 0))
        c.wait(lambda: c.pauses == 1)
        c.pause()
        self.new.settled((wire.PAUSED, True, 1))
        self.new.resume()
        self.new.settled((wire.PAUSED, False, 1))
        count = len(c.log)
        c.idle(0.3)
        self.assertEqual(len(c.log), count)
        c.restart()
        c.more(3)


class Of12(ServerCase):
    """A client of 1.2 converses with a server that has plugins and triggers."""

    def attach(self, flags=0):
        return self.connect(Client12, flags).ready()

    def test_a_conversation(self):
        c = self.attach(wire.HELLO_COMPRESS)
        self.assertEqual((c.skipped, c.plugins), (["PLUGINS"], []))
        self.assertEqual([e["name"] for e in c.events], ["Tick", "Tock"])
        self.assertNotIn("parameters", c.events[TICK]["attributes"][0])
        c.more(5)
        c.pause()
        c.settled((wire.PAUSED, True, 0))
        fresh = self.connect(wire.Client).ready()
        fresh.wait(lambda: fresh.snapshots)
        for ours, theirs in zip(c.snapshots[-1].spaces, fresh.snapshots[0].spaces):
            self.assertEqual(ours.state(), theirs.state())
        count = len(c.snapshots)
        c.step()
        c.wait(lambda: len(c.snapshots) == count + 1)
        self.assertEqual(c.answered(c.ask("settings")).status, "OK")
        self.assertEqual(c.answered(c.set("interval", "1k")).status, "OK")
        self.assertEqual(c.answered(c.zoom(1, 0, 8192, 512)).status, "OK")
        c.resume()
        c.settled((wire.RUNNING, False, 0))
        c.more(3)
        c.send("CLOSE")
        self.new.more(3)

    def test_a_trigger_of_another(self):
        c = self.attach()
        for number in range(2):
            c.filter(number, enabled=False)
        c.obeyed()
        before = len(c.snapshots)
        self.set("stop", "parity = odd", actions=wire.PAUSE_ACTION, most=1, plugin="walk")
        c.settled((wire.PAUSED, False, 1))
        c.wait(lambda: len(c.snapshots) > before)
        snapshot = self.fired("stop")
        self.assertEqual((c.snapshots[-1].sequence, c.snapshots[-1].attributes),
                         (snapshot.sequence, snapshot.attributes))
        self.assertEqual((set(c.skipped), c.skipped.count("FIRE_TRIGGER")),
                         ({"PLUGINS", "FIRE_TRIGGER"}, 1))
        c.resume(everyone=True)
        c.settled((wire.RUNNING, False, 0))
        c.filter(TICK)
        c.more(3)


class Server:
    """A server of 1.2: a program with one space, whose event comes every 20 ms while it runs."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.over = False
        self.heard = []  # names of all commands; numbers of unknown ones
        self.errors = []
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            connection, _ = self.listener.accept()
            if self.over:
                connection.close()
                break
            try:
                with connection:
                    self.serve(connection)
            except ConnectionError:
                pass  # the client has left, as it may
            except Exception as error:  # pylint: disable=broad-except
                self.errors.append(error)

    def finish(self):
        self.over = True
        socket.create_connection(self.listener.getsockname()).close()
        self.thread.join(20)
        self.listener.close()

    def happen(self):
        """One event: the first tile counts."""
        self.count += 1
        parts = [tiles(0, 0, 4)] if self.count == 1 else []
        parts.append(values([self.count, 2, 3, 4]))
        self.connection.sendall(
            begin(self.count, attributes=varint(0)) + b"".join(parts) +
            frame("COUNTERS", varint(1) + varint(self.count)) + end(self.count))

    def tell(self, state):
        self.paused = state == wire.PAUSED
        self.connection.sendall(frame("STATE", bytes([state, self.paused]) + varint(0)))

    def serve(self, connection):
        self.connection, self.count, self.paused = connection, 0, False
        splitter = wire.Splitter(wire.MAX_TO_SERVER)
        connection.sendall(
            wire.MAGIC + struct.pack("<HH", 1, 2) + frame("WELCOME", text("Of 1.2") + varint(10000)) +
            frame("INFO", varint(0)) + frame("EVENTS", varint(1) + event("Collection")) +
            frame("GROUPS", varint(0)) + frame("SPACE", space()) + frame("READY"))
        self.tell(wire.RUNNING)
        while True:
            connection.settimeout(0.02)
            try:
                data = connection.recv(4096)
            except TimeoutError:
                if not self.paused:
                    self.happen()
                continue
            if not data:
                return
            splitter.feed(data)
            while (item := splitter.next()) is not None:
                if self.obey(*item):
                    return

    def obey(self, kind, flags, payload):
        """True if the client leaves."""
        name = wire.NAME.get(kind, kind)
        self.heard.append(name)
        if name in NEW_COMMANDS or name == kind:
            if flags & wire.MUST:
                raise wire.WireError(f"kind {kind} must be known")
        elif name == "PAUSE":
            self.happen()
            self.tell(wire.PAUSED)
        elif name == "RESUME":
            self.tell(wire.RUNNING)
        elif name == "STEP":
            self.happen()
            self.tell(wire.PAUSED)
        elif name == "PING":
            self.connection.sendall(frame("PONG", payload))
        elif name in ("QUERY", "SET"):
            number, topic, _ = (wire.read_query if name == "QUERY" else wire.read_set)(payload)
            known = topic in ("settings", "interval")
            for part in wire.answer(number, "OK" if known else "UNSUPPORTED", "as of 1.2",
                                    b"interval=524288\n" if known else b""):
                self.connection.sendall(part)
        return name == "CLOSE"


class Server12(unittest.TestCase):
    """The program gcspy and a server of 1.2."""

    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.finish)

    def tool(self, *arguments, text=None):
        done = subprocess.run([program("GCSPY"), *arguments], capture_output=True, text=True,
                              timeout=60, check=False, input=text)
        self.assertEqual(self.server.errors, [])
        self.assertEqual([name for name in self.server.heard if name in NEW_COMMANDS], [],
                         "what it cannot know")
        return done.returncode, done.stdout, done.stderr

    def test_it_is_shown(self):
        code, out, error = self.tool("info", self.server.address)
        self.assertEqual((code, error), (0, ""))
        for words in ("Of 1.2", "Collection", "Heap: 4 tiles", "Used"):
            self.assertIn(words, out)
        code, out, error = self.tool("dump", self.server.address, "--values", "--format", "json",
                                     "--events", "3")
        self.assertEqual((code, error), (0, ""))
        found = [json.loads(line)["spaces"][0]["streams"][0]["values"] for line in out.splitlines()]
        self.assertEqual([v[1:] for v in found], [[2, 3, 4]] * 3)
        self.assertEqual([v[0] - found[0][0] for v in found], [0, 1, 2])
        code, out, error = self.tool("watch", self.server.address, "--events", "3")
        self.assertEqual((code, error), (0, ""))

    def test_pause_step_resume(self):
        code, out, error = self.tool("pause", self.server.address, text="s\nq\n")
        self.assertEqual((code, error), (0, ""))
        self.assertEqual((out.count("Paused at"), out.count("Stepped; paused at")), (1, 1), out)
        self.assertIn("STEP", self.server.heard)
        code, out, error = self.tool("resume", self.server.address)
        self.assertEqual((code, out, error), (0, "The program is running; no client held it.\n", ""))

    def test_settings(self):
        code, out, error = self.tool("set", self.server.address, "interval=1k")
        self.assertEqual((code, error), (0, ""), out)
        self.assertEqual(self.server.heard.count("SET"), 1)

    def test_a_recording(self):
        path = "of-1.2.gcspy"
        with open(path, "wb"):
            pass
        code, out, error = self.tool("record", self.server.address, "--output", path, "--force", "--events", "5")
        self.assertEqual(code, 0, error)
        code, out, error = self.tool("stats", path)
        self.assertEqual((code, error), (0, ""))
        self.assertIn("Of 1.2", out)

    def test_what_came_later(self):
        """One clear line each, and nothing sent that the server would not answer."""
        code, out, error = self.tool("ask", self.server.address)
        self.assertEqual((code, out, error), (0, "The server has no plugins.\n", ""))
        code, _, error = self.tool("ask", self.server.address, "backtrace")
        self.assertEqual(code, 2)
        self.assertRegex(error, r"\Agcspy: [^\n]*plugin[^\n]*\n\Z")
        for arguments in (("Used > 3",), ("--remove", "x")):
            code, out, error = self.tool("trigger", self.server.address, *arguments)
            self.assertEqual((code, out), (1, ""))
            self.assertRegex(error, r"\Agcspy: [^\n]*too old for this command[^\n]*\n\Z")
        code, out, error = self.tool("trigger", self.server.address, "--list")
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(error, r"\Agcspy: [^\n]*as of 1\.2[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main(verbosity=2)
