# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons, selections and other ops whose operands are broadcast."""
import numpy as np

import harness
from broadcast import LARGE, SHAPES
from opcases import integers, normal, op_case

COMPARE = {"equal": np.equal, "not_equal": np.not_equal, "less": np.less,
           "less_equal": np.less_equal, "greater": np.greater,
           "greater_equal": np.greater_equal}


def compare_cases():
    for number, (op, reference) in enumerate(COMPARE.items()):
        shapes = SHAPES[number % 4::4] + LARGE[number % 3::3]
        dtypes = (np.float32, np.int32, np.float64, np.uint8, np.int64)
        for place, (left, right) in enumerate(shapes):
            dtype = dtypes[(place + number) % 5]
            # Few different values, so that ties occur; 250 is not negative.
            values = ([1, 100, 250] if dtype == np.uint8 else [-5, 0, 5])
            a = np.asarray(values, dtype)[integers(place, 0, 3, *left)]
            b = np.asarray(values, dtype)[integers(place + 50, 0, 3, *right)]
            yield op_case(f"{op}_{place}", op, [np.asarray(a), np.asarray(b)],
                          reference, dtypes=[bool])
        nan = np.float32([np.nan, 1, np.nan, np.inf, -0.0, -np.inf])
        other = np.float32([1, np.nan, np.nan, np.inf, 0, np.inf])
        yield op_case(f"{op}_nan", op, [nan, other], reference, dtypes=[bool])


def select_cases():
    for place, (condition, left, right) in enumerate([
            ((4,), (4,), ()), ((), (3, 2), (3, 2)), ((3, 1), (1, 5), (3, 5)),
            ((2, 3), (), ()), ((2, 3, 4), (3, 1), (4,)),
            ((200, 100), (100,), (200, 1)), ((20011,), (20011,), (20011,))]):
        c = integers(place, 0, 2, *condition).astype(bool)
        x, y = normal(place + 20, *left), normal(place + 40, *right)
        yield op_case(f"select_{place}", "select", [c, x, y], np.where, rel=0,
                      dtypes=[np.float32], by=(1, 2))
        yield op_case(f"select_int_{place}", "select",
                      [c, (x * 99).astype(np.int64), (y * 99).astype(np.int64)],
                      np.where, dtypes=[np.int64])


def layer_cases():
    for place, shape in enumerate([(5,), (3, 7), (2, 3, 3, 5), (31, 700),
                                   (1, 16), (3, 11, 13, 64)]):
        x, b = normal(place, *shape), normal(place + 9, shape[-1])
        yield op_case(f"bias_add_{place}", "bias_add", [x, b], np.add,
                      rel=2e-7, floor=1e-3, by=(0, 1))
    for place, (shape, to) in enumerate([
            ((4,), (2, 4)), ((), (3, 5)), ((3, 1), (2, 3, 4)), ((1,), (20011,)),
            ((150, 1), (150, 140)), ((1, 1, 3), (5, 4, 3)), ((4,), (4,))]):
        def reference(v, to=to):
            return np.broadcast_to(v, to)
        yield op_case(f"broadcast_to_{place}", "broadcast_to",
                      [normal(place, *shape)], reference, rel=0, by=(0,))
        yield op_case(f"broadcast_int_{place}", "broadcast_to",
                      [integers(place, -9, 9, *shape)], reference)


def cases():
    return [*compare_cases(), *select_cases(), *layer_cases()]


if __name__ == "__main__":
    harness.main(cases())
