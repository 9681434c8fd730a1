# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, their gradients, and layers around them."""
import numpy as np

import harness
import nnreference as nn
from harness import Case, Fetch, graph, type_of
from opcases import call, normal, op_case

# images, filter, strides, padding
SHAPES = [
    ((1, 1, 1, 1), (1, 1, 1, 1), (1, 1), "SAME"),
    ((2, 5, 7, 3), (3, 3, 3, 4), (1, 1), "SAME"),
    ((2, 5, 7, 3), (3, 3, 3, 4), (1, 1), "VALID"),
    ((1, 6, 6, 2), (2, 2, 2, 5), (1, 1), "SAME"),
    ((1, 7, 8, 1), (3, 2, 1, 1), (2, 2), "SAME"),
    ((1, 8, 7, 2), (3, 3, 2, 3), (2, 2), "VALID"),
    ((2, 9, 5, 2), (4, 1, 2, 3), (3, 1), "SAME"),
    ((2, 4, 9, 2), (1, 5, 2, 3), (1, 2), "VALID"),
    ((1, 3, 3, 2), (5, 5, 2, 2), (1, 1), "SAME"),
    ((1, 2, 2, 1), (5, 5, 1, 3), (2, 2), "SAME"),
    ((3, 5, 5, 4), (1, 1, 4, 6), (1, 1), "SAME"),
    ((2, 7, 7, 3), (1, 1, 3, 2), (2, 2), "SAME"),
    ((1, 7, 7, 2), (2, 2, 2, 3), (3, 3), "VALID"),
    ((1, 10, 10, 1), (3, 3, 1, 2), (5, 4), "SAME"),
    ((2, 12, 12, 17), (3, 3, 17, 33), (1, 1), "SAME"),
    ((3, 28, 28, 1), (5, 5, 1, 32), (1, 1), "SAME"),
    ((2, 14, 14, 32), (5, 5, 32, 64), (1, 1), "SAME"),
    ((1, 33, 31, 16), (3, 3, 16, 16), (2, 2), "SAME"),
    ((1, 56, 57, 3), (7, 7, 3, 24), (2, 2), "SAME"),
    ((4, 13, 13, 40), (1, 1, 40, 20), (1, 1), "VALID"),
    ((1, 28, 28, 8), (5, 5, 8, 6), (1, 1), "VALID"),
    ((5, 9, 9, 48), (3, 3, 48, 5), (2, 2), "VALID"),
]


def attributes(strides, padding):
    return (f'strides = array<i64: {strides[0]}, {strides[1]}>, '
            f'padding = "{padding}"')


def forward_cases():
    for number, (x, f, strides, padding) in enumerate(SHAPES):
        def reference(a, b, strides=strides, padding=padding):
            return nn.conv2d(a, b, strides, padding)
        yield op_case(f"conv2d_{number}", "conv2d",
                      [normal(number, *x), normal(number + 50, *f)], reference,
                      attributes(strides, padding), norm=5e-7, floor=1e-2,
                      by=(0, 1), step=1e-2, gradient_norm=3e-6)


def backward_cases():
    """The gradients as ops of their own; their results' sizes are given."""
    for number, (x, f, strides, padding) in enumerate(SHAPES):
        images, filters = normal(number, *x), normal(number + 50, *f)
        shape = nn.conv2d(images, filters, strides, padding).shape
        g = normal(number + 80, *shape)
        yield op_case(
            f"backprop_input_{number}", "conv2d_backprop_input", [filters, g],
            lambda a, b, x=x, s=strides, p=padding:
                nn.conv2d_backprop_input(x, a, b, s, p),
            attributes(strides, padding), norm=1e-6, floor=1e-2)
        yield op_case(
            f"backprop_filter_{number}", "conv2d_backprop_filter", [images, g],
            lambda a, b, f=f, s=strides, p=padding:
                nn.conv2d_backprop_filter(a, f[:2], b, s, p),
            attributes(strides, padding), norm=1e-6, floor=1e-2)


def layer_case(name, shape, filters, strides, padding):
    """relu(conv(x, f) + b), with all its gradients."""
    x, f, b = normal(1, *shape), normal(2, *filters), normal(3, filters[3])
    f /= np.float32(np.sqrt(np.prod(filters[:3])))
    feeds = {"x": x, "f": f, "b": b}
    wide = {n: v.astype(float) for n, v in feeds.items()}
    q = nn.conv2d(wide["x"], wide["f"], strides, padding) + wide["b"]
    g = feeds["g"] = normal(4, *q.shape)
    y = type_of(g)
    text = "\n".join([
        call("conv2d", ["p"], ["x", "f"], [x, f],
             attributes(strides, padding), [y]),
        call("bias_add", ["q"], ["p", "b"], [g, b], "", [y]),
        call("relu", ["y"], ["q"], [g], "", [y]),
        call("mul", ["l"], ["y", "g"], [g, g], "", [y]),
        f"%dx, %df, %db = tfir.gradients %l, %x, %f, %b : ({y}, {type_of(x)}, "
        f"{type_of(f)}, {type_of(b)}) -> ({type_of(x)}, {type_of(f)}, "
        f"{type_of(b)})"])
    back = g * (q > 0)
    wants = {"y": np.maximum(q, 0),
             "dx": nn.conv2d_backprop_input(shape, wide["f"], back, strides,
                                            padding),
             "df": nn.conv2d_backprop_filter(wide["x"], filters[:2], back,
                                             strides, padding),
             "db": back.sum((0, 1, 2))}
    types = {"y": y, "dx": type_of(x), "df": type_of(f), "db": type_of(b)}
    return Case(name, graph(name, feeds, text, types), feeds,
                {n: Fetch(v.astype(np.float32), norm=2e-6, floor=1e-2)
                 for n, v in wants.items()})


def epilogue_cases():
    """A bias or a relu alone, which libraries do as part of the product."""
    for number in (1, 6, 15):
        shape, filters, strides, padding = SHAPES[number]
        x, f, b = normal(1, *shape), normal(2, *filters), normal(3, filters[3])
        p = nn.conv2d(x.astype(float), f.astype(float), strides, padding)
        y = type_of(p.astype(np.float32))
        how = attributes(strides, padding)
        for op, extra, want in (("bias_add", {"b": b}, p + b),
                                ("relu", {}, np.maximum(p, 0))):
            name = f"conv2d_{op}_{number}"
            text = "\n".join([call("conv2d", ["p"], ["x", "f"], [x, f], how, [y]),
                              call(op, ["y"], ["p", *extra],
                                   [want.astype(np.float32), *extra.values()],
                                   "", [y])])
            feeds = {"x": x, "f": f, **extra}
            yield Case(name, graph(name, feeds, text, {"y": y}), feeds,
                       {"y": Fetch(want.astype(np.float32), norm=2e-6,
                                   floor=1e-2)})


def constant_cases():
    """Images, filters and incoming gradients that are constants of one value,
    and the gradient of a convolution itself, whose seed is one."""
    for number in (1, 6, 14):
        shape, filters, strides, padding = SHAPES[number]
        how = attributes(strides, padding)
        for which in ("x", "f", "xf"):
            x, f = normal(1, *shape), normal(2, *filters)
            x = np.full_like(x, 0.5) if "x" in which else x
            f = np.full_like(f, 0.5) if "f" in which else f
            values = {"x": x, "f": f}
            feeds = {n: v for n, v in values.items() if n not in which}
            p = nn.conv2d(x.astype(float), f.astype(float), strides, padding)
            ones = np.ones_like(p)
            y = type_of(p.astype(np.float32))
            gradients = {
                "x": nn.conv2d_backprop_input(shape, f.astype(float), ones,
                                              strides, padding),
                "f": nn.conv2d_backprop_filter(x.astype(float), filters[:2],
                                               ones, strides, padding)}
            lines = [f"%{c} = tfir.const dense<0.5> : {type_of(values[c])}"
                     for c in which]
            lines.append(call("conv2d", ["p"], ["x", "f"], [x, f], how, [y]))
            wants = {"p": p}
            for n in feeds:
                kind = type_of(values[n])
                lines.append(f"%d{n} = tfir.gradients %p, %{n} : ({y}, {kind}) "
                             f"-> {kind}")
                wants["d" + n] = gradients[n]
            name = f"constant_{which}_{number}"
            types = {n: type_of(v.astype(np.float32)) for n, v in wants.items()}
            yield Case(name, graph(name, feeds, "\n".join(lines), types), feeds,
                       {n: Fetch(v.astype(np.float32), norm=2e-6, floor=1e-2)
                        for n, v in wants.items()})


def cases():
    layers = [layer_case(f"layer_{n}", *SHAPES[n]) for n in (1, 5, 9, 14, 15,
                                                            16, 17, 20)]
    return [*forward_cases(), *backward_cases(), *epilogue_cases(),
            *constant_cases(), *layers]


if __name__ == "__main__":
    harness.main(cases())
