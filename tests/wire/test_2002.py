"""The protocol of 2002, both ways (E2): our server against an independent client that breaks where
the original one would, and our client against an independent server. TOY_SERVER, WIRE_SERVER,
TOY_CLIENT and GCSPY name the programs.
"""

import json
import os
import random
import socket
import struct
import subprocess
import threading
import time
import unittest

import gcspy_2002 as old
import gcspy_wire as wire
import harness
from gcspy_2002 import Gone, Space, Stream, commands, fill, frame, presentations, string
from harness import program, toy_server, wire_server

TICK, TOCK, LOOK = 0, 1, 2  # events of the wire server, and the one for attaching


class ServerCase(harness.ServerCase):
    """Clients of the protocol of 2002, and one of our own."""

    def client(self, **options):
        return self.connect(old.Client, **options)

    def attach(self, **options):
        return self.client(**options).ready()

    def native(self):
        return self.connect(wire.Client).ready()

    def goes_on(self):
        """The program runs, and a new client is served."""
        with old.Client(self.server.address) as client:
            client.ready().more(3)


class Sent(ServerCase):
    def test_toy_describes_itself(self):
        self.start(toy_server())
        c = self.attach()
        self.assertEqual(c.name, "Toy server")
        self.assertEqual(c.events, ["Collection start", "Collection end", "Present state"])
        heap = c.spaces[0]
        self.assertEqual((heap.name, heap.title, heap.main), ("Toy heap", "Block ", True))
        c.more(1)
        heap = c.spaces[0]
        self.assertEqual(heap.tiles, 64)
        used, state = heap.streams
        self.assertEqual((used.presentation, used.max, used.post, used.colour),
                         (old.PERCENT, 4096, " bytes", (0, 0, 150)))
        self.assertEqual((state.presentation, state.names),
                         (old.ENUM, ("empty", "partly used", "full")))
        # As the panel of the original shows it.
        self.assertRegex(heap.tile_info(7), r"^Block 7\n4 KiB to a block\n"
                         r"Used: \d+ bytes\nState: [012]\n$")
        self.assertEqual(heap.summary("Used"), [sum(heap.of("Used")), 64 * 4096])
        self.assertEqual(heap.summary("State"), [heap.of("State").count(i) for i in range(3)])

    def test_everything_follows_from_the_tick(self):
        self.start(wire_server())
        c = self.attach()
        self.assertIn("made for: the wire tests", c.info)
        self.assertEqual([s.name for s in c.spaces], ["List", "Matrix", "Changing", "Large"])
        for _ in range(30):
            event, _, _, counters, _ = c.more(1)[-1]
            matrix = c.find("Matrix")
            # Tock shows the matrix of the same tick.
            tick = counters[TICK]
            product = [tick * i for i in range(64)]
            self.assertEqual(matrix.of("Product"), product)
            self.assertEqual(matrix.summary("Product"), [sum(product)])
            self.assertEqual(matrix.of("Parity"), [v % 2 for v in product])
            self.assertEqual(matrix.of("Bound"), [min(7, v) for v in product])
            self.assertEqual(matrix.find("Bound").presentation, old.PERCENT_VAR)
            if event == TICK:
                self.assertEqual(c.find("Changing").tiles, 3 + tick % 3)
                self.assertEqual(c.find("List").info.split("\n")[0],
                                 f"{c.find('List').tiles} items")
        self.assertRegex(c.find("Large").streams[0].name, r"^Number \(((thousand )?million|thousand)\)$")

    def test_it_is_what_a_new_client_gets(self):
        self.start(wire_server(40))
        c, n = self.attach(), self.native()
        compared = 0
        for _ in range(200):
            c.more(1)
            n.idle(0.01)
            tick = c.log[-1][3][TICK]
            if c.log[-1][0] != TICK:
                continue
            n.wait(lambda tick=tick: n.snapshots[-1].counters[TICK] >= tick)
            same = [s for s in n.snapshots
                    if s.counters[TICK] == tick and s.event == TICK]
            if not same or len(same[0].spaces) <= 2:
                continue
            ours, theirs = c.find("List"), same[0].spaces[0]
            self.assertEqual(ours.of("Age"), theirs.values[0])
            self.assertEqual(ours.names, [n and f" {n}" for n in theirs.tile_names])
            self.assertEqual(ours.summary("Age"), theirs.summaries[0])
            self.assertEqual(c.find("Matrix").names[5], "")
            compared += 1
            if compared == 10:
                return
        self.fail("the two clients hardly ever saw the same tick")

    def test_spaces_that_come_and_go(self):
        """Spaces added later are named, not shown."""
        self.start(wire_server(300))
        c = self.attach(pause=True)
        # By steps, so that the space is still there, however long attaching takes.
        while "Not shown to this client: 21" not in c.find("Matrix").info:
            c.play_one()
            c.more(1)
        self.assertEqual(len(c.spaces), 4)
        later = self.attach()
        c.restart()
        later.more(1)
        self.assertEqual(later.spaces[4].name, "21")
        later.wait(lambda: later.log[-1][3][TICK] > 34, 30)
        self.assertIn("no longer exists", later.spaces[4].info)
        self.assertEqual((later.spaces[4].tiles, later.spaces[4].control), (1, [old.UNUSED]))

    def test_the_number_of_streams_stays(self):
        """The description of a space may change, but not how many streams a client has of it: the
        original keeps a colour for each, and the selected one, and ends without it."""
        self.start(wire_server(30))
        expected = {1: {(("One",), False), (("One",), True)},
                    2: {(("One", "Two"), False), (("One", "Gone"), False)}}
        for count, kinds in expected.items():
            c = self.attach()
            while len(c.find("Changing").streams) != count:  # one or two, changing every ten ticks
                c.close()
                c = self.attach()
            seen = set()

            def all_seen(c=c, seen=seen, kinds=kinds):
                space = c.find("Changing")
                names = tuple(s.name for s in space.streams)
                seen.add((names, "1 more streams" in space.info))
                if names[-1] == "Gone" and space.values:
                    self.assertEqual(set(space.values[1]), {0})
                    self.assertEqual(space.summaries[1], [])
                return len(seen) >= len(kinds)
            c.wait(all_seen, 60)
            self.assertEqual(seen, kinds)
            c.close()

    def test_times_and_counters(self):
        self.start(toy_server(30))
        c = self.attach()
        log = c.more(12)
        starts = [e for e in log if e[0] == 0][1:]
        self.assertTrue(all(20 <= e[1] < 1000 for e in starts), starts)
        for before, after in zip(log, log[1:]):
            self.assertLessEqual(before[3][0], after[3][0])


class Split(ServerCase):
    def test_hello_in_any_portions(self):
        self.start(toy_server())
        for portion in (1, 3, 4, 5, 17):
            self.attach(split=portion).more(1)

    def test_length_and_payload_in_two_segments(self):
        self.start(toy_server())
        hello = frame(string(old.MAGIC) + struct.pack(">i", 1) + b"\0")
        with socket.create_connection(("127.0.0.1", int(self.server.port))) as s:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            s.sendall(hello[:4])
            time.sleep(0.2)
            s.sendall(hello[4:])
            s.settimeout(30)
            self.assertEqual(s.recv(1000)[4:12], old.MAGIC)


class Control(ServerCase):
    def test_pause_step_and_restart(self):
        """F10"""
        self.start(toy_server(10))
        c = self.attach()
        c.more(2)
        c.pause()
        c.wait(lambda: c.pauses == 1)
        count = len(c.log)
        c.idle(0.3)
        self.assertEqual(len(c.log), count, "it stands")
        for i in range(3):
            c.play_one()
            c.wait(lambda i=i: len(c.log) == count + i + 1)
        c.idle(0.3)
        self.assertEqual((len(c.log), c.pauses), (count + 3, 1))
        c.restart()
        c.more(5)
        c.pause()
        c.wait(lambda: c.pauses == 2)

    def test_restart_and_pause_at_once(self):
        self.start(toy_server(10))
        c = self.attach()
        c.pause()
        c.wait(lambda: c.pauses == 1)
        for i in range(5):
            c.say((old.RESTART, b""), (old.PAUSE_REQ, b""))
            c.wait(lambda i=i: c.pauses == i + 2)

    def test_pause_at_start(self):
        self.start(toy_server(10))
        c = self.attach(pause=True)
        c.wait(lambda: c.pauses == 1)
        count = len(c.log)
        c.idle(0.2)
        self.assertEqual(len(c.log), count)
        c.restart()
        c.more(3)

    def test_shutdown_is_answered_at_once_and_ends_nothing(self):
        self.start(toy_server(10))
        other = self.attach()
        c = self.attach()
        c.pause()
        c.wait(lambda: c.pauses)
        began = time.monotonic()
        c.shutdown()
        c.ended()
        self.assertTrue(c.shut_down)
        self.assertLess(time.monotonic() - began, 8, "not only when silence is noticed")
        other.more(3)

    def test_a_closed_connection_lets_the_program_go_on(self):
        self.start(toy_server(10))
        other = self.attach()
        for end in (lambda c: c.close(),
                    lambda c: c.socket.shutdown(socket.SHUT_WR),
                    lambda c: c.socket.sendall(struct.pack(">i", 0))):
            c = self.attach(pause=True)
            c.wait(lambda c=c: c.pauses)
            end(c)
            other.more(3)

    def test_filters(self):
        """F9: a period's count matches what is sent."""
        self.start(toy_server(5))
        c = self.attach()
        c.more(1)
        c.filters((True, 0, False, 3), (False, 0, False, 1), (True, 0, False, 1))
        c.wait(lambda: {(e[0], e[3][0] % 3) for e in c.log[-3:]} == {(0, 0)})
        sent = c.more(10)[:10]
        self.assertEqual({e[0] for e in sent}, {0})
        self.assertEqual({e[3][0] % 3 for e in sent}, {0})
        self.assertEqual(sent[-1][3][0] - sent[0][3][0], 27)
        c.filters((True, 0, False, 1), (True, 0, True, 1))
        c.wait(lambda: c.pauses == 1)
        self.assertEqual(c.log[-1][0], 1, "it paused after that event")
        c.filters((True, 100, False, 1), (False, 0, False, 1))
        c.restart()
        c.more(2)
        self.assertTrue(all(e[1] >= 100 for e in c.more(4)), c.log[-4:])

    def test_old_and_new_together(self):
        """Each client has its own filters; a pause is everybody's."""
        self.start(toy_server(10))
        olds = [self.attach() for _ in range(3)]
        news = [self.native() for _ in range(2)]
        olds[0].filters((True, 0, False, 1), (False, 0, False, 1))
        for c in olds + news:
            c.more(5)
        olds[0].wait(lambda: {e[0] for e in olds[0].log[-3:]} == {0})
        self.assertEqual({e[0] for e in olds[0].more(5)}, {0})
        news[0].pause()
        for c in olds:
            c.wait(lambda c=c: c.pauses == 1)
        news[1].settled((wire.PAUSED, False, 1))
        olds[1].restart()
        news[1].settled((wire.RUNNING, False, 0))
        for c in olds + news:
            c.more(3)


class Silence(ServerCase):
    LIMIT = 2000  # milliseconds, more than our own clients are late on a busy machine

    def test_an_old_client_may_be_quiet(self):
        self.start(wire_server(50, keep_alive=self.LIMIT))
        c, n = self.attach(), self.native()
        n.silent = True
        c.idle(3 * self.LIMIT / 1000)
        c.more(2)
        self.assertEqual(n.ended()[0], "SILENT", "a new one must not")

    def test_half_a_hello_is_not_waited_for_ever(self):
        self.start(wire_server(50, keep_alive=self.LIMIT))
        for part in (b"\0\0\0\x0e", b"\0\0\0\x0eGCspy", b"\0\0"):
            with socket.create_connection(("127.0.0.1", int(self.server.port))) as s:
                s.sendall(part)
                s.settimeout(30)
                self.assertEqual(s.recv(100), b"")
        self.goes_on()

    def test_a_client_that_takes_nothing_is_dropped(self):
        self.start(wire_server(5, keep_alive=self.LIMIT))
        s = socket.socket()
        self.addCleanup(s.close)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(("127.0.0.1", int(self.server.port)))
        s.sendall(frame(string(old.MAGIC) + struct.pack(">i", 1) + b"\1"))
        # It holds the program, too; both end with it.
        other = self.native()
        count = len(other.snapshots)
        other.wait(lambda: len(other.snapshots) > count + 10)


class Hostile(ServerCase):
    def refused(self, data, after_hello=True):
        began = time.monotonic()
        if after_hello:
            c = self.attach()
            c.socket.sendall(data)
            c.ended(8)
            self.assertTrue(c.shut_down)
        else:
            with socket.create_connection(("127.0.0.1", int(self.server.port))) as s:
                s.sendall(data)
                s.settimeout(30)
                try:
                    self.assertEqual(s.recv(100), b"")
                except ConnectionError:
                    pass
        self.assertLess(time.monotonic() - began, 8, "not only when silence is noticed")

    def test_bad_hellos(self):
        self.start(toy_server())
        good = string(old.MAGIC) + struct.pack(">i", 1) + b"\0"
        for payload in (b"GCspy667\0" + good[9:], good[:9] + struct.pack(">i", 0) + b"\0",
                        b"\xff" * 14):
            self.refused(struct.pack(">i", 14) + payload, after_hello=False)
        self.goes_on()

    def test_bad_commands(self):
        self.start(toy_server())
        for data in (struct.pack(">ii", 4, 4711), struct.pack(">i", -1),
                     struct.pack(">i", 0x7FFFFFFF), commands((old.EVENT, b"\0" * 9)),
                     commands((99, b"")), commands((old.EVENT_FILTERS, b"\x7f\xff")),
                     commands((old.EVENT_FILTERS, struct.pack(">h?i?i", 1, True, -1, False, 1))),
                     commands((old.EVENT_FILTERS, struct.pack(">h?i?i", 1, True, 0, False, 0))),
                     frame(struct.pack(">i", old.BEGIN)),
                     frame(struct.pack(">iBi", old.BEGIN, 0, -667))):
            self.refused(data)
        self.goes_on()

    def test_random_bytes(self):
        self.start(toy_server(10))
        dice = random.Random(2002)
        for _ in range(20):
            c = self.attach()
            try:
                for _ in range(20):
                    c.socket.sendall(frame(struct.pack(">i", old.BEGIN) +
                                           dice.randbytes(dice.randrange(30))))
                c.ended(5)
            except (ConnectionError, Gone):
                pass
        self.goes_on()

    def test_a_token_keeps_old_clients_out(self):
        """Q1: they cannot give it."""
        self.start(wire_server(token="secret"))
        with self.assertRaises(Gone):
            self.client().ready()


# Our client.


def linear(number, tiles=4, name="Linear"):
    return Space(id=number, name=name, tiles=tiles, driver="MMTk LinearSpaceDriver",
                 streams=[Stream(id=0, name="Used", presentation=old.PERCENT)])


class ClientCase(unittest.TestCase):
    def serve(self, spaces=None, **options):
        spaces = [presentations(main=True)] if spaces is None else spaces
        server = old.Server(spaces, **options)
        self.addCleanup(server.finish)
        return server

    def run_tool(self, *arguments, seconds=60, text=None):
        done = subprocess.run([program("GCSPY"), *arguments], capture_output=True, text=True,
                              timeout=seconds, check=False, input=text)
        return done.returncode, done.stdout, done.stderr

    def dump(self, server, *options):
        code, out, error = self.run_tool("dump", server.address, "--format", "json", "--values",
                                         *options)
        self.assertEqual((code, error), (0, ""))
        return [json.loads(line) for line in out.splitlines()] if options else json.loads(out)


def one_event(server, connection):
    server.send(connection, server.event(0))


def streams_of(document, index=0):
    return {s["name"]: s for s in document["spaces"][index]["streams"]}


class Understood(ClientCase):
    def check_all(self, document, space):
        shown = document["spaces"][0]
        self.assertEqual((shown["name"], shown["tiles"]), (space.name, space.tiles))
        streams = streams_of(document)
        for stream in space.streams:
            values = streams[stream.name]["values"]
            self.assertEqual(values, space.values[stream.id], stream.name)
        self.assertEqual(streams["Control"]["values"], space.control)

    def test_c_and_java_orders_in_any_portions(self):
        for java in (False, True):
            for portions in (0, 1, 7):
                server = self.serve(script=one_event, java=java, portions=portions)
                self.check_all(self.dump(server), server.spaces[0])
                server.expect(old.SHUTDOWN_REQ)
                self.assertIsNone(server.error)

    def test_presentations_in_words(self):
        server = self.serve(script=one_event, info="Collector: mark-sweep\nanything else")
        code, out, _ = self.run_tool("dump", server.address, "--values")
        self.assertEqual(code, 0)
        for words in ("DIRTY 2", "round 1", "about ", "of "):
            self.assertIn(words, out)
        code, out, _ = self.run_tool("info", server.address)
        self.assertEqual(code, 0)
        for words in ("Old server", "Collector", "mark-sweep", "GCspy of 2002", "Start", "End",
                      "one of DIRTY, SUMMARISED, CLEAN", "number and percentage of Var",
                      "coloured against the largest", "or more", "Driver: Driver"):
            self.assertIn(words, out)

    def test_sizes_and_descriptions_change(self):
        rounds = 6

        def script(server, connection):
            for i in range(rounds):
                space = server.spaces[0]
                if i in (1, 2):
                    server.spaces[0] = fill(presentations(tiles=3 * i + 5, main=True), i + 1)
                elif i == 3:
                    server.spaces[0] = linear(0, tiles=2, name="Anew")
                    server.spaces[0].values = {0: [7, 9]}
                elif i == 4:
                    space.values = {0: [8, 1]}
                elif i == 5:  # as servers that resize at every event
                    server.spaces[0] = linear(0, tiles=2, name="Anew")
                    server.spaces[0].values = {0: [3, 4]}
                server.send(connection, server.event(i % 2, described=(0,) if i in (1, 2, 3, 5)
                                                     else ()))
        server = self.serve(script=script)
        documents = self.dump(server, "--events", str(rounds))
        self.assertEqual([d["spaces"][0]["tiles"] for d in documents], [6, 8, 11, 2, 2, 2])
        self.assertEqual([d["spaces"][0]["name"] for d in documents],
                         ["All"] * 3 + ["Anew"] * 3)
        self.assertEqual([streams_of(d)["Used"]["values"] for d in documents[3:]],
                         [[7, 9], [8, 1], [3, 4]])
        self.check_all(documents[2], fill(presentations(tiles=11), 3))

    def test_no_control_and_no_data(self):
        def script(server, connection):
            server.send(connection, server.event(1, parts=[
                (old.STREAM, b"\0\0" + old.array("i", [1, 2, 3, 4]))]))
        server = self.serve([linear(0), linear(1, name="Other")], script=script)
        document = self.dump(server)
        self.assertEqual(streams_of(document)["Control"]["values"], [1, 1, 1, 1])
        self.assertEqual(streams_of(document, 1)["Used"]["values"], [0] * 4)

    def test_watch_tells_events(self):
        def script(server, connection):
            for i in range(4):
                server.send(connection, server.event(i % 2))
        code, out, _ = self.run_tool("watch", self.serve(script=script).address, "--events", "4")
        self.assertEqual(code, 0)
        self.assertEqual([line.split()[-1] for line in out.splitlines()[-4:]],
                         ["Start", "End", "Start", "End"])

    def test_names_outside_utf8(self):
        server = self.serve([Space(id=0, name=b"Tas na h\xc9ireann", tiles=1,
                                   streams=[Stream(id=0, name=b"\xff\xfe")])])
        code, out, _ = self.run_tool("info", server.address)
        self.assertEqual(code, 0)
        self.assertIn("ireann", out)


class Commanded(ClientCase):
    def test_pause_step_and_leave(self):
        """The server stands, lets one event through for each step and says PAUSE but once."""
        def script(server, connection):
            paused = False
            while True:
                for command, _ in server.read_commands(connection):
                    if command == old.PAUSE_REQ and not paused:
                        paused = True
                        server.send(connection, server.event(0) + commands((old.PAUSE, b"")))
                    elif command == old.PLAY_ONE and paused:
                        server.send(connection, server.event(1))
                    elif command == old.SHUTDOWN_REQ:
                        server.send(connection, commands((old.SHUTDOWN, b"")))
                        raise Gone()
        server = self.serve(script=script)
        code, out, error = self.run_tool("pause", server.address, text="s\ns\nq\n")
        self.assertEqual((code, error), (0, ""))
        self.assertEqual(out.count("Paused at"), 1, out)
        self.assertEqual(out.count("Stepped; paused at"), 2, out)
        self.assertEqual([c for c, _ in server.heard],
                         [old.PAUSE_REQ, old.PLAY_ONE, old.PLAY_ONE, old.SHUTDOWN_REQ])

    def test_filters_are_all_told(self):
        def script(server, connection):
            while not server.heard:
                server.read_commands(connection)
            server.send(connection, server.event(1))
        server = self.serve(script=script)
        code, out, _ = self.run_tool("watch", server.address, "--event", "End", "--events", "1")
        self.assertEqual(code, 0, out)
        self.assertEqual(server.expect(old.EVENT_FILTERS),
                         [(False, 0, False, 1), (True, 0, False, 1)])
        self.assertFalse(server.paused_at_start)

    def test_a_quiet_server_is_not_given_up(self):
        def script(server, connection):
            time.sleep(8)
            server.send(connection, server.event(0))
        server = self.serve(script=script)
        code, _, error = self.run_tool("watch", server.address, "--events", "1", "--timeout", "5")
        self.assertEqual((code, error), (0, ""))

    def test_a_server_that_does_not_answer_the_goodbye(self):
        def script(server, connection):
            server.send(connection, server.event(0))
            while connection.recv(1000):
                pass
            raise Gone()
        began = time.monotonic()
        code, _, _ = self.run_tool("dump", self.serve(script=script).address)
        self.assertEqual(code, 0)
        self.assertLess(time.monotonic() - began, 30)


class Refused(ClientCase):
    """Q2: one clear line, no crash, no hang."""

    def refuses(self, data, words, answer=True, timeout="20"):
        """A server that sends its bootstrap (if `answer`) and then the data."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        listener.settimeout(60)
        head = b""
        if answer:
            description = old.Server([presentations(main=True)])
            description.finish()
            head = description.bootstrap()

        def run():
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(60)
                try:
                    connection.recv(18)
                    connection.sendall(head + data)
                    while connection.recv(1000):
                        pass
                except OSError:
                    pass
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        code, out, error = self.run_tool("watch", f"2002:127.0.0.1:{listener.getsockname()[1]}",
                                         "--timeout", timeout)
        self.assertEqual(code, 1, out)
        self.assertRegex(error.strip(), r"^gcspy: [^\n]*$", "one line")
        self.assertIn(words, error)
        thread.join(60)

    def test_foreign_answers(self):
        for data in (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH\r\n", b"\0\0\0\4oops",
                     frame(b"GCspy666\0" + struct.pack(">i", 7) + b"x\0")):
            self.refuses(data, "byte order" if b"666" in data else "not a GCspy server of 2002",
                         answer=False)
        self.refuses(b"", "no answer within 2000 ms", answer=False, timeout="2")

    def test_bad_commands(self):
        for data, words in (
                (commands((old.STREAM, b"\5\0" + old.array("i", []))), "space 5"),
                (commands((old.STREAM, b"\0\x09" + old.array("i", []))), "stream 9"),
                (commands((old.STREAM, b"\0\0" + struct.pack(">i", 1 << 30))), "1073741824 values"),
                (commands((old.CONTROL, b"\0" + old.array("b", [1] * 7))), "7 values"),
                (commands((old.EVENT, struct.pack(">bii", 2, 0, 0))), "event 2"),
                (commands((old.PAUSE_REQ, b"")), "command 1"),
                (struct.pack(">i", 1 << 25), "over the limit"), (struct.pack(">i", -3), "limit"),
                (frame(b"nothing"), "begin like commands"),
                (frame(struct.pack(">i", old.BEGIN)), "end like commands"),
                (commands((old.SPACE, linear(9).write())), "space 9"),
                (commands((old.SPACE, b"\0\0S\0D\0T\0B\0" + struct.pack(">i", 1 << 29) +
                           b"U\0\0\0\0")), "536870912 tiles"),
                (commands((old.SHUTDOWN, b"")), "ended the connection"),
                (struct.pack(">i", 0), "ended the connection")):
            with self.subTest(words):
                self.refuses(data, words)

    def test_random_bytes(self):
        dice = random.Random(1)
        for _ in range(10):
            data = b"".join(frame(struct.pack(">iB", old.BEGIN, dice.randrange(16)) +
                                  dice.randbytes(dice.randrange(40))) for _ in range(20))
            self.refuses(data + struct.pack(">i", -1), "the server ")

    def test_flipped_bits(self):
        dice = random.Random(2)
        server = old.Server([presentations(main=True)])
        server.finish()
        whole = server.bootstrap() + server.event(0)
        for _ in range(15):
            broken = bytearray(whole)
            broken[dice.randrange(len(broken))] ^= 1 << dice.randrange(8)
            self.refuses(bytes(broken) + struct.pack(">i", -1), "2002:", answer=False,
                         timeout="0.5")

    def test_tokens_are_refused_early(self):
        with open("token-of-2002", "w", encoding="ascii") as file:
            file.write("secret\n")
        os.chmod("token-of-2002", 0o600)
        self.addCleanup(os.remove, "token-of-2002")
        code, _, error = self.run_tool("info", "2002:3000", "--token-file", "token-of-2002")
        self.assertEqual(code, 2)
        self.assertIn("does not use a token", error)


class Mirrored(ServerCase):
    """Our client and our server in this dialect: what is shown is the same as natively."""

    def test_dump(self):
        self.start(wire_server(80))
        def documents(address):
            done = subprocess.run([program("GCSPY"), "dump", address, "--format", "json",
                                   "--values", "--event", "Tick", "--events", "8"],
                                  capture_output=True, text=True, timeout=60, check=True)
            return {d["counters"]["Tick"]: d for d in map(json.loads, done.stdout.splitlines())}
        found = {}
        threads = [threading.Thread(target=lambda p=p: found.update(
            {p: documents(p + self.server.address)})) for p in ("", "2002:")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        same = set(found[""]) & set(found["2002:"])
        self.assertTrue(same, "no tick in common")
        for tick in same:
            ours, theirs = found[""][tick], found["2002:"][tick]
            self.assertEqual(streams_of(ours, 0)["Age"]["values"],
                             streams_of(theirs, 0)["Age"]["values"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
