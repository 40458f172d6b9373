"""A client in C against an independent server: it shows what is sent, and whatever is sent, it ends
with a clear message and neither crashes nor hangs. TOY_CLIENT and WIRE_CLIENT name the programs (Q2)."""

import random
import re
import socket
import struct
import subprocess
import threading
import time
import unittest

import gcspy_wire as wire
import test_golden
from gcspy_wire import frame, id1, record, text, varint, zigzag
from harness import program


def stream(name="Used", role=0, presentation=0, maximum=0, summary=0, low=0, high=100, initial=0,
           max_stream=None, names=(), extra=b"", paint=0, kind=2, form=0):
    return record(text(name) + text("") * 3 +
                  bytes([role, kind, presentation, maximum, paint, form, summary]) + zigzag(low) +
                  zigzag(high) + zigzag(0) + zigzag(initial) + id1(max_stream) +
                  struct.pack("<I", 0) + varint(len(names)) + b"".join(map(text, names)) + extra)


def space(number=0, name="Heap", streams=None, group=None, kind=0, columns=0, default=0, count=None,
          extra=b""):
    streams = [stream(summary=1)] if streams is None else streams
    return (varint(number) + text(name) + text("") * 4 + id1(group) + bytes([kind, 1]) +
            varint(columns) + varint(0) + varint(default) +
            varint(len(streams) if count is None else count) + b"".join(streams) + extra)


def event(name="Collection", attributes=(), count=None, extra=b""):
    return record(text(name) + text("") + struct.pack("<I", 0) +
                  varint(len(attributes) if count is None else count) + b"".join(attributes) +
                  extra)


def parameter(name="p", kind=0, names=()):
    return record(text(name) + text("") + bytes([kind, 1]) + text("1") + varint(len(names)) +
                  b"".join(map(text, names)))


def plugin(name="a", title="A", kind=0, parameters=()):
    return record(text(name) + text(title) + text("") + bytes([kind]) + varint(len(parameters)) +
                  b"".join(parameters))


def attribute(name="cause", kind=0, form=0, names=()):
    return record(text(name) + bytes([kind, form]) + varint(len(names)) +
                  b"".join(map(text, names)))


WELCOME = frame("WELCOME", text("Mini server") + varint(1500))
EVENTS = frame("EVENTS", varint(1) + event(attributes=[attribute(), attribute("why", 2)]))
BOOTSTRAP = (WELCOME + frame("INFO", varint(0)) + EVENTS + frame("GROUPS", varint(0)) +
             frame("SPACE", space()) + frame("READY"))


def begin(sequence=1, number=0, attributes=b"\0"):
    return frame("BEGIN", varint(sequence) + id1(number) + varint(5) + zigzag(-5) + varint(0) * 4 +
                 attributes)


def end(sequence=1, spaces=()):
    return frame("END", varint(sequence) + varint(len(spaces)) + b"".join(map(varint, spaces)))


def tiles(at, removed, inserted, number=0):
    return frame("TILES", varint(number) + varint(at) + varint(removed) + varint(inserted))


def values(data, first=0, number=0, index=0, old=None, deflate=False):
    return frame("STREAM" if old is None else "INCR_STREAM", varint(number) + varint(index) +
                 varint(first) + varint(len(data)) + wire.runs_encode(data, old), deflate=deflate)


def snapshot(sequence, *parts):
    return begin(sequence) + b"".join(parts) + frame("COUNTERS", varint(1) + varint(sequence)) + end(
        sequence)


def summary(*numbers):
    return frame("SUMMARY", b"\0\0" + varint(len(numbers)) + b"".join(map(zigzag, numbers)))


FIRST = snapshot(1, tiles(0, 0, 4), values([1, 2, 3, 4]), summary(10))


class MiniServer:
    """Accepts one client and lets `play(connection)` talk to it on a thread of its own."""

    def __init__(self, play, linger=True):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(10)
        self.port = self.listener.getsockname()[1]
        self.play = play
        self.linger = linger
        self.received = bytearray()
        self.error = None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            connection, _ = self.listener.accept()
        except OSError as error:
            self.error = error
            return
        with connection:
            connection.settimeout(15)
            try:
                while len(self.received) < 16:
                    part = connection.recv(4096)
                    if not part:
                        return
                    self.received += part
                self.play(connection)
                while self.linger and (part := connection.recv(4096)):
                    self.received += part
            except OSError:
                pass  # the client has left, as it may

    def finish(self):
        self.listener.close()
        self.thread.join(20)


class ClientCase(unittest.TestCase):
    def converse(self, play, snapshots=3, linger=True, seconds=60, question=()):
        """Runs the client against the server; its output, its message, the seconds it took and
        the bytes that it sent. With a question, the arguments of wire-client, it is that one."""
        server = self.server = MiniServer(play, linger)
        command = ([program("WIRE_CLIENT"), str(server.port), *question] if question else
                   [program("TOY_CLIENT"), str(server.port), str(snapshots)])
        begun = time.monotonic()
        process = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
        took = time.monotonic() - begun
        server.finish()
        self.assertIsNone(server.error)
        message = process.stderr.decode("utf-8", "replace")
        self.assertIn(process.returncode, (0, 1, 2), message)
        self.assertNotIn("Sanitizer", message)
        self.assertNotIn("runtime error", message)
        return process.stdout.decode("utf-8", "replace"), message, took, bytes(server.received)

    def say(self, data, **options):
        return self.converse(lambda c: c.sendall(data), **options)

    def refuses(self, data, *words, preamble=True):
        """The client ends soon after these bytes, with one line that has these words."""
        sent = (wire.PREAMBLE if preamble else b"") + data
        _, message, took, _ = self.say(sent, linger=True)
        self.assertRegex(message, r"^toy-client: [^\n]{10,}\n$")
        for word in words:
            self.assertIn(word, message)
        self.assertLess(took, 10)


class Normal(ClientCase):
    def test_snapshots(self):
        out, message, _, received = self.say(
            wire.PREAMBLE + BOOTSTRAP + FIRST +
            snapshot(2, values([1, 2, 3, 7], old=[1, 2, 3, 4]), summary(13)) +
            snapshot(5, tiles(1, 2, 1), summary(8)))
        self.assertEqual(message, "")
        self.assertEqual(re.findall(r"#(\d+) (\w+)", out),
                         [("1", "Collection"), ("2", "Collection"), ("5", "Collection")])
        self.assertEqual(re.findall(r"Heap: (\d+) tiles\s+Used: (\d+)", out),
                         [("4", "10"), ("4", "13"), ("3", "8")])
        hello = wire.PREAMBLE + frame("HELLO", varint(0) + text("toy-client") + text(""))
        self.assertEqual(received[:len(hello)], hello)
        self.assertEqual(received[-8:], frame("CLOSE"))

    def test_byte_by_byte(self):
        def play(connection):
            for byte in wire.PREAMBLE + BOOTSTRAP + FIRST:
                connection.sendall(bytes([byte]))
                time.sleep(0.001)

        out, message, _, _ = self.converse(play, 1)
        self.assertEqual(message, "")
        self.assertIn("Heap: 4 tiles", out)

    def test_unknown_messages_and_later_fields(self):
        strange = (frame(15, b"abc") + frame(35, b"\xff" * 50) + frame(64, b"x") + frame(65535) +
                   frame("PONG", varint(7) + b"more") + frame("NOTICE", text("hear!") + b"more"))
        larger = (frame("WELCOME", text("Mini server") + varint(1500) + b"more") +
                  frame("INFO", varint(0) + b"more") +
                  frame("EVENTS", varint(1) + event(extra=b"more") + b"more") + strange +
                  frame("GROUPS", varint(1) + record(text("G") + id1(None) + b"more") + b"more") +
                  frame("SPACE", space(streams=[stream(summary=1, extra=b"\0more")], group=0,
                                       extra=b"more")) + frame("READY", b"more"))
        out, message, _, _ = self.say(
            wire.PREAMBLE[:6] + b"\x09\0" + larger + strange + begin() + strange +
            frame("TILES", b"\0\0\0\4more", flags=0x8000) + strange +
            frame("SUMMARY", b"\0\0\1" + zigzag(44) + b"more") + end() + strange, snapshots=1)
        self.assertEqual(message, "")
        self.assertIn("Heap: 4 tiles\n    Used: 44", out)

    def test_deflated(self):
        def deflated(data):
            n, kind, flags = struct.unpack_from("<IHH", data)
            return frame(kind, data[8:8 + n], flags, deflate=True)

        out, message, _, _ = self.say(
            wire.PREAMBLE + WELCOME + frame("INFO", varint(0), deflate=True) + deflated(EVENTS) +
            frame("SPACE", space(), deflate=True) + frame("READY", deflate=True) + begin() +
            tiles(0, 0, 70000) + values(list(range(65536)), deflate=True) +
            values(list(range(65536, 70000)), first=65536, deflate=True) +
            deflated(summary(3)) + end(), snapshots=1)
        self.assertEqual(message, "")
        self.assertIn("Heap: 70000 tiles\n    Used: 3", out)

    def test_description_changes(self):
        out, message, _, _ = self.say(
            wire.PREAMBLE + BOOTSTRAP + FIRST +
            frame("SPACE", space(0, "Anew", [stream("A"), stream("B")])) +
            frame("GROUPS", varint(1) + record(text("G") + id1(None))) +
            frame("SPACE", space(1, "Second", group=0)) + frame("INFO", varint(1) + text("k") +
                                                                text("v")) +
            snapshot(2, tiles(0, 0, 2, 1)) + frame("SPACE_GONE", varint(0)) + snapshot(3))
        self.assertEqual(message, "")
        parts = re.split(r"#\d", out)
        self.assertIn("Anew: 0 tiles", parts[2])
        self.assertIn("Second: 2 tiles", parts[2])
        self.assertNotIn("Anew", parts[3])

    def test_pings_at_a_third_of_the_limit(self):
        def play(connection):
            connection.sendall(wire.PREAMBLE + BOOTSTRAP)
            begin = time.monotonic()
            time.sleep(1.2)
            connection.sendall(FIRST)
            waited.append(time.monotonic() - begin)

        waited = []
        _, message, _, received = self.converse(play, 1)
        self.assertEqual(message, "")
        splitter = wire.Splitter(wire.MAX_TO_SERVER)
        splitter.feed(received)
        kinds = []
        while (item := splitter.next()) is not None:
            kinds.append(wire.NAME[item[0]])
        self.assertEqual(kinds[0], "HELLO")
        self.assertGreater(kinds.count("PING"), 0)
        self.assertLessEqual(kinds.count("PING"), waited[0] / 0.5 + 1)


class Asking(ClientCase):
    """S1, S6, section 6.8: the C client asks an independent server."""

    def ask(self, reply, *words, wait=3000, minor=wire.MINOR):
        """`reply(number, what)` are the bytes that answer the question, which is checked."""
        asked = []

        def play(connection):
            connection.sendall(wire.MAGIC + struct.pack("<HH", wire.MAJOR, minor) + BOOTSTRAP)
            splitter = wire.Splitter(wire.MAX_TO_SERVER)
            splitter.feed(self.server.received)
            while part := connection.recv(4096):
                splitter.feed(part)
                while (item := splitter.next()) is not None:
                    kind, _, payload = item
                    read = {"QUERY": wire.read_query, "SET": wire.read_set,
                            "ZOOM": wire.read_zoom}.get(wire.NAME[kind])
                    if read:
                        asked.append((wire.NAME[kind], *read(payload)))
                        connection.sendall(reply(asked[-1][1]))

        out, message, took, _ = self.converse(play, question=(str(wait), *words))
        return out, message, took, asked

    def test_a_query_and_its_profile(self):
        cases = [(f"{age}profile-{word}", word) for word in ("live", "allocated")
                 for age in ("", "older-")] + [(f"profile-{word}", word)
                                               for word in ("recent", "frequent")]
        for name, word in cases:
            body = test_golden.golden(f"{name}.bin")
            out, message, _, asked = self.ask(
                lambda n, body=body: b"".join(wire.answer(n, "OK", "made", body, 100)),
                "query", "sites", f"kind={word}", "depth=")
            self.assertEqual(message, "")
            self.assertEqual([a[0] for a in asked], ["QUERY"])
            self.assertEqual(asked[0][2:], ("sites", [("kind", word), ("depth", "")]))
            self.assertEqual(out, f'OK "made" {len(body)} bytes\n' +
                             test_golden.golden(f"{name}.txt").decode(), name)

    def test_a_profile_made_here(self):
        p = wire.profile_decode(test_golden.golden("profile-allocated.bin"))
        p["server"] = "Größe"
        p["entries"] = p["entries"][::-1] * 50
        p["names"] += ["x" * 4095]
        out, _, _, _ = self.ask(lambda n: b"".join(wire.answer(n, body=wire.profile_encode(p))),
                                "query", "sites", "kind=allocated")
        self.assertEqual(out.partition("\n")[2], test_golden.tell_profile(p))

    def test_settings_and_statuses(self):
        for status in wire.ANSWER_STATUS:
            out, message, _, asked = self.ask(
                lambda n, status=status: b"".join(wire.answer(n, status, "words", b"a=b\n")),
                "set", "interval", "64k")
            self.assertEqual((out, message), (f'{status} "words" 4 bytes\na=b\n', ""))
            self.assertEqual(asked[0][0], "SET")
            self.assertEqual(asked[0][2:], ("interval", "64k"))
        later = frame("ANSWER", b"\1\x77\1\0" + text("") + b"\0\0\0\0later")
        out, _, _, _ = self.ask(lambda _: later, "query", "t")
        self.assertEqual(out, 'UNSUPPORTED "" 0 bytes\n')

    def test_parts_among_others(self):
        """Parts stand inside snapshots, between those of other answers, deflated or not."""
        def reply(n):
            parts = [wire.answer_part(n, "OK", False, 9, "w", b"abc", deflate=True),
                     wire.answer_part(n, "OK", False, 9)]
            last = wire.answer_part(n, "OK", True, 9, "", b"defghi")
            other = wire.answer_part(n + 1, "OK", True, 3, "other", b"xyz")
            return (other + parts[0] + begin() + parts[1] + tiles(0, 0, 4) + end() + other + last +
                    last + wire.answer_part(n, "STATE", True, 1, "late", b"z"))

        out, message, _, _ = self.ask(reply, "query", "t")
        self.assertEqual((out, message), ('OK "w" 9 bytes\nabcdefghi', ""))

    def test_parts_that_do_not_add_up(self):
        for parts in ([(False, 9, b"abc"), (True, 9, b"")], [(True, 9, b"abc")],
                      [(False, 3, b"abc"), (True, 3, b"d")], [(False, 3, b"abc"), (True, 4, b"d")],
                      [(False, 300000, b"x" * 200000), (True, 300000, b"x" * 200000)]):
            out, _, _, _ = self.ask(lambda n, parts=parts: b"".join(
                wire.answer_part(n, "OK", last, total, "w", body) for last, total, body in parts),
                "query", "t")
            self.assertEqual(out, 'MALFORMED "" 0 bytes\n')

    def test_no_answer(self):
        out, message, took, _ = self.ask(lambda _: b"", "query", "t", wait=300)
        self.assertEqual((out, message), ("", ""))
        self.assertLess(took, 8)
        out, message, took, _ = self.ask(lambda _: frame("BYE", b"\0" + text("the end")), "query",
                                         "t", wait=9000)
        self.assertEqual(out, 'CLOSED "" 0 bytes\n')
        self.assertIn("the end", message)
        self.assertLess(took, 10)

    def test_zooms(self):
        """F16: what is asked for; the space is known when the answer is."""
        words = ("zoom", "0", "0x1000", "0x3001", "512")
        described = frame("SPACE", space(1, name="Finer"))
        for body, told in ((varint(1), "Finer"), (varint(0), "Heap"), (varint(2), "not there"),
                           (varint(1024), "-"), (b"", "-"), (b"\x80", "-")):
            out, message, _, asked = self.ask(
                lambda n, body=body: described + b"".join(wire.answer(n, body=body)), *words)
            self.assertEqual((out, message), (f'OK "" {told}\n', ""))
            self.assertEqual((asked[0][0], asked[0][2:]), ("ZOOM", (0, 0x1000, 0x3001, 512)))
        out, _, _, _ = self.ask(lambda n: b"".join(wire.answer(n, "LIMIT", "no more", varint(0))),
                                *words)
        self.assertEqual(out, 'LIMIT "no more" -\n')
        out, _, _, asked = self.ask(lambda n: b"".join(wire.answer(n)), "unzoom", "300")
        self.assertEqual((out, asked[0][2:]), ('OK "" 0 bytes\n', (300, 0, 0, 0)))
        for bad in (("zoom", "1024", "0", "1", "512"), ("zoom", "0", "0", "1", "0"),
                    ("unzoom", "1024")):
            out, message, _, asked = self.ask(lambda _: b"", *bad)
            self.assertEqual((out, asked), ("", []))
            self.assertIn("ARGUMENT", message)

    def test_a_server_of_minor_1_is_not_asked_for_zooms(self):
        for words in (("zoom", "0", "0", "1", "512"), ("unzoom", "1")):
            out, message, _, asked = self.ask(lambda _: b"", *words, minor=1, wait=9000)
            self.assertEqual((out, asked), ("", []))
            self.assertIn("UNSUPPORTED", message)

    def test_a_server_of_minor_0_is_not_asked(self):
        for words in (("query", "sites"), ("set", "interval", "0")):
            out, message, took, asked = self.ask(lambda _: b"", *words, minor=0, wait=9000)
            self.assertEqual((out, asked), ("", []))
            self.assertIn("UNSUPPORTED", message)
            self.assertLess(took, 10)

    def test_bad_profiles(self):
        body = test_golden.golden("profile-live.bin")
        for bad in (b"", body[:-1], b"\2" + body[1:], body[:1] + b"\4" + body[2:],
                    body[:10] + b"\xff" * 10 + body[20:]):
            out, _, _, _ = self.ask(lambda n, bad=bad: b"".join(wire.answer(n, body=bad)), "query",
                                    "sites")
            self.assertRegex(out, r'^OK "" \d+ bytes\nthe profile cannot be read: .')


class Refusals(ClientCase):
    def test_bye(self):
        for reason in range(8):
            self.refuses(frame("BYE", bytes([reason]) + text("these are the words")),
                         "these are the words")
        self.refuses(BOOTSTRAP + frame("BYE", b"\0" + text("")), "goodbye")

    def test_other_protocols(self):
        for data in (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", b"\0" * 100,
                     b"G", bytes.fromhex("00 00 00 0e 47 43 73 70 79 36 36 36"),
                     random.Random(3).randbytes(5000)):
            # A single "G" may become a preamble: there the client waits for its limit.
            if data == b"G":
                _, message, took, _ = self.say(data)
                self.assertIn("not a GCspy server", message)
                self.assertLess(took, 8)
            else:
                self.refuses(data, "not a GCspy server", preamble=False)

    def test_closed_at_once(self):
        for data in (b"", wire.PREAMBLE, wire.PREAMBLE + WELCOME,
                     wire.PREAMBLE + BOOTSTRAP[:-10]):
            _, message, took, _ = self.say(data, linger=False)
            self.assertRegex(message, "^toy-client: the (peer|server) closed the connection")
            self.assertLess(took, 10)

    def test_closed_in_the_middle(self):
        whole = wire.PREAMBLE + BOOTSTRAP + FIRST
        start = len(wire.PREAMBLE + BOOTSTRAP)
        for cut in range(start, len(whole), 9):
            out, message, took, _ = self.say(whole[:cut], linger=False)
            self.assertRegex(message, "^toy-client: the server closed the connection")
            self.assertNotIn("#1", out)
            self.assertLess(took, 10)

    def test_silence(self):
        _, message, took, _ = self.say(wire.PREAMBLE + BOOTSTRAP)
        self.assertRegex(message, "^toy-client: the server has been silent")
        self.assertLess(took, 10)

    def test_another_major(self):
        for major in (0, 2):
            data = wire.MAGIC + struct.pack("<HH", major, 0)
            self.refuses(data + frame("BYE", b"\3" + text("other version")), "other version",
                         preamble=False)
            self.refuses(data + BOOTSTRAP, "version", preamble=False)

    def test_words_are_not_interpreted(self):
        for words in (b"a\nb", b"\x1b[2Jgone", b"\x07", b"\xc2\x9b2J"):
            _, message, _, _ = self.say(wire.PREAMBLE + frame("BYE", b"\0" + text(words)))
            self.assertNotRegex(message[:-1], "[\x00-\x1f\x7f-\x9f]")

    def test_a_bootstrap_that_drips(self):
        """The client ends at its user's time limit, though bytes still come."""
        def play(connection):
            for byte in wire.PREAMBLE + BOOTSTRAP:
                connection.sendall(bytes([byte]))
                time.sleep(0.5)

        out, _, took, _ = self.converse(play, 1, linger=False)
        self.assertNotIn("#", out)
        self.assertLess(took, 40)

    def test_must(self):
        self.refuses(BOOTSTRAP + frame(9999, flags=wire.MUST), "version")


class Malformed(ClientCase):
    """One broken message each, at the place where a right one could stand."""

    def test_frames(self):
        for data in (struct.pack("<IHH", 16777217, 3, 0), struct.pack("<IHH", 0xFFFFFFFF, 3, 0),
                     frame("INFO", b"\1", flags=wire.DEFLATED),
                     frame("INFO", struct.pack("<I", 1) + b"rubbish", flags=wire.DEFLATED),
                     frame("INFO", struct.pack("<I", 0xFFFFFFFF) + b"rubbish", flags=wire.DEFLATED),
                     frame("INFO", struct.pack("<I", 5) + wire.zlib.compress(b"1"),
                           flags=wire.DEFLATED),
                     frame("INFO", struct.pack("<I", 1) + wire.zlib.compress(b"\0" * 10000000),
                           flags=wire.DEFLATED),
                     frame("INFO", struct.pack("<I", 1) + wire.zlib.compress(b"\0") + b"more",
                           flags=wire.DEFLATED)):
            self.refuses(WELCOME + data, "bad message INFO")

    def test_order(self):
        for name, data in (("INFO", frame("INFO", varint(0))), ("READY", frame("READY")),
                           ("BEGIN", begin()), ("STATE", frame("STATE", b"\0\0\0")),
                           ("WELCOME", WELCOME + WELCOME), ("END", WELCOME + end()),
                           ("ANSWER", WELCOME + wire.answer_part(1)),
                           ("BEGIN", WELCOME + begin()), ("EVENTS", WELCOME + EVENTS + EVENTS),
                           ("EVENTS", BOOTSTRAP + EVENTS), ("READY", BOOTSTRAP + frame("READY")),
                           ("TILES", BOOTSTRAP + tiles(0, 0, 1)), ("END", BOOTSTRAP + end()),
                           ("BEGIN", BOOTSTRAP + begin() + begin()),
                           ("SPACE", BOOTSTRAP + begin() + frame("SPACE", space())),
                           ("PLUGINS", BOOTSTRAP + begin() + frame("PLUGINS", varint(0))),
                           ("GROUPS", BOOTSTRAP + begin() + frame("GROUPS", varint(0)))):
            with self.subTest(name):
                self.refuses(data, "bad message " + name)

    def test_descriptions(self):
        good = stream()
        for name, payload in (
                ("WELCOME", text("x" * 256) + varint(1)), ("WELCOME", text("x") + varint(3600001)),
                ("WELCOME", b""), ("INFO", varint(257)), ("INFO", varint(200)),
                ("INFO", varint(1) + text("") + text("v")), ("INFO", varint(1 << 63)),
                ("INFO", varint(1) + text(b"k\0") + text("v")),
                ("INFO", varint(1) + text("k") + text("v" * 4096)),
                ("EVENTS", varint(65)), ("EVENTS", varint(64)),
                ("EVENTS", varint(1) + struct.pack("<I", 0xFFFFFFFF)),
                ("EVENTS", varint(1) + event("")), ("EVENTS", varint(1) + event(count=33)),
                ("EVENTS", varint(1) + event(count=5)),
                ("EVENTS", varint(1) + event(attributes=[attribute(kind=3)])),
                ("EVENTS", varint(1) + event(attributes=[attribute(form=4)])),
                ("EVENTS", varint(1) + event(attributes=[attribute(kind=1)])),
                ("EVENTS", varint(1) + event(attributes=[attribute(kind=1, names=["a"] * 257)])),
                ("GROUPS", varint(1025)), ("GROUPS", varint(1) + record(text("G") + id1(0))),
                ("GROUPS", varint(1) + record(text("") + id1(None))),
                ("PLUGINS", varint(65)), ("PLUGINS", varint(1) + plugin(name="a b")),
                ("PLUGINS", varint(1) + plugin(name="")), ("PLUGINS", varint(1) + plugin(title="")),
                ("PLUGINS", varint(1) + plugin(kind=3)), ("PLUGINS", varint(2) + 2 * plugin()),
                ("PLUGINS", varint(1) + plugin(parameters=[parameter(kind=7)])),
                ("PLUGINS", varint(1) + plugin(parameters=[parameter(kind=2)])),
                ("PLUGINS", varint(1) + plugin(parameters=2 * [parameter()])),
                ("PLUGINS", varint(1) + plugin(parameters=[parameter(name="")])),
                ("SPACE", space(1)), ("SPACE", space(1024)), ("SPACE", space(name="")),
                ("SPACE", space(streams=[])), ("SPACE", space(count=121)),
                ("SPACE", space(count=120)), ("SPACE", space(kind=3)), ("SPACE", space(columns=4)),
                ("SPACE", space(kind=2)), ("SPACE", space(kind=2, columns=4194305)),
                ("SPACE", space(group=0)), ("SPACE", space(default=1)), ("SPACE", b""),
                ("SPACE", space(streams=[stream("")])), ("SPACE", space(streams=[stream(role=4)])),
                ("SPACE", space(streams=[stream(kind=4)])),
                ("SPACE", space(streams=[stream(presentation=4)])),
                ("SPACE", space(streams=[stream(maximum=3)])),
                ("SPACE", space(streams=[stream(paint=2)])),
                ("SPACE", space(streams=[stream(form=4)])),
                ("SPACE", space(streams=[stream(summary=4)])),
                ("SPACE", space(streams=[stream(low=5, high=4)])),
                ("SPACE", space(streams=[stream(maximum=2, max_stream=1)])),
                ("SPACE", space(streams=[stream(presentation=3)])),
                ("SPACE", space(streams=[stream(presentation=3, names=["a", "b"])])),
                ("SPACE", space(streams=[stream(summary=3)])),
                ("SPACE", space(streams=[good[:-1]])), ("SPACE_GONE", varint(0)),
                ("SPACE_GONE", varint(5000))):
            with self.subTest(name, payload=payload[:40].hex()):
                data = frame(name, payload)
                self.refuses(data if name == "WELCOME" else WELCOME + data, "bad message " + name)

    def test_snapshots(self):
        big = varint(4194304)
        for name, data in (
                ("BEGIN", frame("BEGIN", b"\1")), ("BEGIN", begin(number=1)),
                ("BEGIN", begin(number=99)), ("BEGIN", begin(attributes=varint(33))),
                ("BEGIN", begin(attributes=b"\1\3")), ("BEGIN", begin(attributes=b"\1\2\1a")),
                ("BEGIN", begin(attributes=b"\2\0\1\2")),
                ("BEGIN", begin(attributes=b"\3\0\0\1\2")),
                ("BEGIN", begin(attributes=b"\2\0\2" + text("x" * 4096))),
                ("BEGIN", begin(attributes=b"\2\0\2" + text(b"a\0b"))),
                ("TILES", begin() + tiles(1, 0, 1)), ("TILES", begin() + tiles(0, 1, 0)),
                ("TILES", begin() + tiles(0, 0, 1, 1)), ("TILES", begin() + tiles(0, 0, 1, 1024)),
                ("TILES", begin() + tiles(0, 0, 4194305)),
                ("TILES", begin() + tiles(0, 0, 1 << 40)),
                ("TILES", begin() + tiles(0, 0, 4194304) + tiles(0, 0, 1)),
                ("STREAM", begin() + values([1])),
                ("STREAM", begin() + tiles(0, 0, 2) + values([1, 2, 3])),
                ("STREAM", begin() + tiles(0, 0, 2) + values([1], first=2)),
                ("STREAM", begin() + tiles(0, 0, 2) + values([1], index=1)),
                ("STREAM", begin() + tiles(0, 0, 2) + values([1], number=1)),
                ("STREAM", begin() + frame("STREAM", b"\0\0" + big + varint(65536))),
                ("STREAM", begin() + tiles(0, 0, 70000) +
                 frame("STREAM", b"\0\0\0" + varint(65537) + varint(2 * 65537) + b"\0")),
                ("STREAM", begin() + tiles(0, 0, 2) + frame("STREAM", b"\0\0\0\2")),
                ("STREAM", begin() + tiles(0, 0, 2) + frame("STREAM", b"\0\0\0\2\0\0")),
                ("STREAM", begin() + tiles(0, 0, 2) + frame("STREAM", b"\0\0\0\2\1\0")),
                ("STREAM", begin() + tiles(0, 0, 2) + frame("STREAM", b"\0\0\0\2\6\0")),
                ("STREAM", begin() + tiles(0, 0, 2) +
                 frame("STREAM", b"\0\0\0\2" + b"\xff" * 9 + b"\1\0")),
                ("STREAM", begin() + tiles(0, 0, 2) + frame("STREAM", b"\0\0\0\2\4" +
                                                             b"\xff" * 9 + b"\2")),
                ("INCR_STREAM", begin() + values([1], old=[0])),
                ("NAMES", begin() + frame("NAMES", b"\0\0\1\0")),
                ("NAMES", begin() + tiles(0, 0, 1) + frame("NAMES", b"\0\0\1" +
                                                           text(b"a\0b"))),
                ("NAMES", begin() + tiles(0, 0, 1) + frame("NAMES", b"\0\0\1" + text("x" * 4096))),
                ("SUMMARY", begin() + summary(1, 2)), ("SUMMARY", begin() + summary(*[1] * 257)),
                ("SUMMARY", begin() + frame("SUMMARY", b"\0\1\1\0")),
                ("SPACE_INFO", begin() + frame("SPACE_INFO", b"\1\0")),
                ("SPACE_INFO", begin() + frame("SPACE_INFO", b"\0" + text("x" * 4096))),
                ("COUNTERS", begin() + frame("COUNTERS", b"\2\0\0")),
                ("COUNTERS", begin() + frame("COUNTERS", b"\1")), ("END", begin() + end(2)),
                ("END", begin() + frame("END", b"\1" + varint(1025))),
                ("END", begin() + end(1, [1024])), ("END", begin() + frame("END", b"\1\2\0")),
                ("STATE", frame("STATE", b"\3\0\0")), ("STATE", frame("STATE", b"")),
                ("NOTICE", frame("NOTICE", text("x" * 4096))),
                ("ANSWER", frame("ANSWER")), ("ANSWER", frame("ANSWER", b"\1\0\1\0\0\0\0\0")),
                ("ANSWER", wire.answer_part(1, total=4, body=b"12345")),
                ("ANSWER", wire.answer_part(1, total=268435457)),
                ("ANSWER", wire.answer_part(1, body=b"x" * 262145)),
                ("ANSWER", wire.answer_part(1, words="x" * 4096)),
                ("ANSWER", frame("ANSWER", b"\1\0\1\5\0\5\0\0\0abcd")),
                ("ANSWER", frame("ANSWER", varint(1 << 32) + b"\0\1\0\0\0\0\0\0"))):
            with self.subTest(name, data=data[-30:].hex()):
                self.refuses(BOOTSTRAP + data, "bad message " + name)

    def test_huge_spaces_stay_within_the_limit_of_values(self):
        """Section 7: 33,554,432 values over all spaces, 256 MiB, however many are asked for."""
        streams = [stream(f"S{i}") for i in range(16)]
        described = (WELCOME + b"".join(frame("SPACE", space(i, f"P{i}", streams))
                                        for i in range(4)) + frame("READY"))
        self.refuses(described + frame("BEGIN", varint(1) + b"\0" + b"\0" * 7) +
                     b"".join(tiles(0, 0, 1500000, i) for i in range(4)), "bad message TILES")

    def test_random_bytes_behind_the_bootstrap(self):
        dice = random.Random(20061021)
        for _ in range(25):
            data = b"".join(frame(dice.choice((2, 3, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24,
                                               32, 33, 34, 36, 50)),
                                  dice.randbytes(dice.randrange(40)),
                                  dice.choice((0, 0, 0, 0, 1, 2)))
                            for _ in range(30))
            _, message, took, _ = self.say(wire.PREAMBLE + BOOTSTRAP + FIRST + data +
                                           struct.pack("<IHH", 1 << 30, 3, 0), snapshots=50)
            self.assertRegex(message, r"^toy-client: .")
            self.assertLess(took, 10)

    def test_flipped_bits(self):
        dice = random.Random(7)
        whole = BOOTSTRAP + FIRST + snapshot(2, tiles(1, 1, 3), values([1] * 6))
        for _ in range(40):
            broken = bytearray(whole)
            broken[dice.randrange(len(broken))] ^= 1 << dice.randrange(8)
            _, message, took, _ = self.say(wire.PREAMBLE + bytes(broken), snapshots=2,
                                           linger=False)
            self.assertLess(took, 8, message)


if __name__ == "__main__":
    unittest.main(verbosity=2)
