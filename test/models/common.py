# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs the programs of examples/, from a folder of its own."""
import json
import os
import sys

import numpy as np

import harness
from harness import command, require

SOURCE, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
DIGITS = os.path.join(FOLDER, "digits")


def flags_for_this_cpu():
    """Code is made for what executes it here and for nothing else, where many
    models are compiled that virtual GPUs run."""
    return [harness.own_level(), "--gpu-arch=none"]


def path(name):
    os.makedirs(FOLDER, exist_ok=True)
    return os.path.join(FOLDER, name)


def compile_example(name, *options):
    """Compiles examples/NAME.tfir; the path of the model."""
    model = path(os.path.basename(name) + ".bin")
    command(["graphc", f"{SOURCE}/examples/{name}.tfir", "-o", model, *options])
    return model


def run(model, *options):
    """Runs a graph; what graphc-run reports as JSON."""
    report = path("report.json")
    command(["graphc-run", model, "--quiet", f"--json={report}", *options])
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def losses(model, *options):
    """The loss of every step."""
    history = run(model, "--print-every=1", *options)["history"]
    return [values["loss"] for _, values in history]


def make_digits():
    """600 digits to train with, 200 to test; the options that name them."""
    if not os.path.isdir(DIGITS):
        command([sys.executable, f"{SOURCE}/scripts/make-digits", DIGITS,
                 "--train=600", "--test=200"])
    return {name: f"--data=mnist_{name}=" + ",".join(
        f"{DIGITS}/{prefix}-{what}-ubyte.gz"
        for what in ("images-idx3", "labels-idx1"))
            for name, prefix in (("train", "train"), ("test", "t10k"))}


def read_bytes(file):
    with open(file, "rb") as opened:
        return opened.read()


def weights(model, *options):
    """The bytes of all variables after a run."""
    file = path("weights.safetensors")
    if os.path.exists(file):
        os.remove(file)
    command(["graphc-run", model, "--quiet", f"--save={file}", *options])
    return read_bytes(file)


def compare_norms(what, got, want, limit):
    """Variables, each off by at most `limit` of the norm of what it should be."""
    require(got.keys() == want.keys(), f"{what}: variables {sorted(got)}")
    for name, value in want.items():
        apart = np.linalg.norm(got[name].astype(float) - value)
        norm = max(np.linalg.norm(value.astype(float)), 1e-30)
        require(apart <= limit * norm,
                f"{what}: '{name}' is off by {apart / norm:.3g}")


__all__ = ["FOLDER", "SOURCE", "command", "compare_norms",
           "compile_example",
           "flags_for_this_cpu", "harness", "losses", "make_digits", "path",
           "read_bytes", "require", "run", "weights"]


def cluster_flag(servers, workers):
    """--cluster=FILE of as many tasks of the jobs ps and worker."""
    file = path(f"cluster-{servers}-{workers}.json")
    with open(file, "w", encoding="utf-8") as text:
        json.dump({"cluster": {
            "ps": [f"s{i}:1" for i in range(servers)],
            "worker": [f"w{i}:1" for i in range(workers)]}}, text)
    return f"--cluster={file}"


def tensors(data):
    """The tensors of a safetensors file, by name, of its bytes."""
    file = path("read.safetensors")
    with open(file, "wb") as opened:
        opened.write(data)
    return harness.read_safetensors(file)
