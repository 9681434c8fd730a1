# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax, its logarithm, and the cross entropies."""
import numpy as np

import harness
from nnreference import log_softmax, softmax
from opcases import integers, normal, op_case, uniform

SHAPES = [(1,), (10,), (1, 10), (8, 10), (3, 1), (5, 7), (2, 3, 4), (33, 100),
          (100, 10), (4, 5000), (1, 20011), (2000, 11), (20011, 2)]


def sharp(seed, *shape):
    """Logits far apart, whose exponentials overflow unless they are shifted."""
    return (normal(seed, *shape) * 100).astype(np.float32)


def softmax_cases():
    for number, shape in enumerate(SHAPES):
        x = normal(number, *shape) * np.float32(3)
        yield op_case(f"softmax_{number}", "softmax", [x], softmax, rel=5e-6,
                      floor=1e-6, by=(0,), step=1e-3)
        yield op_case(f"log_softmax_{number}", "log_softmax", [x], log_softmax,
                      rel=2e-6, floor=1, by=(0,), step=1e-3)
    for number, shape in enumerate([(5, 7), (100, 10), (3, 6000)]):
        x = sharp(number, *shape)
        x[0] += 1000
        yield op_case(f"softmax_sharp_{number}", "softmax", [x], softmax,
                      rel=2e-5, floor=1e-6)
        yield op_case(f"log_softmax_sharp_{number}", "log_softmax", [x],
                      log_softmax, rel=1e-6, floor=1)


def distribution(seed, *shape):
    values = uniform(seed, 0.1, 1, *shape)
    return values / values.sum(-1, keepdims=True)


def entropy(logits, labels):
    logs = log_softmax(logits)
    return -np.sum(labels * logs, -1), np.exp(logs) - labels


def sparse_entropy(logits, labels):
    classes = logits.shape[-1]
    inside = (labels >= 0) & (labels < classes)
    one_hot = np.eye(classes)[np.where(inside, labels, 0)]
    loss, back = entropy(logits, one_hot)
    return (np.where(inside, loss, np.nan),
            np.where(inside[:, None], back, np.nan))


def entropy_cases():
    both = [np.float32, np.float32]
    for number, shape in enumerate([(1, 1), (1, 10), (8, 10), (5, 1), (7, 33),
                                    (100, 10), (4, 5000), (2000, 11)]):
        logits = normal(number, *shape) * np.float32(3)
        yield op_case(f"dense_{number}", "softmax_cross_entropy_with_logits",
                      [logits, distribution(number + 9, *shape)], entropy,
                      dtypes=both, norm=2e-6, floor=0.1, by=(0,), step=1e-3)
        for dtype in (np.int32, np.int64):
            labels = integers(number, 0, shape[1], shape[0], dtype=dtype)
            yield op_case(f"sparse_{number}_{np.dtype(dtype).name}",
                          "sparse_softmax_cross_entropy_with_logits",
                          [logits, labels], sparse_entropy, dtypes=both,
                          norm=2e-6, floor=0.1, by=(0,), step=1e-3)
    logits = sharp(5, 6, 9)
    labels = np.int32([0, 9, 8, -1, 3, 2147483647])
    yield op_case("sparse_outside", "sparse_softmax_cross_entropy_with_logits",
                  [logits, labels], sparse_entropy, dtypes=both, norm=1e-6)
    yield op_case("dense_sharp", "softmax_cross_entropy_with_logits",
                  [logits, np.eye(9, dtype=np.float32)[:6]], entropy,
                  dtypes=both, norm=1e-6)


def cases():
    return [*softmax_cases(), *entropy_cases()]


def is_long(case):
    """Whether rows have thousands of elements: one chain of additions, which is how
    the reference target sums them, is not as accurate as the case asks for."""
    return any(value.ndim and value.shape[-1] > 10000
               for value in case.feeds.values())


if __name__ == "__main__":
    harness.main([case for case in cases()
                  if harness.CPU_TARGET != "reference" or not is_long(case)])
