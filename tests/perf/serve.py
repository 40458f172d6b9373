#!/usr/bin/env python3
"""What `gcspy serve` itself takes (E3): processor time for each JVM at a scrape each 15 seconds, and memory, as the
kernel counts them. The JVMs are recordings that `gcspy replay` loops; one replay is as many targets as it may
have clients, under different names.

    tests/perf/serve.py FILE --targets 50 --seconds 300

FILE is a recording of a service: `gcspy record PID -o FILE`. A soak is the same for an hour:
`--targets 500 --seconds 3600`. Fails when a budget is exceeded, or memory grows.
"""

import argparse
import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENTS = 16          # of a replay
SCRAPE = 15           # seconds
CORE = 0.002          # of a core for each JVM
MEMORY = 15_000_000   # bytes for 50 JVMs
GROWTH = 0.05         # from the end of the first quarter on
TICK = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """Seconds of the process and of its children that have ended."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return sum(int(word) for word in file.read().rsplit(")", 1)[1].split()[11:15]) / TICK


def memory(pid):
    """Bytes that are its own: resident without files, shared pages in part."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        found = dict(re.findall(r"(\w+): +(\d+) kB", file.read()))
    return int(found["Pss"]) * 1024


class Fleet:
    def __init__(self, program, folder, recording, count):
        self.replays = []
        for i in range((count + CLIENTS - 1) // CLIENTS):
            path = os.path.join(folder, f"replay-{i}")
            # Not all of them collect at the same moment.
            self.replays.append(subprocess.Popen(
                [program, "replay", recording, "--socket", path, "--loop", "--speed",
                 f"{0.97 + 0.06 * i / CLIENTS:.3f}"], stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL))
            while not os.path.exists(path):
                time.sleep(0.01)
            for client in range(min(CLIENTS, count - i * CLIENTS)):
                os.symlink(path, os.path.join(folder, f"jvm-{i}-{client}.sock"))

    def close(self):
        for replay in self.replays:
            replay.kill()
            replay.wait()


class Serve:
    def __init__(self, program, folder, words):
        self.process = subprocess.Popen(
            [program, "serve", "--match", "^jvm-", "--sockets", f"{folder}/*.sock", "--listen",
             "127.0.0.1:0", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.port = int(re.fullmatch(r"Serving .*:(\d+)/\n", self.process.stdout.readline())[1])
        self.pid = self.process.pid

    def scrape(self):
        """Bytes of the answer, and how many targets are live in it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/metrics", headers={"Accept": "application/openmetrics-text"})
        text = connection.getresponse().read().decode()
        connection.close()
        missed = sum(map(int, re.findall(r"(?m)^gcspy_events_missed_total\{.*\} (\d+)$", text)))
        return len(text), len(re.findall(r"(?m)^gcspy_target_up\{.*\} 1$", text)), missed

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.process.stdout.close()


def newest():
    """The newest of the golden recordings."""
    folder = os.path.join(HERE, "..", "golden", "traces")
    return os.path.join(folder, max(n for n in os.listdir(folder) if n.endswith(".gcspy")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("recording", nargs="?")
    parser.add_argument("--build", default="build")
    parser.add_argument("--smoke", action="store_true", help="only whether it works")
    parser.add_argument("--targets", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--no-classes", action="store_true", help="without profiles")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if options.smoke:
        options.recording = newest()
        options.targets, options.seconds = 20, 1
    if options.recording is None:
        parser.error("a recording is needed")
    with tempfile.TemporaryDirectory(prefix="gcspy-serve-") as folder:
        program = os.path.join(options.build, "bin", "gcspy")
        fleet = Fleet(program, folder, options.recording, options.targets)
        serve = Serve(program, folder, ["--top-classes", "0"] if options.no_classes else [])
        try:
            return measure(serve, options)
        finally:
            serve.stop()
            fleet.close()


def measure(serve, options):
    deadline = time.monotonic() + 120
    while serve.scrape()[1] < options.targets:
        if time.monotonic() > deadline:
            print(f"only {serve.scrape()[1]} of {options.targets} targets are live")
            return 1
        time.sleep(1)
    every = 1 if options.smoke else SCRAPE
    time.sleep(every)  # their first profiles
    began, used, samples = time.monotonic(), cpu(serve.pid), []
    while time.monotonic() < began + options.seconds:
        time.sleep(every)
        size, live, missed = serve.scrape()
        samples.append(memory(serve.pid))
        if os.isatty(sys.stdout.fileno()):
            print(f"{time.monotonic() - began:6.0f} s {samples[-1] / 1e6:7.1f} MB", end="\r")
    share = (cpu(serve.pid) - used) / (time.monotonic() - began) / options.targets
    first = samples[len(samples) // 4]
    growth = samples[-1] / first - 1
    limit = MEMORY * max(1, options.targets / 50)
    print(f"{options.targets} targets, {live} live, {time.monotonic() - began:.0f} s, a scrape of "
          f"{size / 1024:.0f} KiB each {every} s, {missed} events missed")
    print(f"processor: {100 * share:.4f} % of a core for each (budget {100 * CORE} %)")
    print(f"memory: {samples[-1] / 1e6:.1f} MB, at most {max(samples) / 1e6:.1f} (budget "
          f"{limit / 1e6:.0f}); {100 * growth:+.1f} % since the first quarter")
    if options.smoke:
        return 0 if live == options.targets else 1
    return 0 if share <= CORE and max(samples) <= limit and growth <= GROWTH and live == \
        options.targets else 1


if __name__ == "__main__":
    sys.exit(main())
