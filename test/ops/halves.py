# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats of 16 bits, f16 and bf16: casts with special values, ops that compute in f32
and round once, what moves elements, products, gradients."""
import numpy as np

import harness
from harness import Case, Fetch, graph
from opcases import normal, uniform

# The digits of a number, and half a unit in the last place at most.
LAST_PLACE = {"bf16": 2.0 ** -7, "f16": 2.0 ** -10}


def rounded(value, element):
    """The nearest numbers of the type, as f32."""
    value = np.asarray(value, np.float32)
    if element == "f16":
        with np.errstate(over="ignore"):
            return value.astype(np.float16).astype(np.float32)
    bits = np.atleast_1d(value).view(np.uint32).astype(np.int64)
    bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000
    made = bits.astype(np.uint32).view(np.float32).reshape(value.shape)
    return np.where(np.isnan(value), np.float32(np.nan), made).astype(np.float32)


def kind(shape, element):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def half_case(name, element, operands, body, want, made=None, rel=0.0, result=None,
              gradient_of=()):
    """A case whose operands are cast to %x0, %x1, ... before `body`, which makes %h, of
    the type `made` or like its reference; it is cast back."""
    feeds = {f"a{i}": value for i, value in enumerate(operands)}
    text = ""
    for i, value in enumerate(operands):
        if value.dtype == np.float32:
            text += (f"%x{i} = tfir.cast %a{i} : ({kind(value.shape, 'f32')}) -> "
                     f"{kind(value.shape, element)}\n")
        else:
            text += (f"%x{i} = tfir.reshape %a{i} : ({harness.type_of(value)}) -> "
                     f"{harness.type_of(value)}\n")
    want = np.asarray(want)
    if want.dtype.kind == "f":
        want = want.astype(np.float32)
    made = made or kind(want.shape, element)
    result = result or harness.type_of(want)
    text += body.replace("ELEMENT", element)
    text += f"\n%y = tfir.cast %h : ({made}) -> {result}"
    return Case(name, graph(name, feeds, text, {"y": result}), feeds,
                {"y": Fetch(want, rel=rel, floor=1e-30)}, gradient_of=gradient_of)


def double(value):
    return value.astype(np.float64)


SPECIAL = np.array(
    [0, -0.0, 1, -1, 0.1, 1 / 3, 1.00390625, 1.01171875, 65504, 65519.9, 65520, 65536,
     -65520, 1e5, 3.4e38, 3.3895314e38, -3.4e38, 6.1e-5, 6e-5, 5.97e-8, 2.98e-8, 2.99e-8,
     8.9e-8, 1e-30, 1.2e-38, 1e-39, np.inf, -np.inf, np.nan, 2049, 2051, 4098, 257, 259],
    np.float32)


def cast_cases(element):
    for name, x in (("special", SPECIAL), ("many", normal(1, 4099)),
                    ("rows", normal(2, 3, 5))):
        yield half_case(f"cast_{name}_{element}", element, [x],
                        "%h = tfir.identity %x0 : (TYPE) -> TYPE".replace(
                            "TYPE", kind(x.shape, element)), rounded(x, element))
    for name, x, kind_of in (
            ("i32", np.arange(-300, 300, 7, dtype=np.int32), "i32"),
            ("i64", np.arange(-70000, 70000, 1999, dtype=np.int64), "i64"),
            ("u8", np.arange(256, dtype=np.uint8), "ui8"),
            ("bool", np.array([True, False, True]), "i1"),
            ("f64", double(normal(3, 77)), "f64")):
        yield half_case(
            f"cast_{name}_{element}", element, [x],
            f"%h = tfir.cast %x0 : ({kind(x.shape, kind_of)}) -> "
            f"{kind(x.shape, element)}", rounded(x.astype(np.float32), element))
    x = uniform(4, -200, 200, 65)
    for to, dtype in (("i32", np.int32), ("i64", np.int64), ("i1", bool),
                      ("f64", np.float64)):
        want = rounded(x, element).astype(dtype)
        yield half_case(
            f"to_{to}_{element}", element, [x],
            f"%h = tfir.cast %x0 : ({kind(x.shape, element)}) -> {kind(x.shape, to)}",
            want, made=kind(x.shape, to),
            result=kind(x.shape, "f32" if to == "f64" else to))
    other = "f16" if element == "bf16" else "bf16"
    yield half_case(
        f"to_other_{element}", element, [x],
        f"%o = tfir.cast %x0 : ({kind(x.shape, element)}) -> {kind(x.shape, other)}\n"
        f"%h = tfir.cast %o : ({kind(x.shape, other)}) -> {kind(x.shape, element)}",
        rounded(rounded(rounded(x, element), other), element))


UNARY = {"neg": np.negative, "abs": np.abs, "square": np.square, "relu": None,
         "floor": np.floor, "exp": np.exp, "tanh": np.tanh, "rsqrt": None,
         "sigmoid": None, "log": np.log}
OTHERS = {"relu": lambda x: np.maximum(x, 0), "rsqrt": lambda x: 1 / np.sqrt(x),
          "sigmoid": lambda x: 1 / (1 + np.exp(-x))}
EXACT = ("neg", "abs", "square", "relu", "floor")
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
          "maximum": np.maximum, "squared_difference": lambda x, y: (x - y) ** 2}


def elementwise_cases(element):
    ulp = LAST_PLACE[element]
    for number, (op, reference) in enumerate(UNARY.items()):
        x = uniform(10 + number, 0.1, 4, 3 + 61 * (number % 3), 17)
        want = rounded((reference or OTHERS[op])(rounded(x, element)), element)
        yield half_case(f"{op}_{element}", element, [x],
                        f"%h = tfir.{op} %x0 : ({kind(x.shape, element)}) -> "
                        f"{kind(x.shape, element)}", want,
                        rel=0.0 if op in EXACT else ulp)
    for number, (op, reference) in enumerate(BINARY.items()):
        x, y = uniform(30 + number, 0.5, 2, 9, 33), uniform(40 + number, 0.5, 2, 33)
        want = rounded(reference(rounded(x, element), rounded(y, element)), element)
        yield half_case(
            f"{op}_{element}", element, [x, y],
            f"%h = tfir.{op} %x0, %x1 : ({kind(x.shape, element)}, "
            f"{kind(y.shape, element)}) -> {kind(x.shape, element)}", want,
            rel=ulp if op in ("div", "squared_difference") else 0.0)
    x, y = normal(50, 129), normal(51, 129)
    less = rounded(x, element) < rounded(y, element)
    yield half_case(
        f"less_{element}", element, [x, y],
        f"%h = tfir.less %x0, %x1 : ({kind((129,), element)}, "
        f"{kind((129,), element)}) -> tensor<129xi1>", less, made="tensor<129xi1>")
    yield half_case(
        f"select_{element}", element, [x, y],
        f"%c = tfir.less %x0, %x1 : ({kind((129,), element)}, "
        f"{kind((129,), element)}) -> tensor<129xi1>\n"
        f"%h = tfir.select %c, %x0, %x1 : (tensor<129xi1>, {kind((129,), element)}, "
        f"{kind((129,), element)}) -> {kind((129,), element)}",
        np.where(less, rounded(x, element), rounded(y, element)))
    # Each op of a chain rounds, also within one kernel.
    yield half_case(
        f"chain_{element}", element, [x, y],
        f"%two = tfir.const dense<3.0> : tensor<ELEMENT>\n"
        f"%p = tfir.mul %x0, %x1 : ({kind((129,), element)}, "
        f"{kind((129,), element)}) -> {kind((129,), element)}\n"
        f"%q = tfir.add %p, %x0 : ({kind((129,), element)}, "
        f"{kind((129,), element)}) -> {kind((129,), element)}\n"
        f"%h = tfir.mul %q, %two : ({kind((129,), element)}, tensor<ELEMENT>) -> "
        f"{kind((129,), element)}",
        rounded(3 * rounded(rounded(rounded(x, element) * rounded(y, element), element)
                            + rounded(x, element), element), element))
    yield half_case(
        f"list_{element}", element, [normal(52, 3)],
        f"%c = tfir.const dense<[0.1, -2.5, 1.0e-3]> : tensor<3xELEMENT>\n"
        f"%h = tfir.maximum %x0, %c : ({kind((3,), element)}, tensor<3xELEMENT>) -> "
        f"tensor<3xELEMENT>",
        np.maximum(rounded(normal(52, 3), element),
                   rounded([0.1, -2.5, 1e-3], element)))


def moving_cases(element):
    x, y = normal(60, 6, 10), normal(61, 6, 4)
    a, b = rounded(x, element), rounded(y, element)
    ends = "(X) -> ".replace("X", kind(x.shape, element))
    for name, text, want in (
            ("reshape", "tfir.reshape %x0", a.reshape(4, 15)),
            ("transpose", "tfir.transpose %x0 {perm = array<i64: 1, 0>}", a.T),
            ("slice", "tfir.slice %x0 {begin = array<i64: 1, 3>, "
                      "size = array<i64: 4, 5>}", a[1:5, 3:8]),
            ("broadcast", "tfir.broadcast_to %x0", np.tile(a, (3, 1, 1))),
            ("pad", "tfir.pad %x0 {paddings = array<i64: 1, 0, 0, 2>, "
                    "constant_values = 1.5 : f64}",
             np.pad(a, ((1, 0), (0, 2)), constant_values=1.5)),
            ("reverse", "tfir.reverse %x0 {axis = array<i64: 1>}", a[:, ::-1])):
        yield half_case(f"{name}_{element}", element, [x],
                        f"%h = {text} : {ends}{kind(want.shape, element)}", want)
    yield half_case(
        f"concat_{element}", element, [x, y],
        f"%h = tfir.concat %x0, %x1 {{axis = 1 : i64}} : ({kind(x.shape, element)}, "
        f"{kind(y.shape, element)}) -> {kind((6, 14), element)}",
        np.concatenate([a, b], 1))


def reducing_cases(element):
    ulp = LAST_PLACE[element]
    x = uniform(70, 0.5, 1.5, 12, 40)
    a = double(rounded(x, element))
    for op, reference in (("sum", np.sum), ("mean", np.mean), ("max", np.max)):
        yield half_case(
            f"{op}_{element}", element, [x],
            f"%h = tfir.{op} %x0 {{axes = array<i64: 1>}} : "
            f"({kind(x.shape, element)}) -> {kind((12,), element)}",
            rounded(reference(a, axis=1), element), rel=0.0 if op == "max" else ulp)
    yield half_case(
        f"arg_max_{element}", element, [x],
        f"%h = tfir.arg_max %x0 {{axis = 1}} : ({kind(x.shape, element)}) -> "
        f"tensor<12xi64>", np.argmax(a, 1), made="tensor<12xi64>")
    # What 16 bits cannot add up is added up as f32: 1 + 1 + ... stays at 256 in bf16.
    ones = np.ones(3000, np.float32)
    yield half_case(f"ones_{element}", element, [ones],
                    f"%h = tfir.sum %x0 : ({kind((3000,), element)}) -> tensor<ELEMENT>",
                    rounded(3000, element))


def product_cases(element):
    ulp = LAST_PLACE[element]
    x, y = uniform(80, 0.5, 1.5, 21, 40), uniform(81, 0.5, 1.5, 40, 19)
    want = double(rounded(x, element)) @ double(rounded(y, element))
    yield half_case(
        f"matmul_{element}", element, [x, y],
        f"%h = tfir.matmul %x0, %x1 : ({kind(x.shape, element)}, "
        f"{kind(y.shape, element)}) -> {kind((21, 19), element)}",
        rounded(want, element), rel=ulp)
    image, filters = uniform(82, 0.5, 1.5, 2, 6, 6, 3), uniform(83, 0.5, 1.5, 1, 1, 3, 4)
    want = double(rounded(image, element)) @ double(rounded(filters, element))[0, 0]
    yield half_case(
        f"conv2d_{element}", element, [image, filters],
        f"%h = tfir.conv2d %x0, %x1 : ({kind(image.shape, element)}, "
        f"{kind(filters.shape, element)}) -> {kind((2, 6, 6, 4), element)}",
        rounded(want, element), rel=ulp)


def gradient_cases(element):
    """The gradient of what is computed in f32 between casts."""
    x, w = normal(90, 5, 8), normal(91, 8, 3)
    a, b = double(rounded(x, element)), double(rounded(w, element))
    slope = 1 - np.tanh(rounded(a @ b, element).astype(float)) ** 2
    want = a.T @ slope
    left, right = kind(x.shape, element), kind(w.shape, element)
    product, one = kind((5, 3), element), f"tensor<{element}>"
    text = f"""%p = tfir.matmul %x0, %x1 : ({left}, {right}) -> {product}
        %t = tfir.tanh %p : ({product}) -> {product}
        %s = tfir.sum %t : ({product}) -> {one}
        %h = tfir.gradients %s, %x1 : ({one}, {right}) -> {right}"""
    case = half_case(f"gradient_{element}", element, [x, w], text, want)
    case.fetches["y"] = Fetch(want.astype(np.float32), norm=4 * LAST_PLACE[element])
    return [case]


def stored_cases():
    """f16 is fed and fetched as NumPy's float16."""
    x = normal(95, 40).astype(np.float16)
    yield Case("stored", graph("stored", {"a": x}, """
        %y = tfir.add %a, %a : (tensor<40xf16>, tensor<40xf16>) -> tensor<40xf16>""",
                               {"y": "tensor<40xf16>"}), {"a": x},
               {"y": Fetch(x + x, rel=0.0)})


def cases():
    made = []
    for element in LAST_PLACE:
        for family in (cast_cases, elementwise_cases, moving_cases, reducing_cases,
                       product_cases, gradient_cases):
            made += family(element)
    return made + list(stored_cases())


if __name__ == "__main__":
    harness.main(cases())
