# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One mutant: planted, built, tested, taken away.
import collections
import json
import os
import shutil
import tempfile
import time

import order
from tree import BuildError
from watch import run_watched

KILLED, SURVIVED = "killed", "survived"
# What does not count: another mutant is taken.
UNBUILT, SAME = "does not compile", "same code"
NO_TESTS = ("", "TIME LIMIT", "the build")  # that a mutant was killed by
Result = collections.namedtuple("Result", "state by seconds")


def find_lit():
    found = shutil.which("lit") or "/usr/lib/llvm-22/bin/lit"
    if not os.path.exists(found):
        raise FileNotFoundError("there is no 'lit'; give --lit=PATH")
    return found


class Tests:
    """Runs test folders by lit. Nothing is run beforehand: a test that fails
    for the first time is run without the mutant, too."""

    def __init__(self, tree, lit, limit):
        self.tree = tree
        self.lit = lit
        self.most = limit    # seconds of a run of which nothing is known yet
        self.known = {}      # tests of folders
        self.killers = order.Killers()
        self.sound = set(NO_TESTS)  # pass without a mutant
        self.broken = set()  # fail without one

    def of(self, places):
        """The names of all tests of folders and files."""
        key = tuple(places)
        if key not in self.known:
            listed = run_watched([self.lit, "--show-tests",
                                  *self.paths(places)], self.most)
            self.known[key] = [line.split(" :: ", 1)[1].strip()
                               for line in listed.output.splitlines()
                               if " :: " in line]
            if not self.known[key]:
                raise RuntimeError(f"no tests in {places}:\n{listed.output}")
        return self.known[key]

    def paths(self, places):
        return [os.path.join(self.tree.build, "test", p) for p in places]

    def stages(self, places, source):
        return order.stages_of(self.of(places), self.killers.of(source),
                               order.read_times(self.tree.build))

    def run(self, places, limit):
        """The first tests that fail; 'TIME LIMIT' when it did not end."""
        paths = self.paths(places)
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            done = run_watched([self.lit, "-q", f"-j{self.tree.jobs}",
                                f"--max-failures={1 + len(self.broken)}",
                                "-o", report, *paths], limit)
            if done.code is None:
                return ["TIME LIMIT"]
            if not os.path.exists(report):
                raise RuntimeError(f"lit failed:\n{done.output[-2000:]}")
            with open(report) as file:
                tests = json.load(file)["tests"]
        failed = [t["name"].split(" :: ", 1)[1] for t in tests
                  if t["code"] in ("FAIL", "XPASS", "TIMEOUT", "UNRESOLVED")]
        return [f for f in failed if f not in self.broken]

    def limit(self, tests):
        """Long enough for a machine that is busy with other things."""
        times = order.read_times(self.tree.build)
        if any(test not in times for test in tests):
            return self.most
        return min(self.most, self.most / 10
                   + 10 * sum(times[test] for test in tests))

    def killer(self, tests):
        """The test that finds the mutant, or None. One that passes when it is
        run again does not count."""
        limit = self.limit(tests)
        for _ in range(3):
            failed = self.run(tests, limit)
            if not failed or failed[0] in self.sound:
                return failed[0] if failed else None
            if self.run(failed[:1], limit):
                return failed[0]
        return None

    def is_sound(self, test):
        """Whether a test passes now that there is no mutant; it is built."""
        if test in self.sound:
            return True
        if self.run([test], self.most):
            self.broken.add(test)
            return False
        self.sound.add(test)
        return True


def judge(tree, tests, mutant, folder):
    """Plants a mutant and says what became of it."""
    start = time.monotonic()
    made = tree.object_of(mutant.path)
    if made and not tree.make([made]):
        raise BuildError(tree.output)
    before = tree.digest(mutant.path)
    tree.plant(mutant)
    try:
        if made and not tree.make([made]):
            return Result(UNBUILT, "", time.monotonic() - start)
        # What the compiler makes the same of is the same.
        if before and tree.digest(mutant.path) == before:
            return Result(SAME, "", time.monotonic() - start)
        # The folder's own tests first: they are near, and they are quick.
        for places in (folder["tests"], folder["neighbours"]):
            for stage in tests.stages(places, mutant.path) if places else []:
                if not tree.make(tree.needed(stage)):
                    # The build runs what it builds; a mutant may break that.
                    return Result(KILLED, "the build", time.monotonic() - start)
                found = tests.killer(stage)
                if found:
                    return Result(KILLED, found, time.monotonic() - start)
        return Result(SURVIVED, "", time.monotonic() - start)
    finally:
        tree.restore(mutant)
