# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One mutant: planted, built, tested, taken away.
import collections
import json
import os
import shutil
import tempfile
import time

from tree import BuildError
from watch import run_watched

KILLED, SURVIVED = "killed", "survived"
# What does not count: another mutant is taken.
UNBUILT, SAME = "does not compile", "same code"
Result = collections.namedtuple("Result", "state by seconds")


def find_lit():
    found = shutil.which("lit") or "/usr/lib/llvm-22/bin/lit"
    if not os.path.exists(found):
        raise FileNotFoundError("there is no 'lit'; give --lit=PATH")
    return found


class Tests:
    """Runs test folders by lit."""

    def __init__(self, tree, lit, least):
        self.tree = tree
        self.lit = lit
        self.least = least   # seconds before a hang is believed
        self.broken = set()  # fail without a mutant
        self.seconds = {}    # by place: how long it takes

    def run(self, places, limit, most=1):
        """Names of failing tests; 'TIME LIMIT' when it did not end."""
        paths = [os.path.join(self.tree.build, "test", p) for p in places]
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            command = [self.lit, "-q", f"-j{self.tree.jobs}", "-o", report,
                       *([f"--max-failures={most}"] if most else []), *paths]
            done = run_watched(command, limit)
            if done.code is None:
                return ["TIME LIMIT"]
            if not os.path.exists(report):
                raise RuntimeError(f"lit failed:\n{done.output[-2000:]}")
            with open(report) as file:
                tests = json.load(file)["tests"]
        failed = [t["name"].split(" :: ", 1)[1] for t in tests
                  if t["code"] in ("FAIL", "XPASS", "TIMEOUT", "UNRESOLVED")]
        return [f for f in failed if f not in self.broken]

    def measure(self, places):
        """The folders as they are: what fails now says nothing later."""
        for place in places:
            if place in self.seconds:
                continue
            start = time.monotonic()
            self.broken |= set(self.run([place], None, most=None))
            self.seconds[place] = time.monotonic() - start

    def limit(self, places):
        """Long enough for a machine that is busy with other things."""
        return self.least + 6 * sum(self.seconds[p] for p in places)

    def killer(self, places):
        """The test that finds the mutant, or None. One that passes when it is
        run again does not count."""
        for _ in range(3):
            # All go on behind one that was broken before.
            failed = self.run(places, self.limit(places),
                              1 + len(self.broken))
            if not failed or failed[0] == "TIME LIMIT":
                return failed[0] if failed else None
            again = self.run(failed[:1], self.limit(places))
            if again:
                return failed[0]
        return None


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
            if not places:
                continue
            if not tree.make(tree.needed(places)):
                # The build runs what it builds; a mutant may break that, too.
                return Result(KILLED, "the build", time.monotonic() - start)
            found = tests.killer(places)
            if found:
                return Result(KILLED, found, time.monotonic() - start)
        return Result(SURVIVED, "", time.monotonic() - start)
    finally:
        tree.restore(mutant.path)
