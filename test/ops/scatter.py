# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes at computed places: slices that are replaced or combined."""
import numpy as np

import harness
from opcases import integers, normal, op_case


def divide(x, y):
    """As tfir.div: integers towards zero, and 0 by 0."""
    if x.dtype.kind == "f":
        with np.errstate(all="ignore"):
            return x / y
    safe = np.where(y == 0, 1, y)
    quotient = np.sign(x) * np.sign(safe) * (np.abs(x) // np.abs(safe))
    return np.where(y == 0, 0, quotient).astype(x.dtype)


COMBINES = {"update": lambda x, y: y, "add": np.add, "sub": np.subtract,
            "mul": np.multiply, "div": divide, "min": np.minimum, "max": np.maximum}


def scatter(ref, indices, updates, combine):
    """Slices one after the other, as the op is specified."""
    result = ref.copy()
    updates = updates.reshape((indices.size,) + ref.shape[1:])
    for at, update in zip(indices.reshape(-1), updates):
        if 0 <= at < len(ref):
            result[at] = COMBINES[combine](result[at], update)
    return result


SHAPES = [((5,), (3,)), ((1, 1), (1,)), ((5, 3), ()), ((4, 2, 3), (2, 5)),
          ((3000, 33), (700,)), ((40, 2000), (90,)), ((6, 2), (0,)), ((0, 3), (2,))]
DTYPES = (np.float32, np.int64, np.float64, np.int32)


def shape_cases():
    """All kinds; some of the indices are equal or outside."""
    for turn, combine in enumerate(COMBINES):
        for number, (ref, indices) in enumerate(SHAPES):
            kind, dtype = (np.int32, np.int64)[number % 2], DTYPES[(number + turn) % 4]
            at = integers(number, -1, ref[0] + 1, *indices, dtype=kind)
            if at.size > 3:
                at.flat[1] = at.flat[0] = min(2, ref[0] - 1)
                at.flat[2] = np.iinfo(kind).min
            x = (normal(number, *ref) * 50).astype(dtype)
            rows = (normal(number + 1, *indices, *ref[1:]) * 5).astype(dtype)
            # In the element type, one after the other: all bits are the same.
            want = scatter(x, at, rows, combine)
            yield op_case(f"{combine}_{number}", f"scatter_{combine}", [x, at, rows],
                          lambda r, i, u, w=want: w, rel=0)


def order_cases():
    """Many updates of few slices are taken in their order, to the last bit."""
    for combine in ("update", "add", "sub", "mul", "div"):
        for rows, width, count in ((3, 5, 64), (11, 40, 3000)):
            scale = np.float32(10) ** integers(rows, -3, 4, count, 1)
            updates = normal(rows, count, width) * scale
            if combine in ("mul", "div"):
                updates = 1 + normal(rows, count, width) / 8
            updates = updates.astype(np.float32)
            x, at = normal(1, rows, width), integers(2, 0, rows, count)
            want = scatter(x, at, updates, combine)
            yield op_case(f"order_{combine}_{count}", f"scatter_{combine}", [x, at, updates],
                          lambda r, i, u, w=want: w, rel=0)


def special_cases():
    ends = np.float32([np.nan, np.inf, -np.inf, 0, 1])
    at = np.int32([0, 1, 2, 3, 4, 4])
    updates = np.float32([1, -np.inf, np.nan, -2, 0, np.nan])
    for combine in ("add", "mul", "div", "min", "max"):
        with np.errstate(all="ignore"):
            want = scatter(ends, at, updates, combine)
        yield op_case(f"special_{combine}", f"scatter_{combine}", [ends, at, updates],
                      lambda r, i, u, w=want: w, rel=0)
    for kind in (np.int32, np.int64):
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        x, updates = np.array([low, 7, high, -9], kind), np.array([-1, 0, 1, 2], kind)
        want = {"div": [low, 0, high, -4], "add": [high, 7, low, -7],
                "min": [low, 0, 1, -9], "max": [-1, 7, high, 2]}
        for combine, result in want.items():
            yield op_case(f"ends_{combine}_{np.dtype(kind).name}", f"scatter_{combine}",
                          [x, np.int32([0, 1, 2, 3]), updates],
                          lambda r, i, u, w=np.array(result, kind): w, rel=0)


def cases():
    return [*shape_cases(), *order_cases(), *special_cases()]


if __name__ == "__main__":
    harness.main(cases())
