# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pools in numpy over any number of spatial dimensions, with
explicit padding, dilations and groups; channels are last."""
import numpy as np


class Windows:
    """How windows move: sizes, strides, dilations, and padding as "SAME", "VALID"
    or pairs of pixels before and after."""

    def __init__(self, ksize, strides=None, padding="SAME", dilations=None):
        self.ksize = tuple(ksize)
        self.strides = tuple(strides or [1] * len(ksize))
        self.dilations = tuple(dilations or [1] * len(ksize))
        self.padding = padding

    def axis(self, i, size):
        """Number of places, pixels before and after along one dimension."""
        extent = (self.ksize[i] - 1) * self.dilations[i] + 1
        stride = self.strides[i]
        if self.padding == "SAME":
            places = -(-size // stride)
            total = max((places - 1) * stride + extent - size, 0)
            return places, total // 2, total - total // 2
        before, after = (0, 0) if self.padding == "VALID" else self.padding[i]
        return (size + before + after - extent) // stride + 1, before, after

    def axes(self, sizes):
        return [self.axis(i, size) for i, size in enumerate(sizes)]

    def taps(self, sizes):
        """Yields each place of the window and its slice of a padded image."""
        axes = self.axes(sizes)
        for tap in np.ndindex(*self.ksize):
            yield tap, (slice(None), *[
                slice(t * d, t * d + (places - 1) * s + 1, s)
                for t, d, s, (places, _, _) in zip(tap, self.dilations,
                                                   self.strides, axes)])

    def padded(self, x, fill):
        pads = [(before, after) for _, before, after in
                self.axes(x.shape[1:-1])]
        return np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=fill)

    def pixels(self, x, fill=0):
        """Yields the place in the window and the pixels there of all windows."""
        padded = self.padded(x, fill)
        for tap, where in self.taps(x.shape[1:-1]):
            yield tap, padded[where]


def conv(x, f, windows, groups=1):
    parts = []
    inputs, outputs = x.shape[-1] // groups, f.shape[-1] // groups
    for g in range(groups):
        images = x[..., g * inputs:(g + 1) * inputs]
        filters = f[..., g * outputs:(g + 1) * outputs]
        parts.append(sum(p @ filters[tap] for tap, p in windows.pixels(images)))
    return np.concatenate(parts, axis=-1)


def depthwise(x, f, windows):
    """`f` is [height, width, channels, multiplier]."""
    result = sum(p[..., None] * f[tap] for tap, p in windows.pixels(x))
    return result.reshape(*result.shape[:-2], -1)


def transposed_conv(g, f, shape, windows, groups=1):
    """The images of `shape` whose convolution has the gradient g."""
    padded = windows.padded(np.zeros(shape), 0)
    made, given = shape[-1] // groups, g.shape[-1] // groups
    for group in range(groups):
        part = slice(group * made, (group + 1) * made)
        taken = slice(group * given, (group + 1) * given)
        for tap, where in windows.taps(shape[1:-1]):
            padded[(*where, part)] += g[..., taken] @ f[tap][..., taken].T
    inner = [slice(before, before + size) for size, (_, before, _) in
             zip(shape[1:-1], windows.axes(shape[1:-1]))]
    return padded[(slice(None), *inner)]


def largest(x, windows):
    return np.max([p for _, p in windows.pixels(x, -np.inf)], axis=0)


def counts(x, windows):
    """How many pixels of each window lie inside of the image."""
    return sum(p for _, p in windows.pixels(np.ones(x.shape)))


def total(x, windows):
    return sum(p for _, p in windows.pixels(x))


def average(x, windows):
    return total(x, windows) / counts(x, windows)


def channels_first(x):
    return np.moveaxis(x, -1, 1)


def channels_last(x):
    return np.moveaxis(x, 1, -1)


def numbers(values):
    return f"array<i64: {', '.join(map(str, values))}>"


def text_of(windows, ksize=False):
    """The attributes of an op that moves such windows."""
    parts = [f"ksize = {numbers(windows.ksize)}"] if ksize else []
    parts.append(f"strides = {numbers(windows.strides)}")
    if isinstance(windows.padding, str):
        parts.append(f'padding = "{windows.padding}"')
    else:
        flat = [p for pair in windows.padding for p in pair]
        parts.append(f'padding = "EXPLICIT", explicit_paddings = {numbers(flat)}')
    if any(d != 1 for d in windows.dilations):
        parts.append(f"dilations = {numbers(windows.dilations)}")
    return ", ".join(parts)


def tolerance():
    """Of convolutions and their gradients, for op_case."""
    return dict(norm=1e-6, floor=1e-2, step=1e-2, gradient_norm=4e-6)
