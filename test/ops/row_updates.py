# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of variables that are updated in place: values, order, what is kept between steps."""
import os
import sys

import numpy as np

import harness
from harness import Fetch, Model, require
from scatter import COMBINES, scatter

ROWS, WIDTH, COUNT = 50, 6, 9


def graph_of(combine):
    """The old value is looked up before, the new one behind the update."""
    return f"""
  tfir.graph @{combine}(%i: tensor<{COUNT}xi32>, %u: tensor<{COUNT}x{WIDTH}xf32>) -> (
      old: tensor<{COUNT}x{WIDTH}xf32>, new: tensor<{COUNT}x{WIDTH}xf32>) {{
    %w = tfir.read @w : tensor<{ROWS}x{WIDTH}xf32>
    %old = tfir.gather %w, %i : (tensor<{ROWS}x{WIDTH}xf32>, tensor<{COUNT}xi32>) -> tensor<{COUNT}x{WIDTH}xf32>
    tfir.assign_rows @w, %i, %u {{combine = "{combine}"}} : tensor<{COUNT}xi32>, tensor<{COUNT}x{WIDTH}xf32>
    %v = tfir.read @w : tensor<{ROWS}x{WIDTH}xf32>
    %new = tfir.gather %v, %i : (tensor<{ROWS}x{WIDTH}xf32>, tensor<{COUNT}xi32>) -> tensor<{COUNT}x{WIDTH}xf32>
    tfir.return %old, %new : tensor<{COUNT}x{WIDTH}xf32>, tensor<{COUNT}x{WIDTH}xf32>
  }}"""


TEXT = f"""
module @rows {{
  tfir.variable @w : tensor<{ROWS}x{WIDTH}xf32> = #tfir.fill<2>
  tfir.variable @counts : tensor<7xi64> = #tfir.fill<0> {{trainable = false}}
  tfir.variable @cube : tensor<3x4x2xf64> = #tfir.fill<1> {{trainable = false}}
  {"".join(map(graph_of, COMBINES))}
  tfir.graph @count(%i: tensor<4xi64>, %u: tensor<4xi64>) -> (whole: tensor<7xi64>) {{
    tfir.assign_rows @counts, %i, %u {{combine = "add"}} : tensor<4xi64>, tensor<4xi64>
    tfir.assign_rows @counts, %i, %u {{combine = "max"}} : tensor<4xi64>, tensor<4xi64>
    %whole = tfir.read @counts : tensor<7xi64>
    tfir.return %whole : tensor<7xi64>
  }}
  tfir.graph @places(%i: tensor<5x2xi32>, %u: tensor<5x2xf64>, %j: tensor<2x3xi32>, %v: tensor<2xf64>) -> (cube: tensor<3x4x2xf64>) {{
    tfir.assign_rows @cube, %i, %u {{combine = "add", nd}} : tensor<5x2xi32>, tensor<5x2xf64>
    tfir.assign_rows @cube, %j, %v {{nd}} : tensor<2x3xi32>, tensor<2xf64>
    %cube = tfir.read @cube : tensor<3x4x2xf64>
    tfir.return %cube : tensor<3x4x2xf64>
  }}
  tfir.graph @perhaps(%c: tensor<i1>, %i: tensor<4xi64>, %u: tensor<4xi64>) -> (whole: tensor<7xi64>) {{
    tfir.if %c : (tensor<i1>) -> () {{
      tfir.assign_rows @counts, %i, %u {{combine = "sub"}} : tensor<4xi64>, tensor<4xi64>
      tfir.yield
    }} else {{
      tfir.assign_rows @counts, %i, %u : tensor<4xi64>, tensor<4xi64>
      tfir.yield
    }}
    %whole = tfir.read @counts : tensor<7xi64>
    tfir.return %whole : tensor<7xi64>
  }}
}}
"""


def same(got, **wants):
    for name, want in wants.items():
        try:
            Fetch(np.asarray(want, got[name].dtype), rel=0).compare(got[name])
        except harness.Failure as failure:
            raise harness.Failure(f"'{name}' {failure}") from failure


def rows_are_combined():
    rng = np.random.default_rng(5)
    at = np.int32([3, 7, 3, -1, 49, ROWS, 0, 3, 7])
    inside = (at >= 0) & (at < ROWS)
    updates = rng.normal(size=(COUNT, WIDTH)).astype(np.float32)
    for combine in COMBINES:
        for options in harness.RUNS:
            w = np.full((ROWS, WIDTH), 2, np.float32)
            for steps in (1, 2, 3):
                old = w
                w = scatter(w, at, updates, combine)
                got = MODEL.run(combine, {"i": at, "u": updates},
                                [f"--steps={steps}", *options])
                zero = np.zeros((), np.float32)
                same(got, old=np.where(inside[:, None], old[np.where(inside, at, 0)], zero),
                     new=np.where(inside[:, None], w[np.where(inside, at, 0)], zero))
        saved = MODEL.variables(combine, {"i": at, "u": updates}, ["--steps=3"])
        same(saved, w=w, counts=np.zeros(7), cube=np.ones((3, 4, 2)))


def updates_follow_each_other():
    at, ones = np.int64([6, 0, 6, 6]), np.int64([1, 1, 5, -9])
    same(MODEL.run("count", {"i": at, "u": ones}), whole=[1, 0, 0, 0, 0, 0, 5])
    same(MODEL.run("count", {"i": at, "u": ones}, ["--steps=2"]),
         whole=[2, 0, 0, 0, 0, 0, 5])
    none = np.int64([-1, 7, -1, 99])
    same(MODEL.run("count", {"i": none, "u": ones}), whole=np.zeros(7))


def places_have_coordinates():
    at = np.int32([[0, 1], [2, 3], [0, 1], [3, 0], [0, -1]])
    updates = np.arange(10, dtype=np.float64).reshape(5, 2)
    want = np.ones((3, 4, 2))
    want[0, 1] += updates[0] + updates[2]
    want[2, 3] += updates[1]
    want[1, 1, 1] = -5
    got = MODEL.run("places", {"i": at, "u": updates, "j": np.int32([[1, 1, 1], [1, 1, 2]]),
                               "v": np.float64([-5, 7])})
    same(got, cube=want)


def one_side_updates():
    at, updates = np.int64([1, 1, 5, 7]), np.int64([3, 4, 5, 6])
    for taken, want in ((True, [0, -7, 0, 0, 0, -5, 0]), (False, [0, 4, 0, 0, 0, 5, 0])):
        same(MODEL.run("perhaps", {"c": np.array(taken), "i": at, "u": updates}),
             whole=want)


def a_checkpoint_has_them():
    at, ones = np.int64([2, 2, 9, -1]), np.int64([1, 1, 1, 1])
    file = os.path.join(MODEL.folder, "half.safetensors")
    MODEL.run("count", {"i": at, "u": ones}, ["--steps=2", f"--save={file}"])
    require(harness.read_safetensors(file)["counts"].tolist() == [0, 0, 4, 0, 0, 0, 0],
            "the checkpoint lacks updates")
    same(MODEL.run("count", {"i": at, "u": ones}, [f"--load={file}"]),
         whole=[0, 0, 6, 0, 0, 0, 0])


CHECKS = [rows_are_combined, updates_follow_each_other, places_have_coordinates,
          one_side_updates, a_checkpoint_has_them]

if __name__ == "__main__":
    MODEL = Model(sys.argv[1], TEXT)
    harness.run_checks(CHECKS)
