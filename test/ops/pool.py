# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools and their gradients: overlaps, padding, ties."""
import numpy as np

import harness
import nnreference as nn
from opcases import integers, normal, op_case, spread

# images, ksize, strides, padding
SHAPES = [
    ((1, 1, 1, 1), (1, 1), (1, 1), "SAME"),
    ((1, 4, 4, 3), (2, 2), (2, 2), "SAME"),
    ((2, 5, 7, 3), (2, 2), (2, 2), "SAME"),
    ((2, 5, 7, 3), (2, 2), (2, 2), "VALID"),
    ((1, 6, 5, 2), (3, 3), (2, 2), "SAME"),
    ((1, 6, 7, 2), (3, 3), (1, 1), "SAME"),
    ((1, 7, 7, 2), (3, 2), (1, 2), "VALID"),
    ((2, 5, 5, 1), (2, 2), (3, 3), "SAME"),
    ((1, 8, 8, 2), (1, 1), (2, 2), "VALID"),
    ((1, 3, 3, 2), (5, 5), (1, 1), "SAME"),
    ((1, 7, 5, 4), (7, 5), (1, 1), "VALID"),
    ((3, 14, 14, 33), (2, 2), (2, 2), "SAME"),
    ((2, 28, 28, 16), (3, 3), (2, 2), "SAME"),
    ((4, 27, 29, 8), (3, 3), (2, 2), "VALID"),
    ((100, 14, 14, 4), (2, 2), (2, 2), "SAME"),
]


def attributes(ksize, strides, padding):
    return (f"ksize = array<i64: {ksize[0]}, {ksize[1]}>, strides = "
            f'array<i64: {strides[0]}, {strides[1]}>, padding = "{padding}"')


def cases():
    for number, (shape, *how) in enumerate(SHAPES):
        x, text = spread(number, *shape, gap=0.01), attributes(*how)

        def largest(v, how=how):
            return nn.max_pool(v, *how)

        def average(v, how=how):
            return nn.avg_pool(v, *how)
        yield op_case(f"max_pool_{number}", "max_pool", [x], largest, text,
                      rel=0, by=(0,), step=1e-3, gradient_norm=1e-6)
        yield op_case(f"avg_pool_{number}", "avg_pool", [x], average, text,
                      norm=5e-7, by=(0,), step=1e-3, gradient_norm=1e-6)
        # Few values: most windows have ties.
        ties = integers(number, 0, 3, *shape).astype(np.float32)
        yield op_case(f"max_pool_ties_{number}", "max_pool", [ties], largest,
                      text, rel=0, by=(0,), gradient_norm=1e-6,
                      gradients=lambda r, v, how=how:
                          [nn.max_pool_grad(v, r, *how)])
        y = largest(ties)
        g = normal(number, *y.shape)
        yield op_case(f"max_pool_grad_{number}", "max_pool_grad", [ties, y, g],
                      lambda v, _, r, how=how: nn.max_pool_grad(v, r, *how),
                      text, norm=1e-6)
        yield op_case(f"avg_pool_grad_{number}", "avg_pool_grad", [g],
                      lambda r, shape=shape, how=how:
                          nn.avg_pool_grad(shape, r, *how), text, norm=1e-6)
    negative = -1 - np.abs(normal(7, 1, 5, 5, 3))
    yield op_case("max_pool_negative", "max_pool", [negative],
                  lambda v: nn.max_pool(v, (3, 3), (2, 2), "SAME"),
                  attributes((3, 3), (2, 2), "SAME"), rel=0)


if __name__ == "__main__":
    harness.main(list(cases()))
