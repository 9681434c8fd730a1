#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the errors of wrong texts: check_mistakes.py GRAPHC-OPT FILE [--write].

FILE has sections `=== what is wrong`, the text without its first line, `--- `, and the
expected errors, each as `LINE:COLUMN: message`, lines counted in the section. All of
them must be printed, in this order, and no others. --write writes what is printed.
"""
import re
import subprocess
import sys


def errors_of(tool, text):
    done = subprocess.run([tool, "-"], input="tfir 1\n" + text,
                          capture_output=True, text=True)
    found = re.findall(r"^<stdin>:(\d+):(\d+): error: (.*)$", done.stderr, re.M)
    if done.returncode not in (0, 1):
        found.append(("1", "0", f"exit code {done.returncode}"))
    return [f"{int(line) - 1}:{column}: {message}" for line, column, message in found]


def main():
    tool, path = sys.argv[1:3]
    with open(path, encoding="utf-8") as file:
        head, *sections = re.split(r"^=== ", file.read(), flags=re.M)
    bad = 0
    written = head
    for section in sections:
        title, rest = section.split("\n", 1)
        text, expected = re.split(r"^---\n", rest, maxsplit=1, flags=re.M)
        found = errors_of(tool, text)
        written += f"=== {title}\n{text}---\n" + "".join(e + "\n" for e in found)
        if found != expected.splitlines() or not found:
            bad += 1
            print(f"{title}: expected\n{expected}printed\n" + "\n".join(found))
    if "--write" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(written)
    print(f"{len(sections)} mistakes, {bad} with other errors")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
