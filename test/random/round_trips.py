#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs as texts: each is printed as a text, and that parsed again.

    round_trips.py --count=300 --seed=1 [--tool=graphc-opt]

The module must be the same, and the text, printed once more. Each program has a seed
of its own (the first plus its number). The last line is how many were the same.
"""
import argparse
import subprocess
import sys

import generator

MARK = "// -----"
# Programs of one process.
BATCH = 200


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    parts = [part.strip("\n") for part in done.stdout.split(MARK + "\n")]
    return parts, done.stderr


def check(tool, seeds):
    """Returns the seeds of programs that are another one as a text."""
    source = f"\n{MARK}\n".join(generator.generate(seed) for seed in seeds)
    modules, errors = run([tool, "--split-input-file", "-"], source)
    texts, more = run([tool, "--print-text", "-"], source)
    joined = f"\n{MARK}\n".join(texts)
    again, third = run([tool, "--split-input-file", "-"], joined)
    twice, last = run([tool, "--print-text", "-"], joined)
    sys.stdout.write(errors + more + third + last)
    if not len(modules) == len(texts) == len(again) == len(twice) == len(seeds):
        return list(seeds)
    return [seed for seed, a, b, c, d in zip(seeds, modules, again, texts, twice)
            if a != b or c != d]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tool", default="graphc-opt")
    options = parser.parse_args()
    bad = []
    end = options.seed + options.count
    for first in range(options.seed, end, BATCH):
        bad += check(options.tool, range(first, min(first + BATCH, end)))
    for seed in bad:
        print(f"seed {seed}: another program as a text")
    print(f"{options.count - len(bad)} of {options.count} programs are the same as texts")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
