# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of ops of networks and of shapes. Each method appends one op, or some."""
from values import (BOOL, ENDS, F32, F64, FLOATS, I32, I64, INTS, MAX_ELEMENTS, count)


class ArrayOps:
    """Of a graph."""

    def matmul(self):
        x = self.value([F32], rank=2)
        ta, tb = self.p.chance(0.3), self.p.chance(0.3)
        rows, inner = x.shape[::-1] if ta else x.shape
        columns = self.p.pick(self.p.dims + [1, 10])
        shape = (columns, inner) if tb else (inner, columns)
        if count(shape) > 4 * MAX_ELEMENTS:
            return
        y = self.find(lambda v: v.element == F32 and v.shape == shape,
                      lambda: self.leaf(shape, F32))
        flags = ["transpose_a"] * ta + ["transpose_b"] * tb
        if self.p.chance(0.3) and not ta and not tb and rows == columns:
            x, y, rows, columns = y, x, inner, inner
        self.emit("matmul", [x, y], (rows, columns), F32, ", ".join(flags))

    def other_matmul(self):
        """A product of f64 or of integers."""
        element = self.p.pick([F64, *INTS])
        x = self.value([element], least_rank=2)
        shape = (x.shape[-1], self.p.pick([1, 2, 3, 8]))
        y = self.find(lambda v: v.element == element and v.shape == shape,
                      lambda: self.leaf(shape, element))
        self.emit("matmul", [x, y], (*x.shape[:-1], shape[1]), element)

    def images(self):
        small = [1, 2, 3, 4, 5, 7, 8]
        shape = (self.p.pick([1, 2, 3]), self.p.pick(small), self.p.pick(small),
                 self.p.pick([1, 2, 3, 8, 17]))
        return self.find(
            lambda v: v.element in FLOATS and len(v.shape) == 4 and
            count(v.shape) and max(v.shape[1:3]) <= 17,
            lambda: self.leaf(shape, self.p.pick([F32, F32, F64])))

    def window(self, size, kernel, stride, same):
        return -(-size // stride) if same else (size - kernel + stride) // stride

    def conv2d(self):
        x = self.images()
        kernel = (self.p.pick([1, 2, 3, 5]), self.p.pick([1, 2, 3, 5]))
        strides = (self.p.pick([1, 1, 2, 3]), self.p.pick([1, 1, 2]))
        same = self.p.chance(0.6)
        if not same and any(k > d for k, d in zip(kernel, x.shape[1:3])):
            same = True
        shape = kernel + (x.shape[3], self.p.pick([1, 2, 4, 8, 16, 33]))
        if count(x.shape[:3]) * count(shape) > 400000:
            return
        f = self.find(lambda v: v.element == x.element and v.shape == shape,
                      lambda: self.leaf(shape, x.element))
        out = [self.window(d, k, s, same)
               for d, k, s in zip(x.shape[1:3], kernel, strides)]
        self.emit("conv2d", [x, f], (x.shape[0], *out, shape[3]), x.element,
                  f"strides = array<i64: {strides[0]}, {strides[1]}>, "
                  f"padding = \"{'SAME' if same else 'VALID'}\"")

    def pool(self):
        x = self.images()
        k = (self.p.pick([1, 2, 2, 3]), self.p.pick([1, 2, 2, 3]))
        s = (self.p.pick([1, 2, 2, 3]), self.p.pick([1, 2, 2]))
        same = self.p.chance(0.6) or any(a > d for a, d in zip(k, x.shape[1:3]))
        out = [self.window(d, a, b, same)
               for d, a, b in zip(x.shape[1:3], k, s)]
        self.emit(self.p.pick(["max_pool", "avg_pool"]), [x],
                  (x.shape[0], *out, x.shape[3]), x.element,
                  f"ksize = array<i64: {k[0]}, {k[1]}>, strides = array<i64: "
                  f"{s[0]}, {s[1]}>, padding = \"{'SAME' if same else 'VALID'}\"")

    def softmax(self):
        x = self.value(FLOATS, least_rank=1)
        if x.shape[-1] == 0:
            return
        self.emit(self.p.pick(["softmax", "log_softmax"]), [x], x.shape, x.element)

    def cross_entropy(self):
        x = self.value(FLOATS, rank=2)
        if x.shape[1] == 0:
            return
        rows, classes = x.shape
        if self.p.chance(0.5):
            raw = self.leaf((rows,), self.p.pick([I32, I64]))
            zero = self.leaf_const((rows,), raw.element, "0")
            top = self.leaf_const((rows,), raw.element, str(classes - 1))
            labels = raw
            if self.p.chance(0.9):
                labels = self.emit("maximum", [raw, zero], (rows,), raw.element)
                labels = self.emit("minimum", [labels, top], (rows,), raw.element)
            op = "sparse_softmax_cross_entropy_with_logits"
        else:
            raw = self.leaf((rows, classes), x.element)
            labels = self.emit("softmax", [raw], raw.shape, x.element)
            op = "softmax_cross_entropy_with_logits"
        _, back = self.emit_results(op, [x, labels], [((rows,), x.element, [x]),
                                                      (x.shape, x.element, [x])])
        back.opaque = True

    def reshape(self):
        x = self.value(FLOATS + INTS + (BOOL,))
        n = count(x.shape)
        shape = []
        rest = n
        for _ in range(self.p.rng.randint(0, 3)):
            divisors = [d for d in range(1, min(rest, 100) + 1) if rest % d == 0]
            if not divisors:
                break
            d = self.p.pick(divisors)
            shape.append(d)
            rest //= d
        if rest != 1 or n == 0:
            shape.append(rest)
        self.emit("reshape", [x], shape, x.element)

    def transpose(self):
        x = self.value(FLOATS + INTS)
        perm = list(range(len(x.shape)))
        self.p.rng.shuffle(perm)
        array = "array<i64" + (": " + ", ".join(map(str, perm)) if perm else "")
        self.emit("transpose", [x], [x.shape[i] for i in perm], x.element,
                  f"perm = {array}>")

    def slice(self):
        x = self.value(FLOATS + INTS + (BOOL,))
        begin = [self.p.rng.randint(0, max(0, d - 1)) for d in x.shape]
        size = [self.p.rng.randint(0 if self.p.chance(0.05) else min(1, d - b),
                                   d - b) for d, b in zip(x.shape, begin)]
        texts = [-1 if self.p.chance(0.1) and b + s == d else s
                 for b, s, d in zip(begin, size, x.shape)]

        def array(numbers):
            return "array<i64" + (": " + ", ".join(map(str, numbers))
                                  if numbers else "") + ">"
        self.emit("slice", [x], size, x.element,
                  f"begin = {array(begin)}, size = {array(texts)}")

    def concat(self):
        x = self.value(FLOATS + INTS + (BOOL,), least_rank=1)
        axis = self.p.rng.randrange(len(x.shape))

        def fits(v):
            return v.element == x.element and len(v.shape) == len(x.shape) and \
                v.shape[:axis] == x.shape[:axis] and \
                v.shape[axis + 1:] == x.shape[axis + 1:]
        parts = [x]
        for _ in range(self.p.rng.randint(0, 3)):
            parts.append(self.find(fits, lambda: x))
        self.p.rng.shuffle(parts)
        shape = list(x.shape)
        shape[axis] = sum(v.shape[axis] for v in parts)
        if count(shape) <= 4 * MAX_ELEMENTS:
            self.emit("concat", parts, shape, x.element, f"axis = {axis} : i64")

    def broadcast_to(self):
        x = self.value(FLOATS + INTS + (BOOL,))
        shape = tuple(self.p.pick(self.p.dims) if d == 1 else d for d in x.shape)
        if self.p.chance(0.5):
            shape = (self.p.pick([1, 2, 3]),) + shape
        if count(shape) <= 2 * MAX_ELEMENTS:
            self.emit("broadcast_to", [x], shape, x.element)

    def one_hot(self):
        x = self.value([I32, I64])
        depth = self.p.pick([1, 2, 5, 10])
        if count(x.shape) * depth <= MAX_ELEMENTS:
            self.emit("one_hot", [x], x.shape + (depth,), F32,
                      f"depth = {depth} : i64", passes=[])

    def gather(self):
        x = self.value(FLOATS + INTS + (BOOL,), least_rank=1)
        at = self.value([I32, I64])
        axis = self.p.rng.randrange(len(x.shape))
        shape = x.shape[:axis] + at.shape + x.shape[axis + 1:]
        if count(shape) <= 2 * MAX_ELEMENTS and len(shape) <= 6:
            self.emit("gather", [x, at], shape, x.element,
                      f"axis = {axis - len(x.shape) * self.p.chance(0.2)} : i64",
                      passes=[x])

    def segment(self):
        ids = self.value([I32, I64])
        shape = ids.shape + (self.p.pick(self.p.dims),) * self.p.chance(0.6)
        segments = self.p.pick([1, 2, 5, 40])
        if count(shape) > MAX_ELEMENTS or len(shape) > 6:
            return
        x = self.find(lambda v: v.element in FLOATS + INTS and
                      v.shape[:len(ids.shape)] == ids.shape,
                      lambda: self.leaf(shape, F32))
        # An empty segment has the end of the numbers, which overflows in what follows.
        op = "unsorted_segment_sum" if x.element in FLOATS else self.p.pick(
            ["unsorted_segment_sum", "unsorted_segment_max", "unsorted_segment_min"])
        if x.element in FLOATS and self.p.chance(0.3):
            op = "unsorted_segment_mean"
        self.emit(op, [x, ids],
                  (segments,) + x.shape[len(ids.shape):], x.element,
                  f"num_segments = {segments} : i64", passes=[x])

    def bias_add(self):
        x = self.value(FLOATS + INTS, least_rank=1)
        b = self.find(lambda v: v.element == x.element and
                      v.shape == x.shape[-1:],
                      lambda: self.leaf(x.shape[-1:], x.element))
        self.emit("bias_add", [x, b], x.shape, x.element)

    def dropout(self):
        x = self.value(FLOATS)
        self.emit("dropout", [x], x.shape, x.element,
                  f"keep_prob = {self.p.pick([0.3, 0.5, 0.9, 1.0])} : f64")

    def l2_loss(self):
        x = self.value(FLOATS)
        self.emit("l2_loss", [x], (), x.element)

    def assign(self):
        """Writes a variable, with a value of its type."""
        if not self.p.variables:
            return
        name, shape, element, _ = self.p.pick(self.p.variables)
        if shape and element not in ENDS and self.p.chance(0.3):
            return self.assign_rows(name, shape, element)
        x = self.find(lambda v: v.element == element and v.shape == shape,
                      lambda: self.leaf(shape, element))
        op = self.p.pick(["assign", "assign_add", "assign_sub"])
        if element == F32:
            x = self.emit("tanh", [x], shape, element)
        attributes = self.with_device("")
        self.lines.append(f"tfir.{op} @{name}, {x.name}{attributes} : {x.type}")
        self.ops += 1

    def assign_rows(self, name, shape, element):
        """Updates rows of a variable, or elements by their coordinates."""
        nd = self.p.chance(0.3)
        dims = self.p.rng.randint(1, len(shape)) if nd else 1
        ids = (self.p.pick([1, 3, 8]),)
        at = self.leaf(ids + (dims,) * nd, self.p.pick([I32, I64]))
        rows = self.leaf(ids + shape[dims:], element)
        if element == F32:
            rows = self.emit("tanh", [rows], rows.shape, element)
        how = self.p.pick(["update", "add", "sub", "mul", "div", "min", "max"])
        attributes = self.with_device(f'combine = "{how}"' + (", nd" if nd else ""))
        self.lines.append(f"tfir.assign_rows @{name}, {at.name}, {rows.name}{attributes}"
                          f" : {at.type}, {rows.type}")
        self.ops += 1
