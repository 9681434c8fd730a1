#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles the ```tfir blocks of a page, each a whole program; `?` is 4.
#
#   check_programs.py PAGE
import os
import re
import subprocess
import sys


def main(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    count = 0
    for found in re.finditer(r"^```tfir\n(.*?)^```", text, re.M | re.S):
        done = subprocess.run(
            ["graphc", "-", "--batch=4", "--stop-after=compiled", "-o",
             os.devnull], input=found.group(1), capture_output=True, text=True)
        if done.returncode:
            line = text.count("\n", 0, found.start()) + 1
            print(f"{os.path.basename(page)}:{line}: {done.stderr.strip()}")
            return 1
        count += 1
    print(f"{count} programs compile")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
