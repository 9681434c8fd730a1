#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Harms real servers and clients at random moments and checks what must hold
# whatever happens. A seed says what happens; how it falls on the processes
# differs from run to run.
#
#   random_faults.py [--count 30] [--seed 0] [--modes ring,async] [--jobs 2]
#   random_faults.py --seed 17 --count 1 --keep 0,2     a seed's events 0 and 2
#
# A run that breaks a rule is printed with its events, its timeline, what all
# processes said, and the command that repeats it; then its events are dropped one
# by one for as long as it still breaks the rule.
import argparse
import concurrent.futures
import multiprocessing
import os
import shutil
import sys
import tempfile
import time

import namespaces
import processes
import rules
from play import Stage
from programs import FLAGS, Programs
from schedule import MODES, STEPS, SYNCHRONOUS, draw, mode_of

TRIES = 3  # of a schedule with an event less
REDUCE_SECONDS = 120


def choose_seeds(arguments):
    """The seeds from the first one whose mode is wanted."""
    seeds, seed = [], arguments.seed
    while len(seeds) < arguments.count:
        if mode_of(seed) in arguments.modes:
            seeds.append(seed)
        seed += 1
    return seeds


def prepare(folder):
    """Compiles all that runs may need, before they run at the same time."""
    programs = Programs(folder)
    for has_data in (False, True):
        programs.data_flags(has_data)
        for plan in FLAGS:
            programs.model(plan, has_data)
            if plan in SYNCHRONOUS:
                programs.weights(plan, has_data, 2 * STEPS)


def describe(record, folder):
    """All that is known about a run in a folder."""
    lines = [f"  event {i}: {event.text()}"
             for i, event in enumerate(record.schedule.events())]
    lines += [f"  {when:7.3f} s  {text}" for when, text in record.timeline]
    everybody = [*record.clients.values(), *(p for _, p in record.servers)]
    for program in everybody:
        lines.append(f"  --- {program.name} ({program.poll()}): "
                     + " ".join(program.command))
        for kind in ("out", "err"):
            rows = program.text(kind).splitlines()
            if len(rows) > 12 and kind == "out":
                rows = rows[:2] + [f"... {len(rows) - 5} lines"] + rows[-3:]
            lines += ["  | " + row for row in rows]
    return "\n".join(lines).replace(folder + "/", "")


def play(folder, seed, kept, has_namespaces):
    """Plays a seed; what it broke, the seconds it took, and its description."""
    processes.adopt_orphans()
    schedule = draw(seed)
    if kept is not None:
        schedule = schedule.keep(kept)
    place = tempfile.mkdtemp(prefix=f"{seed}-", dir=folder)
    began = time.monotonic()
    stage = Stage(schedule, Programs(folder), place, has_namespaces)
    record = stage.play()
    record.programs = stage.programs
    found = rules.broken(record)
    text = describe(record, place)
    shutil.rmtree(place)
    return found, time.monotonic() - began, text


def _send(pipe, *arguments):
    try:
        pipe.send(play(*arguments))
    except BaseException as error:  # the test is at fault, and says so
        import traceback
        pipe.send(([("driver", repr(error))], 0.0, traceback.format_exc()))


def play_apart(*arguments):
    """The same in a process of its own, which owns all that it started."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_send, args=(theirs, *arguments))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        return [("driver", "the run's process died")], 0.0, ""
    finally:
        process.join()


def reduce_events(folder, seed, kept, rule, has_namespaces):
    """Drops events one by one while the run still breaks the rule."""
    kept = list(kept)
    end = time.monotonic() + REDUCE_SECONDS
    for number in list(kept):
        if time.monotonic() > end:
            break
        fewer = [other for other in kept if other != number]
        for _ in range(TRIES):
            found, _, _ = play_apart(folder, seed, fewer, has_namespaces)
            if rule in [name for name, _ in found]:
                kept = fewer
                break
    return kept


def report(arguments, folder, seed, result, has_namespaces):
    """Prints a run that broke a rule, and what is left of it when reduced."""
    found, seconds, text = result
    print(f"seed {seed}, mode {mode_of(seed)}, {seconds:.1f} s:")
    for rule, what in found:
        print(f"  BROKEN {rule}: {what}")
    print(text)
    command = f"test/faults/random_faults.py --count 1 --seed {seed}"
    if arguments.keep:
        command += " --keep " + ",".join(map(str, arguments.keep))
    print(f"  repeat: {command}", flush=True)
    if arguments.reduce:
        events = arguments.keep or range(len(draw(seed).events()))
        kept = reduce_events(folder, seed, events, found[0][0], has_namespaces)
        print(f"  reduced: test/faults/random_faults.py --count 1 --seed {seed}"
              f" --keep {','.join(map(str, kept))}", flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    parser.add_argument("--keep", default="",
                        help="numbers of events: only these happen")
    parser.add_argument("--network", default="auto",
                        choices=("auto", "namespaces", "proxy"))
    parser.add_argument("--reduce", action=argparse.BooleanOptionalAction,
                        default=True)
    parser.add_argument("--quiet", action="store_true",
                        help="no line per run")
    parser.add_argument("--show", action="store_true",
                        help="print runs that broke no rule, too")
    arguments = parser.parse_args()
    arguments.modes = arguments.modes.split(",")
    for mode in arguments.modes:
        if mode not in MODES:
            parser.error(f"no mode '{mode}'; there are {', '.join(MODES)}")
    arguments.keep = [int(word) for word in arguments.keep.split(",") if word]
    return arguments


def find_tools():
    """Puts the build's tools on the PATH where none are."""
    build = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                         "../../build/bin")
    if not shutil.which("graphc-run"):
        os.environ["PATH"] = os.path.normpath(build) + ":" + os.environ["PATH"]
    if not shutil.which("graphc-run"):
        sys.exit("random_faults.py: graphc-run is neither on the PATH nor in"
                 " build/bin; build it first")


def main():
    arguments = parse_arguments()
    find_tools()
    has_namespaces = arguments.network != "proxy" and namespaces.are_allowed()
    if arguments.network == "namespaces" and not has_namespaces:
        sys.exit("random_faults.py: network namespaces are not allowed here")
    began = time.monotonic()
    failures = []
    with tempfile.TemporaryDirectory(prefix="graphc-faults-") as folder:
        prepare(folder)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            runs = {pool.submit(play_apart, folder, seed, arguments.keep or None,
                                has_namespaces): seed
                    for seed in choose_seeds(arguments)}
            for run in concurrent.futures.as_completed(runs):
                seed, result = runs[run], run.result()
                if not arguments.quiet:
                    print(f"seed {seed} {mode_of(seed)} {result[1]:.1f} s"
                          f" {'BROKEN' if result[0] else 'ok'}", flush=True)
                if arguments.show and not result[0]:
                    print(result[2])
                if result[0]:
                    failures.append((seed, result))
        for seed, result in sorted(failures):
            report(arguments, folder, seed, result, has_namespaces)
    print(f"{len(runs)} runs, {len(failures)} broke a rule,"
          f" {time.monotonic() - began:.0f} s,"
          f" links: {'namespaces' if has_namespaces else 'proxy'}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
