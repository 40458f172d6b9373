"""The spaces of a program on dlmalloc are what a walk of its heap says: each tile of each space, after random
changes, for a client that is attached all the time and for new ones; also zooms, and with deferred coalescing. The
heap's used bytes come from the shadow, so that this also shows that the shadow is exact.

    test_dlmalloc_spaces.py LIBRARIES QUIET GCSPY
"""
import json
import os
import re
import subprocess
import sys
import time

libraries, quiet, gcspy = sys.argv[1:4]
BLOCK = 65536
USED, FREE, PARKED, DV, TOP = range(5)
LIMIT = 120  # seconds; only a broken program needs so long


class Program:
    def __init__(self, *options):
        self.process = subprocess.Popen(
            [quiet, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=dict(os.environ, LD_PRELOAD=libraries, GCSPYMALLOC="port=0,update=20,say=yes"))
        line = self.process.stderr.readline()
        self.address = re.search(r"listening on (\S+)", line).group(1)
        self.walk = self.read()

    def read(self):
        lines = []
        while True:
            word, *numbers = self.process.stdout.readline().split()
            if word == "end":
                return lines
            lines.append((word, *map(int, numbers)))

    def change(self):
        self.process.stdin.write("x")
        self.process.stdin.flush()
        self.walk = self.read()

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(LIMIT) == 0


def heap(walk, start, end, block):
    """Used, free, parked bytes, chunks and largest part of each block of a part of memory."""
    count = -(-(end - start) // block)
    tiles = [[0, 0, 0, 0, 0] for _ in range(count)]
    for word, address, size, use, _ in walk:
        if word != "chunk" or address + size <= start or address >= end:
            continue
        column = {USED: 0, PARKED: 4}.get(use, 1)
        for tile in range(max(address - start, 0) // block, min(count - 1, (address + size - 1 - start) // block) + 1):
            low, high = start + tile * block, start + (tile + 1) * block
            part = min(high, address + size) - max(low, address)
            tiles[tile][column] += part
            if use != USED:
                tiles[tile][3] = max(tiles[tile][3], part)
        if use != USED and address >= start:
            tiles[(address - start) // block][2] += 1
    return {"Used": [t[0] for t in tiles], "Free": [t[1] for t in tiles], "Free chunks": [t[2] for t in tiles],
            "Largest free": [t[3] for t in tiles], "Parked": [t[4] for t in tiles],
            "Start": [start + i * block for i in range(count)],
            "End": [start + (i + 1) * block for i in range(count)]}


def expected(walk):
    """All spaces by name, each with its streams' values."""
    spaces = {"Heap": {}}
    granules = {granule for word, start, end, *_ in walk if word == "segment"
                for granule in range(start // BLOCK, -(-end // BLOCK))}
    for granule in sorted(granules):
        for name, values in heap(walk, granule * BLOCK, (granule + 1) * BLOCK, BLOCK).items():
            spaces["Heap"].setdefault(name, []).extend(values)
    bins, current = [], None
    for word, a, b, c, d in walk:
        if word == "bin":
            current = {"Size": [], "Start": [], "End": [], "Chunks": [], "Depth": [], "total": c}
            bins.append(current)
        elif word == "free":
            for name, value in (("Size", b), ("Start", a), ("End", a + b), ("Chunks", c), ("Depth", d)):
                current[name].append(value)
    spaces["bins"] = [{k: v if k == "total" else v[:4096] for k, v in b.items()} for b in bins]
    mspaces = [w[1:] for w in walk if w[0] == "mspace"]
    spaces["Mspaces"] = {"Footprint": [m[0] for m in mspaces], "Free": [m[1] for m in mspaces],
                         "Start": [m[2] for m in mspaces], "End": [m[3] for m in mspaces]}
    dv, dv_size, top, top_size = [w[1:] for w in walk if w[0] == "ends"][0]
    spaces["dv and top"] = {"Size": [dv_size, top_size], "Start": [dv, top], "End": [dv + dv_size, top + top_size]}
    parked = [w[1:] for w in walk if w[0] == "parked"]
    spaces["Parked"] = {"Chunks": [p[1] for p in parked], "Bytes": [p[0] * p[1] for p in parked]}
    return spaces


def difference(document, walk):
    """Where a client's state differs from the walk; "": nowhere."""
    wanted = expected(walk)
    bins = [s for s in document["spaces"] if s["group"] in ("Smallbins", "Treebins")]
    if len(bins) != len(wanted["bins"]):
        return f"{len(bins)} bins instead of {len(wanted['bins'])}"
    pairs = list(zip(bins, wanted["bins"]))
    pairs += [(s, wanted[s["name"]]) for s in document["spaces"] if s["name"] in wanted]
    if len(pairs) != len(bins) + 4:
        return "not all spaces are there"
    for space, values in pairs:
        for stream in space["streams"]:
            name = stream["name"]
            if name in values and stream["values"] != values[name]:
                return f"{space['name']}, {name}: {stream['values'][:9]}… instead of {values[name][:9]}…"
            if name == "Size" and "total" in values and stream["summary"] != [values["total"]]:
                return f"{space['name']}: {stream['summary']} instead of {values['total']}"
    return ""


def dump(address, *options):
    return json.loads(subprocess.run([gcspy, "dump", address, "--format", "json", *options], check=True,
                                     stdout=subprocess.PIPE, timeout=LIMIT).stdout)


def agree(documents, walk, who):
    end = time.monotonic() + LIMIT
    for document in documents:
        why = difference(document, walk)
        if not why:
            return document
        assert time.monotonic() < end, f"{who}: {why}"
    raise AssertionError(f"{who}: no more documents; {why}")


def zoom(address, walk, block):
    segment = [w for w in walk if w[0] == "segment"][0]
    start = segment[1] // BLOCK * BLOCK + BLOCK
    document = dump(address, "--zoom", f"{start:#x}-{start + BLOCK:#x}", "--block", str(block))
    wanted = heap(walk, start, start + BLOCK, block)
    for stream in document["spaces"][0]["streams"]:
        if stream["name"] in wanted:
            assert stream["values"] == wanted[stream["name"]], f"zoom: {stream['name']}: {stream['values']}, {wanted[stream['name']]}"


def run(rounds, *options):
    program = Program(*options)
    staying = subprocess.Popen([gcspy, "dump", program.address, "--format", "json", "--events", "1000000"],
                               stdout=subprocess.PIPE, text=True)
    documents = (json.loads(line) for line in staying.stdout)
    seen = set()
    for i in range(rounds):
        program.change()
        document = agree(documents, program.walk, f"{options}, round {i}, a client that stays")
        seen |= {s["name"] for s in document["spaces"] if s["tiles"]}
        agree((dump(program.address) for _ in range(1000)), program.walk, f"{options}, round {i}, a new client")
        zoom(program.address, program.walk, 16 if i % 2 == 0 else 512)
    staying.kill()
    staying.wait()
    program.end()
    print(f"{options}: {rounds} rounds, {len(seen)} spaces had tiles")
    return seen


eager = run(12, "3000")
assert len(eager) > 25 and "Mspaces" in eager, sorted(eager)
run(6, "20")
assert "Parked" in run(6, "3000", "50")
