# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of shape, transposition, one-hot rows, constants, scopes, delays."""
import itertools

import numpy as np

import harness
from harness import Case, Fetch, graph, type_of
from opcases import integers, normal, op_case


def reshape_cases():
    for number, (shape, to) in enumerate([
            ((6,), (2, 3)), ((2, 3), (3, 2)), ((), (1,)), ((1, 1), ()),
            ((2, 3, 4), (24,)), ((4, 7, 7, 3), (4, 147)), ((5,), (5,)),
            ((20011,), (1, 20011)), ((150, 140), (140, 150))]):
        yield op_case(f"reshape_{number}", "reshape", [normal(number, *shape)],
                      lambda v, to=to: v.reshape(to), rel=0, by=(0,))
        yield op_case(f"reshape_bool_{number}", "reshape",
                      [normal(number, *shape) > 0],
                      lambda v, to=to: np.reshape(v, to))


def transpose_case(name, shape, perm, dtype, by):
    x = (normal(1, *shape) * 50).astype(dtype)
    return op_case(name, "transpose", [x], lambda v: v.transpose(perm),
                   f"perm = array<i64: {', '.join(map(str, perm))}>", rel=0,
                   by=by)


def transpose_cases():
    for perm in itertools.permutations(range(3)):
        tag = "".join(map(str, perm))
        yield transpose_case(f"transpose_{tag}", (2, 3, 5), perm, np.float32,
                             (0,))
        yield transpose_case(f"transpose_large_{tag}", (20, 33, 41), perm,
                             np.float32, (0,))
    for number, (shape, perm) in enumerate([
            ((7,), (0,)), ((1, 9), (1, 0)), ((200, 131), (1, 0)),
            ((3, 20011), (1, 0)), ((2, 3, 4, 5), (3, 1, 0, 2)),
            ((2, 28, 28, 16), (0, 3, 1, 2))]):
        for dtype in (np.float64, np.int64, np.int32):
            yield transpose_case(f"transpose_{np.dtype(dtype).name}_{number}",
                                 shape, perm, dtype, ())
    x = integers(5, 0, 256, 130, 140, dtype=np.uint8)
    yield op_case("transpose_bytes", "transpose", [x], np.transpose,
                  "perm = array<i64: 1, 0>")


def one_hot_cases():
    for number, (shape, depth) in enumerate([
            ((), 3), ((1,), 1), ((7,), 10), ((3, 4), 5), ((2000,), 11),
            ((20011,), 2)]):
        for dtype in (np.int32, np.int64):
            # Some of the indices lie outside.
            indices = integers(number, -2, depth + 2, *shape, dtype=dtype)

            def reference(v, depth=depth):
                return v[..., None] == np.arange(depth)
            yield op_case(f"one_hot_{np.dtype(dtype).name}_{number}", "one_hot",
                          [indices], reference, f"depth = {depth} : i64",
                          dtypes=[np.float32])
    # Other values, types and places of the new dimension.
    for number, (shape, axis, dtype) in enumerate([
            ((5,), 0, np.float32), ((3, 4), 1, np.int32), ((3, 4), -2, np.uint8),
            ((3, 4), 0, np.float64), ((), 0, np.float32), ((300,), 0, np.int64),
            ((3, 4), -1, np.bool_), ((0, 4), 0, np.int32)]):
        indices = integers(number, -1, 7, *shape)
        on, off = (0, 1) if dtype == np.bool_ else (5, 2)

        def placed(v, axis=axis, on=on, off=off):
            hits = v[..., None] == np.arange(6)
            return np.moveaxis(np.where(hits, on, off), -1, axis)
        yield op_case(f"one_hot_values_{number}", "one_hot", [indices], placed,
                      f"depth = 6 : i64, on_value = {on}.0 : f64, off_value = "
                      f"{off}.0 : f64, axis = {axis} : i64", dtypes=[dtype])
    indices = integers(9, 0, 6, 4, 3)
    feeds = {"a": indices}
    body = "\n".join([
        "%i = tfir.add %a, %a : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>",
        "%h = tfir.one_hot %i {depth = 6, axis = 0, off_value = -1.0 : f64} : "
        "(tensor<4x3xi32>) -> tensor<6x4x3xf32>",
        "%y0 = tfir.neg %h : (tensor<6x4x3xf32>) -> tensor<6x4x3xf32>"])
    yield Case("one_hot_between", graph("one_hot_between", feeds, body,
                                        {"y0": "tensor<6x4x3xf32>"}), feeds,
               {"y0": Fetch(np.where(np.arange(6)[:, None, None] == 2 * indices,
                                     -1, 1).astype("f"), rel=0)})


def slice_cases():
    """Along the first dimension, along others, of one element, of none left."""
    for number, (shape, begin, size) in enumerate([
            ((6,), (2,), (3,)), ((6,), (0,), (6,)), ((6,), (5,), (1,)),
            ((4, 3), (1, 0), (2, -1)), ((4, 3), (0, 1), (4, 1)),
            ((100, 784), (25, 0), (25, -1)), ((3, 4, 5), (1, 1, 1), (2, 2, -1)),
            ((20011,), (17,), (-1,)), ((300, 200), (7, 11), (290, 150)),
            ((2, 9, 7, 3), (0, 2, 1, 0), (2, 5, 4, 3))]):
        stops = [dim if n < 0 else b + n
                 for dim, b, n in zip(shape, begin, size)]
        place = tuple(slice(b, e) for b, e in zip(begin, stops))
        attributes = (f"begin = array<i64: {', '.join(map(str, begin))}>, "
                      f"size = array<i64: {', '.join(map(str, size))}>")
        for dtype, by in ((np.float32, (0,)), (np.float64, ()),
                          (np.int64, ()), (np.uint8, ()), (np.bool_, ())):
            x = (normal(number, *shape) * 50).astype(dtype)
            yield op_case(f"slice_{np.dtype(dtype).name}_{number}", "slice",
                          [x], lambda v, p=place: v[p], attributes, rel=0,
                          by=by)


def concat_cases():
    for number, (axis, *shapes) in enumerate([
            (0, (3,)), (0, (3,), (4,)), (0, (25, 10), (75, 10)),
            (1, (2, 3), (2, 1), (2, 5)), (-1, (4, 3), (4, 2)),
            (0, (1, 7), (1, 7), (1, 7), (1, 7)), (0, (20011,), (13,)),
            (1, (300, 41), (300, 20)), (2, (2, 3, 4, 5), (2, 3, 2, 5))]):
        for dtype, is_float in ((np.float32, True), (np.float64, False),
                               (np.int32, False), (np.uint8, False),
                               (np.bool_, False)):
            xs = [(normal(10 * number + i, *shape) * 50).astype(dtype)
                  for i, shape in enumerate(shapes)]
            yield op_case(f"concat_{np.dtype(dtype).name}_{number}", "concat",
                          xs, lambda *v, a=axis: np.concatenate(v, a),
                          f"axis = {axis} : i64", rel=0,
                          by=tuple(range(len(xs))) if is_float else ())


def constant_case(number, value):
    name, kind = f"const_{number}", type_of(value)
    numbers = str(value.tolist()).lower()
    if value.dtype.kind == "f":  # in bits, so that none is lost
        bits = value.view(f"u{value.itemsize}")
        numbers = "[" + ", ".join(f"0x{b:0{2 * value.itemsize}X}"
                                  for b in bits) + "]"
    text = f"%y = tfir.const dense<{numbers}> : {kind}"
    return Case(name, graph(name, {}, text, {"y": kind}), {},
                {"y": Fetch(value, rel=0)})


def constant_cases():
    yield constant_case(0, np.float32([1.5, -0.0, np.inf, np.nan, 1e-40]))
    yield constant_case(1, np.float64([1 / 3, -1e300]))
    yield constant_case(2, np.int32([[1, -2], [2147483647, -2147483648]]))
    yield constant_case(3, np.int64([2**63 - 1, -2**63, 0]))
    yield constant_case(4, np.uint8([0, 127, 128, 255]))
    yield constant_case(5, np.bool_([True, False, True]))
    yield constant_case(6, integers(1, -99, 99, 300, dtype=np.int32))


def folded_case():
    """Constants are folded as they would be computed."""
    text = """
      %c = tfir.const dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
      %d = tfir.const dense<0.1> : tensor<f32>
      %p = tfir.mul %c, %d : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
      %y = tfir.div %p, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %z = tfir.add %y, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    """
    a, c = np.float32([1, 2, 3]), np.float32([1, 2, 3])
    y = c * np.float32(0.1) / c
    kind = type_of(a)
    return Case("folded", graph("folded", {"a": a}, text,
                                {"y": kind, "z": kind}), {"a": a},
                {"y": Fetch(y, rel=0), "z": Fetch(y + a, rel=0)})


def through_case():
    """Feeds and constants may be fetched as they are, twice, and reshaped."""
    text = """
      %b = tfir.reshape %a : (tensor<2x3xf32>) -> tensor<3x2xf32>
      %c = tfir.identity %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
    """
    a = normal(3, 2, 3)
    values = {"a": a, "b": a.reshape(3, 2), "c": a}
    return Case("through", graph("through", {"a": a}, text,
                                 {n: type_of(v) for n, v in values.items()}),
                {"a": a}, {n: Fetch(v, rel=0) for n, v in values.items()})


def device_case():
    """A device scope changes nothing but the place."""
    text = """
      %s = tfir.device "/cpu:0" -> tensor<5xf32> {
        %q = tfir.square %a : (tensor<5xf32>) -> tensor<5xf32>
        tfir.yield %q : tensor<5xf32>
      }
    """
    a = normal(4, 5)
    return Case("device", graph("device", {"a": a}, text, {"s": type_of(a)}),
                {"a": a}, {"s": Fetch(a * a, rel=0)})


def sleep_case():
    """What comes late is the same."""
    return op_case("sleep", "debug_sleep", [normal(5, 3, 4)], lambda v: v,
                   "milliseconds = 1", rel=0, by=(0,))


def cases():
    return [*reshape_cases(), *transpose_cases(), *one_hot_cases(),
            *slice_cases(), *concat_cases(),
            *constant_cases(), folded_case(), through_case(), device_case(),
            sleep_case()]


if __name__ == "__main__":
    harness.main(cases())
