# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The library's quantization against NumPy: numbers of 8 bits for floats and back, sums of
their products, rounding with a gradient.

  quantization.py FOLDER
"""
import functools

import numpy as np

import harness
from harness import Model, require, require_same


@functools.cache
def model():
    return Model.of_input("quantization.tfir")


def quantized(x, scale, zero_point, dtype):
    limits = np.iinfo(dtype)
    whole = np.rint(x / np.float32(scale)) + np.float32(zero_point)
    return np.clip(whole, limits.min, limits.max).astype(dtype)


def floats():
    x = np.random.RandomState(1).uniform(-8, 8, 40).astype(np.float32)
    # Ties, ends and what is beyond them.
    x[:10] = np.float32(0.05) * np.array([0.5, 1.5, -0.5, -2.5, 0, 1e4, -1e4, 125, 130, -125])
    return x


def numbers():
    random = np.random.RandomState(2)
    q, u = random.randint(-128, 128, 40).astype(np.int8), random.randint(0, 256, 40).astype(np.uint8)
    x = floats()
    got = model().run("numbers", {"x": x, "q": q, "u": u})
    require_same(got["y"], quantized(x, 0.05, -3, np.int8), "quantize")
    require_same(got["v"], quantized(x, 0.05, 100, np.uint8), "quantize_u8")
    require_same(got["back"], q.astype(np.float32) * np.float32(0.25), "dequantize")
    require_same(got["back_u"], (u.astype(np.float32) - 7) * np.float32(0.5), "dequantize of u8")


def product():
    random = np.random.RandomState(3)
    a, b = (random.randint(-128, 128, shape).astype(np.int8) for shape in ((9, 70), (70, 13)))
    got = model().run("product", {"a": a, "b": b})
    require_same(got["c"], (a.astype(np.int32) - 4) @ b.astype(np.int32), "quantized_matmul")


def literals():
    got = model().run("literals")
    require_same(got["c"], np.array([[10]], np.int32), "quantized_matmul of literals")
    require_same(got["y"], np.array([0.25, -0.5], np.float32), "fake_quantize of literals")


def images():
    random = np.random.RandomState(4)
    x = random.randint(0, 256, (2, 8, 7, 3)).astype(np.uint8)
    f = random.randint(-128, 128, (3, 3, 3, 5)).astype(np.int8)
    wide = np.pad(x.astype(np.int32) - 128, ((0, 0), (0, 1), (1, 1), (0, 0)))
    want = np.zeros((2, 4, 7, 5), np.int32)
    for i, j in np.ndindex(3, 3):
        want += wide[:, i:i + 7:2, j:j + 7] @ f[i, j].astype(np.int32)
    got = model().run("images", {"x": x, "f": f})
    require_same(got["y"], want, "quantized_conv2d")


def rounded():
    x = np.random.RandomState(5).uniform(-4, 4, 40).astype(np.float32)
    got = model().run("rounded", {"x": x})
    want = (quantized(x, 0.02, 10, np.int8).astype(np.float32) - 10) * np.float32(0.02)
    require(np.abs(got["y"] - want).max() < 1e-6, "fake_quantize")
    inside = (x > -138 * 0.02) & (x < 117 * 0.02)
    require(inside.any() and not inside.all(), "all are inside, or none")
    slopes = np.where(inside, 2 * want, 0)
    require(np.abs(got["slopes"] - slopes).max() < 1e-5, "the gradient of fake_quantize")


if __name__ == "__main__":
    harness.run_checks([numbers, product, literals, images, rounded])
