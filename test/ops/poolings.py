# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools with explicit padding and other orders of dimensions, over whole images,
sequences and volumes, by the size of the result, and norms."""
import numpy as np

import harness
import windows as win
from opcases import normal, op_case, spread
from windows import Windows, channels_first, channels_last, numbers, text_of

# images, windows
POOLS = [
    ((1, 4, 4, 3), Windows((3, 3), (2, 2), ((1, 1), (1, 1)))),
    ((2, 5, 7, 3), Windows((3, 2), (1, 2), ((2, 0), (1, 1)))),
    ((1, 6, 5, 2), Windows((2, 2), (2, 2))),
    ((1, 3, 3, 2), Windows((3, 3), (1, 1), ((2, 2), (2, 2)))),
    ((1, 1, 1, 1), Windows((2, 2), (1, 1), ((1, 0), (0, 1)))),
    ((2, 14, 15, 33), Windows((3, 3), (2, 2), ((1, 1), (1, 1)))),
]
SEQUENCES = [
    ((2, 9, 3), Windows((2,), (2,))),
    ((1, 8, 5), Windows((3,), (2,), "VALID")),
    ((1, 7, 2), Windows((3,), (1,), ((2, 1),))),
    ((3, 33, 17), Windows((4,), (3,))),
]
VOLUMES = [
    ((1, 4, 4, 4, 2), Windows((2, 2, 2), (2, 2, 2))),
    ((2, 3, 5, 4, 1), Windows((3, 2, 3), (1, 2, 1))),
    ((1, 5, 4, 6, 3), Windows((2, 3, 1), (2, 1, 2), "VALID")),
    ((1, 4, 5, 3, 2), Windows((3, 3, 3), (2, 2, 1), ((1, 2), (0, 1), (2, 2)))),
    ((2, 6, 7, 8, 16), Windows((3, 3, 3), (2, 2, 2))),
]
KINDS = {"max": win.largest, "avg": win.average}
TOLERANCE = dict(norm=1e-6, step=1e-3, gradient_norm=2e-6)


def two_orders(name, op, x, reference, attributes, first, **tolerance):
    tolerance = {**TOLERANCE, **tolerance}
    yield op_case(name, op, [x], reference, attributes, by=(0,), **tolerance)
    yield op_case(name + "_first", op,
                  [np.ascontiguousarray(channels_first(x))],
                  lambda a: channels_first(reference(channels_last(a))),
                  f'{attributes}, data_format = "{first}"'.removeprefix(", "),
                  by=(0,), **tolerance)


def window_cases():
    for suffix, first, table in (("", "NCHW", POOLS), ("1d", "NCW", SEQUENCES),
                                 ("3d", "NCDHW", VOLUMES)):
        for number, (shape, windows) in enumerate(table):
            for kind, function in KINDS.items():
                yield from two_orders(
                    f"{kind}_pool{suffix}_{number}", f"{kind}_pool{suffix}",
                    spread(number, *shape, gap=0.01),
                    lambda v, f=function, w=windows: f(v, w),
                    text_of(windows, ksize=True), first)


def global_cases():
    for number, shape in enumerate([(2, 7, 7, 5), (3, 9, 4), (1, 3, 4, 5, 2),
                                    (1, 1, 1, 1), (2, 1, 5, 1),
                                    (4, 15, 14, 40)]):
        x = spread(number, *shape, gap=0.01)
        axes = tuple(range(1, x.ndim - 1))
        for kind, function in (("avg", np.mean), ("max", np.max)):
            for keep in (False, True):
                text = "keep_dims" if keep else ""

                def reference(v, f=function, k=keep, a=axes):
                    return f(v, axis=a, keepdims=k)
                name = f"global_{kind}_{number}_{keep}"
                op = f"global_{kind}_pool"
                yield op_case(name, op, [x], reference, text, by=(0,),
                              **TOLERANCE)
                # Axes that are gone leave the channels last.
                back = channels_first if keep else np.asarray
                yield op_case(
                    name + "_first", op,
                    [np.ascontiguousarray(channels_first(x))],
                    lambda a, r=reference, b=back: b(r(channels_last(a))),
                    f'{text}, data_format = "NCHW"'.removeprefix(", "),
                    by=(0,), **TOLERANCE)


def adaptive_cases():
    for number, (shape, sizes) in enumerate([
            ((2, 6, 8, 3), (3, 2)), ((1, 7, 7, 5), (1, 1)),
            ((1, 4, 4, 2), (4, 4)), ((2, 28, 21, 16), (7, 7))]):
        windows = Windows([n // m for n, m in zip(shape[1:3], sizes)],
                          [n // m for n, m in zip(shape[1:3], sizes)], "VALID")
        for kind, function in KINDS.items():
            yield from two_orders(
                f"adaptive_{kind}_{number}", f"adaptive_{kind}_pool",
                spread(number, *shape, gap=0.01),
                lambda v, f=function, w=windows: f(v, w),
                f"output_size = {numbers(sizes)}", "NCHW")


def norm(x, p, windows):
    return win.total(np.abs(x) ** p, windows) ** (1 / p)


def norm_cases():
    for number, (shape, windows) in enumerate(
            [*POOLS, ((1, 3, 3, 2), Windows((2, 2), (1, 1), ((3, 2), (0, 4))))]):
        for p in (1, 2, 3, 1.5):
            # Windows without a pixel have a norm of 0, and no slope.
            yield from two_orders(
                f"lp_pool_{number}_{str(p).replace('.', '_')}", "lp_pool",
                spread(number, *shape, gap=0.05),
                lambda v, p=p, w=windows: norm(v, p, w),
                f"{text_of(windows, ksize=True)}, p = {float(p)} : f64", "NCHW",
                step=1e-5, gradient_norm=1e-5)
    for suffix, first, table in (("1d", "NCW", SEQUENCES), ("3d", "NCDHW", VOLUMES)):
        for number, (shape, windows) in enumerate(table):
            for p in (1, 2, 3):
                yield from two_orders(
                    f"lp_pool{suffix}_{number}_{p}", f"lp_pool{suffix}",
                    spread(number, *shape, gap=0.05),
                    lambda v, p=p, w=windows: norm(v, p, w),
                    f"{text_of(windows, ksize=True)}, p = {float(p)} : f64", first,
                    step=1e-5, gradient_norm=1e-5)
    zeros = normal(3, 1, 6, 6, 2)
    zeros[:, :4, :4] = 0
    windows = Windows((2, 2), (2, 2), "VALID")

    def gradients(r, v):
        y = norm(v, 2, windows)
        share = np.where(y > 0, r / np.where(y > 0, y, 1), 0)
        return [v * share.repeat(2, 1).repeat(2, 2)]
    yield op_case("lp_pool_zeros", "lp_pool", [zeros],
                  lambda v: norm(v, 2, windows), text_of(windows, ksize=True),
                  by=(0,), gradients=gradients, **TOLERANCE)
    yield op_case("lp_pool_edges", "lp_pool",
                  [np.float32([np.nan, np.inf, -np.inf, 0, 1, -0.0] * 4).reshape(
                      1, 2, 6, 2)],
                  lambda v: norm(v, 2, Windows((1, 1))),
                  text_of(Windows((1, 1)), ksize=True), norm=1e-6)


def cases():
    return [*window_cases(), *global_cases(), *adaptive_cases(), *norm_cases()]


if __name__ == "__main__":
    harness.main(cases())
