# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums within tasks first, then among them (--reduce=hierarchical): the numbers of one
device, and fewer bytes between tasks than around one ring.

  hierarchical.py REPOSITORY FOLDER
"""
import json

import numpy as np

from common import (SOURCE, command, compare_norms, flags_for_this_cpu, harness, path,
                    require)

MODEL = f"{SOURCE}/test/models/Inputs/shards.tfir"
BATCH, STEPS, LIMIT = 24, 6, 1e-6
GRADIENTS = 4 * (10 * 12 + 12 + 12 * 7 + 3 * 7 + 7 + 1 + 4096 * 64)


def cluster(tasks, devices):
    file = path(f"cluster-{tasks}-{devices}.json")
    with open(file, "w", encoding="utf-8") as text:
        json.dump({"cluster": {"worker": [f"localhost:{7100 + i}"
                                          for i in range(tasks)]},
                   "devices": {"/job:worker": [f"cpu:0-{devices - 1}"]}}, text)
    return f"--cluster={file}"


def compiled(name, *options):
    command(["graphc", MODEL, f"--batch={BATCH}", "-o", path(name), *FLAGS,
             *options])
    return path(name)


def trained(model, graph="momentum", *options):
    feeds = []
    random = np.random.default_rng(7)
    for name, width in (("x", 10), ("z", 4096)):
        np.save(path(name + ".npy"), random.standard_normal(
            (BATCH, width), dtype=np.float32) / np.float32(np.sqrt(width)))
        feeds += ["--feed", f"{name}={path(name + '.npy')}"]
    file = path("trained.safetensors")
    command(["graphc-run", model, f"--graph={graph}", f"--steps={STEPS}",
             "--quiet", f"--save={file}", *feeds, *options])
    return harness.read_safetensors(file)


def between_tasks(model, graph="momentum"):
    """Bytes of a step from a task to another one, by the pair of them."""
    dump = json.loads(command(["graphc-dump", "--json", model]))
    found = next(g for g in dump["graphs"] if g["name"] == graph)
    tasks = [program["device"].split("/device:")[0]
             for program in found["memory"]]
    sent = {}
    for edge in found["edges"]:
        link = tasks[edge["source"]], tasks[edge["target"]]
        if link[0] != link[1]:
            sent[link] = sent.get(link, 0) + edge["size"]
    return sent


def tasks_train_as_one_device():
    want = trained(compiled("one.bin", "--devices=cpu:0"))
    for tasks, devices in ((2, 2), (3, 2), (2, 4)):
        for flag in ("--reduce=hierarchical", "--shard-updates"):
            model = compiled("tasks.bin", cluster(tasks, devices), flag)
            compare_norms(f"{flag} on {tasks} tasks with {devices} devices", trained(
                model, "momentum", f"--local-cluster=worker:{tasks}"), want, LIMIT)


def processes_train_as_one():
    model = compiled("tasks.bin", cluster(2, 2), "--reduce=hierarchical")
    compare_norms("two processes", trained(model, "momentum", "--spawn=worker:2"),
                  trained(model, "momentum", "--local-cluster=worker:2"), 0)


def canonical_numbers_are_the_same_bits():
    flags = ["--numerics=canonical", "--replicas=4"]
    want = trained(compiled("one.bin", "--devices=cpu:0", *flags), "adam")
    for flag in ("--reduce=ring", "--reduce=hierarchical", "--shard-updates"):
        model = compiled("tasks.bin", cluster(2, 2), flag, *flags)
        compare_norms(flag, trained(model, "adam", "--local-cluster=worker:2"), want, 0)


def fewer_bytes_go_between_tasks():
    """Of S bytes, a ring of 2 x 2 devices sends 3/2 S each way between the two tasks,
    rings within them and between them S."""
    ring = between_tasks(compiled("ring.bin", cluster(2, 2), "--reduce=ring"))
    for flag in ("--reduce=hierarchical", "--shard-updates", "--reduce=auto"):
        options = ["--variable-device=mirrored"] if "auto" in flag else []
        two = between_tasks(compiled("two.bin", cluster(2, 2), flag, *options))
        require(two.keys() == ring.keys() and len(two) == 2,
                f"{flag}: {two}, with a ring {ring}")
        for link, sent in two.items():
            # Beside gradients, the loss and rows of examples travel.
            require(ring[link] - sent >= 0.49 * GRADIENTS,
                    f"{flag}: {sent} bytes on {link}, with a ring {ring[link]}")
    print("bytes between two tasks:", sorted(ring.values()),
          "with a ring,", sorted(two.values()), "in two levels")


if __name__ == "__main__":
    FLAGS = flags_for_this_cpu()
    harness.run_checks([tasks_train_as_one_device, processes_train_as_one,
                        canonical_numbers_are_the_same_bits,
                        fewer_bytes_go_between_tasks])
