# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mixed precision (--precision) beside f32, on one device and towers, and bf16 on the way
between tasks (--wire).

  precision.py REPOSITORY FOLDER
"""
import json

import numpy as np

from common import (SOURCE, command, compare_norms, compile_example, flags_for_this_cpu,
                    harness, losses, make_digits, path, require, tensors, weights)

STEPS = 25
# Losses of a training, each step's relative to that of f32. Single roundings are 2^-8 and
# 2^-11; they are not correlated, and the optimizer takes no notice of most.
LIMITS = {"bf16": 0.02, "f16": 0.004}
BETWEEN = f"{SOURCE}/test/models/Inputs/shards.tfir"


def digits(*options):
    return compile_example("mnist/mlp", "--batch=100", *FLAGS, *options)


def train(*options, steps=STEPS):
    return ["--graph=train", DATA["train"], f"--steps={steps}", "--seed=3", *options]


def mixed_precision_trains_as_f32():
    want = np.array(losses(digits(), *train()))
    require(want[-1] < 0.8 * want[0], f"f32 does not learn: {want}")
    for kind, limit in LIMITS.items():
        got = np.array(losses(digits(f"--precision={kind}"), *train()))
        apart = np.abs(got - want) / want
        require(0 < apart.max() < limit,
                f"{kind}: losses are off by {apart.max():.3g}: {got} and {want}")


def variables_stay_f32():
    for kind in LIMITS:
        saved = tensors(weights(digits(f"--precision={kind}"), *train()))
        for name, value in saved.items():
            require(value.dtype.name in ("float32", "int64"),
                    f"{kind}: '{name}' is {value.dtype}")


def values_go_to_other_devices_in_16_bits():
    """The activations, and the gradients on the way back."""
    source = path("devices.tfir")
    with open(source, "w", encoding="utf-8") as file:
        file.write("""tfir 1
variable w: f32[64, 128] = truncated_normal(stddev=0.1, seed=1)
variable v: f32[128, 16] = truncated_normal(stddev=0.1, seed=2)
graph g(x: f32[32, 64]) -> (loss) {
  device "/cpu:0" { h = relu(x @ w) }
  device "/cpu:1" { loss = mean(square(h @ v)) }
  minimize(loss, sgd(learning_rate=0.1))
}
""")
    sizes = {}
    for kind in ("f32", "bf16"):
        model = path("devices.bin")
        command(["graphc", source, "-o", model, "--devices=cpu:0-1", *FLAGS,
                 f"--precision={kind}"])
        dump = json.loads(command(["graphc-dump", "--json", model]))
        graph = next(g for g in dump["graphs"] if g["name"] == "g")
        sizes[kind] = sorted(edge["size"] for edge in graph["edges"] if edge["size"] > 1000)
    whole = 32 * 128 * 4
    require(sizes == {"f32": [whole, whole], "bf16": [whole // 2, whole // 2]}, str(sizes))


def threads_do_not_matter():
    model = digits("--precision=bf16")
    want = weights(model, *train("--threads=1"))
    require(weights(model, *train("--threads=3")) == want,
            "3 threads give other weights")


def the_interpreter_agrees():
    """Op by op, of the operands that the run had."""
    model, dumps = digits("--precision=bf16", "--keep=*"), path("dumps")
    command(["graphc-run", model, "--quiet", *train(steps=1), "--dump=*", f"--dump-dir={dumps}"])
    said = command(["graphc", f"{SOURCE}/examples/mnist/mlp.tfir", "--batch=100",
                    "--precision=bf16", "--interpret=train", "--steps=1", "--seed=3",
                    DATA["train"], f"--against={dumps}"])
    require("agree" in said, said)


def towers_train_in_mixed_precision():
    """Two towers have the same products, and add their gradients as f32."""
    one = tensors(weights(digits("--precision=bf16"), *train(steps=3)))
    for flags in (["--reduce=ps"], ["--variable-device=mirrored", "--reduce=ring"]):
        model = digits("--precision=bf16", "--devices=cpu:0-1", *flags)
        compare_norms(f"{flags}", tensors(weights(model, *train(steps=3))), one, 1e-2)


def cluster(tasks):
    file = path(f"cluster-{tasks}.json")
    with open(file, "w", encoding="utf-8") as text:
        json.dump({"cluster": {"worker": [f"localhost:{7100 + i}"
                                          for i in range(tasks)]}}, text)
    return f"--cluster={file}"


def compiled(name, *options):
    command(["graphc", BETWEEN, "--batch=24", "-o", path(name), *FLAGS, *options])
    return path(name)


def trained(model, *options):
    feeds = []
    random = np.random.default_rng(7)
    for name, width in (("x", 10), ("z", 4096)):
        np.save(path(name + ".npy"), random.standard_normal(
            (24, width), dtype=np.float32) / np.float32(np.sqrt(width)))
        feeds += ["--feed", f"{name}={path(name + '.npy')}"]
    return tensors(weights(model, "--graph=momentum", "--steps=6", *feeds, *options))


def bytes_between_tasks(model):
    dump = json.loads(command(["graphc-dump", "--json", model]))
    found = next(g for g in dump["graphs"] if g["name"] == "momentum")
    tasks = [program["device"].split("/device:")[0] for program in found["memory"]]
    return sum(edge["size"] for edge in found["edges"]
               if tasks[edge["source"]] != tasks[edge["target"]])


def the_wire_has_half_the_bytes():
    for tasks, flags in ((2, ["--reduce=ring"]), (3, ["--reduce=ring"]),
                         (2, ["--reduce=ps"]), (2, ["--reduce=tree"])):
        run = f"--local-cluster=worker:{tasks}"
        wide = compiled("wide.bin", cluster(tasks), *flags)
        narrow = compiled("narrow.bin", cluster(tasks), "--wire=bf16", *flags)
        sent = bytes_between_tasks(wide), bytes_between_tasks(narrow)
        require(0.49 * sent[0] < sent[1] < 0.55 * sent[0],
                f"{flags} on {tasks} tasks: {sent[1]} bytes, as f32 {sent[0]}")
        want, got = trained(wide, run), trained(narrow, run)
        compare_norms(f"{flags} on {tasks} tasks", got, want, 0.01)


def rows_that_were_updated_go_as_they_are():
    """Else variables would lose what bf16 does not hold."""
    model = compiled("narrow.bin", cluster(2), "--wire=bf16", "--shard-updates")
    want = trained(compiled("one.bin", "--devices=cpu:0"))
    compare_norms("--shard-updates", trained(model, "--local-cluster=worker:2"), want, 0.01)


def values_are_off_by_half_a_place():
    """A value on its way is off by 2^-8 of itself; one within a task is not."""
    source = path("edge.tfir")
    with open(source, "w", encoding="utf-8") as file:
        file.write("""tfir 1
graph g(x: f32[1000]) -> (y) {
  device "/job:worker/task:0" { a = x * 1.1 }
  device "/job:worker/task:1" { y = a * 2.0 }
}
""")
    model = path("edge.bin")
    command(["graphc", source, "-o", model, *FLAGS, cluster(2), "--wire=bf16"])
    x = np.random.default_rng(5).uniform(1, 2, 1000).astype(np.float32)
    np.save(path("in.npy"), x)
    command(["graphc-run", model, "--quiet", f"--feed=x={path('in.npy')}",
             "--local-cluster=worker:2", f"--out={path('out')}"])
    got, want = np.load(path("out/y.npy")), x * np.float32(1.1) * np.float32(2)
    off = np.abs(got / want - 1).max()
    require(2.0 ** -9 < off <= 2.0 ** -8 * 1.0001, f"values are off by {off}")


if __name__ == "__main__":
    FLAGS = flags_for_this_cpu()
    DATA = make_digits()
    harness.run_checks([
        mixed_precision_trains_as_f32, variables_stay_f32,
        values_go_to_other_devices_in_16_bits,
        threads_do_not_matter, the_interpreter_agrees, towers_train_in_mixed_precision,
        the_wire_has_half_the_bytes, rows_that_were_updated_go_as_they_are,
        values_are_off_by_half_a_place])
