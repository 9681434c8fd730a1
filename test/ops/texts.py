# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in the text language, with a batch that is given when compiling, against NumPy.

  texts.py FOLDER NAME...   compiles Inputs/NAME.tfir of each name
"""
import os
import sys

import numpy as np

import harness
from harness import Model, require
from features import hash_bucket
from opcases import integers, normal

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 3


def near(got, want, limit, what):
    error = np.max(np.abs(got.astype(float) - want), initial=0)
    require(error <= limit, f"{what} differs by {error:.3g}")


def model_of(name, batch):
    with open(os.path.join(HERE, "Inputs", name + ".tfir"),
              encoding="utf-8") as file:
        return Model(os.path.join(sys.argv[1], name), file.read(),
                     [f"--batch={batch}"])


def loops():
    """What a loop of the compiled graph trains is what its steps do that are written one
    after the other."""
    batch = 5
    model = model_of("loops", batch)
    feeds = {"examples": normal(1, batch, 6, 4), "labels": normal(2, batch, 8)}
    options = [f"--steps={STEPS}"]
    got, want = (model.run(name, feeds, options) for name in ("rolled", "unrolled"))
    require(got["count"] == 6 * STEPS, f"{got['count']} calls")
    for name in ("loss", "states", "count"):
        near(got[name], want[name].astype(float), 1e-6, name)
    got, want = (model.variables(name, feeds, options) for name in ("rolled", "unrolled"))
    for name in ("w", "v"):
        near(got[name], want[name].astype(float), 1e-6, name)


def kernels():
    """Of more steps no more kernels are compiled, however many layers take them."""
    counts = []
    for time in (4, 12):
        # Of large values, so that slices of them are no kernels.
        printed = harness.command(
            ["graphc", os.path.join(HERE, "Inputs", "layers.tfir"), "--stop-after=scheduled",
             "--batch=16384", f"--define=time={time}"])
        counts.append(printed.count("func.func"))
    require(counts[0] == counts[1], f"{counts} kernels")


def embedding():
    batch = 7
    model = model_of("embedding", batch)
    words, texts = integers(1, 0, 20, batch, 5), integers(2, 0, 4, batch)
    table = model.variables("score", {"words": words, "texts": texts})["table"]
    table = table.astype(float)
    got = model.run("score", {"words": words, "texts": texts})
    rows = table[words].mean(1)
    sums = np.zeros((4, 3))
    np.add.at(sums, texts, rows)
    near(got["rows"], rows, 1e-6, "rows")
    near(got["sums"], sums, 1e-6, "sums")
    near(got["errors"], sums[texts] - rows, 1e-6, "errors")
    want = normal(3, batch, 3)
    for _ in range(STEPS):
        slopes = 2 * (table[words].mean(1) - want) / want.size
        gradient = np.zeros_like(table)
        for word in range(5):
            np.add.at(gradient, words[:, word], slopes / 5)
        table -= gradient
    trained = model.variables("train", {"words": words, "want": want},
                              [f"--steps={STEPS}"])["table"]
    near(trained, table, 1e-5, "the trained table")


WIDTH, HEADS, SIZE, TOKENS = 8, 2, 4, 6


def attend(values, ids, keep):
    """The layer of attention.tfir in double precision."""
    x = values["table"][ids]

    def heads(w):
        return (x @ values[f"layer/{w}"]).reshape(
            len(ids), TOKENS, HEADS, SIZE).transpose(0, 2, 1, 3)
    scores = heads("wq") @ heads("wk").swapaxes(-1, -2) * SIZE ** -0.5
    seen = keep & np.tril(np.ones((TOKENS, TOKENS), bool))
    scores = np.where(seen, scores, np.finfo(np.float32).min)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    y = (weights @ heads("wv")).transpose(0, 2, 1, 3).reshape(x.shape)
    return x + y @ values["layer/wo"]


def attention():
    """A layer computes, and is trained as differences of its loss ask for."""
    batch = 3
    model = model_of("attention", batch)
    ids = integers(1, 0, 11, batch, TOKENS)
    keep = integers(2, 0, 4, batch, 1, 1, TOKENS) > 0
    keep[..., 0] = True
    want = normal(3, batch, TOKENS, WIDTH)
    feeds = {"ids": ids, "keep": keep}
    values = {n: v.astype(float)
              for n, v in model.variables("apply", feeds).items()
              if n != "global_step"}
    near(model.run("apply", feeds)["y"], attend(values, ids, keep), 1e-5, "y")

    def loss():
        return np.mean((attend(values, ids, keep) - want) ** 2)
    first = loss()
    for _ in range(STEPS):
        slopes = {}
        for name, value in values.items():
            slopes[name] = np.zeros_like(value)
            for place in np.ndindex(value.shape):
                before = value[place]
                value[place] = before + 1e-5
                above = loss()
                value[place] = before - 1e-5
                slopes[name][place] = (above - loss()) / 2e-5
                value[place] = before
        for name, value in values.items():
            value -= 2 * slopes[name]
    trained = model.variables("train", {**feeds, "want": want},
                              [f"--steps={STEPS}"])
    for name, value in values.items():
        near(trained[name], value, 2e-4, name)
    require(loss() < 0.9 * first, "the loss does not fall")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def run_lstm(values, name, xs, lengths):
    """A layer of recurrent.tfir, one step written after the other; its outputs."""
    units, live = values[name + "/b"].size // 4, lengths[:, None]
    c = h = np.zeros((xs.shape[1], units))
    outputs = []
    for t, x in enumerate(xs):
        i, j, f, o = np.split(np.concatenate([x, h], 1) @ values[name + "/w"] +
                              values[name + "/b"], 4, 1)
        next_c = c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
        next_h = np.tanh(next_c) * sigmoid(o)
        c, h = np.where(t < live, next_c, c), np.where(t < live, next_h, h)
        outputs.append(np.where(t < live, next_h, 0))
    return np.stack(outputs)


def run_gru(values, name, xs, lengths):
    gate_w, gate_b, cand_w, cand_b = (
        values[f"{name}/{part}"] for part in ("gate_w", "gate_b", "cand_w", "cand_b"))
    h = np.zeros((xs.shape[1], cand_b.size))
    for t, x in enumerate(xs):
        r, u = np.split(sigmoid(np.concatenate([x, h], 1) @ gate_w + gate_b), 2, 1)
        candidate = np.tanh(np.concatenate([x, r * h], 1) @ cand_w + cand_b)
        h = np.where(t < lengths[:, None], u * h + (1 - u) * candidate, h)
    return h


def run_layers(values, examples, lengths):
    def turned(xs):
        places = np.arange(len(xs))[:, None]
        places = np.where(places < lengths, lengths - 1 - places, places)
        return np.take_along_axis(xs, places[:, :, None], 0)
    xs = examples.transpose(1, 0, 2).astype(float)
    forward = run_lstm(values, "layers/forward", xs, lengths)
    backward = turned(run_lstm(values, "layers/backward", turned(xs), lengths))
    ys = run_lstm(values, "layers/above", np.concatenate([forward, backward], 2), lengths)
    return ys, run_gru(values, "layers/last", ys, lengths)


def recurrent():
    """Layers over sequences of different lengths, in both directions, compute what NumPy
    does step by step, and are trained by the derivatives of that, which a small imaginary
    part of a weight gives without the error of a difference."""
    batch = 4
    model = model_of("recurrent", batch)
    feeds = {"examples": normal(1, batch, 5, 3),
             "lengths": np.array([5, 1, 0, 3], np.int32)}
    labels = normal(2, batch, 4)
    values = {n: v.astype(complex) for n, v in model.variables("apply", feeds).items()
              if n != "global_step"}
    require(len(values) == 10, f"{len(values)} variables")
    got = model.run("apply", feeds)
    for name, want in zip(("ys", "h"), run_layers(values, **feeds)):
        near(got[name], want.real, 2e-6, name)

    def loss():
        ys, h = run_layers(values, **feeds)
        return np.mean((h - labels) ** 2) + 0.1 * np.mean(ys ** 2)
    first = loss().real
    for _ in range(STEPS):
        slopes = {name: np.zeros(value.shape) for name, value in values.items()}
        for name, value in values.items():
            for place in np.ndindex(value.shape):
                value[place] += 1e-100j
                slopes[name][place] = loss().imag * 1e100
                value[place] = value[place].real
        for name, value in values.items():
            value -= slopes[name]
    trained = model.variables("train", feeds | {"labels": labels}, [f"--steps={STEPS}"])
    for name, value in values.items():
        near(trained[name], value.real, 1e-5, name)
    require(loss().real < 0.9 * first, "the loss does not fall")


def features():
    """Columns are made of features by ops, and the tables behind them trained."""
    train_columns(model_of("features", 9), 9, ["income", "ages", "jobs"])


def columns():
    """The same by input_layer, which has them in another order."""
    train_columns(model_of("columns", 9), 9, ["ages", "income", "jobs"])


def train_columns(model, batch, order):
    feeds = {"age": np.array([3, 17, 18, 24, 25, 49, 50, 90, 18], np.int32),
             "income": normal(1, batch), "words": integers(2, 0, 10, batch, 4),
             "job": np.array([101, 205, 307, 9, 101, 0, -1, 307, 205], np.int32),
             "town": integers(3, -2 ** 40, 2 ** 40, batch, dtype=np.int64)}
    values = {n: v.astype(float) for n, v in model.variables("apply", feeds).items()
              if n != "global_step"}
    ages = np.searchsorted([18, 25, 50], feeds["age"], side="right")
    towns = hash_bucket([feeds["town"]], 50)
    crossed = hash_bucket([ages, feeds["town"]], 20)
    parts = {"income": (feeds["income"][:, None] - 30.0) / 10, "ages": np.eye(4)[ages],
             "jobs": feeds["job"][:, None] == [101, 205, 307]}

    def inputs():
        return np.concatenate([
            *(parts[name] for name in order),
            values["columns/town_table"][towns],
            values["columns/word_table"][feeds["words"]].mean(1)], 1)
    got = model.run("apply", feeds)
    near(got["inputs"], inputs(), 1e-5, "the columns")
    near(got["linear"], values["wide/weights"][crossed], 0, "the crossed ones")
    want = normal(4, batch)
    for _ in range(STEPS):
        error = values["wide/weights"][crossed] + inputs().sum(1) - want
        slopes = 0.1 * 2 * error / batch
        np.add.at(values["wide/weights"], crossed, -slopes)
        np.add.at(values["columns/town_table"], towns, -slopes[:, None])
        for column in feeds["words"].T:
            np.add.at(values["columns/word_table"], column, -slopes[:, None] / 4)
    trained = model.variables("train", feeds | {"want": want}, [f"--steps={STEPS}"])
    for name, value in values.items():
        near(trained[name], value, 1e-5, name)


def order():
    batch = 5
    x = normal(1, batch, 6)
    got = model_of("order", batch).run("best", {"x": x})
    places = np.argsort(-x, -1, kind="stable")
    near(got["sorted"], np.take_along_axis(x, places, -1), 0, "the rows")
    near(got["values"], got["sorted"][:, :3], 0, "the best")
    near(got["places"], places[:, :3], 0, "their places")
    near(got["order"], np.argsort(x, -1, kind="stable"), 0, "the order")
    near(got["rows"], x[:, [0, 0]], 0, "the columns")


if __name__ == "__main__":
    harness.run_checks([globals()[name] for name in sys.argv[2:]])
