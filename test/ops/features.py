# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Categories of values."""
import numpy as np

import harness
from opcases import generator, integers, normal, op_case

INTS = (np.int32, np.int64)
ENDS = {np.int32: 2 ** 31 - 1, np.int64: 2 ** 63 - 1}


def bucketize(x, boundaries):
    return np.searchsorted(boundaries, x, side="right")


def bucketize_cases():
    for number, (shape, count) in enumerate((((3, 4), 5), ((), 1), ((2, 3, 4), 17),
                                             ((0, 3), 2), ((5,), 0), ((300,), 200))):
        for kind in (np.float32, np.float64):
            x, boundaries = normal(number, *shape, dtype=kind), np.sort(
                normal(number + 10, count, dtype=kind))
            if x.size > 2 and count > 1:
                # On a boundary begins a bucket; there are numbers that are none.
                x.flat[0], x.flat[1], x.flat[2] = boundaries[1], np.inf, np.nan
            yield op_case(f"bucketize_{number}_{np.dtype(kind).name}", "bucketize",
                          [x, boundaries], bucketize, dtypes=[np.int32])
    for kind in (*INTS, np.uint8):
        x = integers(1, 0, 60, 4, 5, dtype=kind)
        yield op_case(f"bucketize_{np.dtype(kind).name}", "bucketize",
                      [x, np.array([0, 18, 25, 50], kind)], bucketize,
                      dtypes=[np.int32])
    # Not in order: what is counted stays the same.
    yield op_case("bucketize_disordered", "bucketize",
                  [normal(1, 9), np.array([0.5, -0.5, 0], np.float32)],
                  lambda x, b: bucketize(x, np.sort(b)), dtypes=[np.int32])


def mix(z):
    mask = 2 ** 64 - 1
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return z ^ z >> 31


def hash_bucket(keys, buckets, seed=0):
    """By integers of Python, which have no width."""
    keys = np.broadcast_arrays(*keys)
    result = np.zeros(keys[0].shape, np.int64)
    for place in np.ndindex(result.shape):
        value = seed % 2 ** 64
        for key in keys:
            value = mix((value + 0x9E3779B97F4A7C15 + int(key[place])) % 2 ** 64)
        result[place] = value % buckets
    return result


# SplitMix64 that begins with 1234567 gives these, as its authors print them.
KNOWN = (6457827717110365317, 3203168211198807973, 9817491932198370423)


def known_hash():
    """The reference is SplitMix64: its own numbers, of states that stand apart."""
    for place, want in enumerate(KNOWN):
        state = (1234567 + 0x9E3779B97F4A7C15 * place) % 2 ** 64
        key = np.array(state - 2 ** 64 if state >= 2 ** 63 else state, np.int64)
        assert hash_bucket([key], 2 ** 63)[()] == want % 2 ** 63
        yield op_case(f"hash_known_{place}", "hash_bucket", [key.reshape(1)],
                      lambda x, want=want: np.array([want % (2 ** 63 - 1)]),
                      f"num_buckets = {2 ** 63 - 1} : i64", dtypes=[np.int64])


def hash_case(name, keys, buckets, seed=None):
    words = [f"num_buckets = {buckets} : i64"]
    if seed is not None:
        words.append(f"seed = {seed} : i64")
    return op_case(name, "hash_bucket", keys,
                   lambda *k: hash_bucket(k, buckets, seed or 0), ", ".join(words),
                   dtypes=[np.int64])


def hash_cases():
    for kind in INTS:
        low, high = -ENDS[kind] - 1, ENDS[kind]
        keys = generator(1).integers(low, high, (5, 7), kind, endpoint=True)
        keys[0, :5] = [0, 1, -1, low, high]
        name = np.dtype(kind).name
        for buckets in (1, 2, 100, 1 << 20, 2 ** 63 - 1):
            yield hash_case(f"hash_{name}_{buckets}", [keys], buckets)
        yield hash_case(f"hash_{name}_seed", [keys], 1000, -5)
    # Crossed: of two types, which broadcast, in either order.
    a, b = integers(2, 0, 9, 4, 3), integers(3, -9, 9, 3, dtype=np.int64)
    for name, keys in (("ab", [a, b]), ("ba", [b, a]),
                       ("three", [a, b, integers(4, 0, 5, 4, 1)])):
        yield hash_case(f"hash_crossed_{name}", keys, 997)
    yield hash_case("hash_empty", [np.zeros((0, 3), np.int32)], 5)
    yield hash_case("hash_many", [integers(5, 0, 10 ** 6, 70, 33)], 1000)


def place_in(x, vocabulary, default=-1):
    places = {int(v): n for n, v in reversed(list(enumerate(vocabulary)))}
    return np.array([places.get(int(v), default) for v in x.flat], np.int64).reshape(
        x.shape)


def vocabulary_cases():
    for kind in (*INTS, np.uint8):
        for number, (shape, count) in enumerate((((3, 4), 5), ((), 1), ((2, 3, 4), 13),
                                                 ((0, 3), 2), ((5,), 0))):
            # Some stand there twice, some not at all.
            operands = [integers(number, 0, 20, *shape, dtype=kind),
                        integers(number + 10, 0, 20, count, dtype=kind)]
            yield op_case(f"vocabulary_{np.dtype(kind).name}_{number}",
                          "vocabulary_index", operands, place_in, dtypes=[np.int64])
    yield op_case("vocabulary_default", "vocabulary_index",
                  [integers(1, 0, 9, 40), np.array([7, 3, 8], np.int32)],
                  lambda x, v: place_in(x, v, 2 ** 62 + 1),
                  f"default_value = {2 ** 62 + 1} : i64", dtypes=[np.int64])


def cases():
    return [*bucketize_cases(), *known_hash(), *hash_cases(), *vocabulary_cases()]


if __name__ == "__main__":
    harness.main(cases())
