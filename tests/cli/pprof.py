"""Reads pprof's profile.proto (github.com/google/pprof, proto/profile.proto) without any library:
a message is a row of fields, each a key (number * 8 + wire type) and a varint, or a length and bytes.
"""

import gzip


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at += 1
        shift += 7
        if byte < 0x80:
            return value, at
        if shift >= 70:
            raise ValueError("a varint of more than ten bytes")


def fields(data):
    """(number, value) of each field: an int, or the bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            if at + value > len(data):
                raise ValueError("a field ends after its message")
            value, at = data[at:at + value], at + value
        elif key & 7 != 0:
            raise ValueError("wire type %d" % (key & 7))
        yield key >> 3, value


def one(data):
    """The fields of a message in which no field is repeated."""
    found = {}
    for number, value in fields(data):
        if number in found:
            raise ValueError("field %d twice" % number)
        found[number] = value
    return found


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


class Profile:
    """types: [(type, unit)]; samples: [(frames youngest first, values, labels)], a frame being
    (name, file, line); default_type, period, time, duration."""

    def __init__(self, compressed):
        everything = {}
        for number, value in fields(gzip.decompress(compressed)):
            everything.setdefault(number, []).append(value)
        self.strings = [text.decode("utf-8") for text in everything[6]]
        if self.strings[0] != "":
            raise ValueError("string 0 is not empty")
        self.types = [self.value_type(v) for v in everything[1]]
        functions = {f[1]: f for f in map(one, everything.get(5, []))}
        self.mappings = {m[1]: m for m in map(one, everything[3])}
        self.locations = {}
        for location in map(one, everything.get(4, [])):
            if location[2] not in self.mappings:
                raise ValueError("a location without mapping")
            line = one(location[4])
            function = functions[line[1]]
            self.locations[location[1]] = (self.strings[function[2]], self.strings[function[4]],
                                           line[2])
        if 0 in functions or 0 in self.locations or 0 in self.mappings:
            raise ValueError("ids begin with 1")
        self.samples = [self.sample(s) for s in everything.get(2, [])]
        self.time = everything[9][0]
        self.duration = everything.get(10, [0])[0]
        self.period_type = self.value_type(everything[11][0])
        self.period = everything[12][0]
        self.default_type = self.strings[everything[14][0]]

    def value_type(self, data):
        found = one(data)
        return self.strings[found[1]], self.strings[found[2]]

    def sample(self, data):
        frames, values, labels = [], [], {}
        for number, value in fields(data):
            if number == 1:
                frames = [self.locations[i] for i in packed(value)]
            elif number == 2:
                values = packed(value)
            else:
                label = one(value)
                labels[self.strings[label[1]]] = self.strings[label[2]]
        if len(values) != len(self.types):
            raise ValueError("%d values for %d types" % (len(values), len(self.types)))
        return frames, values, labels
