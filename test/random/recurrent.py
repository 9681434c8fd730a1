# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent cells of random programs."""
from values import F32, MAX_ELEMENTS, Value, count


class RecurrentOps:
    """Of a graph."""

    def cell(self):
        x = self.value([F32], rank=2)
        (rows, inputs), units = x.shape, self.p.pick([1, 2, 3, 5, 8])
        if count((inputs + units, 4 * units)) > MAX_ELEMENTS:
            return
        state = (rows, units)

        def known():
            return self.find(lambda v: v.element == F32 and v.shape == state,
                             lambda: self.leaf(state, F32))
        if self.p.chance(0.5):
            operands = [x, known()]
            for parts in (2, 1):
                operands += [self.leaf((inputs + units, parts * units), F32),
                             self.leaf((parts * units,), F32)]
            self.emit("gru_cell", operands, state, F32)
            return
        operands = [x, known(), known(), self.leaf((inputs + units, 4 * units), F32),
                    self.leaf((4 * units,), F32)]
        bias = self.p.pick(["", "", "forget_bias = 0.0 : f64", "forget_bias = 0.3 : f64"])
        sources = set().union(*[v.sources for v in operands])
        opaque = any(v.opaque for v in operands)
        c, h = (Value(self.fresh(), state, F32, sources, opaque) for _ in range(2))
        self.lines.append(
            f"{c.name}, {h.name} = tfir.lstm_cell {', '.join(v.name for v in operands)}"
            f"{self.with_device(bias)} : ({', '.join(v.type for v in operands)}) -> "
            f"({c.type}, {h.type})")
        self.values += [c, h]
        self.ops += 1
