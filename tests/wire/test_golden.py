"""The bytes kept in golden/ and the examples of docs/protocol.md, read by the independent client.

make_golden.c proves that the C codec still makes the kept bytes, and writes beside them what the C
client understands; here the independent client must understand the same.
"""

import os
import re
import unittest

import gcspy_wire as wire
from gcspy_wire import frame, text, varint

HERE = os.path.dirname(os.path.abspath(__file__))
PROTOCOL = os.path.join(HERE, "..", "..", "docs", "protocol.md")


def golden(name):
    with open(os.path.join(HERE, "golden", name), "rb") as file:
        return file.read()


def section(number):
    with open(PROTOCOL, encoding="utf-8") as file:
        return re.search(rf"^## {number}\. .*?(?=^## |\Z)", file.read(), re.M | re.S).group(0)


def fnv(values):
    """The same hash as make_golden.c's."""
    total = 0
    for value in values:
        total = (total * 31 + value) & (1 << 64) - 1
    return total


def tell_profile(p):
    """A decoded profile in the words of profile_text.c."""
    def ref(number):
        return "-" if number is None else str(number)

    def real(value):
        return f"{value:.17g}"

    lines = [f"profile {wire.PROFILE_WORD[p['kind']]} of {p['server']}, {p['as of']}",
             f"  wall {p['wall']} since {p['since']} interval {p['interval']} collections "
             f"{p['collections']} allocated {real(p['allocated bytes'])} "
             f"{real(p['allocated objects'])}",
             f"  samples {p['samples']} tracked {p['tracked']} died {p['died']} dropped "
             f"{p['dropped']} lost {p['lost']} elsewhere {p['elsewhere']} garbage "
             f"{p['garbage seen']}"]
    supplement = "judged" in p
    if supplement:
        lines += [f'  judged {j["number"]} {j["end"]} "{j["kind"]}"'
                  for j in (p["judged"], p["judged old"])] + [f"  used {p['used']}"]
    lines += [f'  name "{name}"' for name in p["names"]]
    lines += [f"  frame {wire.FRAME_KIND.index(f['kind'])} {f['class']}|{f['method']}|{f['file']}|"
              f"{f['line']}" for f in p["frames"]]
    lines += [f"  stack {ref(parent)} {youngest}" for parent, youngest in p["stacks"]]
    for e in p["entries"]:
        line = (f"  entry {ref(e['stack'])} {e['class']} {e['thread']} samples {e['samples']} bytes "
                f"{real(e['bytes'])} {real(e['bytes variance'])} objects {real(e['objects'])} "
                f"{real(e['objects variance'])} age {e['age']} lifetime {e['lifetime']}")
        if p["kind"] == "ALLOCATED":
            line += (f" live {real(e['live bytes'])} {real(e['live objects'])} died " +
                     " ".join(map(real, e["died bytes"])))
        else:
            line += f" id {e['id']} size {e['size']} wall {e['wall']} context {e['context']}"
        if supplement:
            line += f" region {0 if e['region'] is None else e['region'] + 1}"
            line += (f" from {e['size']} new {real(e['new bytes'])} {real(e['new objects'])}"
                     if p["kind"] == "ALLOCATED" else f" at {e['address']} {e['approximate']}")
        lines.append(line)
    return "\n".join(lines) + "\n"


class Telling(wire.Mirror):
    """Writes down what it understands in the words of make_golden.c."""

    def __init__(self):
        super().__init__()
        self.lines = []
        self.changed = False

    def frame(self, kind, flags, payload, log=None, base=0):
        if self.phase == "LIVE" and kind in (16, 32) and self.changed:
            self.tell_model()
        super().frame(kind, flags, payload, log, base)
        if 3 <= kind <= 7 or kind == 9:
            self.changed = True

    def tell_model(self):
        self.changed = False
        self.lines.append(f"model {self.name}: {len(self.info)} info, {len(self.events)} events, "
                          f"{len(self.groups)} groups, {len(self.spaces)} spaces")
        for p in self.plugins:
            self.lines.append(f"  plugin {p['name']} \"{p['title']}\" \"{p['description']}\" "
                              f"{wire.PLUGIN_KIND.index(p['kind'])}:" + "".join(
                                  f" {a['name']}/{wire.PARAMETER_KIND.index(a['kind'])}="
                                  f"{'-' if a['initial'] is None else a['initial']}"
                                  for a in p["parameters"]))

    def on_ready(self, r):
        super().on_ready(r)
        self.tell_model()

    def on_state(self, r):
        super().on_state(r)
        self.lines.append("state %d %d %d" % self.states[-1])

    def on_position(self, r):
        super().on_position(r)
        p = self.position
        self.lines.append(f"position {p['place']} of {p['events']} at {p['time']} in "
                          f"{p['first']}..{p['last']}, {p['speed']} thousandths"
                          f"{', loop' if p['loop'] else ''}{', ended' if p['ended'] else ''}, "
                          f"{p['skipped']} lost")

    def on_notice(self, r):
        super().on_notice(r)
        self.lines.append("notice " + self.notices[-1])

    def on_answer(self, r):
        part = wire.Reader(r.data)
        number, status = part.varint(), wire.ANSWER_STATUS[part.u8()]
        last, total, words = part.u8(), part.varint(), part.text(most=wire.MAX_TEXT)
        body = part.take(part.u32())
        super().on_answer(r)
        self.lines.append(f"answer {number} {status}{' last' if last else ''} \"{words}\" "
                          f"{len(body)} of {total}:" + "".join(f" {b:02x}" for b in body))

    def on_end(self, r):
        super().on_end(r)
        s = self.snapshots[-1]
        event = "none" if s.event is None else self.events[s.event]["name"]
        self.lines.append(f"snapshot {s.sequence} event {event} time {s.time} wall {s.wall} cost "
                          f"{s.cost} elapsed {s.elapsed} compensation {s.compensation} missed "
                          f"{s.missed}")
        for i, value in enumerate(s.attributes):
            if value is not None:
                self.lines.append(f"  {self.events[s.event]['attributes'][i]['name']} {value}")
        for f in s.fired:
            self.lines.append(f"  fired {f['name']} {f['condition']} times {f['times']} plugin "
                              f"\"{f['plugin']}\" {f['status']} \"{f['words']}\":" +
                              "".join(f" {b:02x}" for b in f["answer"]))
        for i, p in enumerate(s.spaces):
            self.tell_space(i, p)
        self.lines.append("  counters " + " ".join(map(str, s.counters)))

    def tell_space(self, i, p):
        if p.gone:
            self.lines.append(f"  space {i} gone")
            return
        self.lines.append(f"  space {i} {p.name} \"{p.words}\": {p.tiles} tiles" +
                          ("" if p.gathered else ", older"))
        for stream, values, summary in zip(p.streams, p.values, p.summaries):
            line = f"    {stream['name']}: hash {fnv(values):x}"
            line += "".join(f" {v}" for v in values[:12])
            if summary:
                line += " summary " + ",".join(map(str, summary))
            self.lines.append(line)
        for t, name in enumerate(p.tile_names):
            if name:
                self.lines.append(f"    name {t} {name}")


def decode(data, mirror):
    """All of a recorded session; ends with BYE if there is one."""
    splitter = wire.Splitter()
    splitter.feed(data)
    try:
        while (item := splitter.next()) is not None:
            mirror.frame(*item)
    except wire.Closed:
        pass
    return splitter


class Recoding(wire.Mirror):
    """Codes each stream again and compares with what came."""

    streams = 0

    def values(self, r, incremental):
        header = wire.Reader(r.data)
        space, stream, first, count = [header.varint() for _ in range(4)]
        old = self.spaces[space].values[stream][first:first + count] if incremental else None
        super().values(r, incremental)
        new = self.spaces[space].values[stream][first:first + count]
        if wire.runs_encode(new, old) != r.data[header.at:]:
            raise AssertionError(f"stream {stream} of space {space} is coded differently")
        self.streams += 1


class Golden(unittest.TestCase):
    def test_both_cut_streams_into_the_same_runs(self):
        mirror = Recoding()
        decode(golden("session.bin"), mirror)
        self.assertEqual(mirror.streams, 8)

    def test_both_clients_understand_the_same(self):
        mirror = Telling()
        splitter = decode(golden("session.bin"), mirror)
        self.assertEqual(bytes(splitter.buffer), b"")
        self.assertEqual(mirror.bye, ("ENDED", "the server ends"))
        self.assertEqual("\n".join(mirror.lines) + "\n", golden("session.txt").decode())
        self.assertEqual(mirror.pongs, [2**64 - 1])
        whole, refused = mirror.answers[300], mirror.answers[2**32 - 1]
        self.assertEqual((whole.status, whole.words, whole.body, whole.complete, whole.failed),
                         ("OK", "in two parts", b"\0\1\2\xffx", True, False))
        self.assertEqual((refused.status, refused.words, refused.body, refused.complete),
                         ("ARGUMENT", "at most 1m", b"", True))

    def test_a_session_of_1_2(self):
        """A server of an earlier minor."""
        mirror = Telling()
        decode(golden("session-1.2.bin"), mirror)
        self.assertEqual("\n".join(mirror.lines) + "\n", golden("session-1.2.txt").decode())

    def test_session_has_every_message_of_a_server(self):
        mirror = Telling()
        decode(golden("session.bin"), mirror)
        self.assertEqual(set(mirror.messages), {name for name, n in wire.KIND.items() if n < 64})

    def test_in_any_portions(self):
        data = golden("session.bin")
        for size in (1, 7, 64):
            mirror, splitter = Telling(), wire.Splitter()
            with self.assertRaises(wire.Closed):
                for at in range(0, len(data), size):
                    splitter.feed(data[at:at + size])
                    while (item := splitter.next()) is not None:
                        mirror.frame(*item)
            self.assertEqual("\n".join(mirror.lines) + "\n", golden("session.txt").decode())

    def test_commands(self):
        most = varint(2**64 - 1)
        self.assertEqual(
            golden("commands.bin"),
            wire.PREAMBLE + frame("HELLO", varint(7) + text("golden") + text("sesame")) +
            frame("PAUSE") + frame("RESUME", b"\1") + frame("STEP") +
            frame("FILTER", b"\1\1" + varint(10000) + b"\1" + varint(1000000)) +
            frame("PACE", b"\1" + varint(250)) + frame("ACK", varint(300)) +
            frame("COLLAPSE", b"\0\1\1") + frame("COLLAPSE", b"\1\2\0") + frame("PING", most) +
            wire.query(300, "sites", [("kind", "live")]) +
            wire.setting(2**32 - 1, "interval", "64k") +
            wire.zoom(7, 1, 4096, 2**64 - 1, 512) + wire.zoom(8, 300) +
            wire.trigger(9, "slow", "pause > 200ms", wire.PAUSE_ACTION | wire.RECORD_ACTION, 3,
                         2**64 - 1, "walk") +
            wire.trigger(10, "slow", remove=True) + wire.interest(1, 3) +
            wire.seek("SPEED", -2500) + frame("CLOSE"))

    def test_profiles(self):
        """S2 to S6, section 11: both understand the same, and write the same."""
        for kind, word in wire.PROFILE_WORD.items():
            data = golden(f"profile-{word}.bin")
            p = wire.profile_decode(data)
            self.assertEqual(p["kind"], kind)
            self.assertEqual(tell_profile(p), golden(f"profile-{word}.txt").decode())
            self.assertEqual(wire.profile_encode(p), data)
            self.assertEqual(wire.profile_decode(data + b"later"), p)
            older = len(wire.profile_encode({k: v for k, v in p.items() if k != "judged"}))
            for cut in range(len(data)):
                if cut != older:
                    with self.assertRaises(wire.WireError):
                        wire.profile_decode(data[:cut])

    def test_older_profiles(self):
        """Documents without the supplement."""
        for word in ("live", "allocated"):
            data = golden(f"older-profile-{word}.bin")
            p = wire.profile_decode(data)
            self.assertEqual(tell_profile(p), golden(f"older-profile-{word}.txt").decode())
            self.assertEqual(wire.profile_encode(p), data)


class Runs(unittest.TestCase):
    """Section 5"""

    def test_examples(self):
        rows = re.findall(r"^\| (STREAM|INCR_STREAM) \| ([-\d ]*?) ?\| ([-\d ]+?) \| `([^`]+)` \|$",
                          section(5), re.M)
        self.assertGreater(len(rows), 6)
        for kind, old, new, data in rows:
            old = [int(v) for v in old.split()] if kind == "INCR_STREAM" else None
            new = [int(v) for v in new.split()]
            reader = wire.Reader(bytes.fromhex(data))
            self.assertEqual(wire.runs_decode(reader, len(new), old), new)
            self.assertEqual(reader.at, len(reader.data))
            self.assertEqual(wire.runs_encode(new, old).hex(" "), data)

    def test_any_cut_is_accepted(self):
        for data in ("08 0e 01", "07 0e 00 00 02 00", "02 0e 02 00 02 00 02 00"):
            with self.subTest(data):
                reader = wire.Reader(bytes.fromhex(data))
                if data.startswith("08"):
                    self.assertEqual(wire.runs_decode(reader, 4), [7, 14, 21, 28])
                else:
                    self.assertEqual(wire.runs_decode(reader, 4), [7, 7, 7, 7])

    def test_bad_runs(self):
        for data in ("", "00 00", "01", "0a 00", "06 00", "03", "09 00 00 00",
                     "ff ff ff ff ff ff ff ff ff 01 00", "08 ff ff ff ff ff ff ff ff ff 02"):
            with self.assertRaises(wire.WireError, msg=data):
                wire.runs_decode(wire.Reader(bytes.fromhex(data)), 4)

    def test_primitives(self):
        for value in (0, 1, 127, 128, 300, 2**32, 2**63, 2**64 - 1):
            self.assertEqual(wire.Reader(varint(value)).varint(), value)
        for value in (0, -1, 1, 63, -64, 64, 2**63 - 1, -2**63):
            self.assertEqual(wire.Reader(wire.zigzag(value)).zigzag(), value)
        self.assertEqual([wire.zigzag(v)[0] for v in (0, -1, 1, -2)], [0, 1, 2, 3])
        self.assertEqual(wire.Reader(b"\x80\x80\0").varint(), 0)


class Example(unittest.TestCase):
    """Section 9: the dump is complete, and every annotation is what the bytes say."""

    def blocks(self):
        found = re.findall(r"```\n(.*?)```", section(9), re.S)
        self.assertEqual(len(found), 3)
        return [block.splitlines() for block in found]

    @staticmethod
    def data(lines):
        return b"".join(bytes.fromhex(line[6:53]) for line in lines)

    def test_server(self):
        lines = self.blocks()[1]
        self.assertEqual(wire.dump(self.data(lines)), lines)
        mirror = wire.Mirror()
        decode(self.data(lines), mirror)
        self.assertEqual(len(mirror.snapshots), 2)
        for s in mirror.snapshots:
            self.assertEqual(s.spaces[0].summaries[0], [sum(s.spaces[0].values[0]), 262144])

    def test_client(self):
        before, _, after = self.blocks()
        self.assertEqual(self.data(before), wire.PREAMBLE +
                         frame("HELLO", varint(0) + text("test") + text("")))
        self.assertEqual(self.data(after), frame("CLOSE"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
