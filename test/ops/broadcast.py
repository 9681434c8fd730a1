# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic on two operands, whose shapes broadcast."""
import numpy as np

import harness
from opcases import integers, normal, op_case, spread, uniform

SHAPES = [
    ((), ()), ((1,), ()), ((), (7,)), ((9,), (1,)), ((3, 5), (5,)),
    ((3, 5), (3, 1)), ((3, 1), (1, 5)), ((2, 3, 4), (3, 1)),
    ((4,), (2, 3, 4)), ((2, 1, 4), (1, 3, 1)), ((1, 1), (2, 2)),
    ((17, 33), (17, 33)), ((1, 6, 1, 2), (3, 1, 5, 1)),
]
LARGE = [
    ((200, 100), (100,)), ((200, 100), (200, 1)), ((20011,), (1,)),
    ((1, 150), (140, 1)), ((7, 50, 60), (50, 1)), ((90, 11, 23), (90, 1, 1)),
    ((70000,), ()), ((3, 1, 5000), (7, 1)), ((130, 131), (130, 131)),
]


def truncated(x, y):
    """C's division of integers."""
    if np.asarray(x).dtype.kind == "f":
        return x / y
    quotient = np.abs(x.astype(np.int64)) // np.abs(y.astype(np.int64))
    return quotient * np.sign(x) * np.sign(y)


ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply,
              "div": truncated, "maximum": np.maximum, "minimum": np.minimum,
              "squared_difference": lambda x, y: (x - y) ** 2, "pow": np.power}
def operands(op, left, right, dtype, seed):
    """Two operands at a distance from kinks and poles of the op."""
    if op == "pow":
        return (uniform(seed, 0.3, 3, *left, dtype=dtype),
                uniform(seed + 1, -3, 3, *right, dtype=dtype))
    if op in ("maximum", "minimum"):
        # Odd and even multiples of a step never meet.
        a = spread(seed, *left, dtype=dtype, gap=0.02)
        return a, (spread(seed + 1, *right, dtype=dtype, gap=0.02) +
                   0.01).astype(dtype)
    b = uniform(seed + 1, 0.3, 3, *right, dtype=dtype)
    if op != "div":
        b = np.asarray(b - 1, dtype)
    return normal(seed, *left, dtype=dtype), b


def arithmetic_cases():
    for number, (op, reference) in enumerate(ARITHMETIC.items()):
        shapes = SHAPES[number % 2::2] + LARGE[number % 3::3]
        if op in ("add", "mul"):
            shapes = SHAPES + LARGE
        for place, (left, right) in enumerate(shapes):
            double = place % 3 == 1 and op != "pow"
            dtype = np.float64 if double else np.float32
            yield op_case(f"{op}_{place}", op,
                          operands(op, left, right, dtype, 7 * place + number),
                          reference, rel=3e-6 if op == "pow" else 3e-7,
                          floor=1e-5, by=(0, 1))


def integer_cases():
    for dtype in (np.int32, np.int64, np.uint8):
        low = 0 if dtype == np.uint8 else -100
        for place, (left, right) in enumerate([((3, 5), (5,)),
                                               ((150, 140), (150, 1))]):
            a = integers(place, low, 200, *left, dtype=dtype)
            b = integers(place + 9, 1, 100, *right, dtype=dtype)
            if dtype != np.uint8:
                b *= integers(place + 5, 0, 2, *right, dtype=dtype) * 2 - 1
            for op, reference in ARITHMETIC.items():
                if op == "pow":
                    continue
                yield op_case(f"{op}_{np.dtype(dtype).name}_{place}", op,
                              [a, b], reference)


def tie_cases():
    """The gradient of a tie goes to x; also where operands are broadcast."""
    a = np.float32([[1, 2, 3], [3, 2, 1]])
    b = np.float32([2, 2, 2])
    for op, takes in (("maximum", np.greater_equal), ("minimum", np.less_equal)):
        def gradients(r, x, y, takes=takes):
            mine = takes(x, y)
            return [r * mine, (r * ~mine).sum(0)]
        yield op_case(f"{op}_tie", op, [a, b], ARITHMETIC[op], rel=0,
                      by=(0, 1), gradients=gradients, gradient_norm=1e-6)


def special_cases():
    a = np.float32([1, -1, 0, np.inf, np.nan, 5, np.inf, 1e38, 3e-39])
    b = np.float32([0, 0, 0, -np.inf, 1, np.nan, 0, 1e38, 2])
    for op in ("add", "sub", "mul", "div"):
        yield op_case(f"{op}_special", op, [a, b], ARITHMETIC[op], rel=1e-6,
                      floor=1.2e-38)
    for dtype in (np.int32, np.int64):
        lowest = np.iinfo(dtype).min
        yield op_case(f"div_by_zero_{np.dtype(dtype).name}", "div",
                      [np.asarray([7, 0, lowest, lowest, -7, lowest], dtype),
                       np.asarray([0, 0, 0, -1, -1, 2], dtype)],
                      lambda x, y: np.asarray(
                          [0, 0, 0, lowest, 7, lowest // 2], dtype))
    yield op_case("div_by_zero_uint8", "div",
                  [np.uint8([7, 0, 255, 255]), np.uint8([0, 0, 255, 254])],
                  lambda x, y: np.uint8([0, 0, 1, 1]))
    x = np.float32([2, 4, 9, 2, 0, 0, 1, 0.5, -2, -2, -2, 1.5, 10, 10, -3])
    y = np.float32([3, 0.5, -0.5, 0, 3, 0, 7, 2, 2, 3, -1, 88, 38, -30, 0])
    yield op_case("pow_special", "pow", [x, y], np.power, rel=2e-5)
    # Also of negative numbers, as in pow(x - y, 2).
    x = normal(8, 40)
    for exponent in (2, 3, -1, 0, 1):
        y = np.float32(exponent).reshape(())
        yield op_case(f"pow_whole_{exponent}".replace("-", "minus"), "pow",
                      [x, y], np.power, rel=3e-6, floor=1e-3, by=(0,))


def cases():
    return [*arithmetic_cases(), *integer_cases(), *tie_cases(),
            *special_cases()]


if __name__ == "__main__":
    harness.main(cases())
