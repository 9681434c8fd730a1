# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Trains w with the loss sum(c * w * w) by each optimizer, and compares w and its
# moving average after some steps with the formulas in double precision.
#
#   optimizers.py FOLDER    needs graphc and graphc-run on the path
import os
import subprocess
import sys

import numpy as np

START = np.array([1.0, -2.0, 0.5])
FACTORS = np.array([1.0, 2.0, 3.0])

TEXT = """
tfir.variable @w : tensor<3xf32> = dense<[1.0, -2.0, 0.5]> : tensor<3xf32>
tfir.graph @train() -> (w: tensor<3xf32>, average: tensor<3xf32>) {
  %w = tfir.read @w : tensor<3xf32>
  %c = tfir.const dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %s = tfir.square %w : (tensor<3xf32>) -> tensor<3xf32>
  %p = tfir.mul %c, %s : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %loss = tfir.sum %p : (tensor<3xf32>) -> tensor<f32>
  tfir.minimize %loss using OPTIMIZER
  tfir.ema {decay = 0.2, num_updates}
  %new = tfir.read @w : tensor<3xf32>
  %average = tfir.read @w average : tensor<3xf32>
  tfir.return %new, %average : tensor<3xf32>, tensor<3xf32>
}
"""


def sgd(rate):
    return lambda t, w, g: w - rate(t) * g


def momentum(nesterov):
    a = np.zeros(3)

    def step(t, w, g):
        a[:] = 0.8 * a + g
        return w - 0.1 * (g + 0.8 * a if nesterov else a)
    return step


def adagrad():
    a = np.full(3, 0.1)

    def step(t, w, g):
        a[:] += g * g
        return w - 0.3 * g / np.sqrt(a)
    return step


def rmsprop():
    s, m = np.ones(3), np.zeros(3)

    def step(t, w, g):
        s[:] += (1 - 0.7) * (g * g - s)
        m[:] = 0.4 * m + 0.05 * g / np.sqrt(s + 1e-10)
        return w - m
    return step


def adam():
    m, v = np.zeros(3), np.zeros(3)

    def step(t, w, g):
        alpha = 0.05 * np.sqrt(1 - 0.999 ** (t + 1)) / (1 - 0.9 ** (t + 1))
        m[:] += (1 - 0.9) * (g - m)
        v[:] += (1 - 0.999) * (g * g - v)
        return w - alpha * m / (np.sqrt(v) + 1e-8)
    return step


DECAY = "initial = 0.1, decay_steps = 2, decay_rate = 0.5"
OPTIMIZERS = {
    "sgd<learning_rate = #tfir.exponential_decay<" + DECAY + ">>":
        lambda: sgd(lambda t: 0.1 * 0.5 ** (t / 2)),
    "sgd<learning_rate = #tfir.exponential_decay<" + DECAY
    + ", staircase = true>>": lambda: sgd(lambda t: 0.1 * 0.5 ** (t // 2)),
    "momentum<learning_rate = 0.1, momentum = 0.8>": lambda: momentum(False),
    "momentum<learning_rate = 0.1, momentum = 0.8, nesterov = true>":
        lambda: momentum(True),
    "adagrad<learning_rate = 0.3>": adagrad,
    "rmsprop<learning_rate = 0.05, decay = 0.7, momentum = 0.4>": rmsprop,
    "adam<learning_rate = 0.05>": adam,
}


def expected(step, steps):
    """w after all steps, and its average as the last step sees it: before that
    step's own update, which follows everything else."""
    w = average = START
    for t in range(steps):
        seen = average
        w = step(t, w, 2 * FACTORS * w)
        decay = min(0.2, (1 + (t + 1)) / (10 + (t + 1)))
        average = average - (1 - decay) * (average - w)
    return w, seen


def main(folder):
    for i, (optimizer, make) in enumerate(OPTIMIZERS.items()):
        path = os.path.join(folder, str(i))
        with open(path + ".tfir", "w", encoding="utf-8") as file:
            file.write(TEXT.replace("OPTIMIZER", "#tfir." + optimizer))
        subprocess.run(["graphc", path + ".tfir", "-o", path + ".bin"],
                       check=True)
        for steps in (1, 5):
            out = f"{path}-{steps}"
            subprocess.run(["graphc-run", path + ".bin", "--graph", "train",
                            "--steps", str(steps), "--quiet", "--out", out],
                           check=True)
            for name, value in zip(("w", "average"), expected(make(), steps)):
                found = np.load(os.path.join(out, name + ".npy"))
                error = np.abs(found - value).max()
                # 1 - beta2^t has but 14 bits at the start, as in TensorFlow.
                if not error < 1e-5:
                    print(f"wrong: {optimizer}: {name} after {steps} steps is "
                          f"off by {error}")
    print(f"{len(OPTIMIZERS)} optimizers compared")


main(sys.argv[1])
