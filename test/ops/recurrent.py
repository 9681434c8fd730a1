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


def gru_operands(number, rows, inputs, units):
    return [normal(number, rows, inputs), uniform(number + 20, -1, 1, rows, units),
            scaled(number + 30, inputs + units, 2 * units), normal(number + 40, 2 * units),
            scaled(number + 50, inputs + units, units), normal(number + 60, units)]


def outputs_case(name, operands):
    """An LSTM by its second result, the output, alone."""
    c, h = (r.astype(np.float32) for r in lstm(*map(wide, operands)))
    feeds = {LETTERS[i]: o for i, o in enumerate(operands)}
    weights = feeds["r"] = uniform(99, 0.5, 1.5, *h.shape)
    by = range(len(operands))
    # The helper differentiates %y0.
    text = (call("lstm_cell", ["y1", "y0"], list(LETTERS[:5]), operands, "",
                 [type_of(c), type_of(h)])
            + "\n" + gradient_text(operands, weights, by))
    fetches = {"y0": Fetch(h, **EXACT)}
    fetches |= {"d" + LETTERS[i]: gradient_fetch(lambda *v: lstm(*v)[1], operands, i,
                                                 weights, 1e-4, 2e-5) for i in by}
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
    yield op_case("lstm_empty", "lstm_cell", lstm_operands(1, 0, 3, 2), lstm, rel=0)
    yield op_case("gru_empty", "gru_cell", gru_operands(1, 0, 3, 2), gru, rel=0)


def cases():
    return [*lstm_cases(), *gru_cases(), *end_cases()]


if __name__ == "__main__":
    harness.main(cases())
