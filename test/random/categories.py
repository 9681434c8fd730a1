# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Categories of values in random programs."""
from values import FLOATS, I32, I64, INTS, MAX_ELEMENTS, broadcast, count


class CategoryOps:
    """Of a graph."""

    def category(self):
        op = self.p.pick(["bucketize", "vocabulary_index", "hash_bucket"])
        if op == "hash_bucket":
            self._hashed()
            return
        x = self.value(FLOATS + INTS if op == "bucketize" else INTS)
        length = self.p.pick([0, 1, 2, 5, 17])
        if count(x.shape) * length > 4 * MAX_ELEMENTS:
            return
        known = self.leaf((length,), x.element)
        attributes = ""
        if op == "vocabulary_index" and self.p.chance(0.5):
            attributes = f"default_value = {self.p.pick([0, 7, length])} : i64"
        self.emit(op, [x, known], x.shape, I32 if op == "bucketize" else I64,
                  attributes, passes=[])

    def _hashed(self):
        keys = [self.value([I32, I64])]
        shape = keys[0].shape
        while len(keys) < 3 and self.p.chance(0.5):
            keys.append(self.partner(keys[0], self.p.pick([I32, I64])))
            both = broadcast(shape, keys[-1].shape)
            if both is None or count(both) > 4 * MAX_ELEMENTS:
                keys.pop()
                break
            shape = both
        words = [f"num_buckets = {self.p.pick([1, 7, 100, 2 ** 40])} : i64"]
        if self.p.chance(0.3):
            words.append(f"seed = {self.p.pick([-1, 5])} : i64")
        self.emit("hash_bucket", keys, shape, I64, ", ".join(words), passes=[])
