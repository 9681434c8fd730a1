# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The order of tests: those first that are likely to fail, or quick.
import os

# Seconds; a test that takes longer than all of them is in the last stage.
STAGES = (1, 5)
RECENT = 3  # tests that killed mutants of the same source, and of its folder
TIMES = ".lit_test_times.txt"  # which lit writes


def read_times(build):
    """Seconds by test, as lit last measured them: less than 0 where it failed."""
    path = os.path.join(build, "test", TIMES)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split(" ", 1) for line in file]
    return {row[1]: abs(float(row[0])) for row in rows if len(row) == 2}


class Killers:
    """Remembers which tests found mutants of which sources."""

    def __init__(self):
        self.tests = []  # (source, test), the last one first

    def add(self, source, test):
        self.tests.insert(0, (source, test))

    def of(self, source):
        """Those of this source first, then of others in its folder."""
        folder = os.path.dirname(source)
        own = [t for s, t in self.tests if s == source]
        near = [t for s, t in self.tests if os.path.dirname(s) == folder]
        return (list(dict.fromkeys(own))[:RECENT]
                + list(dict.fromkeys(near))[:RECENT])


def stages_of(tests, killers, times):
    """Groups of tests, each to be run when those before it have passed."""
    first = [t for t in dict.fromkeys(killers) if t in tests]
    rest = [t for t in tests if t not in first]
    stages, least = [first], 0
    for most in (*STAGES, float("inf")):
        stages.append([t for t in rest if least <= times.get(t, 0) < most])
        least = most
    return [stage for stage in stages if stage]
