# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions with explicit padding, dilations, groups and other orders of
dimensions, transposed ones, of one to three spatial dimensions."""
import numpy as np

import harness
import windows as win
from opcases import normal, op_case
from windows import (Windows, channels_first, channels_last, numbers, text_of,
                     tolerance)

NCHW = ', data_format = "NCHW"'
P = ((1, 2), (0, 1))

# images, channels of the result, groups, windows
CONV2D = [
    ((2, 5, 7, 3), 4, 1, Windows((3, 3), (1, 1), P)),
    ((1, 6, 6, 2), 5, 1, Windows((3, 3), (2, 2), ((1, 1), (1, 1)))),
    ((1, 8, 7, 2), 3, 1, Windows((2, 3), (2, 2), ((1, 0), (0, 2)))),
    ((1, 7, 7, 2), 3, 1, Windows((7, 7), (2, 2), ((3, 3), (3, 3)))),
    ((2, 9, 5, 2), 3, 1, Windows((4, 1), (3, 1), ((3, 3), (0, 0)))),
    ((1, 4, 4, 1), 2, 1, Windows((3, 3), (1, 1), ((2, 2), (2, 2)))),
    ((1, 3, 3, 2), 2, 1, Windows((1, 1), (2, 2), ((1, 1), (0, 1)))),
    ((1, 4, 4, 2), 3, 1, Windows((2, 2), (1, 1), ((4, 2), (0, 3)))),
    ((1, 8, 9, 2), 3, 1, Windows((3, 3), (1, 1), "SAME", (2, 2))),
    ((1, 9, 9, 2), 3, 1, Windows((3, 2), (1, 1), "VALID", (3, 1))),
    ((2, 9, 10, 2), 3, 1, Windows((3, 3), (2, 2), "SAME", (2, 3))),
    ((1, 8, 8, 3), 4, 1, Windows((3, 3), (1, 1), ((2, 2), (2, 2)), (2, 2))),
    ((2, 5, 6, 6), 4, 2, Windows((3, 3))),
    ((1, 7, 6, 6), 9, 3, Windows((3, 2), (2, 1), "VALID")),
    ((2, 5, 5, 4), 4, 4, Windows((3, 3))),
    ((1, 6, 6, 3), 6, 3, Windows((3, 3), (1, 1), P, (1, 1))),
    ((1, 8, 8, 4), 6, 2, Windows((3, 3), (1, 1), ((1, 2), (2, 1)), (2, 2))),
    ((1, 14, 14, 64), 32, 2, Windows((3, 3), (2, 2), ((1, 1), (1, 1)))),
    ((3, 28, 28, 16), 32, 1, Windows((7, 7), (2, 2), ((3, 3), (3, 3)))),
    ((2, 16, 17, 24), 16, 1, Windows((3, 3), (1, 1), "SAME", (4, 4))),
]
# sequences, channels of the result, groups, windows
CONV1D = [
    ((2, 9, 3), 4, 1, Windows((3,))),
    ((1, 1, 1), 1, 1, Windows((1,))),
    ((2, 10, 4), 6, 2, Windows((4,), (2,), "VALID")),
    ((1, 11, 3), 2, 1, Windows((3,), (1,), ((2, 0),))),
    ((3, 33, 16), 32, 1, Windows((5,), (1,), ((8, 0),), (2,))),
    ((1, 12, 5), 5, 5, Windows((3,), (3,))),
]
# volumes, channels of the result, groups, windows
CONV3D = [
    ((1, 4, 5, 6, 2), 3, 1, Windows((3, 3, 3))),
    ((2, 3, 4, 4, 1), 2, 1, Windows((2, 1, 3), (1, 1, 1), "VALID")),
    ((1, 5, 5, 5, 2), 2, 1, Windows((3, 3, 3), (2, 2, 2))),
    ((1, 7, 4, 6, 2), 3, 1, Windows((3, 2, 2), (3, 2, 1), "VALID")),
    ((1, 5, 4, 4, 1), 2, 1, Windows((3, 3, 3), (2, 1, 1), ((1, 1), (0, 1), (1, 0)))),
    ((1, 6, 5, 5, 2), 2, 1, Windows((2, 2, 3), (1, 1, 1), "SAME", (2, 1, 2))),
    ((1, 4, 3, 5, 4), 6, 2, Windows((2, 3, 2), (1, 2, 1))),
    ((2, 8, 9, 10, 4), 8, 1, Windows((3, 3, 3), (1, 2, 2))),
]
# shape of the result, channels of the operand, groups, windows
TRANSPOSED = [
    ((2, 6, 8, 3), 4, 1, Windows((3, 3), (2, 2))),
    ((1, 5, 5, 2), 3, 1, Windows((3, 3))),
    ((1, 9, 7, 2), 3, 1, Windows((4, 3), (2, 3), "VALID")),
    ((1, 8, 8, 4), 2, 1, Windows((4, 4), (2, 2), ((1, 1), (1, 1)))),
    ((1, 8, 7, 2), 3, 1, Windows((3, 3), (1, 2), "SAME", (2, 1))),
    ((2, 5, 6, 4), 6, 2, Windows((3, 2), (2, 1))),
    ((1, 7, 6, 3), 3, 3, Windows((3, 3), (2, 2), ((3, 1), (0, 2)), (2, 2))),
    ((2, 28, 28, 16), 8, 1, Windows((5, 5), (2, 2))),
    ((2, 9, 3), 4, 1, Windows((3,), (2,))),
    ((1, 8, 4), 6, 2, Windows((4,), (3,), "VALID", (2,))),
    ((1, 11, 2), 3, 1, Windows((3,), (2,), ((2, 1),))),
    ((1, 4, 5, 6, 2), 3, 1, Windows((3, 2, 3), (2, 1, 2))),
    ((1, 5, 4, 4, 2), 2, 2, Windows((2, 3, 2), (1, 2, 1), "VALID", (2, 1, 1))),
    ((2, 3, 4, 4, 1), 2, 1, Windows((3, 3, 3), (1, 2, 2), ((1, 2), (0, 1), (2, 0)))),
]


def two_orders(name, op, x, f, reference, attributes, first):
    """A case with channels last and one with channels first."""
    yield op_case(name, op, [x, f], reference, attributes, by=(0, 1),
                  **tolerance())
    if x.size > 2000:
        return
    yield op_case(name + "_first", op,
                  [np.ascontiguousarray(channels_first(x)), f],
                  lambda a, b: channels_first(reference(channels_last(a), b)),
                  f'{attributes}, data_format = "{first}"', by=(0, 1),
                  **tolerance())


def conv2d_cases():
    for number, (shape, out, groups, windows) in enumerate(CONV2D):
        x = normal(number, *shape)
        f = normal(number + 50, *windows.ksize, shape[3] // groups, out)
        yield from two_orders(
            f"conv2d_{number}", "conv2d", x, f,
            lambda a, b, w=windows, g=groups: win.conv(a, b, w, g),
            f"{text_of(windows)}, groups = {groups}", "NCHW")
    shape, out, _, windows = CONV2D[8]
    yield op_case("atrous", "atrous_conv2d",
                  [normal(1, *shape), normal(2, 3, 3, shape[3], out)],
                  lambda a, b: win.conv(a, b, windows), "rate = 2",
                  by=(0, 1), **tolerance())


def conv2d_backprop_cases():
    """Gradients as ops, with explicit padding, and gradients of them."""
    for number in (0, 1, 2, 3, 4, 5, 18):
        shape, out, _, windows = CONV2D[number]
        x, f = normal(number, *shape), normal(number, *windows.ksize,
                                              shape[3], out)
        g = normal(number + 80, *win.conv(x, f, windows).shape)
        yield op_case(f"by_input_{number}", "conv2d_backprop_input", [f, g],
                      lambda a, b, s=shape, w=windows:
                          win.transposed_conv(b, a, s, w),
                      text_of(windows), by=(0, 1), **tolerance())
        yield op_case(f"by_filter_{number}", "conv2d_backprop_filter", [x, g],
                      lambda a, b, w=windows, f=f: np.stack(
                          [np.einsum("bhwi,bhwo->io", p, b) for _, p in
                           w.pixels(a)]).reshape(f.shape),
                      text_of(windows), by=(0, 1), **tolerance())


def text_of_sequence(windows):
    text = f"stride = {windows.strides[0]}, dilation = {windows.dilations[0]}"
    if isinstance(windows.padding, str):
        return text + f', padding = "{windows.padding}"'
    return (f'{text}, padding = "EXPLICIT", explicit_paddings = '
            f"{numbers(windows.padding[0])}")


def conv1d_cases():
    for number, (shape, out, groups, windows) in enumerate(CONV1D):
        x = normal(number, *shape)
        f = normal(number + 50, *windows.ksize, shape[2] // groups, out)
        text = f"{text_of_sequence(windows)}, groups = {groups}"
        yield from two_orders(
            f"conv1d_{number}", "conv1d", x, f,
            lambda a, b, w=windows, g=groups: win.conv(a, b, w, g), text, "NCW")


def conv3d_cases():
    for number, (shape, out, groups, windows) in enumerate(CONV3D):
        x = normal(number, *shape)
        f = normal(number + 50, *windows.ksize, shape[4] // groups, out)
        yield from two_orders(
            f"conv3d_{number}", "conv3d", x, f,
            lambda a, b, w=windows, g=groups: win.conv(a, b, w, g),
            f"{text_of(windows)}, groups = {groups}", "NCDHW")


def transposed_cases():
    for number, (shape, channels, groups, windows) in enumerate(TRANSPOSED):
        dims = len(shape) - 2
        f = normal(number + 50, *windows.ksize, shape[-1] // groups, channels)
        g = normal(number, *win.conv(np.zeros(shape), f, windows, groups).shape)
        last = [-1 if number % 2 else shape[0], *shape[1:]]
        text = text_of_sequence(windows) if dims == 1 else text_of(windows)
        text += f", groups = {groups}"

        def reference(a, b, windows=windows, shape=shape, groups=groups):
            return win.transposed_conv(a, b, shape, windows, groups)
        op = f"conv{dims}d_transpose"
        yield op_case(f"transposed_{number}", op, [g, f], reference,
                      f"output_shape = {numbers(last)}, {text}",
                      by=(0, 1), **tolerance())
        first = [last[0], last[-1], *last[1:-1]]
        order = {1: "NCW", 2: "NCHW", 3: "NCDHW"}[dims]
        yield op_case(f"transposed_{number}_first", op,
                      [np.ascontiguousarray(channels_first(g)), f],
                      lambda a, b, r=reference:
                          channels_first(r(channels_last(a), b)),
                      f"output_shape = {numbers(first)}, {text}, "
                      f'data_format = "{order}"', by=(0, 1), **tolerance())


def bias_cases():
    for number, shape in enumerate([(2, 3), (2, 3, 5), (2, 4, 3, 7),
                                    (30, 20, 13, 11)]):
        x, b = normal(number, *shape), normal(number + 9, shape[1])
        yield op_case(f"bias_first_{number}", "bias_add", [x, b],
                      lambda v, c: v + c.reshape(-1, *[1] * (v.ndim - 2)),
                      'data_format = "NCHW"', norm=1e-6, by=(0, 1), step=1e-2)


def cases():
    return [*conv2d_cases(), *conv2d_backprop_cases(), *conv1d_cases(),
            *conv3d_cases(), *transposed_cases(), *bias_cases()]


if __name__ == "__main__":
    harness.main(cases())
