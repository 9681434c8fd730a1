# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instances of a graph for workers that each update by themselves: their steps,
taken in some order in one process, give what one device gives."""
import json

from common import (cluster_flag, command, compile_example, harness, losses, make_digits,
                    path, read_bytes, require, run, weights)


def alternate(model, graphs, *options):
    """The bytes of the variables after one step of each graph in turn."""
    file = path("turn.safetensors")
    loaded = []
    for graph in graphs:
        after = weights(model, f"--graph={graph}", "--steps=1",
                        "--virtual-gpus", *loaded, *options)
        with open(file, "wb") as saved:
            saved.write(after)
        loaded = [f"--load={file}"]
    return read_bytes(file)


def tensors(saved):
    """Types, places and bytes of the variables: the file without how far which
    graph is, since graphs have other names for workers."""
    size = int.from_bytes(saved[:8], "little")
    header = json.loads(saved[8:8 + size])
    header.pop("__metadata__", None)
    return header, saved[8 + size:]


def feeds():
    return ["--feed=x=0,0.5,1,1.5", "--feed=y=0.2,1.2,2.2,3.2"]


def one_worker_is_one_device():
    """Bit for bit: nobody else updates anything."""
    one = compile_example("linear-regression/adagrad", "--batch=4")
    want = weights(one, "--steps=20", *feeds())
    for servers in (1, 2):
        model = compile_example("linear-regression/adagrad", "--batch=4",
                                "--async", cluster_flag(servers, 1))
        got = weights(model, "--graph=train@0", "--steps=20",
                      "--virtual-gpus", *feeds())
        require(tensors(got) == tensors(want),
                f"with {servers} servers the weights differ")


def workers_in_turn_are_one_device():
    """With the same examples it does not matter who takes a step."""
    one = compile_example("linear-regression/adagrad", "--batch=4")
    want = weights(one, "--steps=4", *feeds())
    model = compile_example("linear-regression/adagrad", "--batch=4",
                            "--async", cluster_flag(2, 2))
    got = alternate(model, ["train@0", "train@1", "train@1", "train@0"],
                    *feeds())
    require(tensors(got) == tensors(want), "two workers in turn give other weights")


def workers_draw_their_own_numbers():
    model = compile_example("linear-regression/linear", "--async",
                            cluster_flag(1, 2))
    first, second = (losses(model, f"--graph=train@{w}", "--steps=3",
                            "--virtual-gpus") for w in range(2))
    require(first[0] != second[0], f"both workers have the losses {first}")
    got = run(model, "--graph=train@1", "--steps=200",
              "--virtual-gpus")["fetches"]
    require(abs(got["slope"] - 2) < 1e-2 and abs(got["intercept"] - 10) < 1e-2,
            f"worker 1 finds {got}")


def files_grow_little():
    """Workers share their kernels."""
    sizes = []
    for workers in (1, 8):
        model = compile_example("mnist/lenet5", "--batch=20", "--async",
                                cluster_flag(1, workers))
        listed = command(["graphc-dump", model])
        sizes.append((len(read_bytes(model)),
                      sum(line.startswith("kernel ")
                          for line in listed.splitlines())))
    (small, few), (large, many) = sizes
    require(many <= few + 2, f"{few} kernels become {many}")
    require(large < 2 * small, f"{small} bytes become {large}")


def lenet_trains():
    """Two servers, momentum, moving averages whose decay follows the step."""
    digits = make_digits()
    one = compile_example("mnist/lenet5-ema", "--batch=60")
    want = losses(one, "--graph=train", "--steps=10", digits["train"])
    model = compile_example("mnist/lenet5-ema", "--batch=60", "--async",
                            cluster_flag(2, 2))
    got = losses(model, "--graph=train@0", "--steps=10", "--virtual-gpus",
                 digits["train"])
    require(abs(got[0] - want[0]) < 1e-4 * want[0] and
            all(abs(a - b) < 0.1 * abs(b) + 0.02 for a, b in zip(got, want)),
            f"the losses are {got}, those of one device {want}")


if __name__ == "__main__":
    harness.run_checks([
        one_worker_is_one_device, workers_in_turn_are_one_device,
        workers_draw_their_own_numbers, files_grow_little, lenet_trains])
