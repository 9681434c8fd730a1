# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes cases of single ops: values against a numpy reference in double
precision, gradients against central differences of that reference."""
import numpy as np

from harness import Case, Check, Failure, Fetch, LazyFetch, graph, type_of

LETTERS = "abcdefghi"
MOST_DIFFERENCES = 600  # elements; beyond, derivatives along some directions


def generator(seed):
    return np.random.Generator(np.random.PCG64(seed))


def normal(seed, *shape, dtype=np.float32):
    return generator(seed).standard_normal(shape).astype(dtype)


def uniform(seed, low, high, *shape, dtype=np.float32):
    return generator(seed).uniform(low, high, shape).astype(dtype)


def integers(seed, low, high, *shape, dtype=np.int32):
    return generator(seed).integers(low, high, shape).astype(dtype)


def spread(seed, *shape, dtype=np.float32, gap=0.05):
    """Numbers that are at least `gap` apart, and from 0: no kinks between."""
    count = int(np.prod(shape, dtype=int))
    values = (np.arange(count) - count // 2 + 0.5) * gap
    return generator(seed).permutation(values).reshape(shape).astype(dtype)


def wide(value):
    """Floats in double precision, other types as they are."""
    return value.astype(np.float64) if value.dtype.kind == "f" else value


def first(result):
    return result[0] if isinstance(result, tuple) else result


def scalar_loss(reference, weights):
    return lambda values: float(np.sum(first(reference(*values)) * weights))


def difference(loss, values, which, direction, step):
    moved = list(values)
    moved[which] = values[which] + step * direction
    above = loss(moved)
    moved[which] = values[which] - step * direction
    return (above - loss(moved)) / (2 * step)


def numeric_gradient(loss, values, which, step):
    """d loss / d values[which], element by element."""
    result = np.zeros(values[which].shape)
    direction = np.zeros(values[which].shape)
    for place in np.ndindex(result.shape):
        direction[place] = 1
        result[place] = difference(loss, values, which, direction, step)
        direction[place] = 0
    return result


def along_directions(loss, values, which, step, limit):
    """Checks a gradient by its products with some directions."""
    shape = values[which].shape

    def compare(got):
        if got.shape != shape:
            raise Failure(f"has shape {got.shape}, not {shape}")
        directions = [normal(s, *shape, dtype=np.float64) for s in (1, 2, 3)]
        wants = [difference(loss, values, which, d, step) for d in directions]
        # What rounding does to the loss, and to a gradient that is about zero.
        rounding = 1e-15 * abs(loss(values)) / step + 1e-7
        norm = np.sqrt(np.sum(got.astype(float) ** 2))
        for direction, want in zip(directions, wants):
            error = abs(np.sum(got * direction) - want)
            if not error <= limit * norm + rounding:
                raise Failure(f"differs along a direction by {error:.3g}, its "
                              f"norm is {norm:.3g}")
    return Check(compare)


def gradient_fetch(reference, operands, which, weights, step, limit):
    values = [wide(o) for o in operands]
    loss = scalar_loss(reference, wide(weights))
    if operands[which].size > MOST_DIFFERENCES:
        return along_directions(loss, values, which, step, limit)
    return LazyFetch(lambda: numeric_gradient(loss, values, which, step).astype(
        operands[which].dtype), norm=limit, floor=1e-3)


def call(op, results, names, operands, attributes, types):
    """The text of one op."""
    left = ", ".join(f"%{r}" for r in results)
    right = ", ".join(f"%{n}" for n in names)
    inner = ", ".join(type_of(o) for o in operands)
    outer = types[0] if len(types) == 1 else f"({', '.join(types)})"
    space = f" {{{attributes}}}" if attributes else ""
    return f"{left} = tfir.{op} {right}{space} : ({inner}) -> {outer}"


def gradient_text(operands, weights, kinds):
    """The gradients of `y0 * r` by the operands numbered in `kinds`."""
    y, names = type_of(weights), [LETTERS[i] for i in kinds]
    inner = ", ".join([y] + [type_of(operands[i]) for i in kinds])
    outer = ", ".join(type_of(operands[i]) for i in kinds)
    return (f"%loss = tfir.mul %y0, %r : ({y}, {y}) -> {y}\n"
            f"{', '.join('%d' + n for n in names)} = tfir.gradients %loss, "
            f"{', '.join('%' + n for n in names)} : ({inner}) -> ({outer})")


def op_case(name, op, operands, reference, attributes="", dtypes=None,
            norm=None, rel=None, floor=1e-30, by=(), gradients=None, step=1e-4,
            gradient_norm=2e-5):
    """A case of one op.

    `reference` maps the operands, floats in double precision, to the result or a
    tuple of results; `dtypes` are the results' types, by default the first
    operand's. `by` numbers the operands to differentiate by; `gradients`, where
    given, maps (weights, operands...) to the right gradients and stands for the
    differences, as at a kink.
    """
    with np.errstate(all="ignore"):
        results = reference(*[wide(o) for o in operands])
    results = results if isinstance(results, tuple) else (results,)
    dtypes = dtypes or [operands[0].dtype] * len(results)
    with np.errstate(all="ignore"):
        results = [np.asarray(r).astype(d) for r, d in zip(results, dtypes)]
    feeds = {LETTERS[i]: o for i, o in enumerate(operands)}
    names = [f"y{i}" for i in range(len(results))]
    body = call(op, names, feeds, operands, attributes,
                [type_of(r) for r in results])
    fetches = {n: Fetch(r, norm, rel, floor) for n, r in zip(names, results)}
    types = {n: type_of(r) for n, r in zip(names, results)}
    if by:
        weights = uniform(99, 0.5, 1.5, *results[0].shape,
                          dtype=results[0].dtype)
        feeds["r"] = weights
        body += "\n" + gradient_text(operands, weights, by)
        if gradients:
            exact = gradients(wide(weights), *[wide(o) for o in operands])
        for place, which in enumerate(by):
            fetch = (Fetch(np.asarray(exact[place], operands[which].dtype),
                           norm=gradient_norm, floor=1e-3) if gradients else
                     gradient_fetch(reference, operands, which, weights, step,
                                    gradient_norm))
            fetches["d" + LETTERS[which]] = fetch
            types["d" + LETTERS[which]] = type_of(operands[which])
    return Case(name, graph(name, feeds, body, types), feeds, fetches,
                gradient_of=(op,) if by else ())
