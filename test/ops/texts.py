# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in the text language, with a batch that is given when compiling, against NumPy.

  texts.py FOLDER NAME...   compiles Inputs/NAME.tfir of each name
"""
import os
import sys

import numpy as np

import harness
from harness import Model, require
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
