# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of ops that work on elements, axes and sums. Each method appends one op."""
from values import BOOL, F32, F64, FLOATS, HALVES, I32, I64, INTS, U8, Value, broadcast


STEPS = ("round", "rint", "trunc")
FUNCTIONS = STEPS + ("expm1", "erfc", "tan", "asin", "acos", "atan", "sinh",
                     "cosh", "asinh", "acosh", "atanh")
ACTIVATIONS = ("leaky_relu", "elu", "selu", "celu", "softsign", "swish",
               "hard_sigmoid", "hard_swish", "mish", "log_sigmoid", "gelu")


class ElementwiseOps:
    """Of a graph."""

    def unary(self):
        op = self.p.pick(
            ["neg", "abs", "square", "sign", "floor", "ceil", "sqrt", "rsqrt",
             "reciprocal", "exp", "log", "log1p", "tanh", "tanh", "sigmoid",
             "softplus", "erf", "sin", "cos", "relu", "relu", "relu6",
             "identity", "stop_gradient", *FUNCTIONS, *ACTIVATIONS])
        x = self.value(FLOATS)
        if op in ("sqrt", "rsqrt", "log") and self.p.chance(0.8):
            x = self.positive(x)
        if op == "exp" and self.p.chance(0.7):
            x = self.emit("tanh", [x], x.shape, x.element)
        passes = [] if op in ("sign", "floor", "ceil", "stop_gradient",
                              *STEPS) else [x]
        self.emit(op, [x], x.shape, x.element, passes=passes)

    def positive(self, x):
        if self.p.chance(0.5):
            return self.emit("softplus", [x], x.shape, x.element)
        one = self.leaf_const((), x.element, "0.5")
        x = self.emit("abs", [x], x.shape, x.element)
        return self.emit("add", [x, one], x.shape, x.element)

    def unary_int(self):
        op = self.p.pick(["neg", "abs", "square", "identity", "invert"])
        x = self.value(INTS)
        self.emit(op, [x], x.shape, x.element)

    def binary(self):
        op = self.p.pick(["add", "add", "sub", "mul", "mul", "div", "maximum",
                          "minimum", "squared_difference", "pow"])
        x = self.value(FLOATS)
        y = self.partner(x)
        if op == "pow" and self.p.chance(0.9):
            x = self.positive(x)
        if op == "div" and self.p.chance(0.8):
            y = self.positive(y)
        if op != "pow" and self.p.chance(0.5):
            x, y = y, x
        self.emit(op, [x, y], broadcast(x.shape, y.shape), x.element)

    def binary_int(self):
        op = self.p.pick(["add", "sub", "mul", "div", "maximum", "minimum",
                          "squared_difference", "floordiv", "floormod",
                          "bitwise_and", "bitwise_or", "bitwise_xor",
                          "left_shift", "right_shift"])
        x = self.value(INTS)
        y = self.partner(x)
        self.emit(op, [x, y], broadcast(x.shape, y.shape), x.element)

    def compare(self):
        op = self.p.pick(["equal", "not_equal", "less", "less_equal", "greater",
                          "greater_equal"])
        x = self.value(FLOATS + INTS)
        y = self.partner(x)
        self.emit(op, [x, y], broadcast(x.shape, y.shape), BOOL, passes=[])

    def logical(self):
        op = self.p.pick(["logical_and", "logical_or", "logical_xor", "logical_not"])
        x = self.value([BOOL])
        if op == "logical_not":
            return self.emit(op, [x], x.shape, BOOL)
        y = self.partner(x)
        return self.emit(op, [x, y], broadcast(x.shape, y.shape), BOOL)

    def select(self):
        x = self.value(FLOATS + INTS)
        y = self.partner(x)
        shape = broadcast(x.shape, y.shape)
        c = self.partner(Value("", shape, BOOL))
        self.emit("select", [c, x, y], broadcast(c.shape, shape), x.element,
                  passes=[x, y])

    def cast(self):
        x = self.value(FLOATS + INTS + (BOOL,))
        to = self.p.pick([F32, F32, F64, *INTS, BOOL])
        # Negative numbers are none of these types.
        if x.element in FLOATS and to.startswith("u"):
            x = self.positive(x)
        passes = [x] if x.element in FLOATS and to in FLOATS else []
        self.emit("cast", [x], x.shape, to, passes=passes)

    def half(self):
        """An op between casts to 16 bits and back. Its gradient is rounded to 16 bits as
        well, and not compared (test/ops/halves.py does)."""
        x = self.value([F32])
        x = self.emit("stop_gradient", [x], x.shape, F32, passes=[])
        element = self.p.pick(HALVES)
        y = self.emit("cast", [x], x.shape, element, passes=[])
        op = self.p.pick(["neg", "relu", "abs", "square", "add", "maximum", "sum", "tanh"])
        operands = [y, y] if op in ("add", "maximum") else [y]
        shape = () if op == "sum" else x.shape
        y = self.emit(op, operands, shape, element, passes=[])
        self.emit("cast", [y], shape, F32, passes=[])

    def bitcast(self):
        kinds = [F32, I32, "ui32"], [F64, I64, "ui64"], [U8, "i8"], ["i16", "ui16"]
        x = self.value([kind for same in kinds for kind in same])
        same = next(same for same in kinds if x.element in same)
        to = self.p.pick(same)
        # Floats become integers: what is a float again would be asked for a gradient,
        # which this op has not.
        if x.element in FLOATS and to == x.element:
            to = same[1]
        self.emit("bitcast", [x], x.shape, to, passes=[])

    def reduce(self):
        op = self.p.pick(["sum", "mean", "max", "min", "sum", "mean"])
        x = self.value(FLOATS if op == "mean" or self.p.chance(0.8) else INTS)
        rank = len(x.shape)
        attributes, axes = [], list(range(rank))
        if rank and self.p.chance(0.7):
            axes = sorted(self.p.rng.sample(axes, self.p.rng.randint(0, rank)))
            texts = [str(a - rank if self.p.chance(0.2) else a) for a in axes]
            array = "array<i64" + (": " + ", ".join(texts) if texts else "") + ">"
            attributes.append(f"axes = {array}")
        keep = self.p.chance(0.3)
        if keep:
            attributes.append("keep_dims")
        shape = [1 if i in axes else d for i, d in enumerate(x.shape)
                 if keep or i not in axes]
        self.emit(op, [x], shape, x.element, ", ".join(attributes))

    def arg_max(self):
        x = self.value(FLOATS + INTS, least_rank=1)
        axis = self.p.rng.randrange(len(x.shape))
        if x.shape[axis] == 0:
            return
        shape = x.shape[:axis] + x.shape[axis + 1:]
        self.emit("arg_max", [x], shape, I64, f"axis = {axis} : i64", passes=[])
