# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Towers train as one device does.

  towers.py REPOSITORY FOLDER MODEL STEPS

After STEPS steps the weights of every layout are those of one device with the
same batch, up to rounding; with --numerics=canonical those of any layout with as
many towers, to the bit.
"""
import json
import struct
import sys

import numpy as np

from common import (SOURCE, command, flags_for_this_cpu, harness, losses,
                    make_digits, path, require, weights)

MODEL, STEPS = sys.argv[3], sys.argv[4]
LIMIT = 1e-6
DTYPES = {"F32": np.float32, "F64": np.float64, "I64": np.int64}

LAYOUTS = [
    ["--devices=gpu:0-1"], ["--devices=gpu:0-3"],
    ["--devices=gpu:0-1", "--reduce=ring"],
    ["--devices=gpu:0-3", "--reduce=ring"],
    ["--devices=gpu:0-1", "--reduce=tree"],
    ["--devices=gpu:0-3", "--reduce=tree"],
]
MORE_LAYOUTS = [
    ["--cpu-devices=2"],
    ["--devices=gpu:0", "--replicas=4"],
    ["--devices=gpu:0-1", "--replicas=4"],
    ["--devices=gpu:0-1", "--replicas=4", "--reduce=ring"],
    ["--devices=gpu:0-3", "--variable-device=mirrored"],
    ["--devices=gpu:0-3", "--variable-device=mirrored", "--reduce=ps"],
    ["--devices=gpu:0-3", "--variable-device=/gpu:1"],
]
FOUR_TOWERS = [
    ["--devices=cpu:0"], ["--cpu-devices=2"],
    ["--devices=gpu:0-1"], ["--devices=gpu:0-2"], ["--devices=gpu:0-3"],
    ["--devices=gpu:0-1", "--reduce=ring"],
    ["--devices=gpu:0-2", "--reduce=ring"],
    ["--devices=gpu:0-3", "--reduce=ring"],
    ["--devices=gpu:0-3", "--reduce=tree"],
    ["--devices=gpu:0-3", "--variable-device=mirrored", "--reduce=ps"],
]


def tensors(data):
    """The variables of a checkpoint's bytes, mirrors among them or not."""
    size = struct.unpack("<Q", data[:8])[0]
    found = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            found[name] = np.frombuffer(
                data[8 + size + begin:8 + size + end],
                DTYPES[entry["dtype"]]).astype(np.float64)
    return found


def make_source():
    """The example, with a low rate for LeNet-5: a ReLU whose input is within
    rounding of 0 has another gradient, and of its million one would be. All of
    its biases that start at 0 are made of gradients, whatever the rate."""
    with open(f"{SOURCE}/examples/{EXAMPLE}.tfir", encoding="utf-8") as file:
        text = file.read()
    if MODEL == "lenet5":
        require("initial = 0.05," in text, "the example has another rate")
        text = text.replace("initial = 0.05,", "initial = 0.0005,")
    with open(path("model.tfir"), "w", encoding="utf-8") as file:
        file.write(text)


def compiled(layout):
    command(["graphc", path("model.tfir"), "-o", path("model.bin"), *OPTIONS,
             *FLAGS, *layout])
    return path("model.bin")


def trained(layout):
    return weights(compiled(layout), "--virtual-gpus", *RUN,
                   f"--steps={STEPS}")


def compare(layout, got, want):
    require(sorted(got) == sorted(want), f"{layout}: a checkpoint has "
                                         f"{sorted(got)}, not {sorted(want)}")
    for name, values in want.items():
        error = np.linalg.norm(got[name] - values)
        require(error <= LIMIT * np.linalg.norm(values),
                f"{layout}: '{name}' is off by {error:.3g} of "
                f"{np.linalg.norm(values):.3g}")


def layouts_train_alike():
    want = tensors(trained(["--devices=cpu:0"]))
    for layout in LAYOUTS + (MORE_LAYOUTS if MODEL == "adagrad" else []):
        compare(layout, tensors(trained(layout)), want)


def losses_are_means():
    """The loss that is fetched is that of the whole batch."""
    options = ["--virtual-gpus", *RUN, "--steps=3"]
    want = losses(compiled(["--devices=cpu:0"]), *options)
    got = losses(compiled(["--devices=gpu:0-3"]), *options)
    require(np.allclose(got, want, rtol=1e-5), f"{got}, not {want}")


def canonical_numbers_do_not_depend_on_devices():
    first = None
    for layout in FOUR_TOWERS:
        got = trained([*layout, "--replicas=4", "--numerics=canonical"])
        if first is None:
            first = got
        names = [name for name, values in tensors(got).items()
                 if (values != tensors(first)[name]).any()]
        require(got == first, f"{layout} trains other bits of {names}")


def make_points():
    x = np.linspace(0, 1, 120, dtype=np.float32)
    np.save(path("x.npy"), x)
    np.save(path("y.npy"), np.float32(2) * x + np.float32(0.2))
    return [f"--feed={n}={path(n + '.npy')}" for n in "xy"]


if __name__ == "__main__":
    FLAGS = flags_for_this_cpu()
    if MODEL == "adagrad":
        EXAMPLE, OPTIONS = "linear-regression/adagrad", ["--batch=120"]
        RUN = make_points()
    else:
        EXAMPLE, OPTIONS = "mnist/" + MODEL, ["--batch=40"]
        RUN = ["--graph=train", make_digits()["train"], "--seed=7"]
    make_source()
    harness.run_checks([layouts_train_alike, losses_are_means,
                        canonical_numbers_do_not_depend_on_devices])
