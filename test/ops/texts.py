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


if __name__ == "__main__":
    harness.run_checks([globals()[name] for name in sys.argv[2:]])
