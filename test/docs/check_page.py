#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the ```sh blocks of a page, line after line, in one fresh folder that
# sees the repository's examples. Commands in scripts/, cmake and ninja would
# install and build, so only the presence of what they name is checked. What is shown
# directly behind a block, indented, is what its commands print: its lines in this
# order, perhaps with others between; `...` is any text, numbers are equal up to 1e-5,
# and rates are not compared. Also: each relative link leads to a file.
#
#   check_page.py PAGE REPOSITORY
import json
import math
import os
import re
import subprocess
import sys
import tempfile

SECONDS = 120


NUMBER = r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])"
RATES = r", \d+ examples/s, \S+ s/batch"


def tolerance():
    """Relative. Pages show numbers of level x86-64-v4; another level adds in
    another order, which training makes larger."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return 1e-5 if "avx512f" in file.read() else 1e-2


def blocks(text):
    """The ```sh blocks: (line of the first command, commands, shown output)."""
    block = r"^```sh\n(.*?)^```\n((?:\n|    [^\n]*\n)*)"
    for found in re.finditer(block, text, re.M | re.S):
        yield (text.count("\n", 0, found.start()) + 2, found.group(1),
               found.group(2))


def is_shown(expected, actual):
    """Whether a line of a page is one that a command has printed."""
    expected, actual = (re.sub(RATES, "", text).strip()
                        for text in (expected, actual))
    pattern = ".*".join(map(re.escape, expected.split("...")))
    if re.fullmatch(pattern, actual):
        return True
    if re.sub(NUMBER, "#", expected) != re.sub(NUMBER, "#", actual):
        return False
    pairs = zip(re.findall(NUMBER, expected), re.findall(NUMBER, actual))
    return all(math.isclose(float(a), float(b), rel_tol=tolerance()) for a, b in pairs)


def find_missing(shown, printed):
    """The first line of `shown` that `printed` lacks, or None."""
    rest = iter(printed.splitlines())
    for line in shown.splitlines():
        if line.strip() and not any(is_shown(line, other) for other in rest):
            return line.strip()
    return None


def check_build(command, root):
    """Problem of a line that builds, by a preset or by names of tools, or None."""
    words = command.split()
    if words[0] == "cmake":
        with open(os.path.join(root, "CMakePresets.json"),
                  encoding="utf-8") as file:
            presets = json.load(file)["configurePresets"]
        known = [preset["name"] for preset in presets]
        return (None if words[1:2] == ["--preset"] and words[2] in known else
                f"'{command}' names none of the presets {', '.join(known)}")
    for tool in words[3:]:
        if not os.path.isdir(os.path.join(root, "tools", tool)):
            return f"'{tool}' is no tool of the repository"
    return None


def check_script(command, root):
    """Problem of a line that calls a script of the repository, or None."""
    script = os.path.join(root, command.split()[0])
    if not os.access(script, os.X_OK):
        return f"'{command.split()[0]}' is no program of the repository"
    return None


def check_command(command, folder):
    """Runs a command; returns what went wrong, or None, and what it printed."""
    try:
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command],
                              cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"'{command}' did not end within {SECONDS} s", ""
    if done.returncode:
        return f"'{command}' failed: {(done.stderr or done.stdout).strip()}", ""
    return None, done.stdout + done.stderr


def check_commands(text, root):
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(root, "examples"),
                   os.path.join(folder, "examples"))
        for first, block, shown in blocks(text):
            printed, has_failed = "", False
            for number, line in enumerate(block.splitlines(), first):
                command = line.split("  #")[0].strip()
                if not command or command.startswith("#"):
                    continue
                if command.startswith("scripts/"):
                    problem = check_script(command, root)
                elif command.startswith(("cmake ", "ninja -C build ")):
                    problem = check_build(command, root)
                else:
                    problem, output = check_command(command, folder)
                    printed += output
                if problem:
                    has_failed = True
                    yield number, problem
            missing = find_missing(shown, printed)
            if missing and not has_failed:
                yield first, f"its commands do not print '{missing}'"


def check_links(text, page):
    for number, line in enumerate(text.splitlines(), 1):
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", line):
            if not re.match(r"https?:", target) and not os.path.exists(
                    os.path.join(os.path.dirname(page), target)):
                yield number, f"the link to '{target}' leads nowhere"


def main(page, root):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    problems = [*check_links(text, page), *check_commands(text, root)]
    for number, problem in problems:
        print(f"{os.path.basename(page)}:{number}: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])))
