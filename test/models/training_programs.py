# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random training programs: dense and convolutional layers, losses, L2,
dropout, optimizers, rates and averages in combinations that nobody chose."""
import numpy as np

ACTIVATIONS = ["relu", "tanh", "sigmoid", "softplus", None]
SMOOTH = ["tanh", "sigmoid", "softplus", None]
OPTIMIZERS = [
    "#tfir.sgd<learning_rate = {rate}>",
    "#tfir.momentum<learning_rate = {rate}, momentum = 0.9>",
    "#tfir.momentum<learning_rate = {rate}, momentum = 0.9, nesterov = true>",
    "#tfir.adagrad<learning_rate = {rate}>",
    "#tfir.rmsprop<learning_rate = {rate}, epsilon = 1.0e-2>",
    "#tfir.adam<learning_rate = {rate}, epsilon = 1.0e-2>"]
RATES = ["0.01", "#tfir.exponential_decay<initial = 0.02, decay_steps = 7, "
         "decay_rate = 0.9, staircase = true>"]


class TrainingProgram:
    """One graph @pN with variables of its own, and what to feed it.

    A smooth one has no ReLU and no maximum, at whose kinks the last bit of a
    number decides about a whole gradient: two programs that round in other ways
    then part by 1e-4 from one step to the next, however right they are.
    """

    def __init__(self, number, batch=16, is_smooth=False):
        self.is_smooth = is_smooth
        self.random = np.random.Generator(np.random.PCG64(1000 + number))
        self.name, self.batch = f"p{number}", batch
        self.variables, self.lines, self.weights = [], [], []
        self.count = 0
        is_image = self.random.random() < 0.15
        self.shape = (8, 8, 2) if is_image else (self.pick([3, 8]),)
        self.value, self.type = "%x", self.shape
        if is_image:
            self.convolution()
        for _ in range(self.pick([0, 1, 1, 2])):
            self.dense(16)
            self.activate()
            if self.random.random() < 0.2:
                self.dropout()
        self.finish()

    def pick(self, options):
        return options[self.random.integers(len(options))]

    @staticmethod
    def text_of(shape, batch="?"):
        sizes = "".join(f"{n}x" for n in ((batch,) if batch else ()) + shape)
        return f"tensor<{sizes}f32>"

    def new(self, text, operands, shape, attributes="", batch="?"):
        """Appends `%vN = tfir.TEXT operands`; operands are (value, type)."""
        value = f"%v{self.count}"
        self.count += 1
        names = ", ".join(name for name, _ in operands)
        types = ", ".join(kind for _, kind in operands)
        space = f" {{{attributes}}}" if attributes else ""
        self.lines.append(f"{value} = tfir.{text} {names}{space} : ({types}) -> "
                          f"{self.text_of(shape, batch)}")
        return value

    def variable(self, shape, deviation):
        name = f"{self.name}_w{len(self.variables)}"
        kind = self.text_of(shape, None)
        self.variables.append(
            f"tfir.variable @{name} : {kind} = "
            f"#tfir.random_normal<stddev = {deviation}>")
        value = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"{value} = tfir.read @{name} : {kind}")
        return value, kind

    def here(self):
        return self.value, self.text_of(self.type)

    def apply(self, text, shape, *others, attributes=""):
        self.value = self.new(text, [self.here(), *others], shape, attributes)
        self.type = shape

    def dense(self, width):
        if len(self.type) > 1:
            self.apply("reshape", (int(np.prod(self.type)),))
        weights = self.variable((self.type[0], width), 0.3)
        self.weights.append(weights)
        self.apply("matmul", (width,), weights)
        if self.random.random() < 0.8:
            self.apply("bias_add", (width,), self.variable((width,), 0.1))

    def convolution(self):
        filters = 4
        kernel = self.variable((3, 3, self.type[2], filters), 0.2)
        self.apply("conv2d", (8, 8, filters), kernel)
        self.apply("bias_add", (8, 8, filters), self.variable((filters,), 0.1))
        self.activate()
        self.apply("avg_pool" if self.is_smooth else "max_pool", (4, 4, filters), attributes=
                   "ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>")

    def activate(self):
        if kind := self.pick(SMOOTH if self.is_smooth else ACTIVATIONS):
            self.apply(kind, self.type)

    def dropout(self):
        # Rows of 16 with at least 4 rows per tower: whole blocks of numbers.
        if self.type[0] == 16:
            self.apply("dropout", self.type, attributes="keep_prob = 0.75 : f64")

    def finish(self):
        width = self.pick([1, 4])
        self.dense(width)
        if width == 4 and self.random.random() < 0.5:
            self.target = ("tensor<?xi32>", self.random.integers(
                0, 4, self.batch).astype(np.int32))
            losses = f"%v{self.count}"
            self.count += 1
            self.lines.append(
                f"{losses}, %unused = "
                "tfir.sparse_softmax_cross_entropy_with_logits "
                f"{self.value}, %y : ({self.text_of(self.type)}, tensor<?xi32>)"
                f" -> (tensor<?xf32>, {self.text_of(self.type)})")
            loss = self.new("mean", [(losses, "tensor<?xf32>")], (), batch=None)
        else:
            kind = self.text_of(self.type)
            self.target = (kind, self.random.uniform(
                -1, 1, (self.batch, width)).astype(np.float32))
            error = self.new("squared_difference", [self.here(), ("%y", kind)],
                             self.type)
            loss = self.new("mean", [(error, kind)], (), batch=None)
        for weights in self.weights:
            if self.random.random() < 0.5:
                norm = self.new("l2_loss", [weights], (), batch=None)
                self.lines.append(f"%rate{self.count} = tfir.const "
                                  "dense<1.0e-3> : tensor<f32>")
                part = self.new("mul", [(norm, "tensor<f32>"),
                                        (f"%rate{self.count}", "tensor<f32>")],
                                (), batch=None)
                loss = self.new("add", [(loss, "tensor<f32>"),
                                        (part, "tensor<f32>")], (), batch=None)
        self.loss = loss
        self.training = [f"tfir.minimize {loss} using " + self.pick(
            OPTIMIZERS).format(rate=self.pick(RATES))]
        if self.random.random() < 0.4:
            self.training.append("tfir.ema {decay = 0.9" + self.pick(
                ["", ", num_updates"]) + "}")

    def graph(self):
        body = "\n".join("    " + line for line in self.lines + self.training)
        return (f"  tfir.graph @{self.name}(%x: {self.text_of(self.shape)}, "
                f"%y: {self.target[0]}) -> (loss: tensor<f32>) {{\n{body}\n"
                f"    tfir.return {self.loss} : tensor<f32>\n  }}\n")

    def feeds(self):
        """The arrays of x and y."""
        random = np.random.Generator(np.random.PCG64(7))
        x = random.uniform(-1, 1, (self.batch,) + self.shape)
        return {"x": x.astype(np.float32), "y": self.target[1]}


def module_of(programs):
    variables = "".join(f"  {line}\n" for p in programs for line in p.variables)
    return ("module @programs {\n" + variables +
            "".join(p.graph() for p in programs) + "}\n")
