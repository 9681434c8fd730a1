#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints sources as texts, parses the texts and compares the modules.

Takes graphc-opt and folders or files. Each source of phase 'parsed' among them,
and each part of one that is split at `// -----`, must become a text from which the
same module is parsed, and that text must be printed again as it is. Sources that
graphc-opt refuses are no sources; what a text cannot have is counted by its cause.
Prints how many went through; any difference fails.
"""
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile


def run(tool, *arguments, text):
    done = subprocess.run([tool, *arguments], input=text, capture_output=True,
                          text=True, errors="surrogateescape")
    return done.returncode, done.stdout, done.stderr


def parts(path):
    text = path.read_text(errors="surrogateescape")
    return [p for p in re.split(r"^// -----.*$", text, flags=re.M) if p.strip()]


def check(tool, path, text):
    """Returns None for no source, a cause for one that no text can be, or "" and
    the first difference."""
    code, module, _ = run(tool, "-", text=text)
    if code != 0:
        return None
    code, printed, errors = run(tool, "--print-text", text=text)
    if code != 0:
        cause = re.search(r"(has '[^']*'|'[^']*' is nothing|has the f[a-z]+ )", errors)
        return cause.group(0) if cause else f"FAILED: {path}: {errors}"
    code, again, errors = run(tool, "-", text=printed)
    if code != 0:
        return f"FAILED: {path}: its text is refused:\n{errors}\n{printed}"
    if again != module:
        pairs = zip(module.splitlines(), again.splitlines())
        first = next((f"\n  {a}\n  {b}" for a, b in pairs if a != b), "length")
        return f"FAILED: {path}: another module: {first}\n{printed}"
    code, twice, errors = run(tool, "--print-text", text=printed)
    if twice != printed:
        pairs = zip(printed.splitlines(), twice.splitlines())
        first = next((f"\n  {a}\n  {b}" for a, b in pairs if a != b), "length")
        return f"FAILED: {path}: another text: {first}\n{errors}"
    return ""


def main():
    tool, places = sys.argv[1], sys.argv[2:]
    files = []
    for place in map(pathlib.Path, places):
        files += [place] if place.is_file() else sorted(
            p for p in place.rglob("*") if p.suffix in (".tfir", ".mlir"))
    work = [(path, text) for path in files for text in parts(path)]
    causes = collections.Counter()
    good = failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for result in pool.map(lambda w: check(tool, *w), work):
            if result is None:
                continue
            if result.startswith("FAILED"):
                failed += 1
                print(result)
            elif result:
                causes[result] += 1
            else:
                good += 1
    for cause, count in sorted(causes.items()):
        print(f"{count:5} cannot be a text: {cause}")
    print(f"{good} sources went through, {failed} failed")
    return failed != 0 or good == 0


if __name__ == "__main__":
    sys.exit(main())
