"""A server in C against the independent client: what docs/protocol.md promises, seen on the wire.

TOY_SERVER and WIRE_SERVER name the programs. The tests of class AnyServer know nothing of the server
that they talk to: with GCSPY_ADDRESS they run against one that runs already and has events now and
then, such as an agent in a JVM.
"""

import os
import random
import signal
import socket
import struct
import tempfile
import threading
import time
import unittest

import gcspy_wire as wire
import harness
from gcspy_wire import Client, Closed, frame, text, varint
from harness import toy_server, wire_server

START, END = 0, 1  # events of the toy server
TICK, TOCK = 0, 1  # events of the wire server
LIST, MATRIX, CHANGING, LARGE = 0, 1, 2, 3


class ServerCase(harness.ServerCase):
    """Clients of our own protocol."""

    def same_state(self, one, other):
        """Two clients have the same state at one sequence, except for a space that is left out
        for the one whose description of it is newer than the snapshot (section 6.1)."""
        self.assertEqual(one.sequence, other.sequence)
        compared = 0
        for a, b in zip(one.spaces, other.spaces):
            if a.gathered == b.gathered and a.streams == b.streams:
                self.assertEqual(a.state(), b.state())
                compared += 1
        self.assertGreaterEqual(compared, min(len(one.spaces), len(other.spaces)) - 1)

    def client(self, *arguments, **options):
        return self.connect(Client, *arguments, **options)

    def attach(self, *arguments, **options):
        return self.client(*arguments, **options).ready()

    def goes_on(self):
        """The program runs, and a new client is served; those that went may take a moment."""
        deadline = time.monotonic() + 60
        while True:
            with Client(self.server.address) as client:
                try:
                    client.ready().more(2)
                    return
                except Closed as closed:
                    if closed.bye and closed.bye[0] != "FULL" or time.monotonic() > deadline:
                        raise
            time.sleep(0.1)

    def agrees(self, client, flags=0):
        """While the program is paused, a new client receives what this one has."""
        client.pause()
        client.settled((wire.PAUSED, True, 0))
        with Client(self.server.address, flags) as fresh:
            fresh.ready().wait(lambda: fresh.snapshots)
            self.same_state(client.snapshots[-1], fresh.snapshots[0])
        client.resume()
        client.settled((wire.RUNNING, False, 0))

    def quiet(self, client, seconds=0.3):
        """No snapshot comes in that time."""
        client.obeyed()
        before = len(client.snapshots)
        client.idle(seconds)
        self.assertEqual(len(client.snapshots), before)


def values(snapshot, space, stream):
    s = snapshot.spaces[space]
    return s.values[s.find(stream)]


class Bootstrap(ServerCase):
    def test_toy_describes_itself(self):
        """F6, F3"""
        self.start(toy_server())
        c = self.attach()
        self.assertEqual(c.messages[:c.messages.index("READY") + 1],
                         ["WELCOME", "INFO", "EVENTS", "GROUPS", "SPACE", "READY"])
        self.assertEqual((c.name, c.keep_alive), ("Toy server", 10000))
        self.assertEqual([e["name"] for e in c.events], ["Collection start", "Collection end"])
        self.assertEqual(c.events[0]["colour"], 0xE69F00)
        self.assertEqual(c.events[0]["attributes"],
                         [{"name": "used before", "kind": 0, "format": 2, "names": [],
                           "on_demand": False, "parameters": []}])
        space = c.spaces[0]
        self.assertEqual((space.name, space.tile_title, space.block_bytes, space.main, space.group),
                         ("Toy heap", "Block", 4096, True, None))
        used, state, control = space.streams
        self.assertEqual((used["name"], used["presentation"], used["max"], used["suffix"]),
                         ("Used", 2, 4096, " bytes"))
        self.assertEqual(state["names"], ["empty", "partly used", "full"])
        self.assertEqual((control["role"], control["initial"]), (1, 1))

    def test_everything_is_described(self):
        """F1, F2, F3, F14, F15, F17"""
        self.start(wire_server())
        c = self.attach()
        self.assertIn(("made for", "the wire tests"), c.info)
        self.assertEqual([a["kind"] for a in c.events[TICK]["attributes"]], [0, 1, 2, 0])
        self.assertEqual(c.events[TICK]["attributes"][1]["names"], ["even", "odd"])
        self.assertEqual(c.groups[:2], [{"name": "Outer", "parent": None},
                                        {"name": "Inner", "parent": 0}])
        matrix = c.spaces[MATRIX]
        self.assertEqual((matrix.kind, matrix.columns, matrix.default_stream, matrix.group),
                         (2, 8, 1, 0))
        self.assertEqual([s["maximum"] for s in matrix.streams], [1, 2, 0, 0, 0])
        self.assertEqual(matrix.streams[1]["max_stream"], 0)
        self.assertEqual([s["role"] for s in matrix.streams], [0, 0, 0, 2, 3])
        self.assertEqual(c.spaces[LIST].streams[0]["min"], -2**63)

    def test_errors_of_estimates(self):
        """F3: a stream names the later one that has its errors; a receiver that does not know the field
        reads everything else."""
        class Earlier(Client):
            @staticmethod
            def error_stream(_):
                return None
        self.start(wire_server())
        c = self.attach()
        self.assertEqual([s["error_stream"] for s in c.spaces[MATRIX].streams],
                         [1, None, None, None, None])
        self.assertEqual({s["error_stream"] for p in c.spaces[:MATRIX] for s in p.streams}, {None})
        with Earlier(self.server.address) as earlier:
            earlier.ready().wait(lambda: earlier.snapshots)
            for new, old in zip(c.spaces, earlier.spaces):
                self.assertEqual([{**s, "error_stream": None} for s in new.streams], old.streams)
            c.wait(lambda: c.snapshots)
            self.agrees(earlier)

    def test_first_state_is_running(self):
        self.start(toy_server())
        c = self.attach()
        c.wait(lambda: c.states)
        self.assertEqual(c.states[0], (wire.RUNNING, False, 0))
        self.assertLess(c.messages.index("READY"), c.messages.index("STATE"))

    def test_a_server_without_answers_says_so(self):
        """Section 6.8"""
        self.start(toy_server())
        c = self.attach()
        for number in (c.ask("sites", ("kind", "live")), c.set("interval", "0")):
            answer = c.answered(number)
            self.assertEqual((answer.status, answer.body), ("UNSUPPORTED", b""))
            self.assertTrue(answer.words)


class Streams(ServerCase):
    def agree(self, flags=0, rounds=6):
        old = self.attach(flags)
        for _ in range(rounds):
            old.more(5)
            self.agrees(old, flags)
            del old.snapshots[:-1]
        self.assertGreater(old.incremental, 0)
        return old

    def test_toy_agrees_with_a_fresh_client(self):
        """F11"""
        self.start(toy_server(10))
        self.agree()

    def test_changing_spaces_agree_with_a_fresh_client(self):
        """F11, F13, F2"""
        self.start(wire_server(60))  # 70,000 values for each event take Python some time
        c = self.agree(rounds=20)
        for name in ("TILES", "NAMES", "SPACE_INFO", "SPACE_GONE"):
            self.assertIn(name, c.messages)
        self.assertGreater(c.messages.count("SPACE"), 8)
        self.assertGreater(len(c.spaces), 4)

    def test_compressed_agrees_with_a_fresh_client(self):
        self.start(wire_server(60))
        c = self.agree(wire.HELLO_COMPRESS, 3)
        self.assertGreater(c.deflated, 0)
        plain = self.attach()
        plain.more(5)
        self.assertEqual(plain.deflated, 0)

    def test_values_are_those_of_the_program(self):
        """F4, F6, F17"""
        self.start(wire_server(10))
        c = self.attach()
        for s in c.more(40):
            if s.event != TICK:
                continue
            tick, parity, words, sometimes = s.attributes
            self.assertEqual((parity, words), (tick % 2, f"tick {tick}"))
            self.assertEqual(sometimes, -tick if tick % 2 == 0 else None)
            product = values(s, MATRIX, "Product")
            self.assertEqual(product, [tick * i for i in range(64)])
            self.assertEqual(values(s, MATRIX, "Bound"), [7] * 64)
            self.assertEqual(values(s, MATRIX, "From"), list(range(0, 64 * 4096, 4096)))
            odd = sum(p % 2 for p in product)
            self.assertEqual(s.spaces[MATRIX].summaries[2], [64 - odd, odd])
            for space in (LIST, MATRIX, LARGE):
                self.assertEqual(s.spaces[space].summaries[0], [sum(s.spaces[space].values[0])])
            self.assertEqual(s.spaces[LIST].words, f"{s.spaces[LIST].tiles} items")
            names = s.spaces[LIST].tile_names
            self.assertEqual(len(names), s.spaces[LIST].tiles)
            if len(names) > 5:
                self.assertEqual(names[5], "fifth" if tick % 2 else "")
            number = s.spaces[LARGE].values[0]
            self.assertEqual(len(number), 70000)
            if tick % 8 == 1:
                self.assertEqual({number[i] for i in range(tick, 70000, 1000)}, {tick << 32})

    def test_toy_summaries_equal_sums(self):
        """F4"""
        self.start(toy_server(10))
        for s in self.attach().more(10):
            used = values(s, 0, "Used")
            state = values(s, 0, "State")
            self.assertEqual(s.spaces[0].summaries[0], [sum(used), 64 * 4096])
            self.assertEqual(s.spaces[0].summaries[1], [state.count(i) for i in range(3)])

    def test_times_and_counters(self):
        """F7"""
        self.start(toy_server(20))
        c = self.attach()
        c.filter(END, enabled=False)
        c.afresh()
        c.more(6)
        for a, b in zip(c.snapshots, c.snapshots[1:]):
            self.assertEqual(b.elapsed, b.time - a.time)
            self.assertEqual(b.compensation, b.cost - a.cost)
            self.assertLessEqual(b.compensation, b.elapsed)
            self.assertGreater(b.sequence, a.sequence)
            self.assertEqual(b.counters[START], a.counters[START] + 1)
            self.assertEqual(b.counters[END], a.counters[END] + 1, "counted though filtered")
            self.assertLess(abs(b.wall / 1e9 - time.time()), 60)

    def test_what_was_not_gathered_is_listed(self):
        self.start(wire_server(20))
        c = self.attach()
        for s in c.more(8):
            self.assertTrue(s.spaces[MATRIX].gathered)
            self.assertEqual(s.spaces[LIST].gathered, s.event == TICK)

    def test_a_slowly_paced_client_follows_all_changes(self):
        """F12: spaces described again and withdrawn more than once between two snapshots"""
        self.start(wire_server(2))
        c = self.attach()
        def ticks(shots):
            return [b.counters[TICK] - a.counters[TICK] for a, b in zip(shots, shots[1:])]
        c.pace(wire.PACE_INTERVAL, 2500)
        shots = c.more(2)
        while ticks(shots)[-1] <= 45:  # sent before the server knew
            shots += c.more(1)
        self.assertGreater(min(ticks(shots[-1:] + c.more(3))), 45)
        c.pace(wire.PACE_INTERVAL, 100)  # not each: this client may be slower than the events
        c.later()
        self.agrees(c)


class Control(ServerCase):
    """F10"""

    def setUp(self):
        self.start(toy_server(20))

    def test_pause_step_resume(self):
        a, b = self.attach(), self.attach()
        a.more(2)
        a.pause()
        a.settled((wire.PAUSED, True, 0))
        b.settled((wire.PAUSED, False, 1))
        self.assertEqual(a.messages[-1], "STATE", "all data come before PAUSED")
        self.quiet(a)
        self.quiet(b)
        for _ in range(5):
            before, have = a.snapshots[-1], len(a.snapshots)
            a.step()
            a.wait(lambda: len(a.snapshots) > have)
            a.idle(0.1)
            self.assertEqual(len(a.snapshots), have + 1, "one step is one event")
            self.assertEqual(a.snapshots[-1].event, 1 - before.event)
            a.settled((wire.PAUSED, True, 0))
        b.wait(lambda: b.snapshots[-1].sequence == a.snapshots[-1].sequence)
        a.resume()
        a.settled((wire.RUNNING, False, 0))
        b.settled((wire.RUNNING, False, 0))
        a.more(3)

    def test_everyone_who_holds_counts(self):
        a, b = self.attach(), self.attach()
        a.pause()
        b.pause()
        a.settled((wire.PAUSED, True, 1))
        b.settled((wire.PAUSED, True, 1))
        a.resume()
        a.settled((wire.PAUSED, False, 1))
        self.quiet(a)
        a.resume(everyone=True)
        a.settled((wire.RUNNING, False, 0))
        b.settled((wire.RUNNING, False, 0))
        a.more(2)

    def test_step_on_a_running_program_stops_it(self):
        a = self.attach()
        a.more(1)
        a.step()
        a.settled((wire.PAUSED, True, 0))
        self.quiet(a)

    def test_step_passes_over_events_of_others(self):
        a, b = self.attach(), self.attach()
        a.filter(END, enabled=False)
        a.pause()
        a.settled((wire.PAUSED, True, 0))
        a.obeyed()
        for _ in range(4):
            have = len(a.snapshots)
            a.step()
            a.wait(lambda: len(a.snapshots) > have)
            a.settled((wire.PAUSED, True, 0))
            self.assertEqual(len(a.snapshots), have + 1)
            self.assertEqual(a.snapshots[-1].event, START)
        b.wait(lambda: b.snapshots and b.snapshots[-1].sequence == a.snapshots[-1].sequence)
        self.assertIn(END, {s.event for s in b.snapshots[-4:]})

    def test_pause_in_the_hello(self):
        a = self.attach(wire.HELLO_PAUSE)
        a.wait(lambda: a.states)
        self.assertNotEqual(a.states[0][0], wire.RUNNING)
        a.settled((wire.PAUSED, True, 0))
        self.quiet(a)

    def held(self):
        a, b = self.attach(), self.attach()
        a.pause()
        a.settled((wire.PAUSED, True, 0))
        b.settled((wire.PAUSED, False, 1))
        return a, b

    def goes_on(self, b):
        """Before the keep-alive limit of the toy, 10 s, ends the hold of a client that has gone."""
        b.more(2, 8)
        b.settled((wire.RUNNING, False, 0))

    def test_a_client_that_closes_gives_up_its_hold(self):
        a, b = self.held()
        a.close()
        self.goes_on(b)

    def test_a_client_that_says_close_gives_up_its_hold(self):
        a, b = self.held()
        a.send("CLOSE")
        self.goes_on(b)
        self.assertIsNone(a.ended())

    def test_a_client_that_resets_gives_up_its_hold(self):
        a, b = self.held()
        a.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        a.close()
        self.goes_on(b)

    def test_a_malformed_message_gives_up_the_hold(self):
        a, b = self.held()
        a.send("FILTER")
        self.goes_on(b)

    def test_the_hold_of_one_survives_the_end_of_another(self):
        a, b = self.held()
        b.pause()
        b.settled((wire.PAUSED, True, 1))
        a.close()
        b.settled((wire.PAUSED, True, 0))
        self.quiet(b)
        b.resume()
        b.settled((wire.RUNNING, False, 0))


class Tidings(ServerCase):
    def test_others_hear_of_a_hold_though_nothing_happens(self):
        """STATE is sent when a field changes, also to clients attached before and after"""
        self.start(wire_server(600000))
        clients = [self.attach() for _ in range(3)]
        clients[1].pause()
        for i, c in enumerate(clients):
            c.settled((wire.PAUSING, i == 1, int(i != 1)))
        clients[1].resume()
        for c in clients:
            c.settled((wire.RUNNING, False, 0))


class KeepAlive(ServerCase):
    """The limit is short where a client is to be dropped, and where it is to be kept longer than any
    machine keeps this process waiting. By default it would be 60 s here."""
    SHORT, LONG = 1000, 6000

    def serve(self, limit):
        self.start(wire_server(500, limit))

    def test_a_silent_client_is_dropped_and_its_hold_falls(self):
        """F10, Q3"""
        self.serve(self.LONG)
        b = self.attach()
        a = self.attach()
        self.assertEqual(a.keep_alive, self.LONG)
        a.silent = True
        a.pause()
        begin = time.monotonic()
        b.settled((wire.PAUSED, False, 1))
        b.more(2, 50)
        self.assertGreater(time.monotonic() - begin, 0.6 * self.LONG / 1000)
        self.assertEqual(a.ended()[0], "SILENT")

    def test_a_client_that_says_nothing_at_all_is_dropped(self):
        self.serve(self.SHORT)
        begin = time.monotonic()
        self.client(hello=False).ended(50)
        self.assertGreater(time.monotonic() - begin, 0.8 * self.SHORT / 1000)

    def test_a_hello_that_drips_is_dropped(self):
        self.serve(self.SHORT)
        hello = wire.PREAMBLE + frame("HELLO", varint(0) + text("x" * 200) + text(""))
        with wire.connect(self.server.address) as s, self.assertRaises(OSError):
            for byte in hello:
                s.sendall(bytes([byte]))
                time.sleep(self.SHORT / 10000)

    def test_pings_keep_a_client(self):
        self.serve(self.LONG)
        c = self.attach()
        c.send("PING", varint(12345678901234567890))
        c.wait(lambda: c.pongs)
        self.assertEqual(c.pongs[0], 12345678901234567890)
        c.idle(1.5 * self.LONG / 1000)
        c.wait(lambda: len(c.pongs) > 3)

    def test_a_machine_that_sleeps_silences_nobody(self):
        """The server wakes first: it has not run either, and the client has its time again."""
        self.serve(self.LONG)
        c = self.attach()
        c.silent = True
        os.kill(self.server.process.pid, signal.SIGSTOP)
        time.sleep(1.2 * self.LONG / 1000)
        os.kill(self.server.process.pid, signal.SIGCONT)
        time.sleep(0.2 * self.LONG / 1000)
        c.raw(frame("PING", varint(7)))
        c.wait(lambda: c.pongs == [7])
        self.assertEqual(c.ended(50)[0], "SILENT")  # from then on as before

    def test_any_byte_is_a_sign_of_life(self):
        self.serve(self.LONG)
        c = self.attach()
        c.silent = True
        message = frame("PING", varint(7)) * 3
        for i in range(0, len(message)):
            c.raw(message[i:i + 1])
            c.idle(1.6 * self.LONG / 1000 / len(message))
        c.wait(lambda: c.pongs == [7, 7, 7])


class Filters(ServerCase):
    """F9"""

    def setUp(self):
        self.start(toy_server(20))

    def test_disabled_and_enabled(self):
        a, b = self.attach(), self.attach()
        a.filter(END, enabled=False)
        a.afresh()
        a.more(6)
        self.assertEqual({s.event for s in a.snapshots}, {START})
        b.more(4)
        self.assertEqual({s.event for s in b.snapshots[-4:]}, {START, END})
        a.filter(END)
        a.afresh()
        a.more(6)
        self.assertEqual({s.event for s in a.snapshots}, {START, END})

    def test_several_clients_with_several_periods(self):
        clients = {period: self.attach() for period in (2, 3, 5)}
        for period, c in clients.items():
            c.filter(START, period=period)
            c.filter(END, enabled=False)
        for c in clients.values():
            c.afresh()
        for period, c in clients.items():
            counts = [s.counters[START] for s in c.more(4)[:4]]
            self.assertEqual([n % period for n in counts], [0] * 4)
            self.assertEqual([b - a for a, b in zip(counts, counts[1:])], [period] * 3)

    def test_pause_after_an_event(self):
        a = self.attach()
        a.filter(END, pause=True)
        for _ in range(3):
            a.settled((wire.PAUSED, True, 0))
            self.assertEqual(a.snapshots[-1].event, END)
            self.quiet(a, 0.1)
            have = len(a.snapshots)
            a.resume()
            a.wait(lambda: len(a.snapshots) > have + 1)
        a.filter(END)
        a.resume()
        a.more(5)

    def test_delay(self):
        a = self.attach()
        a.filter(START, delay=300)
        a.afresh()
        shots = a.more(8)
        gaps = [y.elapsed / 1e6 for x, y in zip(shots, shots[1:]) if y.event == END]
        self.assertGreaterEqual(min(gaps), 300)
        self.assertLess(min(gaps), 900)

    def test_a_delay_ends_with_its_client(self):
        a, b = self.attach(), self.attach()
        b.more(1)
        a.filter(START, delay=10000)
        a.obeyed()
        held = None
        while not held or b.snapshots[-1] is not held or held.event != START:
            held = b.snapshots[-1] if b.snapshots else None
            b.idle(0.3)
        a.close()
        self.assertLess(b.more(1)[0].time - held.time, 9e9)
        b.more(3)

    def test_bad_filters_are_malformed(self):
        for payload in (varint(2) + bytes([1]) + varint(0) + bytes([0]) + varint(1),
                        varint(0) + bytes([1]) + varint(10001) + bytes([0]) + varint(1),
                        varint(0) + bytes([1]) + varint(0) + bytes([0]) + varint(0),
                        varint(0) + bytes([1]) + varint(0) + bytes([0]) + varint(1000001),
                        varint(1 << 63) + bytes([1]) + varint(0) + bytes([0]) + varint(1)):
            c = self.attach()
            c.send("FILTER", payload)
            self.assertEqual(c.ended()[0], "MALFORMED", payload.hex())
        self.goes_on()


class Collapse(ServerCase):
    """F14"""

    def setUp(self):
        self.start(wire_server(20))

    def hides(self, c, spaces):
        c.obeyed()
        before = c.later()
        for s in c.more(6):
            for i in spaces:
                self.assertEqual(s.spaces[i].state(), before.spaces[i].state())
                self.assertFalse(s.spaces[i].gathered)

    def test_a_space(self):
        c = self.attach()
        c.collapse(MATRIX, True)
        self.hides(c, [MATRIX])
        self.assertTrue(any(s.spaces[LIST].gathered for s in c.snapshots[-4:]))
        c.collapse(MATRIX, False)
        self.agrees(c)

    def test_a_group_and_what_is_below_it(self):
        c = self.attach()
        c.collapse(0, True, group=True)
        self.hides(c, [LIST, MATRIX])
        c.collapse(0, False, group=True)
        self.agrees(c)

    def test_opening_a_group_does_not_open_a_collapsed_one_in_it(self):
        c = self.attach()
        c.collapse(0, True, group=True)
        c.collapse(1, True, group=True)
        c.collapse(0, False, group=True)
        self.hides(c, [LIST])
        self.assertTrue(c.snapshots[-1].spaces[MATRIX].gathered)

    def test_opening_brings_the_present_state_to_a_paused_program(self):
        c = self.attach()
        c.collapse(MATRIX, True)
        c.obeyed()
        c.more(12)
        c.pause()
        c.settled((wire.PAUSED, True, 0))
        old = c.snapshots[-1]
        c.collapse(MATRIX, False)
        new = c.more(1)[0]
        self.assertGreaterEqual(new.sequence, old.sequence)
        self.assertNotEqual(values(new, MATRIX, "Product"), values(old, MATRIX, "Product"))

    def test_others_are_not_concerned(self):
        a, b = self.attach(), self.attach()
        a.collapse(MATRIX, True)
        a.obeyed()
        self.assertTrue(b.later().spaces[MATRIX].gathered)


class Pace(ServerCase):
    """F12"""

    def setUp(self):
        self.start(toy_server(10))

    def every_event(self, c):
        """It is back to the pace of events: nothing is left out any more."""
        c.pace(wire.PACE_EVENTS)
        c.afresh()
        sequences = [s.sequence for s in c.more(20)]
        self.assertEqual(sequences, list(range(sequences[0], sequences[0] + len(sequences))))

    @staticmethod
    def gaps(shots):
        """Milliseconds between them, by the server's clock."""
        return [(b.time - a.time) / 1e6 for a, b in zip(shots, shots[1:])]

    def test_interval(self):
        c = self.attach()
        c.more(2)
        c.pace(wire.PACE_INTERVAL, 400)
        c.afresh()
        gaps = self.gaps(c.more(7))
        self.assertGreater(sum(gaps), 400 * len(gaps) - 200)
        self.assertLess(min(gaps), 600)
        self.every_event(c)

    def test_what_an_interval_leaves_out_is_not_missed(self):
        c = self.attach()
        c.pace(wire.PACE_INTERVAL, 1500)
        c.more(3)
        self.assertEqual({s.missed for s in c.snapshots}, {0})

    def test_lockstep_waits_for_the_acknowledgement(self):
        c = self.attach()
        c.pace(wire.PACE_LOCKSTEP)
        c.afresh()
        shots = c.more(1)
        for _ in range(10):
            c.idle(0.1)
            shots += c.snapshots[c.snapshots.index(shots[-1]) + 1:]
            c.ack(shots[-1].sequence)
            shots += c.more(1)
        sequences = [s.sequence for s in shots]
        self.assertEqual(sequences, list(range(sequences[0], sequences[0] + len(sequences))))
        self.assertGreaterEqual(min(self.gaps(shots)), 90, "it waits for the acknowledgement")

    def test_lockstep_waits_at_most_a_second(self):
        c = self.attach()
        c.pace(wire.PACE_LOCKSTEP)
        c.afresh()
        gaps = self.gaps(c.more(4))
        self.assertGreater(min(gaps), 900)
        self.assertLess(min(gaps), 1500)
        self.every_event(c)

    def test_lockstep_ends_with_its_client(self):
        a, b = self.attach(), self.attach()
        a.pace(wire.PACE_LOCKSTEP)
        a.obeyed()
        a.close()
        b.more(20, 15)  # a second each if the program still waited

    def test_bad_paces_are_malformed(self):
        for payload in (bytes([3, 0]), bytes([1]) + varint(3600001), bytes([1])):
            c = self.attach()
            c.send("PACE", payload)
            self.assertEqual(c.ended()[0], "MALFORMED")


class Questions(ServerCase):
    """S1, S6, section 6.8"""

    def setUp(self):
        self.start(wire_server(40))

    def status(self, client, number):
        answer = client.answered(number)
        self.assertFalse(answer.failed)
        return answer.status

    def test_profiles(self):
        """S2 to S6, section 11: each kind is a document as described."""
        c = self.attach()
        for kind, word in wire.PROFILE_WORD.items():
            answer = c.answered(c.ask("sites", ("kind", word)))
            self.assertEqual((answer.status, answer.failed), ("OK", False))
            p = wire.profile_decode(answer.body)
            self.assertEqual((p["kind"], p["server"], p["interval"]),
                             (kind, "Kit, pid 4711", 524288))
            self.assertEqual([p["names"][e["class"]] for e in p["entries"]],
                             ["byte[]", "java.lang.String", "byte[]"])
            # From the youngest frame to the oldest.
            number, frames = p["entries"][2]["stack"], []
            while number is not None:
                number, youngest = p["stacks"][number]
                frames.append(p["frames"][youngest]["method"])
            self.assertEqual(frames, ["inflate", "forName0", "main"])
            self.assertEqual(wire.profile_encode(p), answer.body)

    def test_parameters(self):
        c = self.attach()
        self.assertEqual(self.status(c, c.ask("sites", ("depth", "3"), ("kind", "live"))), "OK")
        answer = c.answered(c.ask("sites", ("Kind", "dead")))
        self.assertEqual(wire.profile_decode(answer.body)["kind"], "LIVE")
        for parameters in ((("kind", "dead"),), (("kind", ""),), (("kind", "Live"),)):
            answer = c.answered(c.ask("sites", *parameters))
            self.assertEqual((answer.status, answer.body), ("ARGUMENT", b""))
            self.assertIn("live", answer.words)
        many = [(f"k{i}", "v") for i in range(63)] + [("kind", "live")]
        self.assertEqual(self.status(c, c.ask("sites", *many)), "OK")

    def test_settings(self):
        c = self.attach()
        self.assertEqual(c.answered(c.ask("settings")).body, b"interval=524288\n")
        for value, told in (("64k", 65536), ("2m", 2097152), ("7", 7), ("1g", 1 << 30), ("0", 0)):
            self.assertEqual(self.status(c, c.set("interval", value)), "OK")
            self.assertEqual(c.answered(c.ask("settings")).body, b"interval=%d\n" % told)
        for value in ("", "x", "-1", "1x", "64kb", " 1"):
            self.assertEqual(self.status(c, c.set("interval", value)), "ARGUMENT")
        self.assertEqual(c.answered(c.ask("settings")).body, b"interval=0\n")
        self.assertEqual(self.status(c, c.set("colour", "red")), "UNSUPPORTED")
        self.assertEqual(self.status(c, c.ask("colours")), "UNSUPPORTED")
        with Client(self.server.address) as other:
            self.assertEqual(other.ready().answered(other.ask("settings")).body, b"interval=0\n")

    def test_any_number_is_given_back(self):
        c = self.attach()
        for number in (0, 127, 128, 2**32 - 1):
            c.raw(wire.query(number, "settings"))
            self.assertEqual(c.answered(number).body, b"interval=524288\n")

    def test_a_long_answer_comes_in_parts_among_snapshots(self):
        for flags in (0, wire.HELLO_COMPRESS):
            c = self.attach(flags)
            c.more(2)
            answer = c.answered(c.ask("x-long"))
            self.assertEqual((answer.status, answer.words, answer.failed, answer.parts),
                             ("OK", "a million", False, 4))
            self.assertEqual(answer.body, bytes(i % 251 for i in range(1000000)))
            c.more(10)

    def test_answers_in_another_order(self):
        c = self.attach()
        never, later, now = c.ask("x-never"), c.ask("x-later"), c.ask("settings")
        c.answered(now)
        answer = c.answered(later)
        self.assertEqual((answer.status, answer.words), ("STATE", "late"))
        c.idle(0.3)
        self.assertNotIn(never, c.answers)

    def test_at_most_eight(self):
        c = self.attach()
        numbers = [c.ask("x-never") for _ in range(12)]
        for number in numbers[8:]:
            self.assertEqual(self.status(c, number), "LIMIT")
        self.assertFalse(set(numbers[:8]) & set(c.answers))
        c.more(5)
        with Client(self.server.address) as other:
            self.assertEqual(self.status(other.ready(), other.ask("settings")), "OK")

    def test_a_paused_program_answers(self):
        """F10"""
        c = self.attach()
        c.pause()
        c.settled((wire.PAUSED, True, 0))
        self.assertEqual(self.status(c, c.ask("sites", ("kind", "live"))), "OK")
        self.assertEqual(self.status(c, c.set("interval", "0")), "OK")

    def test_who_asks_and_does_not_read_harms_nobody(self):
        """Q3"""
        watch = self.attach()
        watch.pace(wire.PACE_INTERVAL, 100)  # a busy machine decodes no more in Python
        greedy = [wire.connect(self.server.address, receive_buffer=4096) for _ in range(3)]
        for s in greedy:
            self.addCleanup(s.close)
            s.sendall(wire.PREAMBLE + frame("HELLO", varint(0) + text("greedy") + text("")) +
                      b"".join(wire.query(i, "x-long") for i in range(200)))
        for _ in range(20):
            self.assertEqual(self.status(watch, watch.ask("settings")), "OK")
        watch.more(5)
        with open(f"/proc/{self.server.process.pid}/statm", encoding="ascii") as f:
            resident = int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        self.assertLess(resident, 400 << 20)

    def test_who_leaves_gets_no_answer(self):
        for _ in range(30):
            with Client(self.server.address) as c:
                c.ready().ask("x-later")
                c.ask("x-long")
        self.goes_on()


class Triggers(ServerCase):
    """F17, section 6.11; Tick counts its attribute `tick` up."""

    def setUp(self):
        self.start(wire_server(20))

    def set(self, client, *arguments, **more):
        answer = client.answered(client.trigger(*arguments, **more))
        self.assertFalse(answer.failed)
        return answer

    def listed(self, client):
        return wire.triggers_decode(client.answered(client.ask("triggers")).body)

    def fired(self, client, name, count):
        """The snapshots where the trigger has fired, once there are that many."""
        def found():
            return [s for s in client.snapshots if any(f["name"] == name for f in s.fired)]
        client.wait(lambda: len(found()) >= count)
        return found()

    def test_what_fires_reaches_all_whatever_their_filters(self):
        one, other = self.attach(), self.attach()
        for c in (one, other):
            for event in range(len(c.events)):
                c.filter(event, enabled=False)
        answer = self.set(one, "odd", "event = tick and parity = odd and words ~ tick", nth=2)
        self.assertEqual((answer.status, answer.words), ("OK", 'trigger "odd" is set'))
        other.obeyed()
        for c in (one, other):
            snapshots = self.fired(c, "odd", 3)
            ticks = [s.attributes[0] for s in snapshots]
            self.assertEqual([s.attributes[1] for s in snapshots], [1] * len(snapshots))
            self.assertEqual(ticks, list(range(ticks[0], ticks[0] + 4 * len(ticks), 4)))
            times = [s.fired[0]["times"] for s in snapshots]
            self.assertEqual(times, list(range(1, len(times) + 1)))
            self.assertEqual({s.fired[0]["actions"] for s in snapshots}, {0})
            self.assertEqual(snapshots[0].fired[0]["condition"],
                             "event = tick and parity = odd and words ~ tick")

    def test_a_pause_and_a_plugin(self):
        c = self.attach()
        self.set(c, "stop", "tick > 3", actions=wire.PAUSE_ACTION, most=1, plugin="walk")
        c.settled((wire.PAUSED, True, 0))
        s = self.fired(c, "stop", 1)[-1]
        self.assertEqual(s, c.snapshots[-1])
        self.assertEqual((s.fired[0]["plugin"], s.fired[0]["status"]), ("walk", "OK"))
        self.assertEqual(s.fired[0]["actions"], wire.PAUSE_ACTION)
        self.assertEqual(wire.table_decode(s.fired[0]["answer"])["title"], "a walk in 0")
        c.resume()
        c.more(3)

    def test_triggers_belong_to_their_clients(self):
        one, other = self.attach(), self.attach()
        self.set(one, "mine", "tick > 0", most=2)
        self.set(one, "kept", "tick < 0", actions=wire.KEEP_ACTION)
        self.assertEqual([(t["name"], t["own"], t["nth"], t["most"], t["actions"])
                          for t in self.listed(other)],
                         [("mine", False, 1, 2, 0), ("kept", False, 1, 0, wire.KEEP_ACTION)])
        self.assertEqual([t["own"] for t in self.listed(one)], [True, True])
        self.assertEqual(self.set(other, "mine", remove=True).status, "STATE")
        one.send("CLOSE")
        other.wait(lambda: [t["name"] for t in self.listed(other)] == ["kept"])
        self.assertEqual(self.set(other, "kept", remove=True).status, "OK")
        self.assertEqual(self.listed(other), [])

    def test_what_is_wrong(self):
        c = self.attach()
        for arguments, status, words in (
                (("n", "tock > 3"), "ARGUMENT", "not \"tock\""), (("", "tick > 3"), "ARGUMENT", "a name"),
                (("n", "tick > 3", 64), "ARGUMENT", "unknown action"),
                (("n", "tick > 3", 5), "ARGUMENT", "cannot outlive its client"),
                (("n", "tick > 3", 2), "STATE", "keeps no ring")):
            answer = self.set(c, *arguments[:2], actions=sum(arguments[2:]))
            self.assertEqual(answer.status, status)
            self.assertIn(words, answer.words)
        c.raw(wire.interest(0, 3))
        c.obeyed()
        with self.assertRaises(wire.Closed) as over:
            c.raw(wire.interest(0, 4))
            c.obeyed()
        self.assertEqual(over.exception.bye[0], "MALFORMED")


class Plugins(ServerCase):
    """F18, section 12"""

    def setUp(self):
        self.start(wire_server(40))

    def ask(self, client, topic, *parameters):
        answer = client.answered(client.ask(topic, *parameters))
        self.assertFalse(answer.failed)
        return answer

    def test_description(self):
        c = self.attach()
        self.assertEqual(c.messages[:5], ["WELCOME", "INFO", "EVENTS", "GROUPS", "PLUGINS"])
        self.assertEqual([(p["name"], p["title"], p["kind"]) for p in c.plugins],
                         [("walk", "Walk", "TABLE"), ("bytes", "Bytes", "BYTES")])
        self.assertEqual(c.plugins[0]["description"], "Counts down")
        self.assertEqual(
            [(p["name"], p["kind"], p["initial"], p["names"]) for p in c.plugins[0]["parameters"]],
            [("depth", "NUMBER", "3", []), ("order", "ENUM", "down", ["up", "down"]),
             ("space", "SPACE", "0", [])])
        self.assertEqual([(p["kind"], p["initial"]) for p in c.plugins[1]["parameters"]],
                         [("ADDRESS", None), ("LENGTH", "16")])

    def test_answers(self):
        c = self.attach()
        t = wire.table_decode(self.ask(c, "walk").body)
        self.assertEqual(t["columns"], [("Step", "TEXT", "DECIMAL"), ("Left", "NUMBER", "BYTES")])
        self.assertEqual((t["title"], t["rows"], t["depths"]),
                         ("a walk in 0", [["down", None], ["down", 0], ["down", -1]], [0, 1, 2]))
        t = wire.table_decode(self.ask(c, "walk", ("order", "up"), ("depth", "0")).body)
        self.assertEqual((t["rows"], t["depths"]), ([], []))
        m = wire.memory_decode(
            self.ask(c, "bytes", ("address", "0xfffffffffffffff0"), ("length", "3")).body)
        self.assertEqual(m, {"address": 2**64 - 16, "title": "counting", "bytes": b"\0\1\2\3",
                             "marks": [(0, 4, "all"), (3, 1, "last")]})

    def test_the_server_checks(self):
        c = self.attach()
        for parameters, words in (
                ((), "address: missing; of the first byte"),
                ((("address", "16"),), "not an address"),
                ((("address", "0x10"), ("length", "-1")), "not a number"),
                ((("address", "0x10"), ("address", "0x10")), "given twice"),
                ((("address", "0x10"), ("site", "1")), "available: address, length")):
            answer = self.ask(c, "bytes", *parameters)
            self.assertEqual((answer.status, answer.body), ("ARGUMENT", b""))
            self.assertIn(words, answer.words)
        self.assertIn("up, down", self.ask(c, "walk", ("order", "Up")).words)
        self.assertIn("no space 1000", self.ask(c, "walk", ("space", "1000")).words)


class Zooms(ServerCase):
    """F16, section 6.9"""

    BLOCK, HIGH = 4096, 64 * 4096  # of the matrix

    def setUp(self):
        self.start(wire_server(80))

    def matrix(self):
        """A client that has seen the matrix, and not the space that takes Python so long."""
        c = self.attach()
        c.collapse(LARGE, True)
        c.wait(lambda: c.spaces[MATRIX].tiles == 64)
        return c

    def granted(self, client, space, start, end, block):
        answer = client.answered(client.zoom(space, start, end, block))
        self.assertEqual((answer.status, answer.words, answer.failed), ("OK", "", False))
        r = wire.Reader(answer.body)
        number = r.varint("space", 1023)
        self.assertEqual(r.at, len(answer.body))
        self.assertFalse(client.spaces[number].gone, "the space is described before")
        self.assertEqual(client.spaces[number].block_bytes, block)
        return number

    def refused(self, client, *arguments):
        answer = client.answered(client.zoom(*arguments))
        self.assertEqual(answer.body, b"")
        self.assertEqual(answer.words.count("\n"), 0)
        self.assertTrue(answer.words)
        return answer.status

    def shown(self, client, number):
        """The snapshot in which it has tiles for the first time."""
        return client.wait(lambda: next((s for s in client.snapshots if number < len(s.spaces) and
                                         s.spaces[number].tiles and s.spaces[number].gathered),
                                        None))

    def check(self, client, number, start, end, block):
        s = self.shown(client, number)
        starts = list(range(start, end, block))
        self.assertEqual(values(s, number, "From"), starts)
        self.assertEqual(values(s, number, "To"), starts[1:] + [end])
        tick = values(s, number, "Value")[0] - start
        self.assertEqual(values(s, number, "Value"), [a + tick for a in starts])

    def test_a_part_in_finer_blocks(self):
        c = self.matrix()
        number = self.granted(c, MATRIX, 4096, 8192, 512)
        self.assertEqual(c.spaces[number].group, c.spaces[MATRIX].group)
        self.check(c, number, 4096, 8192, 512)
        odd = self.granted(c, MATRIX, 8, 5000, 1024)
        self.assertNotEqual(odd, number)
        self.check(c, odd, 8, 5000, 1024)

    def test_zooms_stack_and_are_for_all(self):
        a, b = self.matrix(), self.matrix()
        outer = self.granted(a, MATRIX, 0, 16384, 2048)
        self.shown(a, outer)
        inner = self.granted(a, outer, 2048, 4096, 512)
        self.check(a, inner, 2048, 4096, 512)
        self.check(b, inner, 2048, 4096, 512)
        other = self.granted(b, inner, 2048, 3072, 512)
        self.assertEqual(self.refused(a, outer, 0, 16384, 4096), "ARGUMENT")
        self.assertEqual(self.refused(a, inner, 0, 4096, 512), "ARGUMENT")
        # What contains it may go: it stays.
        self.assertEqual(a.answered(a.zoom(outer)).status, "OK")
        a.wait(lambda: a.spaces[outer].gone)
        b.wait(lambda: b.spaces[outer].gone)
        a.more(2)
        self.assertFalse(a.spaces[inner].gone)
        self.assertTrue(a.snapshots[-1].spaces[inner].gathered)
        self.assertEqual(self.refused(a, other), "STATE")
        a.close()
        b.wait(lambda: b.spaces[inner].gone)
        b.more(2)
        self.assertFalse(b.spaces[other].gone)

    def test_refusals(self):
        c = self.matrix()
        for arguments in ((LIST, 0, 512, 512), (LARGE, 0, 512, 512), (MATRIX, 0, 4096, 8),
                          (MATRIX, 0, 4096, 8192), (MATRIX, 0, 4096, 1000), (MATRIX, 0, 4096, 1),
                          (MATRIX, 0, 4096, 2**64 - 1), (MATRIX, 5, 5, 512), (MATRIX, 6, 5, 512),
                          (MATRIX, 0, self.HIGH + 1, 4096), (MATRIX, self.HIGH, self.HIGH + 1, 512),
                          (MATRIX, 2**64 - 1, 0, 512), (MATRIX, 0, 2**64 - 1, 512), (1023, 0, 1, 512),
                          (MATRIX,), (LIST,), (1023,)):
            self.assertEqual(self.refused(c, *arguments), "ARGUMENT", arguments)
        c.more(2)

    def test_a_server_without_zooms_says_so(self):
        server = toy_server()
        self.addCleanup(server.end)
        with Client(server.address) as c:
            self.assertEqual(self.refused(c.ready(), 0, 0, 512, 512), "UNSUPPORTED")
            self.assertEqual(self.refused(c, 0), "UNSUPPORTED")

    def test_limits(self):
        clients = [self.matrix() for _ in range(5)]
        for c in clients:
            c.pace(wire.PACE_INTERVAL, 1000)  # on a busy machine answers would wait behind snapshots
        for i, c in enumerate(clients):
            for _ in range(8):
                if i < 4:
                    self.granted(c, MATRIX, 0, 512, 512)
            self.assertEqual(self.refused(c, MATRIX, 0, 512, 512), "LIMIT")
        clients[0].close()

        def again():
            c = clients[4]
            return c.answered(c.zoom(MATRIX, 0, 512, 512)).status == "OK"
        clients[4].wait(again)

    def test_ids_are_used_again(self):
        c = self.matrix()
        numbers = set()
        for i in range(40):
            number = self.granted(c, MATRIX, 512 * (i % 8), 8192, 512)
            self.check(c, number, 512 * (i % 8), 8192, 512)
            numbers.add(number)
            self.assertEqual(c.answered(c.zoom(number)).status, "OK")
            c.wait(lambda n=number: c.spaces[n].gone)
            c.snapshots.clear()
        self.assertLessEqual(len(numbers), 2)

    def test_its_client_dies(self):
        watch = self.matrix()
        for _ in range(20):
            c = self.matrix()
            number = self.granted(c, MATRIX, 0, 4096, 512)
            watch.wait(lambda n=number: n < len(watch.spaces) and not watch.spaces[n].gone)
            c.zoom(MATRIX, 0, 4096, 512)  # and one that may not be answered any more
            c.close()
            watch.wait(lambda n=number: watch.spaces[n].gone)
        self.assertLessEqual(len(watch.spaces), 4 + 20)

    def test_collapsed_zooms(self):
        """F14: a collapse ends with the space."""
        c = self.matrix()
        number = self.granted(c, MATRIX, 0, 4096, 512)
        self.shown(c, number)
        c.collapse(number, True)
        c.wait(lambda: c.snapshots and not c.snapshots[-1].spaces[number].gathered)
        c.answered(c.zoom(number))
        c.wait(lambda: c.spaces[number].gone)
        c.snapshots.clear()
        again = self.granted(c, MATRIX, 0, 4096, 512)
        self.assertEqual(again, number)
        self.check(c, again, 0, 4096, 512)

    def test_at_a_slow_pace_the_answer_does_not_wait(self):
        """F12: the description comes with the answer, the snapshot in its time."""
        c = self.matrix()
        c.pace(wire.PACE_INTERVAL, 3600000)
        c.idle(0.3)
        self.granted(c, MATRIX, 0, 4096, 512)

    def test_a_paused_program_zooms(self):
        """F10"""
        c = self.matrix()
        c.pause()
        c.settled((wire.PAUSED, True, 0))
        number = self.granted(c, MATRIX, 0, 4096, 512)
        self.assertEqual(c.answered(c.zoom(number)).status, "OK")


class Hostile(ServerCase):
    """Q2, Q3: nothing that a client sends ends the server, stops the program or harms others."""

    def setUp(self):
        self.start(wire_server(20, 3000))

    def turned_away(self, data, seconds=3):
        """Sends the bytes and waits for the end; returns what the server said, whole."""
        with wire.connect(self.server.address) as s:
            s.sendall(data)
            s.settimeout(seconds)
            got = b""
            try:
                while part := s.recv(4096):
                    got += part
            except ConnectionError:
                pass
            return got

    def said(self, data):
        """The server's BYE after its preamble."""
        splitter = wire.Splitter()
        splitter.feed(data)
        mirror = wire.Mirror()
        with self.assertRaises(Closed):
            while (item := splitter.next()) is not None:
                mirror.frame(*item)
        return mirror.bye[0]

    def test_other_protocols_are_closed_without_a_word(self):
        for data in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\0" * 64, b"\xff" * 64,
                     b"JDWP-Handshake", b"GCSQ\1\0\0\0", random.Random(1).randbytes(100000)):
            self.assertEqual(self.turned_away(data), b"", data[:16])
        self.goes_on()

    def test_versions(self):
        for major in (0, 2, 65535):
            data = wire.MAGIC + struct.pack("<HH", major, 0)
            self.assertEqual(self.said(self.turned_away(data)), "VERSION")
        c = self.client(hello=False)
        c.raw(wire.MAGIC + struct.pack("<HH", 1, 77) + frame("HELLO", varint(0) + text("x") * 2))
        c.ready()

    def test_fields_of_later_minors_are_ignored(self):
        c = self.client(hello=False)
        c.raw(wire.PREAMBLE + frame("HELLO", varint(0xFFFFFFF0) + text("x") + text("") + b"more"))
        c.ready()
        c.send("PING", varint(1) + b"more")
        c.send("STEP", b"more", flags=0x8000)
        c.send("RESUME", b"\0more")
        c.send("QUERY", b"\7" + text("settings") + b"\0more")
        c.send("SET", b"\x08" + text("interval") + text("1k") + b"more")
        self.assertEqual((c.answered(7).status, c.answered(8).status), ("OK", "OK"))
        c.filter(TICK)
        c.wait(lambda: c.pongs)
        c.more(2)

    def test_unknown_kinds_are_skipped(self):
        c = self.attach()
        for kind in (0, 1, 9, 35, 36, 74, 82, 87, 127, 32768, 65535):
            c.send(kind, b"\xff" * 100)
        c.send("PING", varint(9))
        c.wait(lambda: c.pongs == [9])

    def test_must_closes(self):
        for kind in (0, 82, 65535):
            c = self.attach()
            c.send(kind, b"", wire.MUST)
            self.assertEqual(c.ended()[0], "VERSION")
        c = self.attach()
        c.send("PING", varint(3), wire.MUST)
        c.wait(lambda: c.pongs)

    def test_malformed_openings(self):
        for data in (frame("PAUSE"), frame("HELLO"), frame("HELLO", varint(0)),
                     frame("HELLO", varint(1 << 32) + text("") * 2),
                     frame("HELLO", varint(0) + varint(1 << 40) + b"x"),
                     frame("HELLO", varint(0) + text("x" * 256) + text("")),
                     frame("HELLO", varint(0) + text(b"a\0b") + text("")),
                     frame("HELLO", varint(0) + text("") + text("t" * 256)),
                     frame("HELLO", b"\x80" * 10 + b"\1" + text("") * 2),
                     struct.pack("<IHH", 65537, 64, 0), struct.pack("<IHH", 0xFFFFFFFF, 64, 0),
                     frame("HELLO", varint(0) + text("") * 2, deflate=True)):
            self.assertEqual(self.said(self.turned_away(wire.PREAMBLE + data)), "MALFORMED", data)
        self.goes_on()

    def test_malformed_commands(self):
        for kind, payload in (("RESUME", b""), ("ACK", b""), ("ACK", b"\xff" * 11), ("PING", b""),
                              ("COLLAPSE", b"\2\0\1"), ("COLLAPSE", b"\0" + varint(1024) + b"\1"),
                              ("COLLAPSE", b"\0\0"), ("PACE", b""), ("FILTER", b"\0\1"),
                              ("QUERY", b""), ("QUERY", b"\1"), ("QUERY", b"\1\0\0"),
                              ("QUERY", b"\1" + text("t")), ("QUERY", b"\1" + text("t") + b"\1"),
                              ("QUERY", varint(1 << 32) + text("t") + b"\0"),
                              ("QUERY", b"\1" + text("t" * 256) + b"\0"),
                              ("QUERY", b"\1" + text(b"a\0b") + b"\0"),
                              ("QUERY", b"\1" + text("t") + varint(65) + text("") * 130),
                              ("QUERY", b"\1" + text("t") + b"\1" + text("k" * 256) + text("")),
                              ("QUERY", b"\1" + text("t") + b"\1" + text("k") + text("v" * 4096)),
                              ("SET", b""), ("SET", b"\1" + text("") * 2), ("SET", b"\1" + text("k")),
                              ("SET", b"\1" + text("k") + text("v" * 4096)),
                              ("SET", varint(1 << 32) + text("k") + text("v")),
                              ("ZOOM", b""), ("ZOOM", b"\1\1\0\1"),
                              ("ZOOM", varint(1 << 32) + b"\1\0\1\0"),
                              ("ZOOM", b"\1" + varint(1024) + b"\0\1\0"),
                              ("ZOOM", b"\1\1" + b"\xff" * 10 + b"\1\0")):
            c = self.attach()
            c.send(kind, payload)
            self.assertEqual(c.ended()[0], "MALFORMED", (kind, payload))
        for header in (struct.pack("<IHH", 65537, 72, 0), struct.pack("<IHH", 1 << 31, 9999, 0)):
            c = self.attach()
            c.raw(header)
            self.assertEqual(c.ended()[0], "MALFORMED")
        self.goes_on()

    def test_a_large_frame_within_the_limit_is_skipped(self):
        c = self.attach()
        c.send(4242, b"\0" * 65536)
        c.send("PING", varint(1))
        c.wait(lambda: c.pongs)

    def test_truncated_at_every_byte(self):
        hello = wire.PREAMBLE + frame("HELLO", varint(0) + text("cut") + text(""))
        commands = frame("PAUSE") + frame("FILTER", bytes([0, 1, 5, 1, 2])) + frame("RESUME", b"\1")
        for end in range(len(hello + commands)):
            with wire.connect(self.server.address) as s:
                s.sendall((hello + commands)[:end])
        self.goes_on()

    def test_byte_by_byte(self):
        c = self.client(hello=False)
        for byte in wire.PREAMBLE + frame("HELLO", varint(0) + text("slow") + text("")):
            c.raw(bytes([byte]))
            time.sleep(0.002)
        c.ready().more(2)
        c.pause()
        c.settled((wire.PAUSED, True, 0))
        for byte in frame("RESUME", b"\0") + frame("PING", varint(5)):
            c.raw(bytes([byte]))
            time.sleep(0.002)
        c.settled((wire.RUNNING, False, 0))
        c.wait(lambda: c.pongs == [5])

    def test_everything_in_one_portion(self):
        c = self.client(hello=False)
        c.raw(wire.PREAMBLE + frame("HELLO", varint(0) + text("fast") + text("")) +
              b"".join(frame("PING", varint(i)) for i in range(3000)))
        c.wait(lambda: len(c.pongs) == 3000)
        self.assertEqual(c.pongs, list(range(3000)))

    def test_random_frames(self):
        dice = random.Random(20021104)
        for _ in range(60):
            with Client(self.server.address) as c:
                c.ready()
                data = b"".join(frame(dice.randrange(60, 76), dice.randbytes(dice.randrange(12)),
                                      dice.choice((0, 0, 0, 1, 2, 65535)))
                                for _ in range(20))
                try:
                    c.raw(data)
                    c.idle(0.02)
                except (Closed, OSError):
                    pass
        self.goes_on()

    def test_a_hundred_come_and_go(self):
        """F8"""
        watch = self.attach()
        for i in range(100):
            s = wire.connect(self.server.address)
            if i % 3 != 0:
                s.sendall(wire.PREAMBLE)
            if i % 3 == 2:
                s.sendall(frame("HELLO", varint(wire.HELLO_PAUSE) + text("x") + text("")))
            s.close()
            watch.step_input(0.001)
        watch.more(20)
        watch.settled((wire.RUNNING, False, 0))
        watch.more(5)
        self.goes_on()

    def test_a_client_that_does_not_read_is_thinned(self):
        """Q3: the program and the others go on; what was left out is counted"""
        self.finish()
        self.server = wire_server(25)
        slow = self.attach(receive_buffer=65536)
        watch = self.attach()
        # The watcher decodes a few snapshots only, and so keeps up on any machine.
        watch.pace(wire.PACE_INTERVAL, 200)
        watch.more(1)
        begin = watch.snapshots[-1].sequence
        # More events than can wait in the sockets' buffers.
        while watch.snapshots[-1].sequence < begin + 1000:
            slow.send("PING", varint(0))
            watch.more(1)
        # The program at rest, both have the newest snapshot, once the slow one reads.
        watch.pause()
        watch.settled((wire.PAUSED, True, 0))
        same = watch.snapshots[-1]
        slow.wait(lambda: slow.snapshots and slow.snapshots[-1].sequence == same.sequence)
        last, first = slow.snapshots[-1], slow.snapshots[0]
        self.same_state(same, last)
        self.assertEqual(same.missed, 0)
        self.assertGreater(last.missed, 0)
        self.assertEqual(last.missed + len(slow.snapshots), last.sequence - first.sequence + 1)
        watch.resume()
        slow.more(5)

    def test_a_flood_of_commands_does_not_stop_others(self):
        """Q3: a client that only sends, and never reads the answers"""
        watch = self.attach()
        flood = wire.connect(self.server.address)
        flood.sendall(wire.PREAMBLE + frame("HELLO", varint(0) + text("flood") + text("")))
        stop = threading.Event()

        def pour():
            flood.settimeout(0.2)
            data = frame("PING", varint(1 << 60)) * 4000
            while not stop.is_set():
                try:
                    flood.sendall(data)
                except TimeoutError:
                    continue
                except OSError:
                    return

        thread = threading.Thread(target=pour)
        thread.start()
        try:
            watch.idle(1.0)
            watch.more(20)
            with open(f"/proc/{self.server.process.pid}/statm", encoding="ascii") as f:
                resident = int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            self.assertLess(resident, 400 << 20)
        finally:
            stop.set()
            thread.join()
            flood.close()


class Doors(ServerCase):
    """Q1"""

    def test_token(self):
        self.start(wire_server(token="sesame"))
        self.attach(token="sesame")
        for token in ("", "Sesame", "sesam", "sesame1", "sesamesesame", "x" * 255):
            c = self.client(token=token)
            self.assertEqual(c.ended()[0], "TOKEN")
            self.assertEqual(c.messages, ["BYE"])
            self.assertNotIn("sesame", c.bye[1])

    def test_a_token_is_ignored_where_none_is_needed(self):
        self.start(wire_server())
        self.attach(token="whatever")

    def test_full(self):
        self.start(wire_server(clients=2))
        a = self.attach()
        self.attach()
        self.assertEqual(self.client().ended()[0], "FULL")
        a.send("CLOSE")
        a.ended()
        self.attach().more(1)

    def test_too_many_connections(self):
        self.start(wire_server(clients=32))
        for _ in range(32):
            self.attach()
        self.assertEqual(self.client().ended()[0], "FULL")

    def test_one_that_only_resumes_is_let_in_when_all_places_are_taken(self):
        self.start(wire_server(clients=2))
        a = self.attach()
        self.attach()
        a.pause()
        a.settled((wire.PAUSED, True, 0))
        c = self.attach(wire.HELLO_RESUME)
        c.settled((wire.PAUSED, False, 1))
        c.pause()
        self.assertEqual(c.answered(c.ask("sites")).status, "UNSUPPORTED")
        a.settled((wire.PAUSED, True, 0))  # it holds nothing
        c.resume(everyone=True)
        a.settled((wire.RUNNING, False, 0))
        c.settled((wire.RUNNING, False, 0))
        a.more(3)
        self.assertEqual(self.client().ended()[0], "FULL")
        self.assertNotIn("BEGIN", c.messages, "it gets no snapshots")

    def test_a_client_of_minor_2_is_served(self):
        """What an earlier client sends and reads: nothing of 1.3 may come to it unasked."""
        self.start(wire_server())
        c = self.client(hello=False)
        c.raw(wire.MAGIC + struct.pack("<HH", 1, 2) +
              frame("HELLO", varint(7) + text("old") + text("")))
        c.ready().settled((wire.PAUSED, True, 0))
        c.resume()
        c.more(5)

    def test_unix_socket(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/gcspy"
            self.start(wire_server(path=path, port="-1"))
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
            with Client("unix:" + path) as c:
                c.ready().more(3)

    def test_goodbye(self):
        server = toy_server(20, 20)
        with Client(server.address) as c:
            c.ready()
            self.assertEqual(c.ended()[0], "ENDED")
        server.process.wait(60)
        self.assertEqual(server.end(), "")
        self.assertEqual(server.process.returncode, 0)


class AnyServer(ServerCase):
    """What holds of every server, whatever it shows."""

    TIMEOUT = 30  # seconds until the next event

    def setUp(self):
        self.address = os.environ.get("GCSPY_ADDRESS")
        if not self.address:
            self.address = self.start(toy_server(50)).address

    def attach(self, *arguments, **options):
        client = Client(self.address, *arguments, **options)
        self.addCleanup(client.close)
        return client.ready()

    def test_two_clients_see_the_same(self):
        for flags in (0, wire.HELLO_COMPRESS):
            a, b = self.attach(), self.attach(flags)
            deadline = time.monotonic() + 2 * self.TIMEOUT
            common = {}
            while len(common) < 3 and time.monotonic() < deadline:
                a.step_input(0.05)
                b.step_input(0.05)
                mine = {s.sequence: s for s in a.snapshots}
                common = {s.sequence: (mine[s.sequence], s) for s in b.snapshots
                          if s.sequence in mine}
            self.assertGreaterEqual(len(common), 3)
            for one, other in common.values():
                self.same_state(one, other)
                self.assertEqual(one.event, other.event)

    def test_a_hold_falls_with_its_client(self):
        a, b = self.attach(), self.attach()
        a.pause()
        a.settled((wire.PAUSED, True, 0), self.TIMEOUT)
        b.settled((wire.PAUSED, False, 1))
        self.quiet(b, 1)
        a.close()
        b.settled((wire.RUNNING, False, 0), 8)  # before the keep-alive limit

    def test_garbage_is_turned_away(self):
        for data in (b"GET / HTTP/1.0\r\n\r\n", wire.PREAMBLE + b"\xff" * 100):
            with wire.connect(self.address) as s:
                s.sendall(data)
                try:
                    while s.recv(4096):
                        pass
                except ConnectionError:
                    pass
        self.attach().more(1, self.TIMEOUT)


if __name__ == "__main__":
    unittest.main(verbosity=2)
