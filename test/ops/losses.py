# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses, weighted and reduced in each way; right classes among the first, counts."""
import numpy as np

import harness
from elementwise import sigmoid, softplus
from opcases import integers, normal, op_case, spread, uniform

KINDS = ("none", "sum", "sum_over_batch_size", "sum_by_nonzero_weights", "mean")


def reduced(losses, weights, kind):
    all_weights = np.broadcast_to(1.0 if weights is None else weights,
                                  losses.shape)
    own = losses * all_weights
    if kind == "none":
        return own
    counts = {"sum": 1, "sum_over_batch_size": losses.size,
              "sum_by_nonzero_weights": np.sum(all_weights != 0),
              "mean": np.sum(all_weights)}
    return own.sum() / counts[kind] if counts[kind] else 0.0


def huber(z, p, delta):
    d = np.abs(p - z)
    return np.where(d <= delta, d * d / 2, delta * (d - delta / 2))


def kl(z, p, epsilon=1e-7):
    z, p = np.clip(z, epsilon, 1), np.clip(p, epsilon, 1)
    return (z * np.log(z / p)).sum(-1)


def hinge(z, p):
    return np.maximum(0, 1 - (2 * z - 1) * p)


# name: (op, attributes, losses of labels and predictions, their sort)
LOSSES = {
    "absolute": ("absolute_difference", "", lambda z, p: abs(p - z), "any"),
    "squared": ("mean_squared_error", "", lambda z, p: (p - z) ** 2, "any"),
    "huber": ("huber_loss", "", lambda z, p: huber(z, p, 1.0), "any"),
    "huber_delta": ("huber_loss", "delta = 0.3 : f64",
                    lambda z, p: huber(z, p, 0.3), "any"),
    "smooth_l1": ("smooth_l1_loss", "beta = 0.5 : f64",
                  lambda z, p: huber(z, p, 0.5) / 0.5, "any"),
    "log": ("log_loss", "", lambda z, p: -z * np.log(p + 1e-7) -
            (1 - z) * np.log(1 - p + 1e-7), "probability"),
    "hinge": ("hinge_loss", "", hinge, "truth"),
    "squared_hinge": ("squared_hinge_loss", "",
                      lambda z, p: hinge(z, p) ** 2, "truth"),
    "poisson": ("poisson_loss", "",
                lambda z, p: p - z * np.log(p + 1e-7), "probability"),
    "kl": ("kl_divergence", "", kl, "probability"),
    "cosine": ("cosine_distance", "",
               lambda z, p: 1 - (z * p).sum(-1, keepdims=True), "any"),
    "cosine_first": ("cosine_distance", "axis = 0 : i64",
                     lambda z, p: 1 - (z * p).sum(0, keepdims=True), "any"),
}


def operands(sort, seed, *shape):
    """Labels and predictions."""
    if sort == "probability":
        return (uniform(seed, 0.1, 0.9, *shape),
                uniform(seed + 1, 0.1, 0.9, *shape))
    # Off the multiples of a hundredth, where the kinks are.
    p = spread(seed, *shape, gap=0.07) if np.prod(shape) < 200 else \
        normal(seed, *shape)
    if sort == "truth":
        return integers(seed, 0, 2, *shape).astype(np.float32), p + np.float32(0.011)
    z = integers(seed + 2, -3, 4, *shape).astype(np.float32)
    return z, p + np.float32(0.013)


def loss_case(name, key, operands_, weights, kind, by=()):
    op, extra, function, _ = LOSSES[key]
    attributes = ", ".join(t for t in (extra, f'reduction = "{kind}"') if t)
    feeds = [*operands_] + ([] if weights is None else [weights])
    return op_case(name, op, feeds, lambda z, p, w=None: reduced(
        function(z, p), w, kind), attributes, norm=1e-5, floor=0.05, by=by,
        step=1e-5, gradient_norm=1e-4, dtypes=[np.float32])


def weighted_cases():
    for number, (key, (_, _, _, sort)) in enumerate(LOSSES.items()):
        for place, shape in enumerate([(3, 5), (1, 4), (300, 70)]):
            z, p = operands(sort, number + place, *shape)
            small = z.size < 99
            kind = KINDS[(number + place) % 5]
            by = () if not small else (1,) if sort == "truth" else (0, 1)
            yield loss_case(f"{key}_{place}", key, (z, p), None, kind, by)
            if small:
                weights = np.asarray(uniform(place, 0.5, 1.5))
                kind = KINDS[(number + place + 2) % 5]
                yield loss_case(f"{key}_{place}_weighted", key, (z, p),
                                weights, kind, by)
    # The default.
    z, p = operands("any", 3, 4, 5)
    yield op_case("squared_default", "mean_squared_error", [z, p],
                  lambda z, p: np.mean((p - z) ** 2), norm=1e-6, by=(1,),
                  gradient_norm=1e-4)


def compute_cases():
    losses = uniform(1, 0, 2, 4, 6)
    rows = np.float32([[1], [0], [2], [0.5]])
    full = integers(2, 0, 3, 4, 6).astype(np.float32)
    for tag, weights in (("none", None), ("scalar", np.float32(3)),
                         ("rows", rows), ("full", full),
                         ("zero", np.zeros(6, np.float32))):
        for kind in KINDS:
            feeds = [losses] + ([] if weights is None else [weights])
            by = (0,) if tag in ("none", "full", "zero") else (0, 1)
            if kind == "sum_by_nonzero_weights":
                by = (0,)  # its divisor jumps at 0
            yield op_case(f"compute_{tag}_{kind}", "compute_weighted_loss",
                          feeds, lambda x, w=None, k=kind: reduced(x, w, k),
                          f'reduction = "{kind}"', norm=2e-6, by=by)
    empty = np.zeros((0, 3), np.float32)
    for kind in KINDS[1:]:
        yield op_case(f"compute_empty_{kind}", "compute_weighted_loss",
                      [empty], lambda x: 0.0, f'reduction = "{kind}"', rel=0)
    wide = uniform(3, 0, 1, 200, 110)
    yield op_case("compute_large", "compute_weighted_loss",
                  [wide, uniform(4, 0, 1, 200, 1)],
                  lambda x, w: reduced(x, w, "mean"), 'reduction = "mean"',
                  norm=5e-6)


def logit_cases():
    for place, shape in enumerate([(), (7,), (3, 5), (2, 3, 1, 5), (20011,)]):
        x = normal(place, *shape) * np.float32(4)
        z = uniform(place + 1, 0, 1, *shape)
        by = (0, 1) if x.size < 99 else ()
        yield op_case(f"sigmoid_xent_{place}",
                      "sigmoid_cross_entropy_with_logits", [x, z],
                      lambda x, z: softplus(x) - x * z, norm=2e-6, by=by,
                      step=1e-5)
        yield op_case(f"weighted_xent_{place}",
                      "weighted_cross_entropy_with_logits",
                      [x, z, np.float32(2.5)],
                      lambda x, z, q: -q * z * np.log(sigmoid(x)) -
                      (1 - z) * np.log(sigmoid(-x)), norm=4e-6,
                      by=(*by, 2) if by else (), step=1e-5, gradient_norm=1e-4)
    x = np.float32([-1e30, -1000, -100, -20, -1e-30, 0, 1e-30, 20, 100, 1000])
    for label in (0, 1):
        z = np.full_like(x, label)
        yield op_case(f"sigmoid_xent_far_{label}",
                      "sigmoid_cross_entropy_with_logits", [x, z],
                      lambda x, z: softplus(x) - x * z, rel=4e-6, floor=1e-7,
                      by=(0,), gradients=lambda r, x, z: [r * (sigmoid(x) - z)],
                      gradient_norm=1e-6)
    rows = np.float32([[0.5], [2], [4]])
    yield op_case("weighted_xent_rows", "weighted_cross_entropy_with_logits",
                  [normal(1, 3, 4), uniform(2, 0, 1, 3, 4), rows],
                  lambda x, z, q: (1 - z) * x + (1 + (q - 1) * z) *
                  softplus(-x), norm=4e-6, by=(0, 2))
    z = np.float32([0, 0.5, 1, 1.5, 3, 40])
    c = uniform(5, -1, 3, 6)
    yield op_case("log_poisson", "log_poisson_loss", [z, c],
                  lambda z, c: np.exp(c) - z * c, norm=2e-6, by=(0, 1))
    yield op_case("log_poisson_full", "log_poisson_loss", [z, c],
                  lambda z, c: np.exp(c) - z * c + np.where(
                      z > 1, z * np.log(np.maximum(z, 1)) - z +
                      0.5 * np.log(2 * np.pi * np.maximum(z, 1)), 0),
                  "compute_full_loss", norm=2e-6, by=(1,))


def among(x, targets, k):
    hits = []
    for row, target in zip(x, targets):
        good = 0 <= target < len(row) and np.isfinite(row[target])
        hits.append(bool(good and np.sum(row > row[target]) < k))
    return np.array(hits, bool)


def metric_cases():
    for number, (rows, classes, k) in enumerate([
            (1, 1, 1), (5, 4, 1), (7, 10, 3), (300, 90, 5), (4, 3, 9)]):
        for dtype in (np.int32, np.int64):
            # Few values: many are tied.
            x = integers(number, -3, 4, rows, classes).astype(np.float32)
            targets = integers(number + 1, -1, classes + 1, rows, dtype=dtype)
            yield op_case(f"in_top_k_{number}_{np.dtype(dtype).name}",
                          "in_top_k", [x, targets],
                          lambda x, t, k=k: among(x, t, k), f"k = {k} : i64",
                          dtypes=[np.bool_])
    x = np.float32([[np.nan, 1, 2], [np.inf, 1, 0], [np.inf, 1, 0],
                    [1, -np.inf, np.nan], [-np.inf, -np.inf, -np.inf]])
    yield op_case("in_top_k_special", "in_top_k",
                  [x, np.int32([1, 0, 1, 0, 2])],
                  lambda x, t: among(x, t, 2), "k = 2 : i64", dtypes=[np.bool_])
    for number, (shape, size) in enumerate([
            ((7,), 4), ((3, 5), 10), ((), 2), ((0,), 3), ((20011,), 17)]):
        v = integers(number, -1, size + 2, *shape)
        yield op_case(f"bincount_{number}", "bincount", [np.asarray(v)],
                      lambda v, n=size: np.bincount(
                          v[(v >= 0) & (v < n)].ravel(), minlength=n)[:n],
                      f"size = {size} : i64", dtypes=[np.int32])


def fused_case():
    """Between two other ops."""
    x, z = normal(1, 40, 30), uniform(2, 0, 1, 40, 30)
    wide = harness.type_of(x)
    text = f"""
      %e = tfir.tanh %x : ({wide}) -> {wide}
      %l = tfir.sigmoid_cross_entropy_with_logits %e, %z : ({wide}, {wide}) -> {wide}
      %m = tfir.mul %l, %e : ({wide}, {wide}) -> {wide}
      %y = tfir.huber_loss %z, %m : ({wide}, {wide}) -> tensor<f32>
    """
    e = np.tanh(x.astype(float))
    want = huber(z, (softplus(e) - e * z) * e, 1.0).mean()
    return harness.Case(
        "fused", harness.graph("fused", {"x": x, "z": z}, text,
                               {"y": "tensor<f32>"}),
        {"x": x, "z": z}, {"y": harness.Fetch(np.float32(want), rel=1e-5)})


def cases():
    return [*weighted_cases(), *compute_cases(), *logit_cases(),
            *metric_cases(), fused_case()]


def is_rounding(case):
    """Whether a gradient is the difference of two equal sums: the weighted mean does not
    depend on a weight that all losses share. The reference target sums in one chain, with
    more rounding than the case allows."""
    return case.name == "compute_scalar_mean"


if __name__ == "__main__":
    harness.main([case for case in cases()
                  if harness.CPU_TARGET != "reference" or not is_rounding(case)])
