# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One func of several by an index: every index, those that are none, and loops inside."""
import sys

import numpy as np

import harness
from harness import Fetch, Model

COUNT = 9
TEXT = """tfir 1
variable w: f32[8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]

func power(x, y) {
  for i in repeat(3, carry=[x]) { x = x * w }
  return x, y + 1
}
func halves(x, y) {
  for _ in while(max(x) > 1.0, carry=[x, y], limit=40) { x = x / 2; y = y + 2 }
  return x, y
}
func other(x, y) { return -x, y * 0 }
func inner(x, y) { return case(y, [other, power], x, y) }
func keep(x, y) { return x, y }

graph three(x: f32[8], y: i64, i: i32) -> (a, b) {
  a, b = case(i, [power, halves, keep], x, y)
}
graph nested(x: f32[8], y: i64) -> (a, b) { a, b = case(y - 1, [inner, keep, inner], x, y) }
""" + f"""
let many = {COUNT}
""" + "".join(f"func f{n}(x) {{ return x * {n}.0 + w }}\n" for n in range(COUNT)) + f"""
graph chosen(x: f32[8], i: i64) -> (y) {{
  y = case(i, [{", ".join(f"f{n}" for n in range(COUNT))}], x)
}}
graph known(x: f32[8]) -> (y) {{ y = case(many, [f0, f3], x) }}
"""
W = np.arange(1, 9, dtype=np.float32)
X = np.float32([0.5, -1, 3, 7, 0, 2, 30, -4])


def power(x, y):
    return x * W * W * W, y + 1


def halves(x, y):
    while x.max() > 1:
        x, y = x / 2, y + 2
    return x, y


def compare(got, names, wants):
    for name, want in zip(names, wants):
        Fetch(np.asarray(want, got[name].dtype), rel=1e-6).compare(got[name])


def each_index_is_its_func():
    y = np.array(5, np.int64)
    funcs = [power, halves, lambda x, y: (x, y)]
    for options in harness.RUNS:
        for index in (-7, -1, 0, 1, 2, 3, 1000):
            func = funcs[index] if 0 <= index < 3 else funcs[-1]
            got = MODEL.run("three", {"x": X, "y": y, "i": np.array(index, np.int32)},
                            options)
            compare(got, "ab", func(X, y))


def one_stands_in_another():
    for number in (0, 1, 2, 3, 4):
        y = np.array(number, np.int64)
        inner = (-X, 0) if number == 0 else power(X, y)
        want = (X, y) if number == 2 else inner
        compare(MODEL.run("nested", {"x": X, "y": y}), "ab", want)


def there_may_be_many():
    for index in range(-1, COUNT + 1):
        taken = index if 0 <= index < COUNT else COUNT - 1
        got = MODEL.run("chosen", {"x": X, "i": np.array(index, np.int64)})
        compare(got, "y", [X * np.float32(taken) + W])


def an_index_may_be_known():
    compare(MODEL.run("known", {"x": X}), "y", [X * 3 + W])


CHECKS = [each_index_is_its_func, one_stands_in_another, there_may_be_many,
          an_index_may_be_known]

if __name__ == "__main__":
    MODEL = Model(sys.argv[1], TEXT)
    harness.run_checks(CHECKS)
