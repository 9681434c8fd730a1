# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of the language tfir: typed, valid, from a seed.

A program is a list of values; each step of the generator picks an op that fits
values that are there, makes the operands that are missing, and appends the
result. One op is one line, which is what reduce.py relies on.
"""
import random

from aggregates import AggregateOps
from arrange import ArrangeOps
from arrays import ArrayOps
from categories import CategoryOps
from columns import ColumnOps
from elementwise import ElementwiseOps
from functions import FunctionOps
from graph import GraphValues
from grids import GridOps
from linear import LinearOps
from loops import LoopOps
from recurrent import RecurrentOps
from shorthands import ShorthandOps
from training import TrainingOps
from values import (BOOL, DIMS, ENDS, F32, F64, I32, INTS, MAX_ELEMENTS, count,
                    type_text)
from windows import WindowOps


class Program:
    """The text of a module, and how it is to be checked."""

    def __init__(self, seed, size=None):
        self.rng = random.Random(seed)
        self.size = size or self.rng.choice([2, 4, 8, 8, 12, 16, 24, 40])
        self.dims = [self.rng.choice(DIMS)
                     for _ in range(self.rng.randint(2, 4))] + [1]
        if self.chance(0.1):
            self.dims.append(0)
        self.variables = []  # (name, shape, element, line)
        self.dataset = None
        self.places = self.place_names()
        graphs = [Graph(self, f"g{i}") for i in range(self.pick([1, 1, 1, 2]))]
        for graph in graphs:
            graph.build()
        self.lines = self.header(seed) + ["module {"]
        self.lines += ["  " + line for _, _, _, line in self.variables]
        if self.dataset:
            self.lines.append("  " + self.dataset[1])
        for graph in graphs:
            self.lines += ["  " + line for line in graph.text()]
        self.lines.append("}")

    # Choices.
    def chance(self, probability):
        return self.rng.random() < probability

    def pick(self, items):
        return self.rng.choice(list(items))

    def place_names(self):
        """What ops ask for as devices; often nothing."""
        if not self.chance(0.3):
            return []
        return [f"/gpu:{i}" for i in range(self.pick([1, 2, 3]))] + ["/cpu:0"]

    def shape(self, rank=None, most=MAX_ELEMENTS):
        rank = self.pick([0, 1, 1, 2, 2, 2, 3, 4]) if rank is None else rank
        shape = [self.pick(self.dims) for _ in range(rank)]
        while count(shape) > most:
            shape[shape.index(max(shape))] = self.pick([1, 2, 3])
        return tuple(shape)

    def number(self, element):
        """A literal of the element type; sometimes a special one."""
        if element == BOOL:
            return self.pick(["true", "false"])
        if element in ENDS:
            low, high = ENDS[element]
            return str(self.pick([0, 1, 2, 3, 7, low, high, self.rng.randint(low, high)]))
        if element in INTS:
            top = 2 ** (31 if element == I32 else 63) - 1
            if self.chance(0.03):
                return str(self.pick([top, -top - 1, -1]))
            return str(self.rng.randint(-9, 9))
        if self.chance(0.02):
            # Hexadecimal: NaN, infinities, the smallest and largest numbers.
            bits = ["0x7FC00000", "0x7F800000", "0xFF800000", "0x80000000",
                    "0x00000001", "0x7F7FFFFF", "0x33800000"]
            if element == F64:
                bits = ["0x7FF8000000000000", "0x7FF0000000000000",
                        "0x8000000000000000", "0x0000000000000001"]
            return self.pick(bits)
        if self.chance(0.3):
            return f"{self.pick([0, 0, 1, 1, -1, 2, 0.5, -0.5, 3, 6]):.1f}"
        return f"{self.rng.uniform(-2, 2):.4f}"

    def dense(self, shape, element):
        """A dense constant: often one repeated number."""
        if count(shape) > 64 or self.chance(0.4) or count(shape) == 0:
            return "dense<" + (self.number(element) if count(shape) else "") + ">"

        def nest(dims):
            if not dims:
                return self.number(element)
            return "[" + ", ".join(nest(dims[1:]) for _ in range(dims[0])) + "]"
        text = nest(list(shape))
        if not shape:
            return f"dense<{text}>"
        # One hexadecimal literal would be read as the bytes of all elements.
        return f"dense<{text}>"

    def header(self, seed):
        options = [f"steps={self.pick([1, 2, 3])}",
                   f"seed={self.rng.randint(0, 9)}",
                   f"level={self.pick(['x86-64-v3', 'x86-64-v4'])}",
                   f"threads={self.pick([1, 2, 3])}"]
        if self.chance(0.3):
            options.append("resume=" + self.pick(
                ["parsed", "differentiated", "replicated", "placed",
                 "partitioned", "lowered", "scheduled"]))
        if self.places:
            options.append(f"gpus={len(self.places) - 1}")
        if self.chance(0.15):
            options.append("canonical=1")
        return [f"// seed: {seed}", "// check: " + " ".join(options)]

    # Declarations.
    def variable(self, shape, element):
        name = f"v{len(self.variables)}"
        kinds = ["fill", "dense"]
        if element == F32 and count(shape):
            kinds += ["random_uniform", "random_normal", "truncated_normal"] * 2
        kind = self.pick(kinds)
        if kind == "fill":
            initial = f"#tfir.fill<{self.pick([0, 1, 2, 3])}>"
        elif kind == "dense":
            initial = f"{self.dense(shape, element)} : {type_text(shape, element)}"
        elif kind == "random_uniform":
            initial = "#tfir.random_uniform<minval = -1.0>"
        else:
            initial = f"#tfir.{kind}<stddev = {self.pick([0.1, 0.5, 1.0])}>"
        attributes = ""
        if self.chance(0.1):
            attributes = " {trainable = false}"
        self.variables.append((
            name, tuple(shape), element,
            f"tfir.variable @{name} : {type_text(shape, element)} = "
            f"{initial}{attributes}"))
        return name

    def text(self):
        return "\n".join(self.lines) + "\n"


class Graph(GraphValues, ElementwiseOps, FunctionOps, AggregateOps, ArrayOps,
            ArrangeOps, CategoryOps, ColumnOps, GridOps, LinearOps, LoopOps, RecurrentOps,
            ShorthandOps, WindowOps, TrainingOps):
    """One graph of a program."""

    FAMILIES = [
        ("unary", 12), ("unary_int", 2), ("binary", 14), ("binary_int", 3), ("compare", 3),
        ("logical", 1), ("select", 4), ("cast", 4), ("reduce", 8), ("arg_max", 1),
        ("matmul", 8), ("conv2d", 4), ("pool", 3), ("softmax", 3), ("cross_entropy", 3),
        ("arrange", 6), ("parts", 2), ("grid", 3), ("spatial", 3), ("reshape", 4),
        ("transpose", 3), ("slice", 4), ("concat", 4), ("broadcast_to", 2),
        ("one_hot", 1), ("bias_add", 2), ("dropout", 1), ("l2_loss", 1), ("assign", 3),
        ("gradients", 4), ("minimize", 2), ("next_batch", 1), ("float_test", 1),
        ("atan2", 1), ("mod", 1), ("prelu", 1), ("clip_by_value", 2), ("add_n", 2),
        ("aggregate", 3), ("along", 2), ("normalise", 2), ("loss", 2), ("metric", 1),
        ("gather", 3), ("rows", 3), ("segment", 3), ("windowed_conv", 3), ("windowed_pool", 2),
        ("order", 2), ("linear", 2), ("spectral", 1), ("crop", 1), ("draw", 1), ("loop", 3),
        ("choice", 3), ("recompute", 3), ("repeated", 2), ("taken", 2),
        ("cell", 2), ("category", 2), ("columns", 2), ("half", 2), ("bitcast", 1),
        ("other_matmul", 2), ("shorthand", 14)]

    def build(self):
        families = [f for f, _ in self.FAMILIES]
        weights = [w for _, w in self.FAMILIES]
        tries = 0
        while self.ops < self.p.size and tries < 20 * self.p.size:
            tries += 1
            getattr(self, self.p.rng.choices(families, weights)[0])()
        if not self.has_minimize and self.p.chance(0.25):
            self.minimize()

    def fetched(self):
        own = [v for v in self.values if v.name.startswith("%t")]
        if not own:
            return []
        chosen = self.p.rng.sample(own, min(len(own), self.p.rng.randint(1, 5)))
        if own[-1] not in chosen:
            chosen.append(own[-1])
        return chosen

    def text(self):
        fetched = self.fetched()
        feeds = ", ".join(f"{v.name}: {v.type}" for v in self.feeds)
        fetches = ", ".join(f"o{i}: {v.type}" for i, v in enumerate(fetched))
        results = f" -> ({fetches})" if fetches else ""
        lines = [f"tfir.graph @{self.name}({feeds}){results} {{"]
        lines += ["  " + line for line in self.lines]
        if fetched:
            lines.append(f"  tfir.return {', '.join(v.name for v in fetched)} : "
                         f"{', '.join(v.type for v in fetched)}")
        lines.append("}")
        return lines


def generate(seed):
    """The text of the program of this seed."""
    return Program(seed).text()


if __name__ == "__main__":
    import sys
    print(generate(int(sys.argv[1]) if len(sys.argv) > 1 else 0), end="")
