# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where there is no library, --reduce=nccl is --reduce=ring.

  nccl.py REPOSITORY FOLDER

The same weights: to the bit where the mean has no other product to be rounded
with, as a momentum. On GPUs (emulated ones unless GRAPHC_TEST_GPU=real) up to
rounding, as there a library may be found.
"""
import json
import struct

import numpy as np

from common import (SOURCE, command, compile_example, harness, losses,
                    make_digits, path, read_bytes, require, weights)

TRAIN = ["--graph=train", "--steps=2", "--seed=3"]
PHASES = ["parsed", "differentiated", "replicated", "placed", "partitioned",
          "lowered", "scheduled", "compiled"]


def compiled(example, devices, reduce, *options):
    return compile_example(example, f"--devices=gpu:0-{devices - 1}",
                           f"--reduce={reduce}", *options)


def floats(data):
    """The variables of 32-bit floats of a checkpoint's bytes."""
    size = struct.unpack("<Q", data[:8])[0]
    return {name: np.frombuffer(
        data[8 + size + entry["data_offsets"][0]:
             8 + size + entry["data_offsets"][1]], np.float32)
            for name, entry in json.loads(data[8:8 + size]).items()
            if name != "__metadata__" and entry["dtype"] == "F32"}


def trained(example, devices, batch, *inputs):
    """The checkpoints after training with a ring and with --reduce=nccl."""
    return [weights(compiled(example, devices, reduce, f"--batch={batch}"),
                    "--virtual-gpus", *TRAIN, *inputs)
            for reduce in ("ring", "nccl")]


def trains_like_a_ring(example, devices, batch, *inputs):
    ring, nccl = trained(example, devices, batch, *inputs)
    require(ring == nccl, f"{example} on {devices} devices: other bits")


def perceptron_trains_like_a_ring():
    trains_like_a_ring("mnist/mlp", 2, 8, DIGITS["train"])
    trains_like_a_ring("mnist/mlp", 4, 8, DIGITS["train"])


def lenet_trains_like_a_ring_but_for_rounding():
    ring, nccl = map(floats, trained("mnist/lenet5", 3, 6, DIGITS["train"]))
    require(sorted(ring) == sorted(nccl), "other variables")
    for name, want in ring.items():
        error = np.linalg.norm(nccl[name] - want)
        require(error <= 1e-5 * np.linalg.norm(want),
                f"'{name}' is off by {error:.3g}")


def few_weights_train_like_a_tree():
    x = np.linspace(0, 1, 12, dtype=np.float32)
    np.save(path("x.npy"), x)
    np.save(path("y.npy"), np.float32(2) * x + np.float32(0.2))
    trains_like_a_ring("linear-regression/adagrad", 4, 12,
                       *[f"--feed={n}={path(n + '.npy')}" for n in "xy"])


def gpus_train_like_a_ring():
    for devices in (2, 4):
        want, got = [
            losses(compiled("mnist/mlp", devices, reduce, "--batch=8"), *TRAIN,
                   DIGITS["train"]) for reduce in ("ring", "nccl")]
        require(np.allclose(got, want, rtol=1e-4),
                f"{devices} GPUs lose {got}, in a ring {want}")


def phases_can_be_resumed():
    """The same bytes twice, and from the text of every phase on."""
    options = ["--batch=24", "--devices=gpu:0-2", "--reduce=nccl"]
    source = f"{SOURCE}/test/models/Inputs/ring.tfir"
    whole = path("whole.mlir")
    command(["graphc", source, *options, "--stop-after=compiled", "-o", whole,
             f"--dump-phases={path('phases')}"])
    for number, phase in enumerate(PHASES[:-1], 1):
        text, rest = path(f"phases/{number:02}-{phase}.mlir"), path("rest.mlir")
        command(["graphc", f"--start-at={phase}", text, *options,
                 "--stop-after=compiled", "-o", rest])
        require(read_bytes(rest) == read_bytes(whole),
                f"resumed at {phase}, something else comes out")
    models = [path("first.bin"), path("second.bin")]
    for model in models:
        command(["graphc", source, *options, "-o", model])
    require(read_bytes(models[0]) == read_bytes(models[1]),
            "the bytes differ the second time")


if __name__ == "__main__":
    DIGITS = make_digits()
    harness.run_checks([perceptron_trains_like_a_ring,
                        lenet_trains_like_a_ring_but_for_rounding,
                        few_weights_train_like_a_tree, gpus_train_like_a_ring,
                        phases_can_be_resumed])
