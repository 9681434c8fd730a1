# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feature columns in random programs."""
from values import F32, FLOATS, INTS, count


class Layer:
    """What an op with columns reads: its operands with their keys, and the columns."""

    def __init__(self, batch):
        self.batch, self.operands, self.passes = batch, [], []
        self.columns, self.width = [], 0

    def add(self, value, passes):
        self.operands.append(value)
        if passes:
            self.passes.append(value)
        return f"k{len(self.operands) - 1}"

    @property
    def keys(self):
        return ", ".join(f'"k{i}"' for i in range(len(self.operands)))


class ColumnOps:
    """Of a graph."""

    def columns(self):
        layer = Layer(self.p.pick([1, 2, 5, 8, 33]))
        linear = self.p.chance(0.3)
        units, weights = self.p.pick([1, 3]), []
        for _ in range(self.p.pick([1, 1, 2, 3])):
            kinds = [self._column_numeric, self._column_bucketized,
                     self._column_indicator, self._column_embedding]
            kind = self.p.pick(kinds + [self._column_categories] * (2 * linear))
            text, rows = kind(layer)
            layer.columns.append(f"#tfir.{text}")
            layer.width += rows
            if linear:
                key = layer.add(self.leaf((rows, units), F32), passes=True)
                weights.append(f'"{key}"')
        words = [f"columns = [{', '.join(layer.columns)}]"]
        if linear:
            words.append(f"weights = [{', '.join(weights)}]")
            if self.p.chance(0.5):
                bias = layer.add(self.leaf((units,), F32), passes=True)
                words.append(f'bias = "{bias}"')
            if self.p.chance(0.5):
                combiner = self.p.pick(["mean", "sqrtn"])
                words.append(f'sparse_combiner = "{combiner}"')
        words.append(f"keys = [{layer.keys}]")
        self.emit("linear_model" if linear else "input_layer", layer.operands,
                  (layer.batch, units if linear else layer.width), F32,
                  ", ".join(words), passes=layer.passes)

    def _column_feature(self, layer, elements):
        def fits(v):
            return (v.element in elements and len(v.shape) in (1, 2) and
                    v.shape[0] == layer.batch and 0 < count(v.shape) <= 8 * layer.batch)

        def make():
            shape = (layer.batch, *self.p.pick([(), (), (1,), (3,), (4,)]))
            return self.leaf(shape, self.p.pick(elements))
        return self.find(fits, make)

    def _column_number(self, layer, passes):
        x = self._column_feature(layer, FLOATS + INTS)
        key = layer.add(x, passes and x.element in FLOATS)
        width = x.shape[1] if len(x.shape) == 2 else 1
        scaled = self.p.chance(0.5)
        return (f'numeric_column<key = "{key}", shape = [{width}], '
                f"mean = {1.5 if scaled else 0}, scale = {-4 if scaled else 1}>"), width

    def _column_numeric(self, layer):
        return self._column_number(layer, passes=True)

    def _column_bucketized(self, layer):
        source, width = self._column_number(layer, passes=False)
        boundaries = self.p.pick([[0.3], [-0.6, 0.2, 0.9], [-1.25, 0, 1, 2.25]])
        return (f"bucketized_column<source_column = #tfir.{source}, boundaries = "
                f"{boundaries}>"), width * (len(boundaries) + 1)

    def _column_key(self, layer):
        return layer.add(self._column_feature(layer, [e for e in INTS if e != "ui64"]), False)

    def _column_categories(self, layer):
        """A column of categories, and how many there are."""
        kind = self.p.pick(["identity", "vocabulary_list", "hash_bucket", "crossed",
                            "bucketized"])
        if kind == "bucketized":
            return self._column_bucketized(layer)
        if kind == "crossed":
            size = self.p.pick([1, 7, 20])
            parts = [f'"{self._column_key(layer)}"' for _ in range(2)]
            if self.p.chance(0.3):
                parts.append("#tfir." + self._column_bucketized(layer)[0])
            return (f"crossed_column<keys = [{', '.join(parts)}], hash_bucket_size = "
                    f"{size}, hash_key = {self.p.pick([0, -3])}>"), size
        size, words, others = self.p.pick([1, 3, 9]), [0, 2, 1, -7], self.p.pick([0, 0, 3])
        parameters = {
            "identity": f"num_buckets = {size}, default_value = {self.p.pick([-1, 0])}",
            "hash_bucket": f"hash_bucket_size = {size}",
            "vocabulary_list": f"vocabulary_list = {words}, num_oov_buckets = {others}, "
                               f"default_value = {-1 if others else self.p.pick([-1, 3])}"}
        return (f'categorical_column_with_{kind}<key = "{self._column_key(layer)}", '
                f"{parameters[kind]}>",
                len(words) + others if kind == "vocabulary_list" else size)

    def _column_indicator(self, layer):
        column, size = self._column_categories(layer)
        return f"indicator_column<categorical_column = #tfir.{column}>", size

    def _column_embedding(self, layer):
        column, size = self._column_categories(layer)
        width = self.p.pick([1, 2, 5])
        table = layer.add(self.leaf((size, width), F32), passes=True)
        return (f'embedding_column<categorical_column = #tfir.{column}, table = "{table}", '
                f'combiner = "{self.p.pick(["mean", "sum", "sqrtn"])}">'), width
