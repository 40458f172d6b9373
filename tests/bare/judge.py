#!/usr/bin/env python3
"""Judges what a demo in a bare system has left.

judge.py LOG PICTURE...: the log has the summary of `gcspy info` and `gcspy dump`; each picture is a
PNG of a window of 1280x800 that shows tiles.
"""

import collections
import re
import struct
import sys
import zlib

MAX_STEPS = 400
SIZE = (1280, 800)


def check(condition, complaint):
    if not condition:
        sys.exit(complaint)


def chunks(data):
    check(data[:8] == b"\x89PNG\r\n\x1a\n", "the picture is no PNG")
    at = 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        (crc,) = struct.unpack(">I", data[at + 8 + size : at + 12 + size])
        check(crc == zlib.crc32(kind + body), "the picture is damaged")
        yield kind, body
        at += 12 + size


def pixels(path):
    """Counts of the colours of a picture in RGB or with a palette, 8 bits, rows unfiltered or 'up'."""
    with open(path, "rb") as file:
        parts = collections.defaultdict(bytes)
        for kind, body in chunks(file.read()):
            parts[kind] += body
    width, height, depth, colour = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    check((width, height) == SIZE, f"{path} has {width}x{height} pixels")
    check(depth == 8 and colour in (2, 3), f"{path} has an unexpected format")
    bytes_per_pixel = 3 if colour == 2 else 1
    raw = zlib.decompress(parts[b"IDAT"])
    stride = width * bytes_per_pixel
    above = bytes(stride)
    count = collections.Counter()
    for y in range(height):
        row = raw[y * (stride + 1) : (y + 1) * (stride + 1)]
        check(row[0] in (0, 2), f"{path} has an unexpected filter")
        line = row[1:]
        if row[0] == 2:
            line = bytes((a + b) & 255 for a, b in zip(line, above))
        above = line
        if colour == 3:
            count.update(line)
        else:
            count.update(zip(line[0::3], line[1::3], line[2::3]))
    if colour == 2:
        return count
    palette = parts[b"PLTE"]
    return collections.Counter({tuple(palette[3 * i : 3 * i + 3]): n for i, n in count.items()})


def judge_picture(path):
    count = pixels(path)
    check(len(count) > 30, f"{path} has {len(count)} colours")
    # Tiles are the only large areas of strong colour in the window; text and lines are thin.
    strong = {c: n for c, n in count.items() if max(c) - min(c) > 100}
    share = sum(strong.values()) / (SIZE[0] * SIZE[1])
    check(share > 0.005, f"{path} shows no tiles: {share:.2%} of it is coloured")
    print(f"{path}: {len(count)} colours, {share:.1%} of it in strong ones")


def find(pattern, text):
    match = re.search(pattern, text, re.M)
    check(match, f"the summary has no {pattern!r}")
    return match.groups()


def judge_summary(text, pictures):
    check(find(r"^  Program +(\w+)$", text) == ("GCOld",), "the program is not GCOld")
    find(r"^  Collector +(G1)$", text)
    find(r"^  Heap limit +(192) MiB$", text)
    (collections_seen,) = find(r"^  Counters +GC start (\d+)", text)
    check(int(collections_seen) >= 6, f"only {collections_seen} collections")
    (types,) = find(r"^G1 regions: 192 tiles(?:.|\n)*?^  Type +(.+)$", text)
    regions = sum(int(n) for n in re.findall(r" (\d+)(?:,|$)", types))
    check(regions == 192, f"{regions} regions of 192: {types}")
    used, committed, percent = map(float, find(r"^  Used +([\d.]+) MiB of ([\d.]+) MiB \((\d+) %\)", text))
    check(0 < used <= committed <= 192, f"used {used}, committed {committed} MiB of 192")
    check(abs(100 * used / committed - percent) <= 1, f"{used} of {committed} MiB is not {percent} %")
    (steps,) = find(r"^build steps: (\d+)$", text)
    check(0 < int(steps) <= MAX_STEPS, f"{steps} build steps instead of {MAX_STEPS} at most")
    ways = re.findall(r"^the installed product works: (\w+)$", text, re.M)
    check(ways == ["prefix", "packages"][: pictures - 1], f"it works installed by {ways} only")
    print(f"{steps} build steps, {used:g} of {committed:g} MiB used, {collections_seen} collections")


def main():
    log, *pictures = sys.argv[1:]
    with open(log, encoding="utf-8", errors="replace") as file:
        judge_summary(file.read(), len(pictures))
    for path in pictures:
        judge_picture(path)


if __name__ == "__main__":
    main()
