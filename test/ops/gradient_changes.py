# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tfir.minimize does between gradients and optimizer: clipping, L2, decay of
chosen variables, accumulation, loss scales; against the same in numpy."""
import os
import sys

import numpy as np

import harness
from harness import Fetch, Model, require
from opcases import normal

U, V = (3, 5), (7,)
RATE = 0.1


def text_of(attributes, optimizer="sgd<learning_rate = 0.1>", ema="",
            scale="1.0"):
    """Minimizes (sum((u - a)^2) + sum((v - b)^2)) / 2: gradients u - a, v - b."""
    lines = ["module @m {",
             "  tfir.variable @u : tensor<3x5xf32> = #tfir.fill<0.5>",
             "  tfir.variable @v : tensor<7xf32> = #tfir.fill<-0.25>",
             harness.graph("train", {"a": np.zeros(U, np.float32),
                                     "b": np.zeros(V, np.float32)}, f"""
        %u = tfir.read @u : tensor<3x5xf32>
        %v = tfir.read @v : tensor<7xf32>
        %d = tfir.sub %u, %a : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
        %e = tfir.sub %v, %b : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
        %p = tfir.l2_loss %d : (tensor<3x5xf32>) -> tensor<f32>
        %q = tfir.l2_loss %e : (tensor<7xf32>) -> tensor<f32>
        %s = tfir.add %p, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
        %f = tfir.const dense<{scale}> : tensor<f32>
        %loss = tfir.mul %s, %f : (tensor<f32>, tensor<f32>) -> tensor<f32>
        tfir.minimize %loss using #tfir.{optimizer} {{{attributes}}}
        {ema}
      """, {"loss": "tensor<f32>"}), "}", ""]
    return "\n".join(lines)


def batch(step):
    return {"a": 3 * normal(20 + step, *U), "b": 3 * normal(60 + step, *V)}


class Training:
    """One model, run step by step from what the last step saved."""

    def __init__(self, name, attributes, **options):
        self.model = Model(f"{FOLDER}/{name}", text_of(attributes, **options))
        self.file = os.path.join(self.model.folder, "now.safetensors")
        self.state = None

    def step(self, feeds, options=()):
        load = []
        if self.state is not None:
            harness.write_safetensors(self.file, self.state)
            load = [f"--load={self.file}"]
        self.state = self.model.variables(
            "train", feeds, ["--steps=1", *load, *options])
        return self.state


def compare(name, step, state, wants):
    for key, want in wants.items():
        try:
            Fetch(np.asarray(want, np.float32), norm=3e-6, floor=1e-5).compare(
                state[key])
        except harness.Failure as failure:
            raise harness.Failure(f"{name}, step {step}, '{key}': "
                                  f"{failure}") from failure


def follow(name, attributes, change, steps=4, optimizer=None, start=None):
    """`change(step, g, w)` gives the gradients, or None for no update."""
    options = {"optimizer": optimizer} if optimizer else {}
    for run in harness.RUNS:
        training = Training(name, attributes, **options)
        w = {"u": np.full(U, 0.5), "v": np.full(V, -0.25)}
        updates = 0
        for step in range(steps):
            feeds = batch(step)
            state = training.step(feeds, run)
            g = change(step, {"u": w["u"] - feeds["a"],
                              "v": w["v"] - feeds["b"]}, w)
            if g:
                w = {k: w[k] - RATE * g[k] for k in w}
                updates += 1
            compare(name, step, state, w)
            require(state["global_step"] == updates,
                    f"{name}: global_step is {state['global_step']} after "
                    f"{updates} updates")
    return training.state


def norm(*arrays):
    return np.sqrt(sum(np.sum(a ** 2) for a in arrays))


def gradients_are_clipped():
    follow("value", "clip_value = 0.7 : f64",
           lambda s, g, w: {k: np.clip(x, -0.7, 0.7) for k, x in g.items()})
    for limit in (2.0, 1000.0):
        follow("norm", f"clip_norm = {limit} : f64",
               lambda s, g, w: {k: x * limit / max(norm(x), limit)
                                for k, x in g.items()})
        follow("global", f"clip_global_norm = {limit} : f64",
               lambda s, g, w: {k: x * limit / max(norm(*g.values()), limit)
                                for k, x in g.items()})
    saved = follow("order", "clip_norm = 1.5 : f64, l2 = 0.3 : f64",
                   lambda s, g, w: {
                       k: (x + 0.3 * w[k]) * 1.5 / max(norm(x + 0.3 * w[k]), 1.5)
                       for k, x in g.items()})
    require(set(saved) == {"u", "v", "global_step"}, f"saves {set(saved)}")


def zero_gradients_stay():
    """A norm of 0 divides nothing."""
    for attributes in ("clip_norm = 2.0 : f64", "clip_global_norm = 2.0 : f64"):
        training = Training("zero", attributes)
        state = training.step({"a": np.full(U, 0.5, np.float32),
                               "b": np.full(V, -0.25, np.float32)})
        compare("zero", 1, state, {"u": np.full(U, 0.5), "v": np.full(V, -0.25)})


def chosen_weights_decay():
    follow("l2", "l2 = 0.3 : f64",
           lambda s, g, w: {k: x + 0.3 * w[k] for k, x in g.items()})
    follow("chosen", "l2 = 0.3 : f64, decay_variables = [@u]",
           lambda s, g, w: {"u": g["u"] + 0.3 * w["u"], "v": g["v"]})
    # The decay of an optimizer: w shrinks by rate * weight_decay * w.
    rule = "lion<learning_rate = 0.1, beta1 = 0.0, beta2 = 0.0, weight_decay = "
    follow("lion", "decay_variables = [@v]", lambda s, g, w: {
        "u": np.sign(g["u"]), "v": np.sign(g["v"]) + 0.2 * w["v"]},
        optimizer=rule + "0.2>")


class Accumulation:
    """Means of so many gradients."""

    def __init__(self, steps):
        self.steps, self.sums = steps, []

    def __call__(self, step, g, w):
        self.sums.append(g)
        if len(self.sums) < self.steps:
            return None
        mean = {k: sum(x[k] for x in self.sums) / self.steps for k in g}
        self.sums = []
        return mean


def gradients_accumulate():
    for steps in (1, 2, 3):
        # A fresh one for each way to run.
        for run in range(len(harness.RUNS)):
            harness.RUNS, runs = (harness.RUNS[run],), harness.RUNS
            try:
                state = follow("accumulate", f"accumulate = {steps} : i64",
                               Accumulation(steps), steps=7)
            finally:
                harness.RUNS = runs
            require(state["accumulated_steps"] == 7 % steps,
                    f"{state['accumulated_steps']} steps are accumulated")
    sums = state["u/GradientAccumulator"]
    require(np.any(sums != 0), "nothing is kept for the next update")


def micro_batches_are_one_batch():
    """Momentum, powers of Adam, averages and schedules move once per update: N
    equal micro-batches are one step."""
    for optimizer in ("momentum<learning_rate = 0.1>",
                      "adam<learning_rate = #tfir.exponential_decay<initial = "
                      "0.1, decay_steps = 2, decay_rate = 0.5>>",
                      "lamb<learning_rate = 0.1>"):
        ema = "tfir.ema {decay = 0.7, num_updates}"
        one = Training("one", "l2 = 0.1 : f64", optimizer=optimizer, ema=ema)
        many = Training("many", "l2 = 0.1 : f64, accumulate = 3 : i64",
                        optimizer=optimizer, ema=ema)
        for step in range(3):
            want = one.step(batch(step))
            for _ in range(3):
                got = many.step(batch(step))
            compare(optimizer, step, got, {
                k: v for k, v in want.items() if v.dtype == np.float32})
            require(got["global_step"] == want["global_step"], "steps differ")
            for key in want:
                if "power" in key:
                    require(got[key] == want[key], f"{key} differs")


def loss_scales_cancel():
    """What overflows without a scale is right with one."""
    follow("static", "loss_scale = 1024.0 : f64", lambda s, g, w: g)
    state = follow("dynamic",
                   "loss_scale = 1024.0 : f64, loss_scale_growth = 3 : i64",
                   lambda s, g, w: g, steps=7)
    require(state["current_loss_scale"] == 4096 and state["good_steps"] == 1,
            f"the scale is {state['current_loss_scale']}, "
            f"{state['good_steps']} steps are good")


def steps_that_overflow_are_skipped():
    """A gradient of 1e38 times the scale is infinite: the step changes the scale
    alone, until it fits."""
    training = Training("overflow", "loss_scale = 8.0 : f64, loss_scale_growth = "
                        "2 : i64", optimizer="momentum<learning_rate = 0.1>",
                        ema="tfir.ema {decay = 0.5}", scale="1.0")
    first = training.step(batch(0))
    large = batch(1)
    large["a"][1, 2] = 1e38
    scales = []
    for _ in range(3):
        state = training.step(large)
        scales.append((float(state["current_loss_scale"]),
                       int(state["good_steps"]), int(state["global_step"])))
    require(scales == [(4, 0, 1), (2, 0, 1), (2, 1, 2)],
            f"(scale, good steps, updates) are {scales}")
    require(np.isfinite(state["u"]).all(), "an update was not finite")
    again = Training("overflow", "loss_scale = 8.0 : f64, loss_scale_growth = "
                     "2 : i64", optimizer="momentum<learning_rate = 0.1>",
                     ema="tfir.ema {decay = 0.5}", scale="1.0")
    again.step(batch(0))
    skipped = again.step(large)
    for key, value in first.items():
        if value.dtype == np.float32 and "scale" not in key:
            require(np.array_equal(skipped[key], value),
                    f"'{key}' changed in a step that was skipped")


def skipped_micro_batches_do_not_count():
    """One that is not finite is left out of the mean."""
    training = Training("both", "loss_scale = 2.0 : f64, loss_scale_growth = "
                        "100 : i64, accumulate = 2 : i64")
    large = batch(1)
    large["a"][0, 0] = 3e38
    w = {"u": np.full(U, 0.5), "v": np.full(V, -0.25)}
    g = []
    for feeds in (batch(0), large, batch(2)):
        state = training.step(feeds)
        if feeds is not large:
            g.append({"u": w["u"] - feeds["a"], "v": w["v"] - feeds["b"]})
    wants = {k: w[k] - RATE * (g[0][k] + g[1][k]) / 2 for k in w}
    compare("both", 3, state, wants)
    require(state["global_step"] == 1 and state["accumulated_steps"] == 0,
            "the update was not in the third step")


CHECKS = [gradients_are_clipped, zero_gradients_stay, chosen_weights_decay,
          gradients_accumulate, micro_batches_are_one_batch, loss_scales_cancel,
          steps_that_overflow_are_skipped, skipped_micro_batches_do_not_count]

if __name__ == "__main__":
    FOLDER = sys.argv[1]
    harness.run_checks(CHECKS)
