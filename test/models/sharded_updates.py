# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Updates that are divided among the devices (--shard-updates) give what whole ones do.

  sharded_updates.py REPOSITORY FOLDER

By graphs with several optimizers: to the bit where sums have the same order, which two
devices and canonical numerics have, else within 1e-6 of a variable's norm. Checkpoints
of either are read by the other; slots and bytes on links are those that were promised.
"""
import json
import re

import numpy as np

from common import SOURCE, command, flags_for_this_cpu, harness, path, require

MODEL = f"{SOURCE}/test/models/Inputs/shards.tfir"
GRAPHS = ["momentum", "adam", "sgd", "clipped", "lamb"]
BATCH, STEPS, LIMIT = 24, 6, 1e-6
SLOTS = {"momentum": 1, "adam": 2, "sgd": 0, "clipped": 1}
#: Elements of the variables of which each device of 4 or 3 has a part.
EVERYWHERE = 10 * 12 + 12 + 12 * 7 + 4096 * 64


def compiled(name, *options):
    command(["graphc", MODEL, f"--batch={BATCH}", "-o", path(name), *FLAGS,
             *options])
    return path(name)


def feeds(graph):
    random = np.random.default_rng(7)
    options = []
    for name, width in (("x", 10), ("z", 4096)):
        if name == "z" and graph == "lamb":
            continue
        np.save(path(name + ".npy"), random.standard_normal(
            (BATCH, width), dtype=np.float32) / np.float32(np.sqrt(width)))
        options += ["--feed", f"{name}={path(name + '.npy')}"]
    return options


def trained(model, graph, steps=STEPS, load=None, save="trained.safetensors"):
    file = path(save)
    command(["graphc-run", model, f"--graph={graph}", f"--steps={steps}",
             "--virtual-gpus", "--quiet", f"--save={file}", *feeds(graph),
             *([f"--load={load}"] if load else [])])
    return harness.read_safetensors(file)


def compare(what, got, want, is_exact):
    require(got.keys() == want.keys(),
            f"{what}: variables {sorted(got.keys() ^ want.keys())}")
    for name, value in want.items():
        require(got[name].shape == value.shape,
                f"{what}: '{name}' is {got[name].shape}, not {value.shape}")
        apart = np.linalg.norm(got[name].astype(float) - value)
        norm = max(np.linalg.norm(value.astype(float)), 1e-30)
        require(apart == 0 or not is_exact and apart <= LIMIT * norm,
                f"{what}: '{name}' is off by {apart / norm:.3g}")


def compare_layouts(devices, is_exact, *options):
    layout = [f"--devices=gpu:0-{devices - 1}", *options]
    whole = compiled("whole.bin", "--reduce=ring", *layout)
    shards = compiled("shards.bin", "--shard-updates", *layout)
    for graph in GRAPHS:
        compare(f"{graph} on {devices} devices {options}",
                trained(shards, graph), trained(whole, graph), is_exact)


def two_devices_have_the_same_bits():
    compare_layouts(2, True)
    compare_layouts(2, True, "--replicas=4")


def canonical_numbers_are_the_same_bits():
    compare_layouts(4, True, "--numerics=canonical")
    compare_layouts(3, True, "--numerics=canonical", "--replicas=6")


def other_devices_round_otherwise():
    for devices in (3, 4):
        compare_layouts(devices, False)
    compare_layouts(8, False, "--replicas=8")


def one_device_gives_the_same():
    one = compiled("one.bin", "--devices=cpu:0")
    shards = compiled("shards.bin", "--devices=gpu:0-3", "--shard-updates")
    for graph in GRAPHS:
        compare(f"{graph} beside one device", trained(shards, graph),
                trained(one, graph), False)


def checkpoints_have_whole_variables():
    """Each layout goes on from the other's file, to the bits of going on alone."""
    layout = ["--devices=gpu:0-1"]
    models = {"whole": compiled("whole.bin", "--reduce=ring", *layout),
              "shards": compiled("shards.bin", "--shard-updates", *layout)}
    for graph in GRAPHS:
        want = trained(models["whole"], graph, 2 * STEPS)
        for first, then in (("whole", "shards"), ("shards", "whole"),
                            ("shards", "shards")):
            trained(models[first], graph, STEPS, None, "first.safetensors")
            compare(f"{graph} from {first} to {then}",
                    trained(models[then], graph, STEPS,
                            path("first.safetensors")), want, True)


def memory_of(*options):
    """Bytes of variables of each GPU, as the memory report has them."""
    text = command(["graphc", MODEL, f"--batch={BATCH}", *FLAGS,
                    "--memory-report", *options])
    return [int(n) for n in re.findall(
        r"memory of device '\S*GPU:\d+': \d+ bytes: variables (\d+)", text)]


def slots_are_divided():
    for devices in (2, 4):
        layout = [f"--devices=gpu:0-{devices - 1}"]
        whole = memory_of("--reduce=ring", *layout)
        shards = memory_of("--shard-updates", *layout)
        require(len(whole) == len(shards) == devices,
                f"memory of {len(whole)} and {len(shards)} devices")
        slots = 4 * EVERYWHERE * sum(SLOTS.values())
        saved = slots - slots // devices
        for before, after in zip(whole, shards):
            # Rows that are not divided evenly, and what begins at 64 bytes.
            require(abs(before - after - saved) <= 4096,
                    f"{before} bytes become {after} on one of {devices} "
                    f"devices, and {saved} should be saved")


def links_of(graph, *options):
    """Bytes that GPUs send each other in a step, by the pair of them."""
    dump = json.loads(command(["graphc-dump", "--json", compiled(
        "links.bin", *options)]))
    found = next(g for g in dump["graphs"] if g["name"] == graph)
    devices = [program["device"] for program in found["memory"]]
    sent = {}
    for edge in found["edges"]:
        link = devices[edge["source"]], devices[edge["target"]]
        if all("GPU" in device for device in link):
            sent[link] = sent.get(link, 0) + edge["size"]
    return sent


def as_many_bytes_travel_as_around_a_ring():
    for devices in (2, 4):
        layout = [f"--devices=gpu:0-{devices - 1}"]
        whole = links_of("momentum", "--reduce=ring", *layout)
        shards = links_of("momentum", "--shard-updates", *layout)
        # Rows that are not divided evenly.
        require(whole.keys() == shards.keys() and
                all(abs(whole[link] - n) <= 0.002 * n
                    for link, n in shards.items()),
                f"{devices} devices send {whole}, with shards {shards}")


if __name__ == "__main__":
    FLAGS = flags_for_this_cpu()
    harness.run_checks([
        two_devices_have_the_same_bits, canonical_numbers_are_the_same_bits,
        other_devices_round_otherwise, one_device_gives_the_same,
        checkpoints_have_whole_variables, slots_are_divided,
        as_many_bytes_travel_as_around_a_ring])
