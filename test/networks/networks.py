# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small sizes of the networks in examples/networks, trained for 20 steps with weights that
are made here, beside the losses that PyTorch had of the same (losses.json, which
torch_losses.py writes).

  networks.py REPOSITORY FOLDER NAME...    needs graphc and graphc-run on the path
"""
import json
import os
import re
import subprocess
import sys
import zlib

import numpy as np

STEPS = 20
# Losses of the first `close` steps (all, if not said) are at most `tolerance` away, relative
# to torch's in double precision; those behind at most FAR. A network with batch norms and
# relu is chaotic: torch in single precision is 1e-2 away from itself in double precision
# after 20 steps of this resnet50.
FAR = 0.05
NETWORKS = {
    "gpt2": {"defines": {"layers": 2, "heads": 2, "width": 32, "length": 16,
                         "vocabulary": 61, "rate": 0.1},
             "batch": 4, "tolerance": 2e-5},
    # The same as two stages: the embedding is on the first, and the last layer reads it.
    "gpt2-pipeline": {"text": "gpt2", "same as": "gpt2",
                      "defines": {"layers": 2, "heads": 2, "width": 32, "length": 16,
                                  "vocabulary": 61, "rate": 0.1},
                      "batch": 4, "tolerance": 2e-5,
                      "flags": ["--cpu-devices=2", "--pipeline=2", "--micro-batches=2",
                                "--pipeline-schedule=1f1b"]},
    # The same with blocks that are computed again in the backward pass.
    "gpt2-recompute": {"text": "gpt2", "same as": "gpt2",
                       "defines": {"layers": 2, "heads": 2, "width": 32, "length": 16,
                                   "vocabulary": 61, "rate": 0.1, "recomputes": "true"},
                       "batch": 4, "tolerance": 2e-5},
    "bert": {"defines": {"layers": 2, "heads": 2, "width": 32, "length": 12,
                         "vocabulary": 53, "rate": 0.001},
             "batch": 4, "tolerance": 2e-5},
    "lstm": {"defines": {"layers": 2, "width": 24, "steps": 7, "vocabulary": 41,
                         "rate": 1.0},
             "batch": 4, "tolerance": 2e-5},
    "word2vec": {"defines": {"vocabulary": 97, "width": 16, "samples": 8, "rate": 0.5},
                 "batch": 12, "tolerance": 2e-5},
    # The tables of word2vec in two parts, of which each server has one; 49 and 48 rows.
    "word2vec-sharded": {"defines": {"vocabulary": 97, "width": 16, "samples": 8,
                                     "rate": 0.5, "servers": 2},
                         "batch": 12, "tolerance": 2e-5, "same as": "word2vec", "parts": 2,
                         "cluster": {"ps": ["h0:1", "h1:1"], "worker": ["h2:1", "h3:1"]},
                         "flags": ["--placement=ps-round-robin"]},
    "resnet50": {"defines": {"size": 64, "classes": 10, "blocks": "[1, 2, 1, 1]",
                             "first": 8, "rate": 0.001},
                 "batch": 8, "close": 3, "tolerance": 2e-5},
    "mobilenet-v2": {"defines": {"size": 32, "classes": 10, "stem": 8, "last": 32,
                                 "table": "[[1, 8, 1, 1], [2, 8, 2, 2], [2, 12, 1, 2], "
                                          "[2, 12, 1, 1], [2, 16, 1, 1], [2, 16, 2, 1], "
                                          "[2, 24, 1, 1]]", "rate": 0.002},
                     "batch": 8, "close": 6, "tolerance": 2e-5},
}
EMBEDDINGS = ("wte", "wpe", "words", "positions", "embedding", "embeddings", "weights")


def generator(name):
    return np.random.Generator(np.random.PCG64(zlib.crc32(name.encode())))


def weight(name, shape):
    """The first value of a variable: of its name and shape alone."""
    values = generator(name).standard_normal(shape)
    last = name.split("/")[-1]
    if last in ("g", "gamma"):
        values = 1 + 0.1 * values
    elif len(shape) == 1 or name in EMBEDDINGS:
        values = 0.1 * values
    else:
        values = values / np.sqrt(np.prod(shape[:-1]))
    return values.astype(np.float32)


def values_of(network, shapes):
    """The first values of all variables. Row i of a table in `parts` is in part i % parts."""
    parts = network.get("parts", 1)
    if parts == 1:
        return {name: weight(name, shape) for name, shape in shapes.items()}
    rows = network["defines"]["vocabulary"]
    result = {}
    for name in shapes:
        table, part = name.rsplit("_", 1)
        result[name] = weight(table, (rows, *shapes[name][1:]))[int(part)::parts]
        assert result[name].shape == shapes[name]
    return result


def feeds(name):
    """The examples of a network, the same in each step."""
    name = NETWORKS[name].get("same as", name)
    rng = generator(name + " examples")
    batch, d = NETWORKS[name]["batch"], NETWORKS[name]["defines"]

    def integers(most, *shape):
        return rng.integers(0, most, shape).astype(np.int32)
    if name == "gpt2":
        return {key: integers(d["vocabulary"], batch, d["length"])
                for key in ("tokens", "targets")}
    if name == "bert":
        mask = np.zeros((batch, 1, 1, d["length"]), np.float32)
        mask[1, 0, 0, 8:] = -1e9
        weights = (rng.random((batch, d["length"])) < 0.4).astype(np.float32)
        return {"tokens": integers(d["vocabulary"], batch, d["length"]), "mask": mask,
                "labels": integers(d["vocabulary"], batch, d["length"]),
                "weights": weights}
    if name == "lstm":
        return {key: integers(d["vocabulary"], batch, d["steps"])
                for key in ("words", "targets")}
    if name == "word2vec":
        return {"words": integers(d["vocabulary"], batch),
                "labels": integers(d["vocabulary"], batch),
                "sampled": integers(d["vocabulary"], d["samples"])}
    return {"images": rng.standard_normal((batch, d["size"], d["size"], 3))
            .astype(np.float32), "labels": integers(d["classes"], batch)}


def flags(repository, name):
    network = NETWORKS[name]
    text = network.get("text", name)
    return [f"{repository}/examples/networks/{text}.tfir", f"--batch={network['batch']}",
            *[f"--define={key}={value}" for key, value in network["defines"].items()]]


def output(*arguments):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}\nended with code {done.returncode}:\n"
                 f"{done.stdout[-3000:]}")
    return done.stdout


def variables(repository, name):
    """The trained variables, as the text declares them: name -> shape."""
    text = output("graphc", *flags(repository, name), "--stop-after=parsed")
    found = re.findall(r'tfir\.variable @"?([\w/]+)"? : tensor<((?:\d+x)*)f32> = (.*)', text)
    return {variable: tuple(int(d) for d in shape.split("x")[:-1])
            for variable, shape, rest in found if "trainable = false" not in rest}


def train(repository, folder, name, devices=()):
    """The losses of all steps."""
    sys.path.insert(0, f"{repository}/test/ops")
    import harness
    os.makedirs(folder, exist_ok=True)
    model = f"{folder}/{name}.bin"
    devices = [*devices, *NETWORKS[name].get("flags", [])]
    if "cluster" in NETWORKS[name]:
        with open(f"{folder}/cluster.json", "w", encoding="utf-8") as file:
            json.dump({"cluster": NETWORKS[name]["cluster"]}, file)
        devices.append(f"--cluster={folder}/cluster.json")
    output("graphc", *flags(repository, name), "-o", model, *devices)
    first = f"{folder}/{name}.safetensors"
    virtual = ["--virtual-gpus"] if devices else []
    output("graphc-run", model, "--graph=init", "--save", first, *virtual)
    values = dict(harness.read_safetensors(first))
    values.update(values_of(NETWORKS[name], variables(repository, name)))
    harness.write_safetensors(first, values)
    arguments = []
    for feed, value in feeds(name).items():
        np.save(f"{folder}/{name}-{feed}.npy", value)
        arguments += ["--feed", f"{feed}={folder}/{name}-{feed}.npy"]
    text = output("graphc-run", model, "--graph=train", "--load", first, "--print-every=1",
                  f"--steps={STEPS}", *arguments, *virtual)
    return [float(loss) for loss in re.findall(r"step \d+: loss = ([^\s,]+)", text)]


def main(repository, folder, names):
    with open(f"{repository}/test/networks/losses.json", encoding="utf-8") as file:
        expected = json.load(file)
    failed = False
    for name in names:
        losses = train(repository, folder, name)
        torch = expected[NETWORKS[name].get("same as", name)]
        errors = [abs(a - b) / abs(b) for a, b in zip(losses, torch)]
        close = NETWORKS[name].get("close", STEPS)
        error = max(errors[:close])
        right = (len(losses) == STEPS and error <= NETWORKS[name]["tolerance"] and
                 max(errors) <= FAR)
        falls = losses and losses[-1] < losses[0]
        failed |= not (right and falls)
        print(f"{name}: {len(losses)} losses from {losses[0]:.5f} to {losses[-1]:.5f}; from "
              f"torch's the first {close} are at most {error:.1e} away, all "
              f"{max(errors):.1e}"
              + ("" if right and falls else f": wrong\n{losses}\n{torch}"))
    sys.exit(failed)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
