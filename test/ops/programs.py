# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of random ops, whose fusions nobody thought of, against numpy; with
the gradients of a loss over all that they compute.

  programs.py FOLDER [FIRST COUNT]   other numbers are other programs
"""
import sys

import numpy as np

import harness
import nnreference as nn
from harness import Case, Fetch, graph, type_of
from opcases import along_directions

UNARY = {"neg": np.negative, "abs": np.abs, "tanh": np.tanh,
         "sigmoid": lambda x: 0.5 + 0.5 * np.tanh(x / 2),
         "relu": lambda x: np.maximum(x, 0), "sin": np.sin,
         "identity": lambda x: x}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply,
          "maximum": np.maximum, "minimum": np.minimum}
REDUCE = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min}
SHAPES = [(5,), (4, 6), (3, 4, 5), (1, 7), (8, 1), (130, 129), (20011,),
          (20, 30, 31), (64, 300), (2, 9000), (1, 16500)]


class Program:
    """A random program and its values in double precision."""

    def __init__(self, name, seed, ops):
        self.name = name
        self.random = np.random.Generator(np.random.PCG64(seed))
        self.feeds, self.values, self.lines = {}, {}, []
        self.steps = []  # (name, function, operands)
        shape = SHAPES[self.random.integers(len(SHAPES))]
        for _ in range(3):
            self.feed(shape)
        for _ in range(ops):
            self.choose([self.unary, self.binary, self.binary, self.reduce,
                         self.reduce, self.shape, self.select, self.softmax,
                         self.matmul])()

    def choose(self, options):
        return options[self.random.integers(len(options))]

    def feed(self, shape):
        # Some operands are broadcast.
        cut = tuple(1 if self.random.random() < 0.2 else n for n in shape)
        value = self.random.uniform(-1, 1, cut).astype(np.float32)
        name = f"x{len(self.feeds)}"
        self.feeds[name] = value
        self.values[name] = value.astype(float)

    def add(self, text, operands, function, attributes=""):
        name = f"t{len(self.lines)}"
        self.steps.append((name, function, operands))
        self.values[name] = np.asarray(
            function(*[self.values[o] for o in operands]))
        inner = ", ".join(self.kind(o) for o in operands)
        names = ", ".join("%" + o for o in operands)
        space = f" {{{attributes}}}" if attributes else ""
        self.lines.append(f"%{name} = tfir.{text} {names}{space} : ({inner}) -> "
                          f"{self.kind(name)}")
        return name

    def evaluate(self, feeds):
        """The values of the program for other feeds."""
        values = dict(zip(self.feeds, feeds))
        for name, function, operands in self.steps:
            values[name] = function(*[values[o] for o in operands])
        return values

    def kind(self, name):
        value = self.values[name]
        return type_of(value if value.dtype == bool
                       else value.astype(np.float32))

    def operand(self):
        """A float, more often a young one."""
        names = [n for n, v in self.values.items() if v.dtype == float]
        place = int(len(names) * self.random.random() ** 0.5)
        return names[min(place, len(names) - 1)]

    def pair(self):
        """Two operands whose shapes broadcast."""
        a = self.operand()
        fits = []
        for name, value in self.values.items():
            if value.dtype != float:
                continue
            try:
                shape = np.broadcast_shapes(self.values[a].shape, value.shape)
            except ValueError:
                continue
            if np.prod(shape, dtype=int) < 200000:
                fits.append(name)
        return a, self.choose(fits)

    def unary(self):
        op, x = self.choose(list(UNARY)), self.operand()
        self.add(op, [x], UNARY[op])

    def binary(self):
        op, (x, y) = self.choose(list(BINARY)), self.pair()
        self.add(op, [x, y], BINARY[op])

    def reduce(self):
        x = self.operand()
        value = self.values[x]
        if not value.ndim:
            return
        axes = [a for a in range(value.ndim) if self.random.random() < 0.5]
        axes = axes or [value.ndim - 1]
        keep = self.random.random() < 0.5
        op = self.choose(list(REDUCE))
        if op == "sum" and np.prod([value.shape[a] for a in axes]) > 100:
            op = "mean"
        self.add(op, [x],
                 lambda v: REDUCE[op](v, axis=tuple(axes), keepdims=keep),
                 f"axes = array<i64: {', '.join(map(str, axes))}>" +
                 (", keep_dims" if keep else ""))

    def shape(self):
        x = self.operand()
        value = self.values[x]
        if value.ndim >= 2 and self.random.random() < 0.5:
            perm = self.random.permutation(value.ndim)
            self.add("transpose", [x], lambda v: v.transpose(perm),
                     f"perm = array<i64: {', '.join(map(str, perm))}>")
        elif value.ndim:
            to = self.choose([(-1,), (1, -1), (value.shape[0], -1)])
            self.add("reshape", [x], lambda v: v.reshape(to))

    def select(self):
        x, y = self.pair()
        less = self.add("less", [x, y], np.less)
        self.add("select", [less, x, y], np.where)

    def softmax(self):
        x = self.operand()
        if self.values[x].ndim:
            self.add("softmax", [x], nn.softmax)

    def matmul(self):
        names = [n for n, v in self.values.items()
                 if v.dtype == float and v.ndim == 2 and v.size < 40000]
        if not names:
            return
        x = self.choose(names)
        value = self.values[x]
        if value.shape[0] > 300:
            return
        product = self.add("matmul", [x, x], lambda v, w: v @ w.T,
                           "transpose_b")
        # Its elements are as large as it is wide; make them small again.
        self.add("sigmoid", [product], UNARY["sigmoid"])

    def add_loss(self, names):
        """The sum of the means of these values; the text of its gradients."""
        means = [self.add("mean", [n], np.mean) for n in names]
        loss = means[0]
        for mean in means[1:]:
            loss = self.add("add", [loss, mean], np.add)
        used = [x for x in self.feeds if self.reaches(x, loss)]
        outer = ", ".join(self.kind(x) for x in used)
        return loss, used, (
            ", ".join("%d" + x for x in used) + f" = tfir.gradients %{loss}, "
            f"{', '.join('%' + x for x in used)} : (tensor<f32>, {outer}) -> "
            f"({outer})")

    def reaches(self, feed, loss):
        reached = {feed}
        for name, _, operands in self.steps:
            if (reached.intersection(operands)
                    and self.values[name].dtype == float):
                reached.add(name)
        return loss in reached

    def case(self):
        """Fetches what is not used further, some of the rest, and gradients."""
        text = "\n".join(self.lines)
        # Not comparisons: almost equal numbers may come out either way.
        names = [n for n in self.values
                 if n.startswith("t") and self.values[n].dtype == float and
                 (f"%{n}," not in text and f"%{n} :" not in text
                  or self.random.random() < 0.2)]
        fetches = {n: Fetch(self.values[n].astype(np.float32), norm=1e-5,
                            floor=0.1) for n in names}
        loss, used, gradients = self.add_loss(names)
        feeds = [v.astype(float) for v in self.feeds.values()]
        for place, feed in enumerate(self.feeds):
            if feed in used:
                fetches["d" + feed] = along_directions(
                    lambda v: float(self.evaluate(v)[loss]), feeds, place, 1e-6,
                    1e-3)
        types = {n: self.kind(n[1:] if n[0] == "d" else n) for n in fetches}
        text = "\n".join(self.lines + [gradients])
        return Case(self.name, graph(self.name, self.feeds, text, types),
                    self.feeds, fetches)


def cases(first, count):
    return [Program(f"program_{seed}", seed, 6 + seed % 15).case()
            for seed in range(first, first + count)]


if __name__ == "__main__":
    harness.main(cases(*map(int, sys.argv[2:4] or (0, 24))))
