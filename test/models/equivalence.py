# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random training programs on one device and as towers: the same weights.

  equivalence.py SOURCE FOLDER towers|shards|pipelines|kinks|canonical [--count=N] [--first=N]

towers: 20 steps with the global batch on one device against 2 and 4 towers, reduced
by parameter server, ring and tree: within 1e-6 of the norm, for smooth programs (see
training_programs.py). shards: the same with --shard-updates, on 2 to 4 devices.
pipelines: the same as two and three stages. kinks: the same for programs with ReLU and maximum pools, one step
at a time from the weights of one device, each group of programs on two of the layouts;
a step in which an input is within rounding of a kink may part, and there are few.
canonical: with canonical numerics all layouts of four replicas give the same bits, for
programs of all kinds.
"""
import argparse
import sys

import numpy as np

from common import command, flags_for_this_cpu, harness, path, require
from training_programs import TrainingProgram, module_of

GROUP = 10  # programs that are compiled as one module
STEPS, LIMIT = 20, 1e-6
STARTS = [2, 12]  # steps after which one more is compared

ONE = ["--devices=cpu:0"]
TOWERS = {f"{n} towers, {reduce}": [f"--devices=gpu:0-{n - 1}",
                                    f"--reduce={reduce}"]
          for n in (2, 4) for reduce in ("ps", "ring", "tree")}
SHARDS = {f"{towers} towers on {n} devices, sharded": [
    f"--devices=gpu:0-{n - 1}", f"--replicas={towers}", "--shard-updates"]
          for towers, n in ((2, 2), (4, 3), (4, 4))}
PIPELINES = {f"{k} stages, {m} micro-batches, {schedule}": [
    f"--cpu-devices={k}", f"--pipeline={k}", f"--micro-batches={m}",
    f"--pipeline-schedule={schedule}"]
             for k, m, schedule in ((2, 4, "gpipe"), (2, 4, "1f1b"),
                                    (3, 2, "1f1b"))}
CANONICAL = {
    "one CPU": ["--devices=cpu:0"],
    "two CPUs": ["--devices=cpu:0-1"],
    "four CPUs": ["--devices=cpu:0-3"],
    "one GPU": ["--devices=gpu:0"],
    "two GPUs, ps": ["--devices=gpu:0-1", "--reduce=ps"],
    "two GPUs, ring": ["--devices=gpu:0-1", "--reduce=ring"],
    "four GPUs, ps": ["--devices=gpu:0-3", "--reduce=ps"],
    "four GPUs, variables on one": ["--devices=gpu:0-3", "--reduce=ps",
                                    "--variable-device=/gpu:1"],
    "four GPUs, ring": ["--devices=gpu:0-3", "--reduce=ring"],
    "four GPUs, tree": ["--devices=gpu:0-3", "--reduce=tree"],
    "two GPUs, sharded": ["--devices=gpu:0-1", "--shard-updates"],
    "four GPUs, sharded": ["--devices=gpu:0-3", "--shard-updates"]}


def write_feeds(program):
    options = []
    for name, value in program.feeds().items():
        file = path(f"{program.name}_{name}.npy")
        np.save(file, value)
        options += ["--feed", f"{name}={file}"]
    return options


class Group:
    """Some programs as one module."""

    def __init__(self, programs):
        self.programs = programs
        self.text = path("programs.tfir")
        with open(self.text, "w", encoding="utf-8") as file:
            file.write(module_of(programs))
        self.feeds = {p.name: write_feeds(p) for p in programs}

    def compiled(self, options):
        model = path("programs.bin")
        command(["graphc", self.text, "--batch=16", "-o", model,
                 *FLAGS, *options])
        return model

    def trained(self, model, program, steps, file, load=None):
        """Its variables after so many steps, also in `file`."""
        command(["graphc-run", model, f"--graph={program.name}", "--quiet",
                 f"--steps={steps}", "--virtual-gpus", "--seed=3",
                 f"--save={file}", *([f"--load={load}"] if load else []),
                 *self.feeds[program.name]])
        # The other programs of the module stay as they were initialized.
        return {name: value for name, value
                in harness.read_safetensors(file).items()
                if name.split("/")[0].startswith(program.name + "_")}

    def weights(self, options):
        """All variables of each program after its steps, by program."""
        model = self.compiled(options)
        return {program.name: self.trained(model, program, STEPS,
                                           path("weights.safetensors"))
                for program in self.programs}

    def starts(self):
        """Writes the weights of one device after STARTS; one step from each."""
        model = self.compiled(ONE)
        for program in self.programs:
            for steps in STARTS:
                self.trained(model, program, steps, start_of(program, steps))
        return self.next_steps(model)

    def next_steps(self, model):
        """One step from each start, by program and number of steps."""
        return {(program.name, steps): self.trained(
            model, program, 1, path("weights.safetensors"),
            start_of(program, steps))
                for program in self.programs for steps in STARTS}


def start_of(program, steps):
    return path(f"{program.name}_after_{steps}.safetensors")


def distance(a, b):
    """Of all weights of a program, relative to their norm."""
    require(a.keys() == b.keys(), f"variables {sorted(a.keys() ^ b.keys())}")
    error = sum(np.sum((a[n].astype(float) - b[n]) ** 2) for n in a)
    norm = sum(np.sum(a[n].astype(float) ** 2) for n in a)
    return np.sqrt(error / norm)


def groups(is_smooth):
    for first in range(FIRST, FIRST + COUNT, GROUP):
        last = min(first + GROUP, FIRST + COUNT)
        yield Group([TrainingProgram(i, is_smooth=is_smooth)
                     for i in range(first, last)])


def give_what_one_device_gives(layouts):
    worst = 0
    for group in groups(is_smooth=True):
        want = group.weights(ONE)
        for layout, options in layouts.items():
            got = group.weights(options)
            for name in want:
                error = distance(want[name], got[name])
                worst = max(worst, error)
                require(error <= LIMIT, f"program {name} on {layout}: the "
                        f"weights differ by {error:.3g}, at most {LIMIT}")
    print(f"largest distance of {COUNT} programs: {worst:.3g}")


def towers_give_what_one_device_gives():
    give_what_one_device_gives(TOWERS)


def shards_give_what_one_device_gives():
    give_what_one_device_gives(SHARDS)


def pipelines_give_what_one_device_gives():
    give_what_one_device_gives(PIPELINES)


def steps_of_towers_are_those_of_one_device():
    layouts = list(TOWERS.items())
    single = parted = 0
    worst = 0
    for number, group in enumerate(groups(is_smooth=False)):
        want = group.starts()
        for layout, options in (layouts[number % 3], layouts[3 + number % 3]):
            got = group.next_steps(group.compiled(options))
            for program in group.programs:
                errors = sorted(distance(want[key], got[key]) for key in
                                ((program.name, steps) for steps in STARTS))
                require(errors[0] <= LIMIT, f"program {program.name} on "
                        f"{layout}: each step is off by {errors[0]:.3g} or "
                        f"more, at most {LIMIT}")
                single += len(errors)
                parted += sum(error > LIMIT for error in errors)
                worst = max(worst, *(e for e in errors if e <= LIMIT))
        print(f"{(number + 1) * GROUP} programs: {parted} of {single} steps "
              f"part, others by {worst:.3g}", flush=True)
    require(parted <= 1 + single // 50, f"{parted} of {single} steps part: "
            "more than have an input at a kink")
    print(f"{COUNT} programs with kinks: {parted} of {single} steps part, others "
          f"by {worst:.3g}")


def canonical_layouts_give_the_same_bits():
    for group in groups(is_smooth=False):
        want = None
        for layout, options in CANONICAL.items():
            got = group.weights(["--numerics=canonical", "--replicas=4",
                                 "--replicate=towers", *options])
            want = want or got
            for name in want:
                for variable, value in want[name].items():
                    require(value.tobytes() == got[name][variable].tobytes(),
                            f"program {name} on {layout}: {variable} has other "
                            "bits")
    print(f"{COUNT} programs on {len(CANONICAL)} layouts")


CHECKS = {"towers": towers_give_what_one_device_gives,
          "shards": shards_give_what_one_device_gives,
          "pipelines": pipelines_give_what_one_device_gives,
          "kinks": steps_of_towers_are_those_of_one_device,
          "canonical": canonical_layouts_give_the_same_bits}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args(sys.argv[3:])
    COUNT, FIRST = arguments.count, arguments.first
    FLAGS = flags_for_this_cpu()
    harness.run_checks([CHECKS[arguments.check]])
