# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear regression, by gradient descent and by Adagrad; Pi by counting."""
import math

import numpy as np

from common import (compile_example, harness, losses, path, read_bytes,
                    require, run, weights)

POINTS = 100


def descent_finds_the_line():
    model = compile_example("linear-regression/linear")
    file = path("line.safetensors")
    got = run(model, "--graph=train", "--steps=200",
              f"--save={file}")["fetches"]
    require(abs(got["slope"] - 2) < 1e-3, f"the slope is {got['slope']}")
    require(abs(got["intercept"] - 10) < 1e-3,
            f"the intercept is {got['intercept']}")
    history = losses(model, "--graph=train", "--steps=50")
    require(len(history) == 50 and history[-1] < 0.01 * history[0],
            f"the losses are {history}")
    y = run(model, "--graph=predict", "--feed=x=0,1,-2.5",
            f"--load={file}", f"--out={path('predicted')}")
    y = np.load(path("predicted") + "/y.npy")
    require(np.abs(y - [10, 12, 5]).max() < 5e-3, f"predicted are {y}")


def feeds():
    x = np.linspace(0, 1, POINTS, dtype=np.float32)
    np.save(path("x.npy"), x)
    np.save(path("y.npy"), np.float32(2) * x + np.float32(0.2))
    return [f"--feed={n}={path(n + '.npy')}" for n in "xy"]


def adagrad_finds_the_line():
    model = compile_example("linear-regression/adagrad", f"--batch={POINTS}")
    got = run(model, "--steps=400", *feeds())["fetches"]
    require(abs(got["w"] - 2) < 0.01 and abs(got["b"] - 0.2) < 0.01 and
            got["loss"] < 1e-5, f"the result is {got}")


def adagrad_follows_its_formula():
    """Step by step as numpy in double precision."""
    model = compile_example("linear-regression/adagrad", f"--batch={POINTS}")
    x = np.linspace(0, 1, POINTS)
    y = 2 * x + 0.2
    w, b, a, c = -1.0, -2.0, 0.1, 0.1
    got = losses(model, "--steps=30", *feeds())
    for step, loss in enumerate(got):
        error = w * x + b - y
        want = np.mean(error ** 2)
        require(abs(loss - want) < 1e-5 * want + 1e-9,
                f"the loss of step {step + 1} is {loss}, not {want}")
        dw, db = np.mean(2 * error * x), np.mean(2 * error)
        a, c = a + dw ** 2, c + db ** 2
        w, b = w - 0.8 * dw / math.sqrt(a), b - 0.8 * db / math.sqrt(c)


def training_goes_on_from_a_checkpoint():
    """Nothing here is random: 10 steps and 10 more are 20."""
    model = compile_example("linear-regression/adagrad", f"--batch={POINTS}")
    whole = weights(model, "--steps=20", *feeds())
    half = path("half.safetensors")
    with open(half, "wb") as file:
        file.write(weights(model, "--steps=10", *feeds()))
    require(read_bytes(half) != whole, "10 steps and 20 give the same")
    rest = weights(model, "--steps=10", f"--load={half}", *feeds())
    require(rest == whole, "two runs of 10 steps differ from one of 20")


def counting_finds_pi():
    model = compile_example("pi/pi")
    count = 268435456
    values = [run(model, f"--seed={seed}", *options)["fetches"]["pi"]
              for seed, options in ((0, ()), (0, ("--threads=1",)), (1, ()))]
    for value in values:
        require(abs(value - math.pi) < 4 / math.sqrt(count), f"Pi is {value}")
    require(values[0] == values[1], "one thread counts another Pi")
    require(values[0] != values[2], "another seed counts the same Pi")


if __name__ == "__main__":
    harness.run_checks([
        descent_finds_the_line, adagrad_finds_the_line,
        adagrad_follows_its_formula, training_goes_on_from_a_checkpoint,
        counting_finds_pi])
