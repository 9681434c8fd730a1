# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers of 8, 16, 32 and 64 bits, signed and not: arithmetic that wraps around, order
at both ends of the types, casts between all types, the same bits as another type."""
import numpy as np

import harness
from harness import Case, Fetch, graph

TYPES = (np.int8, np.int16, np.uint16, np.uint32, np.uint64)
KNOWN = (np.uint8, np.int32, np.int64)


def name_of(dtype):
    return np.dtype(dtype).name


def numbers(seed, dtype, *shape):
    """Numbers of all the type, among them both ends, 0 and what is next to them."""
    limits = np.iinfo(dtype)
    values = np.random.RandomState(seed).randint(
        0, 256, (*shape, np.dtype(dtype).itemsize)).astype(np.uint8).view(dtype)
    values = values.reshape(shape)
    ends = np.array([limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1], dtype)
    flat = values.reshape(-1)
    flat[:min(len(ends), flat.size)] = ends[:flat.size]
    return values


def kind(shape, dtype):
    return ("tensor<" + "".join(f"{n}x" for n in shape)
            + harness.ELEMENTS[name_of(dtype)] + ">")


def case(name, operands, op, want, attributes="", more=()):
    """One op on operands by place; `more` are its other results, unused."""
    want = np.asarray(want)
    feeds = {f"x{i}": value for i, value in enumerate(operands)}
    values = ", ".join(f"%{feed}" for feed in feeds)
    types = ", ".join(harness.type_of(value) for value in operands)
    results = [harness.type_of(want), *more]
    made = results[0] if len(results) == 1 else f"({', '.join(results)})"
    names = ", ".join(["%y"] + [f"%unused{i}" for i in range(len(more))])
    text = f"{names} = tfir.{op} {values} {attributes} : ({types}) -> {made}"
    return Case(name, graph(name, feeds, text, {"y": results[0]}), feeds,
                {"y": Fetch(want, rel=0.0)})


def towards_zero(x, y):
    """x / y as C has it; 0 by 0, and what wraps around where it does not fit."""
    wide = [0 if b == 0 else abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1)
            for a, b in zip(x.reshape(-1), np.broadcast_to(y, x.shape).reshape(-1))]
    mask = (1 << (8 * x.itemsize)) - 1
    return np.array([value & mask for value in wide], np.uint64).astype(x.dtype).reshape(
        x.shape)


def floor_by(x, y, pick):
    """Floor division or its rest; 0 by 0."""
    mask = (1 << (8 * x.itemsize)) - 1
    wide = [0 if b == 0 else pick(*divmod(int(a), int(b)))
            for a, b in zip(x.reshape(-1), np.broadcast_to(y, x.shape).reshape(-1))]
    return np.array([value & mask for value in wide], np.uint64).astype(x.dtype).reshape(
        x.shape)


BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": np.maximum,
          "minimum": np.minimum, "bitwise_and": np.bitwise_and,
          "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
          "div": towards_zero,
          "floordiv": lambda x, y: floor_by(x, y, lambda quotient, rest: quotient),
          "floormod": lambda x, y: floor_by(x, y, lambda quotient, rest: rest)}
COMPARE = {"equal": np.equal, "not_equal": np.not_equal, "less": np.less,
           "less_equal": np.less_equal, "greater": np.greater,
           "greater_equal": np.greater_equal}
UNARY = {"neg": np.negative, "square": lambda x: x * x, "invert": np.invert,
         "identity": np.positive,
         "abs": lambda x: np.where(x < 0, np.negative(x), x).astype(x.dtype)}


def elementwise_cases(dtype):
    name = name_of(dtype)
    x, y = numbers(1, dtype, 7, 33), numbers(2, dtype, 33)[::-1].copy()
    y[3] = 0
    y[5] = np.array(-1, np.int64).astype(dtype)
    with np.errstate(all="ignore"):
        for op, reference in BINARY.items():
            yield case(f"{op}_{name}", [x, y], op, reference(x, y))
        for op, reference in COMPARE.items():
            yield case(f"{op}_{name}", [x, y], op, reference(x, y))
        for op, reference in UNARY.items():
            yield case(f"{op}_{name}", [x], op, reference(x))
    counts = (numbers(3, np.uint8, 33) % (8 * x.itemsize)).astype(dtype)
    yield case(f"left_shift_{name}", [x, counts], "left_shift", x << counts)
    yield case(f"right_shift_{name}", [x, counts], "right_shift", x >> counts)
    yield case(f"select_{name}", [x < y, x, y], "select", np.where(x < y, x, y))


def cast_cases(dtype):
    name = name_of(dtype)
    x = numbers(10, dtype, 131)
    with np.errstate(all="ignore"):
        for to in (*TYPES, *KNOWN, np.bool_, np.float32, np.float64):
            if to == dtype:
                continue
            yield case(f"cast_{name}_{name_of(to)}", [x], "cast", x.astype(to))
        for source in KNOWN:
            y = numbers(11, source, 131)
            yield case(f"cast_{name_of(source)}_{name}", [y], "cast", y.astype(dtype))
    limits = np.iinfo(dtype)
    for source in (np.float32, np.float64):
        # Below the ends, which a float may round beyond the type.
        y = np.array([limits.min * 0.99, limits.max * 0.99, 0, 0.5, 1.99, 100, 101.7,
                      limits.max * 0.501, limits.max * 0.3], source)
        yield case(f"cast_{name_of(source)}_{name}", [y], "cast", y.astype(dtype))
    flags = np.array([True, False, True])
    yield case(f"cast_bool_{name}", [flags], "cast", flags.astype(dtype))
    for to in (*TYPES, *KNOWN, np.float32, np.float64, np.float16):
        if to != dtype and np.dtype(to).itemsize == x.itemsize:
            y = x if np.dtype(to).kind != "f" else np.array(
                [0.5, -0.0, 1, -3.25, 1e-3, np.inf], to).view(dtype)
            yield case(f"bitcast_{name}_{name_of(to)}", [y], "bitcast", y.view(to))
            if to not in TYPES:
                yield case(f"bitcast_{name_of(to)}_{name}", [y.view(to)], "bitcast", y)


def reducing_cases(dtype):
    name = name_of(dtype)
    x = numbers(20, dtype, 5, 70)
    axes = "{axes = array<i64: 1>}"
    yield case(f"sum_{name}", [x], "sum", x.sum(1, dtype=dtype), axes)
    yield case(f"prod_{name}", [x], "prod", x.prod(1, dtype=dtype), axes)
    yield case(f"max_{name}", [x], "max", x.max(1), axes)
    yield case(f"min_{name}", [x], "min", x.min(1), axes)
    columns = "{axes = array<i64: 0>}"
    yield case(f"sum_columns_{name}", [x], "sum", x.sum(0, dtype=dtype), columns)
    yield case(f"max_columns_{name}", [x], "max", x.max(0), columns)
    yield case(f"max_all_{name}", [x], "max", x.max())
    yield case(f"arg_max_{name}", [x], "arg_max", x.argmax(1), "{axis = 1}")
    yield case(f"arg_min_{name}", [x], "arg_min", x.argmin(1), "{axis = 1}")
    yield case(f"cumsum_{name}", [x], "cumsum", x.cumsum(1, dtype=dtype),
               "{axis = 1 : i64}")
    empty = np.zeros((3, 0), dtype)
    limits = np.iinfo(dtype)
    yield case(f"max_empty_{name}", [empty], "max", np.full(3, limits.min, dtype), axes)
    yield case(f"min_empty_{name}", [empty], "min", np.full(3, limits.max, dtype), axes)


def moving_cases(dtype):
    name = name_of(dtype)
    x = numbers(30, dtype, 6, 10)
    yield case(f"transpose_{name}", [x], "transpose", x.T, "{perm = array<i64: 1, 0>}")
    yield case(f"slice_{name}", [x], "slice", x[1:5, 3:8],
               "{begin = array<i64: 1, 3>, size = array<i64: 4, 5>}")
    yield case(f"reverse_{name}", [x], "reverse", x[:, ::-1], "{axis = array<i64: 1>}")
    yield case(f"pad_{name}", [x], "pad",
               np.pad(x, ((1, 0), (0, 2)), constant_values=5),
               "{paddings = array<i64: 1, 0, 0, 2>, constant_values = 5.0 : f64}")
    yield case(f"concat_{name}", [x, x[:, :4]], "concat", np.concatenate([x, x[:, :4]], 1),
               "{axis = 1 : i64}")
    places = np.array([5, 0, 0, 3], np.int32)
    yield case(f"gather_{name}", [x, places], "gather", x[places], "{axis = 0 : i64}")
    yield case(f"sort_{name}", [x], "sort", np.sort(x, 1))
    yield case(f"sort_down_{name}", [x], "sort", np.sort(x, 1)[:, ::-1], "{descending}")
    yield case(f"top_k_{name}", [x], "top_k", np.sort(x, 1)[:, :-4:-1], "{k = 3 : i64}",
               more=["tensor<6x3xi32>"])
    ids = np.array([2, 0, 2, 2, 0, 1], np.int32)
    for op, reference in (("sum", lambda rows: rows.sum(0, dtype=dtype)),
                          ("max", lambda rows: rows.max(0)),
                          ("min", lambda rows: rows.min(0))):
        want = np.stack([reference(x[ids == segment]) for segment in range(3)])
        yield case(f"segments_{op}_{name}", [x, ids], f"unsorted_segment_{op}", want,
                   "{num_segments = 3 : i64}")


def constant_cases(dtype):
    name, limits = name_of(dtype), np.iinfo(dtype)
    element = harness.ELEMENTS[name]
    x = numbers(40, dtype, 4)
    listed = np.array([limits.min, limits.max, 7, 100], dtype)
    text = f"""%c = tfir.const dense<[{', '.join(map(str, listed))}]> : tensor<4x{element}>
        %m = tfir.maximum %x, %c : (tensor<4x{element}>, tensor<4x{element}>) -> tensor<4x{element}>
        %t = tfir.const dense<{limits.max}> : tensor<{element}>
        %y = tfir.sub %m, %t : (tensor<4x{element}>, tensor<{element}>) -> tensor<4x{element}>"""
    with np.errstate(all="ignore"):
        want = np.maximum(x, listed) - np.array(limits.max, dtype)
    yield Case(f"constants_{name}", graph(f"constants_{name}", {"x": x}, text,
                                          {"y": f"tensor<4x{element}>"}), {"x": x},
               {"y": Fetch(want, rel=0.0)})


def cases():
    made = []
    for dtype in TYPES:
        for family in (elementwise_cases, cast_cases, reducing_cases, moving_cases,
                       constant_cases):
            made += family(dtype)
    return made


if __name__ == "__main__":
    harness.main(cases())
