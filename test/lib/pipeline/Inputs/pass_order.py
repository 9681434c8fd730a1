#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compares the order of the passes in a TableGen file with that of a table of
# phases, where each counts as often as it comes first.
#
#   pass_order.py PASSES.td PAGE.md
import itertools
import os
import re
import sys

OURS = r"(?:tfir|exec|graphc)-[a-z-]+"
NOT_RUN = {"tfir-interpret"}


def text_of(path):
    """The file, with those of its folder that it includes in their places."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    folder = os.path.dirname(path)
    return re.sub(r'^include "include/graphc/(passes/\w+\.td)"$',
                  lambda found: text_of(os.path.join(folder, found[1])),
                  text, flags=re.M) if "/passes/" not in path else text


def defined(path):
    names = re.findall(rf'^def \w+ : Pass<"({OURS})"', text_of(path), re.M)
    return [name for name in names if name not in NOT_RUN]


def listed(path):
    with open(path, encoding="utf-8") as file:
        cells = [line.split("|")[2] for line in file if line.startswith("| `")]
    return list(dict.fromkeys(re.findall(rf"`({OURS})`", " ".join(cells))))


def main(passes, page):
    have, want = defined(passes), listed(page)
    for ours, theirs in itertools.zip_longest(have, want):
        if ours != theirs:
            first, second = (f"'{name}'" if name else "nothing"
                             for name in (ours, theirs))
            sys.exit(f"{os.path.basename(passes)}: {first} stands where the "
                     f"pipeline has {second}")
    print(f"{len(have)} passes in order")


main(*sys.argv[1:])
