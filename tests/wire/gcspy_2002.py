"""GCspy's protocol of 2002 in Python, written from what is known of the original programs: an
independent client, as strict as the original one is fragile, and an independent server. Shares no
code with the library, and with gcspy_wire.py only how one waits. Standard library only.

Client breaks (Broken) where the original client would end, warn or paint nonsense: values outside
their range, a space drawn before all its streams came again, frames over 4 MiB, and so on.

    gcspy_2002.py [MILLISECONDS]    a server with something to see, until standard input ends

Not thread-safe: one connection belongs to one thread.
"""

import copy
import select
import socket
import struct
import sys
import threading
import time

from waiting import Over, Waiting

MAGIC = b"GCspy666"
BEGIN, END = 666666, -666
# The original client's buffer. It reads as much at a time into one of twice that length, after what
# it has of the frame with its four bytes of length: a frame that fills the first overruns the second.
MAX_FRAME = (4 << 20) - 4

(END_STREAM, PAUSE_REQ, PAUSE, RESTART, PLAY_ONE, SHUTDOWN_REQ, SHUTDOWN, STREAM, EVENT, CONTROL,
 EVENT_FILTERS, EVENT_COUNT, SUMMARY, SPACE_INFO, SPACE) = range(15)
BYTE, SHORT, INT = range(3)
PLAIN, PLUS, MAX_VAR, PERCENT, PERCENT_VAR, ENUM = range(6)
PAINT_PLAIN, PAINT_ZERO = range(2)
USED, BACKGROUND, UNUSED, SEPARATOR, LINK = 1, 2, 4, 8, 16

TYPES = {BYTE: "b", SHORT: "h", INT: "i"}


class Broken(Exception):
    """The peer did what the original program does not survive."""


class Gone(Over):
    """The connection is over."""


def require(condition, words):
    if not condition:
        raise Broken(words)


# Primitives: big-endian.


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        require(0 <= count <= len(self.data) - self.at, "a field ends outside its frame")
        part = self.data[self.at:self.at + count]
        self.at += count
        return part

    def number(self, form):
        return struct.unpack(">" + form, self.take(struct.calcsize(form)))[0]

    def byte(self):
        return self.number("b")

    def short(self):
        return self.number("h")

    def int(self):
        return self.number("i")

    def flag(self):
        value = self.number("B")
        require(value in (0, 1), "a boolean is neither 0 nor 1")
        return value == 1

    def string(self):
        end = self.data.find(b"\0", self.at)
        require(end >= 0, "a string has no end")
        return self.take(end - self.at + 1)[:-1].decode()

    def array(self, form):
        count = self.int()
        require(0 <= count, "an array of negative length")
        return list(struct.unpack(f">{count}{form}", self.take(count * struct.calcsize(form))))

    def count(self, what):
        """A signed byte that the original makes an array of."""
        value = self.byte()
        require(value >= 0, f"{value} {what}")
        return value

    def left(self):
        return len(self.data) - self.at


def string(text):
    return (text if isinstance(text, bytes) else text.encode()) + b"\0"


def frame(payload):
    return struct.pack(">i", len(payload)) + payload


def commands(*parts):
    """One frame of whole commands: (id, payload) pairs or bytes."""
    body = b"".join(p if isinstance(p, bytes) else bytes([p[0]]) + p[1] for p in parts)
    return frame(struct.pack(">i", BEGIN) + body + bytes([END_STREAM]) + struct.pack(">i", END))


def array(form, values):
    return struct.pack(f">i{len(values)}{form}", len(values), *values)


# Descriptions.


class Stream:
    FIELDS = ("id", "type", "name", "min", "max", "zero", "default", "pre", "post", "presentation",
              "paint", "max_index", "colour", "names")

    def __init__(self, **fields):
        given = {"type": INT, "min": 0, "max": 100, "zero": 0, "default": 0, "pre": "", "post": "",
                 "presentation": PLAIN, "paint": PAINT_ZERO, "max_index": 0,
                 "colour": (0, 0, 255), "names": ()}
        given.update(fields)
        self.__dict__.update(given)

    @classmethod
    def read(cls, r):
        return cls(id=r.byte(), type=r.byte(), name=r.string(), min=r.int(), max=r.int(),
                   zero=r.int(), default=r.int(), pre=r.string(), post=r.string(),
                   presentation=r.byte(), paint=r.byte(), max_index=r.byte(),
                   colour=tuple(r.take(3)),
                   names=tuple(r.string() for _ in range(r.count("names of values"))))

    def write(self):
        return (struct.pack(">bb", self.id, self.type) + string(self.name) +
                struct.pack(">iiii", self.min, self.max, self.zero, self.default) +
                string(self.pre) + string(self.post) +
                struct.pack(">bbb", self.presentation, self.paint, self.max_index) +
                bytes(self.colour) + struct.pack(">b", len(self.names)) +
                b"".join(map(string, self.names)))

    def check(self, streams):
        """What the legend and the shades of the original client need."""
        require(self.type in TYPES, "an unknown type")
        require(PLAIN <= self.presentation <= ENUM, "an unknown presentation")
        require(self.paint in (PAINT_PLAIN, PAINT_ZERO), "an unknown paint style")
        require(self.max > self.min, f"{self.name}: no range to divide by")
        require(self.max - self.min < 1 << 31, f"{self.name}: a range that overflows")
        require(self.paint != PAINT_ZERO or self.max - self.min >= 2,
                f"{self.name}: a frame for zero needs a range of 2")
        require(self.presentation != ENUM or
                (self.min == 0 and self.max == len(self.names) - 1), f"{self.name}: names")
        require(self.presentation != PERCENT_VAR or 0 <= self.max_index < streams,
                f"{self.name}: no stream {self.max_index}")
        require(self.colour in COLOURS, f"{self.name}: {self.colour} is not in the dialog")
        require(self.colour != COLOURS[0], f"{self.name}: all shades of black are black")
        require(self.pre.startswith(f"{self.name}: "), f"{self.name}: values without a label")
        require("\n" not in self.pre + self.post, f"{self.name}: two lines for a value")


# Those that the original client knows; it looks each stream's up and ends without it.
COLOURS = ((0, 0, 0), (0, 0, 255), (0, 255, 255), (64, 64, 64), (128, 128, 128), (0, 255, 0),
           (192, 192, 192), (255, 0, 255), (160, 160, 160), (0, 0, 150), (230, 230, 230),
           (255, 200, 0), (255, 175, 175), (255, 0, 0), (255, 255, 255), (255, 255, 0))


class Space:
    FIELDS = ("id", "name", "driver", "title", "block", "tiles", "unused", "main", "streams",
              "names")

    def __init__(self, **fields):
        given = {"driver": "Driver", "title": "Block ", "block": "", "unused": "NOT USED",
                 "main": False, "streams": [], "names": None}
        given.update(fields)
        self.__dict__.update(given)
        if self.names is None:
            self.names = [""] * self.tiles
        self.control = [USED] * self.tiles
        self.values = {}
        self.summaries = {}
        self.info = ""

    @classmethod
    def read(cls, r):
        space = {"id": r.short(), "name": r.string(), "driver": r.string(), "title": r.string(),
                 "block": r.string(), "tiles": r.int(), "unused": r.string(), "main": r.flag()}
        space["streams"] = [Stream.read(r) for _ in range(r.short())]
        require(space["tiles"] >= 0, "a negative number of tiles")
        space["names"] = [r.string() for _ in range(space["tiles"])]
        return cls(**space)

    def write(self):
        return (struct.pack(">h", self.id) + string(self.name) + string(self.driver) +
                string(self.title) + string(self.block) + struct.pack(">i", self.tiles) +
                string(self.unused) + bytes([self.main]) +
                struct.pack(">h", len(self.streams)) + b"".join(s.write() for s in self.streams) +
                b"".join(map(string, self.names)))

    def check(self):
        require(0 < len(self.streams) <= 127, "no streams, or too many")
        require(self.tiles > 0, "a space without tiles")
        require([s.id for s in self.streams] == list(range(len(self.streams))),
                "stream ids are not 0, 1, 2 …")
        for stream in self.streams:
            stream.check(len(self.streams))
        colours = {stream.colour for stream in self.streams}
        require(len(colours) == min(len(self.streams), len(COLOURS) - 1), "equal colours")
        require(self.block == "" or self.block.endswith("\n"), "values after the block's text")
        require(all(n == "" or n[0] == " " and n[1:].strip() for n in self.names),
                "names that touch the number")

    def tile_info(self, tile):
        """The panel of the original client, as far as it concerns the tile itself."""
        return f"{self.title}{tile}{self.names[tile]}\n{self.block}" + "".join(
            f"{s.pre}{self.values[s.id][tile]}{s.post}\n" for s in self.streams)

    def copy(self):
        other = copy.copy(self)
        other.values, other.summaries = dict(self.values), dict(self.summaries)
        return other

    def find(self, name):
        """A stream by the beginning of its name, which may go on with a unit."""
        return next(s for s in self.streams if s.name == name or s.name.startswith(name + " ("))

    def of(self, name):
        return self.values[self.find(name).id]

    def summary(self, name):
        return self.summaries[self.find(name).id]

    def paint(self):
        """What the original client does at each event; True if there was anything to see."""
        for stream in self.streams:
            values = self.values.get(stream.id)
            require(values is not None, f"{self.name}: {stream.name} has no data to draw")
            require(len(self.control) >= len(values), "control is shorter than the stream")
            self.shade(stream, values)
        return bool(self.streams)

    def shade(self, stream, values):
        most = stream.max
        if stream.presentation == MAX_VAR:
            floor = stream.min + (4 if stream.paint == PAINT_ZERO else 2)
            most = max([floor] + [v for v, c in zip(values, self.control) if c & USED])
        for i, value in enumerate(values):
            if stream.presentation == PERCENT_VAR:
                whole = self.values[stream.max_index][i]
                require(0 <= value <= whole, f"{stream.name}: {value} of {whole} is over 100 %")
                continue
            require(value >= stream.min, f"{stream.name}: {value} is below {stream.min}")
            require(value <= most or stream.presentation == PLUS,
                    f"{stream.name}: {value} is above {most}")


# The client.


class Client(Waiting):
    """The original client, without its windows."""

    def __init__(self, address, pause=False, split=0, hello=None):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), 10)
        self.buffer = bytearray()
        self.phase = "HELLO"
        self.name, self.info = None, ""
        self.events, self.counters, self.counted = [], [], False
        self.current = []    # spaces, as last told
        self.spaces = []     # as drawn at the last event
        self.log = []        # (event, elapsed, compensation, counters, paused before it)
        self.pauses = 0
        self.shut_down = False
        self.described = 0   # SPACE commands
        self.largest = 0     # frame
        data = frame(string(MAGIC) + struct.pack(">i", 1) + bytes([pause])) if hello is None \
            else hello
        if split:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for at in range(0, len(data), split):
                self.socket.sendall(data[at:at + split])
                time.sleep(0.02)
        else:
            self.socket.sendall(data)

    # Receiving.

    def step_input(self, timeout):
        """Takes what comes within the time; False if nothing did."""
        self.socket.settimeout(max(timeout, 0.001))
        try:
            data = self.socket.recv(1 << 18)
        except TimeoutError:
            return False
        except ConnectionError as error:
            raise Gone() from error
        if not data:
            raise Gone()
        self.buffer += data
        while len(self.buffer) >= 4:
            length = struct.unpack_from(">i", self.buffer)[0]
            require(0 < length < MAX_FRAME, f"a frame of {length} bytes")
            if len(self.buffer) < 4 + length:
                break
            payload = bytes(self.buffer[4:4 + length])
            del self.buffer[:4 + length]
            self.largest = max(self.largest, length)
            self.on_frame(Reader(payload))
        return True

    def on_frame(self, r):
        if self.phase == "HELLO":
            require(r.string() == MAGIC.decode() and r.int() == 1, "not the hello of a server")
            self.name = r.string()
            self.phase = "INFO"
        elif self.phase == "INFO":
            self.expected = r.short()
            require(0 <= self.expected <= 128, "a number of spaces")
            self.info = r.string()
            self.events = [r.string() for _ in range(r.short())]
            require(len(self.events) <= 128, "too many events")
            self.counters = [0] * len(self.events)
            self.phase = "SPACES" if self.expected else "LIVE"
        elif self.phase == "SPACES":
            space = Space.read(r)
            require(space.id == len(self.current), "spaces must come in the order of their ids")
            space.check()
            self.current.append(space)
            if len(self.current) == self.expected:
                self.spaces = [space.copy() for space in self.current]
                self.phase = "LIVE"
        else:
            self.on_commands(r)
        require(r.left() == 0, "bytes after the end of a frame")

    def on_commands(self, r):
        require(r.int() == BEGIN, "a frame that does not begin as commands do")
        while (command := r.byte()) != END_STREAM:
            self.on_command(command, r)
        require(r.int() == END, "a frame that does not end as commands do")

    def space(self, r):
        number = r.byte()
        require(0 <= number < len(self.current), f"no space {number}")
        return self.current[number]

    def on_command(self, command, r):
        if command == PAUSE:
            self.pauses += 1
        elif command == SHUTDOWN:
            self.shut_down = True
        elif command == STREAM:
            space = self.space(r)
            number = r.byte()
            require(0 <= number < len(space.streams), f"no stream {number}")
            values = r.array(TYPES[space.streams[number].type])
            require(len(values) == space.tiles, "not one value for each tile")
            space.values[number] = values
        elif command == CONTROL:
            space = self.space(r)
            space.control = r.array("b")
            require(len(space.control) == space.tiles, "not one control byte for each tile")
        elif command == SUMMARY:
            space = self.space(r)
            number = r.byte()
            values = r.array("i")
            stream = space.streams[number]
            wanted = (2 if stream.presentation in (PERCENT, PERCENT_VAR) else
                      len(stream.names) if stream.presentation == ENUM else 1)
            require(len(values) in (0, wanted), f"{stream.name}: a summary of {len(values)}")
            space.summaries[number] = values
        elif command == SPACE_INFO:
            space = self.space(r)
            space.info = r.string()
        elif command == SPACE:
            space = Space.read(r)
            require(0 <= space.id < len(self.current), "a new space after the bootstrap")
            space.check()
            # It keeps a colour for each stream of the bootstrap, and draws the selected one.
            require(len(space.streams) == len(self.current[space.id].streams),
                    f"{space.name}: not as many streams as at bootstrap")
            self.current[space.id] = space
            self.described += 1
        elif command == EVENT_COUNT:
            self.counters, self.counted = r.array("i"), True
            require(len(self.counters) == len(self.events), "not one counter for each event")
        elif command == EVENT:
            number, elapsed, compensation = r.byte(), r.int(), r.int()
            require(0 <= number < len(self.events), f"no event {number}")
            require(elapsed >= 0 and compensation >= 0, "a negative time")
            require(self.counted, "an event before the counters")
            for space in self.current:
                space.paint()
            self.spaces = [space.copy() for space in self.current]
            self.log.append((number, elapsed, compensation, tuple(self.counters), self.pauses))
        else:
            raise Broken(f"command {command} is none of a server")

    def seen(self):
        return self.log

    def lately(self):
        return f"events {self.log[-3:]}"

    def find(self, name):
        return next(s for s in self.spaces if s.name == name)

    # Commands.

    def say(self, *parts):
        self.socket.settimeout(10)
        self.socket.sendall(commands(*parts))

    def pause(self):
        self.say((PAUSE_REQ, b""))

    def restart(self):
        self.say((RESTART, b""))

    def play_one(self):
        self.say((PLAY_ONE, b""))

    def shutdown(self):
        self.say((SHUTDOWN_REQ, b""))

    def filters(self, *rows):
        """Rows of (enabled, delay, pause, period)."""
        self.say((EVENT_FILTERS, struct.pack(">h", len(rows)) + b"".join(
            struct.pack(">?i?i", *row) for row in rows)))


# The server.


class Server:
    """Accepts clients one after the other, as the original servers do. `script`, if given, is called
    with the connection after the bootstrap; without it the server waits for commands."""

    def __init__(self, spaces, events=("Start", "End"), name="Old server", info="", script=None,
                 java=False, portions=0):
        self.spaces, self.events, self.name, self.info = spaces, events, name, info
        self.script, self.java, self.portions = script, java, portions
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(20)
        self.port = self.listener.getsockname()[1]
        self.address = f"2002:127.0.0.1:{self.port}"
        self.heard = []      # commands, as (id, payload)
        self.hello = None
        self.counters = [0] * len(events)
        self.error = None
        self.running = True
        self.changed = threading.Condition()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while self.running:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(10)
                try:
                    self.serve(connection)
                except (OSError, Gone, Broken) as error:
                    self.error = error

    def finish(self):
        self.running = False
        try:
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits in accept
        except OSError:
            pass
        self.listener.close()
        self.thread.join(20)

    # Sending.

    def send(self, connection, data):
        if not self.portions:
            connection.sendall(data)
            return
        for at in range(0, len(data), self.portions):
            connection.sendall(data[at:at + self.portions])

    def bootstrap(self):
        return (frame(string(MAGIC) + struct.pack(">i", 1) + string(self.name)) +
                frame(struct.pack(">h", len(self.spaces)) + string(self.info) +
                      struct.pack(">h", len(self.events)) + b"".join(map(string, self.events))) +
                b"".join(frame(space.write()) for space in self.spaces))

    def stream(self, space, number):
        form = TYPES[space.streams[number].type]
        return (STREAM, bytes([space.id, number]) + array(form, space.values[number]))

    def parts(self, space, described=False):
        """The messages of one space at an event, in the order of the C library, or in that of the
        trace player in Java."""
        out = [(SPACE, space.write())] if described else []
        for number in sorted(space.values):
            out.append(self.stream(space, number))
            if number in space.summaries:
                out.append((SUMMARY, bytes([space.id, number]) +
                            array("i", space.summaries[number])))
        control = (CONTROL, bytes([space.id]) + array("b", space.control))
        info = (SPACE_INFO, bytes([space.id]) + string(space.info))
        return out + ([info, control] if self.java else [control, info])

    def event(self, number, elapsed=10, compensation=3, described=(), parts=None):
        """The bytes of one event; `described`: ids of spaces described again."""
        self.counters[number] += 1
        told = [self.parts(s, s.id in described) for s in self.spaces] if parts is None else [parts]
        told.append([(EVENT_COUNT, array("i", self.counters)),
                     (EVENT, struct.pack(">bii", number, elapsed, compensation))])
        if self.java:  # several commands to a frame are allowed
            return b"".join(commands(*group) for group in told)
        return b"".join(commands(part) for group in told for part in group)

    # Receiving.

    def read_frame(self, connection):
        head = self.read(connection, 4)
        return self.read(connection, struct.unpack(">i", head)[0])

    @staticmethod
    def read(connection, count):
        data = b""
        while len(data) < count:
            part = connection.recv(count - len(data))
            if not part:
                raise Gone()
            data += part
        return data

    def read_commands(self, connection):
        r = Reader(self.read_frame(connection))
        require(r.int() == BEGIN, "a frame that does not begin as commands do")
        out = []
        while (command := r.byte()) != END_STREAM:
            payload = b""
            if command == EVENT_FILTERS:
                payload = [(r.flag(), r.int(), r.flag(), r.int()) for _ in range(r.short())]
            out.append((command, payload))
        require(r.int() == END and r.left() == 0, "a frame that does not end as commands do")
        with self.changed:
            self.heard += out
            self.changed.notify_all()
        return out

    def expect(self, command, seconds=60.0):
        """Waits, on the test's thread, until a command has come; returns its payload."""
        deadline = time.monotonic() + seconds
        with self.changed:
            while True:
                for got in self.heard:
                    if got[0] == command:
                        return got[1]
                left = deadline - time.monotonic()
                if left <= 0 or not self.changed.wait(left):
                    raise TimeoutError(f"command {command} did not come; {self.heard}")

    def serve(self, connection):
        payload = self.read_frame(connection)
        self.hello = payload
        r = Reader(payload)
        require(r.string() == MAGIC.decode() and r.int() == 1, "not the hello of a client")
        self.paused_at_start = r.flag()
        require(r.left() == 0, "bytes after the hello")
        self.send(connection, self.bootstrap())
        if self.script is not None:
            self.script(self, connection)
        while self.running:
            for command, _ in self.read_commands(connection):
                if command == SHUTDOWN_REQ:
                    self.send(connection, commands((SHUTDOWN, b"")))
                    return


# Something to show.


def presentations(number=0, tiles=6, name="All", **fields):
    """One stream of each kind, and values that fit."""
    streams = [Stream(id=0, name="Plain", type=BYTE, paint=PAINT_PLAIN, max=20),
               Stream(id=1, name="Plus", type=SHORT, presentation=PLUS, max=3),
               Stream(id=2, name="Var", presentation=MAX_VAR, pre="about "),
               Stream(id=3, name="Percent", presentation=PERCENT, max=1000, post=" bytes"),
               Stream(id=4, name="Share", presentation=PERCENT_VAR, max_index=2),
               Stream(id=5, name="Cards", type=BYTE, presentation=ENUM, zero=2, default=2,
                      max=2, paint=PAINT_PLAIN, names=("DIRTY", "SUMMARISED", "CLEAN"))]
    space = Space(id=number, name=name, tiles=tiles, streams=streams, block="32K blocks",
                  names=[f"   [0x{i:x}-0x{i + 1:x})" for i in range(tiles)], **fields)
    return fill(space, 1)


def fill(space, seed):
    n = space.tiles
    space.values = {0: [(seed + i) % 20 for i in range(n)], 1: [seed * i % 9 for i in range(n)],
                    2: [1000 * seed + i for i in range(n)], 3: [(17 * seed * i) % 1001
                                                                for i in range(n)],
                    4: [seed + i for i in range(n)], 5: [(seed + i) % 3 for i in range(n)]}
    space.summaries = {k: [sum(space.values[k])] for k in (0, 1, 2)}
    space.summaries[3] = [sum(space.values[3]), 1000 * n]
    space.summaries[4] = [sum(space.values[4]), sum(space.values[2])]
    space.summaries[5] = [space.values[5].count(i) for i in range(3)]
    space.control = ([USED, USED | SEPARATOR, USED | LINK, USED,
                      UNUSED, BACKGROUND] * n)[:n]
    space.info = f"round {seed}"
    return space


def obey(server, connection, wait, state):
    """Takes the commands that come within `wait` seconds, or while the program stands; returns once
    it may go on to its next event."""
    deadline = time.monotonic() + wait
    while True:
        left = max(deadline - time.monotonic(), 0)
        if not select.select([connection], [], [], None if state["stands"] else left)[0]:
            return
        for command, _ in server.read_commands(connection):
            if command == PAUSE_REQ:
                state["asked"] = True
            elif command == RESTART:
                state["asked"] = state["stands"] = False
            elif command == PLAY_ONE and state["stands"]:
                return
            elif command == SHUTDOWN_REQ:
                server.send(connection, commands((SHUTDOWN, b"")))
                raise Gone()


def serve(milliseconds):
    """Shows two spaces, one of which grows and shrinks, until standard input ends. As the original
    servers it says PAUSE once, after the event at which it stands, and not after PLAY_ONE."""

    def script(server, connection):
        state = {"asked": server.paused_at_start, "stands": False}
        for i in range(1 << 30):
            tiles = 200 + 40 * (i // 8 % 4)
            resized = tiles != server.spaces[1].tiles
            server.spaces[0] = fill(server.spaces[0], i + 1)
            server.spaces[1] = fill(presentations(1, tiles, "Growing") if resized
                                    else server.spaces[1], i + 5)
            server.send(connection, server.event(i % 2, milliseconds, milliseconds // 4,
                                                 (1,) if resized else ()))
            if state["asked"] and not state["stands"]:
                state["stands"] = True
                server.send(connection, commands((PAUSE, b"")))
            obey(server, connection, milliseconds / 1000, state)

    server = Server([presentations(0, 120, "Fixed", main=True, driver="Driver"),
                     presentations(1, 200, "Growing")], script=script,
                    info="Collector: none\nMade for: pictures")
    print(f"listening on 127.0.0.1:{server.port}", flush=True)
    sys.stdin.read()
    server.finish()


if __name__ == "__main__":
    serve(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
