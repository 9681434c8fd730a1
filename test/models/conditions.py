# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A training with a loop and a choice that data decide is the same wherever it runs.

  conditions.py REPOSITORY FOLDER

The weights of a layer are divided by their largest singular value, which a loop of as many
steps as it takes finds. What the loop reads comes from other devices and tasks.
"""
import re

import numpy as np

from common import (SOURCE, cluster_flag, command, flags_for_this_cpu, harness, path,
                    require, weights)

LIMIT = 3e-5
STEPS = 6
LAYOUTS = [
    (["--cpu-devices=2"], []),
    (["--devices=cpu:0-1", "--replicate=auto", "--replicas=2"], []),
    (["--devices=gpu:0"], ["--virtual-gpus"]),
    (["--devices=gpu:0-1"], ["--virtual-gpus"]),
    (["--place=op~While=/cpu:1", "--cpu-devices=2"], []),
    (["--cpu-target=reference"], []),
]


def feeds():
    random = np.random.Generator(np.random.PCG64(5))
    for name, size in (("x", 16), ("y", 8)):
        np.save(path(name + ".npy"), random.normal(size=(24, size)).astype(np.float32))
    return [f"--feed={name}={path(name + '.npy')}" for name in "xy"]


def compiled(options):
    command(["graphc", f"{SOURCE}/test/models/Inputs/spectral-norm.tfir", "-o",
             path("model.bin"), "--batch=24", *flags_for_this_cpu(), *options])
    return path("model.bin")


def trained(options, run):
    """The variables and the fetches after STEPS steps."""
    data = weights(compiled(options), "--graph=train", f"--steps={STEPS}", *feeds(), *run,
                   f"--out={path('out')}")
    with open(path("read.safetensors"), "wb") as opened:
        opened.write(data)
    found = harness.read_safetensors(path("read.safetensors"))
    for name in ("loss", "sigma", "steps", "rate"):
        found["fetch/" + name] = np.load(path(f"out/{name}.npy"))
    return found


def compare(what, got, want):
    require(set(got) == set(want), f"{what}: has {sorted(got)}, not {sorted(want)}")
    for name, value in want.items():
        error = np.linalg.norm(got[name].astype(float) - value.astype(float))
        size = max(np.linalg.norm(value.astype(float)), 1e-7)
        require(error <= LIMIT * size, f"{what}: '{name}' is off by {error / size:.3g}")


def numpy_finds_the_same():
    found = trained(["--devices=cpu:0"], [])
    want = np.linalg.svd(found["w"].astype(float))[1][0] ** 2
    # The variable has moved on since, by one update of a small rate.
    require(abs(found["fetch/sigma"] - want) < 0.1 * want,
            f"sigma is {found['fetch/sigma']}, not near {want}")
    require(0 < found["fetch/steps"] < 200, f"{found['fetch/steps']} steps")
    require(np.isfinite(found["fetch/loss"]), "no loss")


def layouts_are_one_device():
    want = trained(["--devices=cpu:0"], [])
    for options, run in LAYOUTS:
        compare(options, trained(options, run), want)


def tasks_are_one_device():
    """Variables are on a server, what is computed on workers; the same plan is simulated."""
    want = trained(["--devices=cpu:0"], [])
    cluster = [cluster_flag(1, 2), "--placement=ps-round-robin"]
    got = trained(cluster, ["--local-cluster=ps:1,worker:2"])
    compare(cluster, got, want)
    printed = command(["graphc-run", path("model.bin"), "--sim-cluster", "--graph=train",
                       f"--steps={STEPS}", "--quiet", *feeds()])
    require(not re.search("error|broken", printed), printed)


if __name__ == "__main__":
    harness.run_checks([numpy_finds_the_same, layouts_are_one_device,
                        tasks_are_one_device])
