# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of pixels, flips, grey images, other sizes, reversed sequences."""
import numpy as np

import harness
from arrange import array, every_type, specials, types_of, values
from harness import Case, Fetch, graph, type_of
from opcases import integers, normal, op_case, uniform


def number_types(name, op, shape, reference, attributes=""):
    """As every_type, of numbers alone."""
    yield from [case for case in every_type(name, op, shape, reference,
                                            attributes)
                if not "_bool" in case.name]


def space_to_depth(v, n):
    b, h, w, c = v.shape
    return v.reshape(b, h // n, n, w // n, n, c).transpose(
        0, 1, 3, 2, 4, 5).reshape(b, h // n, w // n, n * n * c)


def depth_to_space(v, n):
    b, h, w, c = v.shape
    return v.reshape(b, h, w, n, n, c // n // n).transpose(
        0, 1, 3, 2, 4, 5).reshape(b, h * n, w * n, c // n // n)


def space_to_batch(v, blocks, paddings):
    v = np.pad(v, [(0, 0), *paddings] + [(0, 0)] * (v.ndim - 1 - len(blocks)))
    parts = [v[(slice(None), *[slice(p, None, b)
                               for p, b in zip(place, blocks)])]
             for place in np.ndindex(*blocks)]
    return np.concatenate(parts) if parts else v


def batch_to_space(v, blocks, crops):
    batch = v.shape[0] // int(np.prod(blocks))
    sizes = [n * b for n, b in zip(v.shape[1:], blocks)]
    y = np.zeros((batch, *sizes, *v.shape[1 + len(blocks):]), v.dtype)
    for i, place in enumerate(np.ndindex(*blocks)):
        y[(slice(None), *[slice(p, None, b) for p, b in zip(place, blocks)])] = \
            v[i * batch:(i + 1) * batch]
    return y[(slice(None), *[slice(a, n - b)
                             for n, (a, b) in zip(sizes, crops)])]


def block_cases():
    for number, (shape, size) in enumerate([
            ((1, 4, 6, 3), 2), ((2, 3, 3, 1), 3), ((2, 3, 5, 2), 1),
            ((0, 2, 2, 1), 2), ((3, 60, 40, 5), 4)]):
        text = f"block_size = {size} : i64"
        yield from number_types(f"space_to_depth_{number}", "space_to_depth",
                                shape, lambda v, n=size: space_to_depth(v, n),
                                text)
        shape = space_to_depth(np.zeros(shape), size).shape
        yield from number_types(f"depth_to_space_{number}", "depth_to_space",
                                shape, lambda v, n=size: depth_to_space(v, n),
                                text)
    for number, (shape, blocks, sides) in enumerate([
            ((1, 4, 4, 3), (2, 2), [(0, 0), (0, 0)]),
            ((2, 3, 5, 2), (2, 3), [(1, 0), (0, 1)]), ((3, 7), (2,), [(0, 1)]),
            ((2, 3), (), []), ((2, 4, 6, 3, 2), (2, 1, 3), [(0, 0)] * 3),
            ((3, 50, 60, 7), (4, 4), [(1, 1), (2, 2)])]):
        blocked = f"block_shape = {array(blocks)}"
        yield from number_types(
            f"space_to_batch_{number}", "space_to_batch", shape,
            lambda v, b=blocks, p=sides: space_to_batch(v, b, p),
            f"{blocked}, paddings = {array(sides)}")
        shape = space_to_batch(np.zeros(shape), blocks, sides).shape
        yield from number_types(
            f"batch_to_space_{number}", "batch_to_space", shape,
            lambda v, b=blocks, c=sides: batch_to_space(v, b, c),
            f"{blocked}, crops = {array(sides)}")


def patches(v, kernel, strides, rates, same):
    out, before = [], []
    for size, k, s, r in zip(v.shape[1:3], kernel, strides, rates):
        extent = (k - 1) * r + 1
        n = -(-size // s) if same else max((size - extent) // s + 1, 0)
        out.append(n)
        before.append(max((n - 1) * s + extent - size, 0) // 2 if same else 0)
    padded = np.pad(v, [(0, 0), (before[0], 99), (before[1], 99), (0, 0)])
    return np.concatenate(
        [padded[:, i * rates[0]:][:, :(out[0] - 1) * strides[0] + 1:strides[0],
                                  j * rates[1]:][
            :, :, :(out[1] - 1) * strides[1] + 1:strides[1]]
         for i in range(kernel[0]) for j in range(kernel[1])], 3)


def patch_cases():
    for number, (shape, kernel, strides, rates, padding) in enumerate([
            ((1, 5, 5, 2), (3, 3), (1, 1), None, "VALID"),
            ((1, 5, 5, 2), (3, 3), (1, 1), None, "SAME"),
            ((2, 7, 8, 1), (2, 3), (2, 3), None, "SAME"),
            ((2, 9, 8, 3), (2, 2), (3, 1), (2, 3), "VALID"),
            ((1, 6, 6, 1), (3, 2), (1, 2), (2, 2), "SAME"),
            ((1, 1, 1, 1), (1, 1), (5, 5), None, "VALID"),
            ((2, 40, 50, 4), (3, 3), (2, 2), None, "SAME")]):
        text = (f"ksizes = {array(kernel)}, strides = {array(strides)}, "
                f'padding = "{padding}"')
        if rates:
            text += f", rates = {array(rates)}"
        yield from number_types(
            f"extract_patches_{number}", "extract_patches", shape,
            lambda v, k=kernel, s=strides, r=rates or (1, 1), p=padding:
            patches(v, k, s, r, p == "SAME"), text)


def image_cases():
    for number, shape in enumerate([(4, 6, 3), (2, 3, 5, 1), (1, 1, 1),
                                    (3, 50, 61, 2)]):
        yield from every_type(f"flip_left_right_{number}", "flip_left_right",
                              shape, lambda v: np.flip(v, -2))
        yield from every_type(f"flip_up_down_{number}", "flip_up_down", shape,
                              lambda v: np.flip(v, -3))
    weights = np.array([0.2989, 0.587, 0.114])
    for number, shape in enumerate([(3,), (4, 5, 3), (2, 60, 61, 3)]):
        yield op_case(f"rgb_to_grayscale_{number}", "rgb_to_grayscale",
                      [normal(number, *shape)],
                      lambda v: (v * weights).sum(-1, keepdims=True),
                      rel=1e-6, floor=1, by=(0,))
        x = integers(number, 0, 256, *shape, dtype=np.uint8)
        exact = (x / 255 * weights).sum(-1, keepdims=True) * 255.5
        # Not those that rounding decides.
        near = np.abs(exact - np.round(exact)) < 1e-3
        x = np.where(near, 0, x).astype(np.uint8)
        yield op_case(f"rgb_to_grayscale_bytes_{number}", "rgb_to_grayscale",
                      [x], lambda v: np.floor((v / 255 * weights).sum(
                          -1, keepdims=True) * 255.5))


def scale_of(size, to, corners):
    one = np.float32(1)
    return (one * (size - 1) / (to - 1) if corners and to > 1
            else one * size / to).astype(np.float32)


def table(method, size, to, corners, half):
    """The matrix of a resize along a dimension."""
    scale, matrix = scale_of(size, to, corners), np.zeros((to, size))
    for i in range(to):
        at = np.float32(i)
        place = (at + np.float32(0.5)) * scale if half else at * scale
        if method == "nearest":
            near = np.floor(place + np.float32(0.5)) if corners else np.floor(place)
            matrix[i, int(np.clip(near, 0, size - 1))] = 1
            continue
        place = place - np.float32(0.5) if half else place
        low = int(np.floor(place))
        part = float(place) - low
        if method == "bilinear":
            weights = {low: 1 - part, low + 1: part}
        else:
            a = -0.5 if half else -0.75

            def cubic(d):
                d = abs(d)
                return ((a + 2) * d**3 - (a + 3) * d**2 + 1 if d <= 1 else
                        a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a)
            weights = {low + k: cubic(part - k) for k in (-1, 0, 1, 2)}
            if half:
                weights = {k: w for k, w in weights.items() if 0 <= k < size}
                total = sum(weights.values())
                weights = {k: w / total for k, w in weights.items()}
        for k, weight in weights.items():
            matrix[i, int(np.clip(k, 0, size - 1))] += weight
    return matrix


def resize_reference(method, to, corners, half):
    def reference(v):
        rows = table(method, v.shape[-3], to[0], corners, half)
        columns = table(method, v.shape[-2], to[1], corners, half)
        return np.einsum("ih,jw,...hwc->...ijc", rows, columns, v)
    return reference


SIZES = [((1, 4, 6, 3), (8, 8)), ((2, 5, 3), (3, 7)), ((2, 4, 5, 1), (4, 5)),
         ((1, 1, 1, 2), (3, 2)), ((2, 6, 6, 2), (1, 1)), ((1, 3, 2, 1), (130, 5)),
         ((2, 30, 41, 3), (45, 20))]


def resize_cases():
    for method in ("nearest", "bilinear", "bicubic"):
        for number, (shape, to) in enumerate(SIZES):
            for mark in ("", "align_corners", "half_pixel_centers"):
                reference = resize_reference(method, to, mark == "align_corners",
                                             mark == "half_pixel_centers")
                text = f"size = {array(to)}" + (f", {mark}" if mark else "")
                name = f"resize_{method}_{mark or 'plain'}_{number}"
                yield op_case(name, f"resize_{method}", [normal(number, *shape)],
                              reference, text, norm=2e-6, by=(0,))
                if number % 3 == 0 and not mark:
                    for dtype in (np.uint8, np.float64):
                        made = (dtype if method == "nearest" or
                                dtype == np.float64 else np.float32)
                        yield op_case(f"{name}_{np.dtype(dtype).name}",
                                      f"resize_{method}",
                                      [values(1, shape, dtype)], reference,
                                      text, dtypes=[made], norm=1e-5)
    yield op_case("resize_nearest_special", "resize_nearest",
                  [specials((3, 5, 2))], lambda v: v[[0, 0, 1, 1, 2, 2]][
                      :, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]],
                  f"size = {array((6, 10))}", rel=0)


def resample_cases():
    x = normal(1, 3, 7, 2)
    weights = normal(2, 5, 3)
    weights[1] = 0
    starts = np.int32([-1, 9, 2, 5, 6])

    def reference(v, w, s):
        places = np.clip(s.astype(int)[:, None] + np.arange(3), 0, 6)
        return np.einsum("nikc,ik->nic", v[:, places], w)
    yield op_case("resample_fed", "resample", [x, weights, starts], reference,
                  "axis = 1 : i64", norm=1e-6)
    # As constants, with the gradient.
    kind, to = type_of(x), type_of(normal(1, 3, 5, 2))
    r = uniform(3, 0.5, 1.5, 3, 5, 2)
    numbers = ", ".join("[" + ", ".join(
        f"0x{bits:08X}" for bits in row.view(np.uint32)) + "]" for row in weights)
    body = (f"%w = tfir.const dense<[{numbers}]> : tensor<5x3xf32>\n"
            f"%s = tfir.const dense<{starts.tolist()}> : tensor<5xi32>\n"
            f"%y0 = tfir.resample %a, %w, %s {{axis = -2 : i64}} : "
            f"({kind}, tensor<5x3xf32>, tensor<5xi32>) -> {to}\n"
            f"%l = tfir.mul %y0, %r : ({to}, {to}) -> {to}\n"
            f"%d = tfir.gradients %l, %a : ({to}, {kind}) -> {kind}")
    gradient = np.zeros(x.shape)
    for i in range(5):
        for k in range(3):
            gradient[:, np.clip(starts[i] + k, 0, 6)] += (
                r[:, i].astype(float) * weights[i, k])
    feeds = {"a": x, "r": r}
    yield Case("resample", graph("resample", feeds, body,
                                 {"y0": to, "d": kind}), feeds,
               {"y0": Fetch(reference(x.astype(float), weights.astype(float),
                                      starts).astype("f"), norm=1e-6),
                "d": Fetch(gradient.astype("f"), norm=1e-6)},
               gradient_of=("resample",))


def sequence_cases():
    for number, (shape, sequence, batch) in enumerate([
            ((3, 5), 1, 0), ((3, 5, 2), 1, 0), ((5, 3, 2), 0, 1),
            ((2, 3, 4), -1, 0), ((2, 3, 4), 1, -1), ((0, 3), 1, 0),
            ((40, 70, 9), 1, 0)]):
        lengths = integers(number, 0, shape[sequence] + 1, shape[batch],
                           dtype=(np.int32, np.int64)[number % 2])

        def reference(v, n, s=sequence, b=batch):
            y = np.moveaxis(np.array(v), (b, s), (0, 1)).copy()
            for i, count in enumerate(n.astype(int)):
                y[i, :count] = y[i, :count][::-1].copy()
            return np.moveaxis(y, (0, 1), (b % v.ndim, s % v.ndim))
        text = f"seq_axis = {sequence} : i64" + (
            f", batch_axis = {batch} : i64" if batch else "")
        for dtype in types_of(number):
            yield op_case(f"reverse_sequence_{np.dtype(dtype).name}_{number}",
                          "reverse_sequence",
                          [values(number, shape, dtype), lengths], reference,
                          text, rel=0, by=(0,) if dtype == np.float32 else ())


def cases():
    return [*block_cases(), *patch_cases(), *image_cases(), *resize_cases(),
            *resample_cases(), *sequence_cases()]


if __name__ == "__main__":
    harness.main(cases())
