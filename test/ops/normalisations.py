# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moments, layer, RMS, group, instance and batch normalisation, local responses; and the
moving averages of a batch normalisation over some steps of training."""
import sys

import numpy as np

import harness
from opcases import normal, op_case, uniform
from reductions import attributes


def normalized(x, axes, epsilon):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def layer_norm(x, scale, offset, axis=-1, epsilon=1e-12):
    axes = tuple(range(axis % x.ndim, x.ndim))
    return normalized(x, axes, epsilon) * scale + offset


def rms_norm(x, scale, axis=-1, epsilon=1e-6):
    axes = tuple(range(axis % x.ndim, x.ndim))
    return x / np.sqrt((x * x).mean(axes, keepdims=True) + epsilon) * scale


def group_norm(x, scale, offset, groups):
    split = x.reshape(x.shape[0], -1, groups, x.shape[-1] // groups)
    return normalized(split, (1, 3), 1e-6).reshape(x.shape) * scale + offset


def batch_norm(x, scale, offset, epsilon=0.001):
    axes = tuple(range(x.ndim - 1))
    count = x.size // x.shape[-1]
    y = normalized(x, axes, epsilon) * scale + offset
    return y, x.mean(axes), x.var(axes) * count / max(count - 1, 1)


def lrn(x, radius, bias, alpha, beta):
    count = x.shape[-1]
    sums = np.stack([(x[..., max(i - radius, 0):i + radius + 1] ** 2).sum(-1)
                     for i in range(count)], -1)
    return x / (bias + alpha * sums) ** beta


def parameters(seed, *shape, dtype=np.float32):
    return [uniform(seed, 0.5, 1.5, *shape, dtype=dtype),
            uniform(seed + 1, -1, 1, *shape, dtype=dtype)]


def moments_cases():
    for number, (shape, axes, keep) in enumerate([
            ((7,), None, False), ((6, 5), (0,), True), ((6, 5), (1,), False),
            ((2, 3, 4), (0, -1), False), ((400, 30), (0,), False)]):
        yield op_case(f"moments_{number}", "moments", [normal(number, *shape)],
                      lambda v, a=axes, k=keep: (
                          v.mean(a, keepdims=k), v.var(a, keepdims=k)),
                      attributes(axes, keep), norm=2e-6, floor=0.1, by=(0,))


def layer_cases():
    for number, (shape, axis, dtype) in enumerate([
            ((4, 7), -1, np.float32), ((1, 5), 1, np.float32),
            ((3, 2, 6), -2, np.float32), ((3, 5), 0, np.float32),
            ((3, 2, 6), -1, np.float64), ((64, 300), -1, np.float32)]):
        x = normal(number, *shape, dtype=dtype) * dtype(3) + dtype(2)
        of = parameters(number, *shape[axis % len(shape):], dtype=dtype)
        by = (0, 1, 2) if x.size < 99 else (0,)
        yield op_case(f"layer_norm_{number}", "layer_norm", [x, *of],
                      lambda x, s, o, a=axis: layer_norm(x, s, o, a),
                      f"begin_axis = {axis} : i64", norm=4e-6, by=by,
                      gradient_norm=1e-4)
        yield op_case(f"rms_norm_{number}", "rms_norm", [x, of[0]],
                      lambda x, s, a=axis: rms_norm(x, s, a),
                      f"begin_axis = {axis} : i64", norm=4e-6, by=by[:2],
                      gradient_norm=1e-4)
    # The mean of squares less the square of the mean would be wrong here.
    far = uniform(1, 999.9, 1000.1, 8, 256)
    yield op_case("layer_norm_far", "layer_norm", [far, *parameters(5, 256)],
                  layer_norm, norm=1e-3)
    flat = np.full((2, 4), 3, np.float32)
    yield op_case("layer_norm_flat", "layer_norm", [flat, *parameters(6, 4)],
                  lambda x, s, o: layer_norm(x, s, o, -1, 0.5),
                  "epsilon = 0.5 : f64", norm=1e-6, by=(0, 1, 2))
    yield op_case("layer_norm_single", "layer_norm",
                  [normal(1, 3, 1), *parameters(6, 1)],
                  lambda x, s, o: 0 * x + o, norm=1e-6)


def group_cases():
    for number, (shape, groups) in enumerate([
            ((2, 3, 2, 4), 2), ((3, 8), 2), ((2, 5, 4), 1), ((2, 3, 3, 4), 4),
            ((4, 9, 9, 32), 8)]):
        x = normal(number, *shape) + np.float32(0.5)
        of = parameters(number, shape[-1])
        by = (0, 1, 2) if x.size < 99 else (0,)
        yield op_case(f"group_norm_{number}", "group_norm", [x, *of],
                      lambda x, s, o, g=groups: group_norm(x, s, o, g),
                      f"groups = {groups} : i64", norm=4e-6, by=by,
                      gradient_norm=2e-4)
        if len(shape) > 2:
            yield op_case(f"instance_norm_{number}", "instance_norm",
                          [x, *of], lambda x, s, o: group_norm(
                              x, s, o, x.shape[-1]), norm=4e-6, by=by,
                          gradient_norm=2e-4)


def batch_cases():
    for number, (shape, dtype) in enumerate([
            ((6, 3), np.float32), ((2, 3, 2, 4), np.float32),
            ((5, 4), np.float64), ((1, 3), np.float32),
            ((8, 14, 14, 32), np.float32), ((130, 70), np.float32)]):
        x = normal(number, *shape, dtype=dtype) * dtype(2) + dtype(1)
        of = parameters(number, shape[-1], dtype=dtype)
        by = (0, 1, 2) if 3 < x.size < 99 else () if x.size < 4 else (0,)
        yield op_case(f"batch_norm_{number}", "fused_batch_norm", [x, *of],
                      batch_norm, norm=6e-6, floor=0.1, by=by,
                      gradient_norm=3e-4)
        mean, variance = parameters(number + 9, shape[-1], dtype=dtype)
        variance = variance ** 2
        yield op_case(f"batch_normalization_{number}", "batch_normalization",
                      [x, mean, variance, of[1], of[0]],
                      lambda x, m, v, o, s: (x - m) / np.sqrt(
                          v + 0.001) * s + o, norm=3e-6,
                      by=(0, 1, 2, 3, 4) if x.size < 99 else (),
                      step=1e-5, gradient_norm=1e-4)
    wide = normal(3, 4, 5)
    yield op_case("batch_normalization_rows", "batch_normalization",
                  [wide, *parameters(4, 4, 1), normal(5, 5), np.float32(2)],
                  lambda x, m, v, o, s: (x - m) / np.sqrt(v + 2) * s + o,
                  "variance_epsilon = 2.0 : f64", norm=3e-6)


def lrn_cases():
    for number, (shape, radius) in enumerate([
            ((2, 3, 3, 7), 2), ((5,), 1), ((3, 4), 5), ((2, 3), 0),
            ((2, 9, 9, 48), 5)]):
        for tag, bias, alpha, beta in (("half", 1.0, 1.0, 0.5),
                                       ("alex", 2.0, 0.01, 0.75)):
            x = normal(number, *shape) * np.float32(2)
            yield op_case(f"lrn_{tag}_{number}", "lrn", [x],
                          lambda x, r=radius, p=(bias, alpha, beta): lrn(
                              x, r, *p),
                          f"depth_radius = {radius} : i64, bias = {bias} : f64,"
                          f" alpha = {alpha} : f64, beta = {beta} : f64",
                          norm=4e-6, by=(0,), gradient_norm=1e-4)
    # What is far away counts for nothing, an infinity neither.
    x = np.float32([[1, 2, 3, 4, np.inf]])
    with np.errstate(all="ignore"):
        yield op_case("lrn_infinite", "lrn", [x],
                      lambda x: lrn(x, 1, 1.0, 1.0, 0.5),
                      "depth_radius = 1 : i64", rel=3e-6)


def fused_cases():
    """Between two other ops."""
    x, of = normal(7, 12, 33), parameters(3, 33)
    wide, row = harness.type_of(x), harness.type_of(of[0])
    for op, reference in (("layer_norm", layer_norm),
                          ("fused_batch_norm", lambda *v: batch_norm(*v)[0])):
        results, types = (("%n", wide) if op == "layer_norm" else
                          ("%n, %m, %v", f"({wide}, {row}, {row})"))
        text = f"""
          %e = tfir.square %x : ({wide}) -> {wide}
          {results} = tfir.{op} %e, %s, %o : ({wide}, {row}, {row}) -> {types}
          %y = tfir.mul %n, %e : ({wide}, {wide}) -> {wide}
        """
        feeds = {"x": x, "s": of[0], "o": of[1]}
        e = x.astype(float) ** 2
        want = reference(e, *[v.astype(float) for v in of]) * e
        name = f"{op}_fused"
        yield harness.Case(name, harness.graph(name, feeds, text, {"y": wide}),
                           feeds, {"y": harness.Fetch(want.astype(np.float32),
                                                      norm=1e-5)})


TRAINING = """tfir 1
variable scale: f32[3] = 1.0
variable offset: f32[3] = 0.0
variable moving_mean: f32[3] = 0.0 trainable=false
variable moving_variance: f32[3] = 1.0 trainable=false

graph train(x: f32[?, 2, 3], t: f32[?, 2, 3]) -> (loss) {
  y, mean, variance = fused_batch_norm(x, scale, offset)
  loss = mean(squared_difference(y, t))
  minimize(loss, sgd(learning_rate=0.5))
  moving_mean -= (moving_mean - mean) * 0.1
  moving_variance -= (moving_variance - variance) * 0.1
}
graph infer(x: f32[?, 2, 3]) -> (y) {
  y = batch_normalization(x, moving_mean, moving_variance, offset, scale)
}
"""


def check_training():
    model = harness.Model(sys.argv[1] + "-training", TRAINING, ["--batch=8"])
    x = normal(1, 8, 2, 3) * np.float32(3) + np.float32(1)
    t = normal(2, 8, 2, 3)
    got = model.variables("train", {"x": x, "t": t}, ["--steps=3"])
    wide = x.astype(float)
    scale, offset, mean, variance = np.ones(3), np.zeros(3), np.zeros(3), np.ones(3)
    plain = normalized(wide, (0, 1), 0.001)
    for _ in range(3):
        slope = 2 * (plain * scale + offset - t) / t.size
        _, own_mean, own_variance = batch_norm(wide, scale, offset)
        scale = scale - 0.5 * (slope * plain).sum((0, 1))
        offset = offset - 0.5 * slope.sum((0, 1))
        mean = mean - 0.1 * (mean - own_mean)
        variance = variance - 0.1 * (variance - own_variance)
    for name, want in (("scale", scale), ("offset", offset),
                       ("moving_mean", mean), ("moving_variance", variance)):
        harness.Fetch(want.astype(np.float32), norm=1e-5).compare(got[name])


def cases():
    return [*moments_cases(), *layer_cases(), *group_cases(), *batch_cases(),
            *lrn_cases(), *fused_cases()]


if __name__ == "__main__":
    check_training()
    harness.main(cases())
