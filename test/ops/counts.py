# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The library's arrays of lengths and classes against NumPy.

  counts.py FOLDER
"""
import functools

import numpy as np

import harness
from harness import Model, require_same


@functools.cache
def model():
    return Model.of_input("counts.tfir")


def masks():
    # None, some, all and more than there are; a negative length is none.
    n, m = np.array([0, 2, 5, 9], np.int32), np.array([[3, -2, 4], [1, 2**40, 0]])
    u = np.array([0, 1, 3, 255], np.uint8)
    got = model().run("masks", {"n": n, "m": m, "u": u})
    for name, lengths, most in (("a", n, 5), ("b", m, 4), ("c", u, 3)):
        require_same(got[name], np.arange(most) < lengths[..., None], name)
    require_same(got["none"], np.array([[True, True], [False, False], [False, False]]), "none")


def counted(labels, predictions, classes, weights):
    table = np.zeros((classes, classes), weights.dtype)
    for label, prediction, weight in zip(labels.flat, predictions.flat, weights.flat):
        if 0 <= label < classes and 0 <= prediction < classes:
            table[label, prediction] += weight
    return table


def matrices():
    # One label and one prediction are no class of three.
    labels = np.array([[0, 1, 2], [2, 3, 1]])
    predictions = np.array([[0, 2, 2], [2, 1, -1]], np.int32)
    w = np.array([[1, 0.5, 2], [0.25, 8, 16]], np.float32)
    got = model().run("matrices", {"labels": labels, "predictions": predictions, "w": w,
                                   "d": w.astype(np.float64)})
    ones = np.ones((2, 3))
    require_same(got["counts"], counted(labels, predictions, 3, ones.astype(np.int32)), "counts")
    require_same(got["weighed"], counted(labels, predictions, 3, w), "weighed")
    require_same(got["exact"], counted(labels, predictions, 4, w.astype(np.float64)), "exact")
    require_same(got["one"], counted(labels, predictions, 3, ones.astype(np.float32) / 2), "one")


def empty():
    got = model().run("empty", {"labels": np.zeros(0, np.int64), "w": np.zeros(0, np.float32)})
    require_same(got["counts"], np.zeros((2, 2), np.int32), "counts")
    require_same(got["weighed"], np.zeros((2, 2), np.float32), "weighed")


if __name__ == "__main__":
    harness.run_checks([masks, matrices, empty])
