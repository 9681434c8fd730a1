# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads, writes and sums at computed places: gather, scatter, segments."""
import numpy as np

import harness
from harness import Case, Fetch, graph, type_of
from opcases import integers, normal, op_case, spread



def kinds_of(number):
    """Both types of indices for some cases, one for others."""
    both = (np.int32, np.int64)
    return both if number % 4 == 0 else both[number % 2:][:1]


def tie_gradients(function):
    """The gradient of a segment's extreme, of which there is one."""
    def gradients(weights, data, ids):
        rest = data.shape[ids.ndim:]
        result = np.zeros((ids.size,) + rest)
        flat = data.reshape((ids.size,) + rest)
        for slice_, id_ in enumerate(ids.reshape(-1)):
            if 0 <= id_ < len(weights):
                best = function(flat[ids.reshape(-1) == id_])
                result[slice_] = np.where(flat[slice_] == best, weights[id_], 0)
        return [result.reshape(data.shape)]
    return gradients


def take(params, indices, axis=0):
    """Slices along the axis, zeros for indices outside."""
    size = params.shape[axis]
    inside = (indices >= 0) & (indices < size)
    if size == 0:
        shape = params.shape[:axis] + indices.shape + params.shape[axis:][1:]
        return np.zeros(shape, params.dtype)
    result = np.take(params, np.where(inside, indices, 0), axis)
    axis %= params.ndim
    mask = inside.reshape((1,) * axis + inside.shape +
                          (1,) * (params.ndim - axis - 1))
    return np.where(mask, result, np.zeros((), params.dtype))


def segments(data, ids, count, empty, function):
    """A function of the slices of each segment, in their order."""
    rest = data.shape[ids.ndim:]
    data = data.reshape((ids.size,) + rest)
    ids = ids.reshape(-1)
    result = np.empty((count,) + rest, data.dtype)
    for segment in range(count):
        own = data[ids == segment]
        result[segment] = function(own) if len(own) else empty
    return result


def in_order(slices):
    """The sum, one after the other."""
    total = np.zeros(slices.shape[1:], slices.dtype)
    for one in slices:
        total = total + one
    return total


def gather_cases():
    for number, (params, axis, indices) in enumerate([
            ((7,), 0, ()), ((7,), 0, (3,)), ((1,), 0, (1,)), ((5, 3), 0, (4,)),
            ((5, 3), 1, (2, 2)), ((5, 3), -1, ()), ((4, 5, 3), 1, (6,)),
            ((2, 3, 4), -2, (2, 3)), ((100, 17), 0, (31, 3)),
            ((300, 16), 0, (2000,)), ((33, 300), 1, (700,)), ((6,), 0, (0,)),
            ((20011,), 0, (20011,))]):
        for kind in kinds_of(number):
            # Some of the indices lie outside.
            size = params[axis]
            at = integers(number, -2, size + 2, *indices, dtype=kind)
            if at.size > 3:
                at.flat[1] = np.iinfo(kind).max
                at.flat[2] = np.iinfo(kind).min
            text = f"axis = {axis} : i64"
            tag = f"gather_{np.dtype(kind).name}_{number}"
            yield op_case(tag, "gather", [normal(number, *params), at],
                          lambda p, i, a=axis: take(p, i, a), text, rel=0,
                          by=(0,) if at.size else ())
        for kind in ((np.float64, np.uint8), (np.int64, np.bool_))[number % 2]:
            p = (normal(number, *params) * 50).astype(kind)
            yield op_case(f"gather_of_{np.dtype(kind).name}_{number}", "gather",
                          [p, at], lambda p, i, a=axis: take(p, i, a), text,
                          rel=0)
    empty = np.zeros((0, 3), np.float32)
    yield op_case("gather_of_nothing", "gather", [empty, np.int32([0, 1])],
                  take, "axis = 0 : i64", rel=0)
    special = np.float32([np.nan, np.inf, -0.0])
    yield op_case("gather_special", "gather",
                  [special, np.int32([0, 2, 1, 9, 0])], take, "axis = 0 : i64",
                  rel=0)
    for number, (rows, ids) in enumerate([((10, 4), (3,)), ((50, 8), (6, 7)),
                                          ((1, 1), (1,))]):
        yield op_case(f"embedding_{number}", "embedding_lookup",
                      [normal(number, *rows),
                       integers(number, 0, rows[0], *ids)], take, rel=0,
                      by=(0,))


def parts_of(table, count, strategy):
    """The rows of each part of a table."""
    if strategy == "mod":
        return [table[i::count] for i in range(count)]
    sizes = [len(table) // count + (i < len(table) % count) for i in range(count)]
    return np.split(table, np.cumsum(sizes)[:-1])


def lookup(parts, ids, strategy):
    """Rows of a table in parts, by one table with the rows in their order."""
    rows = sum(map(len, parts))
    table = np.zeros((rows,) + parts[0].shape[1:], parts[0].dtype)
    places = parts_of(np.arange(rows), len(parts), strategy)
    for own, part in zip(places, parts):
        table[own] = part
    return take(table, ids)


def part_cases():
    for number, (rows, count, ids, strategy) in enumerate([
            ((11, 4), 2, (7,), "mod"), ((11, 4), 3, (2, 5), "mod"),
            ((11, 4), 3, (9,), "div"), ((5,), 4, (20,), "div"),
            ((3, 2), 5, (6,), "mod"), ((4000, 16), 3, (300,), "mod")]):
        table = normal(number, *rows)
        table.flat[0] = -0.0
        kind = (np.int32, np.int64)[number % 2]
        at = integers(number, -2, rows[0] + 2, *ids, dtype=kind)
        parts = parts_of(table, count, strategy)
        assert np.array_equal(lookup(parts, at, strategy), take(table, at))
        whole = [i for i, part in enumerate(parts) if len(part)]
        yield op_case(f"parts_{number}", "embedding_lookup", [*parts, at],
                      lambda *x, s=strategy: lookup(x[:-1], x[-1], s),
                      f'partition_strategy = "{strategy}"', rel=0,
                      by=whole if len(at) < 100 else ())


def unique(x):
    distinct = list(dict.fromkeys(x.tolist()))
    y = np.full(x.shape, -1, x.dtype)
    y[:len(distinct)] = distinct
    return y, np.array([distinct.index(v) for v in x.tolist()], np.int32)


def unique_cases():
    for number, (size, most) in enumerate([(1, 3), (7, 3), (64, 9), (700, 300), (0, 1)]):
        kind = (np.int32, np.int64)[number % 2]
        x = integers(number, -2, most, size, dtype=kind)
        if size > 7:
            x[3], x[5] = np.iinfo(kind).max, np.iinfo(kind).min
        yield op_case(f"unique_{number}", "unique", [x], unique,
                      dtypes=[kind, np.int32])


def gather_nd(params, indices):
    count = indices.shape[-1]
    sizes = np.array(params.shape[:count])
    inside = np.all((indices >= 0) & (indices < sizes), -1)
    places = tuple(np.moveaxis(np.where(inside[..., None], indices, 0), -1, 0))
    result = params[places]
    mask = inside.reshape(inside.shape + (1,) * (params.ndim - count))
    return np.where(mask, result, np.zeros((), params.dtype))


def scatter_nd(indices, updates, shape):
    result = np.zeros(shape, updates.dtype)
    count = indices.shape[-1]
    rows = indices.reshape(-1, count)
    for at, update in zip(rows, updates.reshape(
            (len(rows),) + tuple(shape[count:]))):
        if all(0 <= i < n for i, n in zip(at, shape)):
            result[tuple(at)] += update
    return result


def nd_cases():
    for number, (shape, indices) in enumerate([
            ((4,), (1,)), ((4, 5), (3, 2)), ((4, 5), (3, 1)),
            ((3, 4, 5), (2, 6, 2)), ((40, 30, 7), (900, 2)),
            ((40, 30, 7), (900, 3))]):
        for kind in kinds_of(number):
            count = indices[-1]
            at = np.stack([integers(10 * number + i, -1, shape[i] + 1,
                                    *indices[:-1], dtype=kind)
                           for i in range(count)], -1)
            tag = f"{np.dtype(kind).name}_{number}"
            yield op_case(f"gather_nd_{tag}", "gather_nd",
                          [normal(number, *shape), at], gather_nd, rel=0,
                          by=(0,))
            updates = normal(number, *indices[:-1], *shape[count:])
            sizes = ", ".join(map(str, shape))
            yield op_case(f"scatter_nd_{tag}", "scatter_nd", [at, updates],
                          lambda i, u, s=shape: scatter_nd(i, u, s),
                          f"shape = array<i64: {sizes}>", norm=1e-6, by=(1,),
                          dtypes=[np.float32])


SHAPES = [((5,), 1, 3), ((1,), 1, 1), ((8, 3), 1, 5), ((4, 5), 2, 4),
          ((2, 3, 4), 2, 7), ((2, 3, 4), 1, 2), ((), 0, 2), ((31, 17), 1, 9),
          ((700, 33), 1, 50), ((50, 40, 5), 2, 301), ((5000,), 1, 3),
          ((3000, 8), 1, 5000)]


def segment_cases():
    lowest, highest = np.finfo(np.float32).min, np.finfo(np.float32).max
    ops = {"sum": (0, in_order), "mean": (0, lambda s: s.mean(0)),
           "max": (lowest, lambda s: s.max(0)),
           "min": (highest, lambda s: s.min(0))}
    for number, (shape, dims, count) in enumerate(SHAPES):
        for kind in kinds_of(number):
            # Some of the ids name no segment.
            ids = integers(number, -1, count + 1, *shape[:dims], dtype=kind)
            if ids.size > 5:
                ids.flat[3] = np.iinfo(kind).max
                ids.flat[4] = np.iinfo(kind).min
            for name, (empty, function) in ops.items():
                exact = {"rel": 0} if name in ("max", "min") else {
                    "norm": 2e-6}
                by = (0,) if np.prod(shape, dtype=int) < 3000 else ()
                if name in ("max", "min"):
                    exact["gradients"] = tie_gradients(function)
                yield op_case(
                    f"{name}_{np.dtype(kind).name}_{number}",
                    f"unsorted_segment_{name}",
                    [spread(number, *shape, gap=0.01), ids],
                    lambda d, i, e=empty, f=function, c=count: segments(
                        d, i, c, e, f),
                    f"num_segments = {count} : i64", by=by, step=1e-3, **exact)
        if dims == 1:
            ids = np.sort(integers(number, 0, count, *shape[:1]))
            # What they are short for has the large shapes of all three.
            for name in ("sum", "mean", "max") if ids.size < 100 else ("sum",):
                empty, function = ops[name]
                yield op_case(
                    f"sorted_{name}_{number}", f"segment_{name}",
                    [spread(number, *shape, gap=0.01), ids],
                    lambda d, i, e=empty, f=function, c=count: segments(
                        d, i, c, e, f),
                    f"num_segments = {count} : i64", norm=2e-6, step=1e-3,
                    by=(0,) if ids.size < 100 else (),
                    gradients=tie_gradients(function) if name == "max"
                    else None)


def bits_cases():
    """The order of the sum is that of the slices, to the last bit."""
    for number, (rows, width, count) in enumerate([(64, 5, 3), (3000, 7, 11)]):
        data = (normal(number, rows, width) * np.float32(10) ** integers(
            number, -4, 5, rows, 1)).astype(np.float32)
        ids = integers(number, 0, count, rows)
        want = segments(data, ids, count, 0, in_order)
        yield op_case(f"order_{number}", "unsorted_segment_sum", [data, ids],
                      lambda d, i, w=want: w,
                      f"num_segments = {count} : i64", rel=0)


def integer_cases():
    for number, kind in enumerate((np.int32, np.int64, np.uint8)):
        info = np.iinfo(kind)
        for size in (9, 4000):
            data = integers(number, 0, 99, size, 3, dtype=kind)
            ids = integers(number, 0, 7, size)
            tag = f"{np.dtype(kind).name}_{size}"
            text = "num_segments = 8 : i64"
            yield op_case(f"sum_of_{tag}", "unsorted_segment_sum", [data, ids],
                          lambda d, i: segments(d, i, 8, 0, in_order), text)
            yield op_case(f"max_of_{tag}", "unsorted_segment_max", [data, ids],
                          lambda d, i, e=info.min: segments(
                              d, i, 8, e, lambda s: s.max(0)), text)
            yield op_case(f"min_of_{tag}", "unsorted_segment_min", [data, ids],
                          lambda d, i, e=info.max: segments(
                              d, i, 8, e, lambda s: s.min(0)), text)


def special_cases():
    data = np.float32([np.nan, 1, -np.inf, -np.inf, np.inf, 2])
    ids = np.int32([0, 0, 1, 1, 2, 2])
    yield op_case("max_special", "unsorted_segment_max", [data, ids],
                  lambda d, i: np.array([np.nan, -np.inf, np.inf,
                                         np.finfo(np.float32).min]),
                  "num_segments = 4 : i64", rel=0)
    yield op_case("sum_of_none", "unsorted_segment_sum",
                  [np.zeros((0, 2), np.float32), np.zeros((0,), np.int32)],
                  lambda d, i: np.zeros((3, 2)), "num_segments = 3 : i64",
                  rel=0)
    yield op_case("sum_to_none", "unsorted_segment_sum",
                  [normal(1, 3, 2), np.int32([0, 1, 2])],
                  lambda d, i: np.zeros((0, 2)), "num_segments = 0 : i64",
                  rel=0)
    # Ties share the gradient.
    data, ids = np.float32([1, 3, 3, 2, 3]), np.int32([0, 0, 0, 1, 1])
    yield op_case("max_ties", "unsorted_segment_max", [data, ids],
                  lambda d, i: np.array([3.0, 3.0]), "num_segments = 2 : i64",
                  rel=0, by=(0,), gradients=lambda w, d, i: [
                      [0, w[0] / 2, w[0] / 2, 0, w[1]]])


def between_case(name, rows, width, picks):
    """Between other ops: what they make, and on what becomes of theirs."""
    table, ids = normal(1, rows, width), integers(2, 0, rows, picks)
    bias = normal(3, width)
    kind, picked = type_of(table), f"tensor<{picks}x{width}xf32>"
    text = f"""
      %two = tfir.add %table, %bias : ({kind}, {type_of(bias)}) -> {kind}
      %next = tfir.const dense<1> : tensor<i32>
      %at = tfir.add %ids, %next : ({type_of(ids)}, tensor<i32>) -> {type_of(ids)}
      %g = tfir.gather %two, %at : ({kind}, {type_of(ids)}) -> {picked}
      %h = tfir.mul %g, %bias : ({picked}, {type_of(bias)}) -> {picked}
      %s = tfir.unsorted_segment_sum %h, %at {{num_segments = {rows} : i64}}
          : ({picked}, {type_of(ids)}) -> {kind}
      %y = tfir.sub %s, %two : ({kind}, {kind}) -> {kind}
    """
    feeds = {"table": table, "ids": ids, "bias": bias}
    two = table.astype(float) + bias
    h = take(two, ids + 1) * bias
    y = segments(h, ids + 1, rows, 0, in_order) - two
    return Case(name, graph(name, feeds, text, {"h": picked, "y": kind}),
                feeds, {"h": Fetch(h.astype(np.float32), norm=1e-6),
                        "y": Fetch(y.astype(np.float32), norm=1e-6)})


def between_cases():
    yield between_case("between_small", 6, 3, 9)
    yield between_case("between_equal", 40, 30, 40)
    yield between_case("between", 300, 64, 700)


def cases():
    return [*gather_cases(), *part_cases(), *unique_cases(), *nd_cases(), *segment_cases(), *bits_cases(),
            *integer_cases(), *special_cases(), *between_cases()]


if __name__ == "__main__":
    harness.main(cases())
