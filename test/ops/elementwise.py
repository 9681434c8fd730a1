# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops of one operand, casts, and operands of equal shape."""
import math

import numpy as np

import harness
from opcases import integers, normal, op_case, spread, uniform, wide

erf = np.vectorize(math.erf, otypes=[float])
REL = {np.float32: 2e-6, np.float64: 2e-14}


def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))),
                    np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


# op: (reference, lowest and highest operand, distance between operands where
# the op has kinks)
UNARY = {
    "neg": (np.negative, -3, 3, 0),
    "abs": (np.abs, -3, 3, 0.05),
    "square": (np.square, -3, 3, 0),
    "sqrt": (np.sqrt, 0.1, 9, 0),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 0.1, 9, 0),
    "reciprocal": (lambda x: 1 / x, 0.2, 5, 0),
    "exp": (np.exp, -10, 10, 0),
    "log": (np.log, 0.01, 20, 0),
    "log1p": (np.log1p, -0.9, 20, 0),
    "tanh": (np.tanh, -3, 3, 0),
    "sigmoid": (sigmoid, -12, 12, 0),
    "softplus": (softplus, -12, 12, 0),
    "erf": (erf, -3, 3, 0),
    "sin": (np.sin, -20, 20, 0),
    "cos": (np.cos, -20, 20, 0),
    "relu": (lambda x: np.maximum(x, 0), -3, 3, 0.05),
    "relu6": (lambda x: np.clip(x, 0, 6), -9, 9, 0.05),
    "identity": (lambda x: x, -3, 3, 0),
    "sign": (np.sign, -3, 3, 0.05),
    "floor": (np.floor, -3, 3, 0.05),
    "ceil": (np.ceil, -3, 3, 0.05),
}

FLAT = ("sign", "floor", "ceil")  # their derivative is 0
SHAPES = [(), (1,), (7,), (3, 5), (1, 16), (2, 3, 1, 5), (33,), (257,)]
LARGE = [(20011,), (65536,), (130, 131)]


def operand(op, shape, dtype, seed):
    low, high, gap = UNARY[op][1:]
    if gap:
        # The values lie off the multiples of 0.05, where the kinks are.
        return spread(seed, *shape, dtype=dtype, gap=gap)
    return uniform(seed, low, high, *shape, dtype=dtype)


def unary_cases():
    for number, (op, (reference, *_)) in enumerate(UNARY.items()):
        # Each op takes every second shape and one large one.
        shapes = SHAPES[number % 2::2] + [LARGE[number % 3]]
        for place, shape in enumerate(shapes):
            dtype = np.float64 if place == 1 else np.float32
            # Near a zero of sin the size of the error follows the operand's.
            floor = 0.1 if op in ("sin", "cos") else 1e-30
            yield op_case(f"{op}_{place}", op,
                          [operand(op, shape, dtype, 100 * number + place)],
                          reference, rel=REL[dtype], floor=floor, step=1e-5,
                          by=() if op in FLAT else (0,))


EDGES = np.float32([0, -0.0, 1, -1, 1e-10, -1e-10, 3e-6, -3e-6, 1e-3, 0.3, 0.7,
                    5, -5, 20, -20, 87, -87, 89, -104, 1000, -1000, 1e30,
                    -1e30, 3e38, np.inf, -np.inf, np.nan, 0.99999994,
                    1.0000001])
TRIGONOMETRIC = np.float32([0, -0.0, 1e-10, 1.5707964, 3.1415927, -6.2831855,
                            22, 100.5, -1000.25, 31415.926])


def edge_reference(op, reference):
    """The reference of an op at 0, infinity and NaN."""
    exact = {"sigmoid": lambda x: np.where(np.isnan(x), x, sigmoid(x)),
             "softplus": lambda x: np.where(x == -np.inf, 0, np.where(
                 x == np.inf, x, softplus(x)))}
    return exact.get(op, reference)


def edge_cases():
    """Special values, and the accuracy near zeros and far out."""
    for op, (reference, *_) in UNARY.items():
        edges = TRIGONOMETRIC if op in ("sin", "cos") else EDGES
        # What is smaller than any normal number may be 0.
        yield op_case(f"{op}_edges", op, [np.tile(edges, 3)],
                      edge_reference(op, reference), rel=2e-6,
                      floor=1e-7 if op in ("sin", "cos") else 1.2e-38)


DOUBLES = np.float64([0, -0.0, 1e-300, 3e-17, -3e-17, 1e-9, -1e-9, 1e-4, 0.3, -0.7,
                      0.5, -0.5, 1, -1, 5, -5, 21.5, -21.5, 26, -26, 700, -700, 709.7,
                      -740, 746, -1000, 1e15, -1e30, 1e300, 5e-324, np.inf, -np.inf,
                      np.nan, 1 - 2**-53, 1 + 2**-52])
DOUBLE_ANGLES = np.float64([0, -0.0, 1e-300, np.pi / 2, np.pi, -2 * np.pi, 22, 100.5,
                            -1000.25, 31415.926])


def double_cases():
    """f64: to its last digits, at its own ends."""
    for number, (op, (reference, low, high, _)) in enumerate(UNARY.items()):
        x = uniform(number, low, high, 4099, dtype=np.float64)
        yield op_case(f"{op}_double", op, [x], reference, rel=2e-15,
                      floor=0.1 if op in ("sin", "cos") else 1e-300)
        edges = DOUBLE_ANGLES if op in ("sin", "cos") else DOUBLES
        # What is smaller than any normal number may be 0.
        yield op_case(f"{op}_double_edges", op, [np.tile(edges, 3)],
                      edge_reference(op, reference), rel=2e-15,
                      floor=1 if op in ("sin", "cos") else 2.3e-308 / 2e-15)


def kink_cases():
    """The gradients that are agreed on where there is no derivative."""
    x = np.float32([-1, 0, 2, -0.0, 6, 7])
    slopes = {"abs": np.sign, "relu": lambda v: v > 0,
              "relu6": lambda v: (v > 0) & (v < 6)}
    for op, slope in slopes.items():
        yield op_case(f"{op}_kink", op, [x], UNARY[op][0], rel=0, by=(0,),
                      gradients=lambda r, v, s=slope: [r * s(v)])


def flat_case(op, reference=None):
    """y = op(x) * x: the derivative is op(x)."""
    x = spread(7, 53)
    value = (reference or UNARY[op][0])(wide(x))
    kind = harness.type_of(x)
    text = f"""
      %f = tfir.{op} %a : ({kind}) -> {kind}
      %y = tfir.mul %a, %f : ({kind}, {kind}) -> {kind}
      %d = tfir.gradients %y, %a : ({kind}, {kind}) -> {kind}
    """
    return harness.Case(
        f"{op}_flat", harness.graph(f"{op}_flat", {"a": x}, text,
                                    {"y": kind, "d": kind}), {"a": x},
        {"y": harness.Fetch((x * value).astype(np.float32), rel=1e-7),
         "d": harness.Fetch(value.astype(np.float32))}, gradient_of=(op,))


def integer_cases():
    for dtype in (np.int32, np.int64, np.uint8):
        low = 0 if dtype == np.uint8 else -50
        for size in (13, 20011):
            x = integers(size, low, 200, size, dtype=dtype)
            tag = f"{np.dtype(dtype).name}_{size}"
            for op, reference in (("neg", np.negative), ("abs", np.abs),
                                  ("square", np.square),
                                  ("identity", lambda v: v),
                                  ("stop_gradient", lambda v: v)):
                yield op_case(f"{op}_{tag}", op, [x], reference)


def cast_operand(dtype, size):
    if dtype == np.bool_:
        return integers(size, 0, 2, size).astype(bool)
    if dtype == np.uint8:
        return integers(size, 0, 256, size, dtype=dtype)
    if np.dtype(dtype).kind == "i":
        return integers(size, -1000, 1000, size, dtype=dtype)
    values = uniform(size, 0, 250, size, dtype=dtype)
    values[:5] = [0, 0.5, 0.99, 200.7, 1]
    return values


def cast_cases():
    """Between all pairs of types; to uint8 as C does, by dropping high bits."""
    dtypes = (np.float32, np.float64, np.int32, np.int64, np.bool_, np.uint8)
    for source in dtypes:
        for target in dtypes:
            size = 20011 if np.dtype(target).itemsize == 1 else 37
            x = cast_operand(source, size)
            tag = f"{np.dtype(source).name}_{np.dtype(target).name}"
            floats = np.dtype(source).kind == np.dtype(target).kind == "f"
            yield op_case(f"cast_{tag}", "cast", [x],
                          lambda v, t=target: v.astype(t), dtypes=[target],
                          rel=0, by=(0,) if floats else (),
                          gradients=lambda r, v: [r])
    x = np.float32([-2.7, -0.3, 1.9, -100.99, 2147483520, -2147483648])
    for target in (np.int32, np.int64):
        yield op_case(f"cast_negative_{np.dtype(target).name}", "cast", [x],
                      np.trunc, dtypes=[target])


def logical_cases():
    for size in (5, 64, 20011):
        a = integers(size, 0, 2, size).astype(bool)
        b = integers(size + 1, 0, 2, size).astype(bool)
        yield op_case(f"not_{size}", "logical_not", [a], np.logical_not)
        yield op_case(f"and_{size}", "logical_and", [a, b], np.logical_and)
        yield op_case(f"or_{size}", "logical_or", [a, b], np.logical_or)


def stop_gradient_case():
    """y = x * stop_gradient(x): the derivative is x."""
    x = normal(5, 11)
    text = """
      %s = tfir.stop_gradient %a : (tensor<11xf32>) -> tensor<11xf32>
      %y = tfir.mul %a, %s : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
      %d = tfir.gradients %y, %a : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    """
    types = {"y": "tensor<11xf32>", "d": "tensor<11xf32>"}
    return harness.Case(
        "stop_gradient", harness.graph("stop_gradient", {"a": x}, text, types),
        {"a": x}, {"y": harness.Fetch(wide(x).__pow__(2).astype(np.float32),
                                      rel=1e-7),
                   "d": harness.Fetch(x)})


def cases():
    return [*unary_cases(), *edge_cases(), *double_cases(), *kink_cases(), *map(flat_case, FLAT),
            *integer_cases(), *cast_cases(), *logical_cases(),
            stop_gradient_case()]


if __name__ == "__main__":
    harness.main(cases())
