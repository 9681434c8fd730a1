# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of which a step looks up a few rows train as NumPy does in double precision, on
one device and on any others; where tables are on servers, their rows travel and no table
does; rows that no step names stay as they are to the bit."""
import re

import numpy as np

from common import (cluster_flag, command, flags_for_this_cpu, harness, path, require,
                    tensors, weights)

ROWS, WIDTH, BATCH, WORDS, STEPS = 400, 8, 16, 3, 6
TEXT = """tfir 1

variable table: f32[400, 8] = random_normal(stddev=1.0, seed=1)
variable bias: f32[400] = random_normal(stddev=1.0, seed=2)

graph train(words: i32[?, 3], labels: i32[?], want: f32[?]) -> (loss) {
  x = mean(LOOKUP(table, words), axes=[1])
  p = sum(x * gather(table, labels), axes=[1]) + gather(bias, labels)
  loss = mean(square(p - want))
  minimize(loss, OPTIMIZER)
}
"""


def feeds():
    random = np.random.Generator(np.random.PCG64(7))
    # Names that come again, within a lookup and in both, and few of the rows.
    values = {"words": random.integers(0, 40, (BATCH, WORDS)).astype(np.int32) * 9,
              "labels": random.integers(0, 9, BATCH).astype(np.int32) * 9,
              "want": random.normal(size=BATCH).astype(np.float32)}
    for name, value in values.items():
        np.save(path(name + ".npy"), value)
    return values


FEEDS = feeds()
FLAGS = [f"--feed={name}={path(name + '.npy')}" for name in FEEDS]
TOUCHED = np.unique(np.concatenate([FEEDS["words"].ravel(), FEEDS["labels"]]))


def compiled(optimizer, *options, lookup="embedding_lookup", rows=ROWS):
    source, model = path("sparse.tfir"), path("sparse.bin")
    text = TEXT.replace("OPTIMIZER", optimizer).replace("LOOKUP", lookup)
    text = text.replace("400", str(rows))
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    command(["graphc", source, "-o", model, f"--batch={BATCH}",
             *flags_for_this_cpu(), *options])
    return model


def bytes_of(model, steps=STEPS, *options):
    return weights(model, "--virtual-gpus", f"--steps={steps}", *FLAGS,
                   *(options or ["--graph=train"]))


def trained(model, *options, steps=STEPS):
    return tensors(bytes_of(model, steps, *options))


def gradients(table, bias):
    words, labels, want = (FEEDS[name] for name in ("words", "labels", "want"))
    x, y = table[words].mean(1), table[labels]
    slope = 2 * ((x * y).sum(1) + bias[labels] - want) / BATCH
    by_table, by_bias = np.zeros_like(table), np.zeros_like(bias)
    for word in range(WORDS):
        np.add.at(by_table, words[:, word], slope[:, None] * y / WORDS)
    np.add.at(by_table, labels, slope[:, None] * x)
    np.add.at(by_bias, labels, slope)
    return by_table, by_bias


def sgd(w, g, _):
    w -= 0.5 * g


def adagrad(w, g, slots):
    a = slots.setdefault("a", np.full_like(w, 0.1))
    a += g * g
    w -= 0.5 * g / np.sqrt(a)


def momentum(w, g, slots):
    a = slots.setdefault("a", np.zeros_like(w))
    a *= 0.9
    a += g
    w -= 0.1 * a


def adam(w, g, slots):
    m, v = (slots.setdefault(k, np.zeros_like(w)) for k in "mv")
    slots["t"] = t = slots.get("t", 0) + 1
    m += 0.1 * (g - m)
    v += 0.001 * (g * g - v)
    w -= 0.01 * np.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t) * m / (np.sqrt(v) + 0.1)


# The update of rows alone, and of all elements.
OPTIMIZERS = {"sgd(learning_rate=0.5)": sgd, "adagrad(learning_rate=0.5)": adagrad,
              "momentum(learning_rate=0.1)": momentum,
              "adam(learning_rate=0.01, epsilon=0.1)": adam}
FIRST = {}


def initial():
    if not FIRST:
        model = compiled("sgd(learning_rate=0.5)", "--devices=cpu:0")
        FIRST.update(tensors(weights(model, "--graph=init")))
    return FIRST


def expected(function, steps=STEPS):
    values = {name: initial()[name].astype(np.float64) for name in ("table", "bias")}
    slots = {name: {} for name in values}
    for _ in range(steps):
        for name, g in zip(values, gradients(**values)):
            function(values[name], g, slots[name])
    return values


def compare(what, got, want):
    for name, value in want.items():
        error = np.max(np.abs(got[name] - value)) / np.max(np.abs(value))
        require(error <= 3e-6, f"{what}: '{name}' is {error:.2g} away")


LAYOUTS = {
    "one device": ["--devices=cpu:0"],
    "gather": ["--devices=cpu:0"],
    "two devices": ["--cpu-devices=2", "--placement=ps-round-robin", "--replicate=none"],
    "towers": ["--devices=gpu:0-1"],
    "four towers on two devices": ["--devices=gpu:0-1", "--replicas=4"],
    "a ring": ["--devices=gpu:0-1", "--reduce=ring"],
    "mirrors": ["--devices=gpu:0-1", "--variable-device=mirrored", "--reduce=ps"],
    "the reference target": ["--devices=cpu:0", "--cpu-target=reference"],
}


def layouts_of(optimizer):
    """All for updates of rows; for others those where rows travel."""
    if OPTIMIZERS[optimizer] in (sgd, adagrad):
        return LAYOUTS
    return {name: LAYOUTS[name] for name in ("one device", "towers")}


def on_every_layout():
    others = np.setdiff1d(np.arange(ROWS), TOUCHED)
    require(len(others) > ROWS // 2, "few rows are left alone")
    for optimizer, function in OPTIMIZERS.items():
        want = expected(function)
        for name, options in layouts_of(optimizer).items():
            lookup = "gather" if name == "gather" else "embedding_lookup"
            got = trained(compiled(optimizer, *options, lookup=lookup))
            compare(f"{optimizer} on {name}", got, want)
            # Momentum has none to move them by.
            for variable in ("table", "bias"):
                require(np.array_equal(got[variable][others],
                                       initial()[variable][others]),
                        f"{optimizer} on {name}: other rows of '{variable}' moved")


def on_clusters():
    for optimizer, function in OPTIMIZERS.items():
        want = expected(function)
        model = compiled(optimizer, "--async", cluster_flag(2, 1))
        compare(f"{optimizer} with --async",
                trained(model, "--graph=train@0"), want)
    optimizer = "adagrad(learning_rate=0.5)"
    want = expected(adagrad)
    for option in ("--replication=between-graph", "--sync=2"):
        got = trained(compiled(optimizer, option, cluster_flag(2, 2)),
                      "--local-cluster=ps:2,worker:2", "--graph=train")
        compare(f"{optimizer} with {option}", got, want)


def of_the_same_bits():
    """Servers, towers and rings of canonical plans."""
    for optimizer in ("sgd(learning_rate=0.5)", "adagrad(learning_rate=0.5)"):
        options = ["--numerics=canonical", "--replicas=4"]
        data = {name: bytes_of(compiled(optimizer, *options, *layout))
                for name, layout in {
                    "one": ["--devices=cpu:0"], "ps": ["--devices=gpu:0-1"],
                    "ring": ["--devices=gpu:0-3", "--reduce=ring"]}.items()}
        require(len(set(data.values())) == 1,
                f"{optimizer}: {sorted(data)} have other bits")


def rows_travel():
    """All links between a server and a worker, with 16 rows of lookups that have 3 + 1
    names each, and the bias."""
    lookups = BATCH // 2 * (WORDS + 1)
    rows = 4 * (lookups * WIDTH + BATCH // 2)
    for optimizer in ("sgd(learning_rate=0.5)", "adam(learning_rate=0.01)"):
        for option in ("--replication=between-graph", "--async"):
            times = 2 if option == "--async" else 1  # whole batches
            # With the gradients names travel twice, of 4 bytes each.
            limits = {"/job:ps->/job:worker/task:0": rows + 64,
                      "/job:worker/task:0->/job:ps": rows + 8 * lookups + 64}
            compiled(optimizer, option, cluster_flag(1, 2),
                     *[f"--budget=link {link} <= {times * limit}"
                       for link, limit in limits.items()])


def in_parts():
    """Of a table that is divided among servers each part does what is its own, wherever a
    name lies; the whole variable is what one device has."""
    rows = 20000
    FEEDS["words"][0], FEEDS["labels"][:3] = (0, rows // 2 - 1, rows // 2), rows - 1
    for name, value in FEEDS.items():
        np.save(path(name + ".npy"), value)
    for optimizer in OPTIMIZERS:
        want = trained(compiled(optimizer, "--devices=cpu:0", rows=rows))
        model = compiled(optimizer, cluster_flag(2, 1), "--placement=ps-by-bytes", rows=rows)
        listed = command(["graphc-dump", model, "--what=schedule", "--graph=train"])
        require("table/part_1" in listed, f"{optimizer}: the table is whole")
        sent = [int(size) for size in re.findall(r"^  edge .*: (\d+) bytes", listed, re.M)]
        require(max(sent) <= 4 * BATCH * (WORDS + 1) * WIDTH,
                f"{optimizer}: sends {max(sent)} bytes at once")
        got = trained(model)
        require(got.keys() == want.keys(), f"{optimizer}: has {sorted(got)}")
        compare(f"{optimizer} in parts", got, want)


UPDATE = """tfir 1

variable seen: f32[400, 8] = 0.0
variable w: f32[8] = 0.5

graph train(words: i32[?, 3], rows: f32[?, 3, 8]) -> (loss) {
  scatter_add(seen, words, rows)
  loss = mean(square(rows * w))
  minimize(loss, sgd(learning_rate=0.1))
}
"""


def added_rows_travel():
    """What towers on workers add to rows of a table on a server: names and rows go there,
    no table goes either way, and the table gets the mean of the towers' sums."""
    source, model = path("update.tfir"), path("update.bin")
    with open(source, "w", encoding="utf-8") as file:
        file.write(UPDATE)
    names = BATCH * WORDS
    options = [f"--batch={BATCH}", "--replication=between-graph", cluster_flag(1, 2)]
    options += [f"--budget=link /job:worker->/job:ps <= {4 * names * (WIDTH + 1) + 256}",
                "--budget=link /job:ps->/job:worker <= 256"]
    command(["graphc", source, "-o", model, *flags_for_this_cpu(), *options])
    rows = np.random.Generator(np.random.PCG64(9)).normal(
        size=(BATCH, WORDS, WIDTH)).astype(np.float32)
    np.save(path("rows.npy"), rows)
    np.save(path("names.npy"), FEEDS["words"])
    got = tensors(weights(model, "--virtual-gpus", "--graph=train", f"--steps={STEPS}",
                          f"--feed=words={path('names.npy')}",
                          f"--feed=rows={path('rows.npy')}"))
    want = np.zeros((ROWS, WIDTH))
    np.add.at(want, FEEDS["words"], rows * STEPS / 2)
    compare("rows that are added", got, {"seen": want})


if __name__ == "__main__":
    harness.run_checks([on_every_layout, on_clusters, of_the_same_bits, rows_travel,
                        added_rows_travel, in_parts])
