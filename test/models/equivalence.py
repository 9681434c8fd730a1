# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random training programs on one device and as towers: the same weights.

  equivalence.py SOURCE FOLDER towers|canonical [COUNT [FIRST]]

towers: 20 steps with the global batch on one device against 2 and 4 towers, reduced
by parameter server, ring and tree: within 1e-6 of the norm, for smooth programs (see
training_programs.py). canonical: with canonical numerics all layouts of four replicas
give the same bits, for programs of all kinds.
"""
import sys

import numpy as np

from common import command, flags_for_this_cpu, harness, path, require
from training_programs import TrainingProgram, module_of

COUNT = int(sys.argv[4]) if len(sys.argv) > 4 else 10
FIRST = int(sys.argv[5]) if len(sys.argv) > 5 else 0
GROUP = 10  # programs that are compiled as one module
STEPS, LIMIT = 20, 1e-6

ONE = ["--devices=cpu:0"]
TOWERS = {f"{n} towers, {reduce}": [f"--devices=gpu:0-{n - 1}",
                                    f"--reduce={reduce}"]
          for n in (2, 4) for reduce in ("ps", "ring", "tree")}
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
    "four GPUs, tree": ["--devices=gpu:0-3", "--reduce=tree"]}


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

    def weights(self, options):
        """All variables of each program after its steps, by program."""
        model = path("programs.bin")
        command(["graphc", self.text, "--batch=16", "-o", model,
                 *FLAGS, *options])
        result = {}
        for program in self.programs:
            file = path("weights.safetensors")
            command(["graphc-run", model, f"--graph={program.name}", "--quiet",
                     f"--steps={STEPS}", "--virtual-gpus", "--seed=3",
                     f"--save={file}", *self.feeds[program.name]])
            # The other programs of the module stay as they were initialized.
            result[program.name] = {
                name: value for name, value
                in harness.read_safetensors(file).items()
                if name.split("/")[0].startswith(program.name + "_")}
        return result


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


def towers_give_what_one_device_gives():
    worst = 0
    for group in groups(is_smooth=True):
        want = group.weights(ONE)
        for layout, options in TOWERS.items():
            got = group.weights(options)
            for name in want:
                error = distance(want[name], got[name])
                worst = max(worst, error)
                require(error <= LIMIT, f"program {name} on {layout}: the "
                        f"weights differ by {error:.3g}, at most {LIMIT}")
    print(f"largest distance of {COUNT} programs: {worst:.3g}")


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


if __name__ == "__main__":
    FLAGS = flags_for_this_cpu()
    harness.run_checks([{"towers": towers_give_what_one_device_gives,
                         "canonical": canonical_layouts_give_the_same_bits}[
                             sys.argv[3]]])
