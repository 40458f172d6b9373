"""What the tests of `gcspy serve` share: it as a process, JVMs that no other test has, and a strict reader of
OpenMetrics that knows nothing of the product.
"""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import zipfile

from jvm import JAR, PROGRAM, TIMEOUT, Jvm

SERVE = os.path.join(os.path.dirname(PROGRAM), "gcspy-serve") if PROGRAM else ""
QUIET = ("-XX:+IgnoreUnrecognizedVMOptions", "-XX:+EnableDynamicAgentLoading")


class Own:
    """A folder with an archive of the test programs, so that --match finds only the JVMs of this test."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="gcspy-serve-")
        self.match = f"^{re.escape(self.folder)}/"

    def jar(self, name, main="Layout"):
        path = os.path.join(self.folder, name + ".jar")
        with zipfile.ZipFile(JAR) as old, zipfile.ZipFile(path, "w") as new:
            new.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\nMain-Class: {main}\n")
            for entry in old.namelist():
                if not entry.startswith("META-INF/"):
                    new.writestr(entry, old.read(entry))
        return path

    def token(self, text):
        """A file with this token."""
        path = os.path.join(self.folder, "token")
        with open(path, "w", encoding="utf-8") as file:
            os.chmod(path, 0o600)
            file.write(text + "\n")
        return path

    def certificate(self):
        """One for 127.0.0.1 that nobody has signed, and its key."""
        cert, key = (os.path.join(self.folder, name) for name in ("cert.pem", "key.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
                        "-out", cert], check=True, capture_output=True)
        return cert, key

    def start(self, jdk, row, name, log="gc"):
        """Layout in a JVM without the agent."""
        return Jvm(jdk, f"-jar {self.jar(name)}", (*row.flags, *QUIET), options=None, log=log)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


@unittest.skipUnless(PROGRAM and os.path.exists(SERVE), "gcspy-serve is not built")
class Case(unittest.TestCase):
    pass


class Serving:
    """`gcspy serve`, or `gcspy push` that also serves, in the background."""

    def __init__(self, *words, before=(), command="serve"):
        self.errors = tempfile.TemporaryFile("w+")  # pylint: disable=consider-using-with
        self.process = subprocess.Popen([*before, PROGRAM, command, "--listen", "127.0.0.1:0",
                                         "--min-age", "0", *words],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"Serving (https?)://([\d.]+):(\d+)/\n", line)
        if found is None:
            self.process.wait(TIMEOUT)
            raise AssertionError(f"it does not serve: {line!r} {self.said()}")
        self.scheme, self.host, self.port = found[1], found[2], int(found[3])

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def request(self, path, method="GET", body=None, connection=None, **headers):
        """Status, headers, body."""
        c = connection or http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT)
        c.request(method, path, body, {key.replace("_", "-"): v for key, v in headers.items()})
        answer = c.getresponse()
        data = answer.read()
        c.close()
        return answer.status, answer.headers, data

    def get(self, path, **headers):
        status, _, body = self.request(path, **headers)
        assert status == 200, (status, body)
        return body

    def metrics(self):
        return parse(self.get("/metrics", Accept="application/openmetrics-text").decode())

    def targets(self):
        document = json.loads(self.get("/targets"))
        assert document["format"] == 1
        return {target["pid"]: target for target in document["targets"]}

    def until(self, done, what):
        deadline = time.monotonic() + TIMEOUT
        while not (result := done()):
            if self.process.poll() is not None:
                raise AssertionError(f"{what}: ended with {self.process.returncode}: {self.said()}")
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what}: {self.targets()} {self.said()}")
            time.sleep(0.05)
        return result

    def until_live(self, pids):
        """Waits until it follows exactly these; returns them."""
        def live():
            found = self.targets()
            return found if set(found) == set(pids) and \
                all(t["state"] == "live" and t["events"] for t in found.values()) else None
        return self.until(live, f"not all of {pids} are live")

    def stop(self):
        """Ends it as a service manager does; its exit code and what it said."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(TIMEOUT)
        self.process.stdout.close()
        said = self.said()
        self.errors.close()
        return code, said

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if not self.process.stdout.closed:
            self.process.stdout.close()
            self.errors.close()


# OpenMetrics 1.0, as strictly as its text says for the types that are used.

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*?)\}})? (\S+)( # \{{.*\}} \S+ \S+)?")
EXEMPLAR = re.compile(r" # \{(.*)\} (\S+) (\S+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(,|$)')
SUFFIXES = {"gauge": ("",), "counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}


def labels_of(text):
    found, at = {}, 0
    while at < len(text):
        match = LABEL.match(text, at)
        assert match is not None, f"labels {text!r}"
        assert match[1] not in found, f"label {match[1]} twice"
        found[match[1]] = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], match[2])
        at = match.end()
    assert not text.endswith(","), text
    return found


def check_histogram(name, samples):
    groups = {}
    for suffix, labels, value in samples:
        key = tuple(sorted((k, v) for k, v in labels.items() if k != "le"))
        groups.setdefault(key, {}).setdefault(suffix, []).append((labels.get("le"), value))
    for group in groups.values():
        buckets = group["_bucket"]
        limits = [float(limit) for limit, _ in buckets]
        assert limits == sorted(set(limits)) and buckets[-1][0] == "+Inf", (name, buckets)
        assert all(re.fullmatch(r"\+Inf|\d+\.\d+", limit) for limit, _ in buckets), buckets
        counts = [value for _, value in buckets]
        assert counts == sorted(counts), (name, counts)
        assert len(group["_count"]) == len(group["_sum"]) == 1
        assert group["_count"][0][1] == counts[-1], (name, group)


def parse(text):
    """{family: {"type", "unit", "help", "samples": [(suffix, labels, value)]}}."""
    assert text.endswith("\n# EOF\n") and text.count("# EOF") == 1
    families, current, seen = {}, None, set()
    for line in text.split("\n")[:-2]:
        if line.startswith("# "):
            _, word, name, rest = line.split(" ", 3)
            assert word in ("TYPE", "UNIT", "HELP"), line
            if current != name:
                assert name not in families, f"{name} is not in one piece"
                families[name] = {"samples": []}
                current = name
            family = families[name]
            assert not family["samples"], f"{line}: behind samples"
            assert word.lower() not in family, f"{line}: twice"
            family[word.lower()] = rest
            continue
        match = SAMPLE.fullmatch(line)
        assert match is not None, line
        family = families[current]
        suffix = match[1][len(current):]
        assert match[1].startswith(current) and suffix in SUFFIXES[family["type"]], line
        labels = labels_of(match[2] or "")
        if match[4]:
            assert suffix in ("_bucket", "_total"), line
            exemplar = EXEMPLAR.fullmatch(match[4])
            about = labels_of(exemplar[1])
            assert sum(len(k) + len(v) for k, v in about.items()) <= 128, line
            assert suffix != "_bucket" or float(exemplar[2]) <= float(labels["le"]), line
            assert float(exemplar[3]) > 0, line
        key = (match[1], tuple(sorted(labels.items())))
        assert key not in seen, f"{line}: twice"
        seen.add(key)
        value = float(match[3])
        assert value == value and (family["type"] == "gauge" or value >= 0), line
        family["samples"].append((suffix, labels, value))
    for name, family in families.items():
        assert {"type", "help"} <= set(family), name
        assert "unit" not in family or name.endswith("_" + family["unit"]), name
        if family["type"] == "histogram":
            check_histogram(name, family["samples"])
    return families


def values(families, name, pid, suffix=None):
    """[(labels, value)] of one JVM."""
    return [(labels, value) for found, labels, value in families[name]["samples"]
            if labels.get("pid") == str(pid) and (suffix is None or suffix == found)]


def value(families, name, pid):
    """The only one, or None."""
    found = values(families, name, pid)
    assert len(found) <= 1, found
    return found[0][1] if found else None
