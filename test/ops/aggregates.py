# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products, variances, norms, truth of all or any."""
import numpy as np

import harness
from opcases import integers, normal, op_case, spread, uniform
from reductions import attributes

SHAPES = [((7,), None), ((3, 5), (1,)), ((3, 5), (0,)), ((2, 3, 4), (0, 2)),
          ((2, 3, 4), (-1,)), ((5, 1, 3), (1,)), ((1, 6), (1,)), ((4, 3), ())]
LARGE = [((20011,), None), ((300, 70), (1,)), ((300, 70), (0,)),
         ((8, 14, 14, 33), (0, 1, 2)), ((30, 40, 50), (1,))]


def reducer(function):
    """A reference over axes of what is one of the last axis."""
    def reference(v, axes, keep):
        axes = range(v.ndim) if axes is None else [a % v.ndim for a in axes]
        kept = [a for a in range(v.ndim) if a not in axes]
        turned = np.transpose(v, [*kept, *axes])
        count = int(np.prod([v.shape[a] for a in axes], dtype=int))
        flat = turned.reshape([v.shape[a] for a in kept] + [count])
        y = function(flat)
        return y.reshape([1 if a in axes else n
                          for a, n in enumerate(v.shape)]) if keep else y
    return reference


def logsumexp(v):
    largest = v.max(-1, keepdims=True, initial=-np.inf)
    shift = np.where(np.isfinite(largest), largest, 0)
    return np.log(np.exp(v - shift).sum(-1)) + shift[..., 0]


def norm_of(order):
    if np.isinf(order):
        return lambda v: np.abs(v).max(-1, initial=0)
    return lambda v: (np.abs(v) ** order).sum(-1) ** (1 / order)


# name: (op, further attributes, reference over the last axis)
FLOATS = {
    "prod": ("prod", "", lambda v: v.prod(-1)),
    "variance": ("variance", "", lambda v: v.var(-1)),
    "std": ("std", "", lambda v: v.std(-1)),
    "logsumexp": ("logsumexp", "", logsumexp),
    "norm": ("norm", "", norm_of(2)),
    "norm_1": ("norm", "ord = 1.0 : f64", norm_of(1)),
    "norm_inf": ("norm", "ord = 0x7FF0000000000000 : f64", norm_of(np.inf)),
    "norm_3": ("norm", "ord = 3.0 : f64", norm_of(3)),
}


def join(*parts):
    return ", ".join(part for part in parts if part)


def reduce_case(name, kind, x, axes, keep=False, **options):
    op, extra, function = FLOATS[kind]
    reference = reducer(function)
    return op_case(name, op, [x], lambda v: reference(v, axes, keep),
                   join(extra, attributes(axes, keep)), **options)


def float_cases():
    for number, kind in enumerate(FLOATS):
        for place, (shape, axes) in enumerate(SHAPES):
            # exp, log and pow are there for f32 only.
            is_rational = kind not in ("logsumexp", "norm_3")
            dtype = (np.float64 if place % 4 == 3 and is_rational
                     else np.float32)
            x = spread(10 * number + place, *shape, dtype=dtype, gap=0.06)
            # No axes: a deviation of one element has no slope to compare.
            by = () if kind in ("std", "variance") and (
                axes == () or x.shape[1:2] == (1,)) else (0,)
            yield reduce_case(f"{kind}_{place}", kind, x, axes,
                              place % 2 == 1, norm=3e-6, floor=1e-2, by=by,
                              step=1e-5)
        for place, (shape, axes) in enumerate(LARGE[number % 3::2]):
            low, high = (0.99, 1.01) if kind == "prod" else (-0.9, 1.1)
            x = uniform(place, low, high, *shape)
            yield reduce_case(f"{kind}_large_{place}", kind, x, axes,
                              norm=3e-5 if kind == "prod" else 4e-6, floor=0.1,
                              by=(0,) if x.ndim == 2 and kind in (
                                  "std", "norm", "prod") else (), step=1e-6)
    yield reduce_case("prod_scalar", "prod", normal(4), None, rel=0, by=(0,))
    for kind, size in (("prod", 3), ("norm", 3), ("logsumexp", 3)):
        yield reduce_case(f"{kind}_of_nothing", kind,
                          np.zeros((size, 0), np.float32), (0,), rel=0)
    for kind, want in (("prod", 1), ("norm", 0), ("norm_inf", 0),
                       ("norm_1", 0), ("logsumexp", -np.inf)):
        op, extra, _ = FLOATS[kind]
        yield op_case(f"{kind}_empty", op, [np.zeros((2, 0), np.float32)],
                      lambda v, want=want: np.full(2, want),
                      join(extra, "axes = array<i64: 1>"), rel=0)


def special_cases():
    inf, nan = np.inf, np.nan
    x = np.float32([[1, 2, inf], [-inf, 0, 3], [-inf, -inf, -inf],
                    [inf, -inf, 0], [nan, 1, 2], [1000, 1000.5, 999],
                    [-1000, -1001, -1e30], [0, -0.0, 0]])
    for kind in FLOATS:
        # A variance of 1e60 is infinite, and so are the cubes of a norm.
        rows = x[[0, 1, 2, 4, 5, 7]] if kind != "logsumexp" else x
        with np.errstate(all="ignore"):
            yield reduce_case(f"{kind}_special", kind, rows, (1,), rel=2e-6)
    # The mean of squares less the square of the mean would give about 1.
    far = (1e3 + uniform(1, -0.1, 0.1, 3, 1000)).astype(np.float32)
    yield reduce_case("variance_far", "variance", far, (1,), rel=2e-5)
    zeros = np.float32([[0, 0, 0], [0, 2, 3]])
    flat = np.float32([[2, 2, 2], [2, 2, 5]])
    for kind, rows in (("norm", zeros), ("norm_3", zeros), ("std", flat)):
        def gradients(r, v, kind=kind):
            if kind == "std":
                d = v - v.mean(1, keepdims=True)
                y = v.std(1)[:, None] * v.shape[1]
            else:
                power = 2 if kind == "norm" else 3
                d = np.sign(v) * np.abs(v) ** (power - 1)
                y = norm_of(power)(v)[:, None] ** (power - 1)
            return [r[:, None] * d / np.where(y == 0, 1, y)]
        yield reduce_case(f"{kind}_at_zero", kind, rows, (1,), rel=1e-6,
                          by=(0,), gradients=gradients, gradient_norm=2e-6)


def prod_cases():
    x = np.float32([[2, 3, 4, 5], [0, 3, 4, 5], [2, 0, 4, 0], [0, 0, 0, 0]])

    def gradients(r, v):
        rows = [[np.prod(np.delete(row, i)) for i in range(len(row))]
                for row in v]
        return [r[:, None] * rows]
    yield reduce_case("prod_zeros", "prod", x, (1,), rel=0, by=(0,),
                      gradients=gradients, gradient_norm=1e-6)
    for dtype in (np.int32, np.int64, np.uint8):
        low = 0 if dtype == np.uint8 else -9
        for place, (shape, axes) in enumerate([((40, 6), (1,)),
                                               ((6, 300), (0,)), ((20011,), None)]):
            v = integers(place, low, 9, *shape, dtype=dtype)
            with np.errstate(all="ignore"):
                yield op_case(f"prod_{np.dtype(dtype).name}_{place}", "prod",
                              [v], lambda v, a=axes, d=dtype: v.prod(
                                  axis=a, dtype=d), attributes(axes, False))


def truth_cases():
    for place, (shape, axes) in enumerate(
            [((1,), None), ((40, 3), (1,)), ((3, 50), (0,)), ((20011,), None),
             ((2, 0), (1,)), ((3, 4), ())]):
        for density in (1, 40):
            v = integers(place + density, 0, density + 1, *shape) >= 1
            v = ~v if place % 2 else v
            for op, function in (("any", np.any), ("all", np.all)):
                yield op_case(
                    f"{op}_{place}_{density}", op, [v],
                    lambda v, f=function, a=axes: f(v, axis=a),
                    attributes(axes, False), dtypes=[np.bool_])
            yield op_case(f"count_bool_{place}_{density}", "count_nonzero",
                          [v], lambda v, a=axes: np.sum(v, axis=a),
                          attributes(axes, False), dtypes=[np.int64])
    for dtype in (np.float32, np.float64, np.int32, np.int64, np.uint8):
        v = integers(3, 0, 3, 60, 50).astype(dtype)
        if v.dtype.kind == "f":
            v[0, :3] = np.nan, -0.0, np.inf
        yield op_case(f"count_{np.dtype(dtype).name}", "count_nonzero", [v],
                      lambda v: np.sum(v != 0, axis=1, keepdims=True),
                      attributes((1,), True), dtypes=[np.int64])


def arg_min_cases():
    for number, (shape, axis) in enumerate([
            ((5,), 0), ((4, 7), -1), ((20011,), 0), ((300, 100), 0),
            ((40, 50, 20), 1)]):
        for dtype in (np.float32, np.int32, np.uint8)[:3 - number % 2]:
            low = 0 if dtype == np.uint8 else -5
            x = integers(number, low, 6, *shape).astype(dtype)
            yield op_case(f"arg_min_{np.dtype(dtype).name}_{number}",
                          "arg_min", [x], lambda v, a=axis: v.argmin(a),
                          f"axis = {axis} : i64", dtypes=[np.int64])
    low = np.int32([[3, np.iinfo(np.int32).min, np.iinfo(np.int32).max]])
    yield op_case("arg_min_lowest", "arg_min", [low], lambda v: v.argmin(1),
                  "axis = 1 : i64", dtypes=[np.int64])


def fused_case(name, op, extra, function, shape, axes):
    """Between two other ops, the second of which reads the rows again."""
    x = uniform(5, 0.3, 1.2, *shape)
    wide = harness.type_of(x)
    kept = "x".join("1" if a in axes else str(n) for a, n in enumerate(shape))
    text = f"""
      %e = tfir.square %a : ({wide}) -> {wide}
      %m = tfir.{op} %e {{{join(extra, attributes(axes, True))}}}
          : ({wide}) -> tensor<{kept}xf32>
      %y = tfir.mul %e, %m : ({wide}, tensor<{kept}xf32>) -> {wide}
    """
    e = x.astype(float) ** 2
    want = e * reducer(function)(e, axes, True)
    return harness.Case(name, harness.graph(name, {"a": x}, text, {"y": wide}),
                        {"a": x},
                        {"y": harness.Fetch(want.astype(np.float32), rel=2e-5)})


def fused_cases():
    for kind, (op, extra, function) in FLOATS.items():
        for place, (shape, axes) in enumerate([((5, 7), (1,)), ((6, 5), (0,)),
                                               ((300, 70), (1,))]):
            yield fused_case(f"{kind}_fused_{place}", op, extra, function,
                             shape, axes)


def cases():
    return [*float_cases(), *special_cases(), *prod_cases(), *truth_cases(),
            *arg_min_cases(), *fused_cases()]


if __name__ == "__main__":
    harness.main(cases())
