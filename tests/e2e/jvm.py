"""JVMs under test: which there are, starting one with the agent, talking to it, ending it.

The environment names what is tested; CTest sets it:

    GCSPY_AGENT      libgcspyagent.so
    GCSPY_APPS_JAR   java-test-apps.jar
    GCSPY            the command line program (optional; what needs it is skipped without)
    GCSPY_JDKS       "11 21": only the JDKs of these numbers (optional)
    GCSPY_JDK_HOMES  "/a /b": these JDKs instead of those of this machine (optional)
    GCSPY_E2E_TIMEOUT  seconds that nothing takes longer than: more than 120 for JVMs that are emulated
    GCSPY_ABORT      a library that makes HotSpot write its report when the JVM aborts (optional)

Nothing here knows how the agent works: truth comes from the JVM's own log, beans and tools.
"""

import contextlib
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))

import gcspy_wire as wire  # noqa: E402

AGENT = os.path.abspath(os.environ["GCSPY_AGENT"])
JAR = os.path.abspath(os.environ["GCSPY_APPS_JAR"])
PROGRAM = os.environ.get("GCSPY", "")
# Seconds; only a broken product, or a very busy machine, needs them.
TIMEOUT = float(os.environ.get("GCSPY_E2E_TIMEOUT", "120"))

MIB = 1 << 20
USED, UNUSED, SEPARATOR, LINK = 1, 4, 8, 16  # bits of a control stream


def skipped(what, why):
    """Everything that is left out says so, in one form that can be searched for."""
    print(f"skipped: {what}, {why}", flush=True)


# The JDKs of this machine.


class Jdk:
    def __init__(self, home, version):
        self.home, self.version = home, version
        self.major = int(version.split(".")[0])
        self.java = os.path.join(home, "bin", "java")

    def __repr__(self):
        return f"jdk{self.major}"

    def tool(self, name):
        path = os.path.join(self.home, "bin", name)
        return path if os.path.exists(path) else None

    def takes(self, *flags):
        """Whether this JVM starts with these flags at all."""
        done = subprocess.run([self.java, *flags, "-version"], capture_output=True, check=False,
                              timeout=TIMEOUT)
        return done.returncode == 0


def version_of(home):
    try:
        with open(os.path.join(home, "release"), encoding="utf-8") as release:
            found = re.search(r'^JAVA_VERSION="([^"]+)"', release.read(), re.M)
            if found:
                return found[1]
    except OSError:
        pass
    done = subprocess.run([os.path.join(home, "bin", "java"), "-version"], capture_output=True,
                          text=True, check=False, timeout=TIMEOUT)
    found = re.search(r'version "([^"]+)"', done.stderr)
    return found[1] if found else "0"


def find_jdks():
    """Every JDK of 11 or later under /usr/lib/jvm and in JAVA_HOME, each once, oldest first."""
    homes = os.environ.get("GCSPY_JDK_HOMES", "").split() or \
        sorted(glob.glob("/usr/lib/jvm/*")) + [os.environ.get("JAVA_HOME", "")]
    wanted = [int(number) for number in os.environ.get("GCSPY_JDKS", "").split()]
    found = {}
    for home in homes:
        real = os.path.realpath(home) if home else ""
        if not real or real in found or not os.access(os.path.join(real, "bin/java"), os.X_OK):
            continue
        jdk = Jdk(real, version_of(real))
        if jdk.major < 11:
            skipped(real, f"JDK {jdk.version} is older than 11")
        elif not wanted or jdk.major in wanted:
            found[real] = jdk
    if not found:
        skipped("all end-to-end tests", "no JDK 11 or later under /usr/lib/jvm or in JAVA_HOME")
    return sorted(found.values(), key=lambda jdk: (jdk.major, jdk.home))


JDKS = find_jdks()
NEWEST = JDKS[-1:]
ALL = os.environ.get("GCSPY_E2E") == "all"


def cases(rows, *, only=None, in_turn=False, whole=0):
    """Makes one test of a method for each row of a table and each JDK:

        @cases(table.LAYOUT)
        def check_spaces(self, jdk, row): ...

    becomes test_spaces_jdk17_Serial and so on. Used with @expand on the class. Where that would
    take many minutes the JDKs take turns, so that each row has one and each JDK some rows, and only
    the first `whole` rows have all; everything has all of them with GCSPY_E2E=all.
    """
    def turn(method):
        """Rows with the JDK whose turn it is."""
        for i, row in enumerate(rows):
            able = [jdk for jdk in JDKS if jdk.major >= row.since]
            if able:
                k = i + sum(map(ord, method.__name__))
                yield from ((jdk, row) for jdk in (able if i < whole else [able[k % len(able)]]))

    def mark(method):
        method.cases = [(jdk, row) for row in rows for jdk in (JDKS if only is None else only)]
        if in_turn and not ALL:
            method.cases = list(turn(method))
        return method
    return mark


def expand(cls):
    """Gives the class the tests that @cases asked for."""
    for name, method in list(vars(cls).items()):
        for jdk, row in getattr(method, "cases", ()):
            def test(self, method=method, jdk=jdk, row=row):
                why = row.why_not(jdk)
                if why:
                    skipped(f"{row} on {jdk}", why)
                    self.skipTest(why)
                method(self, jdk, row)
            test.__doc__ = method.__doc__
            words = re.sub(r"[^A-Za-z0-9]+", "_", f"{jdk}_{row}").strip("_")
            setattr(cls, f"{name.replace('check_', 'test_')}_{words}", test)
    return cls


def other_users():
    """Whether this process can be other users: root, but not of a namespace that has one user."""
    if os.geteuid() != 0:
        return False
    with open("/proc/self/uid_map", encoding="ascii") as ranges:
        return sum(int(line.split()[2]) for line in ranges) > 65534


# One JVM.


class Jvm:
    """A running JVM. Its output goes to files, so that nothing that it says can stop it."""

    def __init__(self, jdk, program, flags=(), options="port=0", arguments=(), log=None, jar=JAR,
                 preload=os.environ.get("GCSPY_ABORT")):
        self.jdk, self.options = jdk, options
        self.folder = tempfile.mkdtemp(prefix="gcspy-e2e-")
        self.log = os.path.join(self.folder, "gc.log")
        command = [jdk.java, "-XX:-CreateCoredumpOnCrash", *flags]
        if "-XX:+UseZGC" in flags and jdk.major in (21, 22) and "ZGenerational" not in str(flags):
            command.append("-XX:+ZGenerational")  # the only ZGC of later JDKs
        if log is not None:
            command.append(f"-Xlog:{log}:file={self.log}:uptime,tags")
        if options is not None:
            command.append(f"-agentpath:{AGENT}={options}")
        command += ["-cp", jar, *program.split(), *arguments]
        self.out_at = 0
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS")}
        if preload and "LD_PRELOAD" not in environment:
            environment["LD_PRELOAD"] = preload
        with open(self.path("out"), "wb") as out, open(self.path("err"), "wb") as err:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=err,
                                            cwd=self.folder, env=environment)
        self.pid = self.process.pid

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    @property
    def out(self):
        return self.read("out")

    @property
    def err(self):
        return self.read("err")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        # One that was killed leaves its sockets, which a later process with the same number might
        # be taken to have.
        for name in (f".java_pid{self.pid}", f".gcspy_{self.pid}"):
            with contextlib.suppress(OSError):
                os.unlink(f"/tmp/{name}")
        self.process.stdin.close()
        crashed = glob.glob(self.path("hs_err*"))
        keep = kind is not None and os.environ.get("GCSPY_E2E_KEEP")
        story = f"\n{self.err[-2000:]}" if kind is not None or crashed else ""
        for crash in crashed:
            story += "\n" + self.read(os.path.basename(crash))[:6000]
        if story:
            print(f"{self.jdk} {self.folder}:{story}", file=sys.stderr, flush=True)
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
        if crashed and kind is None:
            raise AssertionError("the JVM crashed")

    def alive(self):
        return self.process.poll() is None

    def until(self, done, what, view=None, seconds=TIMEOUT):
        """Waits for `done()`, while `view` (if any) takes what comes."""
        deadline = time.monotonic() + seconds
        while not (result := done()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what} not within {seconds} s\n{self.err[-1500:]}")
            try:
                if view is not None:
                    view.step_input(0.02)
                    continue
            except wire.Closed:
                view = None  # the program was faster; what is waited for will tell
            time.sleep(0.02)
        return result

    def balanced(self, view, read, events):
        """The JVM's log, once the client has heard of as many starts and finishes as `events(log)`: the
        JVM may collect whenever it sees fit, and what happened last may be on its way."""
        def same():
            log = read(self.log)
            pauses = events(log)
            return log if (view.count("GC start"), view.count("GC finish")) == (pauses, pauses) \
                else None
        return self.until(same, "as many starts and finishes as the log has pauses", view)

    def address(self):
        """Where the agent says that it listens."""
        def found():
            match = re.search(r"^gcspy: listening on (\S+)", self.err, re.M)
            if match is None and not self.alive():
                raise AssertionError(f"the JVM ended: {self.err[-1500:]}")
            return match and match[1]
        return self.until(found, "the agent's line with its address")

    def attach(self, **options):
        return View(self.address(), **options)

    # Layout's commands: one line in, one line of JSON out.

    def answer(self, view=None):
        def line():
            found = re.search(r"^(\{.*)\n", self.out[self.out_at:], re.M)
            if found is None and not self.alive():
                raise AssertionError(f"the JVM ended: {self.err[-1500:]}")
            return found
        found = self.until(line, "an answer of Layout", view)
        self.out_at += found.end()  # and what the JVM itself says on standard output
        return json.loads(found[1])

    def say(self, command):
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, command, view=None):
        """Has Layout do something; returns its answer."""
        if self.out_at == 0:
            self.answer(view)
        self.say(command)
        answer = self.answer(view)
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer

    def truth(self, view=None):
        """Waits for the program's last line."""
        def found():
            match = re.search(r"^truth .*$", self.out, re.M)
            if match is None and not self.alive():
                raise AssertionError(f"no truth line: {self.out[-500:]}{self.err[-1500:]}")
            return match and match[0]
        return self.until(found, "the line of truth", view)

    def end(self, view=None):
        """Waits for the exit code."""
        self.until(lambda: self.process.poll() is not None, "the JVM's end", view)
        return self.process.returncode

    def quit(self):
        self.say("quit")
        return self.end()

    def jcmd(self, *command):
        tool = self.jdk.tool("jcmd")
        if tool is None:
            raise unittest.SkipTest(f"{self.jdk} has no jcmd")
        done = subprocess.run([tool, str(self.pid), *command], capture_output=True, text=True,
                              check=False, timeout=TIMEOUT)
        return done.stdout + done.stderr

    def cpu(self):
        """Seconds of processor time so far."""
        with open(f"/proc/{self.pid}/stat", encoding="utf-8", errors="replace") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def rss(self):
        with open(f"/proc/{self.pid}/statm", encoding="utf-8") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def signal(self, number):
        self.process.send_signal(number)


# A client that knows how to name things.


class View(wire.Client):
    def __init__(self, address, pause=False, **options):
        flags = wire.HELLO_EVERY | (wire.HELLO_PAUSE if pause else 0)
        super().__init__(address, flags=flags, **options)
        self.ready(TIMEOUT)

    def tick(self, done=lambda snapshot: True):
        """The first tick of the clock from now on of which `done` holds."""
        now = time.monotonic_ns()

        def found():
            return next((s for s in self.of("Clock") if s.time > now and done(s)), None)
        return self.wait(found, TIMEOUT)

    def picture(self, seconds=TIMEOUT):
        """The newest snapshot; waits for the first one."""
        self.wait(lambda: self.snapshots, seconds)
        return self.snapshots[-1]

    def of(self, event):
        """All snapshots of that event so far."""
        return [s for s in self.snapshots if s.event is not None
                and self.events[s.event]["name"] == event]

    def count(self, event):
        """How often the event has happened, as of the newest snapshot."""
        return self.counters[[e["name"] for e in self.events].index(event)]

    def attributes(self, snapshot):
        described = self.events[snapshot.event]["attributes"]
        values = snapshot.attributes + [None] * (len(described) - len(snapshot.attributes))
        return {a["name"]: a["names"][v] if a["kind"] == 1 and v is not None else v
                for a, v in zip(described, values)}

    def lines(self):
        return dict(self.info)


def space(snapshot, name):
    return next((s for s in snapshot.spaces if s.name == name), None)


def column(of, stream):
    return of.values[of.find(stream)]


def named(of, stream):
    """The column of an enumeration, in words."""
    described = of.streams[of.find(stream)]
    return [described["names"][v - described["min"]] for v in column(of, stream)]


def summary(of, stream):
    values = of.summaries[of.find(stream)]
    names = of.streams[of.find(stream)]["names"]
    return dict(zip(names, values)) if names else values


def run(jdk, program, flags=(), options=None, arguments=(), jar=JAR):
    """Runs a program to its end; returns (exit code, standard output, standard error)."""
    with Jvm(jdk, program, flags, options, arguments, jar=jar) as jvm:
        jvm.process.stdin.close()
        code = jvm.end()
        return code, jvm.out, jvm.err


def compile_java(jdk, folder, name, source):
    """Compiles one class into the folder."""
    javac = jdk.tool("javac")
    if javac is None:
        raise unittest.SkipTest(f"{jdk} has no javac")
    path = os.path.join(folder, name + ".java")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    subprocess.run([javac, "-d", folder, path], check=True, timeout=TIMEOUT, capture_output=True)
    return folder


def main():
    """For each test file: the result, with what was left out."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest.main(verbosity=2)
