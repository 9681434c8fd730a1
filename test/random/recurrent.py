# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent cells of random programs."""
from values import FLOATS, MAX_ELEMENTS, count


class RecurrentOps:
    """Of a graph."""

    def cell(self):
        x = self.value(FLOATS, rank=2)
        (rows, inputs), units = x.shape, self.p.pick([1, 2, 3, 5, 8])
        if count((inputs + units, 4 * units)) > MAX_ELEMENTS:
            return
        state = (rows, units)

        def known():
            return self.find(lambda v: v.element == x.element and v.shape == state,
                             lambda: self.leaf(state, x.element))
        if self.p.chance(0.5):
            operands = [x, known()]
            for parts in (2, 1):
                operands += [self.leaf((inputs + units, parts * units), x.element),
                             self.leaf((parts * units,), x.element)]
            self.emit("gru_cell", operands, state, x.element)
            return
        # A projection has columns of its own, which `h` has, too.
        outputs = self.p.pick([1, 2, 3, 5]) if self.p.chance(0.3) else 0
        h_shape = (rows, outputs or units)
        h = self.leaf(h_shape, x.element) if outputs else known()
        operands = [x, known(), h, self.leaf((inputs + h_shape[1], 4 * units), x.element),
                    self.leaf((4 * units,), x.element)]
        of_c = list(operands)
        if self.p.chance(0.3):
            peepholes = [self.leaf((units,), x.element) for _ in range(3)]
            operands += peepholes
            of_c += peepholes[:2]
        if outputs:
            operands.append(self.leaf((units, outputs), x.element))
        settings = [self.p.pick(["", "", "forget_bias = 0.0 : f64",
                                 "forget_bias = 0.3 : f64"])]
        if self.p.chance(0.3):
            settings.append(f"cell_clip = {self.p.pick([0.25, 1.0, 3.0])} : f64")
        if outputs and self.p.chance(0.3):
            settings.append(f"proj_clip = {self.p.pick([0.125, 0.7])} : f64")
        attributes = ", ".join(filter(None, settings))
        # The output gate and the projection make `h` alone.
        self.emit_results("lstm_cell", operands, [(state, x.element, of_c),
                                                  (h_shape, x.element, operands)],
                          attributes)
