"""Trace files of GCspy in Python, written from docs/trace-format.md and docs/protocol.md alone. The
messages are decoded by gcspy_wire.py; section numbers are those of trace-format.md.

    gcspy_trace.py FILE     what is in it, event by event
"""

import struct
import sys
import zlib

import gcspy_wire as wire

MAGIC, CHUNK_MAGIC, END_MAGIC = b"GCSTRACE", b"GCSk", b"GCSe"
MAJOR, MINOR = 1, 1
FILE_HEAD, CHUNK_HEAD, END_MARK = 64, 64, 24
DICTIONARY = 32768
MAX_HEADS, MAX_BODY = 67108864, 536870912
FREE_RAW, DENSITY = 33554432, 32
FREE_VALUES, VALUES = 268435456, 8192  # which this reader does not count
KIND = {"KEY": 1, "MORE": 2, "PROFILE": 3, "INDEX": 4, "ANSWER": 5}
NAME = {number: name for name, number in KIND.items()}


class TraceError(Exception):
    """The file is none of these, or damaged."""


class Chunk:
    """Section 2: a chunk's head, and where it is."""

    FIELDS = struct.Struct("<4sHHIIIIQIIQQI")

    def __init__(self, data, offset):
        head = data[offset:offset + CHUNK_HEAD]
        if len(head) < CHUNK_HEAD or head[:4] != CHUNK_MAGIC:
            raise TraceError(f"no chunk at byte {offset}")
        (_, self.kind, self.flags, self.stored_heads, self.raw_heads, self.stored_body,
         self.raw_body, self.place, self.count, self.detail, self.first, self.last,
         self.check) = self.FIELDS.unpack(head[:60])
        if struct.unpack("<I", head[60:])[0] != zlib.crc32(head[:60]):
            raise TraceError(f"the chunk's head at byte {offset} is damaged")
        self.name = NAME.get(self.kind)
        if self.count == 0 and self.name in ("KEY", "MORE"):
            raise TraceError(f"the chunk at byte {offset} has no events")
        self.offset = offset
        self.end = offset + CHUNK_HEAD + self.stored_heads + self.stored_body
        if self.raw_heads > MAX_HEADS or self.raw_body > MAX_BODY or self.end > len(data):
            raise TraceError(f"the chunk at byte {offset} is too large")

    def parts(self, data, key=None):
        """Heads and body as they were; `key` is the KEY chunk's pair for a MORE chunk."""
        start = self.offset + CHUNK_HEAD
        stored = data[start:self.end]
        if zlib.crc32(stored) != self.check:
            raise TraceError(f"the chunk at byte {self.offset} is damaged")
        heads, body = key or (b"", b"")
        return (inflate(stored[:self.stored_heads], self.raw_heads, heads[-DICTIONARY:]),
                inflate(stored[self.stored_heads:], self.raw_body, body[-DICTIONARY:]))


def inflate(stored, raw, dictionary):
    if raw == 0 and not stored:
        return b""
    if raw > FREE_RAW and raw > DENSITY * len(stored):
        raise TraceError("a part that is too small for what it holds")
    z = zlib.decompressobj(zdict=dictionary) if dictionary else zlib.decompressobj()
    try:
        data = z.decompress(stored, raw + 1)
    except zlib.error as error:
        raise TraceError(str(error)) from error
    if len(data) != raw or not z.eof or z.unused_data:
        raise TraceError("a part of another length")
    return data


def frames(data):
    """Whole frames, none deflated (section 3)."""
    splitter = wire.Splitter(preamble=False)
    splitter.feed(data)
    found = []
    while (item := splitter.next()) is not None:
        if item[1] & wire.DEFLATED:
            raise TraceError("a deflated frame")
        found.append(item)
    if splitter.buffer:
        raise TraceError("a part ends inside a frame")
    return found


class Trace:
    """A file as it was when it was opened. `lost` are the places that could not be read."""

    def __init__(self, path, mirror=wire.Mirror):
        with open(path, "rb") as file:
            self.data = file.read()
        self.mirror = mirror
        self.read_head()
        self.index = self.read_index()
        self.complete = self.index is not None
        self.chunks, self.stray = self.find_chunks()
        self.events = max((c.place + c.count for c in self.chunks if c.name in ("KEY", "MORE")),
                          default=0)
        self.profiles = [c for c in self.chunks if c.name == "PROFILE"]
        self.answers = [c for c in self.chunks if c.name == "ANSWER"]
        self.lost = []

    def read_head(self):
        head = self.data[:FILE_HEAD]
        if head[:8] != MAGIC or len(head) < FILE_HEAD:
            raise TraceError("no trace")
        self.major, self.minor, length, self.created = struct.unpack("<HHIq", head[8:24])
        if struct.unpack("<I", head[60:])[0] != zlib.crc32(head[:60]) or length != FILE_HEAD:
            raise TraceError("the head of the file is damaged")
        if self.major != MAJOR:
            raise TraceError(f"version {self.major}.{self.minor}")

    def read_index(self):
        """The entries of segments, profiles and (not in 1.0) answers, or None."""
        mark = self.data[-END_MARK:]
        if len(self.data) < FILE_HEAD + END_MARK or mark[20:] != END_MAGIC:
            return None
        offset, _, check = struct.unpack("<QQI", mark[:20])
        try:
            chunk = Chunk(self.data, offset)
            if zlib.crc32(mark[:16]) != check or chunk.name != "INDEX":
                return None
            r = wire.Reader(chunk.parts(self.data)[1])
            return [self.read_list(r) for _ in range(2 if self.minor == 0 else 3)]
        except (TraceError, wire.WireError):
            return None

    @staticmethod
    def read_list(r):
        entries, offset = [], 0
        for _ in range(r.varint()):
            kind, distance, place, count, detail, first, last, size = [r.varint() for _ in range(8)]
            offset += distance
            entries.append({"kind": NAME.get(kind), "offset": offset, "place": place,
                            "count": count, "detail": detail, "first": first, "last": last,
                            "bytes": size})
        return entries

    def find_chunks(self):
        """All chunks of the file, and the bytes after the last of them."""
        chunks, offset, end = [], FILE_HEAD, FILE_HEAD
        while offset < len(self.data):
            try:
                chunks.append(Chunk(self.data, offset))
                offset = end = chunks[-1].end
            except TraceError:
                offset = self.data.find(CHUNK_MAGIC, offset + 1)
                if offset == -1:
                    break
        return chunks, len(self.data) - end - (END_MARK if self.complete else 0)

    def segments(self):
        """Lists of chunks with events, each beginning with a KEY chunk."""
        found, orphans = [], []
        for chunk in self.chunks:
            if chunk.name == "KEY":
                found.append([chunk])
            elif chunk.name == "MORE":
                (found[-1] if found else orphans).append(chunk)
        return found

    def snapshots(self):
        """(place, mirror) of each event that can be read; the mirror's last snapshot is it."""
        self.lost, expected = [], 0
        for segment in self.segments():
            self.lost += range(expected, segment[0].place)
            expected = segment[0].place
            try:
                for mirror in self.segment_snapshots(segment):
                    yield expected, mirror
                    expected += 1
            except (TraceError, wire.WireError):
                pass
        self.lost += range(expected, self.events)

    def segment_snapshots(self, segment):
        mirror, key, place = self.mirror(), None, segment[0].place
        for chunk in segment:
            if chunk.place != place:
                raise TraceError("a chunk is missing")
            parts = chunk.parts(self.data, key)
            key = key or parts
            begins = iter(self.heads(parts[0]))
            made = 0
            for kind, flags, payload in frames(parts[1]):
                if wire.KIND["BEGIN"] < kind <= wire.KIND["END"] and mirror.begin is None:
                    for head in next(begins):
                        mirror.frame(*head)
                mirror.frame(kind, flags, payload)
                if kind == wire.KIND["END"]:
                    made += 1
                    yield mirror
                    del mirror.snapshots[:-1]
            place += chunk.count
            if made != chunk.count or next(begins, None) is not None:
                raise TraceError(f"the chunk at byte {chunk.offset} has not its events")

    @staticmethod
    def heads(part):
        """For each event its BEGIN, and what has fired."""
        found = []
        for frame in frames(part):
            if frame[0] == wire.KIND["BEGIN"]:
                found.append([frame])
            elif frame[0] != wire.KIND["FIRE_TRIGGER"] or not found:
                raise TraceError("the heads have another message")
            else:
                found[-1].append(frame)
        return found

    def moments(self):
        """The BEGIN messages, without decoding any space: dictionaries."""
        for segment in self.segments():
            mirror, key = self.mirror(), None
            for chunk in segment:
                parts = chunk.parts(self.data, key)
                if key is None:
                    key = parts
                    for kind, flags, payload in frames(parts[1]):
                        if kind in (wire.KIND["WELCOME"], wire.KIND["EVENTS"]):
                            mirror.frame(kind, flags, payload)
                for (_, _, payload), *fired in self.heads(parts[0]):
                    mirror.on_begin(wire.Reader(payload))
                    for _, _, body in fired:
                        mirror.on_fire_trigger(wire.Reader(body))
                    yield mirror.begin

    def profile(self, number):
        return wire.profile_decode(self.profiles[number].parts(self.data)[1])

    def answer(self, number):
        """Section 3: plugin, message, time, body."""
        heads, body = self.answers[number].parts(self.data)
        r = wire.Reader(heads)
        return r.text("plugin"), r.text("message"), r.zigzag(), body


def main(path):
    trace = Trace(path)
    print(f"{path}: version {trace.major}.{trace.minor}, {trace.events} events, "
          f"{len(trace.profiles)} profiles, {len(trace.chunks)} chunks, "
          f"{'complete' if trace.complete else 'not finished'}")
    for place, mirror in trace.snapshots():
        s = mirror.snapshots[-1]
        name = "none" if s.event is None else mirror.events[s.event]["name"]
        print(f"{place} {name} at {s.time}: " +
              ", ".join(f"{space.name} {space.tiles}" for space in s.spaces if not space.gone))
    for number, chunk in enumerate(trace.profiles):
        print(f"profile {number} {trace.profile(number)['kind']} after {chunk.place} events")
    for number, chunk in enumerate(trace.answers):
        plugin, message, _, body = trace.answer(number)
        print(f"answer {number} of {plugin} after {chunk.place} events: {message}, {len(body)} bytes")
    if trace.lost:
        print(f"{len(trace.lost)} events are lost, the first is {trace.lost[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else print(__doc__) or 2)
