# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of ops that arrange elements. Each method appends one op."""
from values import BOOL, FLOATS, INTS, MAX_ELEMENTS, Value, count


def array(numbers):
    return "array<i64" + (": " + ", ".join(map(str, numbers)) if numbers
                          else "") + ">"


class ArrangeOps:
    """Of a graph."""

    def arrange(self):
        op = self.p.pick(["expand_dims", "squeeze", "pad", "pad", "tile",
                          "reverse", "roll", "stack", "strided_slice",
                          "strided_slice", "zeros_like", "ones_like", "fill"])
        x = self.value(FLOATS + INTS + (BOOL,))
        made = getattr(self, "_" + op)(x)
        if made and count(made[0]) <= 2 * MAX_ELEMENTS:
            shape, attributes, operands = made
            passes = [] if op.endswith("_like") else operands
            self.emit(op, operands, shape, x.element, attributes,
                      passes=passes)

    def _axis(self, rank):
        axis = self.p.rng.randrange(rank)
        return axis, axis - rank if self.p.chance(0.3) else axis

    def _expand_dims(self, x):
        axis, written = self._axis(len(x.shape) + 1)
        shape = list(x.shape)
        shape.insert(axis, 1)
        return shape, f"axis = {written} : i64", [x]

    def _squeeze(self, x):
        return [d for d in x.shape if d != 1], "", [x]

    def _pad(self, x):
        mode = self.p.pick(["CONSTANT", "CONSTANT", "REFLECT", "SYMMETRIC",
                            "EDGE"])
        paddings = []
        for d in x.shape:
            most = {"CONSTANT": 5, "EDGE": 5 if d else 0, "SYMMETRIC": d,
                    "REFLECT": max(d - 1, 0)}[mode]
            paddings += [self.p.rng.randint(0, min(most, 5))
                         if self.p.chance(0.6) else 0 for _ in range(2)]
        text = f'paddings = {array(paddings)}, mode = "{mode}"'
        if mode == "CONSTANT" and self.p.chance(0.5):
            text += ", constant_values = 1.0 : f64"
        return [d + a + b for d, a, b in
                zip(x.shape, paddings[::2], paddings[1::2])], text, [x]

    def _tile(self, x):
        multiples = [self.p.pick([1, 1, 2, 3]) for _ in x.shape]
        return [d * m for d, m in zip(x.shape, multiples)], \
            f"multiples = {array(multiples)}", [x]

    def _axes(self, x):
        return [i - len(x.shape) if self.p.chance(0.3) else i
                for i in range(len(x.shape)) if self.p.chance(0.5)]

    def _reverse(self, x):
        return x.shape, f"axis = {array(self._axes(x))}", [x]

    def _roll(self, x):
        axes = self._axes(x)
        shifts = [self.p.rng.randint(-40, 40) for _ in axes]
        return x.shape, f"shift = {array(shifts)}, axis = {array(axes)}", [x]

    def _stack(self, x):
        def fits(v):
            return v.element == x.element and v.shape == x.shape
        xs = [x] + [self.find(fits, lambda: x)
                    for _ in range(self.p.rng.randint(0, 2))]
        axis, written = self._axis(len(x.shape) + 1)
        shape = list(x.shape)
        shape.insert(axis, len(xs))
        return shape, f"axis = {written} : i64", xs

    def _zeros_like(self, x):
        return x.shape, "", [x]

    _ones_like = _zeros_like

    def _fill(self, x):
        if x.shape:
            return None
        shape = self.p.shape()
        return shape, f"dims = {array(shape)}", [x]

    def _strided_slice(self, x):
        begin, end, strides, shape = [], [], [], []
        masks = {"begin": 0, "end": 0, "new_axis": 0, "shrink_axis": 0}
        for d in x.shape[:self.p.rng.randint(0, len(x.shape))]:
            if self.p.chance(0.15):
                masks["new_axis"] |= 1 << len(begin)
                begin, end, strides = begin + [0], end + [0], strides + [1]
                shape.append(1)
            place = len(begin)
            begin.append(self.p.rng.randint(-d - 1, d + 1))
            end.append(self.p.rng.randint(-d - 1, d + 1))
            strides.append(self.p.pick([1, 1, 2, 3, -1, -1, -2]))
            if d and self.p.chance(0.2):
                begin[-1], strides[-1] = self.p.rng.randint(-d, d - 1), 1
                masks["shrink_axis"] |= 1 << place
                continue
            from_first, to_last = self.p.chance(0.5), self.p.chance(0.5)
            masks["begin"] |= from_first << place
            masks["end"] |= to_last << place
            taken = slice(None if from_first else begin[-1],
                          None if to_last else end[-1], strides[-1])
            shape.append(len(range(d)[taken]))
        entries = len(begin) - bin(masks["new_axis"]).count("1")
        shape += x.shape[entries:]
        texts = [f"begin = {array(begin)}", f"end = {array(end)}",
                 f"strides = {array(strides)}"]
        texts += [f"{name}_mask = {mask} : i64"
                  for name, mask in masks.items() if mask]
        return shape, ", ".join(texts), [x]

    def parts(self):
        """Ops with several results."""
        x = self.value(FLOATS + INTS + (BOOL,), least_rank=1)
        axis, written = self._axis(len(x.shape))
        size = x.shape[axis]
        if self.p.chance(0.4):
            if not 0 < size <= 8:
                return
            op, text = "unstack", ""
            shapes = [x.shape[:axis] + x.shape[axis + 1:]] * size
        else:
            parts = [self.p.rng.randint(0, size)]
            parts.append(size - parts[0])
            written_parts = parts[:1] + [-1] if self.p.chance(0.5) else parts
            op, text = "split", f", size_splits = {array(written_parts)}"
            shapes = [x.shape[:axis] + (part,) + x.shape[axis + 1:]
                      for part in parts]
        values = [Value(self.fresh(), shape, x.element, x.sources, x.opaque)
                  for shape in shapes]
        names = ", ".join(v.name for v in values)
        types = ", ".join(v.type for v in values)
        attributes = self.with_device(f"axis = {written} : i64{text}")
        self.lines.append(f"{names} = tfir.{op} {x.name}{attributes} : "
                          f"({x.type}) -> ({types})")
        self.values += values
        self.ops += 1
