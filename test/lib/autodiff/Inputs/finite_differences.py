# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compares the gradients of ops with finite differences. Each op has a graph that
# gives s = sum(weights * op(feeds)) and the gradients of s. The derivative along
# a random direction v is (s(x + h v) - s(x - h v)) / 2h.
#
#   finite_differences.py FOLDER    needs graphc and graphc-run on the path
import os
import subprocess
import sys

import numpy as np

rng = np.random.default_rng(1)

# The feeds: positive numbers, numbers of both signs away from 0 and from each
# other, and so on. STEP is smaller than what keeps them so.
STEP = 1e-2
spread = rng.permutation(np.linspace(-1.5, 1.5, 12))
FEEDS = {
    "p": rng.uniform(0.5, 1.5, (3, 4)),
    "q": rng.uniform(0.5, 1.5, (4,)),
    "z": spread.reshape(3, 4),
    "r": rng.permutation(np.linspace(-1.4, 1.6, 4)),
    "m": rng.uniform(-1, 1, (4, 5)),
    "i": rng.permutation(np.linspace(-2, 2, 64)).reshape(1, 4, 4, 4),
    "f": rng.uniform(-1, 1, (3, 3, 4, 2)),
    "b": rng.uniform(-1, 1, (4,)),
    "s": np.linspace(-1, 7, 12).reshape(3, 4) + 0.1,
    "c": rng.uniform(1.5, 3, (3, 4)),
    "u": rng.uniform(-0.8, 0.8, (3, 4)),
    "t": rng.uniform(-1, 1, (1, 3, 2, 2)),
    "w": rng.uniform(-1, 1, (1, 3, 2, 8)),
    "v": rng.uniform(-1, 1, (1, 4, 4, 2)),
}


def tensor(shape, element="f32"):
    return f"tensor<{''.join(f'{d}x' for d in shape)}{element}>"


def type_of(feed):
    return tensor(FEEDS[feed].shape)


class Module:
    """The graphs that are written so far, and the lines of the next one."""

    def __init__(self):
        self.text, self.lines, self.cases = "", [], {}
        self.count = 0

    def value(self, text, types):
        """One more op; gives its (first) result."""
        self.count += 1
        results = f"%v{self.count}" + (":2" if types.startswith("(") else "")
        self.lines.append(f"{results} = {text}")
        return f"%v{self.count}" + ("#0" if types.startswith("(") else "")

    def case(self, name, op, feeds, shape, attributes="", result=None):
        """An op of feeds with a result of this shape."""
        result = result or tensor(shape)
        operands = ", ".join(f"%{f}" for f in feeds)
        types = ", ".join(type_of(f) for f in feeds)
        y = self.value(f"tfir.{op} {operands} {attributes} : ({types}) -> "
                       f"{result}", result)
        self.close(name, y, feeds, shape)

    def close(self, name, y, feeds, shape):
        """Ends the graph with the weighted sum of y and its gradients."""
        text = np.array2string(rng.uniform(-1, 1, shape), separator=", ",
                               threshold=10**6) if shape else "1.0"
        weights = self.value(f"tfir.const dense<{' '.join(text.split())}> : "
                             f"{tensor(shape)}", "")
        product = self.value(
            f"tfir.mul {y}, {weights} : ({tensor(shape)}, {tensor(shape)}) -> "
            f"{tensor(shape)}", "")
        loss = self.value(f"tfir.sum {product} : ({tensor(shape)}) -> "
                          "tensor<f32>", "")
        fetches = [("value", loss, "tensor<f32>")]
        for feed in feeds:
            gradient = self.value(
                f"tfir.gradients {loss}, %{feed} : (tensor<f32>, "
                f"{type_of(feed)}) -> {type_of(feed)}", "")
            fetches.append((feed, gradient, type_of(feed)))
        self.finish(name, fetches)
        self.cases[name] = feeds

    def finish(self, name, fetches):
        """Makes a graph of the lines."""
        names, values, types = zip(*fetches)
        feeds = ", ".join(f"%{f}: {type_of(f)}" for f in FEEDS)
        results = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
        self.text += (f"tfir.graph @{name}_case({feeds}) -> ({results}) {{\n  "
                      + "\n  ".join(self.lines)
                      + f"\n  tfir.return {', '.join(values)} : "
                      + f"{', '.join(types)}\n}}\n")
        self.lines = []


def build():
    g = Module()
    for op in "sqrt rsqrt reciprocal log log1p".split():
        g.case(op, op, ["p"], (3, 4))
    for op in ("neg abs square exp tanh sigmoid softplus erf sin cos relu "
               "identity").split():
        g.case(op, op, ["z"], (3, 4))
    g.case("relu6", "relu6", ["s"], (3, 4))
    for op in ("expm1 erfc atan sinh cosh asinh leaky_relu elu selu celu softsign "
               "swish hard_sigmoid mish log_sigmoid gelu").split():
        g.case(op, op, ["z"], (3, 4))
    g.case("gelu_tanh", "gelu", ["z"], (3, 4), "{approximate}")
    g.case("hard_swish", "hard_swish", ["s"], (3, 4))
    for op in "tan asin acos atanh".split():
        g.case(op, op, ["u"], (3, 4))
    g.case("acosh", "acosh", ["c"], (3, 4))
    for op in "atan2 prelu".split():
        g.case(op, op, ["z", "r"], (3, 4))
    g.case("add_n", "add_n", ["z", "p", "s"], (3, 4))
    for op in "add sub mul maximum minimum squared_difference".split():
        g.case(op, op, ["z", "r"], (3, 4))
    for op in "div pow".split():
        g.case(op, op, ["p", "q"], (3, 4))
    for op in "sum mean max min".split():
        g.case(op, op, ["z"], ())
        g.case(op + "_rows", op, ["z"], (3,), "{axes = array<i64: 1>}")
        g.case(op + "_kept", op, ["z"], (1, 4),
               "{axes = array<i64: 0>, keep_dims}")
    g.case("matmul", "matmul", ["z", "m"], (3, 5))
    g.case("reshape", "reshape", ["z"], (2, 6))
    g.case("broadcast_to", "broadcast_to", ["r"], (2, 4))
    g.case("transpose", "transpose", ["z"], (4, 3),
           "{perm = array<i64: 1, 0>}")
    g.case("bias_add", "bias_add", ["z", "b"], (3, 4))
    g.case("l2_loss", "l2_loss", ["z"], ())
    g.case("dropout", "dropout", ["z"], (3, 4), "{keep_prob = 0.5, seed = 3}")
    g.case("softmax", "softmax", ["z"], (3, 4))
    g.case("log_softmax", "log_softmax", ["z"], (3, 4))
    window = "ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>"
    overlap = ("ksize = array<i64: 3, 3>, strides = array<i64: 1, 1>, "
               'padding = "SAME"')
    for op in "max_pool avg_pool".split():
        g.case(op, op, ["i"], (1, 2, 2, 4), "{" + window + "}")
        g.case(op + "_overlap", op, ["i"], (1, 4, 4, 4), "{" + overlap + "}")
    g.case("conv2d", "conv2d", ["i", "f"], (1, 4, 4, 2))
    g.case("conv2d_valid", "conv2d", ["i", "f"], (1, 2, 2, 2),
           '{padding = "VALID"}')
    g.case("conv2d_strided", "conv2d", ["i", "f"], (1, 2, 2, 2),
           "{strides = array<i64: 2, 2>}")
    windows(g)
    transposed(g)
    conditional(g)
    losses(g)
    return g


def windows(g):
    """Convolutions and pools of other kinds, over the images "i" and parts of
    the filter "f", which counts as [height, width, channels, multiplier], too."""
    pads = 'padding = "EXPLICIT", explicit_paddings = array<i64: 1, 0, 2, 1>'
    g.case("depthwise", "depthwise_conv2d", ["i", "f"], (1, 4, 4, 8))
    g.case("depthwise_strided", "depthwise_conv2d", ["i", "f"], (1, 2, 2, 8),
           "{strides = array<i64: 2, 2>}")
    g.case("depthwise_dilated", "depthwise_conv2d", ["i", "f"], (1, 4, 4, 8),
           "{dilations = array<i64: 2, 2>}")
    g.case("depthwise_pads", "depthwise_conv2d", ["i", "f"], (1, 3, 5, 8),
           "{" + pads + "}")
    g.case("conv2d_pads", "conv2d", ["i", "f"], (1, 3, 5, 2), "{" + pads + "}")
    g.case("conv2d_dilated", "conv2d", ["i", "f"], (1, 4, 4, 2),
           "{dilations = array<i64: 2, 1>}")
    g.case("conv2d_first", "conv2d", ["i", "f"], (1, 2, 4, 4),
           '{data_format = "NCHW"}')
    g.case("transposed_conv", "conv2d_transpose", ["t", "f"], (1, 5, 4, 4),
           "{output_shape = array<i64: 1, 5, 4, 4>, "
           "strides = array<i64: 2, 2>}")
    g.case("by_input", "conv2d_backprop_input", ["f", "t"], (1, 3, 2, 4))
    g.case("by_filter", "conv2d_backprop_filter", ["i", "v"], (3, 2, 4, 2))
    g.case("depthwise_by_input", "depthwise_conv2d_backprop_input", ["f", "w"],
           (1, 3, 2, 4))
    g.case("pool_pads", "max_pool", ["i"], (1, 4, 3, 4),
           '{ksize = array<i64: 2, 3>, strides = array<i64: 1, 2>, '
           'padding = "EXPLICIT", explicit_paddings = array<i64: 1, 0, 2, 1>}')
    g.case("lp_pool", "lp_pool", ["i"], (1, 2, 2, 4),
           "{ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>}")
    g.case("global_avg_pool", "global_avg_pool", ["i"], (1, 4))
    g.case("global_max_pool", "global_max_pool", ["i"], (1, 4))


def transposed(g):
    """The three other forms of matmul."""
    for name, attributes, x, y, shape in (
            ("ta", "transpose_a", "zt", "m", (3, 5)),
            ("tb", "transpose_b", "z", "mt", (3, 5)),
            ("tab", "transpose_a, transpose_b", "zt", "mt", (3, 5))):
        def operand(text):
            feed = text[0]
            if len(text) == 1:
                return f"%{feed}", type_of(feed)
            turned = tensor(FEEDS[feed].shape[::-1])
            return g.value(f"tfir.transpose %{feed} {{perm = array<i64: 1, 0>}}"
                           f" : ({type_of(feed)}) -> {turned}", ""), turned
        (a, a_type), (b, b_type) = operand(x), operand(y)
        c = g.value(f"tfir.matmul {a}, {b} {{{attributes}}} : ({a_type}, "
                    f"{b_type}) -> {tensor(shape)}", "")
        g.close("matmul_" + name, c, ["z", "m"], shape)


def conditional(g):
    """select, and a cast there and back."""
    zero = g.value("tfir.const dense<0.0> : tensor<f32>", "")
    positive = g.value(f"tfir.greater %z, {zero} : ({type_of('z')}, "
                       "tensor<f32>) -> tensor<3x4xi1>", "")
    y = g.value(f"tfir.select {positive}, %p, %r : (tensor<3x4xi1>, "
                f"{type_of('p')}, {type_of('r')}) -> tensor<3x4xf32>", "")
    g.close("select", y, ["p", "r"], (3, 4))
    wide = g.value(f"tfir.cast %z : ({type_of('z')}) -> tensor<3x4xf64>", "")
    square = g.value(f"tfir.square {wide} : (tensor<3x4xf64>) -> "
                     "tensor<3x4xf64>", "")
    y = g.value(f"tfir.cast {square} : (tensor<3x4xf64>) -> tensor<3x4xf32>", "")
    g.close("cast", y, ["z"], (3, 4))


def losses(g):
    """Both cross entropies by their logits."""
    both = "(tensor<3xf32>, tensor<3x4xf32>)"
    labels = g.value("tfir.const dense<[[0.2, 0.3, 0.1, 0.4], "
                     "[0.7, 0.1, 0.1, 0.1], [0.0, 0.0, 1.0, 0.0]]> : "
                     "tensor<3x4xf32>", "")
    y = g.value(f"tfir.softmax_cross_entropy_with_logits %z, {labels} : "
                f"({type_of('z')}, tensor<3x4xf32>) -> {both}", both)
    g.close("xent", y, ["z"], (3,))
    classes = g.value("tfir.const dense<[3, 0, 2]> : tensor<3xi32>", "")
    y = g.value(f"tfir.sparse_softmax_cross_entropy_with_logits %z, {classes} "
                f": ({type_of('z')}, tensor<3xi32>) -> {both}", both)
    g.close("sparse_xent", y, ["z"], (3,))


class Runs:
    """Runs graphs of the model; all runs have the same seed."""

    def __init__(self, folder, model):
        self.folder, self.model = folder, model
        self.count = 0

    def __call__(self, graph, feeds, fetches):
        """The fetches of one step, as an array for each."""
        self.count += 1
        where = os.path.join(self.folder, str(self.count))
        command = ["graphc-run", self.model, "--graph", graph + "_case",
                   "--quiet", "--seed", "1", "--out", where]
        for feed, value in feeds.items():
            numbers = ",".join(f"{x:.9g}" for x in value.flat)
            command += ["--feed", f"{feed}={numbers}"]
        subprocess.run(command, check=True)
        return [np.load(os.path.join(where, f + ".npy")).astype(np.float64)
                for f in fetches]


def check(runs, graph, feeds):
    """Prints a line for each gradient of the graph that is wrong."""
    gradients = runs(graph, FEEDS, feeds)
    for feed, gradient in zip(feeds, gradients):
        direction = rng.uniform(-1, 1, gradient.shape)
        up, down = (
            runs(graph, FEEDS | {feed: FEEDS[feed] + step * direction},
                 ["value"])[0] for step in (STEP, -STEP))
        difference = (up - down) / (2 * STEP)
        derivative = np.sum(gradient * direction)
        if abs(difference - derivative) > 2e-3 * (1 + abs(difference)):
            print(f"wrong: {graph} by {feed}: difference {difference:.6f}, "
                  f"gradient {derivative:.6f}")


def main(folder):
    module = build()
    source = os.path.join(folder, "cases.tfir")
    model = os.path.join(folder, "cases.bin")
    with open(source, "w", encoding="utf-8") as file:
        file.write(module.text)
    subprocess.run(["graphc", source, "-o", model], check=True)
    runs = Runs(folder, model)
    for graph, feeds in module.cases.items():
        check(runs, graph, feeds)
    print(f"{sum(map(len, module.cases.values()))} gradients compared")


main(sys.argv[1])
