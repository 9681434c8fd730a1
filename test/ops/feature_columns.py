# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feature columns, each alone, in each other and side by side."""
import itertools

import numpy as np

import harness
from features import hash_bucket
from opcases import generator, integers, normal, op_case

INTS = (np.int32, np.int64, np.int8, np.int16, np.uint8, np.uint16, np.uint32)


class Column:
    """A column: its attribute, its name, the keys it reads in their order, and what it
    makes of features by key: numbers, or categories of which there are `buckets`."""

    def __init__(self, kind, name, keys, parameters, numbers=None, categories=None,
                 buckets=None):
        text = ", ".join(f"{k} = {v}" for k, v in parameters.items())
        self.text, self.name, self.keys = f"#tfir.{kind}<{text}>", name, keys
        self.numbers, self.buckets = numbers, buckets
        self.categories = remembered(keys, categories)


def remembered(keys, function):
    """The function of features, computed once for the same arrays: differences move
    others, thousands of times."""
    known = {}

    def result(features):
        own = [features[k] for k in keys]
        place = tuple(map(id, own))
        if place not in known:
            known[place] = own, function(features)
        return known[place][1]
    return result


def listed(values):
    return f"[{', '.join(map(str, values))}]"


def numeric(key, shape=(1,), mean=0.0, scale=1.0):
    def numbers(features):
        x = features[key].astype(np.float64)
        return (x.reshape(len(x), int(np.prod(shape))) - mean) / scale
    column = Column("numeric_column", key, [key],
                    {"key": f'"{key}"', "shape": listed(shape), "mean": mean,
                     "scale": scale}, numbers)
    column.width = int(np.prod(shape))
    return column


def counts(categories, buckets):
    result = np.zeros((len(categories), buckets))
    for row, values in enumerate(categories):
        for value in values[values >= 0]:
            result[row, value] += 1
    return result


def bucketized(source, boundaries):
    def buckets(features):
        x = source.numbers(features).astype(np.float32)
        return np.searchsorted(np.array(boundaries, np.float32), x, side="right")

    def categories(features):
        found = buckets(features)
        return found + np.arange(found.shape[1]) * (len(boundaries) + 1)

    def numbers(features):
        hot = buckets(features)[..., None] == np.arange(len(boundaries) + 1)
        return hot.reshape(len(hot), hot.shape[1] * hot.shape[2]).astype(float)
    return Column("bucketized_column", source.name + "_bucketized", source.keys,
                  {"source_column": source.text, "boundaries": listed(boundaries)},
                  numbers, categories, source.width * (len(boundaries) + 1))


def integers_of(features, key):
    x = features[key].astype(np.int64)
    return x if x.ndim == 2 else x[:, None]


def mapped(kind, key, buckets, function, **parameters):
    """A column of the integers of one feature; -1 is none of them."""
    def categories(features):
        x = integers_of(features, key)
        found = [[-1 if v == -1 else function(int(v)) for v in row] for row in x]
        return np.array(found, np.int64).reshape(x.shape)
    return Column("categorical_column_with_" + kind, key, [key],
                  {"key": f'"{key}"'} | parameters, None, categories, buckets)


def hashed(values, buckets, seed=0):
    return int(hash_bucket([np.array(v, np.int64) for v in values], buckets, seed)[()])


def identity(key, buckets, default=-1):
    return mapped("identity", key, buckets,
                  lambda v: v if 0 <= v < buckets else default, num_buckets=buckets,
                  default_value=default)


def vocabulary(key, words, default=-1, others=0):
    def place(value):
        if value in words:
            return words.index(value)
        return len(words) + hashed([value], others) if others else default
    return mapped("vocabulary_list", key, len(words) + others, place,
                  vocabulary_list=listed(words), default_value=default,
                  num_oov_buckets=others)


def bucket(key, buckets):
    return mapped("hash_bucket", key, buckets, lambda v: hashed([v], buckets),
                  hash_bucket_size=buckets)


def leaves(keys):
    for key in keys:
        yield from leaves(key.crossing) if hasattr(key, "crossing") else [key]


def crossed(keys, buckets, seed=0):
    parts = list(leaves(keys))

    def categories(features):
        own = [integers_of(features, p) if isinstance(p, str) else
               p.categories(features) for p in parts]
        found = [[-1 if -1 in values else hashed(values, buckets, seed)
                  for values in itertools.product(*rows)] for rows in zip(*own)]
        return np.array(found, np.int64).reshape(
            len(own[0]), int(np.prod([o.shape[1] for o in own])))
    names = [p if isinstance(p, str) else p.name for p in parts]
    read = [k for p in parts for k in ([p] if isinstance(p, str) else p.keys)]
    texts = [f'"{k}"' if isinstance(k, str) else k.text for k in keys]
    column = Column("crossed_column", "_X_".join(sorted(names)), read,
                    {"keys": listed(texts), "hash_bucket_size": buckets,
                     "hash_key": seed}, None, categories, buckets)
    column.crossing = keys
    return column


def indicator(column):
    return Column("indicator_column", column.name + "_indicator", column.keys,
                  {"categorical_column": column.text},
                  lambda features: counts(column.categories(features), column.buckets))


def combined(categories, table, combiner):
    """The rows of a table for the categories of each example."""
    own = (categories >= 0)[..., None]
    total = np.where(own, table[np.maximum(categories, 0)], 0).sum(1)
    count = np.maximum(own.sum(1), 1)
    return total / {"mean": count, "sum": 1, "sqrtn": np.sqrt(count)}[combiner]


def embedding(column, table, combiner="mean"):
    def numbers(features):
        return combined(column.categories(features), features[table], combiner)
    return Column("embedding_column", column.name + "_embedding",
                  [*column.keys, table],
                  {"categorical_column": column.text, "table": f'"{table}"',
                   "combiner": f'"{combiner}"'}, numbers)


def quoted(keys):
    return listed(f'"{k}"' for k in keys)


def column_case(name, op, columns, features, by, function, text="", **limits):
    """A case; `features` are arrays by key, `by` the keys to differentiate by."""
    keys = list(features)
    limits = {"norm": 1e-6, "floor": 1e-6} | limits
    return op_case(name, op, list(features.values()),
                   lambda *values: function(dict(zip(keys, values))),
                   f"keys = {quoted(keys)}, "
                   f"columns = {listed(c.text for c in columns)}{text}",
                   dtypes=[np.float32], by=[keys.index(k) for k in by], **limits)


def layer(name, columns, features, by=(), **limits):
    ordered = sorted(columns, key=lambda c: c.name)
    return column_case(
        name, "input_layer", columns, features, by,
        lambda own: np.concatenate([c.numbers(own) for c in ordered], axis=1), **limits)


def alone(name, column, features, by=(), **limits):
    return layer(name, [column], features, by, **limits)


def number_cases():
    for kind in (np.float32, np.float64, *INTS):
        x = normal(1, 7, dtype=kind) * 20 if np.dtype(kind).kind == "f" else integers(
            1, 0, 120, 7, dtype=kind)
        word = np.dtype(kind).name
        yield alone(f"numeric_{word}", numeric("x"), {"x": x})
        yield alone(f"numeric_{word}_scaled", numeric("x", mean=30.5, scale=-12.0),
                    {"x": x})
        # On a boundary begins a bucket.
        x = np.concatenate([np.array([18, 25, 17], kind), x])
        yield alone(f"bucketized_{word}", bucketized(numeric("x"), [18.0, 25, 60]),
                    {"x": x})
    for number, shape in enumerate(((1,), (3,), (2, 3), (1, 1))):
        x = normal(number, 5, *shape)
        yield alone(f"numeric_shape_{number}", numeric("x", shape, 0.25, 2.0), {"x": x},
                    by="x")
    yield alone("numeric_flat", numeric("x", (1,), -3.0), {"x": normal(5, 6)}, by="x")
    yield alone("numeric_by_f64", numeric("x", (3,), 0.0, 0.5),
                {"x": normal(6, 4, 3, dtype=np.float64)}, by="x")
    x = normal(7, 6, 4)
    x[0, :3] = np.inf, -np.inf, np.nan
    yield alone("bucketized_many", bucketized(numeric("x", (4,)), [-0.5, 0.0, 0.25]),
                {"x": x})
    # Buckets of the normalised number, none of which is near a boundary.
    yield alone("bucketized_scaled",
                bucketized(numeric("x", (2,), 30.0, 10.0), [-1.05, 0.55]),
                {"x": integers(8, 0, 60, 9, 2)})


def category_columns():
    """Of the key x: integers from 0 to 12, and -1, -2 and 100."""
    yield "identity", identity("x", 10)
    yield "identity_default", identity("x", 10, 3)
    yield "vocabulary", vocabulary("x", [7, -2, 3, 100])
    yield "vocabulary_default", vocabulary("x", [7, 3, 5], 2)
    yield "vocabulary_others", vocabulary("x", [7, 3], others=6)
    yield "hash", bucket("x", 8)
    yield "crossed", crossed(["x", "x"], 11)
    yield "crossed_list", crossed([vocabulary("x", [7, 3, 4]), "x"], 6, -4)


def values(seed, *shape, dtype=np.int64):
    x = generator(seed).integers(0, 13, shape).astype(dtype)
    x.flat[: 5] = [-1, -2, 100, 7, 3]
    return x


def category_cases():
    for name, column in category_columns():
        for number, shape in enumerate(((9,), (9, 1), (5, 4))):
            x = values(number, *shape, dtype=(np.int32, np.int64)[number % 2])
            if len(shape) == 2:
                x[-1] = -1  # an example without any
            table = normal(number + 9, column.buckets, 3)
            yield alone(f"indicator_{name}_{number}", indicator(column), {"x": x})
            for combiner in ("mean", "sum", "sqrtn"):
                yield alone(f"embedding_{name}_{number}_{combiner}",
                            embedding(column, "t", combiner), {"x": x, "t": table},
                            by="t")
    for kind in INTS:
        x = integers(3, 0, 100, 5, 3, dtype=kind)
        for name, column in (("identity", identity("x", 50)), ("hash", bucket("x", 9))):
            yield alone(f"{name}_{np.dtype(kind).name}", indicator(column), {"x": x})


def crossed_cases():
    ages = bucketized(numeric("age"), [18.0, 40])
    pairs = bucketized(numeric("p", (2,)), [0.0])
    features = {"age": integers(1, 0, 60, 6), "i": values(2, 6, 3),
                "j": values(3, 6, 2, dtype=np.int32), "p": normal(4, 6, 2),
                "k": values(5, 6)}
    for name, column in (
            ("keys", crossed(["i", "j"], 13)),
            ("turned", crossed(["j", "i"], 13)),
            ("seed", crossed(["k", "j"], 13, 2 ** 40)),
            ("buckets", crossed([ages, "k"], 17)),
            ("dimensions", crossed([pairs, "j"], 12)),
            ("columns", crossed([identity("i", 8), vocabulary("k", [7, 3], others=2)],
                                19)),
            ("nested", crossed([crossed([ages, "k"], 3), "j"], 23)),
            ("three", crossed(["i", "j", ages], 29, 7))):
        own = {k: features[k] for k in dict.fromkeys(column.keys)}
        yield alone(f"crossed_{name}", indicator(column), own)
        table = normal(6, column.buckets, 2)
        yield alone(f"crossed_{name}_embedding", embedding(column, "t", "sqrtn"),
                    own | {"t": table}, by="t")
    # A bucketized column is one of categories, too.
    for column in (ages, pairs):
        own = {k: features[k] for k in column.keys}
        yield alone(f"indicator_{column.name}", indicator(column), own)
        yield alone(f"embedding_{column.name}", embedding(column, "t"),
                    own | {"t": normal(7, column.buckets, 4)}, by="t")


def layer_cases():
    for batch in (1, 6, 130):
        features = {"age": integers(1, 0, 90, batch), "income": normal(2, batch),
                    "sizes": normal(3, batch, 3), "town": integers(4, -1, 40, batch, 5),
                    "job": integers(5, 0, 9, batch, dtype=np.int64),
                    "towns": normal(6, 20, 4), "jobs": normal(7, 12, 2)}
        columns = [numeric("sizes", (3,), 0.5, 4.0), embedding(identity("town", 20),
                                                               "towns"),
                   numeric("income"), bucketized(numeric("age"), [18.0, 30, 65]),
                   indicator(vocabulary("job", [1, 4, 6])),
                   embedding(crossed(["job", "town"], 12), "jobs", "sum")]
        # The order of the list is none of the result.
        for turn in range(2):
            yield layer(f"layer_{batch}_{turn}", columns[::1 - 2 * turn], features,
                        by=["income", "sizes", "towns", "jobs"])
    # By bytes, as Python sorts: B, _, a.
    yield layer("layer_order", [numeric("a"), numeric("B"), numeric("_")],
                {k: normal(n, 4) for n, k in enumerate(("a", "_", "B"))}, by="a_B")
    # A table that two columns share, and two columns of one feature.
    yield layer("layer_shared",
                [embedding(identity("i", 6), "t"),
                 embedding(identity("j", 6), "t", "sum"), indicator(identity("i", 6))],
                {"i": integers(8, -1, 6, 5, 3), "j": integers(9, 0, 6, 5),
                 "t": normal(10, 6, 3)}, by="t")
    none = np.zeros((0, 2), np.int64)
    yield layer("layer_empty", [numeric("x"), embedding(identity("i", 6), "t")],
                {"x": normal(1, 0), "i": none, "t": normal(2, 6, 3)})
    yield layer("layer_no_values", [indicator(identity("i", 6)),
                                    embedding(identity("i", 6), "t")],
                {"i": none.T, "t": normal(2, 6, 3)})


def linear(name, weights, features, bias=None, combiner=None):
    """`weights` are columns by the keys of their weights."""
    def function(own):
        parts = [combined(c.categories(own), own[k], combiner or "sum") if c.buckets
                 else c.numbers(own) @ own[k] for k, c in weights.items()]
        return sum(parts) + (own[bias] if bias else 0)
    text = f", weights = {quoted(weights)}" + (f', bias = "{bias}"' if bias else "")
    if combiner:
        text += f', sparse_combiner = "{combiner}"'
    by = [*weights, *([bias] if bias else []), *(["income"] if "income" in features
                                                 else [])]
    return column_case(name, "linear_model", list(weights.values()), features, by,
                       function, text, norm=3e-6)


def linear_cases():
    for batch, units in ((1, 1), (7, 3), (130, 2)):
        features = {"age": integers(1, 0, 90, batch), "income": normal(2, batch, 4),
                    "town": integers(3, -1, 9, batch, 3)}
        ages = bucketized(numeric("age"), [18.0, 30, 65])
        columns = {"w_town": identity("town", 9), "w_income": numeric("income", (4,)),
                   "w_age": ages, "w_ages": indicator(ages),
                   "w_crossed": crossed([ages, "town"], 6)}
        sizes = (9, 4, 4, 4, 6)
        features |= {k: normal(n, size, units)
                     for n, (k, size) in enumerate(zip(columns, sizes))}
        for combiner in (None, "mean", "sqrtn"):
            # Eight operands are the most that have names.
            yield linear(f"linear_{batch}_{combiner}", columns, features,
                         combiner=combiner)
    features = {"i": integers(5, 0, 6, 8), "b": normal(6, 2), "w": normal(7, 6, 2)}
    yield linear("linear_bias", {"w": identity("i", 6)}, features, "b")
    yield linear("linear_shared", {"w": identity("i", 6), "v": numeric("x")},
                 features | {"x": normal(8, 8), "v": normal(9, 1, 2)}, "b")


def cases():
    return [*number_cases(), *category_cases(), *crossed_cases(), *layer_cases(),
            *linear_cases()]


if __name__ == "__main__":
    harness.main(cases())
