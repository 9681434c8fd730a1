# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random training programs whose rows do not see each other, so that towers
compute what one device does: the checker compares the two."""
import random

from values import type_text

ROWWISE = ["tanh", "sigmoid", "softplus", "relu", "relu6", "square", "neg", "abs",
           "sin", "identity"]
OPTIMIZERS = ["sgd<learning_rate = 0.05>",
              "momentum<learning_rate = 0.02, momentum = 0.9>",
              "momentum<learning_rate = 0.02, momentum = 0.5, nesterov = true>",
              "adagrad<learning_rate = 0.1>",
              "rmsprop<learning_rate = 0.01, momentum = 0.9, epsilon = 1.0e-2>",
              "adam<learning_rate = 0.01, epsilon = 1.0e-2>",
              "adamw<learning_rate = 0.01, epsilon = 1.0e-2>",
              "lars<learning_rate = 0.1, eeta = 0.1>",
              "adadelta<learning_rate = 1.0, epsilon = 1.0e-2>"]
CHANGES = ["", "", "", " {clip_global_norm = 0.1 : f64}",
           " {clip_norm = 0.1 : f64, l2 = 0.01 : f64}",
           " {accumulate = 2 : i64, clip_global_norm = 0.1 : f64}",
           " {loss_scale = 8.0 : f64, loss_scale_growth = 2 : i64}"]


class TowerProgram:
    """One graph that trains on a batch of rows, given by a feed."""

    def __init__(self, seed):
        self.rng = random.Random(f"towers {seed}")
        self.towers = self.rng.choice([2, 2, 3, 4])
        self.batch = self.towers * self.rng.choice([1, 2, 5, 8])
        self.variables, self.lines, self.rows = [], [], []
        self.width = self.rng.choice([1, 3, 8, 12, 17])
        self.feeds = [("%x", (self.batch, self.width), "f32"),
                      ("%label", (self.batch,), "i32")]
        self.rows.append(("%x", self.width))
        for _ in range(self.rng.choice([1, 2, 4, 6, 10])):
            self.rng.choice([self.dense, self.dense, self.unary, self.binary,
                             self.softmax, self.reduce, self.slice, self.concat,
                             self.convolve, self.scale])()
        self.loss()
        self.text = self.write(seed)

    def emit(self, op, operands, shape, attributes=""):
        name = f"%t{len(self.lines)}"
        attributes = f" {{{attributes}}}" if attributes else ""
        self.lines.append(
            f"{name} = tfir.{op} {', '.join(n for n, _ in operands)}{attributes} "
            f": ({', '.join(type_text(s, 'f32') for _, s in operands)}) -> "
            f"{type_text(shape, 'f32')}")
        return name

    def row(self, op, operands, width, attributes=""):
        name = self.emit(op, operands, (self.batch, width), attributes)
        self.rows.append((name, width))

    def variable(self, shape):
        name = f"w{len(self.variables)}"
        initial = self.rng.choice(["#tfir.truncated_normal<stddev = 0.3>",
                                   "#tfir.random_uniform<minval = -0.5, "
                                   "maxval = 0.5>", "#tfir.fill<0.1>"])
        self.variables.append(f"tfir.variable @{name} : "
                              f"{type_text(shape, 'f32')} = {initial}")
        value = f"%v{name}"
        self.lines.append(f"{value} = tfir.read @{name} : "
                          f"{type_text(shape, 'f32')}")
        return value

    def pick(self):
        name, width = self.rng.choice(self.rows[-3:])
        return (name, (self.batch, width)), width

    def dense(self):
        x, width = self.pick()
        out = self.rng.choice([1, 4, 10, 33])
        w = self.variable((width, out))
        self.row("matmul", [x, (w, (width, out))], out)
        if self.rng.random() < 0.7:
            b = self.variable((out,))
            self.row("bias_add", [(self.rows[-1][0], (self.batch, out)),
                                  (b, (out,))], out)

    def unary(self):
        x, width = self.pick()
        self.row(self.rng.choice(ROWWISE), [x], width)

    def binary(self):
        x, width = self.pick()
        y, other = self.pick()
        if width in (other, 1) or other == 1:
            self.row(self.rng.choice(["add", "sub", "mul", "maximum"]), [x, y],
                     max(width, other))

    def scale(self):
        x, width = self.pick()
        s = self.variable(self.rng.choice([(), (width,), (1, width)]))
        shape = self.variables[-1].split("tensor<")[1].split("f32")[0]
        dims = tuple(int(d) for d in shape.split("x") if d)
        self.row("mul", [x, (s, dims)], width)

    def softmax(self):
        x, width = self.pick()
        self.row(self.rng.choice(["softmax", "log_softmax"]), [x], width)

    def reduce(self):
        x, _ = self.pick()
        self.row(self.rng.choice(["sum", "mean"]), [x], 1,
                 "axes = array<i64: 1>, keep_dims")

    def slice(self):
        x, width = self.pick()
        begin = self.rng.randrange(width)
        size = self.rng.randint(1, width - begin)
        self.row("slice", [x], size, f"begin = array<i64: 0, {begin}>, "
                 f"size = array<i64: -1, {size}>")

    def concat(self):
        x, width = self.pick()
        y, other = self.pick()
        self.row("concat", [x, y], width + other, "axis = 1 : i64")

    def convolve(self):
        x, width = self.pick()
        side = self.rng.choice([2, 3, 4])
        if width < side * side:
            return
        cut = self.emit("slice", [x], (self.batch, side * side),
                        f"begin = array<i64: 0, 0>, size = array<i64: -1, "
                        f"{side * side}>")
        image = (self.batch, side, side, 1)
        shaped = self.emit("reshape", [(cut, (self.batch, side * side))], image)
        channels = self.rng.choice([2, 8])
        f = self.variable((3, 3, 1, channels))
        out = (self.batch, side, side, channels)
        y = self.emit("conv2d", [(shaped, image), (f, (3, 3, 1, channels))], out,
                      'padding = "SAME"')
        if side % 2 == 0 and self.rng.random() < 0.7:
            pooled = (self.batch, side // 2, side // 2, channels)
            y = self.emit(self.rng.choice(["max_pool", "avg_pool"]), [(y, out)],
                          pooled, "ksize = array<i64: 2, 2>, strides = "
                          "array<i64: 2, 2>")
            out = pooled
        flat = out[1] * out[2] * out[3]
        self.row("reshape", [(y, out)], flat)

    def loss(self):
        name, width = self.rows[-1]
        x = (name, (self.batch, width))
        if self.rng.random() < 0.5:
            w = self.variable((width, 10))
            logits = self.emit("matmul", [x, (w, (width, 10))], (self.batch, 10))
            self.lines.append(
                f"%xent, %back = tfir.sparse_softmax_cross_entropy_with_logits "
                f"{logits}, %class : (tensor<{self.batch}x10xf32>, "
                f"tensor<{self.batch}xi32>) -> (tensor<{self.batch}xf32>, "
                f"tensor<{self.batch}x10xf32>)")
            self.lines.insert(0, "%nine = tfir.const dense<9> : tensor<i32>")
            self.lines.insert(1, "%low = tfir.abs %label : (tensor<{0}xi32>) -> "
                              "tensor<{0}xi32>".format(self.batch))
            self.lines.insert(2, "%class = tfir.minimum %low, %nine : (tensor<{0}"
                              "xi32>, tensor<i32>) -> tensor<{0}xi32>".format(
                                  self.batch))
            self.emit("mean", [("%xent", (self.batch,))], ())
        else:
            # What the variables made, and nothing that they did not touch.
            self.scale()
            name, width = self.rows[-1]
            x = (name, (self.batch, width))
            square = self.emit("square", [x], x[1])
            self.emit("mean", [(square, x[1])], ())
        self.total = f"%t{len(self.lines) - 1}"
        optimizer = self.rng.choice(OPTIMIZERS)
        self.lines.append(f"tfir.minimize {self.total} using #tfir.{optimizer}"
                          + self.rng.choice(CHANGES))
        if self.rng.random() < 0.3:
            self.lines.append("tfir.ema {decay = 0.9 : f64}")

    def places(self):
        """Options of the check that say where the towers are."""
        return [f"devices=gpu:0-{self.towers - 1}"]

    def write(self, seed):
        options = [f"steps={self.rng.choice([1, 3, 5])}",
                   f"seed={self.rng.randint(0, 9)}",
                   f"level={self.rng.choice(['x86-64-v3', 'x86-64-v4'])}",
                   f"threads={self.rng.choice([1, 2, 3])}",
                   *self.places(),
                   f"reduce={self.rng.choice(['ps', 'ring', 'tree', 'auto'])}"]
        if self.rng.random() < 0.3:
            options.append("variables=mirrored")
        if self.rng.random() < 0.3:
            options.append("canonical=1")
        name, width = self.rows[-1]
        feeds = ", ".join(f"{n}: {type_text(s, e)}" for n, s, e in self.feeds)
        rows = type_text((self.batch, width), "f32")
        return "\n".join(
            [f"// seed: {seed}", "// check: " + " ".join(options), "module {"]
            + ["  " + line for line in self.variables]
            + [f"  tfir.graph @train({feeds}) -> (loss: tensor<f32>, "
               f"rows: {rows}) {{"]
            + ["    " + line for line in self.lines]
            + [f"    tfir.return {self.total}, {name} : tensor<f32>, {rows}",
               "  }", "}", ""])
