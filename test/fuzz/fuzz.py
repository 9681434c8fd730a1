#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs fuzzers: replays their corpora, fuzzes for a while, and keeps small corpora.
#
#   fuzz.py --build=FOLDER [--seconds=10] [--seed=1] [NAME...]
#       replays test/fuzz/Inputs/NAME and fuzzes on from there; all that were
#       built without a name. What is found is left in FOLDER/fuzz/found and the
#       command that shows it again is printed. Exit code 1: something was found.
#   fuzz.py --build=FOLDER --runs=N [--seed=1] [NAME...]
#       the same with a number of inputs instead of a time and nothing from
#       earlier runs: the same inputs on each machine.
#   fuzz.py --build=FOLDER --keep [NAME...]
#       renews each corpus from itself and from what fuzzing has found since.
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.abspath(__file__))

# The longest input of each fuzzer, in bytes.
LONGEST = {"Arrays": 1024, "Checkpoint": 1024, "Cluster": 1024, "Devices": 1024,
           "Faults": 512, "Frames": 2048, "Images": 1024, "Language": 2048, "Model": 16384,
           "Packets": 1024, "Parts": 8192, "Records": 1024, "Requests": 2048,
           "Sources": 1024, "Tables": 512, "Text": 2048}

# What --keep keeps beside the inputs with names.
KEPT_INPUTS = 60
KEPT_BYTES = 96 << 10

# One value is never larger, nor is the process.
LIMITS = ["-malloc_limit_mb=128", "-rss_limit_mb=1500", "-timeout=5"]


def environment():
    """Freed memory is kept for a while, but not more than is looked at."""
    env = dict(os.environ)
    env["ASAN_OPTIONS"] = ":".join(
        filter(None, [env.get("ASAN_OPTIONS"), "quarantine_size_mb=32"]))
    return env


def fixed_addresses():
    """A prefix of commands whose addresses are the same each time, where the
    system allows it."""
    prefix = ["setarch", "-R"]
    tried = subprocess.run([*prefix, "true"], stderr=subprocess.DEVNULL)
    return prefix if tried.returncode == 0 else []


class Fuzzer:
    """One of them, with its folders."""

    def __init__(self, build, name):
        self.name = name
        self.program = os.path.join(build, "fuzz", "Fuzz" + name)
        self.corpus = os.path.join(SOURCE, "Inputs", name)
        self.dictionary = self.corpus + ".dict"
        self.grown = os.path.join(build, "fuzz", "grown", name)
        self.found = os.path.join(build, "fuzz", "found", name)
        for folder in (self.corpus, self.grown, self.found):
            os.makedirs(folder, exist_ok=True)
        self.options = LIMITS + [f"-max_len={LONGEST[name]}"]

    def output_of(self, command, **how):
        """The exit code and the output."""
        run = subprocess.run(command, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True,
                             errors="replace", **how)
        return run.returncode, run.stdout

    def call(self, *arguments):
        options = [*self.options, f"-artifact_prefix={self.found}{os.sep}"]
        if os.path.exists(self.dictionary):
            options.append("-dict=" + self.dictionary)
        return self.output_of([self.program, *options, *arguments],
                              env=environment())

    def call_alike(self, *arguments):
        """The same inputs each time and on each machine. What libFuzzer makes of
        a corpus depends on the order of its files, and on all addresses and with
        them on the lengths of paths: files have short names here, addresses are
        not random, and the environment is empty."""
        with tempfile.TemporaryDirectory(dir=self.found) as place:
            options = list(self.options)
            names = []
            for number, path in enumerate(sorted(os.listdir(self.corpus))):
                names.append(f"{number:06}")
                os.symlink(os.path.join(self.corpus, path),
                           os.path.join(place, names[-1]))
            if os.path.exists(self.dictionary):
                os.symlink(self.dictionary, os.path.join(place, "dict"))
                options.append("-dict=dict")
            os.symlink(self.program, os.path.join(place, "fuzzer"))
            code, output = self.output_of(
                [*fixed_addresses(), "./fuzzer", *options, *arguments,
                 "-artifact_prefix=../", "-seed_inputs=" + ",".join(names)],
                cwd=place, env={"ASAN_OPTIONS": "quarantine_size_mb=32"})
        return code, output.replace("Test unit written to ../",
                                    f"Test unit written to {self.found}/")

    def run(self, seconds, runs, seed):
        """Replays and fuzzes; whether nothing was found."""
        code, output = self.call("-runs=0", self.corpus)
        began = time.monotonic()
        how = [f"-seed={seed}", "-print_final_stats=1"]
        if code == 0 and runs is None:
            code, output = self.call(
                *how, f"-max_total_time={seconds}", "-reload=0", self.grown,
                self.corpus)
        elif code == 0:
            code, output = self.call_alike(*how, f"-runs={runs}")
        if code != 0:
            self.tell(output)
            return False
        runs = re.findall(r"stat::number_of_executed_units:\s*(\d+)", output)
        cover = re.findall(r"cov: (\d+) ft: (\d+)", output)
        print(f"{self.name}: {runs[-1] if runs else 0} runs in "
              f"{time.monotonic() - began:.0f} s, "
              f"{cover[-1][0] if cover else 0} edges, "
              f"{cover[-1][1] if cover else 0} features, 0 findings",
              flush=True)
        return True

    def tell(self, output):
        """What was found, and how to see it again."""
        print(output[-12000:])
        path = re.findall(r"Test unit written to (\S+)", output)
        again = path[-1] if path else self.corpus
        print(f"{self.name}: 1 finding; see it again: "
              f"{self.program} {again}", flush=True)

    def keep(self):
        """A small corpus that reaches most of what is reached. Inputs with a
        name that a person gave them stay; the others are those that reach most,
        in the order in which libFuzzer writes them."""
        kept = self.corpus + ".new"
        shutil.copytree(self.corpus, kept, ignore=lambda _, names: [
            name for name in names if re.fullmatch("[0-9a-f]{40}", name)])
        named = set(os.listdir(kept))
        code, output = self.call("-set_cover_merge=1", kept, self.corpus,
                                 self.grown)
        if code != 0:
            self.tell(output)
            return False
        chosen = [os.path.join(kept, name) for name in os.listdir(kept)
                  if name not in named]
        size = 0
        for number, path in enumerate(sorted(
                chosen, key=lambda path: os.stat(path).st_mtime_ns)):
            size += os.path.getsize(path)
            if number >= KEPT_INPUTS or size > KEPT_BYTES:
                os.remove(path)
        shutil.rmtree(self.corpus)
        os.rename(kept, self.corpus)
        sizes = [os.path.getsize(os.path.join(self.corpus, name))
                 for name in os.listdir(self.corpus)]
        print(f"{self.name}: {len(sizes)} inputs, {sum(sizes)} bytes")
        return True


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--build", required=True)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    there = sorted(
        name for name in LONGEST
        if os.path.exists(os.path.join(build, "fuzz", "Fuzz" + name)))
    names = options.names or there
    for name in names:
        if name not in there:
            sys.exit(f"fuzz.py: there is no fuzzer '{name}' in '{build}'; there "
                     f"are: {' '.join(there) or 'none, build with preset asan'}")
    fine = True
    for name in names:
        fuzzer = Fuzzer(build, name)
        fine &= (fuzzer.keep() if options.keep
                 else fuzzer.run(options.seconds, options.runs, options.seed))
    if not names:
        sys.exit(f"fuzz.py: there are no fuzzers in '{build}'; build with preset "
                 "asan")
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
