#!/usr/bin/env python3
"""Mutation check: do the tests notice a change of behaviour?

    tests/mutation/mutate.py [--build DIR] [--count N] [--seed N] [--own] [--list] [MODULE ...]

Changes one line of a module at a time (a comparison, an off-by-one, a dropped call, ...), builds, and
runs the unit and wire tests; a mutant that no test fails for has survived. With --own only the tests
that the table below names for the module are built and run, which is stricter and faster. Exits with
1 if more than one in ten survives. Works in a copy of the tree; DIR (default: build-mutation in the
copy's place) is kept, so that a second run builds little. Takes up to a minute per mutant, which is
why `./run test` does not do it.

A mutant that does not compile, or that the compiler turns into the same object file, is not counted
and another one takes its place.
"""

import argparse
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

# Source file, and the tests that are run first: most mutants die there.
MODULES = {
    "protocol/base/bytes.c": "unit.bytes|unit.codec",
    "protocol/server/gate.c": "unit.gate",
    "protocol/wire/codec_tiles.c": "unit.codec_tiles",
    "protocol/wire/frame.c": "unit.frame",
    "protocol/trace/trace_index.c": "unit.trace",
    "protocol/profile/sites.c": "unit.sites|unit.export",
    "protocol/profile/chain_fold.c": "unit.chain",
    "protocol/server/trigger_check.c": "unit.trigger|unit.server_trigger|unit.updates_trigger",
    "protocol/analysis/stats_pauses.c": "unit.stats",
    "protocol/analysis/running_figures.c": "unit.running_figures",
    "agent/sample/sample_store.c": "unit.agent",
    "agent/core/options.c": "unit.agent",
    "agent/core/smaps.c": "unit.agent",
    "agent/paths/path_targets.c": "unit.agent",
    "client-sdl/tiles/tilemap.c": "unit.cv_tiles|unit.ui_heap",
    "client-sdl/tiles/expr_eval.c": "unit.ui_expr",
    "client-sdl/time/timescale.c": "unit.ui_timeline|unit.ui_marks",
    "client-sdl/history/history_reduce.c": "unit.ui_history",
}

# What a line is changed into. Each match of a pattern is one possible mutant.
OPERATORS = [
    ("comparison", r" < ", " <= "), ("comparison", r" <= ", " < "),
    ("comparison", r" > ", " >= "), ("comparison", r" >= ", " > "),
    ("comparison", r" == ", " != "), ("comparison", r" != ", " == "),
    ("off by one", r" \+ 1\b", " + 2"), ("off by one", r" - 1\b", ""),
    ("logic", r" && ", " || "), ("logic", r" \|\| ", " && "),
    ("arithmetic", r" \+ (?=[a-z])", " - "), ("arithmetic", r" \* (?=[a-z])", " + "),
    ("arithmetic", r" \+= ", " = "),
    ("dropped call", r"^(\t+)([a-z_]+\([^;=]*\);)$", r"\1(void)0;"),
    ("result", r"\breturn true;", "return false;"), ("result", r"\breturn false;", "return true;"),
]


def mutants(path, text):
    """(line number, operator, new line) for each possible mutant, comments and declarations left out."""
    found = []
    comment = False
    for number, line in enumerate(text.splitlines()):
        begins, ends = "/*" in line, "*/" in line
        if comment or begins or not line.startswith("\t") or line.lstrip().startswith(("*", "//")):
            comment = (comment or begins) and not ends
            continue
        for name, pattern, replacement in OPERATORS:
            for match in re.finditer(pattern, line):
                new = line[:match.start()] + match.expand(replacement) + line[match.end():]
                found.append((number, name, new))
    if not found:
        sys.exit(f"{path}: nothing to change")
    return found


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          **more)


class Copy:
    """A copy of the tree that may be changed, and its build."""

    def __init__(self, build, expressions):
        self.build = os.path.abspath(build)
        self.tree = os.path.join(self.build, "tree")
        self.unchanged = {}
        os.makedirs(self.tree, exist_ok=True)
        listing = subprocess.run(["git", "-C", TOP, "ls-files", "-z"], capture_output=True, check=True)
        for name in filter(None, listing.stdout.decode().split("\0")):
            source, target = os.path.join(TOP, name), os.path.join(self.tree, name)
            if not os.path.exists(source):
                continue
            with open(source, "rb") as file:
                text = file.read()
            if os.path.exists(target):
                with open(target, "rb") as file:
                    if file.read() == text:
                        continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)
        done = run(["cmake", "-S", self.tree, "-B", self.objects(), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                    "-DGCSPY_TESTS=ON", "-DGCSPY_WERROR=OFF"])
        if done.returncode != 0 or not self.compile(*(t for e in expressions for t in self.targets(e))):
            sys.exit(f"the tree does not build as it is; see {self.objects()}\n{done.stdout[-2000:]}")

    def objects(self):
        return os.path.join(self.build, "objects")

    def compile(self, *targets):
        return run(["ninja", "-C", self.objects(), *targets]).returncode == 0

    def targets(self, expression):
        """The programs of the unit tests that the expression names."""
        found = run(["ctest", "--test-dir", self.objects(), "-N", "-R", expression]).stdout
        return ["test-" + name for name in re.findall(r"Test +#\d+: unit\.(\S+)$", found, re.M)]

    def object_of(self, module):
        """The hash of the module's object file; a library may compile it more than once."""
        found = []
        for folder, _, files in os.walk(self.objects()):
            if os.path.basename(module) + ".o" in files and os.path.dirname(module).split("/")[-1] in folder:
                with open(os.path.join(folder, os.path.basename(module) + ".o"), "rb") as file:
                    found.append(hashlib.sha256(file.read()).hexdigest())
        return sorted(found)

    def fails(self, *selection):
        """The first test that fails, or None."""
        done = run(["ctest", "--test-dir", self.objects(), "--stop-on-failure", "--timeout", "120",
                    "-j", str(os.cpu_count()), *selection])
        if "No tests were found" in done.stdout:
            sys.exit(f"no test fits {selection}")
        found = re.search(r"Test +#\d+: (\S+) .*(?:\*\*\*|Failed|Timeout)", done.stdout)
        return found[1] if done.returncode != 0 and found else None


def judge(copy, module, mutant, own):
    """The test that caught it, "" for none; None if it does not count."""
    path = os.path.join(copy.tree, module)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before = copy.unchanged.setdefault(module, copy.object_of(module))
    number, _, line = mutant
    lines = text.splitlines(keepends=True)
    lines[number] = line + "\n"
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
        if not copy.compile(*copy.targets(MODULES[module])) or copy.object_of(module) == before:
            return None
        first = copy.fails("-R", MODULES[module])
        if first or own:
            return first or ""
        copy.compile()
        other = copy.fails("-L", "unit|wire" if module.startswith("protocol/") else "unit")
        # Some other test may have failed because the machine is busy: it has to do so again.
        return (other and copy.fails("-R", f"^{re.escape(other)}$")) or ""
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default=os.path.join(TOP, "build-mutation"))
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("modules", nargs="*")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    pools = {}
    for module in arguments.modules or MODULES:
        if module not in MODULES:
            sys.exit(f"{module}: not in the table of modules at the top of this file")
        with open(os.path.join(TOP, module), encoding="utf-8") as file:
            pools[module] = mutants(module, file.read())
        chance.shuffle(pools[module])
        print(f"{module}: {len(pools[module])} possible mutants")
    if arguments.list:
        return 0
    copy = Copy(arguments.build, [MODULES[module] for module in pools] if arguments.own else [])
    for module in pools:
        if copy.fails("-R", MODULES[module]) is not None:
            sys.exit(f"{module}: its tests fail without a mutant")
    tried, survivors = 0, []
    turn = 0
    while tried < arguments.count and any(pools.values()):
        module = list(pools)[turn % len(pools)]
        turn += 1
        if not pools[module]:
            continue
        mutant = pools[module].pop()
        caught = judge(copy, module, mutant, arguments.own)
        if caught is None:
            turn -= 1
            continue
        tried += 1
        number, name, line = mutant
        print(f"{tried:3} {'caught by ' + caught if caught else 'SURVIVED'}: {module}:{number + 1}: {name}: "
              f"{line.strip()}", flush=True)
        if not caught:
            survivors.append(mutant)
    print(f"{tried - len(survivors)} of {tried} mutants caught")
    return 1 if len(survivors) * 10 > tried else 0


if __name__ == "__main__":
    sys.exit(main())
