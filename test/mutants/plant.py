#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests the tests: plants subtle faults in a copy of the sources, one at a time,
# and runs the tests that should find them. docs/testing.md says how it is used.
import argparse
import json
import os
import random
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import kinds  # noqa: E402
import trial  # noqa: E402
import watch  # noqa: E402
from tree import BuildError, Tree  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def parse(arguments):
    parser = argparse.ArgumentParser(
        description="Plants mutants in a copy of the sources and lists those "
                    "that no test finds.")
    parser.add_argument("--count", type=int, default=10, metavar="N",
                        help="mutants to judge (default 10)")
    parser.add_argument("--seed", type=int, default=1, metavar="S",
                        help="which ones (default 1)")
    parser.add_argument("--folder", action="append", metavar="F",
                        help="one of the table's folders; may be repeated")
    parser.add_argument("--only", action="append", metavar="ID",
                        help="this mutant, as a line of the list names it")
    parser.add_argument("--known", metavar="FILE",
                        help="the mutants of a file: place, old and new text, "
                             "separated by '|'")
    parser.add_argument("--own", action="store_true",
                        help="run the tests of a mutant's own folder only; what "
                             "survives can be judged again with --only")
    parser.add_argument("--list", metavar="FILE",
                        help="results are added to this file; what it has is "
                             "not judged again")
    parser.add_argument("--show", action="store_true",
                        help="print the mutants, judge none")
    parser.add_argument("--build", metavar="DIR",
                        help="the copy of the sources, with its build "
                             "(default: build-mutants in the sources)")
    parser.add_argument("--source", default=os.path.join(HERE, "..", ".."),
                        metavar="DIR", help="the sources")
    parser.add_argument("--table", default=os.path.join(HERE, "folders.json"),
                        metavar="FILE", help="folders and their tests")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--lit", metavar="PATH")
    return parser.parse_args(arguments)


class Sampler:
    """Draws mutants: each folder in turn, then a kind, then a place."""

    def __init__(self, source, table, folders, seed):
        self.random = random.Random(seed)
        self.left = {}
        for name in folders:
            by_kind = {}
            for path in sources_of(source, table["folders"][name]["source"]):
                with open(os.path.join(source, path), encoding="utf-8") as file:
                    for mutant in kinds.mutants_of(path, file.read()):
                        by_kind.setdefault(mutant.kind, {})[mutant.name] = mutant
            self.left[name] = {k: list(v.values()) for k, v in by_kind.items()}

    def draw(self, folder):
        """One that was not drawn before, or None."""
        some = sorted(k for k, v in self.left[folder].items() if v)
        if not some:
            return None
        of_kind = self.left[folder][self.random.choice(some)]
        return of_kind.pop(self.random.randrange(len(of_kind)))


def sources_of(root, folder):
    for here, folders, names in os.walk(os.path.join(root, folder)):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".cpp"):
                yield os.path.relpath(os.path.join(here, name), root)


def folder_of(table, path):
    return next((n for n, f in table["folders"].items()
                 if path.startswith(f["source"] + "/")), None)


def named(source, table, name):
    """The mutant of an id."""
    path = name.split(":")[0]
    if not folder_of(table, path) or not os.path.isfile(
            os.path.join(source, path)):
        sys.exit(f"plant.py: '{path}' is in no folder of the table")
    with open(os.path.join(source, path), encoding="utf-8") as file:
        for mutant in kinds.mutants_of(path, file.read()):
            if mutant.name == name:
                return mutant
    sys.exit(f"plant.py: no mutant '{name}'; the source may have changed since")


def known(source, path):
    """The mutants of a file of hand-picked ones."""
    with open(path, encoding="utf-8") as file:
        lines = [l.rstrip("\n") for l in file]
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        place, old, new = (part.strip().replace("\\n", "\n")
                           for part in line.split(" | "))
        with open(os.path.join(source, place), encoding="utf-8") as file:
            text = file.read()
        if text.count(old) != 1:
            sys.exit(f"{path}:{number}: {place} has '{old}' {text.count(old)} "
                     "times, expected once")
        yield kinds.Source(place, text).mutant(
            "known", number, text.index(old), text.index(old) + len(old),
            "" if new == "-" else new)


def read_list(path):
    """Results of earlier runs: by id, the state and the test."""
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return {row[1]: (row[0], row[3]) for row in rows if len(row) > 3}


class Judge:
    """Judges one mutant after the other and keeps the list."""

    def __init__(self, options, table):
        folder = options.build or os.path.join(options.source, "build-mutants")
        self.options, self.table = options, table
        self.known = read_list(options.list)
        self.counts = {}
        self.tree = Tree(options.source, folder, options.jobs)
        watch.lock(folder)
        watch.limits["cpu"] = table["cpu_seconds"]
        self.tree.copy()
        self.tree.configure(table["configure"])
        self.tests = trial.Tests(self.tree, options.lit or trial.find_lit(),
                                 table["limit"])
        for name, (_, test) in self.known.items():
            self.note_killer(name.split(":")[0], test)

    def note_killer(self, source, test):
        if test not in trial.NO_TESTS:
            self.tests.killers.add(source, test)

    def try_out(self, folder, mutant):
        """Judges a mutant; a test that kills it passes without it."""
        while True:
            result = trial.judge(self.tree, self.tests, mutant, folder)
            if result.state != trial.KILLED or result.by in self.tests.sound:
                return result
            if not self.tree.make(self.tree.needed([result.by])):
                raise BuildError("the sources cannot be built:\n"
                                 + self.tree.output[-3000:])
            if self.tests.is_sound(result.by):
                return result
            print(f"note: {result.by} fails without a mutant and is not "
                  "counted", flush=True)

    def judge(self, name, mutant):
        """True when the mutant counts."""
        if mutant.name in self.known:
            result = trial.Result(self.known[mutant.name][0], "an earlier run",
                                  0)
        else:
            result = self.try_out(self.table["folders"][name], mutant)
            self.note_killer(mutant.path, result.by)
            if self.options.list:
                with open(self.options.list, "a", encoding="utf-8") as file:
                    file.write("\t".join([result.state, mutant.name,
                                          mutant.change, result.by,
                                          f"{result.seconds:.0f}"]) + "\n")
        by = f" by {result.by}" if result.by else ""
        counts = result.state in (trial.KILLED, trial.SURVIVED)
        is_asked_for = bool(self.options.only or self.options.known)
        if not counts and not is_asked_for:
            return False
        print(f"{result.state}{by}: {mutant.name}: {mutant.change} "
              f"({result.seconds:.0f} s)", flush=True)
        if counts:
            states = self.counts.setdefault(name, {})
            states[result.state] = states.get(result.state, 0) + 1
        return counts or is_asked_for

    def summary(self):
        total = {trial.KILLED: 0, trial.SURVIVED: 0}
        for name, counts in sorted(self.counts.items()):
            killed = counts.get(trial.KILLED, 0)
            print(f"{name}: {killed} of {sum(counts.values())} killed")
            for state, number in counts.items():
                total[state] += number
        every = sum(total.values())
        share = f" ({100 * total[trial.KILLED] / every:.0f} %)" if every else ""
        print(f"{every} mutants, {total[trial.KILLED]} killed{share}, "
              f"{total[trial.SURVIVED]} survived")


def chosen(options, table):
    """The mutants to judge: (folder, mutant) without end, and how many count."""
    source = options.source
    if options.only or options.known:
        picked = [named(source, table, name) for name in options.only or []]
        if options.known:
            picked += known(source, options.known)
        return [(folder_of(table, m.path), m) for m in picked], len(picked)
    folders = options.folder or sorted(table["folders"])
    for name in folders:
        if name not in table["folders"]:
            sys.exit(f"plant.py: no folder '{name}'; there are "
                     f"{', '.join(sorted(table['folders']))}")
    sampler = Sampler(source, table, folders, options.seed)
    return drawn(sampler, folders), options.count


def drawn(sampler, folders):
    """One of each folder in turn. A mutant that does not count is replaced by
    another of its folder: the judge sends False back."""
    folders = list(folders)
    while folders:
        for name in list(folders):
            counts = False
            while not counts:
                mutant = sampler.draw(name)
                if mutant is None:
                    folders.remove(name)
                    break
                counts = (yield name, mutant) is not False


def main(arguments):
    options = parse(arguments)
    with open(options.table, encoding="utf-8") as file:
        table = json.load(file)
    if options.own:
        for folder in table["folders"].values():
            folder["neighbours"] = []
    mutants, count = chosen(options, table)
    os.nice(10)
    watch.adopt_orphans()
    for number in (signal.SIGINT, signal.SIGTERM):  # also where INT is ignored
        signal.signal(number, signal.default_int_handler)
    judge = None if options.show else Judge(options, table)
    done, counted, stream = 0, None, iter(mutants)
    try:
        while done < count:
            try:
                name, mutant = (next(stream) if isinstance(mutants, list)
                                else stream.send(counted))
            except StopIteration:
                break
            if options.show:
                print(f"{mutant.name}: {mutant.change}")
                counted = True
            else:
                counted = judge.judge(name, mutant)
            done += counted
    except KeyboardInterrupt:
        print("stopped")
    except BuildError as error:
        sys.exit(f"plant.py: {error}")
    if judge:
        judge.summary()


if __name__ == "__main__":
    main(sys.argv[1:])
