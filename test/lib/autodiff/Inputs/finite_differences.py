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
    "u2": rng.uniform(0.1, 0.9, (3, 4)),
    "p2": rng.uniform(0.2, 0.8, (3, 4)),
    "q2": rng.uniform(0.5, 1.5, (4,)),
    "t": rng.uniform(-1, 1, (1, 3, 2, 2)),
    "w": rng.uniform(-1, 1, (1, 3, 2, 8)),
    "v": rng.uniform(-1, 1, (1, 4, 4, 2)),
    # Of a generator of their own, so that what follows stays as it is.
    "kernel": np.random.default_rng(2).uniform(-1, 1, (8, 16)),
    "bias": np.random.default_rng(3).uniform(-1, 1, (16,)),
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
        several = types.count("tensor<") if types.startswith("(") else 0
        results = f"%v{self.count}" + (f":{several}" if several else "")
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
    aggregates(g)
    normalisations(g)
    weighted_losses(g)
    g.case("matmul", "matmul", ["z", "m"], (3, 5))
    g.case("matmul_batch", "matmul", ["i", "m"], (1, 4, 4, 5))
    g.case("einsum", "einsum", ["z", "m"], (5, 3), '{equation = "ij,jk->ki"}')
    g.case("attention", "scaled_dot_product_attention", ["z", "p", "u"], (3, 4))
    g.case("reshape", "reshape", ["z"], (2, 6))
    g.case("broadcast_to", "broadcast_to", ["r"], (2, 4))
    g.case("transpose", "transpose", ["z"], (4, 3),
           "{perm = array<i64: 1, 0>}")
    g.case("expand_dims", "expand_dims", ["z"], (3, 1, 4), "{axis = 1}")
    g.case("squeeze", "squeeze", ["i"], (4, 4, 4))
    for mode in "constant reflect symmetric edge".split():
        g.case("pad_" + mode, "pad", ["z"], (6, 5),
               f'{{paddings = [2, 1, 0, 1], mode = "{mode}"}}')
    g.case("tile", "tile", ["z"], (6, 4), "{multiples = [2, 1]}")
    g.case("reverse", "reverse", ["z"], (3, 4), "{axis = [0, 1]}")
    g.case("roll", "roll", ["z"], (3, 4), "{shift = [1], axis = [1]}")
    g.case("stack", "stack", ["z", "p"], (3, 2, 4), "{axis = 1}")
    g.case("unstack", "unstack", ["m"], (5,), "", "(" + ", ".join(
        ["tensor<5xf32>"] * 4) + ")")
    g.case("split", "split", ["z"], (3, 2), "{axis = 1}",
           "(tensor<3x2xf32>, tensor<3x2xf32>)")
    g.case("strided_slice", "strided_slice", ["m"], (2, 2),
           "{begin = [3, 1], end = [0, 5], strides = [-2, 2]}")
    g.case("strided_block", "strided_block", ["m"], (2, 2),
           "{begin = [3, 1], size = [2, 2], strides = [-2, 2]}")
    g.case("place_block", "place_block", ["z"], (7, 9),
           "{dims = [7, 9], begin = [6, 1], strides = [-3, 2]}")
    g.case("diag", "diag", ["r"], (4, 4))
    g.case("matrix_diag", "matrix_diag", ["z"], (3, 4, 4))
    g.case("matrix_diag_part", "matrix_diag_part", ["z"], (3,))
    g.case("matrix_band_part", "matrix_band_part", ["z"], (3, 4),
           "{num_lower = 1, num_upper = 0}")
    g.case("triu", "triu", ["z"], (3, 4))
    g.case("tril", "tril", ["z"], (3, 4))
    for op in "flip_left_right flip_up_down".split():
        g.case(op, op, ["i"], (1, 4, 4, 4))
    for op in "nearest bilinear bicubic".split():
        g.case("resize_" + op, "resize_" + op, ["i"], (1, 7, 3, 4),
               "{size = [7, 3]}")
    g.case("space_to_depth", "space_to_depth", ["i"], (1, 2, 2, 16),
           "{block_size = 2}")
    g.case("depth_to_space", "depth_to_space", ["i"], (1, 8, 8, 1),
           "{block_size = 2}")
    g.case("space_to_batch", "space_to_batch", ["i"], (4, 3, 2, 4),
           "{block_shape = [2, 2], paddings = [1, 1, 0, 0]}")
    g.case("batch_to_space", "batch_to_space", ["z"], (1, 9),
           "{block_shape = [3], crops = [2, 1]}")
    g.case("extract_patches", "extract_patches", ["i"], (1, 4, 4, 16),
           "{ksizes = [2, 2], strides = [1, 1]}")
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
    gathered(g)
    linear(g)
    pictures(g)
    spectral(g)
    loops(g)
    choices(g)
    recomputed(g)
    cells(g)
    return g


def choices(g):
    """By each side, of which one has no numbers where the other is taken."""
    kind = type_of("z")
    for taken in ("true", "false"):
        feed, shape = ("p", (3, 4)) if taken == "true" else ("z", (3, 4))
        c = g.value(f"tfir.const dense<{taken}> : tensor<i1>", "")
        y = g.value(f"""tfir.if {c} : (tensor<i1>) -> {kind} {{
            %root = tfir.sqrt %{feed} : ({kind}) -> {kind}
            %both = tfir.mul %root, %q : ({kind}, {type_of('q')}) -> {kind}
            tfir.yield %both : {kind}
          }} else {{
            %wave = tfir.sin %{feed} : ({kind}) -> {kind}
            tfir.yield %wave : {kind}
          }}""", kind)
        g.close(f"if_{taken}", y, [feed, "q"] if taken == "true" else [feed], shape)


def recomputed(g):
    """From copies of the ops of a body."""
    kind = type_of("z")
    y = g.value(f"""tfir.recompute : () -> {kind} {{
        %wave = tfir.sin %z : ({kind}) -> {kind}
        %both = tfir.mul %wave, %q : ({kind}, {type_of('q')}) -> {kind}
        %bent = tfir.tanh %both : ({kind}) -> {kind}
        %twice = tfir.square %bent : ({kind}) -> {kind}
        tfir.yield %twice : {kind}
      }}""", kind)
    late = g.value(f"tfir.optimization_barrier {y}, %z : ({kind}, {kind}) -> {kind}", kind)
    g.close("recompute", late, ["z", "q"], (3, 4))


def cells(g):
    """Of one step, by inputs, states and weights."""
    feeds = ["u", "z", "u2", "kernel", "bias"]
    both = f"({type_of('z')}, {type_of('u2')})"
    for place, name in enumerate(("state", "output")):
        y = g.value(f"tfir.lstm_cell {', '.join('%' + f for f in feeds)} : "
                    f"({', '.join(map(type_of, feeds))}) -> {both}", both)
        g.close("lstm_" + name, y.replace("#0", f"#{place}"), feeds, (3, 4))

    def part(feed, begin, size):
        shape = (*FEEDS[feed].shape[:-1], size)
        text = ", ".join(["0"] * (len(shape) - 1) + [str(begin)])
        y = g.value(f"tfir.slice %{feed} {{begin = [{text}], size = "
                    f"[{', '.join(map(str, shape))}]}} : ({type_of(feed)}) -> "
                    f"{tensor(shape)}", "")
        return y, tensor(shape)
    operands = [("%u", type_of("u")), ("%z", type_of("z")), part("kernel", 0, 8),
                part("bias", 0, 8), part("kernel", 8, 4), ("%b", type_of("b"))]
    y = g.value(f"tfir.gru_cell {', '.join(o for o, _ in operands)} : "
                f"({', '.join(t for _, t in operands)}) -> {type_of('z')}", "")
    g.close("gru", y, ["u", "z", "kernel", "bias", "b"], (3, 4))


def loops(g):
    """Through the steps of loops, of which the last value and all values are kept."""
    row, pair = type_of("r"), "(tensor<4xf32>, tensor<3x4xf32>)"
    for place, shape in ((0, (4,)), (1, (3, 4))):
        y = g.value(f"""tfir.scan over(%z) carry(%r) : ({type_of('z')}, {row}) -> {pair} {{
          ^bb0(%step: tensor<i32>, %slice: {row}, %state: {row}):
            %number = tfir.cast %step : (tensor<i32>) -> tensor<f32>
            %scaled = tfir.mul %state, %q : ({row}, {row}) -> {row}
            %moved = tfir.add %scaled, %slice : ({row}, {row}) -> {row}
            %angle = tfir.add %moved, %number : ({row}, tensor<f32>) -> {row}
            %next = tfir.sin %angle : ({row}) -> {row}
            tfir.yield %next, %scaled : {row}, {row}
          }}""", pair)
        g.close(f"scan_{place}", y[:-1] + str(place), ["z", "r", "q"], shape)


def linear(g):
    """Of 4x4 matrices that are not singular."""
    kind, square = type_of("i"), "tensor<1x4x4x4xf32>"

    def matrix():
        eye = g.value("tfir.eye {num_rows = 4, num_columns = 4} : () -> "
                      "tensor<4x4xf32>", "")
        many = g.value(f"tfir.add_n {', '.join([eye] * 9)} : "
                       f"({', '.join(['tensor<4x4xf32>'] * 9)}) -> "
                       "tensor<4x4xf32>", "")
        return g.value(f"tfir.add %i, {many} : ({kind}, tensor<4x4xf32>) -> "
                       f"{square}", "")
    x = matrix()
    turned = g.value(f"tfir.matrix_transpose {x} : ({square}) -> {square}", "")
    both = g.value(f"tfir.add {x}, {turned} : ({square}, {square}) -> {square}", "")
    y = g.value(f"tfir.cholesky {both} : ({square}) -> {square}", "")
    g.close("cholesky", y, ["i"], (1, 4, 4, 4))
    for op in ("triangular_solve", "matrix_solve"):
        for mark in ("", " {adjoint}"):
            x = matrix()
            y = g.value(f"tfir.{op} {x}, %i{mark} : ({square}, {kind}) -> {square}", "")
            g.close(op + mark.strip(" {}"), y, ["i"], (1, 4, 4, 4))
    for op, shape in (("matrix_inverse", (1, 4, 4, 4)), ("trace", (1, 4))):
        x = matrix()
        y = g.value(f"tfir.{op} {x} : ({square}) -> {tensor(shape)}", "")
        g.close(op, y, ["i"], shape)
    x = matrix()
    x = g.value(f"tfir.matrix_inverse {x} : ({square}) -> {square}", "")
    y = g.value(f"tfir.matrix_determinant {x} : ({square}) -> tensor<1x4xf32>", "")
    # Of numbers about 1.
    y = g.value(f"tfir.log {y} : (tensor<1x4xf32>) -> tensor<1x4xf32>", "")
    g.close("matrix_determinant", y, ["i"], (1, 4))
    g.case("matrix_transpose", "matrix_transpose", ["z"], (4, 3))


def pictures(g):
    """Crops by images and by boxes, and colours."""
    boxes = g.value("tfir.const dense<[[0.1, 0.2, 0.8, 0.9], [0.7, 0.1, 0.3, 1.2]]> : "
                    "tensor<2x4xf32>", "")
    which = g.value("tfir.const dense<0> : tensor<2xi32>", "")
    y = g.value(f"tfir.crop_and_resize %i, {boxes}, {which} {{crop_size = [3, 2]}} : "
                f"({type_of('i')}, tensor<2x4xf32>, tensor<2xi32>) -> "
                "tensor<2x3x2x4xf32>", "")
    g.close("crop_and_resize", y, ["i"], (2, 3, 2, 4))
    gray = g.value(f"tfir.expand_dims %z {{axis = 2}} : ({type_of('z')}) -> "
                   "tensor<3x4x1xf32>", "")
    y = g.value(f"tfir.grayscale_to_rgb {gray} : (tensor<3x4x1xf32>) -> "
                "tensor<3x4x3xf32>", "")
    g.close("grayscale_to_rgb", y, ["z"], (3, 4, 3))
    g.case("adjust_brightness", "adjust_brightness", ["z"], (3, 4), "{delta = 0.5}")
    g.case("adjust_contrast", "adjust_contrast", ["i"], (1, 4, 4, 4),
           "{contrast_factor = 2.0}")
    a = g.value("tfir.const dense<2.0> : tensor<4xf32>", "")
    y = g.value(f"tfir.random_gamma {a}, %q {{shape = [3], seed = 1}} : "
                f"(tensor<4xf32>, {type_of('q')}) -> tensor<3x4xf32>", "")
    g.close("random_gamma", y, ["q"], (3, 4))
    y = g.value(f"tfir.random_shuffle %z {{seed = 1}} : ({type_of('z')}) -> "
                f"{type_of('z')}", "")
    g.close("random_shuffle", y, ["z"], (3, 4))


def spectral(g):
    """Of pairs and of numbers."""
    for op in "fft ifft fft2d ifft2d".split():
        g.case(op, op, ["t"], (1, 3, 2, 2))
    g.case("rfft", "rfft", ["z"], (3, 4, 2), "{fft_length = 6}")
    g.case("irfft", "irfft", ["t"], (1, 3, 5), "{fft_length = 5}")


def aggregates(g):
    """Products, variances, norms, sums along an axis, bounded norms."""
    rows = "axes = array<i64: 1>"
    for op in "prod variance std logsumexp norm".split():
        g.case(op, op, ["z"], ())
        g.case(op + "_rows", op, ["z"], (3,), "{" + rows + "}")
        g.case(op + "_kept", op, ["z"], (1, 4), "{axes = array<i64: 0>, keep_dims}")
    for name, order in (("l1", "1.0"), ("l3", "3.0"), ("max", "0x7FF0000000000000")):
        g.case("norm_" + name, "norm", ["z"], (3,), f"{{{rows}, ord = {order} : f64}}")
    for op in "cumsum cumprod".split():
        g.case(op, op, ["z"], (3, 4))
        g.case(op + "_rows", op, ["z"], (3, 4), "{axis = 1, exclusive, reverse}")
    for op in "softmax_along log_softmax_along".split():
        g.case(op, op, ["z"], (3, 4), "{axis = 0}")
    g.case("l2_normalize", "l2_normalize", ["z"], (3, 4), "{" + rows + "}")
    g.case("global_norm", "global_norm", ["z", "m"], ())
    for most in ("0.5", "9.0"):
        bound = g.value(f"tfir.const dense<{most}> : tensor<f32>", "")
        y = g.value(f"tfir.clip_by_norm %z, {bound} {{{rows}}} : (tensor<3x4xf32>, "
                    "tensor<f32>) -> tensor<3x4xf32>", "")
        g.close(f"clip_by_norm_{most[0]}", y, ["z"], (3, 4))
        bound = g.value(f"tfir.const dense<{most}> : tensor<f32>", "")
        pair = "(tensor<3x4xf32>, tensor<4xf32>)"
        y = g.value(f"tfir.clip_by_global_norm %z, %q, {bound} : (tensor<3x4xf32>, "
                    f"tensor<4xf32>, tensor<f32>) -> {pair}", pair)
        g.close(f"clip_by_global_norm_{most[0]}", y, ["z", "q"], (3, 4))


def normalisations(g):
    """Of rows, of groups of channels, of batches."""
    g.case("rms_norm", "rms_norm", ["z", "q"], (3, 4))
    g.case("layer_norm", "layer_norm", ["z", "q", "b"], (3, 4))
    g.case("layer_norm_two", "layer_norm", ["z", "p", "s"], (3, 4), "{begin_axis = 0}")
    g.case("group_norm", "group_norm", ["i", "q", "b"], (1, 4, 4, 4), "{groups = 2}")
    g.case("instance_norm", "instance_norm", ["i", "q", "b"], (1, 4, 4, 4))
    three = "(tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>)"
    for place, name in enumerate(("", "_mean", "_variance")):
        g.count += 1
        g.lines.append(f"%v{g.count}:3 = tfir.fused_batch_norm %z, %q, %b : "
                       f"({type_of('z')}, {type_of('q')}, {type_of('b')}) -> {three}")
        g.close("fused_batch_norm" + name, f"%v{g.count}#{place}",
                ["z"] if place else ["z", "q", "b"], (4,) if place else (3, 4))
    g.case("batch_normalization", "batch_normalization", ["z", "r", "q", "b", "q2"],
           (3, 4))
    g.case("lrn", "lrn", ["z"], (3, 4), "{depth_radius = 1}")
    g.case("lrn_alex", "lrn", ["i"], (1, 4, 4, 4),
           "{depth_radius = 2, bias = 2.0, alpha = 0.1, beta = 0.75}")
    pair = "(tensor<4xf32>, tensor<4xf32>)"
    y = g.value(f"tfir.moments %z {{axes = array<i64: 0>}} : ({type_of('z')}) -> {pair}",
                pair)
    g.close("moments", y, ["z"], (4,))


def weighted_losses(g):
    """Losses by labels and predictions, in some of the reductions."""
    for op in "absolute_difference mean_squared_error huber_loss smooth_l1_loss".split():
        g.case(op, op, ["z", "p"], ())
        g.case(op + "_none", op, ["z", "s", "c"], (3, 4), '{reduction = "none"}')
    for op in "poisson_loss kl_divergence".split():
        g.case(op, op, ["u2", "p2"], ())
    g.case("log_loss", "log_loss", ["u2", "p2"], (), '{reduction = "sum"}')
    for op in "hinge_loss squared_hinge_loss".split():
        g.case(op, op, ["p", "u"], (), '{reduction = "sum"}')
    g.case("cosine_distance", "cosine_distance", ["z", "p"], (), "{axis = 0}")
    g.case("compute_weighted_loss", "compute_weighted_loss", ["z", "p"], (),
           '{reduction = "mean"}')
    for op in ("sigmoid_cross_entropy_with_logits", "log_poisson_loss"):
        g.case(op, op, ["z", "p"], (3, 4))
    g.case("weighted_xent", "weighted_cross_entropy_with_logits", ["z", "u", "q"], (3, 4))
def gathered(g):
    """Reads and sums at computed places; ids repeat and lie outside."""
    def ids(text, kind):
        return g.value(f"tfir.const dense<{text}> : tensor<{kind}>", "")

    def call(op, operands, types, shape, attributes=""):
        return g.value(f"tfir.{op} {operands} {attributes} : ({types}) -> "
                       f"{tensor(shape)}", "")
    kind = "tensor<5xi32>"
    at = ids("[2, 0, 2, 7, -1]", "5xi32")
    y = call("gather", f"%z, {at}", f"{type_of('z')}, {kind}", (5, 4))
    g.close("gather", y, ["z"], (5, 4))
    at = ids("[[3, 0], [3, 9]]", "2x2xi64")
    y = call("gather", f"%z, {at}", f"{type_of('z')}, tensor<2x2xi64>",
             (3, 2, 2), "{axis = 1 : i64}")
    g.close("gather_axis", y, ["z"], (3, 2, 2))
    at = ids("[1, 1]", "2xi32")
    y = call("embedding_lookup", f"%z, {at}", f"{type_of('z')}, tensor<2xi32>",
             (2, 4))
    g.close("embedding_lookup", y, ["z"], (2, 4))
    for strategy in ("mod", "div"):
        at = ids("[[1, 5], [4, 9]]", "2x2xi32")
        y = call("embedding_lookup", f"%z, %z, {at}",
                 f"{type_of('z')}, {type_of('z')}, tensor<2x2xi32>", (2, 2, 4),
                 f'{{partition_strategy = "{strategy}"}}')
        g.close(f"embedding_parts_{strategy}", y, ["z"], (2, 2, 4))
    at = ids("[[2, 3], [0, 0], [2, 3], [3, 0]]", "4x2xi32")
    y = call("gather_nd", f"%z, {at}", f"{type_of('z')}, tensor<4x2xi32>", (4,))
    g.close("gather_nd", y, ["z"], (4,))
    at = ids("[[1], [0], [1]]", "3x1xi32")
    y = call("scatter_nd", f"{at}, %z", f"tensor<3x1xi32>, {type_of('z')}",
             (2, 4), "{shape = array<i64: 2, 4>}")
    g.close("scatter_nd", y, ["z"], (2, 4))
    for op in ("unsorted_segment_sum unsorted_segment_mean unsorted_segment_max "
               "unsorted_segment_min segment_sum segment_mean segment_max").split():
        at = ids("[1, 0, 1]" if op.startswith("un") else "[0, 1, 1]", "3xi32")
        y = call(op, f"%z, {at}", f"{type_of('z')}, tensor<3xi32>", (2, 4),
                 "{num_segments = 2 : i64}")
        g.close(op, y, ["z"], (2, 4))
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


if __name__ == "__main__":
    main(sys.argv[1])
