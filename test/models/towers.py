# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Towers train as one device does.

  towers.py REPOSITORY FOLDER MODEL STEPS

After STEPS steps the weights of every layout are those of one device with the
same batch, up to rounding; with --numerics=canonical those of any layout with as
many towers, to the bit.

LeNet-5 at its own rate is chaotic: among its million ReLUs and maxima there is one
in every few steps that is within rounding of its kink, and where it falls decides
about a whole gradient (docs/replication.md). So single steps are compared, from the
same weights; and after STEPS steps weights may be as far apart as those of one device
are from its own when it starts with other last bits.
"""
import json
import struct
import sys

import numpy as np

from common import (SOURCE, command, flags_for_this_cpu, harness, losses,
                    make_digits, path, require, weights)

MODEL, STEPS = sys.argv[3], sys.argv[4]
LIMIT = 1e-6
STARTS = [1, 4, 9, 18]
ONE = ["--devices=cpu:0"]
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


def compiled(layout, name="model.bin"):
    command(["graphc", f"{SOURCE}/examples/{EXAMPLE}.tfir", "-o", path(name),
             *OPTIONS, *FLAGS, *layout])
    return path(name)


def steps(model, count, start=None):
    """The bytes of the weights after so many steps from the file `start`."""
    load = [f"--load={start}"] if start else []
    return weights(model, "--virtual-gpus", *RUN, f"--steps={count}", *load)


def trained(layout):
    return steps(compiled(layout), STEPS)


def largest_error(got, want):
    """Of all variables, each relative to its norm: (error, name)."""
    require(sorted(got) == sorted(want), f"a checkpoint has {sorted(got)}, not "
                                         f"{sorted(want)}")
    return max((np.linalg.norm(got[name] - values) /
                max(np.linalg.norm(values), 1e-30), name)
               for name, values in want.items())


def compare(layout, got, want):
    error, name = largest_error(got, want)
    require(error <= LIMIT, f"{layout}: '{name}' is off by {error:.3g}")


def layouts_train_alike():
    want = tensors(trained(ONE))
    for layout in LAYOUTS + (MORE_LAYOUTS if MODEL == "adagrad" else []):
        compare(layout, tensors(trained(layout)), want)


def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)


def with_other_last_bits(data, seed):
    """A checkpoint in which half of the trained numbers are an ulp larger."""
    random = np.random.Generator(np.random.PCG64(seed))
    size = struct.unpack("<Q", data[:8])[0]
    data = bytearray(data)
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__" or entry["dtype"] != "F32" or "/" in name:
            continue
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        values = np.frombuffer(bytes(data[begin:end]), np.float32)
        larger = np.nextafter(values, np.float32(np.inf), dtype=np.float32)
        data[begin:end] = np.where(random.random(values.shape) < 0.5, larger,
                                   values).tobytes()
    return bytes(data)


def far(got, want):
    """The distance of all that is trained, relative to its norm."""
    names = [name for name in want if "/" not in name and name != "global_step"]
    return np.sqrt(sum(np.sum((got[n] - want[n]) ** 2) for n in names) /
                   sum(np.sum(want[n] ** 2) for n in names))


def layouts_step_alike():
    """At the model's own rate. Of STARTS one may be at a kink on some CPU."""
    one = compiled(ONE, "one.bin")
    starts = [write(f"start{n}.safetensors", steps(one, n)) for n in STARTS]
    wants = [tensors(steps(one, 1, start)) for start in starts]
    last = tensors(steps(one, STEPS, starts[0]))
    with open(starts[0], "rb") as file:
        first = file.read()
    allowed = 3 * max(far(tensors(steps(one, STEPS, write(
        "other.safetensors", with_other_last_bits(first, seed)))), last)
                      for seed in range(3))
    for layout in LAYOUTS:
        model = compiled(layout)
        errors = sorted(largest_error(tensors(steps(model, 1, start)), want)
                        for start, want in zip(starts, wants))
        require(errors[-2][0] <= LIMIT, f"{layout}: after one step '"
                f"{errors[-2][1]}' is off by {errors[-2][0]:.3g}")
        apart = far(tensors(steps(model, STEPS, starts[0])), last)
        require(apart <= allowed, f"{layout}: after {STEPS} steps weights are "
                f"off by {apart:.3g}; other last bits make {allowed / 3:.3g}")


def losses_are_means():
    """The loss that is fetched is that of the whole batch."""
    options = ["--virtual-gpus", *RUN, "--steps=3"]
    want = losses(compiled(ONE), *options)
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
    harness.run_checks([layouts_step_alike if MODEL == "lenet5"
                        else layouts_train_alike, losses_are_means,
                        canonical_numbers_do_not_depend_on_devices])
