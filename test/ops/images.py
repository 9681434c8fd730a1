# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Boxes of images, and colours."""
import numpy as np

import harness
from arrange import array, every_type
from opcases import normal, op_case, uniform


def crops(image, boxes, which, size, method, outside):
    """tf.image.crop_and_resize, pixel by pixel."""
    y = np.full((len(boxes), *size, image.shape[3]), outside, float)
    for box, (y1, x1, y2, x2) in enumerate(boxes):
        if not 0 <= which[box] < image.shape[0]:
            continue

        def place(first, last, i, count, pixels):
            return (first * (pixels - 1) + i * (last - first) * (pixels - 1) /
                    (count - 1) if count > 1 else
                    0.5 * (first + last) * (pixels - 1))
        for i, j in np.ndindex(*size):
            row = place(y1, y2, i, size[0], image.shape[1])
            column = place(x1, x2, j, size[1], image.shape[2])
            if not (0 <= row <= image.shape[1] - 1 and
                    0 <= column <= image.shape[2] - 1):
                continue
            own = image[int(which[box])]
            if method == "nearest":
                y[box, i, j] = own[int(np.floor(row + 0.5)),
                                   int(np.floor(column + 0.5))]
                continue
            a, b = int(np.floor(row)), int(np.floor(column))
            c, d = int(np.ceil(row)), int(np.ceil(column))
            top = own[a, b] + (own[a, d] - own[a, b]) * (column - b)
            bottom = own[c, b] + (own[c, d] - own[c, b]) * (column - b)
            y[box, i, j] = top + (bottom - top) * (row - a)
    return y


def crop_cases():
    # Inside, upside down, over the edges, of images that are not there.
    boxes = np.float32([[0.1, 0.23, 0.83, 0.93], [0.9, 0.13, 0.15, 0.77],
                        [-0.35, 0.31, 0.6, 1.4], [0.2, 0.2, 0.7, 0.7],
                        [0.2, 0.2, 0.7, 0.7]])
    which = np.int32([1, 0, 1, 2, -1])
    for number, (shape, size) in enumerate([
            ((2, 7, 6, 3), (4, 5)), ((2, 8, 9, 1), (1, 3)),
            ((2, 1, 5, 2), (3, 1))]):
        image = normal(number, *shape)
        for method in ("bilinear", "nearest"):
            text = f"crop_size = {array(size)}"
            if method == "nearest":
                text += ', method = "nearest"'
            outside = 0.5 if number == 1 else 0
            if outside:
                text += ", extrapolation_value = 0.5 : f64"
            yield op_case(
                f"crop_{method}_{number}", "crop_and_resize",
                [image, boxes, which],
                lambda v, b, w, s=size, m=method, o=outside: crops(
                    v, b, w, s, m, o), text, norm=2e-6,
                by=(0, 1) if method == "bilinear" and number == 0 else (0,),
                gradient_norm=1e-4)
    # Whole images, no boxes, and a box of no number.
    yield op_case("crop_whole", "crop_and_resize",
                  [normal(9, 1, 4, 5, 2), np.float32([[0, 0, 1, 1]]),
                   np.int32([0])], lambda v, b, w: v,
                  f"crop_size = {array((4, 5))}", norm=2e-6)
    yield op_case("crop_none", "crop_and_resize",
                  [normal(9, 1, 4, 5, 2), np.zeros((0, 4), "f"),
                   np.zeros(0, np.int32)],
                  lambda v, b, w: np.zeros((0, 2, 2, 2)),
                  f"crop_size = {array((2, 2))}", norm=2e-6)
    yield op_case("crop_nan", "crop_and_resize",
                  [normal(9, 1, 4, 5, 2), np.float32([[np.nan, 0, 1, 1]]),
                   np.int32([0])], lambda v, b, w: np.zeros((1, 2, 2, 2)),
                  f"crop_size = {array((2, 2))}", norm=2e-6)


def colour_cases():
    for number, shape in enumerate([(4, 6, 1), (1,), (2, 3, 5, 1)]):
        yield from [case for case in every_type(
            f"grayscale_to_rgb_{number}", "grayscale_to_rgb", shape,
            lambda v: np.repeat(v, 3, -1)) if not "_bool" in case.name]
    for number, shape in enumerate([(4, 6, 3), (2, 3, 5, 1)]):
        for dtype, limit in ((np.float32, 2e-6), (np.float64, 1e-13)):
            x = uniform(number, 0, 1, *shape, dtype=dtype)
            name = f"{number}_{np.dtype(dtype).name}"
            yield op_case(f"adjust_brightness_{name}", "adjust_brightness", [x],
                          lambda v: v + 0.25, "delta = 0.25 : f64", norm=limit,
                          by=(0,), gradient_norm=1e-4)
            yield op_case(
                f"adjust_contrast_{name}", "adjust_contrast", [x],
                lambda v: (v - v.mean((-3, -2), keepdims=True)) * 2.5 +
                v.mean((-3, -2), keepdims=True),
                "contrast_factor = 2.5 : f64", norm=limit, by=(0,),
                gradient_norm=1e-4)


def cases():
    return [*crop_cases(), *colour_cases()]


if __name__ == "__main__":
    harness.main(cases())
