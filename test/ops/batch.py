# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of batches of matrices, alone and with other ops around them."""
import numpy as np

import harness
from harness import Case, Fetch, graph, type_of
from opcases import normal, op_case


def matmul(a, b, ta=False, tb=False):
    return np.matmul(np.swapaxes(a, -1, -2) if ta else a,
                     np.swapaxes(b, -1, -2) if tb else b)


# Batch dimensions of both operands; rows, terms and columns.
SHAPES = [((2,), (2,), (3, 4, 5)), ((3,), (), (4, 5, 6)),
          ((), (3,), (4, 5, 6)), ((1,), (4,), (2, 3, 2)),
          ((4,), (1,), (2, 3, 2)), ((2, 1), (1, 3), (3, 2, 4)),
          ((2, 3), (2, 3), (17, 9, 33)), ((2, 3), (3,), (5, 7, 1)),
          ((1,), (1,), (1, 1, 1)), ((7,), (7,), (1, 13, 40)),
          ((1, 1), (), (6, 5, 4)), ((5,), (5,), (64, 32, 48)),
          ((32,), (32,), (128, 64, 128)), ((3,), (), (130, 1024, 129)),
          ((3,), (3,), (40, 1030, 70)), ((0,), (0,), (3, 4, 5)),
          ((2,), (2,), (3, 0, 5))]


def plain_cases():
    for number, (left, right, (m, k, n)) in enumerate(SHAPES):
        small = m * k * n < 400 and 0 not in left + (k,)
        forms = range(4) if number < 12 else (number % 4, (number + 1) % 4)
        for form in forms:
            ta, tb = bool(form & 1), bool(form & 2)
            a = normal(number, *left, *((k, m) if ta else (m, k)))
            b = normal(number + 50, *right, *((n, k) if tb else (k, n)))
            flags = ", ".join(["transpose_a"] * ta + ["transpose_b"] * tb)
            yield op_case(f"batch_{number}_{form}", "matmul", [a, b],
                          lambda x, y, ta=ta, tb=tb: matmul(x, y, ta, tb),
                          flags, norm=2e-6, floor=1e-6,
                          by=(0, 1) if small else ())


def between_case(name, batch, m, k, n):
    """After ops that make the operands, before a bias, a relu and a sum."""
    a, b = normal(1, *batch, m, k), normal(2, *batch, k, n)
    bias, scale = normal(3, n), normal(4, *batch, 1, 1)
    ta, tb, tc = (type_of(normal(0, *batch, *s)) for s in ((m, k), (k, n), (m, n)))
    rows = tc.replace(f"{m}x{n}", f"{m}")
    text = f"""
      %x = tfir.square %a : ({ta}) -> {ta}
      %c = tfir.matmul %x, %b : ({ta}, {tb}) -> {tc}
      %d = tfir.mul %c, %scale : ({tc}, {type_of(scale)}) -> {tc}
      %e = tfir.add %d, %bias : ({tc}, {type_of(bias)}) -> {tc}
      %y = tfir.relu %e : ({tc}) -> {tc}
      %s = tfir.sum %y {{axes = array<i64: -1>}} : ({tc}) -> {rows}
    """
    feeds = {"a": a, "b": b, "bias": bias, "scale": scale}
    y = np.maximum(np.matmul(a.astype(float) ** 2, b) * scale + bias, 0)
    return Case(name, graph(name, feeds, text, {"y": tc, "s": rows}), feeds,
                {"y": Fetch(y.astype(np.float32), norm=2e-6),
                 "s": Fetch(y.sum(-1).astype(np.float32), norm=2e-6)})


def between_cases():
    yield between_case("between_small", (2,), 3, 4, 5)
    yield between_case("between_ones", (1, 3), 1, 4, 1)
    yield between_case("between", (2, 4), 50, 60, 70)


def special_case():
    a = np.zeros((2, 2, 3), np.float32)
    a[0, 0, 0], a[1, 1, 2] = np.nan, np.inf
    b = np.ones((2, 3, 4), np.float32)
    return op_case("special", "matmul", [a, b], np.matmul, norm=1e-6)


def cases():
    return [*plain_cases(), *between_cases(), special_case()]


if __name__ == "__main__":
    harness.main(cases())
