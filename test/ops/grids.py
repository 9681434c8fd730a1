# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranges, grids, diagonals and bands of matrices, shapes as tensors."""
import numpy as np

import harness
from arrange import array, every_type, specials, types_of, values
from harness import Case, Fetch, graph, type_of
from opcases import gradient_text, normal, op_case, uniform


def written(name, text, y, **limits):
    """A case without feeds."""
    kind = type_of(y)
    return Case(name, graph(name, {}, text.replace("TYPE", kind), {"y": kind}),
                {}, {"y": Fetch(y, **(limits or {"rel": 0}))})


def range_cases():
    for number, (dtype, numbers) in enumerate([
            (np.int32, (5,)), (np.int32, (0,)), (np.int32, (2, 7)),
            (np.int32, (7, 2, -2)), (np.int64, (-3, 2**40, 2**38)),
            (np.uint8, (250, 255)), (np.float32, (0, 1, 0.25)),
            (np.float32, (3, 3, -1)), (np.float64, (1, 20, 0.125)),
            (np.int32, (20011,)), (np.int32, (1, 1, 5))]):
        y = np.arange(*numbers).astype(dtype)
        text, names, types = "", [], []
        for i, value in enumerate(numbers):
            scalar = dtype(value)
            text += (f"%n{i} = tfir.const dense<{scalar}> : "
                     f"{type_of(np.asarray(scalar))}\n")
            names.append(f"%n{i}")
            types.append(type_of(np.asarray(scalar)))
        text += (f"%y = tfir.range {', '.join(names)} : ({', '.join(types)}) "
                 f"-> TYPE")
        yield written(f"range_{number}", text, y)
    for number, (shape, dtype) in enumerate([
            ((), np.int32), ((5,), np.float32), ((3, 4), np.int64),
            ((2, 3, 50), np.uint8), ((0, 2), np.float64), ((150, 141), np.int32)]):
        y = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
        yield written(f"iota_{number}", "%y = tfir.iota : TYPE", y)


def linspace_cases():
    # The reference target fuses no product with a sum: near 0, the rounding of the
    # product stays, in units of `start`.
    floor = 1e-1 if harness.CPU_TARGET == "reference" else 1e-2
    for number, (start, stop, num) in enumerate([
            (0, 1, 5), (-1, 3, 1), (2, -2, 2), (1, 1, 4), (-3, 5, 20011)]):
        for dtype in (np.float32, np.float64):
            feeds = [np.asarray(v, dtype) for v in (start, stop)]
            yield op_case(f"linspace_{np.dtype(dtype).name}_{number}",
                          "linspace", feeds,
                          lambda a, b, n=num: a + np.arange(n) * (
                              (b - a) / max(n - 1, 1)),
                          f"num = {num} : i64", rel=4e-6, floor=floor)


def meshgrid_cases():
    for number, (sizes, indexing) in enumerate([
            ((3,), "xy"), ((3, 2), "xy"), ((3, 2), "ij"), ((3, 1, 4), "xy"),
            ((2, 3, 4), "ij"), ((), "xy"), ((0, 3), "xy"), ((150, 141), "xy")]):
        for dtype in types_of(number):
            shapes = [(n,) for n in sizes] or [()]
            xs = [values(i, shape, dtype) for i, shape in enumerate(shapes)]
            yield op_case(f"meshgrid_{np.dtype(dtype).name}_{number}",
                          "meshgrid", xs,
                          lambda *v, how=indexing: tuple(
                              np.meshgrid(*v, indexing=how)),
                          f'indexing = "{indexing}"' if indexing != "xy" else "",
                          rel=0, dtypes=[dtype] * len(xs), norm=1e-5,
                          by=(0,) if dtype == np.float32 else ())


def permutation_cases():
    for number, size in enumerate((1, 2, 7, 300)):
        order = np.random.Generator(np.random.PCG64(size)).permutation(size)
        for dtype in (np.int32, np.int64):
            x, y = order.astype(dtype), np.argsort(order).astype(dtype)
            tag, kind = np.dtype(dtype).name, type_of(x)
            yield op_case(f"invert_permutation_{tag}_{number}",
                          "invert_permutation", [x], lambda v, y=y: y)
            yield written(f"invert_constant_{tag}_{number}",
                          f"%x = tfir.const dense<{x.tolist()}> : {kind}\n"
                          f"%y = tfir.invert_permutation %x : ({kind}) -> TYPE",
                          y)


def number_cases():
    for number, shape in enumerate([(), (5,), (2, 0, 3), (3, 4)]):
        x = normal(number, *shape)
        for dtype in (np.int32, np.int64):
            tag = f"{np.dtype(dtype).name}_{number}"
            yield op_case(f"shape_{tag}", "shape", [x],
                          lambda v: np.asarray(v.shape, int), dtypes=[dtype])
            yield op_case(f"size_{tag}", "size", [x],
                          lambda v: np.asarray(v.size), dtypes=[dtype])
            yield op_case(f"rank_{tag}", "rank", [x],
                          lambda v: np.asarray(v.ndim), dtypes=[dtype])


def diagonal_cases():
    for number, (rows, columns, batch) in enumerate([
            (3, None, None), (1, None, None), (2, 5, None), (4, 2, (2, 3)),
            (0, 3, None), (130, 141, None)]):
        texts = [f"num_rows = {rows} : i64"]
        texts += [f"num_columns = {columns} : i64"] * (columns is not None)
        texts += [f"batch_shape = {array(batch or ())}"] * (batch is not None)
        for dtype in types_of(number):
            y = np.broadcast_to(np.eye(rows, columns), (batch or ()) + (
                rows, rows if columns is None else columns)).astype(dtype)
            yield written(f"eye_{np.dtype(dtype).name}_{number}",
                          f"%y = tfir.eye {{{', '.join(texts)}}} : () -> TYPE", y)

    def diag(v):
        y = np.zeros((v.size, v.size), v.dtype)
        np.fill_diagonal(y, v.ravel())
        return y.reshape(v.shape * 2)

    def matrix_diag(v):
        y = np.zeros(v.shape + v.shape[-1:], v.dtype)
        places = np.arange(v.shape[-1])
        y[..., places, places] = v
        return y
    for number, shape in enumerate([(4,), (1,), (0,), (2, 3), (150,)]):
        yield from every_type(f"diag_{number}", "diag", shape, diag)
        yield from every_type(f"matrix_diag_{number}", "matrix_diag", shape,
                              matrix_diag)
        yield from every_type(
            f"diag_part_{number}", "diag_part", shape * 2,
            lambda v, s=shape: np.diag(v.reshape(
                int(np.prod(s)), int(np.prod(s)))).reshape(s))
    yield op_case("diag_scalar", "diag", [normal(1)], lambda v: v, rel=0)
    for number, shape in enumerate([(4, 4), (2, 5), (5, 2), (3, 2, 4),
                                    (0, 3), (150, 141)]):
        yield from every_type(f"matrix_diag_part_{number}", "matrix_diag_part",
                              shape, lambda v: np.diagonal(
                                  v, axis1=-2, axis2=-1))


def band_cases():
    for number, (shape, lower, upper) in enumerate([
            ((4, 4), 0, 0), ((4, 4), 1, 0), ((4, 4), -1, 1), ((4, 4), -1, -1),
            ((3, 6), 1, 2), ((6, 3), 9, 0), ((2, 4, 5), 0, -1), ((0, 3), 0, 0),
            ((150, 141), 20, 3)]):
        def band(v, a=lower, b=upper):
            i, j = np.ogrid[:v.shape[-2], :v.shape[-1]]
            kept = ((a < 0) | (i - j <= a)) & ((b < 0) | (j - i <= b))
            return np.where(kept, v, v.dtype.type(0))
        yield from every_type(f"matrix_band_part_{number}", "matrix_band_part",
                              shape, band, f"num_lower = {lower} : i64, "
                              f"num_upper = {upper} : i64")
    for number, (shape, diagonal) in enumerate([
            ((4, 4), 0), ((4, 4), 1), ((4, 4), -2), ((3, 6), 2), ((6, 3), -9),
            ((3, 4), 2**40), ((3, 4), -2**40), ((2, 4, 5), 1), ((150, 141), -7)]):
        text = f"diagonal = {diagonal} : i64" if diagonal else ""
        k = int(np.clip(diagonal, -1000, 1000))
        yield from every_type(f"triu_{number}", "triu", shape,
                              lambda v, k=k: np.triu(v, k), text)
        yield from every_type(f"tril_{number}", "tril", shape,
                              lambda v, k=k: np.tril(v, k), text)
    # What is outside of the band may be NaN.
    x = specials((6, 7))
    yield op_case("triu_special", "triu", [x], lambda v: np.where(
        np.triu(np.ones(v.shape)) > 0, v, 0), rel=0)
    yield op_case("diag_part_special", "diag_part", [specials((5, 5))],
                  np.diag, rel=0)


def fused_cases():
    """A mask of attention: between two others, small and large."""
    for size in (9, 140):
        x, r = normal(size, 2, size, size), uniform(7, 0.5, 1.5, 2, size, size)
        kind, name = type_of(x), f"fused_tril_{size}"
        body = (f"%s = tfir.square %a : ({kind}) -> {kind}\n"
                f"%t = tfir.tril %s : ({kind}) -> {kind}\n"
                f"%y0 = tfir.add %t, %s : ({kind}, {kind}) -> {kind}\n" +
                gradient_text([x], x, [0]))
        mask = np.tril(np.ones((size, size)))
        wide = x.astype(float)
        feeds = {"a": x, "r": r}
        yield Case(name, graph(name, feeds, body, {"y0": kind, "da": kind}),
                   feeds, {"y0": Fetch((wide ** 2 * (1 + mask)).astype("f"),
                                       rel=1e-6),
                           "da": Fetch((2 * wide * r * (1 + mask)).astype("f"),
                                       rel=1e-5, floor=1e-3)})


def cases():
    return [*range_cases(), *linspace_cases(), *meshgrid_cases(),
            *permutation_cases(), *number_cases(), *diagonal_cases(),
            *band_cases(), *fused_cases()]


if __name__ == "__main__":
    harness.main(cases())
