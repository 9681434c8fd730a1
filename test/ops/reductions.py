# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, means, extrema and their places, over all sorts of axes."""
import itertools

import numpy as np

import harness
from opcases import integers, normal, op_case, spread, uniform

REDUCE = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min}
SMALL = [(1,), (7,), (64,), (3, 5), (1, 1), (2, 3, 4), (5, 1, 3), (2, 2, 3, 2)]
# Beyond 16384 elements reductions are split; a prime number of them cannot be.
LARGE = [
    ((20011,), None), ((65536,), None), ((100000,), (0,)), ((400000,), None),
    ((200, 100), None), ((200, 100), (0,)), ((200, 100), (1,)),
    ((30000, 3), (0,)), ((3, 30000), (1,)), ((3, 20011), (-1,)),
    ((16411, 2), (0,)), ((30, 40, 50), (0, 1)), ((30, 40, 50), (1,)),
    ((30, 40, 50), (0, 2)), ((30, 40, 50), (-1, -2)), ((30, 40, 50), None),
    ((8, 14, 14, 33), (0, 1, 2)), ((1, 1, 40000), (2,)), ((40000, 1), (1,)),
    ((2, 131, 129), (0,)), ((129, 127, 2), (2,)),
]


def subsets(rank):
    """Every choice of axes, and none named."""
    yield None
    for count in range(1, rank + 1):
        yield from itertools.combinations(range(rank), count)


def attributes(axes, keep):
    parts = []
    if axes is not None:
        numbers = ", ".join(map(str, axes))
        parts.append(f"axes = array<i64: {numbers}>" if axes
                     else "axes = array<i64>")
    if keep:
        parts.append("keep_dims")
    return ", ".join(parts)


def reduce_case(name, op, x, axes, keep, **options):
    def reference(v):
        where = None if axes is None else tuple(axes)
        if where == ():
            return v
        return REDUCE[op](v, axis=where, keepdims=keep).astype(v.dtype)
    return op_case(name, op, [x], reference, attributes(axes, keep), **options)


def small_cases():
    number = 0
    for shape in SMALL:
        for axes in subsets(len(shape)):
            op = list(REDUCE)[number % 4]
            if axes and number % 3 == 0:
                axes = tuple(a - len(shape) for a in reversed(axes))
            dtype = np.float64 if number % 5 == 4 else np.float32
            for keep in (False, True):
                yield reduce_case(f"{op}_{number}_{int(keep)}", op,
                                  spread(number, *shape, dtype=dtype), axes,
                                  keep, norm=5e-7, floor=0.1, by=(0,))
            number += 1
    for op in REDUCE:
        yield reduce_case(f"{op}_no_axes", op, normal(3, 2, 3), (), False,
                          rel=0, by=(0,))
        yield reduce_case(f"{op}_scalar", op, normal(4), None, False, rel=0,
                          by=(0,))


def large_cases():
    for number, (shape, axes) in enumerate(LARGE):
        for op in ("sum", list(REDUCE)[1 + number % 3]):
            x = (spread(number, *shape, gap=0.001) if op in ("max", "min") else
                 uniform(number, -0.9, 1.1, *shape))
            # Errors of a sum grow with the sum of the sizes, here 0.5 each.
            reduced = np.prod([shape[a] for a in axes or range(len(shape))])
            floor = {"sum": reduced / 2, "mean": 0.5}.get(op, 0)
            yield reduce_case(f"large_{op}_{number}", op, x, axes,
                              number % 2 == 0, norm=1e-6, floor=floor, by=(0,))


def integer_cases():
    for dtype in (np.int32, np.int64, np.uint8):
        low = 0 if dtype == np.uint8 else -100
        for number, (shape, axes) in enumerate([
                ((7,), None), ((5, 6), (0,)), ((5, 6), (1,)), ((20011,), None),
                ((300, 200), (1,)), ((300, 200), (0,)), ((2, 30, 400), (0, 2))]):
            x = integers(number, low, 200, *shape, dtype=dtype)
            for op in ("sum", "max", "min"):
                yield reduce_case(f"{op}_{np.dtype(dtype).name}_{number}", op,
                                  x, axes, number % 2 == 1)


def tie_cases():
    """Tied extrema share the gradient equally."""
    x = np.float32([[3, 1, 3, 0], [2, 2, 2, 2], [-1, -1, 5, -1]])
    for op in ("max", "min"):
        def gradients(r, v, op=op):
            hit = v == REDUCE[op](v, axis=1, keepdims=True)
            return [r[:, None] * hit / hit.sum(1, keepdims=True)]
        yield reduce_case(f"{op}_tie", op, x, (1,), False, rel=0, by=(0,),
                          gradients=gradients, gradient_norm=1e-6)
    same = np.full((150, 120), 2.5, np.float32)
    yield reduce_case("max_all_tied", "max", same, None, False, rel=0, by=(0,),
                      gradients=lambda r, v: [np.full(v.shape, r / v.size)],
                      gradient_norm=1e-6)


def edge_cases():
    huge = np.float32([-3e38, -np.inf, -2e38])
    yield reduce_case("max_of_negatives", "max", huge, None, False, rel=0)
    yield reduce_case("min_infinite", "min", huge, None, False, rel=0)
    yield reduce_case("max_of_infinities", "max",
                      np.full((2, 3), -np.inf, np.float32), (1,), False, rel=0)
    low = np.full(40, np.iinfo(np.int64).min)
    yield reduce_case("max_of_lowest", "max", low, None, False)
    for size in (5, 20000):
        x = normal(size, 2, size)
        x[1, size // 2] = np.nan
        for op in ("sum", "mean", "max", "min"):
            yield reduce_case(f"{op}_nan_{size}", op, x, (1,), False, norm=1e-5,
                              floor=1)


def arg_max_cases():
    for number, (shape, axis) in enumerate([
            ((5,), 0), ((1,), 0), ((4, 7), 1), ((4, 7), 0), ((4, 7), -2),
            ((2, 3, 5), 1), ((2, 3, 5), -1), ((20011,), 0), ((300, 100), 1),
            ((300, 100), 0), ((2, 20000), -1), ((8, 1), 1), ((40, 50, 20), 1)]):
        def reference(v, axis=axis):
            return v.argmax(axis)
        dtype = (np.float32, np.float64, np.int32, np.int64,
                 np.uint8)[number % 5]
        # Few values: most maxima are tied, and the first one counts.
        low = 0 if dtype == np.uint8 else -5
        for tag, high in (("ties", 6), ("", 250)):
            x = integers(number, low, high, *shape).astype(dtype)
            yield op_case(f"arg_max{tag}_{number}", "arg_max", [x], reference,
                          f"axis = {axis} : i64", dtypes=[np.int64])
    yield op_case("arg_max_infinite", "arg_max",
                  [np.float32([[-np.inf] * 3, [-np.inf, np.inf, np.inf]])],
                  lambda v: v.argmax(1), "axis = 1 : i64", dtypes=[np.int64])


def l2_loss_cases():
    for number, shape in enumerate([(), (5,), (3, 4), (20011,), (784, 50)]):
        yield op_case(f"l2_loss_{number}", "l2_loss", [normal(number, *shape)],
                      lambda v: np.sum(v * v) / 2, norm=1e-6, by=(0,))


def reshaped_case(name, shape, to):
    """A sum that is split passes a reshape on to an op with a 1x1x1 operand."""
    x = uniform(1, -1, 1, *shape)
    ones = "x".join("1" for _ in shape)
    wide, flat = harness.type_of(x), f"tensor<{to[0]}x{to[1]}xf32>"
    text = f"""
      %m = tfir.max %a {{keep_dims}} : ({wide}) -> tensor<{ones}xf32>
      %s = tfir.sub %a, %m : ({wide}, tensor<{ones}xf32>) -> {wide}
      %q = tfir.reshape %s : ({wide}) -> {flat}
      %t = tfir.square %q : ({flat}) -> {flat}
      %y = tfir.mean %t : ({flat}) -> tensor<f32>
    """
    want = np.mean((x.astype(float) - x.max()) ** 2)
    return harness.Case(
        name, harness.graph(name, {"a": x}, text, {"y": "tensor<f32>"}),
        {"a": x}, {"y": harness.Fetch(np.float32(want), rel=2e-6)})


def cases():
    return [*small_cases(), *large_cases(), *integer_cases(), *tie_cases(),
            *edge_cases(), *arg_max_cases(), *l2_loss_cases(),
            reshaped_case("reshaped", (20, 30, 31), (15, 1240)),
            reshaped_case("reshaped_small", (2, 3, 4), (6, 4))]


if __name__ == "__main__":
    harness.main(cases())
