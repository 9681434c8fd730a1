# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clipping, L2, accumulation and loss scales give the same numbers on one device, on
towers and with parameter servers; and so does each optimizer."""
import os

import numpy as np

from common import (cluster_flag, command, flags_for_this_cpu, harness, path, require,
                    tensors, weights)

LIMIT = 3e-6
STEPS = 6

TEXT = """
module @m {
  tfir.variable @w1 : tensor<40x1000xf32> = #tfir.random_normal<stddev = 0.1, seed = 1>
  tfir.variable @b1 : tensor<1000xf32> = #tfir.fill<0.1>
  tfir.variable @w2 : tensor<1000x3xf32> = #tfir.random_normal<stddev = 0.1, seed = 2>
  tfir.graph @train(%x: tensor<?x40xf32>, %y: tensor<?x3xf32>) -> (loss: tensor<f32>) {
    %w1 = tfir.read @w1 : tensor<40x1000xf32>
    %b1 = tfir.read @b1 : tensor<1000xf32>
    %w2 = tfir.read @w2 : tensor<1000x3xf32>
    %p = tfir.matmul %x, %w1 : (tensor<?x40xf32>, tensor<40x1000xf32>) -> tensor<?x1000xf32>
    %q = tfir.add %p, %b1 : (tensor<?x1000xf32>, tensor<1000xf32>) -> tensor<?x1000xf32>
    %h = tfir.tanh %q : (tensor<?x1000xf32>) -> tensor<?x1000xf32>
    %o = tfir.matmul %h, %w2 : (tensor<?x1000xf32>, tensor<1000x3xf32>) -> tensor<?x3xf32>
    %d = tfir.squared_difference %o, %y : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %loss = tfir.mean %d : (tensor<?x3xf32>) -> tensor<f32>
    tfir.minimize %loss using #tfir.OPTIMIZER {ATTRIBUTES}
    tfir.ema {decay = 0.9, num_updates}
    tfir.return %loss : tensor<f32>
  }
}
"""

# (optimizer, attributes of tfir.minimize)
PROGRAMS = {
    "clip": ("adadelta<learning_rate = 2, epsilon = 0.0001>",
             "clip_global_norm = 0.05 : f64"),
    "each": ("lars<learning_rate = 1, eeta = 0.05>",
             "clip_norm = 0.03 : f64, l2 = 0.01 : f64, decay_variables = [@w1, @w2]"),
    "batches": ("lamb<learning_rate = 0.01, epsilon = 0.001>",
                "accumulate = 2 : i64, clip_global_norm = 0.05 : f64"),
    "scaled": ("nadam<learning_rate = #tfir.linear_warmup<rate = 0.01, steps = 3>, "
               "epsilon = 0.01>",
               "loss_scale = 64.0 : f64, loss_scale_growth = 2 : i64, "
               "accumulate = 3 : i64, clip_value = 0.01 : f64"),
    "ftrl": ("ftrl<learning_rate = 0.1, l1 = 0.001>", ""),
    "amsgrad": ("amsgrad<learning_rate = 0.01, epsilon = 0.01>", ""),
    "adamw": ("adamw<learning_rate = 0.01, epsilon = 0.01>",
              "loss_scale = 128.0 : f64"),
    "adamax": ("adamax<learning_rate = 0.01>", "clip_norm = 0.05 : f64"),
    "proximal": ("proximal_adagrad<learning_rate = 0.1, l1 = 0.001>",
                 "clip_global_norm = 0.05 : f64"),
    "centred": ("rmsprop<learning_rate = 0.01, centered = true, epsilon = 0.01>",
                "l2 = 0.001 : f64"),
    # The sign of a gradient near 0 is one of its roundings, so no weight is there.
    "lion": ("lion<learning_rate = 0.001, weight_decay = 0.1>", ""),
}
TOWERS = [["--devices=gpu:0-3"], ["--devices=gpu:0-3", "--reduce=ring"],
          ["--devices=gpu:0-1", "--reduce=tree"],
          ["--devices=gpu:0-1", "--variable-device=mirrored", "--reduce=ps"],
          ["--devices=gpu:0-1", "--reduce=nccl"],
          ["--devices=gpu:0-1", "--replicas=4", "--numerics=canonical"]]


def feeds():
    random = np.random.Generator(np.random.PCG64(5))
    for name, size in (("x", 40), ("y", 3)):
        file = path(name + ".npy")
        if not os.path.exists(file):
            np.save(file, random.normal(size=(16, size)).astype(np.float32))
    return [f"--feed={name}={path(name + '.npy')}" for name in "xy"]


def compiled(program, layout):
    optimizer, attributes = PROGRAMS[program]
    source, model = path(program + ".tfir"), path(program + ".bin")
    text = TEXT.replace("OPTIMIZER", optimizer)
    with open(source, "w", encoding="utf-8") as file:
        file.write(text.replace("ATTRIBUTES", attributes))
    command(["graphc", source, "-o", model, "--batch=16", *flags_for_this_cpu(),
             *layout])
    return model


def trained(model, *options, steps=STEPS):
    return tensors(weights(model, "--virtual-gpus", f"--steps={steps}", *feeds(),
                           *options))


ONE = {}


def on_one(program, steps=STEPS):
    """The variables that one device trains."""
    if (program, steps) not in ONE:
        ONE[program, steps] = trained(
            compiled(program, ["--devices=cpu:0"]), "--graph=train", steps=steps)
    return ONE[program, steps]


def compare(what, got, want):
    require(set(got) == set(want), f"{what}: a checkpoint has {sorted(got)}, not "
                                   f"{sorted(want)}")
    for name, value in want.items():
        error = np.linalg.norm(got[name].astype(float) - value)
        size = max(np.linalg.norm(value.astype(float)), 1e-7)
        if value.dtype.kind == "i":
            require(error == 0, f"{what}: '{name}' is {got[name]}, not {value}")
        require(error <= LIMIT * size,
                f"{what}: '{name}' is off by {error / size:.3g}")


def towers_are_one_device():
    """Each change in some layouts, the first in all; other optimizers in one each."""
    layouts = {"clip": TOWERS, "each": TOWERS[4:], "batches": TOWERS[::3],
               "scaled": TOWERS[1:3]}
    others = [name for name in PROGRAMS if name not in layouts]
    for number, program in enumerate(others):
        layouts[program] = [TOWERS[number % 3]]
    for program, own in layouts.items():
        for layout in own:
            compare(f"{program} {layout}",
                    trained(compiled(program, layout), "--graph=train"),
                    on_one(program))


def norms_are_of_whole_variables():
    """Also where servers have parts of them."""
    split = ["--cpu-devices=3", "--placement=ps-by-bytes", "--replicate=none"]
    for program in ("each", "batches"):
        model = compiled(program, split)
        listed = command(["graphc-dump", model])
        require("'w1/part_" in listed, f"{program}: w1 is not divided")
        compare(f"{program} {split}", trained(model, "--graph=train"),
                on_one(program))


def asynchronous_workers_are_one_device():
    """One worker, and servers that each have a part of the variables."""
    for program in ("clip", "each", "ftrl", "amsgrad", "adamax"):
        model = compiled(program, ["--async", cluster_flag(2, 1)])
        compare(f"{program} --async", trained(model, "--graph=train@0"),
                on_one(program))


def quorums_are_one_device():
    """All workers have the same examples: any two make the same mean."""
    for program in ("batches", "scaled", "each"):
        model = compiled(program, ["--sync=2", cluster_flag(2, 3)])
        got = tensors(weights(
            model, "--local-cluster=ps:2,worker:3", "--graph=train", "--steps=8",
            "--stall=30", *feeds()))
        updates = int(got["global_step"])
        per_update = {"batches": 2, "scaled": 3}.get(program, 1)
        steps = updates * per_update + int(got.get("accumulated_steps", 0))
        require(updates >= 1, f"{program}: there was no update")
        compare(f"{program} --sync=2", got, on_one(program, steps))


if __name__ == "__main__":
    harness.run_checks([towers_are_one_device, norms_are_of_whole_variables,
                        asynchronous_workers_are_one_device,
                        quorums_are_one_device])
