# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum and attention."""
import numpy as np

import harness
from opcases import integers, normal, op_case

SIZES = {"b": 3, "i": 4, "j": 5, "k": 2, "l": 6, "h": 1}
EQUATIONS = (
    "i->i", "ij->ji", "ij->j", "ij->", "bij->bj", "ijk->kij",
    "ij,jk->ik", "ij,kj->ik", "ji,jk->ik", "ji,kj->ki", "i,j->ij", "i,i->",
    "ij,ij->ij", "ij,ij->i", "ij,j->i", "bij,bjk->bik", "bij,bkj->ikb",
    "bij,jk->bik", "ibj,kbj->bik", "bhij,bhkj->bhik", "bijh,bkjh->bhik",
    "ij,kl->jl", "bij,bik->jk", "ijk,l->", "ijb,bkl->ijkl")


def einsum_cases():
    for number, equation in enumerate(EQUATIONS):
        operands = [normal(number + place, *[SIZES[c] for c in letters])
                    for place, letters in enumerate(
                        equation.split("->")[0].split(","))]
        yield op_case(f"einsum_{number}", "einsum", operands,
                      lambda *x, e=equation: np.einsum(e, *x),
                      f'equation = "{equation}"', norm=2e-6, floor=1e-6,
                      by=tuple(range(len(operands))))
    a, b = normal(1, 8, 60, 4, 32), normal(2, 8, 50, 4, 32)
    yield op_case("einsum_heads", "einsum", [a, b],
                  lambda x, y: np.einsum("bqhd,bkhd->bhqk", x, y),
                  'equation = "bqhd,bkhd->bhqk"', norm=2e-6, by=(0, 1),
                  step=1e-2)
    empty = np.zeros((0, 4), np.float32)
    yield op_case("einsum_empty", "einsum", [empty, normal(1, 4, 3)],
                  lambda x, y: np.einsum("ij,jk->ik", x, y),
                  'equation = "ij,jk->ik"', rel=0)


def attention(q, k, v, mask=None, causal=False, scale=None):
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) * scale
    lowest = np.finfo(np.float32).min
    if mask is not None:
        scores = np.where(mask, scores, lowest) if mask.dtype == bool \
            else scores + mask
    if causal:
        queries, keys = scores.shape[-2:]
        seen = np.arange(keys) <= np.arange(queries)[:, None] + keys - queries
        scores = np.where(seen, scores, lowest)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.matmul(weights / weights.sum(-1, keepdims=True), v)


def attention_cases():
    op = "scaled_dot_product_attention"
    for number, (batch, queries, keys, depth, values) in enumerate([
            ((), 3, 4, 5, 2), ((2,), 4, 4, 3, 3), ((2, 3), 5, 7, 4, 6),
            ((1, 2), 1, 1, 1, 1), ((2, 4), 33, 65, 16, 16)]):
        q, k = normal(number, *batch, queries, depth), normal(
            number + 1, *batch, keys, depth)
        v = normal(number + 2, *batch, keys, values)
        keep = integers(number, 0, 4, queries, keys) > 0
        keep[0] = keys == 1  # a query without any key
        added = normal(number + 4, *batch[:1], *[1] * len(batch[1:]), 1, keys)
        small = queries < 10
        exact = {"norm": 4e-6, "floor": 1e-6}
        yield op_case(f"attention_{number}", op, [q, k, v], attention,
                      by=(0, 1, 2) if small else (), **exact)
        yield op_case(f"attention_scaled_{number}", op, [q, k, v],
                      lambda q, k, v: attention(q, k, v, scale=0.3),
                      "scale = 0.3 : f64", **exact)
        yield op_case(f"attention_causal_{number}", op, [q, k, v],
                      lambda q, k, v: attention(q, k, v, causal=True),
                      "causal", by=(0, 1, 2) if small else (), **exact)
        yield op_case(f"attention_mask_{number}", op, [q, k, v, keep],
                      attention, by=(0, 1, 2) if small else (), **exact)
        yield op_case(f"attention_added_{number}", op, [q, k, v, added],
                      attention, "", by=(0, 3) if small else (), **exact)
    # Keys and values that all heads of a batch share.
    q, k, v = normal(1, 2, 3, 4, 5), normal(2, 2, 1, 6, 5), normal(3, 6, 5)
    yield op_case("attention_shared", op, [q, k, v], attention, norm=4e-6,
                  by=(0, 1, 2))


def cases():
    return [*einsum_cases(), *attention_cases()]


if __name__ == "__main__":
    harness.main(cases())
