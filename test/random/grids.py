# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of ops on matrices, images and sequences. Each method appends one op."""
from arrange import array
from values import BOOL, F32, FLOATS, I32, I64, INTS, MAX_ELEMENTS, Value, count


class GridOps:
    """Of a graph."""

    def grid(self):
        op = self.p.pick(["iota", "eye", "shape", "size", "rank", "diag",
                          "diag_part", "matrix_diag", "matrix_diag_part",
                          "matrix_band_part", "triu", "tril", "linspace"])
        made = getattr(self, "_" + op)()
        if made and count(made[0]) <= 2 * MAX_ELEMENTS:
            shape, element, attributes, operands = made
            passes = [] if op in ("shape", "size", "rank") else operands
            # One number is the first operand.
            if op == "linspace" and shape == (1,):
                passes = operands[:1]
            self.emit(op, operands, shape, element, attributes, passes=passes)

    def _iota(self):
        shape, element = self.p.shape(), self.p.pick(FLOATS + INTS)
        # Its text has no operands.
        value = Value(self.fresh(), shape, element)
        self.lines.append(f"{value.name} = tfir.iota : {value.type}")
        self.values.append(value)
        self.ops += 1

    def _eye(self):
        shape = [self.p.pick(self.p.dims) for _ in range(2)]
        return shape, self.p.pick(FLOATS + INTS + (BOOL,)), \
            f"num_rows = {shape[0]} : i64, num_columns = {shape[1]} : i64", []

    def _number(self, shape_of):
        x = self.value(FLOATS + INTS)
        return shape_of(x), self.p.pick([I32, I64]), "", [x]

    def _shape(self):
        return self._number(lambda x: (len(x.shape),))

    def _size(self):
        return self._number(lambda x: ())

    _rank = _size

    def _diag(self):
        x = self.value(FLOATS + INTS + (BOOL,))
        return x.shape * 2, x.element, "", [x]

    def _diag_part(self):
        def fits(v):
            half = len(v.shape) // 2
            return v.shape[:half] == v.shape[half:] and v.element in FLOATS
        size = self.p.pick(self.p.dims)
        x = self.find(fits, lambda: self.leaf((size, size), F32))
        return x.shape[:len(x.shape) // 2], x.element, "", [x]

    def _matrix_diag(self):
        x = self.value(FLOATS + INTS + (BOOL,), least_rank=1)
        return x.shape + x.shape[-1:], x.element, "", [x]

    def _matrix_diag_part(self):
        x = self.value(FLOATS + INTS + (BOOL,), least_rank=2)
        return x.shape[:-2] + (min(x.shape[-2:]),), x.element, "", [x]

    def _band(self, attributes):
        x = self.value(FLOATS + INTS + (BOOL,), least_rank=2)
        return x.shape, x.element, attributes, [x]

    def _matrix_band_part(self):
        return self._band(f"num_lower = {self.p.rng.randint(-1, 9)} : i64, "
                          f"num_upper = {self.p.rng.randint(-1, 9)} : i64")

    def _triu(self):
        return self._band(f"diagonal = {self.p.rng.randint(-9, 9)} : i64")

    _tril = _triu

    def _linspace(self):
        x = self.value([F32], rank=0)
        num = self.p.pick([1, 2, 7, 100])
        return (num,), F32, f"num = {num} : i64", [x, self.partner_scalar(x)]

    def partner_scalar(self, x):
        return self.find(lambda v: v.element == x.element and not v.shape,
                         lambda: self.leaf((), x.element))

    def spatial(self):
        x = self.images()
        b, h, w, c = x.shape
        op = self.p.pick(["flip_left_right", "flip_up_down", "resize_nearest",
                          "resize_bilinear", "resize_bicubic", "space_to_depth",
                          "extract_patches", "space_to_batch",
                          "reverse_sequence"])
        shape, attributes, operands = x.shape, "", [x]
        if op.startswith("resize"):
            size = (self.p.pick([1, 2, 3, 5, 8]), self.p.pick([1, 2, 4, 7]))
            shape = (b, *size, c)
            mark = self.p.pick(["", ", align_corners", ", half_pixel_centers"])
            attributes = f"size = {array(size)}{mark}"
        elif op == "space_to_depth":
            n = self.p.pick([n for n in (1, 2, 3) if h % n == w % n == 0])
            shape = (b, h // n, w // n, c * n * n)
            attributes = f"block_size = {n} : i64"
        elif op == "space_to_batch":
            n = self.p.pick([1, 2, 3])
            shape = (b * n, -(-h // n), w, c)
            attributes = (f"block_shape = {array([n])}, "
                          f"paddings = {array([0, -h % n])}")
        elif op == "extract_patches":
            kernel = (self.p.pick([1, 2, 3]), self.p.pick([1, 2]))
            strides = (self.p.pick([1, 2]), self.p.pick([1, 2, 3]))
            shape = (b, -(-h // strides[0]), -(-w // strides[1]),
                     c * kernel[0] * kernel[1])
            attributes = f"ksizes = {array(kernel)}, strides = {array(strides)}"
        elif op == "reverse_sequence":
            lengths = self.leaf_const(
                (b,), I32, str([self.p.rng.randint(0, h) for _ in range(b)]))
            operands, attributes = [x, lengths], "seq_axis = 1 : i64"
        if count(shape) <= 4 * MAX_ELEMENTS:
            self.emit(op, operands, shape, x.element, attributes,
                      passes=[x])
