#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs, compiled and run, against the reference interpreter.

    random_programs.py --count=300 --seed=1 --checker=build/unit/check-programs

Each program has a seed of its own (the first plus its number), from which it can
be made again. One that fails is made small and kept in --keep. The last line says
how many agree, and how many of the elements that were compared were decided: not
an outcome of rounding.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading

import clusters
import generator
import towers
from reduce import reduce_program


KINDS = {"any": generator.generate,
         "towers": lambda seed: towers.TowerProgram(seed).text,
         "clusters": clusters.generate}


def kind_of(result):
    """What a failure has in common with the same one in a smaller program."""
    if result.startswith(("crash", "hangs", "ended")):
        return result.split(":")[0]
    return " ".join(re.sub(r"'[^']*'|\d+", "", result).split()[:12])


def first_error(path):
    """What the compiler said, in short."""
    if os.path.exists(path):
        with open(path, errors="replace") as log:
            for line in log:
                match = re.search(r"(error|ERROR|assert\w*): (.*)", line)
                if match:
                    return f" ({match.group(2)[:150]})"
    return ""


class Checker:
    """A process that checks one program after the other."""

    def __init__(self, options):
        command = [options.checker]
        if options.cpu_target:
            command.append(f"--cpu-target={options.cpu_target}")
        if options.opt_level:
            command.append(f"--opt-level={options.opt_level}")
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def check(self, path):
        self.process.stdin.write(path + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return line[len(path) + 1:].rstrip("\n")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Run:
    """Programs of consecutive seeds, shared among threads."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.next = options.seed
        self.end = options.seed + options.count
        self.lock = threading.Lock()
        self.agree = self.checked = self.undecided = 0
        self.failures = []

    def take(self):
        with self.lock:
            if self.next >= self.end:
                return None
            self.next += 1
            return self.next - 1

    def work(self):
        checker = Checker(self.options)
        while (seed := self.take()) is not None:
            path = os.path.join(self.folder, f"{seed}.tfir")
            text = KINDS[self.options.kind](seed)
            result = self.check(checker, path, text)
            with self.lock:
                self.count(seed, text, result)
        checker.close()

    @staticmethod
    def check(checker, path, text):
        with open(path, "w") as file:
            file.write(text)
        result = checker.check(path)
        if not result.startswith("ok "):
            result += first_error(path + ".log")
        for name in (path, path + ".log"):
            if os.path.exists(name):
                os.remove(name)
        return result

    def count(self, seed, text, result):
        if result.startswith("ok "):
            self.agree += 1
            _, checked, undecided = result.split()
            self.checked += int(checked)
            self.undecided += int(undecided)
            return
        print(f"seed {seed}: {result}", flush=True)
        self.failures.append((seed, text, result))

    def reduce(self):
        """The first failure of each kind, small."""
        checker, known = Checker(self.options), set()
        path = os.path.join(self.folder, "reduced.tfir")
        for seed, text, result in self.failures:
            kind = kind_of(result)
            if kind in known or len(known) >= self.options.reduce:
                continue
            known.add(kind)
            small = reduce_program(
                text, lambda t: kind_of(self.check(checker, path, t)) == kind)
            result = self.check(checker, path, small)
            os.makedirs(self.options.keep, exist_ok=True)
            kept = os.path.join(self.options.keep, f"{seed}.tfir")
            with open(kept, "w") as file:
                file.write(small)
            print(f"seed {seed}, reduced, in {kept}: {result}\n{small}",
                  flush=True)
        checker.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--kind", default="any", choices=sorted(KINDS))
    parser.add_argument("--checker", required=True, help="check-programs")
    parser.add_argument("--cpu-target",
                        help="compile by this target of CPUs, too")
    parser.add_argument("--opt-level",
                        help="with 0, LLVM does little: twice as many programs "
                             "in the time")
    parser.add_argument("--keep", default="random-failures",
                        help="folder for reduced programs")
    parser.add_argument("--reduce", type=int, default=5,
                        help="so many kinds of failures are made small")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(options, folder)
        threads = [threading.Thread(target=run.work)
                   for _ in range(options.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        run.reduce()
    total = run.checked + run.undecided
    share = 100 * run.undecided / total if total else 100
    print(f"{options.count} programs of kind '{options.kind}' from seed "
          f"{options.seed}: {run.agree} agree, {len(run.failures)} fail; "
          f"{run.checked} elements compared, {share:.1f} % more undecided")
    # A comparison in which rounding decides everything would prove nothing.
    return 1 if run.failures or share > 50 else 0


if __name__ == "__main__":
    sys.exit(main())
