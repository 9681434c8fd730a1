# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Depthwise and separable convolutions, and layers with them."""
import numpy as np

import harness
import windows as win
from harness import Case, Fetch, graph, type_of
from opcases import call, normal, op_case
from windows import Windows, channels_first, channels_last, text_of, tolerance

NCHW = ', data_format = "NCHW"'
P = ((1, 2), (0, 1))

# images, multiplier, windows
DEPTHWISE = [
    ((1, 1, 1, 1), 1, Windows((1, 1))),
    ((2, 5, 7, 3), 1, Windows((3, 3))),
    ((2, 5, 7, 3), 2, Windows((3, 3), padding="VALID")),
    ((1, 7, 8, 5), 1, Windows((3, 2), (2, 2))),
    ((2, 8, 7, 17), 1, Windows((3, 3), (2, 1), "VALID")),
    ((1, 9, 9, 4), 3, Windows((3, 3), (1, 1), "SAME", (2, 2))),
    ((1, 9, 10, 6), 1, Windows((3, 3), (2, 3), "SAME", (2, 1))),
    ((2, 6, 6, 33), 1, Windows((3, 3), (1, 1), P)),
    ((1, 6, 5, 2), 2, Windows((2, 3), (2, 2), P)),
    ((1, 4, 4, 3), 1, Windows((3, 3), (1, 1), ((4, 3), (5, 0)))),
    ((1, 11, 11, 3), 1, Windows((9, 9))),
    ((1, 11, 11, 3), 2, Windows((9, 9), (2, 2))),
    ((2, 12, 11, 3), 1, Windows((9, 7), (3, 2), "VALID")),
    ((4, 14, 14, 48), 1, Windows((5, 5))),
    ((3, 28, 28, 32), 1, Windows((3, 3), (2, 2))),
    ((1, 10, 10, 20), 1, Windows((3, 3), (5, 4))),
]


def depthwise_cases():
    for number, (shape, each, windows) in enumerate(DEPTHWISE):
        x = normal(number, *shape)
        f = normal(number + 50, *windows.ksize, shape[3], each)

        def reference(a, b, windows=windows):
            return win.depthwise(a, b, windows)
        yield op_case(f"depthwise_{number}", "depthwise_conv2d", [x, f],
                      reference, text_of(windows), by=(0, 1), **tolerance())
        if number % 3:
            continue
        yield op_case(f"depthwise_first_{number}", "depthwise_conv2d",
                      [np.ascontiguousarray(channels_first(x)), f],
                      lambda a, b, r=reference:
                          channels_first(r(channels_last(a), b)),
                      text_of(windows) + NCHW, by=(0, 1), **tolerance())


def depthwise_backprop_cases():
    for number in (1, 2, 3, 6, 7, 8, 11, 13):
        shape, each, windows = DEPTHWISE[number]
        x = normal(number, *shape)
        f = normal(number + 50, *windows.ksize, shape[3], each)
        g = normal(number + 80, *win.depthwise(x, f, windows).shape)

        def by_input(a, b, windows=windows, shape=shape):
            padded = windows.padded(np.zeros(shape), 0)
            split = b.reshape(*b.shape[:-1], shape[3], -1)
            for tap, where in windows.taps(shape[1:-1]):
                padded[where] += (split * a[tap]).sum(-1)
            inner = [slice(before, before + size) for size, (_, before, _) in
                     zip(shape[1:-1], windows.axes(shape[1:-1]))]
            return padded[(slice(None), *inner)]

        def by_image(a, b, windows=windows, f=f):
            split = b.reshape(*b.shape[:-1], f.shape[2], -1)
            parts = [np.sum(p[..., None] * split, axis=(1, 2))
                     for _, p in windows.pixels(a)]
            return np.stack(parts, 1).reshape(-1, *f.shape)
        yield op_case(f"depthwise_by_input_{number}",
                      "depthwise_conv2d_backprop_input", [f, g], by_input,
                      text_of(windows), by=(0, 1), **tolerance())
        yield op_case(f"depthwise_by_filter_{number}",
                      "depthwise_conv2d_backprop_filter", [x, g],
                      lambda a, b, r=by_image: r(a, b).sum(0), text_of(windows),
                      norm=1e-6, floor=1e-2)
        yield op_case(f"depthwise_partials_{number}",
                      "depthwise_filter_partials", [x, g], by_image,
                      text_of(windows), norm=1e-6, floor=1e-2)


def depthwise_layer_case(number):
    """relu6(depthwise(2 * x, f) + b) between two others, with its gradients."""
    shape, each, windows = DEPTHWISE[number]
    x = normal(1, *shape)
    f = normal(2, *windows.ksize, shape[3], each)
    b = normal(3, shape[3] * each)
    wide = [v.astype(float) for v in (x, f, b)]
    q = win.depthwise(2 * wide[0], wide[1], windows) + wide[2]
    g = normal(4, *q.shape)
    y, two = type_of(g), np.float32(2)
    text = "\n".join([
        f"%two = tfir.const dense<2.0> : {type_of(two)}",
        call("mul", ["x2"], ["x", "two"], [x, two], "", [type_of(x)]),
        call("depthwise_conv2d", ["p"], ["x2", "f"], [x, f], text_of(windows),
             [y]),
        call("bias_add", ["q"], ["p", "b"], [g, b], "", [y]),
        call("relu6", ["y"], ["q"], [g], "", [y]),
        call("mul", ["l"], ["y", "g"], [g, g], "", [y]),
        f"%dx, %df, %db = tfir.gradients %l, %x, %f, %b : ({y}, {type_of(x)}, "
        f"{type_of(f)}, {type_of(b)}) -> ({type_of(x)}, {type_of(f)}, "
        f"{type_of(b)})"])
    back = g * ((q > 0) & (q < 6))
    padded = windows.padded(np.zeros(shape), 0)
    split = back.reshape(*back.shape[:-1], shape[3], -1)
    for tap, where in windows.taps(shape[1:-1]):
        padded[where] += 2 * (split * wide[1][tap]).sum(-1)
    inner = [slice(before, before + size) for size, (_, before, _) in
             zip(shape[1:-1], windows.axes(shape[1:-1]))]
    df = np.stack([np.sum(p[..., None] * split, axis=(0, 1, 2))
                   for _, p in windows.pixels(2 * wide[0])]).reshape(f.shape)
    wants = {"y": np.clip(q, 0, 6), "dx": padded[(slice(None), *inner)],
             "df": df, "db": back.sum((0, 1, 2))}
    feeds = {"x": x, "f": f, "b": b, "g": g}
    types = {"y": y, "dx": type_of(x), "df": type_of(f), "db": type_of(b)}
    return Case(f"depthwise_layer_{number}",
                graph(f"depthwise_layer_{number}", feeds, text, types), feeds,
                {n: Fetch(v.astype(np.float32), norm=2e-6, floor=1e-2)
                 for n, v in wants.items()})


def separable_cases():
    for number in (1, 2, 3, 5, 7):
        shape, each, windows = DEPTHWISE[number]
        x = normal(number, *shape)
        f = normal(number + 50, *windows.ksize, shape[3], each)
        p = normal(number + 60, 1, 1, shape[3] * each, 5)

        def reference(a, b, c, windows=windows):
            return win.depthwise(a, b, windows) @ c[0, 0]
        yield op_case(f"separable_{number}", "separable_conv2d", [x, f, p],
                      reference, text_of(windows), by=(0, 1, 2), **tolerance())
        yield op_case(f"separable_{number}_first", "separable_conv2d",
                      [np.ascontiguousarray(channels_first(x)), f, p],
                      lambda a, b, c, r=reference:
                          channels_first(r(channels_last(a), b, c)),
                      text_of(windows) + NCHW, by=(0, 1, 2), **tolerance())


def cases():
    return [*depthwise_cases(), *depthwise_backprop_cases(),
            *[depthwise_layer_case(n) for n in (1, 4, 5, 7, 13, 14)],
            *separable_cases()]


if __name__ == "__main__":
    harness.main(cases())
