"""Reads a request of OTLP with metrics by protoc, which knows nothing of the product."""

import os
import re
import subprocess

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "otlp.proto")
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


def decode(body):
    """[(resource's attributes, {name: metric})]; a metric is (unit, type, temporality, monotonic, points),
    a point (attributes, the message)."""
    done = subprocess.run(["protoc", "--decode=otlp.Request", f"--proto_path={os.path.dirname(SCHEMA)}",
                           SCHEMA], input=body, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    found = []
    for resource in parse(done.stdout.decode())["resource_metrics"]:
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
