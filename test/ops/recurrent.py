# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One step of recurrent cells, by all of their operands."""
import numpy as np

import harness
from harness import Case, Fetch, graph, type_of
from opcases import (LETTERS, call, gradient_fetch, gradient_text, normal, op_case,
                     uniform, wide)


def sigmoid(x):
    # Neither side overflows.
    return np.exp(np.minimum(x, 0)) / (1 + np.exp(-np.abs(x)))


def lstm(x, c, h, w, b, forget_bias=1.0):
    """BasicLSTMCell: the new states."""
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ w + b, 4, 1)
    c = c * sigmoid(f + forget_bias) + sigmoid(i) * np.tanh(j)
    return c, np.tanh(c) * sigmoid(o)


def full_lstm(x, c, h, w, b, *extras, forget_bias=1.0, cell_clip=np.inf, proj_clip=np.inf):
    """LSTMCell: `extras` are the diagonals of the peepholes, the projection, or both."""
    f_diag, i_diag, o_diag = extras[:3] if len(extras) >= 3 else (0.0, 0.0, 0.0)
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ w + b, 4, 1)
    c = (sigmoid(f + forget_bias + f_diag * c) * c
         + sigmoid(i + i_diag * c) * np.tanh(j))
    c = np.clip(c, -cell_clip, cell_clip)
    h = sigmoid(o + o_diag * c) * np.tanh(c)
    if len(extras) in (1, 4):
        h = np.clip(h @ extras[-1], -proj_clip, proj_clip)
    return c, h


def gru(x, h, gate_w, gate_b, cand_w, cand_b):
    """GRUCell: the new state."""
    gates = sigmoid(np.concatenate([x, h], 1) @ gate_w + gate_b)
    r, u = np.split(gates, 2, 1)
    candidate = np.tanh(np.concatenate([x, r * h], 1) @ cand_w + cand_b)
    return u * h + (1 - u) * candidate


SIZES = ((3, 4, 5), (1, 1, 1), (2, 7, 1), (5, 1, 6), (17, 20, 33))
EXACT = {"norm": 2e-6, "floor": 1e-6}


def scaled(seed, *shape):
    return (normal(seed, *shape) / np.sqrt(shape[0])).astype(np.float32)


def lstm_operands(number, rows, inputs, units):
    return [normal(number, rows, inputs), normal(number + 10, rows, units),
            uniform(number + 20, -1, 1, rows, units),
            scaled(number + 30, inputs + units, 4 * units),
            normal(number + 40, 4 * units)]


def full_operands(number, rows, inputs, units, peepholes, projected):
    """Of an LSTM with peepholes, and with a projection unless `projected` is 0."""
    outputs = projected or units
    operands = lstm_operands(number, rows, inputs, units)
    operands[2] = uniform(number + 20, -1, 1, rows, outputs)
    operands[3] = scaled(number + 30, inputs + outputs, 4 * units)
    if peepholes:
        operands += [normal(number + n, units) for n in (50, 60, 70)]
    if projected:
        operands.append(scaled(number + 80, units, projected))
    return operands


def gru_operands(number, rows, inputs, units):
    return [normal(number, rows, inputs), uniform(number + 20, -1, 1, rows, units),
            scaled(number + 30, inputs + units, 2 * units), normal(number + 40, 2 * units),
            scaled(number + 50, inputs + units, units), normal(number + 60, units)]


def outputs_case(name, operands, reference=lstm, attributes=""):
    """An LSTM by its second result, the output, alone."""
    c, h = (r.astype(np.float32) for r in reference(*map(wide, operands)))
    feeds = {LETTERS[i]: o for i, o in enumerate(operands)}
    weights = feeds["r"] = uniform(99, 0.5, 1.5, *h.shape)
    by = range(len(operands))
    # The helper differentiates %y0.
    text = (call("lstm_cell", ["y1", "y0"], list(feeds)[:-1], operands, attributes,
                 [type_of(c), type_of(h)])
            + "\n" + gradient_text(operands, weights, by))
    fetches = {"y0": Fetch(h, **EXACT)}
    fetches |= {"d" + LETTERS[i]: gradient_fetch(lambda *v: reference(*v)[1], operands,
                                                 i, weights, 1e-4, 2e-5) for i in by}
    types = {"y0": type_of(h)} | {"d" + LETTERS[i]: type_of(operands[i]) for i in by}
    return Case(name, graph(name, feeds, text, types), feeds, fetches, ("lstm_cell",))


def lstm_cases():
    for number, sizes in enumerate(SIZES):
        operands = lstm_operands(number, *sizes)
        yield op_case(f"lstm_{number}", "lstm_cell", operands, lstm, by=(0, 1, 2, 3, 4),
                      **EXACT)
        yield outputs_case(f"lstm_outputs_{number}", operands)
    for name, bias in (("none", 0.0), ("less", -0.75)):
        yield op_case(f"lstm_bias_{name}", "lstm_cell", lstm_operands(1, 3, 2, 4),
                      lambda *v, bias=bias: lstm(*v, bias), f"forget_bias = {bias} : f64",
                      by=(1, 3, 4), **EXACT)


def full_cases():
    """LSTMCell with what may be left out; both results and their gradients."""
    for number, (rows, inputs, units, projected) in enumerate(
            ((3, 4, 5, 2), (1, 1, 1, 1), (2, 3, 4, 6), (5, 1, 6, 3), (17, 20, 33, 9))):
        for kind, peepholes, outputs in (("peepholes", True, 0),
                                         ("projection", False, projected),
                                         ("all", True, projected)):
            operands = full_operands(number, rows, inputs, units, peepholes, outputs)
            # The output's peephole and the projection are behind the first result.
            by = tuple(range(7 if peepholes else 5))
            yield op_case(f"lstm_{kind}_{number}", "lstm_cell", operands, full_lstm, by=by,
                          **EXACT)
            yield outputs_case(f"lstm_{kind}_outputs_{number}", operands, full_lstm)
    yield from clip_cases()


def clip_cases():
    """Bounds that some values reach and others do not, none of them by a hair."""
    for name, settings in (("cell", {"cell_clip": 0.4}), ("proj", {"proj_clip": 0.25}),
                           ("both", {"cell_clip": 0.5, "proj_clip": 0.1, "forget_bias": 0.5}),
                           ("wide", {"cell_clip": 100.0, "proj_clip": np.inf})):
        operands = full_operands(3, 4, 3, 5, True, 3)

        def reference(*values, settings=settings):
            return full_lstm(*values, **settings)
        attributes = ", ".join(f"{key} = " + ("0x7FF0000000000000" if value == np.inf
                                              else str(value)) + " : f64"
                               for key, value in settings.items())
        yield op_case(f"lstm_clip_{name}", "lstm_cell", operands, reference, attributes,
                      by=(0, 1, 2, 3, 4, 5, 6), **EXACT)
        yield outputs_case(f"lstm_clip_{name}_outputs", operands, reference, attributes)
    yield op_case("lstm_clip_plain", "lstm_cell", lstm_operands(2, 4, 3, 5),
                  lambda *v: full_lstm(*v, cell_clip=0.3), "cell_clip = 0.3 : f64",
                  by=(0, 1, 2, 3, 4), **EXACT)


def gru_cases():
    for number, sizes in enumerate(SIZES):
        yield op_case(f"gru_{number}", "gru_cell", gru_operands(number, *sizes), gru,
                      by=(0, 1, 2, 3, 4, 5), **EXACT)


def end_cases():
    """Gates that are open or shut, values that are none, and no example."""
    for name, size in (("large", 300.0), ("infinite", np.inf), ("nan", np.nan)):
        for op, reference, operands in (("lstm_cell", lstm, lstm_operands(1, 4, 3, 2)),
                                        ("gru_cell", gru, gru_operands(1, 4, 3, 2))):
            x = operands[0]
            x[0, 1], x[1, 0] = size, -size
            yield op_case(f"{op}_{name}", op, operands, reference, **EXACT)
    for name, size in (("large", 300.0), ("infinite", np.inf), ("nan", np.nan)):
        operands = full_operands(1, 4, 3, 2, True, 3)
        operands[1][0, 1], operands[1][1, 0] = size, -size
        yield op_case(f"lstm_state_{name}", "lstm_cell", operands,
                      lambda *v: full_lstm(*v, cell_clip=2.0), "cell_clip = 2.0 : f64",
                      **EXACT)
    yield op_case("lstm_empty", "lstm_cell", lstm_operands(1, 0, 3, 2), lstm, rel=0)
    yield op_case("lstm_full_empty", "lstm_cell", full_operands(1, 0, 3, 2, True, 3),
                  full_lstm, rel=0)
    yield op_case("gru_empty", "gru_cell", gru_operands(1, 0, 3, 2), gru, rel=0)


def cases():
    return [*lstm_cases(), *full_cases(), *gru_cases(), *end_cases()]


if __name__ == "__main__":
    harness.main(cases())
