# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples do on GPUs what they do on the CPU: losses and weights.

  gpu_models.py REPOSITORY FOLDER

The GPUs are the emulated ones unless GRAPHC_TEST_GPU=real; see docs/testing.md.
"""
import json
import struct
import sys

import numpy as np

from common import (SOURCE, command, compile_example, harness, losses,
                    make_digits, path, require, run, weights)

TRAIN = ["--graph=train", "--steps=4", "--seed=3"]
TOWERS = ["--replicate=towers"]
DTYPES = {"F32": np.float32, "F64": np.float64, "I64": np.int64}


def compiled(example, *options):
    return compile_example("mnist/" + example, "--batch=8", OWN_LEVEL, *options)


def variables(data):
    size = struct.unpack("<Q", data[:8])[0]
    return {name: np.frombuffer(
        data[8 + size + entry["data_offsets"][0]:
             8 + size + entry["data_offsets"][1]],
        DTYPES[entry["dtype"]]).astype(np.float64)
            for name, entry in json.loads(data[8:8 + size]).items()
            if name != "__metadata__"}


def compare(what, found, expected):
    require(np.allclose(found, expected, rtol=1e-4, atol=1e-4),
            f"{what} is {found} on GPUs and {expected} on the CPU")


def trains_alike(example, *layout, options=()):
    model = compiled(example, *layout)
    arguments = [*TRAIN, DIGITS["train"], *options]
    compare(f"the loss of {example} with {layout}", losses(model, *arguments),
            losses(model, "--virtual-gpus", *arguments))
    found = variables(weights(model, *arguments))
    for name, values in variables(
            weights(model, "--virtual-gpus", *arguments)).items():
        compare(f"'{name}' of {example} with {layout}", found[name], values)


def one_gpu():
    trains_alike("mlp", "--devices=gpu:0")
    trains_alike("lenet5", "--devices=gpu:0")


def four_towers():
    trains_alike("lenet5", "--devices=gpu:0-3")
    trains_alike("mlp", "--devices=gpu:0-3")


def other_layouts():
    for reduce in ("ring", "tree"):
        trains_alike("mlp", "--devices=gpu:0-3", f"--reduce={reduce}")
    trains_alike("mlp", "--devices=gpu:0-1", "--variable-device=mirrored")


def every_value_is_looked_at():
    trains_alike("mlp", "--devices=gpu:0-1", options=["--check-numerics"])


def two_runs_have_the_same_bits():
    model = compiled("lenet5", "--devices=gpu:0-1")
    arguments = [model, *TRAIN, DIGITS["train"]]
    require(weights(*arguments) == weights(*arguments), "the bits differ")


def evaluates_what_it_saved():
    model = compiled("mlp", "--devices=gpu:0-1")
    file = path("saved.safetensors")
    command(["graphc-run", model, "--quiet", f"--save={file}", *TRAIN,
             DIGITS["train"]])
    arguments = [model, "--graph=eval", DIGITS["test"], "--fetch=accuracy",
                 "--mean", f"--load={file}"]
    compare("the accuracy", run(*arguments)["mean"]["accuracy"],
            run(*arguments, "--virtual-gpus")["mean"]["accuracy"])


def clusters_train_alike():
    """Two workers of two GPUs each; the parameter server has none."""
    with open(path("cluster.json"), "w", encoding="utf-8") as file:
        json.dump({"cluster": {"ps": ["localhost:1"],
                               "worker": ["localhost:2", "localhost:3"]},
                   "devices": {"/job:worker": ["gpu:0-1"]}}, file)
    options = [f"--cluster={path('cluster.json')}", *TOWERS]
    tasks = "--local-cluster=ps:1,worker:2"
    for layout in ([], ["--variable-device=mirrored", "--reduce=ring"]):
        model = compiled("mlp", *options, *layout)
        arguments = [*TRAIN, DIGITS["train"]]
        compare(f"the loss on a cluster with {layout}",
                losses(model, tasks, *arguments),
                losses(model, "--virtual-gpus", *arguments))


def random_numbers_are_the_same():
    with open(f"{SOURCE}/examples/pi/pi.tfir", encoding="utf-8") as file:
        text = file.read()
    require("268435456" in text, "the example has another number of points")
    with open(path("pi.tfir"), "w", encoding="utf-8") as file:
        file.write(text.replace("268435456", "65536"))
    command(["graphc", path("pi.tfir"), "-o", path("pi.bin"), *TOWERS,
             OWN_LEVEL, "--devices=gpu:0-3"])
    compare("pi", run(path("pi.bin"))["fetches"]["pi"],
            run(path("pi.bin"), "--virtual-gpus")["fetches"]["pi"])


if __name__ == "__main__":
    DIGITS, OWN_LEVEL = make_digits(), harness.own_level()
    harness.run_checks([one_gpu, four_towers, other_layouts,
                        every_value_is_looked_at, two_runs_have_the_same_bits,
                        evaluates_what_it_saved, clusters_train_alike,
                        random_numbers_are_the_same])
