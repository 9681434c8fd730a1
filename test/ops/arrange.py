# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Borders, repetition, order, stacks, parts, slices with strides."""
import numpy as np

import harness
from harness import Case, Fetch, graph, type_of
from opcases import gradient_text, normal, op_case, uniform, wide

TYPES = (np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_)


def array(numbers):
    numbers = list(np.ravel(np.asarray(numbers, dtype=int)))
    return "array<i64" + (": " + ", ".join(map(str, numbers)) if numbers
                          else "") + ">"


def values(seed, shape, dtype):
    x = normal(seed, *shape) * 50
    return (x > 0) if dtype == np.bool_ else x.astype(dtype)


def types_of(number):
    """All element types in the first case of a family, then f32 and one more."""
    return TYPES if number == 0 else (TYPES[0], TYPES[1 + number % 5])


def every_type(name, op, shape, reference, attributes="", seed=1):
    """A case for each element type; f32 with its gradient."""
    for dtype in types_of(int(name.rsplit("_", 1)[1])):
        yield op_case(f"{name}_{np.dtype(dtype).name}", op,
                      [values(seed, shape, dtype)], reference, attributes,
                      rel=0, by=(0,) if dtype == np.float32 else ())


def specials(shape):
    """NaN, infinities and zeros of both signs among others."""
    x = normal(9, *shape)
    x.flat[::5] = np.float32([np.nan, np.inf, -np.inf, -0.0, 0.0])[
        np.arange(len(x.flat[::5])) % 5]
    return x


SLICES = [  # shape, index of NumPy
    ((10,), np.s_[::2]), ((10,), np.s_[::-1]), ((10,), np.s_[8:1:-3]),
    ((10,), np.s_[-3:]), ((10,), np.s_[20:-30:-4]), ((10,), np.s_[3]),
    ((10,), np.s_[5:2]), ((10,), np.s_[:0]), ((1,), np.s_[::-5]),
    ((0,), np.s_[::-1]), ((0, 3), np.s_[::2, 1:]),
    ((4, 6), np.s_[1:3, ::2]), ((4, 6), np.s_[..., -1]),
    ((4, 6), np.s_[:, None, 2:]), ((4, 6), np.s_[None, ..., ::3]),
    ((4, 6), np.s_[::-1, ::-1]), ((4, 6), np.s_[-1, 0]),
    ((3, 4, 5), np.s_[1, ..., ::-2]), ((3, 4, 5), np.s_[..., 1, None]),
    ((3, 4, 5), np.s_[2:0:-1, 1:, None, 4]), ((3, 4, 5), np.s_[...]),
    ((20011,), np.s_[17::3]), ((20011,), np.s_[::-1]),
    ((300, 201), np.s_[::7, ::-2]), ((2, 9, 7, 3), np.s_[:, ::2, 1::3, :])]


def slice_attributes(index):
    """An index of NumPy as attributes of strided_slice."""
    index = index if isinstance(index, tuple) else (index,)
    begin, end, strides = [], [], []
    masks = dict.fromkeys(("begin", "end", "ellipsis", "new_axis",
                           "shrink_axis"), 0)
    for place, entry in enumerate(index):
        b, e, s, marks = 0, 0, 1, ()
        if entry is Ellipsis:
            marks = ("ellipsis",)
        elif entry is None:
            marks = ("new_axis",)
        elif isinstance(entry, slice):
            b, e, s = entry.start or 0, entry.stop or 0, entry.step or 1
            marks = (("begin",) if entry.start is None else ()) + (
                ("end",) if entry.stop is None else ())
        else:
            b, e, marks = entry, entry + 1, ("shrink_axis",)
        for mark in marks:
            masks[mark] |= 1 << place
        begin, end, strides = begin + [b], end + [e], strides + [s]
    texts = [f"begin = {array(begin)}", f"end = {array(end)}"]
    if any(s != 1 for s in strides):
        texts.append(f"strides = {array(strides)}")
    return ", ".join(texts + [f"{name}_mask = {mask} : i64"
                              for name, mask in masks.items() if mask])


def strided_slice_cases():
    for number, (shape, index) in enumerate(SLICES):
        yield from every_type(f"strided_slice_{number}", "strided_slice",
                              shape, lambda v, i=index: v[i],
                              slice_attributes(index), seed=number)
    x = normal(3, 3, 4)
    # A place that drops its dimension has no use for the masks of ranges.
    yield op_case("strided_slice_masks", "strided_slice", [x],
                  lambda v: v[1, :, None],
                  f"begin = {array([1, 3, 2])}, end = {array([9, 9, 9])}, "
                  "begin_mask = 3 : i64, end_mask = 3 : i64, "
                  "shrink_axis_mask = 5 : i64, new_axis_mask = 4 : i64", rel=0)
    yield op_case("strided_slice_special", "strided_slice", [specials((4, 9))],
                  lambda v: v[::-1, ::2], slice_attributes(np.s_[::-1, ::2]),
                  rel=0)


PADS = [  # shape, paddings
    ((6,), [(2, 3)]), ((6,), [(0, 0)]), ((6,), [(5, 5)]),
    ((4, 7), [(0, 0), (1, 2)]), ((4, 7), [(3, 0), (0, 6)]),
    ((3, 1, 5), [(1, 1), (0, 0), (2, 0)]), ((2, 9, 7, 3), [(0, 0), (1, 2), (3, 3), (0, 0)]),
    ((20011,), [(17, 4000)]), ((130, 140), [(40, 21), (3, 100)])]


def pad_cases():
    for number, (shape, paddings) in enumerate(PADS):
        for mode in ("constant", "reflect", "symmetric", "edge"):
            text = f"paddings = {array(paddings)}"
            if mode != "constant":
                text += f', mode = "{mode.upper() if number % 2 else mode}"'
            yield from every_type(
                f"pad_{mode}_{number}", "pad", shape,
                lambda v, p=paddings, m=mode: np.pad(v, p, m), text,
                seed=number)
    for dtype, value in ((np.float32, -1.5), (np.float32, -np.inf),
                         (np.float64, 1e300), (np.int32, -2**31),
                         (np.int64, 2**40), (np.uint8, 255), (np.bool_, 1)):
        number = np.dtype(dtype).name + ("_inf" if np.isinf(value) else "")
        text = "0xFFF0000000000000" if np.isinf(value) else repr(float(value))
        yield op_case(f"pad_value_{number}", "pad", [values(2, (3, 5), dtype)],
                      lambda v, c=value: np.pad(v, [(1, 0), (2, 2)],
                                                constant_values=c),
                      f"paddings = {array([1, 0, 2, 2])}, "
                      f"constant_values = {text.replace('e+', 'e')} : f64"
                      .replace("1e300", "1.0e300"), rel=0)
    # A border of a tensor without elements, and one of a scalar.
    yield op_case("pad_empty", "pad", [normal(1, 0, 3)],
                  lambda v: np.pad(v, [(2, 1), (1, 1)], constant_values=7),
                  f"paddings = {array([2, 1, 1, 1])}, "
                  "constant_values = 7.0 : f64", rel=0)
    yield op_case("pad_scalar", "pad", [normal(1)], lambda v: v,
                  f"paddings = {array([])}", rel=0)
    yield op_case("pad_symmetric_empty", "pad", [normal(1, 0, 3)],
                  lambda v: np.pad(v, [(0, 0), (1, 2)], "symmetric"),
                  f'paddings = {array([0, 0, 1, 2])}, mode = "SYMMETRIC"', rel=0)
    for mode in ("constant", "reflect"):
        yield op_case(f"pad_special_{mode}", "pad", [specials((7, 5))],
                      lambda v, m=mode: np.pad(v, [(2, 3), (1, 4)], m),
                      f'paddings = {array([2, 3, 1, 4])}, mode = "{mode}"',
                      rel=0)


def shape_cases():
    for number, (shape, axis) in enumerate([((), 0), ((5,), 0), ((5,), -1),
                                            ((2, 3), 1), ((2, 3), -2),
                                            ((0, 3), 2)]):
        yield from every_type(f"expand_dims_{number}", "expand_dims", shape,
                              lambda v, a=axis: np.expand_dims(v, a),
                              f"axis = {axis} : i64")
    for number, (shape, axis) in enumerate([
            ((1,), None), ((1, 3, 1), None), ((1, 3, 1), (0,)),
            ((1, 3, 1), (-1,)), ((1, 3, 1), (2, 0)), ((3, 2), None)]):
        yield from every_type(f"squeeze_{number}", "squeeze", shape,
                              lambda v, a=axis: np.squeeze(v, a),
                              f"axis = {array(axis)}" if axis else "")
    for number, (shape, multiples) in enumerate([
            ((), ()), ((3,), (2,)), ((3,), (1,)), ((1,), (5,)), ((3,), (0,)),
            ((2, 3), (2, 1)), ((2, 3), (1, 3)), ((2, 3, 4), (2, 3, 2)),
            ((0, 3), (2, 2)), ((131, 17), (3, 5)), ((20011,), (2,))]):
        yield from every_type(f"tile_{number}", "tile", shape,
                              lambda v, m=multiples: np.tile(v, m),
                              f"multiples = {array(multiples)}")
    for number, (shape, axes) in enumerate([
            ((), ()), ((7,), (0,)), ((7,), ()), ((1,), (0,)), ((0, 2), (0, 1)),
            ((4, 5), (1,)), ((4, 5), (0, -1)), ((2, 3, 4), (-2,)),
            ((20011,), (0,)), ((150, 141), (1,)), ((150, 141), (0,))]):
        yield from every_type(f"reverse_{number}", "reverse", shape,
                              lambda v, a=axes: np.flip(v, a),
                              f"axis = {array(axes)}")
    for number, (shape, shifts, axes) in enumerate([
            ((7,), (2,), (0,)), ((7,), (-9,), (0,)), ((7,), (7,), (0,)),
            ((0,), (3,), (0,)), ((4, 5), (1, -2), (0, -1)),
            ((4, 5), (1, 2), (1, 1)), ((4, 5), (), ()),
            ((20011,), (13,), (0,)), ((150, 141), (77, 3), (0, 1))]):
        yield from every_type(f"roll_{number}", "roll", shape,
                              lambda v, s=shifts, a=axes: np.roll(v, s, a),
                              f"shift = {array(shifts)}, axis = {array(axes)}")


def stack_cases():
    for number, (count, shape, axis) in enumerate([
            (1, (3,), 0), (2, (), 0), (3, (4,), 0), (3, (4,), -1),
            (2, (2, 3), 1), (4, (2, 3), -3), (2, (0, 3), 1),
            (3, (150, 141), 2)]):
        for dtype in types_of(number):
            xs = [values(10 * number + i, shape, dtype) for i in range(count)]
            yield op_case(f"stack_{np.dtype(dtype).name}_{number}", "stack", xs,
                          lambda *v, a=axis: np.stack(v, a),
                          f"axis = {axis} : i64" if axis else "", rel=0,
                          by=tuple(range(count)) if dtype == np.float32 else ())
    for number, (shape, axis) in enumerate([
            ((1,), 0), ((3,), 0), ((2, 4), 0), ((2, 4), -1), ((2, 3, 4), 1),
            ((3, 0), 0), ((3, 20011), 0)]):
        def unstacked(v, a=axis):
            return tuple(np.moveaxis(v, a, 0))
        text = [f"num = {shape[axis]} : i64"] * (number % 2) + [
            f"axis = {axis} : i64"] * (axis != 0)
        for dtype in types_of(number):
            yield op_case(f"unstack_{np.dtype(dtype).name}_{number}", "unstack",
                          [values(number, shape, dtype)], unstacked,
                          ", ".join(text), rel=0,
                          by=(0,) if dtype == np.float32 else ())


def split_cases():
    for number, (shape, count, axis, sizes) in enumerate([
            ((6,), 1, 0, None), ((6,), 2, 0, None), ((6,), 3, 0, None),
            ((2, 6), 3, 1, None), ((4, 3, 2), 2, -3, None), ((0, 2), 2, 0, None),
            ((6,), 2, 0, (1, 5)), ((6,), 3, 0, (2, -1, 1)),
            ((2, 6), 3, -1, (0, 4, 2)), ((2, 6), 2, 1, (6, -1)),
            ((300, 201), 3, 1, None), ((20011,), 2, 0, (17, -1))]):
        def parts(v, c=count, a=axis, s=sizes):
            if s is None:
                return tuple(np.split(v, c, a))
            left = v.shape[a] - sum(n for n in s if n >= 0)
            ends = np.cumsum([left if n < 0 else n for n in s])
            return tuple(np.split(v, ends[:-1], a))
        text = [f"axis = {axis} : i64"] * (axis != 0)
        if sizes:
            text.append(f"size_splits = {array(sizes)}")
        elif number != 3:
            text.append(f"num_split = {count} : i64")
        for dtype in types_of(number):
            yield op_case(f"split_{np.dtype(dtype).name}_{number}", "split",
                          [values(number, shape, dtype)], parts,
                          ", ".join(text), rel=0,
                          by=(0,) if dtype == np.float32 else ())


def parts_case():
    """The gradient by way of all parts."""
    x = normal(4, 4, 6)
    weights = [uniform(i, 0.5, 1.5, 4, 2) for i in range(3)]
    part = type_of(weights[0])
    body = (f"%p:3 = tfir.split %a {{axis = 1 : i64}} : ({type_of(x)}) -> "
            f"({part}, {part}, {part})\n")
    feeds = {"a": x}
    for i, weight in enumerate(weights):
        feeds[f"w{i}"] = weight
        body += f"%m{i} = tfir.mul %p#{i}, %w{i} : ({part}, {part}) -> {part}\n"
    body += (f"%t = tfir.add_n %m0, %m1, %m2 : ({part}, {part}, {part}) -> {part}\n"
             f"%d = tfir.gradients %t, %a : ({part}, {type_of(x)}) -> {type_of(x)}")
    return Case("split_all", graph("split_all", feeds, body, {"d": type_of(x)}),
                feeds, {"d": Fetch(np.concatenate(weights, 1), rel=0)})


def like_cases():
    for number, shape in enumerate([(), (5,), (2, 3), (0, 4), (130, 140)]):
        for dtype in types_of(number):
            x, tag = values(1, shape, dtype), np.dtype(dtype).name
            yield op_case(f"zeros_like_{tag}_{number}", "zeros_like", [x],
                          np.zeros_like, rel=0)
            yield op_case(f"ones_like_{tag}_{number}", "ones_like", [x],
                          np.ones_like, rel=0)
            yield op_case(f"fill_{tag}_{number}", "fill",
                          [values(3, (), dtype)],
                          lambda v, s=shape: np.full(s, v),
                          f"dims = {array(shape)}", rel=0,
                          by=(0,) if dtype == np.float32 else (), norm=1e-6)


def block_cases():
    """The ops that the others are made of, which can be written as well."""
    for number, (shape, begin, size, strides) in enumerate([
            ((10,), (0,), (5,), (2,)), ((10,), (9,), (4,), (-3,)),
            ((10,), (3,), (1,), (-50,)), ((10,), (0,), (0,), (1,)),
            ((4, 7), (3, 1), (4, 3), (-1, 2)), ((150, 141), (1, 140), (70, 47), (2, -3))]):
        def taken(v, b=begin, n=size, s=strides):
            return v[np.ix_(*[b[d] + np.arange(n[d]) * s[d]
                              for d in range(v.ndim)])]

        def placed(v, b=begin, s=strides, dims=shape):
            y = np.full(dims, 3).astype(v.dtype)
            y[np.ix_(*[b[d] + np.arange(n) * s[d]
                       for d, n in enumerate(v.shape)])] = v
            return y
        text = f"begin = {array(begin)}, strides = {array(strides)}"
        yield from every_type(f"strided_block_{number}", "strided_block", shape,
                              taken, f"{text}, size = {array(size)}")
        for dtype in types_of(number):
            if dtype == np.bool_:
                continue  # has no 3
            yield op_case(f"place_block_{np.dtype(dtype).name}_{number}",
                          "place_block", [values(number, size, dtype)], placed,
                          f"{text}, dims = {array(shape)}, value = 3.0 : f64",
                          rel=0, by=(0,) if dtype == np.float32 else ())


FUSED = [  # op, shape, result's shape, attributes, reference
    ("pad", (40, 30), (43, 35), f"paddings = {array([1, 2, 2, 3])}",
     lambda v: np.pad(v, [(1, 2), (2, 3)])),
    ("pad", (40, 30), (42, 35), f'paddings = {array([1, 1, 2, 3])}, mode = "REFLECT"',
     lambda v: np.pad(v, [(1, 1), (2, 3)], "reflect")),
    ("reverse", (40, 30), (40, 30), f"axis = {array([0])}", lambda v: v[::-1]),
    ("reverse", (40, 30), (40, 30), f"axis = {array([1])}", lambda v: v[:, ::-1]),
    ("roll", (40, 30), (40, 30), f"shift = {array([3])}, axis = {array([0])}",
     lambda v: np.roll(v, 3, 0)),
    ("tile", (40, 30), (40, 90), f"multiples = {array([1, 3])}",
     lambda v: np.tile(v, (1, 3))),
    ("strided_slice", (40, 30), (20, 10), slice_attributes(np.s_[::-2, ::3]),
     lambda v: v[::-2, ::3]),
    ("expand_dims", (40, 30), (40, 1, 30), "axis = 1 : i64",
     lambda v: v[:, None]),
    ("squeeze", (400, 1, 30), (400, 30), "", lambda v: v[:, 0])]


def fused_cases():
    """Between two other ops, small and large, with the gradient through all."""
    for number, (op, shape, to, attributes, reference) in enumerate(FUSED):
        for scale in (1, 11):
            large = (shape[0] * scale,) + shape[1:]
            x = normal(number, *large) * np.float32(0.5)
            y = reference(wide(x) ** 2) * 2
            if scale > 1 and op in ("pad", "strided_slice"):
                to = y.shape
            to = y.shape if scale > 1 else to
            y = y.astype(np.float32)
            kind, out = type_of(x), type_of(y)
            name = f"fused_{op}_{number}_{scale}"
            body = (f"%s = tfir.square %a : ({kind}) -> {kind}\n"
                    f"%t = tfir.{op} %s{' {' + attributes + '}' if attributes else ''}"
                    f" : ({kind}) -> {out}\n"
                    f"%y0 = tfir.add %t, %t : ({out}, {out}) -> {out}\n" +
                    gradient_text([x], y, [0]))
            weights = uniform(7, 0.5, 1.5, *y.shape)
            # All of these ops add up elements: the gradient is the transpose.
            places = np.arange(x.size, dtype=float).reshape(x.shape) + 1
            taken = reference(places).ravel().astype(int) - 1
            sums = np.zeros(x.size)
            inside = taken >= 0
            np.add.at(sums, taken[inside], weights.ravel()[inside])
            gradient = (sums.reshape(x.shape) * 4 * wide(x)).astype(np.float32)
            feeds = {"a": x, "r": weights}
            yield Case(name, graph(name, feeds, body, {"y0": out, "da": kind}),
                       feeds, {"y0": Fetch(y, rel=1e-6),
                               "da": Fetch(gradient, rel=1e-5, floor=1e-3)},
                       gradient_of=(op,))


def cases():
    return [*shape_cases(), *stack_cases(), *split_cases(), parts_case(),
            *like_cases(), *pad_cases(), *strided_slice_cases(),
            *block_cases(), *fused_cases()]


if __name__ == "__main__":
    harness.main(cases())
