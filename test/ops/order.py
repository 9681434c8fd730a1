# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of the elements of rows."""
import numpy as np

import harness
from harness import Case, Fetch, graph, type_of
from opcases import integers, normal, op_case, spread


def argsort(x, falls=False):
    """Places in order; equal elements keep theirs, NaN comes last."""
    keys = -x.astype(np.float64) if falls else x
    return np.argsort(keys, axis=-1, kind="stable").astype(np.int32)


def ordered(x, falls=False):
    return np.take_along_axis(x, argsort(x, falls), -1)


def top_k(x, k):
    places = argsort(x, True)[..., :k]
    return np.take_along_axis(x, places, -1), places


SHAPES = [(1,), (2,), (7,), (5, 1), (3, 8), (2, 3, 17), (40, 33), (3, 1000),
          (5000,), (0, 4), (3, 0)]


def all_cases():
    for number, shape in enumerate(SHAPES):
        x = spread(number, *shape, gap=0.01)
        small = 0 < x.size < 200
        ties = integers(number, 0, 4, *shape, dtype=(
            np.int32, np.int64, np.uint8)[number % 3])
        for falls in (False, True):
            tag = f"{number}_{int(falls)}"
            flag = "descending" if falls else ""
            for name, value in (("floats", x), ("ties", ties)):
                yield op_case(f"argsort_{name}_{tag}", "argsort", [value],
                              lambda v, f=falls: argsort(v, f), flag,
                              dtypes=[np.int32])
            yield op_case(f"sort_{tag}", "sort", [x],
                          lambda v, f=falls: ordered(v, f), flag, rel=0,
                          by=(0,) if small else (), step=1e-3)
        for k in {1, (shape[-1] + 1) // 2, shape[-1]} - {0}:
            if 0 not in shape:
                yield op_case(f"top_{k}_{number}", "top_k", [x],
                              lambda v, k=k: top_k(v, k), f"k = {k} : i64",
                              dtypes=[np.float32, np.int32], rel=0,
                              by=(0,) if small else (), step=1e-3)
    special = np.float32([2, np.nan, -np.inf, -0.0, 0.0, np.inf, np.nan, 2])
    for falls in (False, True):
        yield op_case(f"argsort_special_{int(falls)}", "argsort", [special],
                      lambda v, f=falls: argsort(v, f),
                      "descending" if falls else "", dtypes=[np.int32])
    yield op_case("sort_doubles", "sort",
                  [normal(1, 6, 90, dtype=np.float64)], ordered, rel=0)
    yield between_case()


def between_case():
    """Between other ops, of rows that one kernel makes."""
    a = normal(7, 30, 40)
    kind, top = type_of(a), "tensor<30x5xf32>"
    text = f"""
      %x = tfir.square %a : ({kind}) -> {kind}
      %v, %i = tfir.top_k %x {{k = 5 : i64}} : ({kind}) -> ({top}, tensor<30x5xi32>)
      %r = tfir.sqrt %v : ({top}) -> {top}
      %y = tfir.sum %r {{axes = array<i64: 1>}} : ({top}) -> tensor<30xf32>
    """
    values, places = top_k(a.astype(np.float64) ** 2, 5)
    return Case("between", graph("between", {"a": a}, text,
                                 {"y": "tensor<30xf32>", "i": "tensor<30x5xi32>"}),
                {"a": a}, {"y": Fetch(np.sqrt(values).sum(1).astype(np.float32),
                                      norm=1e-6), "i": Fetch(places)})


def cases():
    return list(all_cases())


if __name__ == "__main__":
    harness.main(cases())
