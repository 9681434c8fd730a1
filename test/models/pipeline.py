# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines train as one device does.

  pipeline.py REPOSITORY FOLDER

Programs whose stages are cut by costs and by hand, with variables that several stages
read, weight decay, clipping by all gradients and moving averages; and the examples for
digits. What a device keeps in memory follows the schedule.
"""
import json
import re

import numpy as np

from common import (SOURCE, command, flags_for_this_cpu, harness, make_digits,
                    path, require, weights)

LIMIT = 3e-6
STEPS = 6

# Four layers, of which the second and the third have the same weights.
TEXT = """tfir 1 layers
variable w1: f32[40, 64] = random_normal(stddev=0.1, seed=1)
variable w2: f32[64, 64] = random_normal(stddev=0.1, seed=2)
variable w3: f32[64, 5] = random_normal(stddev=0.1, seed=3)
variable b: f32[64] = 0.1
variable seen: i64 = 0 trainable=false

func first(x) { return tanh(x @ w1 + b) }
func second(h) { return tanh(h @ w2 + b) }
func third(h) { return tanh(h @ w2) @ w3 }

graph train(x: f32[?, 40], y: f32[?, 5]) -> (loss, far, rows) {
  FIRST
  SECOND
  THIRD
  error = squared_difference(rows, y)
  far = max(error)
  loss = mean(error) + (l2_loss(w1) + l2_loss(w2)) * 1e-3
  seen += 1
  minimize(loss, momentum(exponential_decay(0.1, decay_steps=2, decay_rate=0.9)),
           clip_global_norm=0.5)
  ema(decay=0.9)
}
graph look(x: f32[?, 40]) -> (rows) {
  average { rows = third(second(first(x))) }
}
"""
PLAIN = ["h = first(x)", "g = second(h)", "rows = third(g)"]
BY_HAND = ['device "DEVICE:0" { h = first(x) }', "g = second(h)",
           'device "DEVICE:1" { rows = third(g) }']
LAYOUTS = [
    (PLAIN, ["--cpu-devices=2", "--pipeline=2"]),
    (PLAIN, ["--cpu-devices=2", "--pipeline=2", "--pipeline-schedule=1f1b"]),
    (PLAIN, ["--cpu-devices=3", "--pipeline=3", "--micro-batches=4",
             "--pipeline-schedule=1f1b"]),
    (PLAIN, ["--devices=gpu:0-2", "--pipeline=3", "--micro-batches=2"]),
    (BY_HAND, ["--cpu-devices=2", "--pipeline=2", "--micro-batches=16",
               "--pipeline-schedule=1f1b"]),
]


def feeds():
    random = np.random.Generator(np.random.PCG64(5))
    for name, size in (("x", 40), ("y", 5)):
        np.save(path(name + ".npy"),
                random.normal(size=(32, size)).astype(np.float32))
    return [f"--feed={name}={path(name + '.npy')}" for name in "xy"]


def compiled(lines, options):
    text = TEXT
    kind = "/gpu" if "gpu" in options[0] else "/cpu"
    for name, line in zip(("FIRST", "SECOND", "THIRD"), lines):
        text = text.replace(name, line.replace("DEVICE", kind))
    with open(path("layers.tfir"), "w", encoding="utf-8") as file:
        file.write(text)
    command(["graphc", path("layers.tfir"), "-o", path("layers.bin"),
             "--batch=32", *flags_for_this_cpu(), *options])
    return path("layers.bin")


def variables(data):
    with open(path("read.safetensors"), "wb") as opened:
        opened.write(data)
    return harness.read_safetensors(path("read.safetensors"))


def compare(what, got, want, limit):
    require(set(got) == set(want), f"{what}: has {sorted(got)}, not "
                                   f"{sorted(want)}")
    for name, value in want.items():
        error = np.linalg.norm(got[name].astype(float) - value.astype(float))
        size = max(np.linalg.norm(value.astype(float)), 1e-7)
        require(error <= (limit if value.dtype.kind == "f" else 0) * size,
                f"{what}: '{name}' is off by {error / size:.3g}")


def trained(lines, options):
    """The variables and the fetches after STEPS steps."""
    model = compiled(lines, options)
    found = variables(weights(model, "--virtual-gpus", "--graph=train",
                              f"--steps={STEPS}", *feeds(),
                              f"--out={path('out')}"))
    for name in ("loss", "far", "rows"):
        found["fetch/" + name] = np.load(path(f"out/{name}.npy"))
    command(["graphc-run", model, "--virtual-gpus", "--graph=look", "--quiet",
             f"--load={path('weights.safetensors')}", f"--out={path('out')}",
             feeds()[0]])
    found["fetch/look"] = np.load(path("out/rows.npy"))
    return found


def stages_are_one_device():
    want = trained(PLAIN, ["--devices=cpu:0"])
    for lines, options in LAYOUTS:
        got = trained(lines, options)
        # A fetch that is no mean of the examples is the mean of micro-batches.
        got.pop("fetch/far")
        compare(options, got, {name: value for name, value in want.items()
                               if name != "fetch/far"}, LIMIT)


def tasks_are_one_device():
    """Stages are the tasks of a cluster, here all in one process."""
    with open(path("cluster.json"), "w", encoding="utf-8") as file:
        json.dump({"cluster": {"worker": ["a:1", "b:1"]}}, file)
    options = [*feeds(), "--graph=train", f"--steps={STEPS}"]
    want = variables(weights(compiled(PLAIN, ["--devices=cpu:0"]), *options))
    model = compiled(PLAIN, [f"--cluster={path('cluster.json')}", "--pipeline=2",
                             "--pipeline-schedule=1f1b"])
    compare("two tasks", variables(weights(model, "--local-cluster=worker:2",
                                           *options)), want, LIMIT)


def digits_are_one_device():
    """One step, since ReLUs near their kinks part later (docs/replication.md)."""
    for name in ("mlp", "lenet5"):
        def step(options):
            command(["graphc", f"{SOURCE}/examples/mnist/{name}.tfir", "-o",
                     path("digits.bin"), "--batch=40", *flags_for_this_cpu(),
                     *options])
            return variables(weights(
                path("digits.bin"), "--graph=train", "--steps=1", "--seed=7",
                make_digits()["train"]))
        want = step([])
        for schedule in ("gpipe", "1f1b"):
            compare(f"{name} {schedule}", step([
                "--cpu-devices=2", "--pipeline=2", "--micro-batches=4",
                f"--pipeline-schedule={schedule}"]), want, LIMIT)


def memory_follows_the_schedule():
    """Of 16 micro-batches, GPipe keeps all; 1F1B two on the first device. What is
    received has a place for each."""
    arenas = {}
    for schedule in ("gpipe", "1f1b"):
        printed = command([
            "graphc", f"{SOURCE}/examples/mnist/mlp.tfir", "--batch=1600",
            "--cpu-devices=2", "--pipeline=2", "--micro-batches=16",
            f"--pipeline-schedule={schedule}", "--memory-report",
            *flags_for_this_cpu()])
        train = printed.split("graph 'train'")[1].split("memory of graph")[0]
        arenas[schedule] = [int(text) for text in
                            re.findall(r"arena (\d+) bytes", train)]
    require(len(arenas["gpipe"]) == 2, f"not two programs: {arenas}")
    require(arenas["1f1b"][0] < 0.85 * arenas["gpipe"][0] and
            arenas["1f1b"][1] <= arenas["gpipe"][1], f"{arenas}")


if __name__ == "__main__":
    harness.run_checks([stages_are_one_device, tasks_are_one_device,
                        digits_are_one_device,
                        memory_follows_the_schedule])
