# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is computed again in the backward pass trains to the same weights, in less memory.

  recompute.py REPOSITORY FOLDER

A program with and without `recompute`, on one device, on towers, as a pipeline and as the
reference interpreter has it; a draw, an update, a custom gradient, a loop and a choice within
the bodies."""
import os
import re

import numpy as np

from common import (SOURCE, command, flags_for_this_cpu, harness, path, require, tensors,
                    weights)

ROWS, STEPS = 64, 5

# Blocks with a residual, one with a dropped and quantized part, whose statistics a variable
# keeps, and one with a loop and a choice in it.
TEXT = """tfir 1
let recomputes = {RECOMPUTES}
variable w[i in 0..4]: f32[24, 24] = random_normal(stddev=0.2, seed=3)
variable seen: f32[24] = 0.0 trainable=false

func again(x, w) {
  h = tanh(x @ w)
  h = gelu(h * h - 0.5 * h) * sigmoid(h @ w)
  return x + h, sum(h, axes=[1])
}
func pass_through(dy) { return dy }
func noisy(x) {
  variable scale: f32[24] = 1.0
  h = dropout(x * scale, 0.25, seed=9)
  seen := 0.9 * seen + 0.1 * mean(h, axes=[0])
  return x + custom_gradient(round(h * 8) / 8, [h], pass_through) * cos(h)
}
func deep(x, w) {
  for i in repeat(3, carry=[x]) { x = x + sin(x @ w) * 0.5 }
  if mean(x) > 0 { x = x * sigmoid(x) } else { x = x - tanh(x) }
  return x
}

graph train(x: f32[?, 24], y: f32[?, 24]) -> (loss) {
  if recomputes {
    x, s = recompute(again, x, w[0], name="one")
    x = recompute(noisy, x, name="two")
    x = recompute(deep, x, w[1], name="three")
    x, t = recompute(again, x, w[2], name="four")
  } else {
    x, s = again(x, w[0], name="one")
    x = noisy(x, name="two")
    x = deep(x, w[1], name="three")
    x, t = again(x, w[2], name="four")
  }
  loss = mean(squared_difference(x @ w[3], y)) + 0.01 * mean(s * t)
  minimize(loss, momentum(learning_rate=0.05, momentum=0.9))
}
"""
# With canonical numerics the bits are the same, also where other kernels are made of the ops;
# else they differ as roundings do.
CANONICAL = "--numerics=canonical"
LAYOUTS = {
    "one device": ["--devices=cpu:0"],
    "one device, canonical": ["--devices=cpu:0", CANONICAL],
    "two towers, canonical": ["--devices=gpu:0-1", CANONICAL],
    "two stages": ["--cpu-devices=2", "--pipeline=2", "--micro-batches=4",
                   "--pipeline-schedule=1f1b"],
}
LIMIT = 1e-6  # of the norm of a variable


def feeds(width):
    random = np.random.Generator(np.random.PCG64(5))
    options = []
    for name in "xy":
        file = path(f"{name}{width}.npy")
        if not os.path.exists(file):
            np.save(file, random.normal(size=(ROWS, width)).astype(np.float32))
        options.append(f"--feed={name}={file}")
    return options


def source(recomputes):
    file = path(f"recomputes-{recomputes}.tfir")
    with open(file, "w", encoding="utf-8") as out:
        out.write(TEXT.replace("{RECOMPUTES}", recomputes))
    return file


def compiled(text, name, *options):
    model = path(name + ".bin")
    output = command(["graphc", text, "-o", model, f"--batch={ROWS}", "--memory-report",
                      *flags_for_this_cpu(), *options])
    return model, output


def same_training():
    for layout, options in LAYOUTS.items():
        found = []
        for recomputes in ("false", "true"):
            model, _ = compiled(source(recomputes), "train", *options)
            found.append(tensors(weights(model, "--virtual-gpus", "--graph=train",
                                         f"--steps={STEPS}", *feeds(24))))
        kept, again = found
        require(kept.keys() == again.keys(), f"{layout}: other variables")
        for name, value in kept.items():
            require(np.all(np.isfinite(value)), f"{layout}: {name} is not finite")
            distance = np.linalg.norm(value.astype(np.float64) - again[name])
            most = 0 if CANONICAL in options else LIMIT * np.linalg.norm(value)
            require(distance <= most, f"{layout}: '{name}' differs by {distance}")
        require(not np.array_equal(kept["w_0"], kept["w_3"]), "nothing was trained")


def reference():
    """Each value of a step is what the interpreter makes of its operands."""
    text, values = source("true"), path("values")
    model, _ = compiled(text, "kept", "--keep=*")
    command(["graphc-run", model, "--quiet", "--graph=train", "--steps=1", "--dump=*",
             f"--dump-dir={values}", *feeds(24)])
    told = command(["graphc", text, "--interpret=train", f"--batch={ROWS}", "--steps=1",
                    f"--against={values}", *feeds(24)])
    require("differ" not in told or re.search(r"\b0 differ", told), told)


def arenas(report):
    """The bytes of each device's arena."""
    return [int(n) for n in re.findall(r": arena (\d+) bytes, largest", report)]


def less_memory():
    """Of 12 blocks whose activations are eight times as large as their operands."""
    text = f"{SOURCE}/bench/models/deep.tfir"
    reports = []
    for recomputes in ("false", "true"):
        _, report = compiled(text, "deep", "--define=layers=12", "--define=width=64",
                             "--define=inner=512", f"--define=recomputes={recomputes}")
        reports.append(report)
    kept, again = (max(arenas(report)) for report in reports)
    print(f"arena {kept} kept, {again} computed again")
    require(again < 0.35 * kept, f"{again} bytes in place of {kept}")


if __name__ == "__main__":
    harness.run_checks([same_training, reference, less_memory])
