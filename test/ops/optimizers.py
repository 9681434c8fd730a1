# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers, rates, averages: several steps against their formulas."""
import os
import sys

import numpy as np

import harness
from harness import Fetch, Model, require, type_of
from opcases import normal, uniform


class Sgd:
    slots = {}

    def __init__(self, rate=0.1):
        self.rate = rate

    def start(self, w):
        self.w = w.astype(float)

    def step(self, g):
        self.w -= self.rate * g

    def state(self):
        return {}


class Momentum(Sgd):
    def __init__(self, rate, momentum=0.9, nesterov=False):
        self.rate, self.momentum, self.nesterov = rate, momentum, nesterov

    def start(self, w):
        super().start(w)
        self.a = np.zeros_like(self.w)

    def step(self, g):
        self.a = self.momentum * self.a + g
        self.w -= self.rate * (g + self.momentum * self.a if self.nesterov
                               else self.a)

    def state(self):
        return {"Momentum": self.a}


class Adagrad(Sgd):
    def __init__(self, rate, initial=0.1):
        self.rate, self.initial = rate, initial

    def start(self, w):
        super().start(w)
        self.a = np.full_like(self.w, self.initial)

    def step(self, g):
        self.a += g * g
        self.w -= self.rate * g / np.sqrt(self.a)

    def state(self):
        return {"Adagrad": self.a}


class Rmsprop(Sgd):
    def __init__(self, rate, decay=0.9, momentum=0.0, epsilon=1e-10):
        self.rate, self.decay = rate, decay
        self.momentum, self.epsilon = momentum, epsilon

    def start(self, w):
        super().start(w)
        self.s, self.m = np.ones_like(self.w), np.zeros_like(self.w)

    def step(self, g):
        self.s += (1 - self.decay) * (g * g - self.s)
        self.m = self.momentum * self.m + self.rate * g / np.sqrt(
            self.s + self.epsilon)
        self.w -= self.m

    def state(self):
        return {"RMSProp": self.s, "RMSProp_1": self.m}


class Adam(Sgd):
    def __init__(self, rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8):
        self.rate, self.beta1, self.beta2 = rate, beta1, beta2
        self.epsilon = epsilon

    def start(self, w):
        super().start(w)
        # In single precision 1 - beta2^t would lose most of its digits.
        self.powers = np.float64([self.beta1, self.beta2])
        self.m, self.v = np.zeros_like(self.w), np.zeros_like(self.w)

    def step(self, g):
        first, second = 1 - self.powers
        alpha = self.rate * np.sqrt(second) / first
        self.powers *= [self.beta1, self.beta2]
        self.m += (1 - self.beta1) * (g - self.m)
        self.v += (1 - self.beta2) * (g * g - self.v)
        self.w -= alpha * self.m / (np.sqrt(self.v) + self.epsilon)

    def state(self):
        return {"Adam": self.m, "Adam_1": self.v}


# name: (attribute, the same in numpy, shape of the variable)
OPTIMIZERS = {
    "sgd": ("sgd<learning_rate = 0.25>", Sgd(0.25), (37,)),
    "sgd_large": ("sgd<learning_rate = 0.25>", Sgd(0.25), (20011,)),
    "sgd_scalar": ("sgd<learning_rate = 1>", Sgd(1), ()),
    "momentum": ("momentum<learning_rate = 0.1>", Momentum(0.1), (37,)),
    "momentum_half": ("momentum<learning_rate = 0.1, momentum = 0.5>",
                      Momentum(0.1, 0.5), (150, 140)),
    "nesterov": ("momentum<learning_rate = 0.1, momentum = 0.8, "
                 "nesterov = true>", Momentum(0.1, 0.8, True), (3, 5)),
    "adagrad": ("adagrad<learning_rate = 0.8>", Adagrad(0.8), (3, 5)),
    "adagrad_start": ("adagrad<learning_rate = 0.8, initial_accumulator = 2>",
                      Adagrad(0.8, 2), (20011,)),
    "rmsprop": ("rmsprop<learning_rate = 0.1>", Rmsprop(0.1), (37,)),
    "rmsprop_all": ("rmsprop<learning_rate = 0.1, decay = 0.7, momentum = 0.6, "
                    "epsilon = 0.01>", Rmsprop(0.1, 0.7, 0.6, 0.01), (140, 150)),
    "adam": ("adam<learning_rate = 0.1>", Adam(0.1), (37,)),
    "adam_large": ("adam<learning_rate = 0.1>", Adam(0.1), (140, 150)),
}
OTHER_ADAM = ("adam<learning_rate = 0.2, beta1 = 0.8, beta2 = 0.99, epsilon = "
              "0.001>", Adam(0.2, 0.8, 0.99, 0.001), (37,))


def start_of(shape):
    return np.full(shape, 0.75, np.float32)


def training(name, attribute, shape):
    """Minimizes sum(c (w - t)^2) / 2, whose gradient is c (w - t)."""
    w = type_of(start_of(shape))
    body = f"""
      %w = tfir.read @{name}_w : {w}
      %e = tfir.sub %w, %t : ({w}, {w}) -> {w}
      %s = tfir.square %e : ({w}) -> {w}
      %m = tfir.mul %s, %c : ({w}, {w}) -> {w}
      %u = tfir.sum %m : ({w}) -> tensor<f32>
      %h = tfir.const dense<0.5> : tensor<f32>
      %loss = tfir.mul %u, %h : (tensor<f32>, tensor<f32>) -> tensor<f32>
      tfir.minimize %loss using #tfir.{attribute}
    """
    feeds = {"t": start_of(shape), "c": start_of(shape)}
    return "\n".join([
        f"  tfir.variable @{name}_w : {w} = #tfir.fill<0.75>",
        harness.graph(name, feeds, body, {"loss": "tensor<f32>", "w": w})])


def check_optimizer(model, name, reference, shape):
    feeds = {"t": normal(5, *shape), "c": uniform(6, 0.5, 2, *shape)}
    t, c = (v.astype(float) for v in feeds.values())
    reference.start(start_of(shape))
    for step in range(1, 8):
        before = reference.w.copy()
        reference.step(c * (reference.w - t))
        if step not in (1, 2, 7):
            continue
        for options in harness.RUNS:
            check_state(model, name, reference, step, feeds, options)
        got = model.run(name, feeds, [f"--steps={step}"])
        # What is read above the update is the value before it.
        Fetch(before.astype(np.float32), norm=2e-6).compare(got["w"])
        loss = np.float32(0.5 * np.sum(c * (before - t) ** 2))
        Fetch(loss, norm=3e-6, floor=1e-3).compare(got["loss"])


def check_state(model, name, reference, step, feeds, options):
    saved = model.variables(name, feeds, [f"--steps={step}", *options])
    require(saved["global_step"] == step and
            saved["global_step"].dtype == np.int64,
            f"global_step is {saved['global_step']} after {step} steps")
    wants = {"": reference.w}
    wants.update({"/" + s: v for s, v in reference.state().items()})
    for suffix, want in wants.items():
        try:
            Fetch(want.astype(np.float32), norm=2e-6, floor=1e-6).compare(
                saved[f"{name}_w{suffix}"])
        except harness.Failure as failure:
            raise harness.Failure(f"{name}, step {step}, "
                                  f"'{name}_w{suffix}': {failure}") from failure
    if isinstance(reference, Adam):
        # Each graph that minimizes with Adam has powers of its own.
        suffix = "_1" if name == "adam_large" else ""
        for power, want in zip(("beta1_power", "beta2_power"),
                               reference.powers):
            Fetch(want, rel=0).compare(saved[power + suffix])


def optimizers_follow_their_formulas():
    texts = [training(name, attribute, shape)
             for name, (attribute, _, shape) in OPTIMIZERS.items()]
    model = Model(FOLDER + "/all", "\n".join(["module @m {", *texts, "}", ""]))
    for name, (_, reference, shape) in OPTIMIZERS.items():
        check_optimizer(model, name, reference, shape)


def adam_stays_near_its_formula():
    """After 50 steps as close to the formula in f64 as arithmetic in f32 is."""
    shape = (7, 9)
    text = f"module @m {{\n{training('many', 'adam<learning_rate = 0.01>', shape)}\n}}\n"
    feeds = {"t": normal(5, *shape), "c": uniform(6, 0.5, 2, *shape)}
    t, c = (v.astype(float) for v in feeds.values())
    reference = Adam(0.01)
    reference.start(start_of(shape))
    for _ in range(50):
        reference.step(c * (reference.w - t))
    got = Model(FOLDER + "/many", text).variables("many", feeds, ["--steps=50"])
    error = np.linalg.norm(got["many_w"] - reference.w)
    error /= np.linalg.norm(reference.w)
    require(error < 6e-7, f"w is off by {error:.3g} after 50 steps")


def adam_takes_all_its_parameters():
    attribute, reference, shape = OTHER_ADAM
    text = f"module @m {{\n{training('other', attribute, shape)}\n}}\n"
    check_optimizer(Model(FOLDER + "/adam", text), "other", reference, shape)


def scheduled(attributes):
    """A graph per rate: the gradient is 1, so w falls by the rate."""
    parts = []
    for name, rate in attributes.items():
        body = f"""
          %w = tfir.read @{name}_w : tensor<f32>
          tfir.minimize %w using #tfir.sgd<learning_rate = {rate}>
        """
        parts += [f"  tfir.variable @{name}_w : tensor<f32> = #tfir.fill<0>",
                  harness.graph(name, {}, body, {"w": "tensor<f32>"})]
    return "\n".join(["module @rates {", *parts, "}", ""])


def rates_decay():
    decay = "#tfir.exponential_decay<initial = 0.1, decay_steps = 3, decay_rate"
    model = Model(FOLDER + "/rates", scheduled({
        "stairs": decay + " = 0.96, staircase = true>",
        "smooth": decay + " = 0.96>", "constant": "0.3"}))
    wants = {"stairs": {0: 0.1, 1: 0.1, 2: 0.1, 3: 0.096, 100: 0.0259986,
                        299: 0.1 * 0.96 ** 99, 300: 0.1 * 0.96 ** 100},
             "smooth": {0: 0.1, 1: 0.1 * 0.96 ** (1 / 3), 3: 0.096,
                        100: 0.1 * 0.96 ** (100 / 3)},
             "constant": {0: 0.3, 7: 0.3}}
    for name, rates in wants.items():
        state = model.variables(name, {}, ["--steps=1"])
        for step, want in rates.items():
            state = {n: np.zeros_like(v) for n, v in state.items()}
            state["global_step"] = np.asarray(step, np.int64)
            file = os.path.join(model.folder, "start.safetensors")
            harness.write_safetensors(file, state)
            after = model.variables(name, {}, ["--steps=1", f"--load={file}"])
            require(after["global_step"] == step + 1, "the step is not counted")
            rate = -float(after[name + "_w"])
            require(abs(rate - want) < 5e-6 * want,
                    f"{name}: the rate of step {step} is {rate}, not {want}")


def averages(name, ema):
    w = type_of(start_of((5,)))
    body = f"""
      %a = tfir.read @{name}_w average : {w}
      %w = tfir.read @{name}_w : {w}
      %l = tfir.sum %w : ({w}) -> tensor<f32>
      tfir.minimize %l using #tfir.sgd<learning_rate = 0.5>
      tfir.ema {{{ema}}}
    """
    read = f"%a = tfir.read @{name}_w average : {w}"
    return "\n".join([
        f"  tfir.variable @{name}_w : {w} = #tfir.fill<4>",
        harness.graph(name, {}, body, {"a": w, "w": w}),
        harness.graph(name + "_eval", {}, read, {"a": w})])


def averages_follow():
    """After the update, with the step's number counted."""
    model = Model(FOLDER + "/ema", "\n".join([
        "module @ema {", averages("plain", "decay = 0.25 : f64"),
        averages("counted", "decay = 0.25 : f64, num_updates"),
        averages("slow", "decay = 0.99 : f64, num_updates"), "}", ""]))
    for name, decay, counts in (("plain", 0.25, False), ("counted", 0.25, True),
                                ("slow", 0.99, True)):
        w = average = 4.0
        for step in range(1, 21):
            before = average
            w -= 0.5
            d = min(decay, (1 + step) / (10 + step)) if counts else decay
            average -= (1 - d) * (average - w)
            if step not in (1, 2, 3, 20):
                continue
            saved = model.variables(name, {}, [f"--steps={step}"])
            Fetch(np.full(5, average, np.float32), rel=2e-6, floor=1).compare(
                saved[f"{name}_w/ExponentialMovingAverage"])
            got = model.run(name, {}, [f"--steps={step}"])
            Fetch(np.full(5, before, np.float32), rel=2e-6,
                  floor=1).compare(got["a"])
            file = os.path.join(model.folder, f"{name}.safetensors")
            got = model.run(f"{name}_eval", {}, [f"--load={file}"])
            Fetch(np.full(5, average, np.float32), rel=2e-6,
                  floor=1).compare(got["a"])
        # The golden number: decay 0.25, one update so far.
        if name == "counted":
            first = model.variables(name, {}, ["--steps=1"])
            share = (4 - first[f"{name}_w/ExponentialMovingAverage"][0]) / 0.5
            require(abs(1 - share - 0.181818) < 1e-5, f"{1 - share}")


def weights_decay():
    """L2: the gradient of rate * l2_loss(w) is rate * w; two variables, of which
    each gets its own gradient."""
    text = """
      module @l2 {
        tfir.variable @v : tensor<4xf32> = dense<[1.0, -2.0, 3.0, 0.5]> : tensor<4xf32>
        tfir.variable @u : tensor<4xf32> = #tfir.fill<2>
        tfir.variable @frozen : tensor<4xf32> = #tfir.fill<3> {trainable = false}
        tfir.graph @train() -> (loss: tensor<f32>) {
          %v = tfir.read @v : tensor<4xf32>
          %u = tfir.read @u : tensor<4xf32>
          %f = tfir.read @frozen : tensor<4xf32>
          %l = tfir.l2_loss %v : (tensor<4xf32>) -> tensor<f32>
          %c = tfir.const dense<0.01> : tensor<f32>
          %p = tfir.mul %l, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
          %uf = tfir.mul %u, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          %s = tfir.sum %uf : (tensor<4xf32>) -> tensor<f32>
          %loss = tfir.add %p, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
          tfir.minimize %loss using #tfir.sgd<learning_rate = 0.1>
          tfir.return %loss : tensor<f32>
        }
      }
    """
    saved = Model(FOLDER + "/l2", text).variables("train", {}, ["--steps=3"])
    v = np.float64([1, -2, 3, 0.5]) * (1 - 0.1 * 0.01) ** 3
    Fetch(v.astype(np.float32), rel=1e-6).compare(saved["v"])
    Fetch(np.full(4, 2 - 3 * 0.3, np.float32), rel=1e-6).compare(saved["u"])
    Fetch(np.full(4, 3, np.float32)).compare(saved["frozen"])


def a_layer_trains():
    """The update of a matrix, fused after the product that makes its gradient."""
    m, k, n = 64, 100, 33
    x, y, w = normal(1, m, k), normal(2, m, n), normal(3, k, n)
    text = f"""
      module @layer {{
        tfir.variable @w : {type_of(w)} = #tfir.fill<0.5>
        tfir.graph @train(%x: {type_of(x)}, %y: {type_of(y)}) -> (loss: tensor<f32>) {{
          %w = tfir.read @w : {type_of(w)}
          %p = tfir.matmul %x, %w : ({type_of(x)}, {type_of(w)}) -> {type_of(y)}
          %d = tfir.squared_difference %p, %y : ({type_of(y)}, {type_of(y)}) -> {type_of(y)}
          %loss = tfir.mean %d : ({type_of(y)}) -> tensor<f32>
          tfir.minimize %loss using #tfir.RULE
          tfir.return %loss : tensor<f32>
        }}
      }}
    """
    for name, rule, reference in (
            ("sgd", "sgd<learning_rate = 2>", Sgd(2)),
            ("momentum", "momentum<learning_rate = 0.5>", Momentum(0.5)),
            ("adam", "adam<learning_rate = 0.01>", Adam(0.01))):
        model = Model(f"{FOLDER}/layer-{name}", text.replace("RULE", rule))
        reference.start(np.full((k, n), 0.5))
        for _ in range(5):
            reference.step(x.astype(float).T @ (x @ reference.w - y) * 2 / (m * n))
        for options in harness.RUNS:
            saved = model.variables("train", {"x": x, "y": y},
                                    ["--steps=5", *options])
            Fetch(reference.w.astype(np.float32), norm=5e-6).compare(saved["w"])


CHECKS = [optimizers_follow_their_formulas, adam_stays_near_its_formula,
          adam_takes_all_its_parameters, rates_decay, averages_follow, weights_decay, a_layer_trains]

if __name__ == "__main__":
    FOLDER = sys.argv[1]
    harness.run_checks(CHECKS)
