# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of f64, f16 and bf16: the cases of small operands that other files have of
f32, with other elements."""
import functools
from unittest import mock

import numpy as np

import aggregates
import along
import arrange
import broadcast
import compare
import convolutions
import depthwise
import elementwise
import functions
import gather
import grids
import harness
import linear
import losses
import normalisations
import opcases
import order
import pool
import poolings
import products
import recurrent
import reductions
import shapes
import softmax
import spatial
import spectral
from halves import LAST_PLACE, half_case, kind, rounded

# How many cases of an op and type are taken from each module.
MODULES = {**dict.fromkeys((along, convolutions, depthwise, functions, losses,
                            normalisations, pool, poolings, products, recurrent,
                            softmax), 2),
           **dict.fromkeys((aggregates, arrange, broadcast, compare, elementwise, gather,
                            grids, linear, order, reductions, shapes, spatial, spectral),
                           1)}
# Of f32 alone, or with files of their own that have the other types.
ELSEWHERE = {"conv2d", "conv2d_backprop_input", "conv2d_backprop_filter",
             "bias_add", "bincount", *functions.FUNCTIONS, *functions.STEPS,
             *functions.TESTS, "clip_by_value"}
# Gradients, which no program of 16 bits has: they are those of f32 between casts.
OF_FLOATS = {"max_pool_grad", "avg_pool_grad", "depthwise_conv2d_backprop_input",
             "depthwise_conv2d_backprop_filter", "depthwise_filter_partials"}
MOST_ELEMENTS = 1500


def is_small(operands):
    return all(o.size <= MOST_ELEMENTS for o in operands)


def in_double(name, op, operands, reference, attributes="", dtypes=None, norm=None,
              rel=None, floor=1e-30, by=(), gradients=None, step=1e-4,
              gradient_norm=2e-5):
    """The case in double precision: as exact as the reference is."""
    doubles = [opcases.wide(o) for o in operands]
    types = dtypes and [np.float64 if np.dtype(d).kind == "f" else d for d in dtypes]
    return opcases.op_case(f"{name}_f64", op, doubles, reference, attributes, types,
                           norm=norm and 1e-13, rel=rel and 1e-13, floor=floor, by=by,
                           gradients=gradients, step=step, gradient_norm=gradient_norm)


def in_half(element, name, op, operands, reference, attributes="", dtypes=None, **_):
    """The case with operands of 16 bits; what follows from them is rounded once."""
    given = [rounded(o, element) if o.dtype == np.float32 else o for o in operands]
    with np.errstate(all="ignore"):
        wants = reference(*[opcases.wide(o) for o in given])
    wants = wants if isinstance(wants, tuple) else (wants,)
    want = np.asarray(wants[0])
    if want.dtype.kind != "f" or not np.all(np.abs(want) < 6e4):
        return None
    types = [kind(o.shape, element) if o.dtype == np.float32 else harness.type_of(o)
             for o in given]
    dtypes = dtypes or [np.float32] * len(wants)
    made = [kind(np.shape(w), element) if np.dtype(d).kind == "f"
            else harness.type_of(np.asarray(w).astype(d)) for w, d in zip(wants, dtypes)]
    results = ["h", *[f"other{i}" for i in range(1, len(wants))]]
    left = ", ".join(f"%{r}" for r in results)
    right = ", ".join(f"%x{i}" for i in range(len(given)))
    space = f" {{{attributes}}}" if attributes else ""
    outer = made[0] if len(made) == 1 else f"({', '.join(made)})"
    text = f"{left} = tfir.{op} {right}{space} : ({', '.join(types)}) -> {outer}"
    case = half_case(f"{name}_{element}", element, operands, text,
                     rounded(want, element), made=made[0])
    case.fetches["y"] = harness.Fetch(rounded(want, element),
                                      norm=2 * LAST_PLACE[element], floor=1e-3)
    return case


def cases_with(make, chosen):
    """What the modules yield if `make` makes their cases, a few of an op."""
    counts, made = {}, []

    def op_case(module, name, op, operands, *arguments, **named):
        small = is_small(operands) and any(o.dtype == np.float32 for o in operands)
        if not small or not chosen(op) or counts.get(op, 0) >= MODULES[module]:
            return
        case = make(f"{module.__name__}_{name}", op, operands, *arguments, **named)
        if case:
            counts[op] = counts.get(op, 0) + 1
            made.append(case)

    for module in MODULES:
        with mock.patch.object(module, "op_case", functools.partial(op_case, module)):
            module.cases()
    return made


def cases():
    made = cases_with(in_double, lambda op: op not in ELSEWHERE)
    for element in ("f16", "bf16"):
        made += cases_with(functools.partial(in_half, element),
                           lambda op: op not in ELSEWHERE | OF_FLOATS)
    names = [case.name for case in made]
    assert len(set(names)) == len(names), "two cases of one name"
    return made


if __name__ == "__main__":
    harness.main(cases())
