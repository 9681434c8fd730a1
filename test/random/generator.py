# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of the language tfir: typed, valid, from a seed.

A program is a list of values; each step of the generator picks an op that fits
values that are there, makes the operands that are missing, and appends the
result. One op is one line, which is what reduce.py relies on.
"""
import random

F32, F64, I32, I64, U8, BOOL = "f32", "f64", "i32", "i64", "ui8", "i1"
FLOATS, INTS = (F32, F64), (I32, I64, U8)
DIMS = [1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 33, 64, 65, 100]
MAX_ELEMENTS = 6000


def count(shape):
    n = 1
    for dim in shape:
        n *= dim
    return n


def type_text(shape, element):
    return f"tensor<{''.join(f'{d}x' for d in shape)}{element}>"


def broadcast(x, y):
    """The shape to which both broadcast; None if they do not."""
    rank = max(len(x), len(y))
    x, y = (1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y
    if any(a != b and a != 1 and b != 1 for a, b in zip(x, y)):
        return None
    return tuple(b if a == 1 else a for a, b in zip(x, y))


class Value:
    """A value of a graph.

    `sources` are the names of values (and variables) by which it can be
    differentiated; `opaque` ones come from ops that have no gradient.
    """

    def __init__(self, name, shape, element, sources=(), opaque=False):
        self.name, self.shape, self.element = name, tuple(shape), element
        self.sources = frozenset(sources) | {name} if element in FLOATS \
            else frozenset()
        self.opaque = opaque and element in FLOATS

    @property
    def type(self):
        return type_text(self.shape, self.element)


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
        if element == U8:
            return str(self.pick([0, 1, 2, 3, 7, 255, self.rng.randint(0, 255)]))
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


class Graph:
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

    # Families of ops. Each appends one op, or some.
    def unary(self):
        op = self.p.pick(
            ["neg", "abs", "square", "sign", "floor", "ceil", "sqrt", "rsqrt",
             "reciprocal", "exp", "log", "log1p", "tanh", "tanh", "sigmoid",
             "softplus", "erf", "sin", "cos", "relu", "relu", "relu6",
             "identity", "stop_gradient"])
        # Functions beyond the basic ones are there for f32 only.
        plain = ("neg", "abs", "square", "sign", "floor", "ceil", "sqrt",
                 "rsqrt", "reciprocal", "relu", "relu6", "identity",
                 "stop_gradient")
        x = self.value(FLOATS if op in plain else [F32])
        if op in ("sqrt", "rsqrt", "log") and self.p.chance(0.8):
            x = self.positive(x)
        if op == "exp" and self.p.chance(0.7):
            x = self.emit("tanh", [x], x.shape, x.element)
        passes = [] if op in ("sign", "floor", "ceil", "stop_gradient") else [x]
        self.emit(op, [x], x.shape, x.element, passes=passes)

    def positive(self, x):
        if x.element == F32 and self.p.chance(0.5):
            return self.emit("softplus", [x], x.shape, x.element)
        one = self.leaf_const((), x.element, "0.5")
        x = self.emit("abs", [x], x.shape, x.element)
        return self.emit("add", [x, one], x.shape, x.element)

    def unary_int(self):
        op = self.p.pick(["neg", "abs", "square", "identity"])
        x = self.value(INTS)
        self.emit(op, [x], x.shape, x.element)

    def binary(self):
        op = self.p.pick(["add", "add", "sub", "mul", "mul", "div", "maximum",
                          "minimum", "squared_difference", "pow"])
        x = self.value(FLOATS if op != "pow" else [F32])
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
                          "squared_difference"])
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
        op = self.p.pick(["logical_and", "logical_or", "logical_not"])
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
        to = self.p.pick([F32, F32, F64, I32, I64, U8, BOOL])
        if x.element in FLOATS and to == U8:
            x = self.positive(x)
        passes = [x] if x.element in FLOATS and to in FLOATS else []
        self.emit("cast", [x], x.shape, to, passes=passes)

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

    def images(self):
        small = [1, 2, 3, 4, 5, 7, 8]
        shape = (self.p.pick([1, 2, 3]), self.p.pick(small), self.p.pick(small),
                 self.p.pick([1, 2, 3, 8, 17]))
        return self.find(
            lambda v: v.element == F32 and len(v.shape) == 4 and
            count(v.shape) and max(v.shape[1:3]) <= 17,
            lambda: self.leaf(shape, F32))

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
        f = self.find(lambda v: v.element == F32 and v.shape == shape,
                      lambda: self.leaf(shape, F32))
        out = [self.window(d, k, s, same)
               for d, k, s in zip(x.shape[1:3], kernel, strides)]
        self.emit("conv2d", [x, f], (x.shape[0], *out, shape[3]), F32,
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
                  (x.shape[0], *out, x.shape[3]), F32,
                  f"ksize = array<i64: {k[0]}, {k[1]}>, strides = array<i64: "
                  f"{s[0]}, {s[1]}>, padding = \"{'SAME' if same else 'VALID'}\"")

    def softmax(self):
        x = self.value([F32], least_rank=1)
        if x.shape[-1] == 0:
            return
        self.emit(self.p.pick(["softmax", "log_softmax"]), [x], x.shape, F32)

    def cross_entropy(self):
        x = self.value([F32], rank=2)
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
            raw = self.leaf((rows, classes), F32)
            labels = self.emit("softmax", [raw], raw.shape, F32)
            op = "softmax_cross_entropy_with_logits"
        loss, back = self.fresh(), self.fresh()
        loss_value = Value(loss, (rows,), F32, x.sources, x.opaque)
        back_value = Value(back, x.shape, F32, x.sources, True)
        self.lines.append(
            f"{loss}, {back} = tfir.{op} {x.name}, {labels.name} : "
            f"({x.type}, {labels.type}) -> ({loss_value.type}, {back_value.type})")
        self.values += [loss_value, back_value]
        self.ops += 1

    def leaf_const(self, shape, element, number):
        value = Value(self.fresh(), shape, element)
        text = f"dense<{number}>" if count(shape) else "dense<>"
        self.lines.append(f"{value.name} = tfir.const {text} : {value.type}")
        self.values.append(value)
        return value

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

    def bias_add(self):
        x = self.value(FLOATS + INTS, least_rank=1)
        b = self.find(lambda v: v.element == x.element and
                      v.shape == x.shape[-1:],
                      lambda: self.leaf(x.shape[-1:], x.element))
        self.emit("bias_add", [x, b], x.shape, x.element)

    def dropout(self):
        x = self.value([F32])
        self.emit("dropout", [x], x.shape, F32,
                  f"keep_prob = {self.p.pick([0.3, 0.5, 0.9, 1.0])} : f64")

    def l2_loss(self):
        x = self.value([F32])
        self.emit("l2_loss", [x], (), F32)

    def assign(self):
        """Writes a variable, with a value of its type."""
        if not self.p.variables:
            return
        name, shape, element, _ = self.p.pick(self.p.variables)
        x = self.find(lambda v: v.element == element and v.shape == shape,
                      lambda: self.leaf(shape, element))
        op = self.p.pick(["assign", "assign_add", "assign_sub"])
        if element == F32:
            x = self.emit("tanh", [x], shape, element)
        attributes = self.with_device("")
        self.lines.append(f"tfir.{op} @{name}, {x.name}{attributes} : {x.type}")
        self.ops += 1

    def scalar_of(self, value):
        if value.shape:
            value = self.emit(self.p.pick(["mean", "mean", "sum"]), [value], (),
                              value.element)
        if value.element != F32:
            value = self.emit("cast", [value], (), F32)
        return value

    def gradients(self):
        ys = [v for v in self.values if v.element in FLOATS and not v.opaque and
              len([s for s in v.sources if s.startswith("%")]) > 1]
        if not ys:
            return
        y = self.p.pick(ys)
        by_name = {v.name: v for v in self.values}
        xs = [by_name[s] for s in sorted(y.sources)
              if s in by_name and s != y.name and
              count(by_name[s].shape) <= 400]
        if not xs:
            return
        xs = self.p.rng.sample(xs, min(len(xs), self.p.pick([1, 1, 2, 3])))
        results = [Value(self.fresh(), x.shape, x.element, (), True) for x in xs]
        self.lines.append(
            f"{', '.join(r.name for r in results)} = tfir.gradients {y.name}, "
            f"{', '.join(x.name for x in xs)} : ({y.type}, "
            f"{', '.join(x.type for x in xs)}) -> "
            + (results[0].type if len(results) == 1 else
               f"({', '.join(r.type for r in results)})"))
        self.values += results
        self.ops += 1

    def minimize(self):
        trainable = {f"@{v[0]}" for v in self.p.variables
                     if "trainable" not in v[3] and v[2] in FLOATS and
                     count(v[1]) <= 400}
        large = {f"@{v[0]}" for v in self.p.variables if count(v[1]) > 400}
        ys = [v for v in self.values if v.element in FLOATS and not v.opaque and
              v.sources & trainable and not v.sources & large]
        if not ys:
            return
        loss = self.scalar_of(self.p.pick(ys))
        rate = self.p.pick(
            ["0.01", "0.1", "#tfir.exponential_decay<initial = 0.1, decay_steps "
             "= 2, decay_rate = 0.5, staircase = true>",
             "#tfir.exponential_decay<initial = 0.1, decay_steps = 3, "
             "decay_rate = 0.9>"])
        optimizer = self.p.pick(
            [f"sgd<learning_rate = {rate}>",
             f"momentum<learning_rate = {rate}, momentum = 0.9>",
             f"momentum<learning_rate = {rate}, momentum = 0.5, nesterov = true>",
             f"adagrad<learning_rate = {rate}>",
             f"rmsprop<learning_rate = {rate}, momentum = "
             f"{self.p.pick(['0.0', '0.9'])}, epsilon = 1.0e-3>",
             f"adam<learning_rate = {rate}, epsilon = 1.0e-3>"])
        self.lines.append(f"tfir.minimize {loss.name} using #tfir.{optimizer}")
        if not self.has_minimize and self.p.chance(0.3):
            flag = self.p.pick(["", ", num_updates"])
            self.lines.append(f"tfir.ema {{decay = 0.9 : f64{flag}}}")
        self.has_minimize = True
        self.ops += 1

    def next_batch(self):
        if not self.p.dataset:
            batch = self.p.pick([1, 2, 5, 16])
            fields = [(f"d{i}", self.p.shape(self.p.pick([0, 1, 2]), 200),
                       self.p.pick([F32, U8, I32]))
                      for i in range(self.p.pick([1, 2]))]
            texts = [f"{n}: {type_text(s, e)}" for n, s, e in fields]
            self.p.dataset = (
                (batch, fields),
                f"tfir.dataset @data({', '.join(texts)}) {{repeat = 0}}")
        batch, fields = self.p.dataset[0]
        values = [Value(self.fresh(), (batch,) + s, e) for _, s, e in fields]
        self.lines.append(
            f"{', '.join(v.name for v in values)} = tfir.next @data : "
            f"{', '.join(v.type for v in values)}")
        self.values += values
        self.ops += 1

    FAMILIES = [
        (unary, 12), (unary_int, 2), (binary, 14), (binary_int, 3), (compare, 3),
        (logical, 1), (select, 4), (cast, 4), (reduce, 8), (arg_max, 1),
        (matmul, 8), (conv2d, 4), (pool, 3), (softmax, 3), (cross_entropy, 3),
        (reshape, 4), (transpose, 3), (slice, 4), (concat, 4),
        (broadcast_to, 2), (one_hot, 1), (bias_add, 2), (dropout, 1),
        (l2_loss, 1), (assign, 3), (gradients, 4), (minimize, 2),
        (next_batch, 1)]

    def build(self):
        families = [f for f, _ in self.FAMILIES]
        weights = [w for _, w in self.FAMILIES]
        tries = 0
        while self.ops < self.p.size and tries < 20 * self.p.size:
            tries += 1
            self.p.rng.choices(families, weights)[0](self)
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
