# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums and products along an axis, softmax along any axis, bounded norms."""
import numpy as np

import harness
from aggregates import join
from opcases import integers, normal, op_case, uniform
from reductions import attributes


def scan(function, neutral, axis, exclusive, reverse):
    def reference(v):
        turned = np.flip(v, axis) if reverse else v
        y = function(turned, axis=axis, dtype=v.dtype)
        if exclusive:
            shape = list(y.shape)
            shape[axis] = min(1, shape[axis])
            y = np.concatenate(
                [np.full(shape, neutral, v.dtype),
                 np.delete(y, -1, axis) if shape[axis] else y], axis)
        return np.flip(y, axis) if reverse else y
    return reference


def scan_cases():
    functions = {"cumsum": (np.cumsum, 0), "cumprod": (np.cumprod, 1)}
    forms = [(False, False), (True, False), (False, True), (True, True)]
    for op, (function, neutral) in functions.items():
        for number, (shape, axis) in enumerate([
                ((1,), 0), ((7,), 0), ((3, 5), 1), ((3, 5), 0), ((2, 3, 4), -2),
                ((3, 8), 1), ((4, 0), 1), ((0, 3), 0), ((7, 33, 65), 1),
                ((200, 130), 1), ((130, 200), 0)]):
            exclusive, reverse = forms[number % 4]
            size = int(np.prod(shape))
            for form in forms if size == 15 else [(exclusive, reverse)]:
                extra = join(f"axis = {axis} : i64",
                             "exclusive" if form[0] else "",
                             "reverse" if form[1] else "")
                x = (uniform(number, 0.98, 1.02, *shape) if size > 999 and
                     op == "cumprod" else uniform(number, -1.2, 1.4, *shape))
                yield op_case(
                    f"{op}_{number}_{int(form[0])}{int(form[1])}", op, [x],
                    scan(function, neutral, axis, *form), extra, norm=3e-6,
                    floor=0.1, by=(0,) if number < 10 else ())
        for dtype in (np.int32, np.uint8, np.float64):
            v = integers(9, 0, 7, 6, 41).astype(dtype)
            yield op_case(f"{op}_{np.dtype(dtype).name}", op, [v],
                          scan(function, neutral, 1, False, False),
                          "axis = 1 : i64", rel=1e-14)
    x = np.float32([[2, 0, 3, 4], [0, 5, 0, 2], [1, np.inf, 2, np.inf],
                    [-np.inf, 1, np.inf, 2], [1, np.nan, 1, 2]])
    for op, (function, neutral) in functions.items():
        with np.errstate(all="ignore"):
            yield op_case(f"{op}_special", op, [x],
                          scan(function, neutral, 1, False, False),
                          "axis = 1 : i64", rel=0)
        yield op_case(f"{op}_zeros", op, [x[:2]],
                      scan(function, neutral, 1, False, False),
                      "axis = 1 : i64", rel=0, by=(0,))


def softmax(v, axis):
    e = np.exp(v - v.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def softmax_cases():
    for number, (shape, axis) in enumerate([
            ((5,), 0), ((4, 7), 1), ((4, 7), 0), ((2, 3, 5), 1),
            ((2, 3, 5), -3), ((1, 3), 0), ((300, 40), 0), ((40, 300), -1)]):
        x = normal(number, *shape) * 3
        by = (0,) if x.size < 500 else ()
        yield op_case(f"softmax_{number}", "softmax_along", [x],
                      lambda v, a=axis: softmax(v, a),
                      f"axis = {axis} : i64", norm=2e-6, by=by)
        yield op_case(f"log_softmax_{number}", "log_softmax_along", [x],
                      lambda v, a=axis: np.log(softmax(v, a)),
                      f"axis = {axis} : i64", norm=2e-6, by=by)
    x = np.float32([[1e4, -np.inf], [1e4, 3], [-1e4, 2]])
    with np.errstate(all="ignore"):
        yield op_case("softmax_far", "softmax_along", [x],
                      lambda v: softmax(v, 0), "axis = 0 : i64", rel=2e-6)


def clip_by_norm(v, most, axes):
    norm = np.sqrt((v * v).sum(axes, keepdims=True))
    return v * most / np.maximum(norm, most)


def bounded_cases():
    for number, (shape, axes) in enumerate([
            ((7,), None), ((3, 5), (1,)), ((3, 5), (0,)), ((2, 3, 4), (-1, 0)),
            ((300, 70), (1,)), ((20011,), None)]):
        for most in (0.5, 1e4):
            yield op_case(f"clip_by_norm_{number}_{int(most)}", "clip_by_norm",
                          [normal(number, *shape), np.float32(most)],
                          lambda v, m, a=axes: clip_by_norm(v, m, a),
                          attributes(axes, False), norm=3e-6,
                          gradient_norm=1e-4,
                          by=(0, 1) if len(shape) < 3 and number < 3 else (0,))
        yield op_case(f"l2_normalize_{number}", "l2_normalize",
                      [normal(number, *shape)],
                      lambda v, a=axes: v / np.sqrt(np.maximum(
                          (v * v).sum(a, keepdims=True), 1e-12)),
                      attributes(axes, False), norm=3e-6, by=(0,))
    yield op_case("l2_normalize_zero", "l2_normalize",
                  [np.float32([[0, 0], [3, 4]])],
                  lambda v: v / np.maximum(np.sqrt(
                      (v * v).sum(1, keepdims=True)), 0.5),
                  "axes = array<i64: 1>, epsilon = 0.25 : f64", rel=1e-6)
    yield op_case("clip_by_norm_zero", "clip_by_norm",
                  [np.zeros((2, 3), np.float32), np.float32(1)],
                  lambda v, m: v, "axes = array<i64: 1>", rel=0, by=(0,),
                  gradients=lambda r, v, m: [r])


def global_norm(*tensors):
    return np.sqrt(sum((t * t).sum() for t in tensors))


def clip_by_global_norm(*operands):
    tensors, most = operands[:-1], operands[-1]
    norm = global_norm(*tensors)
    factor = most / max(norm, most) if np.isfinite(norm) else np.nan
    return tuple(t * factor for t in tensors)


def global_cases():
    sizes = [[(7,)], [(3, 5), ()], [(2, 3), (4,), (2, 2, 2)],
             [(300, 70), (70,), (20011,)]]
    for number, shapes in enumerate(sizes):
        tensors = [normal(10 * number + i, *s) for i, s in enumerate(shapes)]
        by = tuple(range(len(tensors))) if number < 3 else ()
        yield op_case(f"global_norm_{number}", "global_norm", tensors,
                      global_norm, norm=2e-6, by=by)
        for most in (0.5, 1e4):
            yield op_case(f"clip_by_global_norm_{number}_{int(most)}",
                          "clip_by_global_norm", [*tensors, np.float32(most)],
                          clip_by_global_norm, norm=3e-6, by=by)
    double = [normal(i, 3, dtype=np.float64) for i in range(2)]
    yield op_case("clip_by_global_norm_double", "clip_by_global_norm",
                  [*double, np.float64(1)], clip_by_global_norm, norm=1e-14)
    bad = np.float32([1, np.inf])
    with np.errstate(all="ignore"):
        yield op_case("clip_by_global_norm_infinite", "clip_by_global_norm",
                      [bad, np.float32([2]), np.float32(1)],
                      clip_by_global_norm, rel=0)
    yield op_case("clip_by_global_norm_zero", "clip_by_global_norm",
                  [np.zeros(3, np.float32), np.float32(1)], clip_by_global_norm,
                  rel=0, by=(0,), gradients=lambda r, v, m: [r])


def cases():
    return [*scan_cases(), *softmax_cases(), *bounded_cases(),
            *global_cases()]


if __name__ == "__main__":
    harness.main(cases())
