# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples compiled by `--cpu-target=reference` and by the usual target.

  reference_target.py REPOSITORY FOLDER

Fetches and variables may differ by the rounding of the additions, which the
targets carry out in different orders.
"""
import os

import numpy as np

from common import (SOURCE, command, flags_for_this_cpu, harness, make_digits,
                    path, require)

TRAIN = ["--graph=train", "--steps=3", "--seed=3"]


def models(example, *options, text=None):
    """One model per target."""
    source = f"{SOURCE}/examples/{example}.tfir"
    if text:
        source = path(os.path.basename(source))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
    made = []
    for target in ("cpu", "reference"):
        made.append(path(f"{target}.bin"))
        command(["graphc", source, "-o", made[-1], f"--cpu-target={target}",
                 *flags_for_this_cpu(), *options])
    return made


def values(model, *options):
    """Fetches and variables after a run."""
    out, file = path("out"), path("variables.safetensors")
    command(["rm", "-rf", out, file])
    command(["graphc-run", model, "--quiet", f"--out={out}", f"--save={file}",
             "--virtual-gpus", *options])
    found = {name: np.load(f"{out}/{name}") for name in os.listdir(out)}
    if os.path.exists(file):
        found.update(harness.read_safetensors(file))
    return found


def agrees(example, *options, flags=(), text=None):
    found, expected = (values(model, *options)
                       for model in models(example, *flags, text=text)[::-1])
    require(set(found) == set(expected) and found,
            f"{example} gives {sorted(found)}, not {sorted(expected)}")
    for name, value in found.items():
        want = expected[name]
        require(value.dtype == want.dtype and value.shape == want.shape and
                np.allclose(value.astype(float), want.astype(float), rtol=1e-4,
                            atol=1e-5),
                f"'{name}' of {example} is {value}, not {want}")


def the_line():
    agrees("linear-regression/linear", "--graph=train", "--steps=50")
    agrees("linear-regression/adagrad", *data(), "--steps=50",
           flags=["--batch=4"])


def data():
    x = np.linspace(0, 1, 4, dtype=np.float32)
    np.save(path("x.npy"), x)
    np.save(path("y.npy"), np.float32(2) * x + np.float32(0.2))
    return [f"--feed={n}={path(n + '.npy')}" for n in "xy"]


def digits():
    for example in ("mlp", "lenet5", "lenet5-ema"):
        agrees("mnist/" + example, *TRAIN, DIGITS["train"],
               flags=["--batch=8"])


def towers():
    agrees("mnist/lenet5", *TRAIN, DIGITS["train"],
           flags=["--batch=8", "--devices=gpu:0-1", "--replicate=towers"])


def pi():
    """Of fewer points: one chain of additions of ones ends at 2^24."""
    for example, points in (("pi/pi", "268435456"),
                            ("pi/four-devices", "67108864")):
        with open(f"{SOURCE}/examples/{example}.tfir", encoding="utf-8") as file:
            text = file.read()
        require(points in text, f"{example} has another number of points")
        agrees(example, text=text.replace(points, "65536"),
               flags=["--devices=gpu:0-3"])


def placement():
    agrees("placement/placement", flags=["--devices=gpu:0-1"])


def clusters():
    for example, tasks, steps in (
            ("regression-cluster/regression", "worker:2", "--graph=train"),
            ("parameter-server/adagrad", "ps:1,worker:2", "--graph=train")):
        folder = os.path.dirname(f"{SOURCE}/examples/{example}")
        agrees(example, f"--local-cluster={tasks}", steps, "--steps=20",
               flags=[f"--cluster={folder}/cluster.json"])


def texts():
    for model in models("hello/hello"):
        said = command(["graphc-run", model])
        require("Hello, graphc!" in said, f"hello says {said}")


def plans_for_several_workers():
    """The plans of one file share a target."""
    with open(path("two.json"), "w", encoding="utf-8") as file:
        file.write('{"cluster": {"ps": ["localhost:1"], '
                   '"worker": ["localhost:2", "localhost:3"]}}')
    agrees("linear-regression/adagrad", *data(),
           "--local-cluster=ps:1,worker:1",
           flags=["--batch=4", f"--cluster={path('two.json')}",
                  "--replicate=towers", "--workers=1..2"])


if __name__ == "__main__":
    DIGITS = make_digits()
    harness.run_checks([the_line, digits, towers, pi, placement, clusters,
                        texts, plans_for_several_workers])
