"""GCspy's wire protocol in Python, written from docs/protocol.md alone: an independent client, and
what an independent server needs. Standard library only; section numbers are those of that document.

    gcspy_wire.py dump FILE             annotated bytes of a recorded session (server to client)
    gcspy_wire.py record ADDRESS FILE   record a session up to the first complete snapshot

Not thread-safe: one connection belongs to one thread.
"""

import contextlib
import copy
import socket
import struct
import sys
import time
import zlib

from waiting import Over, Waiting

MAGIC = b"GCSP"
MAJOR, MINOR = 1, 3
PREAMBLE = MAGIC + struct.pack("<HH", MAJOR, MINOR)
MAX_TO_CLIENT = 16777216
MAX_TO_SERVER = 65536
DEFLATED, MUST = 1, 2
HELLO_PAUSE, HELLO_COMPRESS, HELLO_EVERY, HELLO_RESUME = 1, 2, 4, 8

MAX_EVENTS, MAX_ATTRIBUTES, MAX_GROUPS, MAX_SPACES = 64, 32, 1024, 1024
MAX_STREAMS, MAX_TILES, MAX_VALUES = 120, 4194304, 33554432
MAX_ENUM, MAX_INFO, MAX_NAME, MAX_TEXT = 256, 256, 255, 4095
TILES_PER_FRAME = 65536
MAX_INTERVAL = 3600000
MAX_PARAMETERS, MAX_QUERIES, MAX_ANSWER, ANSWER_PER_FRAME = 64, 8, 268435456, 262144
MAX_ATTRIBUTE_PARAMETERS, MAX_TRIGGERS, MAX_FIRED_ANSWER = 4, 32, 16384
MAX_ITEMS, MAX_ESTIMATE = 16777216, 1e300
MAX_PLUGINS, MAX_PLUGIN_TEXT, MAX_COLUMNS, MAX_ROWS = 64, 131072, 32, 1048576
MAX_MEMORY, MAX_MARKS = 16777216, 65536

KIND = {
    "WELCOME": 1, "BYE": 2, "INFO": 3, "EVENTS": 4, "GROUPS": 5, "SPACE": 6, "SPACE_GONE": 7,
    "READY": 8, "PLUGINS": 9, "BEGIN": 16, "TILES": 17, "NAMES": 18, "STREAM": 19, "INCR_STREAM": 20,
    "SUMMARY": 21, "SPACE_INFO": 22, "COUNTERS": 23, "END": 24, "FIRE_TRIGGER": 25, "STATE": 32, "NOTICE": 33,
    "PONG": 34, "ANSWER": 36, "POSITION": 38, "HELLO": 64, "PAUSE": 65, "RESUME": 66, "STEP": 67, "FILTER": 68,
    "PACE": 69, "ACK": 70, "COLLAPSE": 71, "PING": 72, "CLOSE": 73, "QUERY": 80, "ZOOM": 81,
    "TRIGGER": 83, "SET": 84, "SEEK": 85, "INTEREST": 86,
}
NAME = {number: name for name, number in KIND.items()}

REASON = ["ENDED", "FULL", "TOKEN", "VERSION", "MALFORMED", "SILENT", "SLOW", "USER",
          "PROGRAM"]
RUNNING, PAUSING, PAUSED = 0, 1, 2
PACE_EVENTS, PACE_INTERVAL, PACE_LOCKSTEP = 0, 1, 2
ENUM_PRESENTATION = 3
OF_STREAM = 2
SUMMARY_NONE, SUMMARY_TOTAL, SUMMARY_SHARE, SUMMARY_COUNTS = 0, 1, 2, 3
MATRIX = 2
ANSWER_STATUS = ["OK", "UNSUPPORTED", "ARGUMENT", "STATE", "NOMEM", "LIMIT"]
PROFILE_KIND = ["LIVE", "RECENT", "FREQUENT", "ALLOCATED"]
PROFILE_WORD = {"LIVE": "live", "RECENT": "recent", "FREQUENT": "frequent",
                "ALLOCATED": "allocated"}
FRAME_KIND = ["JAVA", "NATIVE_METHOD", "NATIVE", "VM", "NOTE"]
SURVIVAL = ["0", "1", "2", "3-4", "5-8", "9-16", "17-64", "65+"]


class WireError(Exception):
    """The peer broke the protocol."""


class Closed(Over):
    """The connection is over; `bye` holds the server's (reason, words) if it said any."""

    def __init__(self, bye=None):
        super().__init__(f"BYE {bye}" if bye else "closed without a word")
        self.bye = bye


def wrap(value):
    """Modulo 2^64, as a signed number."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


# Section 3, reading and writing.


class Reader:
    """Reads fields; with `log`, a list, notes (start, end, label, value) of each."""

    def __init__(self, data, log=None, base=0):
        self.data, self.at, self.log, self.base = data, 0, log, base

    def take(self, count):
        if len(self.data) - self.at < count:
            raise WireError("a field ends outside its payload")
        part = self.data[self.at:self.at + count]
        self.at += count
        return part

    def note(self, start, label, value):
        if self.log is not None and label is not None:
            self.log.append((self.base + start, self.base + self.at, label, value))
        return value

    def u8(self, label=None, below=256):
        start = self.at
        value = self.take(1)[0]
        if value >= below:
            raise WireError(f"{label}: {value} is no known number")
        return self.note(start, label, value)

    def u32(self, label=None):
        start = self.at
        return self.note(start, label, struct.unpack("<I", self.take(4))[0])

    def raw_varint(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if value >> 64:
                    break
                return value
        raise WireError("a varint exceeds 64 bits")

    def varint(self, label=None, most=(1 << 64) - 1):
        start = self.at
        value = self.raw_varint()
        if value > most:
            raise WireError(f"{label}: {value} exceeds {most}")
        return self.note(start, label, value)

    def zigzag(self, label=None):
        start = self.at
        v = self.raw_varint()
        return self.note(start, label, wrap((v >> 1) ^ -(v & 1)))

    def estimate(self, label=None):
        """Section 11"""
        start = self.at
        value = struct.unpack("<d", self.take(8))[0]
        if not 0 <= value <= MAX_ESTIMATE:
            raise WireError(f"{label}: {value} is no estimate")
        return self.note(start, label, value)

    def text(self, label=None, most=MAX_NAME, least=0):
        start = self.at
        length = self.raw_varint()
        if not least <= length <= most:
            raise WireError(f"{label}: a text of {length} bytes")
        data = bytes(self.take(length))
        if 0 in data:
            raise WireError(f"{label}: a NUL in a text")
        return self.note(start, label, data.decode("utf-8", "replace"))

    def id1(self, label=None, most=MAX_SPACES):
        start = self.at
        value = self.raw_varint()
        if value > most:
            raise WireError(f"{label}: id {value - 1} is out of range")
        return self.note(start, label, None if value == 0 else value - 1)

    def record(self, label=None):
        length = self.u32(label)
        start = self.at
        return Reader(self.take(length), self.log, self.base + start)


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return varint((value << 1) ^ (value >> 63) if value >= 0 else ~(value << 1))


def text(value):
    data = value.encode() if isinstance(value, str) else value
    return varint(len(data)) + data


def id1(value):
    return varint(0 if value is None else value + 1)


def estimate(value):
    return struct.pack("<d", value)


def record(data):
    return struct.pack("<I", len(data)) + data


def frame(kind, payload=b"", flags=0, deflate=False):
    number = KIND[kind] if isinstance(kind, str) else kind
    if deflate:
        payload = struct.pack("<I", len(payload)) + zlib.compress(payload)
        flags |= DEFLATED
    return struct.pack("<IHH", len(payload), number, flags) + payload


# Section 5.


def runs_decode(reader, count, old=None):
    """`count` values; `old` None: STREAM, else INCR_STREAM."""
    start = reader.at
    values = []
    last = 0
    while len(values) < count:
        head = reader.raw_varint()
        length = head >> 1
        if not 1 <= length <= count - len(values):
            raise WireError("a run does not fit its stream")
        at = len(values)
        literals = [reader.zigzag() for _ in range(length if head & 1 else 1)]
        if literals == [0] and not head & 1:
            values += [last] * length if old is None else old[at:at + length]
            last = values[-1]
            continue
        for k in range(length):
            base = last if old is None else old[at + k]
            last = wrap(base + literals[k if head & 1 else 0])
            values.append(last)
    return reader.note(start, "runs", values)


def runs_encode(values, old=None):
    """The cut into runs that section 5 recommends."""
    before = [0] + list(values[:-1]) if old is None else old
    x = [wrap(v - b) for v, b in zip(values, before)]
    out = b""
    i = 0
    literal = []

    def flush():
        nonlocal out, literal
        if literal:
            out += varint(2 * len(literal) + 1) + b"".join(zigzag(v) for v in literal)
        literal = []

    while i < len(x):
        end = i + 1
        while end < len(x) and x[end] == x[i]:
            end += 1
        # At the end a shorter repetition pays only if no run of literals is open.
        if end - i >= 3 or (end == len(x) and not literal):
            flush()
            out += varint(2 * (end - i)) + zigzag(x[i])
        else:
            literal += x[i:end]
        i = end
    flush()
    return out


# Section 6.8: questions and answers.


def query(number, topic, parameters=()):
    return frame("QUERY", varint(number) + text(topic) + varint(len(parameters)) +
                 b"".join(text(key) + text(value) for key, value in parameters))


def setting(number, key, value):
    return frame("SET", varint(number) + text(key) + text(value))


def zoom(number, space, start=0, end=0, block=0):
    """Section 6.9: asks for a zoom or, with a block of 0, releases one."""
    return frame("ZOOM", b"".join(map(varint, (number, space, start, end, block))))


PAUSE_ACTION, RECORD_ACTION, KEEP_ACTION = 1, 2, 4


def trigger(number, name, condition="", actions=0, nth=0, most=0, plugin="", remove=False):
    """Section 6.11: sets a trigger, or removes one."""
    return frame("TRIGGER", varint(number) + varint(int(remove)) + text(name) + text(condition) +
                 varint(actions) + varint(nth) + varint(most) + text(plugin))


def interest(event, attribute, wanted=True):
    """Section 6.11: asks for an attribute on demand."""
    return frame("INTEREST", varint(event) + varint(attribute) + bytes([wanted]))


def read_condition(r):
    return {"name": r.text("name"), "condition": r.text("condition", MAX_TEXT),
            "actions": r.varint("actions", 2**32 - 1), "nth": r.varint("nth"),
            "most": r.varint("most"), "plugin": r.text("plugin")}


def triggers_decode(data):
    """The body of the topic `triggers`."""
    r = Reader(data)
    if r.u8("version") != 1:
        raise WireError("another version of triggers")
    return [{**read_condition(r), "times": r.varint("times"), "own": r.u8("own") != 0}
            for _ in range(r.varint("count", MAX_TRIGGERS))]


SEEK_ACTION = ["PLACE", "TIME", "MOVE", "SPEED", "LOOP"]


def seek(action, value):
    """Section 6.10: leads a replay."""
    return frame("SEEK", bytes([SEEK_ACTION.index(action)]) + zigzag(value))


def answer_part(number, status="OK", last=True, total=None, words="", body=b"", deflate=False):
    return frame("ANSWER", varint(number) + bytes([ANSWER_STATUS.index(status), last]) +
                 varint(len(body) if total is None else total) + text(words) +
                 struct.pack("<I", len(body)) + body, deflate=deflate)


def answer(number, status="OK", words="", body=b"", size=ANSWER_PER_FRAME):
    """The frames of a whole answer, as a list."""
    cuts = range(0, len(body), size) if body else [0]
    return [answer_part(number, status, at + size >= len(body), len(body), words if at == 0 else "",
                        body[at:at + size]) for at in cuts]


def read_query(payload):
    """A client's QUERY: its number, topic and parameters."""
    r = Reader(payload)
    number, topic = r.varint("id", 2**32 - 1), r.text("topic", MAX_NAME, 1)
    return number, topic, [(r.text("key"), r.text("value", MAX_TEXT))
                           for _ in range(r.varint("count", MAX_PARAMETERS))]


def read_set(payload):
    """A client's SET: its number, key and value."""
    r = Reader(payload)
    return r.varint("id", 2**32 - 1), r.text("key", MAX_NAME, 1), r.text("value", MAX_TEXT)


def read_zoom(payload):
    """A client's ZOOM: its number, space, start, end and block."""
    r = Reader(payload)
    return (r.varint("id", 2**32 - 1), r.varint("space", MAX_SPACES - 1), r.varint("start"),
            r.varint("end"), r.varint("block"))


def answer_status(r):
    status = r.u8("status")
    return ANSWER_STATUS[status] if status < len(ANSWER_STATUS) else "UNSUPPORTED"


class Answer:
    """What has come of an answer."""

    def __init__(self):
        self.status = self.total = None
        self.words, self.body = "", b""
        self.parts = 0
        self.complete = self.failed = False

    def add(self, part):
        if self.complete:
            return
        self.total = part["total"] if self.parts == 0 else self.total
        self.parts += 1
        self.status = part["status"]
        self.words = self.words or part["words"]
        self.body += part["body"]
        self.failed = self.failed or part["total"] != self.total or len(self.body) > self.total
        if part["last"]:
            self.failed = self.failed or len(self.body) != self.total
            self.complete = True


# Section 11: the profile document.

PROFILE_HEAD = [("server", "text"), ("as of", "text"), ("wall", "zigzag"), ("since", "zigzag"),
                ("interval", "varint"), ("collections", "varint"),
                ("allocated bytes", "estimate"), ("allocated objects", "estimate"),
                ("samples", "varint"), ("tracked", "varint"), ("died", "varint"),
                ("dropped", "varint"), ("lost", "varint"), ("elsewhere", "varint"),
                ("garbage seen", "varint")]
PROFILE_ENTRY = [("stack", "id1"), ("class", "varint"), ("thread", "varint"),
                 ("samples", "varint"), ("bytes", "estimate"), ("bytes variance", "estimate"),
                 ("objects", "estimate"), ("objects variance", "estimate"), ("age", "small"),
                 ("lifetime", "varint")]
PROFILE_SAMPLE = [("id", "varint"), ("size", "varint"), ("wall", "zigzag"), ("context", "varint")]
PROFILE_TOTAL = [("live bytes", "estimate"), ("live objects", "estimate"),
                 ("died bytes", "estimates")]
PROFILE_JUDGE = [("number", "varint"), ("end", "zigzag"), ("kind", "text")]
PROFILE_MORE_SAMPLE = [("region", "id1"), ("address", "varint"), ("approximate", "flag")]
PROFILE_MORE_TOTAL = [("region", "id1"), ("size", "varint"), ("new bytes", "estimate"),
                      ("new objects", "estimate")]
PROFILE_FRAME = [("class", "text"), ("method", "text"), ("file", "text"), ("line", "small")]
PROFILE_LEAST = {"names": 1, "frames": 5, "stacks": 2, "entries": 42}

READ_FIELD = {
    "text": lambda r, label: r.text(label, MAX_TEXT),
    "varint": lambda r, label: r.varint(label),
    "small": lambda r, label: r.varint(label, 2**32 - 1),
    "zigzag": lambda r, label: r.zigzag(label),
    "id1": lambda r, label: r.id1(label, MAX_ITEMS),
    "flag": lambda r, label: r.u8(label, 2),
    "estimate": lambda r, label: r.estimate(label),
    "estimates": lambda r, label: [r.estimate(label) for _ in SURVIVAL],
}
WRITE_FIELD = {
    "text": text, "varint": varint, "small": varint, "zigzag": zigzag, "id1": id1,
    "flag": lambda value: bytes([value]), "estimate": estimate, "estimates": lambda values: b"".join(map(estimate, values)),
}


def read_fields(r, fields):
    return {name: READ_FIELD[kind](r, name) for name, kind in fields}


def write_fields(values, fields):
    return b"".join(WRITE_FIELD[kind](values[name]) for name, kind in fields)


def entry_fields(kind):
    return PROFILE_ENTRY + (PROFILE_TOTAL if kind == "ALLOCATED" else PROFILE_SAMPLE)


def more_fields(kind):
    return PROFILE_MORE_TOTAL if kind == "ALLOCATED" else PROFILE_MORE_SAMPLE


def profile_decode(data):
    """The profile: its head's fields, and the lists names, frames, stacks, entries."""
    r = Reader(data)
    if r.u8("version") != 1:
        raise WireError("a profile of another version")
    p = {"kind": PROFILE_KIND[r.u8("kind", len(PROFILE_KIND))], **read_fields(r, PROFILE_HEAD)}

    def table(name, item):
        count = r.varint(name, MAX_ITEMS)
        if count > (len(data) - r.at) // PROFILE_LEAST[name]:
            raise WireError(f"more {name} than there is room for")
        p[name] = []
        for _ in range(count):
            p[name].append(item())

    def frame_item():
        kind = FRAME_KIND[r.u8("frame kind", len(FRAME_KIND))]
        return {"kind": kind, **read_fields(r, PROFILE_FRAME)}

    def stack_item():
        parent, youngest = r.id1("parent", MAX_ITEMS), r.varint("frame")
        if youngest >= len(p["frames"]) or parent is not None and parent >= len(p["stacks"]):
            raise WireError("a stack of what is not there")
        return parent, youngest

    def entry_item():
        e = read_fields(r, entry_fields(p["kind"]))
        if (e["stack"] is not None and e["stack"] >= len(p["stacks"]) or
                max(e["class"], e["thread"]) >= len(p["names"])):
            raise WireError("an entry of what is not there")
        return e

    table("names", lambda: r.text("name", MAX_TEXT))
    table("frames", frame_item)
    table("stacks", stack_item)
    table("entries", entry_item)
    if r.at == len(data) or r.u8("supplement") != 1:
        return p
    p["judged"], p["judged old"] = read_fields(r, PROFILE_JUDGE), read_fields(r, PROFILE_JUDGE)
    p["used"] = r.varint("used")
    for e in p["entries"]:
        e.update(read_fields(r, more_fields(p["kind"])))
        if e["region"] is not None and e["region"] >= len(p["names"]):
            raise WireError("a region of what is not there")
    return p


def profile_encode(p):
    out = bytes([1, PROFILE_KIND.index(p["kind"])]) + write_fields(p, PROFILE_HEAD)
    out += varint(len(p["names"])) + b"".join(map(text, p["names"]))
    out += varint(len(p["frames"])) + b"".join(
        bytes([FRAME_KIND.index(f["kind"])]) + write_fields(f, PROFILE_FRAME) for f in p["frames"])
    out += varint(len(p["stacks"])) + b"".join(id1(parent) + varint(youngest)
                                               for parent, youngest in p["stacks"])
    out += varint(len(p["entries"])) + b"".join(
        write_fields(e, entry_fields(p["kind"])) for e in p["entries"])
    if "judged" not in p:
        return out
    out += b"\x01" + write_fields(p["judged"], PROFILE_JUDGE)
    out += write_fields(p["judged old"], PROFILE_JUDGE) + varint(p["used"])
    return out + b"".join(write_fields(e, more_fields(p["kind"])) for e in p["entries"])


# Section 10: the tiles of a call site.

TILES_HEAD = [("site", "varint"), ("as of", "text"), ("bytes", "varint"), ("samples", "small"),
              ("placed bytes", "varint"), ("placed", "small"), ("approximate", "small")]
TILES_TILE = [("low", "varint"), ("size", "varint"), ("bytes", "varint"), ("samples", "small"),
              ("approximate", "small"), ("type", "text")]


def tiles_decode(data):
    """The head's fields, and the list tiles, with the addresses that each begins and ends at."""
    r = Reader(data)
    if r.u8("version") != 1:
        raise WireError("tiles of another version")
    tiles, low = {**read_fields(r, TILES_HEAD), "tiles": []}, 0
    for _ in range(r.varint("count", tiles["placed"])):
        tile = read_fields(r, TILES_TILE)
        low += tile["low"]
        if tile["size"] == 0 or tile["low"] == 0 and tiles["tiles"]:
            raise WireError("tiles are not in the order of addresses")
        tiles["tiles"].append({**tile, "low": low, "high": low + tile["size"]})
    if r.at < len(data) and r.u8("supplement") == 1:
        for of, key in ((tiles, "variance"), (tiles, "placed variance"),
                        *((tile, "variance") for tile in tiles["tiles"])):
            of[key] = r.estimate(key)
    return tiles


def tiles_encode(tiles):
    out, before = bytes([1]) + write_fields(tiles, TILES_HEAD) + varint(len(tiles["tiles"])), 0
    for tile in tiles["tiles"]:
        out += write_fields({**tile, "low": tile["low"] - before,
                             "size": tile["high"] - tile["low"]}, TILES_TILE)
        before = tile["low"]
    if "variance" not in tiles:
        return out
    return out + b"\x01" + b"".join(map(estimate, (
        tiles["variance"], tiles["placed variance"], *(t["variance"] for t in tiles["tiles"]))))


def site_number(class_name, frames):
    """The number of a call site; frames: (class, method, file, line, kind), the youngest first."""
    modulo = 1 << 64

    def over(h, words):
        for byte in words.encode() + b"\0":
            h = (h ^ byte) * 0x100000001B3 % modulo
        return h

    h = over(0x84222325CBF29CE4, class_name)
    for owner, method, file, line, kind in frames:
        f = over(over(over(0xCBF29CE484222325, owner), method), file)
        f = (f ^ (line * 256 + FRAME_KIND.index(kind))) * 0x9E3779B97F4A7C15 % modulo
        h = (h ^ f) * 0xBF58476D1CE4E5B9 % modulo
        h ^= h >> 31
    return (h ^ h >> 29) * 0x94D049BB133111EB % modulo % (1 << 48) or 1


def bucket(age):
    """The number of the bucket of `died bytes`."""
    ends = [int(words.rstrip("+").split("-")[-1]) for words in SURVIVAL]
    return next((i for i, last in enumerate(ends[:-1]) if age <= last), len(ends) - 1)


# Section 12: the bodies of plugins' answers.

PLUGIN_KIND = ["TEXT", "TABLE", "BYTES"]
PARAMETER_KIND = ["NUMBER", "TEXT", "ENUM", "SPACE", "TILE", "ADDRESS", "LENGTH"]
COLUMN_KIND = ["TEXT", "NUMBER"]
FORMAT = ["DECIMAL", "HEX", "BYTES", "NANOSECONDS"]


def answer_reader(data, kind):
    r = Reader(data)
    if r.u8("version") != 1 or r.u8("kind") != PLUGIN_KIND.index(kind):
        raise WireError(f"an answer of another version or kind than {kind}")
    return r


def table_decode(data):
    """A title, columns (name, kind, format), rows of cells (None: not known), and depths or None."""
    r = answer_reader(data, "TABLE")
    tree, count = r.u8("flags") & 1, r.varint("column count", MAX_COLUMNS)
    rows = r.varint("row count", MAX_ROWS)
    if not count or count * rows > len(data) - r.at:
        raise WireError("a table without columns, or of more cells than bytes")
    t = {"title": r.text("title", MAX_TEXT), "columns": [], "rows": [], "depths": [] if tree else None}
    for _ in range(count):
        t["columns"].append((r.text("column"), COLUMN_KIND[r.u8("column kind", 2)],
                             FORMAT[r.u8("format", 4)]))
    for i in range(rows):
        if tree:
            t["depths"].append(r.varint("depth", t["depths"][-1] + 1 if i else 0))
        t["rows"].append([r.text("cell", MAX_TEXT) if kind == "TEXT" else
                          r.zigzag("cell") if r.u8("known", 2) else None
                          for _, kind, _ in t["columns"]])
    return t


def memory_decode(data):
    """A title, an address, the bytes, and marks (start, length, text)."""
    r = answer_reader(data, "BYTES")
    count, length = r.varint("mark count", MAX_MARKS), r.varint("length", MAX_MEMORY)
    m = {"address": r.varint("address"), "title": r.text("title", MAX_TEXT),
         "bytes": bytes(r.take(length)), "marks": []}
    start = 0
    for _ in range(count):
        start += r.varint("start", length - start)
        m["marks"].append((start, r.varint("length", length - start), r.text("text", MAX_TEXT)))
        if not m["marks"][-1][1]:
            raise WireError("a mark without bytes")
    return m


# Section 6.1: what a client keeps.


class Space:
    def __init__(self, described):
        self.__dict__.update(described)
        self.gone = False
        self.clear()

    def clear(self):
        self.tiles = 0
        self.values = [[] for _ in self.streams]
        self.summaries = [[] for _ in self.streams]
        self.tile_names = []
        self.words = ""
        self.gathered = False

    def stream(self, index):
        if index >= len(self.streams):
            raise WireError(f"space {self.name} has no stream {index}")
        return self.streams[index]

    def find(self, name):
        return [s["name"] for s in self.streams].index(name)

    def splice(self, at, removed, inserted):
        if at > self.tiles or removed > self.tiles - at:
            raise WireError("TILES outside the space")
        self.tiles += inserted - removed
        if self.tiles > MAX_TILES:
            raise WireError("too many tiles")
        for values, stream in zip(self.values, self.streams):
            values[at:at + removed] = [stream["initial"]] * inserted
        self.tile_names[at:at + removed] = [""] * inserted

    def copy(self):
        other = copy.copy(self)
        other.values = [list(v) for v in self.values]
        other.summaries = list(self.summaries)
        other.tile_names = list(self.tile_names)
        return other

    def state(self):
        """Everything that two clients must agree on at the same sequence."""
        return (self.name, self.gone, self.tiles, self.values, self.summaries, self.tile_names,
                self.words)


def summary_length(stream):
    return {SUMMARY_NONE: 0, SUMMARY_TOTAL: 1, SUMMARY_SHARE: 2,
            SUMMARY_COUNTS: len(stream["names"])}[stream["summary"]]


class Snapshot:
    """One snapshot as received: the occurrence, and the state of all spaces after it."""

    def __init__(self, begin, mirror):
        self.__dict__.update(begin)
        self.spaces = [space.copy() for space in mirror.spaces]
        self.counters = list(mirror.counters)

    def state(self):
        return [space.state() for space in self.spaces]


class Mirror:
    """The server as a client sees it: frames in, state out (sections 4 and 6.1)."""

    def __init__(self):
        self.phase = "WELCOME"
        self.name = None
        self.keep_alive = None
        self.info, self.events, self.groups, self.spaces, self.counters = [], [], [], [], []
        self.plugins = []
        self.snapshots = []
        self.states = []
        self.notices = []
        self.position = None
        self.pongs = []
        self.answers = {}  # by the number of the question
        self.unknown = []
        self.bye = None
        self.begin = None
        self.messages = []  # names of all messages, in order
        self.whole = self.incremental = self.deflated = 0

    def frame(self, kind, flags, payload, log=None, base=0):
        name = NAME.get(kind)
        handler = getattr(self, "on_" + name.lower(), None) if name else None
        if handler is None:
            if flags & MUST:
                raise WireError(f"kind {kind} must be known")
            self.unknown.append(kind)
            return
        if flags & DEFLATED:
            self.deflated += 1
        self.messages.append(name)
        snapshot = 17 <= kind <= 25
        if name not in ("BYE", "NOTICE", "PONG"):
            wanted = ("WELCOME" if name == "WELCOME" else
                      "BOOTSTRAP" if name in ("READY", "EVENTS") else
                      "LIVE" if kind >= 16 else self.phase)
            if self.phase != wanted or (self.phase == "WELCOME" and name != "WELCOME"):
                raise WireError(f"{name} in phase {self.phase}")
        if snapshot and self.begin is None or 3 <= kind <= 16 and self.begin is not None:
            raise WireError(f"{name} in the wrong place")
        handler(Reader(payload, log, base))

    # The description.

    def on_welcome(self, r):
        self.name = r.text("name")
        self.keep_alive = r.varint("keep-alive", MAX_INTERVAL)
        self.phase = "BOOTSTRAP"

    def on_bye(self, r):
        reason = r.u8("reason")
        self.bye = (REASON[reason] if reason < len(REASON) else "ENDED", r.text("words", MAX_TEXT))
        raise Closed(self.bye)

    def on_info(self, r):
        count = r.varint("count", MAX_INFO)
        self.info = [(r.text("key", MAX_NAME, 1), r.text("value", MAX_TEXT)) for _ in range(count)]

    @staticmethod
    def names(r):
        return [r.text("a name", MAX_NAME, 1) for _ in range(r.varint("name count", MAX_ENUM))]

    def on_events(self, r):
        if self.events:
            raise WireError("EVENTS again")
        for _ in range(r.varint("count", MAX_EVENTS)):
            e = r.record("event record")
            event = {"name": e.text("name", MAX_NAME, 1), "description": e.text("description",
                     MAX_TEXT), "colour": e.u32("colour"), "attributes": []}
            for _ in range(e.varint("attribute count", MAX_ATTRIBUTES)):
                a = e.record("attribute record")
                attribute = {"name": a.text("name", MAX_NAME, 1), "kind": a.u8("kind", 3),
                             "format": a.u8("format", 4), "names": self.names(a)}
                if attribute["kind"] == 1 and not attribute["names"]:
                    raise WireError("an enumeration without names")
                attribute.update(self.later_fields(a))
                event["attributes"].append(attribute)
            self.events.append(event)
        self.counters = [0] * len(self.events)

    @staticmethod
    def later_fields(a):
        """Of an attribute's record, since 1.3."""
        more = a.at < len(a.data)
        return {"on_demand": more and a.u8("on demand") & 1 == 1,
                "parameters": [a.text("parameter", MAX_NAME, 1) for _ in range(
                    a.varint("parameter count", MAX_ATTRIBUTE_PARAMETERS))] if more else []}

    def on_groups(self, r):
        groups = []
        for i in range(r.varint("count", MAX_GROUPS)):
            g = r.record("group record")
            groups.append({"name": g.text("name", MAX_NAME, 1), "parent": g.id1("parent", i)})
        if groups[:len(self.groups)] != self.groups:
            raise WireError("GROUPS are not only added to")
        self.groups = groups

    def on_plugins(self, r):
        if self.phase == "BOOTSTRAP" and self.plugins:
            raise WireError("PLUGINS again")
        self.plugins = []
        for _ in range(r.varint("count", MAX_PLUGINS)):
            p = r.record("plugin record")
            start = p.at
            plugin = {"name": p.text("name", MAX_NAME, 1), "title": p.text("title", MAX_NAME, 1),
                      "description": p.text("description", MAX_TEXT),
                      "kind": PLUGIN_KIND[p.u8("kind", len(PLUGIN_KIND))], "parameters": []}
            for _ in range(p.varint("parameter count", MAX_PARAMETERS)):
                a = p.record("parameter record")
                one = {"name": a.text("name", MAX_NAME, 1),
                       "description": a.text("description", MAX_TEXT),
                       "kind": PARAMETER_KIND[a.u8("kind", len(PARAMETER_KIND))]}
                optional, initial = a.u8("optional"), a.text("initial", MAX_TEXT)
                one["initial"] = initial if optional else None
                one["names"] = self.names(a)
                if one["kind"] == "ENUM" and not one["names"]:
                    raise WireError("an enumeration without names")
                plugin["parameters"].append(one)
            if (p.at - start > 2 * MAX_PLUGIN_TEXT or
                    not plugin["name"].replace("-", "a").isalnum() or
                    any(plugin["name"] == other["name"] for other in self.plugins)):
                raise WireError(f"a plugin {plugin['name']}")
            self.plugins.append(plugin)

    def on_space(self, r):
        number = r.varint("id", MAX_SPACES - 1)
        p = {"name": r.text("name", MAX_NAME, 1), "description": r.text("description", MAX_TEXT),
             "tile_title": r.text("tile title"), "block_info": r.text("block information",
             MAX_TEXT), "unused_text": r.text("unused text"), "group": r.id1("group", MAX_GROUPS),
             "kind": r.u8("kind", 3), "main": r.u8("flags") & 1 == 1,
             "columns": r.varint("columns", MAX_TILES), "block_bytes": r.varint("block bytes"),
             "default_stream": r.varint("default stream", MAX_STREAMS)}
        p["streams"] = []
        for _ in range(r.varint("stream count", MAX_STREAMS)):
            record = r.record("stream record")
            p["streams"].append(self.stream_record(record))
            p["streams"][-1]["error_stream"] = self.error_stream(record)
        if not p["streams"] or p["default_stream"] >= len(p["streams"]):
            raise WireError("a space without its default stream")
        if (p["kind"] == MATRIX) != (p["columns"] != 0):
            raise WireError("columns do not fit the kind of space")
        if p["group"] is not None and p["group"] >= len(self.groups):
            raise WireError("a space in no group that is there")
        for s in p["streams"]:
            if s["maximum"] == OF_STREAM and (s["max_stream"] or 0) >= len(p["streams"]):
                raise WireError("a maximum from a stream that is not there")
        for i, s in enumerate(p["streams"]):
            if s["error_stream"] is not None and not i < s["error_stream"] < len(p["streams"]):
                raise WireError("an error that is no later stream")
        if number > len(self.spaces):
            raise WireError("a space leaves ids out")
        self.spaces[number:number + 1] = [Space(p)]

    @staticmethod
    def error_stream(r):
        """The last field of a stream's record, left out without an error stream."""
        return (r.varint("error stream", MAX_STREAMS) if r.at < len(r.data) else 0) or None

    @staticmethod
    def stream_record(r):
        s = {"name": r.text("name", MAX_NAME, 1), "description": r.text("description", MAX_TEXT),
             "prefix": r.text("prefix"), "suffix": r.text("suffix"), "role": r.u8("role", 4),
             "type": r.u8("type", 4), "presentation": r.u8("presentation", 4),
             "maximum": r.u8("maximum", 3), "paint": r.u8("paint", 2), "format": r.u8("format", 4),
             "summary": r.u8("summary", 4), "min": r.zigzag("min"), "max": r.zigzag("max"),
             "zero": r.zigzag("zero"), "initial": r.zigzag("initial"),
             "max_stream": r.id1("max stream", MAX_STREAMS), "colour": r.u32("colour"),
             "names": Mirror.names(r)}
        if s["min"] > s["max"]:
            raise WireError("a minimum above its maximum")
        if s["presentation"] == ENUM_PRESENTATION and (
                not s["names"] or s["max"] - s["min"] != len(s["names"]) - 1):
            raise WireError("an enumeration without a name for each value")
        return s

    def space(self, number):
        if number >= len(self.spaces) or self.spaces[number].gone:
            raise WireError(f"space {number} is not there")
        return self.spaces[number]

    def on_space_gone(self, r):
        space = self.space(r.varint("id", MAX_SPACES - 1))
        space.clear()
        space.gone = True

    def on_ready(self, _):
        self.phase = "LIVE"

    # Snapshots.

    def on_begin(self, r):
        b = {"sequence": r.varint("sequence"), "event": r.id1("event", MAX_EVENTS),
             "time": r.varint("time"), "wall": r.zigzag("wall"), "cost": r.varint("cost"),
             "elapsed": r.varint("elapsed"), "compensation": r.varint("compensation"),
             "missed": r.varint("missed"), "attributes": [], "fired": []}
        if b["event"] is not None and b["event"] >= len(self.events):
            raise WireError("an event that is not there")
        known = [] if b["event"] is None else self.events[b["event"]]["attributes"]
        for i in range(r.varint("attribute count", MAX_ATTRIBUTES)):
            kind = r.u8("present", 3)
            if kind != 0 and (i >= len(known) or (kind == 2) != (known[i]["kind"] == 2)):
                raise WireError("an attribute of another kind")
            b["attributes"].append(None if kind == 0 else r.zigzag("value") if kind == 1
                                   else r.text("value", MAX_TEXT))
        self.begin = b

    def on_tiles(self, r):
        space = self.space(r.varint("space", MAX_SPACES - 1))
        space.splice(r.varint("at", MAX_TILES), r.varint("removed", MAX_TILES),
                     r.varint("inserted", MAX_TILES))
        if sum(s.tiles * len(s.streams) for s in self.spaces) > MAX_VALUES:
            raise WireError("too many values")

    @staticmethod
    def tile_range(r, space):
        first = r.varint("first", MAX_TILES)
        count = r.varint("count", TILES_PER_FRAME)
        if first + count > space.tiles:
            raise WireError("tiles outside the space")
        return first, count

    def on_names(self, r):
        space = self.space(r.varint("space", MAX_SPACES - 1))
        first, count = self.tile_range(r, space)
        for i in range(count):
            space.tile_names[first + i] = r.text("name", MAX_TEXT)

    def values(self, r, incremental):
        space = self.space(r.varint("space", MAX_SPACES - 1))
        stream = r.varint("stream", MAX_STREAMS)
        space.stream(stream)
        first, count = self.tile_range(r, space)
        old = space.values[stream][first:first + count] if incremental else None
        space.values[stream][first:first + count] = runs_decode(r, count, old)

    def on_stream(self, r):
        self.whole += 1
        self.values(r, False)

    def on_incr_stream(self, r):
        self.incremental += 1
        self.values(r, True)

    def on_summary(self, r):
        space = self.space(r.varint("space", MAX_SPACES - 1))
        stream = r.varint("stream", MAX_STREAMS)
        values = [r.zigzag("value") for _ in range(r.varint("count", MAX_ENUM))]
        if values and len(values) != summary_length(space.stream(stream)):
            raise WireError("a summary of another length")
        space.summaries[stream] = values

    def on_space_info(self, r):
        space = self.space(r.varint("space", MAX_SPACES - 1))
        space.words = r.text("words", MAX_TEXT)

    def on_counters(self, r):
        for i in range(r.varint("count", len(self.events))):
            self.counters[i] = r.varint("counter")

    def on_fire_trigger(self, r):
        fired = {"name": r.text("name", MAX_NAME, 1), "condition": r.text("condition", MAX_TEXT),
                 "times": r.varint("times"), "plugin": r.text("plugin"),
                 "status": answer_status(r), "words": r.text("message", MAX_TEXT)}
        length = r.u32("length")
        if length > MAX_FIRED_ANSWER:
            raise WireError("an answer over the limit")
        fired["answer"] = r.take(length)
        fired["actions"] = r.varint("actions", 2**32 - 1) if r.at < len(r.data) else 0
        self.begin["fired"].append(fired)
        if len(self.begin["fired"]) > MAX_TRIGGERS:
            raise WireError("more triggers have fired than there can be")

    def on_end(self, r):
        if r.varint("sequence") != self.begin["sequence"]:
            raise WireError("END of another snapshot")
        skipped = {r.varint("space", MAX_SPACES - 1) for _ in range(r.varint("count", MAX_SPACES))}
        for i, space in enumerate(self.spaces):
            space.gathered = i not in skipped
        self.snapshots.append(Snapshot(self.begin, self))
        self.begin = None

    def on_state(self, r):
        self.states.append((r.u8("run", 3), r.u8("own") != 0, r.varint("others")))

    def on_notice(self, r):
        self.notices.append(r.text("words", MAX_TEXT))

    def on_pong(self, r):
        self.pongs.append(r.varint("number"))

    def on_position(self, r):
        self.position = {"place": r.varint("place"), "events": r.varint("events"),
                         "first": r.varint("first time"), "last": r.varint("last time"),
                         "time": r.varint("time"), "speed": r.zigzag("speed")}
        flags = r.u8("flags")
        self.position.update(loop=flags & 1 != 0, ended=flags & 2 != 0, skipped=r.varint("skipped"))
        if self.position["place"] >= self.position["events"] or abs(self.position["speed"]) > 10**6:
            raise WireError("a position outside of the recording")

    def on_answer(self, r):
        number = r.varint("id", 2**32 - 1)
        part = {"status": answer_status(r), "last": r.u8("last") != 0, "total": r.varint("total", MAX_ANSWER),
                "words": r.text("words", MAX_TEXT)}
        length = r.u32("length")
        if length > min(ANSWER_PER_FRAME, part["total"]):
            raise WireError(f"a part of {length} bytes")
        start = r.at
        part["body"] = r.take(length)
        r.note(start, "body", f"{length} bytes")
        self.answers.setdefault(number, Answer()).add(part)


# Section 2: frames out of a stream of bytes.


class Splitter:
    """Bytes in any portions in; (kind, flags, payload) out. The preamble comes first."""

    def __init__(self, most=MAX_TO_CLIENT, preamble=True):
        self.buffer = bytearray()
        self.most = most
        self.preamble = preamble

    def feed(self, data):
        self.buffer += data

    def next(self):
        if self.preamble:
            if self.buffer[:4] != MAGIC[:len(self.buffer[:4])]:
                raise WireError("the peer does not speak this protocol")
            if len(self.buffer) < 8:
                return None
            self.major = struct.unpack_from("<H", self.buffer, 4)[0]
            del self.buffer[:8]
            self.preamble = False
        if len(self.buffer) < 8:
            return None
        length, kind, flags = struct.unpack_from("<IHH", self.buffer)
        if length > self.most:
            raise WireError(f"a payload of {length} bytes")
        if len(self.buffer) < 8 + length:
            return None
        payload = bytes(self.buffer[8:8 + length])
        del self.buffer[:8 + length]
        return kind, flags, inflate(payload, self.most) if flags & DEFLATED else payload


def inflate(payload, most):
    if len(payload) < 4:
        raise WireError("a deflated payload without its length")
    length = struct.unpack_from("<I", payload)[0]
    if length > most:
        raise WireError(f"an inflated payload of {length} bytes")
    z = zlib.decompressobj()
    try:
        data = z.decompress(payload[4:], length + 1)
    except zlib.error as error:
        raise WireError(str(error)) from error
    if len(data) != length or not z.eof or z.unused_data:
        raise WireError("a deflated payload of another length")
    return data


def connect(address, timeout=10.0, receive_buffer=0):
    """`address`: "HOST:PORT", "[V6]:PORT", "PORT" or "unix:PATH"; bytes of the socket's buffer, 0: as usual."""
    if address.startswith("unix:"):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        s.settimeout(timeout)
        s.connect(address[5:])
        return s
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    s.settimeout(timeout)
    if receive_buffer:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    s.connect((host or "127.0.0.1", int(port)))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


class Client(Waiting, Mirror):
    """A connected client. It pings while it waits unless `silent` is set."""

    def __init__(self, address, flags=0, name="test", token="", hello=True, receive_buffer=0):
        super().__init__()
        self.socket = connect(address, receive_buffer=receive_buffer)
        self.splitter = Splitter()
        self.silent = False
        self.sent_at = time.monotonic()
        self.received = bytearray()
        self.asked = self.pinged = 0
        if hello:
            self.raw(PREAMBLE + frame("HELLO", varint(flags) + text(name) + text(token)))

    def raw(self, data):
        self.socket.settimeout(10)
        self.socket.sendall(data)
        self.sent_at = time.monotonic()

    def send(self, kind, payload=b"", flags=0):
        self.raw(frame(kind, payload, flags))

    def keep_alive_due(self):
        return (not self.silent and self.keep_alive is not None and
                time.monotonic() - self.sent_at > self.keep_alive / 3000)

    def sign_of_life(self):
        """A ping when one is due. A server that has gone is noticed by what it has sent before."""
        if self.keep_alive_due():
            with contextlib.suppress(ConnectionError):
                self.send("PING", varint(0))

    def step_input(self, timeout):
        """Handles what arrives within the time; False if nothing did. Raises Closed, WireError."""
        self.sign_of_life()
        self.socket.settimeout(max(timeout, 0.001))
        try:
            data = self.socket.recv(65536)
        except TimeoutError:
            return False
        except ConnectionError:
            data = b""
        if not data:
            raise Closed(self.bye)
        self.received += data
        self.splitter.feed(data)
        while (item := self.splitter.next()) is not None:
            self.sign_of_life()  # on a busy machine a heap of messages takes seconds
            kind, flags, payload = item
            if self.splitter.major != MAJOR and kind != KIND["BYE"]:
                raise WireError(f"the server speaks version {self.splitter.major}")
            self.frame(kind, flags, payload)
        return True

    def seen(self):
        return self.snapshots

    def lately(self):
        return f"last messages {self.messages[-8:]}"

    def settled(self, state, seconds=60.0):
        """Waits until the last STATE is this one."""
        self.wait(lambda: self.states and self.states[-1] == state, seconds)

    def obeyed(self, seconds=60.0):
        """Waits until the server has carried out every command sent so far: it answers in order."""
        self.pinged += 1
        number = (1 << 62) + self.pinged
        self.send("PING", varint(number))
        self.wait(lambda: number in self.pongs, seconds)

    def later(self, seconds=60.0):
        """Waits for an event that happens from now on, by the clock of this machine that the server
        uses as well: what was on its way has come before it. Returns its snapshot."""
        now = time.monotonic_ns()
        self.wait(lambda: self.snapshots and self.snapshots[-1].time > now, seconds)
        return self.snapshots[-1]

    def afresh(self):
        """Forgets all snapshots of events before the last command was carried out."""
        self.obeyed()
        self.later()
        self.snapshots.clear()

    # Commands.

    def pause(self):
        self.send("PAUSE")

    def resume(self, everyone=False):
        self.send("RESUME", bytes([everyone]))

    def step(self):
        self.send("STEP")

    def filter(self, event, enabled=True, delay=0, pause=False, period=1):
        self.send("FILTER", varint(event) + bytes([enabled]) + varint(delay) + bytes([pause]) +
                  varint(period))

    def pace(self, pace, interval=0):
        self.send("PACE", bytes([pace]) + varint(interval))

    def ack(self, sequence):
        self.send("ACK", varint(sequence))

    def collapse(self, number, collapsed, group=False):
        self.send("COLLAPSE", bytes([0 if group else 1]) + varint(number) + bytes([collapsed]))

    # Questions.

    def ask(self, topic, *parameters):
        """The question's number; `answered` waits for the answer."""
        self.asked += 1
        self.raw(query(self.asked, topic, parameters))
        return self.asked

    def set(self, key, value):
        self.asked += 1
        self.raw(setting(self.asked, key, value))
        return self.asked

    def trigger(self, name, condition="", **more):
        """Sets a trigger or, with remove=True, removes one; returns the query's number."""
        self.asked += 1
        self.raw(trigger(self.asked, name, condition, **more))
        return self.asked

    def zoom(self, space, start=0, end=0, block=0):
        self.asked += 1
        self.raw(zoom(self.asked, space, start, end, block))
        return self.asked

    def answered(self, number, seconds=60.0):
        self.wait(lambda: number in self.answers and self.answers[number].complete, seconds)
        return self.answers[number]


# The annotated dump of section 9.


def hex_lines(data, start, end, words):
    """Up to 16 bytes to a line; the words stand on the first."""
    lines = []
    for at in range(start, end, 16) or [start]:
        part = data[at:min(at + 16, end)]
        lines.append(f"{at:04x}  {part.hex(' '):<47}  {words if at == start else ''}".rstrip())
    return lines


def show(label, value):
    if label == "colour":
        return f"0x{value:06x}"
    if isinstance(value, str):
        return '"' + value + '"'
    if value is None:
        return "none"
    if isinstance(value, list):
        return " ".join(map(str, value[:8])) + (f" … ({len(value)} values)"
                                                if len(value) > 8 else "")
    return str(value)


def dump(data, preamble=True):
    """The annotated bytes of what a server sent, as lines. Deflated frames stay closed."""
    lines = []
    at = 0
    mirror = Mirror()
    if preamble:
        lines += hex_lines(data, 0, 8, "preamble: GCSP, version %d.%d"
                           % struct.unpack_from("<HH", data, 4))
        at = 8
    while at < len(data):
        length, kind, flags = struct.unpack_from("<IHH", data, at)
        payload = data[at + 8:at + 8 + length]
        lines += hex_lines(data, at, at + 8, f"{NAME.get(kind, '?')}: {length} bytes, kind {kind}, "
                           f"flags {flags}")
        log = []
        start = at + 8
        at = start + length
        if flags & DEFLATED:
            payload = inflate(payload, MAX_TO_CLIENT)
            lines += hex_lines(data, start, at, "  deflated")
            mirror.frame(kind, flags, payload)
            continue
        try:
            mirror.frame(kind, flags, payload, log, start)
        except Closed:
            pass
        for begin, end, label, value in log:
            lines += hex_lines(data, begin, end, f"  {label} {show(label, value)}")
    return lines


def main(arguments):
    if arguments[:1] == ["dump"] and len(arguments) == 2:
        with open(arguments[1], "rb") as file:
            print("\n".join(dump(file.read())))
        return 0
    if arguments[:1] == ["record"] and len(arguments) == 3:
        with Client(arguments[1]) as client:
            client.wait(lambda: client.snapshots)
            with open(arguments[2], "wb") as file:
                file.write(client.received)
        return 0
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
