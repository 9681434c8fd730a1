# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Towers whose gradients NCCL adds up train as those of a ring do.

  gpu_nccl.py REPOSITORY FOLDER

The GPUs are the emulated ones unless GRAPHC_TEST_GPU=real; see docs/testing.md.
"""
import os
import subprocess

import numpy as np

from common import (compile_example, harness, losses, make_digits, path,
                    require)

LIMIT = 1e-6


def train(model, *options, nccl=None):
    """The losses of some steps, with another NCCL than the usual one if it is
    named."""
    usual = os.environ.get("GRAPHC_NCCL")
    if nccl:
        os.environ["GRAPHC_NCCL"] = nccl
    try:
        return losses(model, "--graph=train", "--steps=3", "--seed=3",
                      DIGITS["train"], *options)
    finally:
        if nccl and usual:
            os.environ["GRAPHC_NCCL"] = usual
        elif nccl:
            del os.environ["GRAPHC_NCCL"]


def compare(what, found, expected):
    require(np.allclose(found, expected, rtol=LIMIT, atol=LIMIT),
            f"{what}: the losses are {found}, not {expected}")


def compiled(example, gpus, reduce):
    return compile_example(f"mnist/{example}", "--batch=8",
                           f"--devices=gpu:0-{gpus - 1}", f"--reduce={reduce}")


def says_who_adds_up(model, gpus):
    """Whether NCCL does it at all."""
    said = subprocess.run(
        ["graphc-run", model, "--quiet", "--log-devices", "--graph=train",
         "--steps=1", DIGITS["train"]],
        check=True, stderr=subprocess.PIPE, text=True).stderr
    require("all-reduce: NCCL" in said and f", {gpus} GPUs\n" in said,
            f"the log of devices is: {said}")


def trains_as_a_ring_does(example, gpus):
    expected = train(compiled(example, gpus, "ring"))
    model = compiled(example, gpus, "nccl")
    what = f"{example} on {gpus} GPUs"
    says_who_adds_up(model, gpus)
    compare(what, train(model), expected)
    return model, expected


def mlp():
    for gpus in (2, 4):
        model, expected = trains_as_a_ring_does("mlp", gpus)
        compare(f"{gpus} GPUs without NCCL", train(model, nccl="none"),
                expected)


def lenet5():
    trains_as_a_ring_does("lenet5", 2)
    trains_as_a_ring_does("lenet5", 4)


def instruction_by_instruction():
    model = compiled("mlp", 2, "nccl")
    expected = train(model)
    compare("--profile", train(model, "--profile"), expected)
    compare("--check-numerics", train(model, "--check-numerics"), expected)


def a_task_of_a_cluster():
    with open(path("cluster.json"), "w", encoding="utf-8") as file:
        file.write('{"cluster": {"worker": ["localhost:1"]},'
                   ' "devices": {"/job:worker": ["gpu:0-1"]}}')
    model = compile_example("mnist/mlp", "--batch=8", "--replicate=towers",
                            f"--cluster={path('cluster.json')}",
                            "--reduce=nccl")
    cluster = "--local-cluster=worker:1"
    compare("a server", train(model, cluster),
            train(model, cluster, nccl="none"))


if __name__ == "__main__":
    DIGITS = make_digits()
    harness.run_checks([mlp, lenet5, instruction_by_instruction,
                        a_task_of_a_cluster])
