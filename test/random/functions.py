# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of ops of two and more operands beyond arithmetic. Each method appends one op."""
from values import (BOOL, FLOATS, I32, I64, INTS, MAX_ELEMENTS, broadcast, count)


class FunctionOps:
    """Of a graph."""

    def float_test(self):
        op = self.p.pick(["is_nan", "is_inf", "is_finite"])
        x = self.value(FLOATS)
        self.emit(op, [x], x.shape, BOOL, passes=[])

    def atan2(self):
        x = self.value(FLOATS)
        y = self.partner(x)
        self.emit("atan2", [x, y], broadcast(x.shape, y.shape), x.element)

    def order(self):
        x = self.value(FLOATS[:1] + INTS, least_rank=1)
        descending = "descending" if self.p.chance(0.5) else ""
        if self.p.chance(0.5):
            return self.emit("sort", [x], x.shape, x.element, descending)
        return self.emit("argsort", [x], x.shape, I32, descending, passes=[])

    def rows(self):
        """Ops of a table's rows; few of many, which an update touches alone."""
        at = self.find(lambda v: v.element in (I32, I64) and count(v.shape) <= 12,
                       lambda: self.leaf((self.p.pick([1, 3, 8]),), I32))
        width = (self.p.pick([1, 3, 8]),) * self.p.chance(0.7)
        op = self.p.pick(["gather", "embedding_lookup", "scatter", "unique"])
        if op == "unique":
            return self.unique()
        table = self.read((self.p.pick([40, 65]),) + width, self.p.pick(FLOATS))
        shape = at.shape + width
        if op == "gather":
            return self.emit(op, [table, at], shape, table.element, passes=[table])
        if op == "embedding_lookup":
            parts = [table] + [self.read(table.shape, table.element)
                               for _ in range(self.p.rng.randint(0, 2))]
            strategy = self.p.pick(["mod", "div"])
            return self.emit(op, parts + [at], shape, table.element,
                             f'partition_strategy = "{strategy}"', passes=parts)
        updates = self.find(lambda v: (v.shape, v.element) == (shape, table.element),
                            lambda: self.leaf(shape, table.element))
        op = self.p.pick(["scatter_update", "scatter_add", "scatter_sub", "scatter_mul",
                          "scatter_div", "scatter_min", "scatter_max"])
        return self.emit(op, [table, at, updates], table.shape, table.element,
                         opaque=True, passes=[table, updates])

    def unique(self):
        x = self.value([I32, I64], rank=1)
        if count(x.shape) > MAX_ELEMENTS:
            return
        self.emit_results("unique", [x], [(x.shape, x.element, []),
                                          (x.shape, I32, [])])

    def mod(self):
        x = self.value(INTS)
        y = self.partner(x)
        self.emit("mod", [x, y], broadcast(x.shape, y.shape), x.element)

    def prelu(self):
        x = self.value(FLOATS)
        alpha = self.within(x)
        self.emit("prelu", [x, alpha], x.shape, x.element)

    def clip_by_value(self):
        x = self.value(FLOATS[:1] + INTS)
        low, high = self.within(x), self.within(x)
        self.emit("clip_by_value", [x, low, high], x.shape, x.element)

    def within(self, x):
        """A value that broadcasts to the shape of x."""
        shape = x.shape[self.p.rng.randint(0, len(x.shape)):]
        return self.find(
            lambda v: v.element == x.element and
            broadcast(v.shape, x.shape) == x.shape,
            lambda: self.leaf(shape, x.element))

    def add_n(self):
        x = self.value(FLOATS[:1] + INTS)
        same = [v for v in self.values if v.type == x.type]
        operands = [x] + [self.p.pick(same) for _ in range(self.p.pick([0, 1, 2, 3]))]
        self.emit("add_n", operands, x.shape, x.element)
