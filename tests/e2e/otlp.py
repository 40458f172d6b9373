"""Reads requests of OTLP with metrics, and with profiles, by protoc, which knows nothing of the product."""

import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN = re.compile(r'\s*(?:(\w+)(:| \{)|(\}))')


def parse(text):
    """protoc's text of a message: {field: [value, …]}, a value being a dict, a string or a number."""
    stack, at = [{}], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        assert match is not None, text[at:at + 80]
        at = match.end()
        if match[3]:
            stack.pop()
        elif match[2] == ":":
            end = text.index("\n", at)
            raw, at = text[at:end].strip(), end
            if raw[0] == '"':
                value = raw[1:-1].encode().decode("unicode_escape").encode("latin-1").decode()
            else:
                value = raw == "true" if raw in ("true", "false") else float(raw) if \
                    re.search(r"[.einf]", raw) else int(raw)
            stack[-1].setdefault(match[1], []).append(value)
        else:
            assert not match[1].isdigit(), f"field {match[1]} is unknown"
            inner = {}
            stack[-1].setdefault(match[1], []).append(inner)
            stack.append(inner)
    assert len(stack) == 1
    return stack[0]


def one(message, field, default=None):
    found = message.get(field, [default])
    assert len(found) == 1, (field, found)
    return found[0]


def attributes(message):
    return {one(a, "key"): next(iter(one(a, "value").values()))[0]
            for a in message.get("attributes", [])}


def message_of(body, name, schema):
    done = subprocess.run(["protoc", f"--decode={name}", f"--proto_path={HERE}", schema], input=body,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return parse(done.stdout.decode())


def decode(body):
    """[(resource's attributes, {name: metric})]; a metric is (unit, type, temporality, monotonic, points),
    a point (attributes, the message)."""
    found = []
    for resource in message_of(body, "otlp.Request", "otlp.proto")["resource_metrics"]:
        metrics = {}
        for metric in one(resource, "scope_metrics")["metrics"]:
            kind = next(k for k in ("gauge", "sum", "histogram") if k in metric)
            data, name = one(metric, kind), one(metric, "name")
            assert name not in metrics and one(metric, "description"), name
            metrics[name] = (one(metric, "unit"), kind, one(data, "aggregation_temporality", 0),
                             one(data, "is_monotonic", False),
                             [(attributes(point), point) for point in data["data_points"]])
        found.append((attributes(one(resource, "resource")), metrics))
    return found


class Profiles:
    """`resource`: its attributes. `profiles`: {type: (unit, time, duration, period, samples)}; a sample is
    (frames youngest first, value, attributes), a frame (name, file, line, type)."""

    def __init__(self, body):
        message = message_of(body, "otlp.Profiles", "otlp_profiles.proto")
        self.tables = {name: rows for name, rows in one(message, "dictionary").items()}
        for name, rows in self.tables.items():
            assert rows[0] in ({}, ""), f"the first entry of {name} is not empty"
            kept = [str(row) for row in rows[1:]]
            assert len(kept) == len(set(kept)), f"equal entries of {name}"
        assert set(self.tables) == {f"{name}_table" for name in (
            "mapping", "location", "function", "link", "string", "attribute", "stack")}
        resource = one(message, "resource_profiles")
        scope = one(resource, "scope_profiles")
        assert one(one(scope, "scope"), "name") == "gcspy"
        self.resource = attributes(one(resource, "resource"))
        self.profiles = {}
        for profile in scope["profiles"]:
            kind, unit = self.type(one(profile, "sample_type"))
            assert kind not in self.profiles
            assert self.type(one(profile, "period_type")) == ("space", "bytes")
            self.profiles[kind] = (unit, one(profile, "time_unix_nano"), one(profile, "duration_nano", 0),
                                   one(profile, "period"),
                                   [self.sample(s) for s in profile.get("samples", [])])

    def row(self, table, index):
        rows = self.tables[f"{table}_table"]
        assert 0 < index < len(rows), (table, index)
        return rows[index]

    def text(self, index):
        return self.tables["string_table"][index]

    def type(self, message):
        return self.text(one(message, "type_strindex")), self.text(one(message, "unit_strindex"))

    def attributes(self, message):
        rows = [self.row("attribute", i) for i in message.get("attribute_indices", [])]
        return {self.text(one(r, "key_strindex")): one(one(r, "value"), "string_value") for r in rows}

    def frame(self, index):
        location = self.row("location", index)
        line = one(location, "lines")
        function = self.row("function", one(line, "function_index"))
        return (self.text(one(function, "name_strindex")), self.text(one(function, "filename_strindex", 0)),
                one(line, "line", 0), self.attributes(location).get("profile.frame.type"))

    def sample(self, message):
        stack = self.row("stack", one(message, "stack_index"))
        return ([self.frame(i) for i in stack["location_indices"]], one(message, "values"),
                self.attributes(message))
