# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of a random program: the values that are there, and how more are made."""
from values import BOOL, F32, FLOATS, MAX_ELEMENTS, Value, broadcast, count


class GraphValues:
    """One graph of a program."""

    def __init__(self, program, name):
        self.p, self.name = program, name
        self.feeds, self.lines, self.values = [], [], []
        self.counter = 0
        self.ops = 0
        self.has_minimize = False

    # Making values.
    def fresh(self):
        self.counter += 1
        return f"%t{self.counter}"

    def emit(self, op, operands, shape, element, attributes="", opaque=False,
             passes=None):
        """One op with one result; `passes` are the operands with a gradient."""
        name = self.fresh()
        texts = ", ".join(v.name for v in operands)
        types = ", ".join(v.type for v in operands)
        attributes = self.with_device(attributes)
        passes = operands if passes is None else passes
        sources = set().union(*[v.sources for v in passes]) if passes else set()
        value = Value(name, shape, element, sources,
                      opaque or any(v.opaque for v in passes))
        self.lines.append(f"{name} = tfir.{op} {texts}{attributes} : "
                          f"({types}) -> {value.type}")
        self.values.append(value)
        self.ops += 1
        return value

    def emit_results(self, op, operands, results, attributes=""):
        """One op with several results: of each shape, element type and the operands
        that it has a gradient by."""
        values = [Value(self.fresh(), shape, element,
                        set().union(*[v.sources for v in passes]),
                        any(v.opaque for v in passes))
                  for shape, element, passes in results]
        types = ", ".join(v.type for v in values)
        self.lines.append(
            f"{', '.join(v.name for v in values)} = tfir.{op} "
            f"{', '.join(v.name for v in operands)}{self.with_device(attributes)} : "
            f"({', '.join(v.type for v in operands)}) -> "
            f"{f'({types})' if len(values) > 1 else types}")
        self.values += values
        self.ops += 1
        return values

    def with_device(self, attributes):
        if self.p.places and self.p.chance(0.4):
            attributes = ", ".join(
                filter(None, [attributes, f'device = "{self.p.pick(self.p.places)}"']))
        return f" {{{attributes}}}" if attributes else ""

    def leaf(self, shape, element):
        """A new value of this type that depends on nothing."""
        kinds = ["const", "feed", "variable"]
        if element == BOOL:
            kinds = ["const", "feed"]
        if element == F32 and count(shape):
            kinds += ["random"]
        kind = self.p.pick(kinds)
        if kind == "feed":
            value = Value(f"%f{len(self.feeds)}", shape, element)
            self.feeds.append(value)
            self.values.append(value)
            return value
        if kind == "variable":
            return self.read(shape, element)
        name = self.fresh()
        value = Value(name, shape, element)
        if kind == "const":
            self.lines.append(f"{name} = tfir.const {self.p.dense(shape, element)}"
                              f" : {value.type}")
        else:
            op = self.p.pick(["random_uniform", "random_normal",
                              "truncated_normal"])
            self.lines.append(f"{name} = tfir.{op} : {value.type}")
        self.values.append(value)
        return value

    def read(self, shape=None, element=None):
        known = [v for v in self.p.variables
                 if (shape is None or v[1] == tuple(shape)) and
                 (element is None or v[2] == element)]
        if known and (shape is None or self.p.chance(0.5)):
            variable = self.p.pick(known)
            name, shape, element = variable[:3]
        else:
            shape = self.p.shape() if shape is None else shape
            element = element or F32
            name = self.p.variable(shape, element)
        value = Value(self.fresh(), shape, element, {f"@{name}"})
        self.lines.append(f"{value.name} = tfir.read @{name} : {value.type}")
        self.values.append(value)
        return value

    def find(self, test, make):
        """A value that passes the test, or a new one."""
        found = [v for v in self.values if test(v)]
        if found and self.p.chance(0.8):
            # Late values make deep programs.
            return found[-1] if self.p.chance(0.3) else self.p.pick(found)
        return make()

    def value(self, elements=FLOATS, rank=None, least_rank=0):
        def fits(v):
            return v.element in elements and len(v.shape) >= least_rank and \
                (rank is None or len(v.shape) == rank)

        def make():
            shape = self.p.shape(rank)
            while len(shape) < least_rank:
                shape += (self.p.pick(self.p.dims),)
            while count(shape) > MAX_ELEMENTS:
                shape = tuple(max(1, d // 4) if d else 0 for d in shape)
            element = self.p.pick(elements)
            if F32 in elements and self.p.chance(0.7):
                element = F32
            return self.leaf(shape, element)
        return self.find(fits, make)

    def partner(self, x, element=None):
        """A value whose shape broadcasts with that of x."""
        element = element or x.element

        def fits(v):
            shape = broadcast(v.shape, x.shape)
            return v.element == element and shape is not None and \
                count(shape) <= 4 * MAX_ELEMENTS

        def make():
            shape = list(x.shape)
            if self.p.chance(0.5):
                shape = shape[self.p.rng.randint(0, len(shape)):]
                shape = [1 if self.p.chance(0.3) else d for d in shape]
            return self.leaf(tuple(shape), element)
        return self.find(fits, make)

    def leaf_const(self, shape, element, number):
        value = Value(self.fresh(), shape, element)
        text = f"dense<{number}>" if count(shape) else "dense<>"
        self.lines.append(f"{value.name} = tfir.const {text} : {value.type}")
        self.values.append(value)
        return value
