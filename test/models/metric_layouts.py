# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates with metrics on several layouts; each gives what NumPy computes of all
examples.

  metric_layouts.py REPOSITORY FOLDER
"""
import os
import shutil

import numpy as np

import metrics
from common import cluster_flag, command, flags_for_this_cpu, harness, path, require

LAYOUTS = {
    "two towers": ["--devices=gpu:0-1", "--replicate=towers"],
    "four towers on two devices": ["--devices=gpu:0-1", "--replicas=4"],
    "mirrors": ["--devices=gpu:0-1", "--replicate=towers", "--variable-device=mirrored"],
    "a ring": ["--devices=gpu:0-1", "--replicate=towers", "--reduce=ring"],
}


def compiled(*options):
    source, model = path("metrics.tfir"), path("metrics.bin")
    with open(source, "w", encoding="utf-8") as file:
        file.write(metrics.text())
    command(["graphc", source, "-o", model, f"--batch={metrics.BATCH}",
             *flags_for_this_cpu(), *options])
    return model


def evaluated(model, data, *options):
    file, out = path("held.npz"), path("out")
    np.savez(file, **data)
    shutil.rmtree(out, ignore_errors=True)
    command(["graphc-run", model, "--quiet", f"--out={out}", f"--data=held={file}",
             "--graph=evaluate", *options])
    return {name[:-4]: np.load(os.path.join(out, name)) for name in os.listdir(out)}


def on_towers():
    data = metrics.examples()
    want = metrics.expected(data)
    for name, options in LAYOUTS.items():
        got = evaluated(compiled(*options), data, "--virtual-gpus",
                        f"--steps={metrics.BATCHES}")
        metrics.compare(got, want, name)


def on_tasks():
    data = metrics.examples()
    model = compiled("--replicate=towers", cluster_flag(1, 2))
    got = evaluated(model, data, "--local-cluster=ps:1,worker:2",
                    f"--steps={metrics.BATCHES}")
    metrics.compare(got, metrics.expected(data), "tasks")


def workers_of_their_own():
    """No graph is the beginning of an evaluation that workers make by themselves."""
    try:
        compiled("--async", cluster_flag(1, 2))
    except harness.Failure as failure:
        require("updates the transient variable 'overall/total'" in str(failure),
                str(failure))
    else:
        raise harness.Failure("it is compiled")


if __name__ == "__main__":
    harness.run_checks([on_towers, on_tasks, workers_of_their_own])
