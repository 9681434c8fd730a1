# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a data set of make-digits: form, balance, and that a linear model
learns much of it, but not all."""
import gzip
import struct
import sys

import numpy as np


def read(name, rank):
    with gzip.open(f"{sys.argv[1]}/{name}-ubyte.gz") as file:
        data = file.read()
    assert data[:4] == bytes([0, 0, 8, rank])
    shape = struct.unpack(f">{rank}I", data[4:4 + 4 * rank])
    return np.frombuffer(data[4 + 4 * rank:], np.uint8).reshape(shape)


images, labels = read("train-images-idx3", 3), read("train-labels-idx1", 1)
test, truth = read("t10k-images-idx3", 3), read("t10k-labels-idx1", 1)
assert images.shape == (600, 28, 28) and labels.shape == (600,)
assert test.shape == (200, 28, 28) and truth.shape == (200,)
assert np.bincount(labels, minlength=10).min() > 30
assert (images.reshape(600, -1).max(1) >= 190).all()

x = images.reshape(600, -1) / 255.0
hot = np.eye(10)[labels]
weights = np.linalg.solve(x.T @ x + 30 * np.eye(784), x.T @ hot)
right = np.mean((test.reshape(200, -1) @ weights).argmax(1) == truth)
assert 0.6 < right < 0.98, right
