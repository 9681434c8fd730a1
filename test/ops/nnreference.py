# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution, pooling and softmax in numpy, as TensorFlow 1.x defines them."""
import numpy as np


def padding_of(size, kernel, stride, padding):
    """Outputs, pixels before and after; with SAME the odd one is after."""
    if padding == "VALID":
        return (size - kernel) // stride + 1, 0, 0
    outputs = -(-size // stride)
    total = max((outputs - 1) * stride + kernel - size, 0)
    return outputs, total // 2, total - total // 2


def windows(x, ksize, strides, padding, fill):
    """Yields (i, j, pixels at place i, j of every window)."""
    rows, top, bottom = padding_of(x.shape[1], ksize[0], strides[0], padding)
    columns, left, right = padding_of(x.shape[2], ksize[1], strides[1], padding)
    padded = np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)),
                    constant_values=fill)
    for i in range(ksize[0]):
        for j in range(ksize[1]):
            yield i, j, padded[:, i:i + (rows - 1) * strides[0] + 1:strides[0],
                               j:j + (columns - 1) * strides[1] + 1:strides[1]]


def conv2d(x, f, strides=(1, 1), padding="SAME"):
    return sum(pixels @ f[i, j] for i, j, pixels in
               windows(x, f.shape[:2], strides, padding, 0))


def scatter(shape, ksize, strides, padding, part):
    """Adds part(i, j), the share of place i, j of all windows, to their pixels."""
    rows, top, bottom = padding_of(shape[1], ksize[0], strides[0], padding)
    columns, left, right = padding_of(shape[2], ksize[1], strides[1], padding)
    padded = np.zeros((shape[0], shape[1] + top + bottom,
                       shape[2] + left + right, shape[3]))
    for i in range(ksize[0]):
        for j in range(ksize[1]):
            padded[:, i:i + (rows - 1) * strides[0] + 1:strides[0],
                   j:j + (columns - 1) * strides[1] + 1:strides[1]] += part(i, j)
    return padded[:, top:top + shape[1], left:left + shape[2]]


def conv2d_backprop_input(shape, f, g, strides=(1, 1), padding="SAME"):
    return scatter(shape, f.shape[:2], strides, padding,
                   lambda i, j: g @ f[i, j].T)


def conv2d_backprop_filter(x, ksize, g, strides=(1, 1), padding="SAME"):
    return np.stack([
        np.einsum("bhwi,bhwo->io", pixels, g, optimize=True)
        for _, _, pixels in windows(x, ksize, strides, padding, 0)
    ]).reshape(*ksize, x.shape[3], g.shape[3])


def max_pool(x, ksize, strides, padding):
    return np.max([pixels for _, _, pixels in
                   windows(x, ksize, strides, padding, -np.inf)], axis=0)


def max_pool_grad(x, g, ksize, strides, padding):
    """The gradient of each window goes to its first largest pixel."""
    best = np.argmax([pixels for _, _, pixels in
                      windows(x, ksize, strides, padding, -np.inf)], axis=0)
    return scatter(x.shape, ksize, strides, padding,
                   lambda i, j: g * (best == i * ksize[1] + j))


def pool_counts(shape, ksize, strides, padding):
    """How many pixels of each window lie inside the image."""
    return sum(pixels for _, _, pixels in
               windows(np.ones(shape), ksize, strides, padding, 0))


def avg_pool(x, ksize, strides, padding):
    return sum(pixels for _, _, pixels in
               windows(x, ksize, strides, padding, 0)) / pool_counts(
                   x.shape, ksize, strides, padding)


def avg_pool_grad(shape, g, ksize, strides, padding):
    share = g / pool_counts(shape, ksize, strides, padding)
    return scatter(shape, ksize, strides, padding, lambda i, j: share)


def log_softmax(x):
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def softmax(x):
    return np.exp(log_softmax(x))
