# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products and convolutions of f64 and of integers, whose sums wrap around."""
import numpy as np

import harness
from opcases import normal, op_case

INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)


def numbers(seed, dtype, *shape):
    if dtype == np.float64:
        return normal(seed, *shape).astype(np.float64)
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.frombuffer(np.random.RandomState(seed).bytes(count), dtype).reshape(shape)


def product(a, b, transpose_a=False, transpose_b=False):
    a = np.swapaxes(a, -1, -2) if transpose_a else a
    b = np.swapaxes(b, -1, -2) if transpose_b else b
    return np.matmul(a, b)


def convolved(x, f, strides, pads, dilations=(1, 1), groups=1):
    """By the definition, in the type; `pads` are above, below, left and right."""
    x = np.pad(x, ((0, 0), pads[:2], pads[2:], (0, 0)))
    kernel = [(f.shape[i] - 1) * dilations[i] + 1 for i in range(2)]
    rows, columns = ((x.shape[1 + i] - kernel[i]) // strides[i] + 1 for i in range(2))
    width, out = f.shape[2], f.shape[3] // groups
    y = np.zeros((x.shape[0], rows, columns, f.shape[3]), x.dtype)
    for i, j, group in np.ndindex(f.shape[0], f.shape[1], groups):
        pixels = x[:, i * dilations[0]:, j * dilations[1]:][
            :, :(rows - 1) * strides[0] + 1:strides[0], :(columns - 1) * strides[1] + 1:strides[1],
            group * width:(group + 1) * width]
        mine = slice(group * out, (group + 1) * out)
        y[..., mine] += pixels @ f[i, j][:, mine]
    return y


MATMULS = (((5, 7), (7, 3), False, False), ((7, 5), (3, 7), True, True),
           ((1, 9), (9, 1), False, False), ((4, 0), (0, 3), False, False),
           ((2, 1, 6, 4), (3, 4, 5), False, False), ((6, 33), (70, 33), False, True))
CONVS = (((2, 6, 5, 3), (3, 3, 3, 4), (1, 1), "SAME", (1, 1, 1, 1), (1, 1), 1),
         ((1, 7, 8, 2), (2, 3, 2, 3), (2, 2), "VALID", (0, 0, 0, 0), (1, 1), 1),
         ((1, 6, 6, 4), (3, 3, 2, 6), (1, 1), "EXPLICIT", (1, 0, 2, 1), (1, 1), 2),
         ((1, 8, 8, 3), (3, 3, 1, 6), (1, 1), "VALID", (0, 0, 0, 0), (1, 1), 3),
         ((1, 8, 7, 2), (2, 2, 2, 3), (1, 1), "VALID", (0, 0, 0, 0), (2, 3), 1))


def listed(values):
    return "array<i64: " + ", ".join(map(str, values)) + ">"


def cases():
    made = []
    for dtype in (np.float64, *INTEGERS):
        name = np.dtype(dtype).name
        exact = {"norm": 1e-14} if dtype == np.float64 else {"rel": 0}
        by = {"by": (0, 1), "gradient_norm": 1e-7} if dtype == np.float64 else {}
        for number, (left, right, ta, tb) in enumerate(MATMULS):
            flags = ", ".join(text for text, on in (("transpose_a", ta), ("transpose_b", tb))
                              if on)
            made.append(op_case(
                f"matmul_{name}_{number}", "matmul",
                [numbers(number, dtype, *left), numbers(50 + number, dtype, *right)],
                lambda a, b, ta=ta, tb=tb: product(a, b, ta, tb), flags, **exact,
                **(by if 0 not in left else {})))
        for number, (x, f, strides, padding, pads, dilations, groups) in enumerate(CONVS):
            text = f'strides = {listed(strides)}, padding = "{padding}", ' \
                   f"dilations = {listed(dilations)}, groups = {groups} : i64"
            if padding == "EXPLICIT":
                text += f", explicit_paddings = {listed(pads)}"
            made.append(op_case(
                f"conv2d_{name}_{number}", "conv2d",
                [numbers(100 + number, dtype, *x), numbers(150 + number, dtype, *f)],
                lambda x, f, a=(strides, pads, dilations, groups): convolved(x, f, *a), text,
                **exact, **by))
    return made


if __name__ == "__main__":
    harness.main(cases())
