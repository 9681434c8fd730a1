# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types and values of a program that is being made."""

F32, F64, I32, I64, U8, BOOL = "f32", "f64", "i32", "i64", "ui8", "i1"
HALVES = ("f16", "bf16")
# Integers beside those that every program has, with the lowest and the highest number.
ENDS = {U8: (0, 2 ** 8 - 1), "i8": (-2 ** 7, 2 ** 7 - 1), "i16": (-2 ** 15, 2 ** 15 - 1),
        "ui16": (0, 2 ** 16 - 1), "ui32": (0, 2 ** 32 - 1), "ui64": (0, 2 ** 64 - 1)}
FLOATS, INTS = (F32, F64), (I32, I64, *ENDS)
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
