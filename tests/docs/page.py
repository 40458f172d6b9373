"""A page of documentation, tried word by word: its commands are run, their output is what it shows.

    page.py FILE [--section HEADING] [--sources FOLDER]

Blocks of the page (of one section of it, with --section):

    ```sh    commands. All of them are run in order, in one shell, in an empty folder, with
             `build` in it standing for the folder BUILD of the environment. Each must succeed.
    ```text  what the block of commands before it writes, in a form that is the same each time:
             a number stands for any number, with its unit; so does an address. Numbers inside
             words (G1, p99) and after a source file's name (Shop.java:52) are as shown. Blanks
             count as one. A line `…` stands for any lines, `…` within a line for any text;
             apart from these, the block is the whole output.
    ```java  lines of a source file in the folder --sources, one below the other.
    ```c driver.c   a part of that file, in any language: the parts, in order, are the file, which
             is in the folder before the commands run.

Other blocks are only looked at. Exit code 0: the page is right; 1: it is not, with the reason.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 60.0  # seconds for all commands of a page; a page is written to take less than 15

NUMBER = re.compile(
    r"(?<![A-Za-z0-9.:$])(?<![A-Za-z]-)(?:0x[0-9a-f]+(?:-0x[0-9a-f]+)?|\d[\d,.:]*(?:-\d[\d,.:]*)*)"
    r"(?: ?(?:[KMGT]iB|B|ns|us|µs|ms|s|min|h|%))?(?![\w])")
SITE = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{12}\b")


class Wrong(Exception):
    """What is wrong with the page."""


def blocks(text, section=None):
    """(language, number of its first line, lines) of each fenced block of the section."""
    found, wanted, current = [], section is None, None
    for number, line in enumerate(text.splitlines(), 1):
        if current and line == "```":
            if wanted:
                found.append(current)
            current = None
        elif current:
            current[2].append(line)
        elif line.startswith("```"):
            current = (line[3:], number + 1, [])
        elif line.startswith("#") and section is not None:
            wanted = line.lstrip("# ") == section
    return found


def form(line):
    """The line with what varies from run to run taken out."""
    line = SITE.sub("#", line)
    line = NUMBER.sub("#", line)
    return re.sub(r"\s+", " ", line).strip()


def pattern(shown):
    """What the shown lines stand for, as a regular expression over the form of an output."""
    lines = []
    for line in shown:
        parts = [re.escape(part) for part in form(line).split("…")]
        lines.append("(?:.*\n)*" if line.strip() == "…" else ".*".join(parts) + "\n")
    return lines


def missing(shown, output):
    """None if the shown lines are the output, else the number of the first that is not there."""
    written = "".join(form(line) + "\n" for line in output.splitlines())
    lines = pattern(shown)
    if re.fullmatch("".join(lines), written):
        return None
    for count in range(1, len(lines) + 1):
        if not re.match("".join(lines[:count]), written):
            return count - 1
    return len(lines)


def run(scripts, folder, environment):
    """Runs blocks of commands in one shell; the output of each, or Wrong."""
    program = ["set -eu\n"]
    for at, script in enumerate(scripts):
        program.append("{ :\n%s\n} >%s/.block%d 2>&1\n" % ("\n".join(script[2]), folder, at))
    program.append("touch %s/.end\n" % folder)
    shell = subprocess.Popen(["bash", "-c", "".join(program)], cwd=folder, env=environment,
                             stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        code = shell.wait(LIMIT)
    except subprocess.TimeoutExpired:
        code = None
    finally:
        try:
            os.killpg(shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        shell.wait()
    outputs = []
    for at in range(len(scripts)):
        try:
            with open("%s/.block%d" % (folder, at), encoding="utf-8", errors="replace") as file:
                outputs.append(file.read())
        except FileNotFoundError:
            break
    if code != 0 or not os.path.exists(folder + "/.end"):
        why = "more than %d s" % LIMIT if code is None else "exit code %d" % code
        _, line, commands = scripts[len(outputs) - 1]
        raise Wrong("line %d: the commands failed (%s):\n%s\n%s" % (
            line, why, "\n".join(commands), outputs[-1]))
    return outputs


def excerpt(block, sources):
    """A block of Java is somewhere in the sources."""
    wanted = "\n".join(line.strip() for line in block[2])
    for name in sorted(os.listdir(sources)):
        with open(os.path.join(sources, name), encoding="utf-8") as file:
            if name.endswith(".java") and wanted in "\n".join(line.strip() for line in file):
                return
    raise Wrong("line %d: no source file has these lines:\n%s" % (block[1], wanted))


def check(text, section=None, sources=None, environment=None):
    """Tries the page; Wrong says what is not as shown."""
    found = blocks(text, section)
    scripts = [block for block in found if block[0] == "sh"]
    if not scripts:
        raise Wrong("no commands")
    with tempfile.TemporaryDirectory(prefix="page") as folder:
        build = os.environ.get("BUILD")
        if build:
            os.symlink(build, os.path.join(folder, "build"))
        for language, _, lines in found:
            if " " in language:
                with open(os.path.join(folder, language.split()[1]), "a", encoding="utf-8") as file:
                    file.writelines(line + "\n" for line in lines)
        outputs = run(scripts, folder, environment or dict(os.environ))
    script = -1
    for block in found:
        if block[0] == "sh":
            script += 1
        elif block[0] == "java":
            excerpt(block, sources)
        elif block[0] == "text":
            output = outputs[script] if script >= 0 else ""
            line = missing(block[2], output)
            if line is not None:
                raise Wrong("line %d: %s\nthe commands write:\n%s" % (
                    block[1] + line, "not as shown" if line < len(block[2]) else "there is more",
                    output))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--section")
    parser.add_argument("--sources")
    arguments = parser.parse_args()
    with open(arguments.file, encoding="utf-8") as file:
        text = file.read()
    start = time.monotonic()
    try:
        check(text, arguments.section, arguments.sources)
    except Wrong as wrong:
        sys.exit("%s: %s" % (arguments.file, wrong))
    print("%s: as shown, in %.1f s" % (arguments.file, time.monotonic() - start))


if __name__ == "__main__":
    main()
