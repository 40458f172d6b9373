"""What the measurements share: the build, JVMs and their processor time, an attached client, and
statistics for interleaved runs.

Nothing here knows where workloads are or how the agent works inside.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

TIMEOUT = 60.0  # seconds; only a broken product needs them


# Statistics.


def quantile(values, share):
    """The quantile by linear interpolation; `share` from 0 to 1."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def median(values):
    return quantile(values, 0.5)


def bootstrap(values, statistic=median, times=4000, seed=1):
    """The 95 % interval of a statistic, by drawing the values again with replacement. The seed is
    fixed: the same values give the same interval."""
    draw = random.Random(seed)
    results = sorted(statistic(draw.choices(values, k=len(values))) for _ in range(times))
    return quantile(results, 0.025), quantile(results, 0.975)


def rotated(names, turn):
    """The order of a round: rotated from round to round, and every other time reversed, so that
    no configuration has a place of its own."""
    turn, reverse = divmod(turn, 2)
    order = names[turn % len(names):] + names[:turn % len(names)]
    return order[::-1] if reverse else order


def verdict(value, low, high, target):
    """What a figure with its interval says of a target that is an upper limit."""
    if high <= target:
        return "met"
    if low > target:
        return "missed"
    if value <= target:
        return "met, the interval reaches beyond"
    return "missed, the interval reaches below"


# The build and the JVM.


def parser(text):
    """The options that all measurements have."""
    p = argparse.ArgumentParser(description=text)
    here = os.path.dirname(os.path.abspath(__file__))
    p.add_argument("--build", metavar="DIR", default=os.path.join(here, "..", "..", "build"),
                   help="build directory (default: build of the repository)")
    p.add_argument("--java", metavar="PATH", default=default_java(),
                   help="the JVM (default: %(default)s)")
    p.add_argument("--jvm", metavar="OPTIONS", default="", help="more options for every JVM")
    p.add_argument("--rounds", type=int, default=0, metavar="N", help="interleaved rounds")
    p.add_argument("--json", metavar="FILE", help="also write every single figure there")
    p.add_argument("--smoke", action="store_true", help="only see whether it works")
    return p


def default_java():
    home = os.environ.get("JAVA_HOME")
    path = os.path.join(home, "bin", "java") if home else shutil.which("java")
    return os.path.realpath(path) if path else "java"


class Build:
    """What is measured."""

    def __init__(self, options):
        folder = os.path.abspath(options.build)
        self.agent = os.path.join(folder, "lib", "libgcspyagent.so")
        self.jar = os.path.join(folder, "java-test-apps.jar")
        self.follow = os.path.join(folder, "bin", "perf-follow")
        self.java = options.java
        self.jvm = options.jvm.split()
        for path in (self.agent, self.jar, self.follow):
            if not os.path.exists(path):
                sys.exit(f"{path} is missing: build first, or give --build")

    def release(self):
        told = subprocess.run([self.java, "-version"], capture_output=True, text=True, check=True)
        return re.search(r'version "([^"]+)"', told.stderr)[1]


def machine(build):
    """Says where the figures come from, and nothing that names the host."""
    model = "unknown"
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
    where = {"cores": os.cpu_count(), "processor": model, "jdk": build.release(),
             "load": os.getloadavg()[0]}
    say(f"JDK {where['jdk']}, {where['cores']} cores ({where['processor']}), "
        f"load {where['load']:.1f}")
    return where


def environment():
    """Without the variables that would give a JVM other options."""
    hidden = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS")
    return {key: value for key, value in os.environ.items() if key not in hidden}


class Run:
    """One process: its end, output, and the processor time of it and of all its threads."""

    def __init__(self, command, folder, extra=None, stdin=subprocess.DEVNULL):
        self.folder = folder
        self.begin = time.monotonic()
        with open(self.path("out"), "wb") as out, open(self.path("err"), "wb") as err:
            self.process = subprocess.Popen(command, stdin=stdin, stdout=out, stderr=err,
                                            cwd=folder, env=dict(environment(), **(extra or {})),
                                            start_new_session=True)
        self.pid = self.process.pid
        self.cpu = self.wall = 0.0
        self.peak = 0  # resident, KiB

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def alive(self):
        return self.process.returncode is None and not self.reap(os.WNOHANG)

    def reap(self, how):
        pid, status, usage = os.wait4(self.pid, how)
        if pid == 0:
            return False
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.wall = time.monotonic() - self.begin
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss
        return True

    def end(self):
        if self.process.returncode is None:
            self.reap(0)
        return self.process.returncode

    def kill(self):
        """Ends it with all that it has started, unless it has ended."""
        if self.process.returncode is None:
            os.killpg(self.pid, signal.SIGKILL)
            self.reap(0)


class Follower:
    """A client that takes every event of the server on a Unix socket; tests/perf/perf_follow.c."""

    def __init__(self, build, folder, socket, *arguments):
        self.output = os.path.join(folder, "follow")
        with open(self.output, "wb") as out:
            self.process = subprocess.Popen([build.follow, "unix:" + socket, *arguments],
                                            stdout=out)
        self.process_id = self.tiles = self.snapshots = self.missed = self.bytes = 0
        self.events = []
        self.ended = ""

    def read(self):
        """What it has written so far."""
        self.events = []
        with open(self.output, encoding="utf-8") as lines:
            for line in lines:
                word = line.split()
                if not line.endswith("\n"):
                    break
                if word[0] == "server":
                    self.process_id, self.tiles = int(word[1]), int(word[2])
                elif word[0] == "event":
                    name = line.split(maxsplit=5)[5].strip()
                    self.events.append((name, *map(int, word[1:5])))
                else:
                    self.snapshots, self.missed, self.bytes = map(int, word[1:4])
                    self.ended = line.split(maxsplit=4)[4].strip()
        return self

    def end(self):
        """Waits for its end, which is the server's."""
        code = self.process.wait(TIMEOUT)
        self.read()
        if code != 0:
            raise RuntimeError(f"the client failed: {self.ended}")
        return self

    def leave(self):
        """Ends it while the server goes on."""
        self.process.terminate()
        self.process.wait()

    def costs(self):
        """The cost of each event in nanoseconds, by name: what the server's account of its own time
        in the program grew by until the next event. Events after a gap are left out."""
        found = {}
        real = [event for event in self.events if event[0] != "look"]
        looks = {sequence for name, sequence, *_ in self.events if name == "look"}
        for (name, sequence, _, cost, missed), after in zip(real, real[1:]):
            between = sum(1 for s in range(sequence + 1, after[1]) if s not in looks)
            if between == 0 and missed == after[4]:
                found.setdefault(name, []).append(after[3] - cost)
        return found


def listens(path):
    """Whether somebody takes connections there; the name is there a moment earlier."""
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(path)
            return True
    except OSError:
        return False


def attach(build, run, folder, *arguments):
    """A client, as soon as the agent of the run listens."""
    path = os.path.join(folder, "socket")
    deadline = time.monotonic() + TIMEOUT
    while not listens(path):
        if time.monotonic() > deadline or not run.alive():
            raise RuntimeError(f"the agent does not listen: {run.read('err')[-500:]}")
        time.sleep(0.01)
    return Follower(build, folder, path, *arguments)


def agent_option(build, folder):
    return f"-agentpath:{build.agent}=socket={os.path.join(folder, 'socket')},strict"


def threads_cpu(pid, prefix):
    """Processor time so far, in seconds, of a process's threads whose name begins so, by name. A
    thread that has just ended is left out."""
    found = {}
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except FileNotFoundError:
        return found
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/comm", encoding="utf-8") as comm:
                name = comm.read().strip()
            with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="utf-8") as stat:
                spent = int(stat.read().split()[0]) / 1e9
        except (FileNotFoundError, ProcessLookupError):
            continue
        if name.startswith(prefix):
            found[name] = found.get(name, 0) + spent
    return found


def scratch():
    """A folder that is removed at the end of a `with`."""
    return tempfile.TemporaryDirectory(prefix="gcspy-perf-")


def run(name, main):
    """Runs a measurement as a program; what it started ends with it, also on SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        sys.exit(f"{name}: {error}")


def save(options, result):
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


def say(text):
    print(text, flush=True)
