# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices, alone and with what is fused after them."""
import numpy as np

import harness
from harness import Case, Fetch, graph, type_of
from opcases import call, normal, op_case

SIZES = [(1, 1, 1), (1, 7, 1), (5, 1, 3), (3, 4, 5), (1, 33, 65), (65, 33, 1),
         (16, 16, 16), (17, 31, 15), (6, 64, 48), (64, 10, 100), (31, 257, 33),
         (129, 65, 127), (200, 300, 170), (100, 784, 10), (7, 1025, 5),
         (513, 3, 129), (3, 0, 4), (0, 5, 2)]


def matmul_cases():
    for number, (m, k, n) in enumerate(SIZES):
        # Each pair of transpositions for every fourth size, all for two.
        for pair in range(4):
            if pair != number % 4 and number not in (3, 11):
                continue
            left, right = pair & 1, pair >> 1
            a = normal(number, *((k, m) if left else (m, k)))
            b = normal(number + 50, *((n, k) if right else (k, n)))

            def reference(x, y, left=left, right=right):
                return (x.T if left else x) @ (y.T if right else y)
            flags = [f for f, on in (("transpose_a", left),
                                     ("transpose_b", right)) if on]
            yield op_case(f"matmul_{number}_{pair}", "matmul", [a, b],
                          reference, ", ".join(flags),
                          norm=5e-7 * max(1, k / 512) ** 0.5, floor=1e-2,
                          by=(0, 1), step=1e-2, gradient_norm=2e-6)


def layer_case(name, m, k, n, activation, slope):
    """activation(x w + b) with all its gradients."""
    x, w, b = normal(1, m, k), normal(2, k, n), normal(3, n)
    w /= np.float32(np.sqrt(k))
    g = normal(4, m, n)
    y = type_of(g)
    text = "\n".join([
        call("matmul", ["p"], ["x", "w"], [x, w], "", [y]),
        call("bias_add", ["q"], ["p", "b"], [g, b], "", [y]),
        call(activation, ["y"], ["q"], [g], "", [y]),
        call("mul", ["l"], ["y", "g"], [g, g], "", [y]),
        f"%dx, %dw, %db = tfir.gradients %l, %x, %w, %b : ({y}, {type_of(x)}, "
        f"{type_of(w)}, {type_of(b)}) -> ({type_of(x)}, {type_of(w)}, "
        f"{type_of(b)})"])
    feeds = {"x": x, "w": w, "b": b, "g": g}
    wide = {n: v.astype(float) for n, v in feeds.items()}
    q = wide["x"] @ wide["w"] + wide["b"]
    value, derivative = slope(q)
    back = wide["g"] * derivative
    wants = {"y": value, "dx": back @ wide["w"].T, "dw": wide["x"].T @ back,
             "db": back.sum(0)}
    types = {"y": y, "dx": type_of(x), "dw": type_of(w), "db": type_of(b)}
    return Case(name, graph(name, feeds, text, types), feeds,
                {n: Fetch(v.astype(np.float32), norm=2e-6, floor=1e-2)
                 for n, v in wants.items()})


def residual_case(name, size):
    """h + h w for h = tanh(x): what is multiplied is also added."""
    x, w, g = normal(1, size, size), normal(2, size, size), normal(3, size, size)
    w /= np.float32(size)
    kind = type_of(x)
    text = "\n".join([
        call("tanh", ["h"], ["x"], [x], "", [kind]),
        call("matmul", ["p"], ["h", "w"], [x, x], "", [kind]),
        call("add", ["y"], ["h", "p"], [x, x], "", [kind]),
        call("mul", ["l"], ["y", "g"], [x, x], "", [kind]),
        f"%dx, %dw = tfir.gradients %l, %x, %w : ({kind}, {kind}, {kind}) -> "
        f"({kind}, {kind})"])
    h, v, r = np.tanh(x.astype(float)), w.astype(float), g.astype(float)
    wants = {"y": h + h @ v, "dx": (r + r @ v.T) * (1 - h * h), "dw": h.T @ r}
    feeds = {"x": x, "w": w, "g": g}
    return Case(name, graph(name, feeds, text, {n: kind for n in wants}), feeds,
                {n: Fetch(want.astype(np.float32), norm=2e-6)
                 for n, want in wants.items()})


def constant_case(name, m, k, n, constants):
    """relu(x w + b) and the gradients of the product itself, whose seed is a
    constant, with `constants` for some of x, w and b."""
    values = {"x": normal(1, m, k), "w": normal(2, k, n), "b": normal(3, m, n)}
    values.update({c: np.full_like(values[c], 0.5) for c in constants})
    x, w, b = values.values()
    y = type_of(b)
    feeds = {n: v for n, v in values.items() if n not in constants}
    by = [n for n in "xw" if n in feeds]
    wants = {"y": np.maximum(x.astype(float) @ w + b, 0),
             "p": x.astype(float) @ w}
    lines = [f"%{c} = tfir.const dense<0.5> : {type_of(values[c])}"
             for c in constants]
    lines += [call("matmul", ["p"], ["x", "w"], [x, w], "", [y]),
              call("add", ["s"], ["p", "b"], [b, b], "", [y]),
              call("relu", ["y"], ["s"], [b], "", [y])]
    if by:
        kinds = ", ".join(type_of(values[n]) for n in by)
        lines.append(f"{', '.join('%d' + n for n in by)} = tfir.gradients %p, "
                     f"{', '.join('%' + n for n in by)} : ({y}, {kinds}) -> "
                     f"({kinds})")
    ones = np.ones((m, n))
    for n, want in (("x", ones @ w.T), ("w", x.T @ ones)):
        if n in by:
            wants["d" + n] = want
    return Case(name, graph(name, feeds, "\n".join(lines),
                            {n: type_of(v.astype(np.float32))
                             for n, v in wants.items()}), feeds,
                {n: Fetch(v.astype(np.float32), norm=2e-6, floor=1e-2)
                 for n, v in wants.items()})


ACTIVATIONS = {
    "relu": lambda q: (np.maximum(q, 0), q > 0),
    "tanh": lambda q: (np.tanh(q), 1 - np.tanh(q) ** 2),
    "sigmoid": lambda q: (1 / (1 + np.exp(-q)),
                          np.exp(-q) / (1 + np.exp(-q)) ** 2),
    "identity": lambda q: (q, np.ones_like(q)),
}


def cases():
    layers = [layer_case(f"layer_{activation}_{m}_{k}_{n}", m, k, n,
                         activation, slope)
              for m, k, n in ((1, 5, 3), (32, 100, 10), (100, 784, 65),
                              (130, 33, 200))
              for activation, slope in ACTIVATIONS.items()]
    residuals = [residual_case(f"residual_{n}", n) for n in (5, 64, 130)]
    constants = [constant_case(f"constant_{which}_{m}", m, k, n, which)
                 for which in ("x", "w", "b", "xw", "wb", "xwb")
                 for m, k, n in ((5, 7, 9), (33, 64, 130))]
    return [*matmul_cases(), *layers, *residuals, *constants]


if __name__ == "__main__":
    harness.main(cases())
