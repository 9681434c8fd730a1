# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one and two numbers beyond arithmetic, and activations."""
import math

import numpy as np

import harness
from elementwise import DOUBLES, EDGES, flat_case, sigmoid, softplus
from opcases import integers, normal, op_case, spread, uniform

erf = np.vectorize(math.erf, otypes=[float])
erfc = np.vectorize(math.erfc, otypes=[float])
SHAPES = [(), (7,), (3, 5), (2, 3, 1, 5), (257,), (20011,)]

# op: (reference, lowest and highest operand, size at which errors count fully)
FUNCTIONS = {
    "expm1": (np.expm1, -5, 5, 1e-30),
    "erfc": (erfc, -3, 3, 1e-30),
    "tan": (np.tan, -1.4, 1.4, 1e-2),
    "asin": (np.arcsin, -0.95, 0.95, 1e-30),
    "acos": (np.arccos, -0.95, 0.95, 1e-1),
    "atan": (np.arctan, -20, 20, 1e-30),
    "sinh": (np.sinh, -5, 5, 1e-30),
    "cosh": (np.cosh, -5, 5, 1e-30),
    "asinh": (np.arcsinh, -9, 9, 1e-30),
    "acosh": (np.arccosh, 1.1, 9, 1e-30),
    "atanh": (np.arctanh, -0.9, 0.9, 1e-30),
}
# Of halves, too, to the even number.
STEPS = {"round": np.round, "rint": np.rint, "trunc": np.trunc}
TESTS = {"is_nan": np.isnan, "is_inf": np.isinf, "is_finite": np.isfinite}


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def gelu(x):
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


def gelu_tanh(x):
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)
    return 0.5 * x * (1 + np.tanh(inner))


# name: (op, attributes, reference)
ACTIVATIONS = {
    "leaky_relu": ("leaky_relu", "", lambda x: np.where(x > 0, x, 0.2 * x)),
    "leaky_relu_alpha": ("leaky_relu", "alpha = 0.05 : f64",
                         lambda x: np.where(x > 0, x, 0.05 * x)),
    "elu": ("elu", "", elu),
    "elu_alpha": ("elu", "alpha = 0.5 : f64", lambda x: elu(x, 0.5)),
    "selu": ("selu", "", lambda x: 1.0507009873554805 * elu(
        x, 1.6732632423543772)),
    "celu": ("celu", "", elu),
    "celu_alpha": ("celu", "alpha = 2.0 : f64", lambda x: np.where(
        x > 0, x, 2 * np.expm1(np.minimum(x, 0) / 2))),
    "softsign": ("softsign", "", lambda x: x / (1 + np.abs(x))),
    "swish": ("swish", "", lambda x: x * sigmoid(x)),
    "hard_sigmoid": ("hard_sigmoid", "",
                     lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    "hard_swish": ("hard_swish", "", lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "mish": ("mish", "", lambda x: x * np.tanh(softplus(x))),
    "log_sigmoid": ("log_sigmoid", "", lambda x: -softplus(-x)),
    "gelu": ("gelu", "", gelu),
    "gelu_tanh": ("gelu", "approximate", gelu_tanh),
}


def function_cases():
    for number, (op, (reference, low, high, floor)) in enumerate(
            FUNCTIONS.items()):
        for place, shape in enumerate(SHAPES[number % 2::2]):
            yield op_case(f"{op}_{place}", op,
                          [uniform(100 * number + place, low, high, *shape)],
                          reference, rel=4e-6, floor=floor, by=(0,), step=1e-5)
        x = uniform(number, low, high, 4099, dtype=np.float64)
        yield op_case(f"{op}_double", op, [x], reference, rel=4e-15, floor=floor)
        edges = np.float64([x for x in DOUBLES if op != "tan" or abs(x) < 30])
        yield op_case(f"{op}_double_edges", op, [np.tile(edges, 3)], reference,
                      rel=4e-15, floor=max(floor, 2.3e-308))
        edges = np.float32([x for x in EDGES if op != "tan" or abs(x) < 30])
        yield op_case(f"{op}_edges", op, [np.tile(edges, 3)], reference,
                      rel=4e-6, floor=max(floor, 1.2e-38))


def step_cases():
    halves = np.arange(-8, 9, dtype=np.float32) / 2
    for op, reference in STEPS.items():
        for dtype in (np.float32, np.float64):
            x = np.concatenate([halves, EDGES]).astype(dtype)
            yield op_case(f"{op}_{np.dtype(dtype).name}", op, [x], reference,
                          rel=0, floor=1.2e-38)
        yield op_case(f"{op}_large", op, [spread(3, 20011)], reference, rel=0)
        yield flat_case(op, reference)


def test_cases():
    for op, reference in TESTS.items():
        for dtype in (np.float32, np.float64):
            yield op_case(f"{op}_{np.dtype(dtype).name}", op,
                          [np.tile(EDGES, 5).astype(dtype)], reference,
                          dtypes=[np.bool_])


def activation_cases():
    for number, (name, (op, attributes, reference)) in enumerate(
            ACTIVATIONS.items()):
        for place, shape in enumerate(SHAPES[number % 2::2]):
            # Off the multiples of 0.05, where the kinks are.
            x = spread(number, *shape, gap=0.05) if math.prod(shape) < 400 \
                else uniform(number, -6, 6, *shape)
            yield op_case(f"{name}_{place}", op, [x], reference, attributes,
                          norm=2e-6, by=(0,) if x.size < 400 else ())
        x = np.float32([-1e30, -1000, -100, -20, -0.0, 0, 20, 100, 1000, 1e30])
        # Without an infinity in between, forward and back.
        limits = {"hard_sigmoid": (0, 0)}.get(name)
        yield op_case(f"{name}_far", op, [x[1:-1]], reference, attributes,
                      rel=4e-6, floor=1e-6, step=1e-3, by=() if limits else ())


def prelu_cases():
    for place, (left, right) in enumerate([((3, 5), (5,)), ((9,), ()),
                                           ((40, 60), (40, 1))]):
        x = spread(place, *left, gap=0.05)
        alpha = uniform(place + 1, 0.1, 0.9, *right)
        yield op_case(f"prelu_{place}", "prelu", [x, alpha],
                      lambda x, a: np.where(x > 0, x, a * x), norm=1e-6,
                      by=(0, 1))


def clip_cases():
    x = spread(4, 3, 17)
    low, high = np.float32(-0.51), np.float32(0.73)
    yield op_case("clip", "clip_by_value", [x, low, high], np.clip, rel=0,
                  by=(0,))
    rows = np.float32([[-0.21], [0.42], [1.01]])
    yield op_case("clip_rows", "clip_by_value", [x, rows, rows + 0.2],
                  np.clip, rel=1e-7)
    # The lower bound wins where they cross.
    yield op_case("clip_crossed", "clip_by_value",
                  [x, np.float32(1), np.float32(-1)],
                  lambda x, a, b: np.maximum(np.minimum(x, b), a), rel=0)
    for dtype in (np.int32, np.int64, np.uint8):
        y = integers(7, 0, 200, 20011, dtype=dtype)
        yield op_case(f"clip_{np.dtype(dtype).name}", "clip_by_value",
                      [y, dtype(30), dtype(90)], np.clip)


def add_n_cases():
    for count in (1, 2, 5):
        terms = [normal(count + i, 3, 7) for i in range(count)]
        yield op_case(f"add_n_{count}", "add_n", terms, lambda *x: sum(x),
                      norm=1e-6, by=tuple(range(count)))
    terms = [integers(i, -9, 9, 20011) for i in range(3)]
    yield op_case("add_n_int32", "add_n", terms, lambda *x: sum(x))


def floor_mod(x, y):
    return x - np.floor(x / y) * y if x.dtype.kind == "f" else np.where(
        y == 0, 0, x - y * (x // np.where(y == 0, 1, y)))


def floor_div(x, y):
    return np.floor(x / y) if x.dtype.kind == "f" else np.where(
        y == 0, 0, x // np.where(y == 0, 1, y))


QUOTIENTS = {"floordiv": floor_div, "floormod": floor_mod, "mod": floor_mod}


def quotient_cases():
    for op, reference in QUOTIENTS.items():
        for place, (left, right) in enumerate([((3, 5), (5,)), ((150,), ()),
                                               ((200, 100), (200, 1))]):
            # Quotients a quarter off the whole numbers.
            whole = integers(place, -9, 9, *left).astype(np.float32)
            y = uniform(place, 0.5, 2, *right) * np.float32(
                integers(place + 3, 0, 2, *right) * 2 - 1)
            x = ((whole + 0.25 + 0.5 * uniform(place + 1, 0, 1, *left)) *
                 y).astype(np.float32)
            by = () if op == "floordiv" or len(left) != 1 else (0, 1)
            yield op_case(f"{op}_{place}", op, [x, y], reference, rel=2e-5,
                          floor=1e-2, by=by)
        for dtype in (np.int32, np.int64, np.uint8):
            low = 0 if dtype == np.uint8 else -100
            x = integers(5, low, 200, 150, 140, dtype=dtype)
            y = integers(6, low // 20, 9, 150, 1, dtype=dtype)
            yield op_case(f"{op}_{np.dtype(dtype).name}", op, [x, y],
                          reference)


def atan2_cases():
    for place, (left, right) in enumerate([((3, 5), (5,)), ((20011,), (1,))]):
        a, b = spread(place, *left), spread(place + 1, *right)
        yield op_case(f"atan2_{place}", "atan2", [a, b], np.arctan2, rel=4e-6,
                      floor=1e-1, by=(0, 1) if place == 0 else (), step=1e-5)


def bit_cases():
    pairs = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
             "bitwise_xor": np.bitwise_xor}
    for dtype in (np.int32, np.int64, np.uint8):
        low = 0 if dtype == np.uint8 else -200
        tag, bits = np.dtype(dtype).name, np.dtype(dtype).itemsize * 8
        x = integers(1, low, 250, 150, 140, dtype=dtype)
        y = integers(2, low, 250, 140, dtype=dtype)
        for op, reference in pairs.items():
            yield op_case(f"{op}_{tag}", op, [x, y], reference)
        yield op_case(f"invert_{tag}", "invert", [x], np.invert)
        counts = integers(3, low // 20, 80, 140, dtype=dtype)
        for op, reference in (("left_shift", np.left_shift),
                              ("right_shift", np.right_shift)):
            yield op_case(f"{op}_{tag}", op, [x, counts],
                          lambda v, n, f=reference, b=bits, d=dtype: f(
                              v, np.clip(n, 0, b - 1).astype(d)))
    for size in (5, 20011):
        a = integers(size, 0, 2, size).astype(bool)
        b = integers(size + 1, 0, 2, size).astype(bool)
        yield op_case(f"xor_{size}", "logical_xor", [a, b], np.logical_xor)


def cases():
    return [*function_cases(), *step_cases(), *test_cases(),
            *activation_cases(), *prelu_cases(), *clip_cases(),
            *add_n_cases(), *quotient_cases(), *atan2_cases(), *bit_cases()]


if __name__ == "__main__":
    harness.main(cases())
