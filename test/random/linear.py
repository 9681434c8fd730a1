# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra, crops of images, Fourier transforms and draws of random
programs. Each method appends one op, and what it needs."""
from values import BOOL, F32, F64, FLOATS, I32, I64, INTS, count


class LinearOps:
    """Of a graph."""

    def _square(self, element):
        """Matrices that are far from singular, most of the time."""
        batch = self.p.pick([(), (), (2,), (3, 1)])
        size = self.p.pick([1, 2, 3, 5])
        shape = batch + (size, size)
        x = self.leaf(shape, element)
        if element == F32:
            x = self.emit("tanh", [x], shape, element)
        rows = f"num_rows = {size} : i64, num_columns = {size} : i64"
        eye = self.emit("eye", [], (size, size), element, rows)
        many = self.emit("mul", [eye, self.leaf_const((), element, "9.0")],
                         (size, size), element)
        return self.emit("add", [x, many], shape, element)

    def linear(self):
        op = self.p.pick(["cholesky", "triangular_solve", "matrix_solve",
                          "matrix_inverse", "matrix_determinant", "trace",
                          "matrix_transpose"])
        if op in ("trace", "matrix_transpose"):
            x = self.value(FLOATS + INTS, least_rank=2)
            shape = x.shape[:-2]
            self.emit(op, [x], shape if op == "trace" else
                      shape + x.shape[:-3:-1], x.element)
            return
        x = self._square(self.p.pick([F32, F32, F64]))
        shape, operands, words = x.shape, [x], []
        if op.endswith("solve"):
            shape = shape[:-1] + (self.p.pick([1, 2, 4]),)
            operands.append(self.leaf(shape, x.element))
        if op == "triangular_solve" and self.p.chance(0.5):
            words.append("lower = false")
        if op not in ("cholesky", "matrix_determinant") and self.p.chance(0.5):
            words.append("adjoint")
        if op == "matrix_determinant":
            shape = shape[:-2]
        self.emit(op, operands, shape, x.element, ", ".join(words))

    def spectral(self):
        op = self.p.pick(["fft", "ifft", "rfft", "irfft"])
        element = self.p.pick([F32, F32, F64])
        batch = self.p.pick([(), (2,), (3, 1)])
        size = self.p.pick([1, 2, 3, 4, 5, 6, 8, 12])
        x = self.leaf(batch + (size,) + (() if op == "rfft" else (2,)), element)
        if op.startswith("r"):
            shape = batch + (size // 2 + 1, 2)
        elif op.startswith("ir"):
            if size == 1:
                return
            shape = batch + (2 * (size - 1),)
        else:
            shape = x.shape
        self.emit(op, [x], shape, element)

    def crop(self):
        if self.p.chance(0.3):
            x = self.leaf((self.p.pick([1, 4]), 5, 1), F32)
            self.emit("grayscale_to_rgb", [x], x.shape[:-1] + (3,), F32)
            return
        boxes = self.p.pick([1, 3])
        operands = [self.leaf((2, 5, 4, self.p.pick([1, 3])), F32),
                    self.leaf((boxes, 4), F32), self.leaf((boxes,), I32)]
        size = [self.p.pick([1, 3, 6]), self.p.pick([1, 4])]
        text = f"crop_size = array<i64: {size[0]}, {size[1]}>"
        if self.p.chance(0.4):
            text += ', method = "nearest"'
        self.emit("crop_and_resize", operands,
                  (boxes, *size, operands[0].shape[3]), F32, text,
                  passes=operands[:1])

    def draw(self):
        op = self.p.pick(["bernoulli", "multinomial", "random_shuffle", "random_gamma",
                          "random_uniform_like", "random_normal_like",
                          "truncated_normal_like"])
        if op.endswith("_like"):
            x = self.value(FLOATS + INTS + (BOOL,))
            self.emit(op, [x], x.shape, F32, passes=[])
        elif op == "random_shuffle":
            x = self.value(FLOATS + INTS + (BOOL,), least_rank=1)
            self.emit(op, [x], x.shape, x.element)
        elif op == "multinomial":
            x = self.leaf((self.p.pick([1, 3]), self.p.pick([1, 2, 7])), F32)
            samples = self.p.pick([1, 4])
            self.emit(op, [x], (x.shape[0], samples), I64,
                      f"num_samples = {samples} : i64", passes=[])
        elif op == "bernoulli":
            x = self.value([F32])
            self.emit(op, [x], x.shape, I32, passes=[])
        else:
            x = self.leaf((self.p.pick([1, 3]),), F32)
            if count(x.shape):
                self.emit(op, [x], (4, *x.shape), F32,
                          "shape = array<i64: 4>", passes=[])
