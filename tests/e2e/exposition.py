"""Reads Prometheus' protobuf format by protoc, which knows nothing of the product."""

import os
import subprocess

from otlp import one, parse

ACCEPT = ("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
          "encoding=delimited")
SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "exposition.proto")
TYPES = {0: "counter", 1: "gauge", 4: "histogram"}


def undelimit(body):
    """The stream as one message with a repeated field 1: a key before each length."""
    message, at = b"", 0
    while at < len(body):
        end, length = at, 0
        while True:
            length |= (body[end] & 0x7f) << 7 * (end - at)
            end += 1
            if body[end - 1] < 0x80:
                break
        assert end + length <= len(body), "cut off"
        message += b"\x0a" + body[at:end + length]
        at = end + length
    return message


def decode(body):
    """{name: (type, unit, {sorted labels: message of the type})}."""
    done = subprocess.run(["protoc", "--decode=exposition.Page",
                           f"--proto_path={os.path.dirname(SCHEMA)}", SCHEMA],
                          input=undelimit(body), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    found = {}
    for family in parse(done.stdout.decode())["family"]:
        kind, name, series = TYPES[one(family, "type")], one(family, "name"), {}
        assert name not in found and one(family, "help"), name
        for metric in family["metric"]:
            labels = tuple(sorted((one(label, "name"), one(label, "value", ""))
                                  for label in metric.get("label", [])))
            assert labels not in series and set(metric) <= {"label", kind}, (name, metric)
            series[labels] = one(metric, kind)
        found[name] = (kind, one(family, "unit", None), series)
    return found


def native(histogram):
    """{number: count} of a native histogram's buckets."""
    at, count, found = 0, 0, {}
    deltas = iter(histogram.get("positive_delta", []))
    for span in histogram.get("positive_span", []):
        at += one(span, "offset", 0)
        for _ in range(one(span, "length")):
            count += next(deltas)
            found[at] = count
            at += 1
    assert next(deltas, None) is None
    return found
