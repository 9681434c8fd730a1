#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Looks at each flag on a page: a code text that begins with a tool names flags of
# that tool, any other one flags of some tool. With --else=TOOL the page says that
# they are TOOL's: there, a line names each other tool whose flags it has.
#
#   check_flags.py [--else=TOOL] PAGE...
import os
import re
import subprocess
import sys

TOOLS = ("graphc", "graphc-run", "graphc-server", "graphc-deploy",
         "graphc-dump", "graphc-top", "graphc-ckpt", "graphc-data", "graphc-fmt", "graphc-opt", "graphc-lsp")
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def flags_of(tool):
    done = subprocess.run([tool, "--help"], capture_output=True, text=True,
                          check=True)
    return set(FLAG.findall(done.stdout)) | {"--help", "--version"}


def code_texts(line):
    """Code within a line, or the line where it is one of a block."""
    if line.startswith("    ") or re.match(r"graphc[-a-z]* ", line):
        return [line.split("  #")[0]]
    return re.findall(r"`([^`]+)`", line)


def tool_of(text):
    """The tool whose command a text is, or None."""
    found = re.search(r"(?:^|&& )\s*(graphc(?:-[a-z]+)?)(?= |$)", text)
    return found[1] if found and found[1] in TOOLS else None


def check(page, known, default):
    with open(page, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        named = {tool for text in code_texts(line) if (tool := tool_of(text))}
        if default:
            named.add(default)
        for text in code_texts(line):
            tool = tool_of(text)
            owners = {tool} if tool else named if default else known.keys()
            for flag in FLAG.findall(text):
                if not any(flag in known[owner] for owner in owners):
                    yield number, (f"'{flag}' is no flag of "
                                   + ", ".join(sorted(owners)))


def main(arguments):
    default = None
    if arguments[0].startswith("--else="):
        default = arguments.pop(0).split("=")[1]
    known = {tool: flags_of(tool) for tool in TOOLS}
    problems = 0
    for page in arguments:
        for number, problem in check(page, known, default):
            print(f"{os.path.basename(page)}:{number}: {problem}")
            problems += 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
