# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The optimizers beyond those of optimizers.py, and the schedules: several steps
against their formulas."""
import math
import os
import sys

import numpy as np

import harness
from harness import Fetch, Model, type_of
from opcases import normal, uniform


class Rule:
    """Base: `slots` are the arrays beside w, in the order of their names."""
    name, first = "", ()

    def start(self, w):
        self.w = w.astype(float)
        self.slots = [np.full_like(self.w, value) for value in self.first]
        self.t = 0

    def state(self):
        names = [self.name] + [f"{self.name}_{i}" for i in
                               range(1, len(self.slots))]
        return dict(zip(names, self.slots))


class CentredRmsprop(Rule):
    name, first = "RMSProp", (1, 0, 0)

    def step(self, g):
        s, c, m = self.slots
        s += 0.2 * (g * g - s)
        c += 0.2 * (g - c)
        m[...] = 0.5 * m + 0.05 * g / np.sqrt(s - c * c + 1e-3)
        self.w = self.w - m


class Adadelta(Rule):
    name, first = "Adadelta", (0, 0)

    def step(self, g):
        s, d = self.slots
        s[...] = 0.9 * s + 0.1 * g * g
        u = np.sqrt(d + 1e-4) / np.sqrt(s + 1e-4) * g
        d[...] = 0.9 * d + 0.1 * u * u
        self.w = self.w - 2 * u


class Moments(Rule):
    first = (0, 0)
    rate, beta1, beta2, epsilon = 0.05, 0.8, 0.99, 1e-3

    def move(self, g):
        self.t += 1
        m, v = self.slots[:2]
        m[...] = self.beta1 * m + (1 - self.beta1) * g
        v[...] = self.beta2 * v + (1 - self.beta2) * g * g
        self.alpha = (self.rate * math.sqrt(1 - self.beta2 ** self.t) /
                      (1 - self.beta1 ** self.t))
        return m, v


class Nadam(Moments):
    name = "Adam"

    def step(self, g):
        m, v = self.move(g)
        ahead = self.beta1 * m + (1 - self.beta1) * g
        self.w = self.w - self.alpha * ahead / (np.sqrt(v) + self.epsilon)


class Amsgrad(Moments):
    name, first = "AMSGrad", (0, 0, 0)

    def step(self, g):
        m, v = self.move(g)
        h = self.slots[2]
        h[...] = np.maximum(h, v)
        self.w = self.w - self.alpha * m / (np.sqrt(h) + self.epsilon)


class Adamw(Moments):
    name = "AdamW"

    def __init__(self, decay):
        self.decay = decay

    def step(self, g):
        m, v = self.move(g)
        self.w = (self.w - self.alpha * m / (np.sqrt(v) + self.epsilon) -
                  self.rate * self.decay * self.w)


class Adamax(Moments):
    name = "AdaMax"

    def step(self, g):
        self.t += 1
        m, v = self.slots
        m[...] = self.beta1 * m + (1 - self.beta1) * g
        v[...] = np.maximum(self.beta2 * v, np.abs(g))
        rate = self.rate / (1 - self.beta1 ** self.t)
        self.w = self.w - rate * m / (v + self.epsilon)


class Lamb(Moments):
    name = "LAMB"

    def __init__(self, decay):
        self.decay = decay

    def step(self, g):
        m, v = self.move(g)
        u = (m / (1 - self.beta1 ** self.t) /
             (np.sqrt(v / (1 - self.beta2 ** self.t)) + self.epsilon) +
             self.decay * self.w)
        weights, length = np.sqrt(np.sum(self.w ** 2)), np.sqrt(np.sum(u ** 2))
        ratio = weights / length if weights > 0 and length > 0 else 1
        self.w = self.w - self.rate * ratio * u


class Lars(Rule):
    name, first = "LARSOptimizer", (0,)

    def __init__(self, nesterov=False, decay=0.01):
        self.nesterov, self.decay = nesterov, decay

    def step(self, g):
        weights, length = np.sqrt(np.sum(self.w ** 2)), np.sqrt(np.sum(g ** 2))
        rate = 2.0
        if weights > 0 and length > 0:
            rate *= 0.1 * weights / (length + self.decay * weights + 1e-4)
        d = g + self.decay * self.w
        a = self.slots[0]
        a[...] = 0.7 * a + d
        self.w = self.w - rate * (d + 0.7 * a if self.nesterov else a)


class Lion(Rule):
    name, first = "Lion", (0,)

    def step(self, g):
        m = self.slots[0]
        self.w = self.w - 0.05 * (np.sign(0.8 * m + 0.2 * g) + 0.1 * self.w)
        m[...] = 0.9 * m + 0.1 * g


class Ftrl(Rule):
    name = "Ftrl"

    def __init__(self, power, l1, l2, first):
        self.power, self.l1, self.l2 = power, l1, l2
        self.first = (first, 0)

    def step(self, g):
        a, z = self.slots
        b = a + g * g
        z += g - (b ** -self.power - a ** -self.power) / 0.3 * self.w
        a[...] = b
        bottom = a ** -self.power / 0.3 + 2 * self.l2
        self.w = np.where(np.abs(z) > self.l1,
                          (self.l1 * np.sign(z) - z) / bottom, 0)


class Proximal(Rule):
    name = "ProximalGradientDescent"

    def __init__(self, l1, l2):
        self.l1, self.l2 = l1, l2

    def solve(self, g, rate):
        p = self.w - rate * g
        if self.l1:
            p = np.sign(p) * np.maximum(np.abs(p) - rate * self.l1, 0)
        self.w = p / (1 + rate * self.l2)

    def step(self, g):
        self.solve(g, 0.1)


class ProximalAdagrad(Proximal):
    name, first = "ProximalAdagrad", (0.2,)

    def step(self, g):
        a = self.slots[0]
        a += g * g
        self.solve(g, 0.3 / np.sqrt(a))


MOMENTS = "learning_rate = 0.05, beta1 = 0.8, beta2 = 0.99, epsilon = 0.001"
LARS = ("learning_rate = 2, momentum = 0.7, weight_decay = 0.01, eeta = 0.1, "
        "epsilon = 0.0001")
# name: (attribute, the same in numpy, shape of the variable)
OPTIMIZERS = {
    "centred": ("rmsprop<learning_rate = 0.05, decay = 0.8, momentum = 0.5, "
                "epsilon = 0.001, centered = true>", CentredRmsprop(), (37,)),
    "adadelta": ("adadelta<learning_rate = 2, rho = 0.9, epsilon = 0.0001>",
                 Adadelta(), (3, 5)),
    "adadelta_large": ("adadelta<learning_rate = 2, rho = 0.9, epsilon = "
                       "0.0001>", Adadelta(), (20011,)),
    "nadam": (f"nadam<{MOMENTS}>", Nadam(), (37,)),
    "amsgrad": (f"amsgrad<{MOMENTS}>", Amsgrad(), (140, 150)),
    "adamw": (f"adamw<{MOMENTS}, weight_decay = 0.1>", Adamw(0.1), (3, 5)),
    "adamw_plain": (f"adamw<{MOMENTS}, weight_decay = 0>", Adamw(0), (1,)),
    "adamax": (f"adamax<{MOMENTS}>", Adamax(), (37,)),
    "lamb": (f"lamb<{MOMENTS}, weight_decay = 0.1>", Lamb(0.1), (37,)),
    "lamb_large": (f"lamb<{MOMENTS}>", Lamb(0), (140, 150)),
    "lamb_scalar": (f"lamb<{MOMENTS}, weight_decay = 0.1>", Lamb(0.1), ()),
    "lars": (f"lars<{LARS}>", Lars(), (20011,)),
    "lars_nesterov": (f"lars<{LARS}, nesterov = true>", Lars(True), (3, 5)),
    "lion": ("lion<learning_rate = 0.05, beta1 = 0.8, beta2 = 0.9, "
             "weight_decay = 0.1>", Lion(), (37,)),
    "ftrl": ("ftrl<learning_rate = 0.3, l1 = 0.6, l2 = 0.1>",
             Ftrl(-0.5, 0.6, 0.1, 0.1), (20011,)),
    "ftrl_power": ("ftrl<learning_rate = 0.3, learning_rate_power = -0.7, "
                   "initial_accumulator = 0.5>", Ftrl(-0.7, 0, 0, 0.5), (3, 5)),
    "proximal": ("proximal_gradient_descent<learning_rate = 0.1, l1 = 1.5, "
                 "l2 = 0.2>", Proximal(1.5, 0.2), (37,)),
    "proximal_plain": ("proximal_gradient_descent<learning_rate = 0.1>",
                       Proximal(0, 0), (1,)),
    "proximal_adagrad": ("proximal_adagrad<learning_rate = 0.3, l1 = 0.4, "
                         "l2 = 0.1, initial_accumulator = 0.2>",
                         ProximalAdagrad(0.4, 0.1), (140, 150)),
}


def training(name, attribute, shape, start):
    """Minimizes sum(c (w - t)^2) / 2, whose gradient is c (w - t)."""
    w = type_of(np.zeros(shape, np.float32))
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
    feeds = {"t": np.zeros(shape, np.float32), "c": np.zeros(shape, np.float32)}
    return "\n".join([
        f"  tfir.variable @{name}_w : {w} = #tfir.fill<{start}>",
        harness.graph(name, feeds, body, {"loss": "tensor<f32>"})])


def check_state(model, name, reference, step, feeds, options):
    saved = model.variables(name, feeds, [f"--steps={step}", *options])
    wants = {"": reference.w}
    wants.update({"/" + s: v for s, v in reference.state().items()})
    found = {key[len(name) + 2:] for key in saved if key.startswith(name + "_w")}
    if found != set(wants):
        raise harness.Failure(f"{name}_w has the slots {found}, not {wants}")
    for suffix, want in wants.items():
        try:
            Fetch(want.astype(np.float32), norm=4e-6, floor=1e-5).compare(
                saved[f"{name}_w{suffix}"])
        except harness.Failure as failure:
            raise harness.Failure(f"{name}, step {step}, "
                                  f"'{name}_w{suffix}': {failure}") from failure


def check_optimizer(model, name, reference, shape, start):
    feeds = {"t": normal(5, *shape), "c": uniform(6, 0.5, 2, *shape)}
    t, c = (v.astype(float) for v in feeds.values())
    reference.start(np.full(shape, start, np.float32))
    for step in range(1, 8):
        reference.step(c * (reference.w - t))
        if step in (1, 2, 7):
            for options in harness.RUNS:
                check_state(model, name, reference, step, feeds, options)


def optimizers_follow_their_formulas():
    texts = [training(name, attribute, shape, 0.75)
             for name, (attribute, _, shape) in OPTIMIZERS.items()]
    model = Model(FOLDER + "/all", "\n".join(["module @m {", *texts, "}", ""]))
    for name, (_, reference, shape) in OPTIMIZERS.items():
        check_optimizer(model, name, reference, shape, 0.75)


def norms_of_zero_give_the_rate():
    """Weights that are all 0 have no norm to go by."""
    names = ("lamb", "lars", "lars_nesterov")
    texts = [training(name, OPTIMIZERS[name][0], (6,), 0) for name in names]
    model = Model(FOLDER + "/zero", "\n".join(["module @m {", *texts, "}", ""]))
    for name in names:
        check_optimizer(model, name, OPTIMIZERS[name][1], (6,), 0)


def powers_are_saved():
    """Under TensorFlow's names: AdaMax has the first power alone."""
    for name, powers in (("adamax", {"beta1_power": 0.8}),
                         ("nadam", {"beta1_power": 0.8, "beta2_power": 0.99})):
        text = training(name, OPTIMIZERS[name][0], (3,), 0.75)
        model = Model(f"{FOLDER}/powers-{name}", f"module @m {{\n{text}\n}}\n")
        feeds = {"t": normal(5, 3), "c": uniform(6, 0.5, 2, 3)}
        saved = model.variables(name, feeds, ["--steps=3"])
        found = {key: value for key, value in saved.items() if "power" in key}
        harness.require(set(found) == set(powers), f"{name}: {set(found)}")
        for key, beta in powers.items():
            Fetch(np.float64(beta * beta * beta * beta), rel=1e-15).compare(
                found[key])


def wide_variables_train():
    """f64: the norms, powers and roots are those of doubles."""
    rules = {name: OPTIMIZERS[name] for name in
             ("lamb", "lars", "ftrl", "adadelta", "lion", "adamax")}
    texts = []
    for name, (attribute, _, _) in rules.items():
        body = f"""
          %w = tfir.read @{name}_w : tensor<7xf64>
          %e = tfir.sub %w, %t : (tensor<7xf64>, tensor<7xf64>) -> tensor<7xf64>
          %s = tfir.square %e : (tensor<7xf64>) -> tensor<7xf64>
          %u = tfir.sum %s : (tensor<7xf64>) -> tensor<f64>
          %loss = tfir.cast %u : (tensor<f64>) -> tensor<f32>
          tfir.minimize %loss using #tfir.{attribute}
        """
        texts += [f"  tfir.variable @{name}_w : tensor<7xf64> = #tfir.fill<0.75>",
                  harness.graph(name, {"t": np.zeros(7)}, body,
                                {"loss": "tensor<f32>"})]
    model = Model(FOLDER + "/wide", "\n".join(["module @m {", *texts, "}", ""]))
    t = normal(5, 7).astype(float)
    for name, (_, reference, _) in rules.items():
        reference.start(np.full(7, 0.75))
        for _ in range(5):
            reference.step(2 * (reference.w - t))
        saved = model.variables(name, {"t": t}, ["--steps=5"])
        # The rates are f32.
        Fetch(reference.w, norm=2e-7).compare(saved[name + "_w"])


#===-- Schedules ---------------------------------------------------------===#

def piecewise(s):
    return 0.1 if s <= 10 else 0.05 if s <= 20 else 0.01


def polynomial(s):
    return (0.1 - 0.01) * (1 - min(s, 40) / 40) ** 2 + 0.01


def cycling(s):
    length = 40 * max(1, math.ceil(s / 40))
    return (0.1 - 0.01) * (1 - s / length) ** 0.5 + 0.01


def cosine(s, initial=0.1, steps=40, alpha=0.1):
    wave = 0.5 * (1 + math.cos(math.pi * min(s, steps) / steps))
    return initial * ((1 - alpha) * wave + alpha)


def restarts(s, first=10, t_mul=2.0, m_mul=0.8, alpha=0.05):
    """As tf.train.cosine_decay_restarts, with a period that is counted."""
    length, factor = first, 1.0
    while s >= length:
        s, length, factor = s - length, length * t_mul, factor * m_mul
    wave = 0.5 * factor * (1 + math.cos(math.pi * s / length))
    return 0.1 * ((1 - alpha) * wave + alpha)


def noam(s):
    return 2 * 512 ** -0.5 * min((s + 1) ** -0.5, (s + 1) * 40 ** -1.5)


def warm(s):
    if s < 20:
        return 0.01 + (cosine(0) - 0.01) * s / 20
    return cosine(s - 20)


def decay(name, rest=""):
    return (f"{name}<initial = 0.1, decay_steps = 40, decay_rate = 0.5{rest}>")


SCHEDULES = {
    "natural": (decay("natural_exp_decay"),
                lambda s: 0.1 * math.exp(-0.5 * s / 40)),
    "natural_stairs": (decay("natural_exp_decay", ", staircase = true"),
                       lambda s: 0.1 * math.exp(-0.5 * (s // 40))),
    "inverse": (decay("inverse_time_decay"),
                lambda s: 0.1 / (1 + 0.5 * s / 40)),
    "inverse_stairs": (decay("inverse_time_decay", ", staircase = true"),
                       lambda s: 0.1 / (1 + 0.5 * (s // 40))),
    "piecewise": ("piecewise_constant<boundaries = [10, 20], values = [0.1, "
                  "0.05, 0.01]>", piecewise),
    "single": ("piecewise_constant<boundaries = [], values = [0.3]>",
               lambda s: 0.3),
    "polynomial": ("polynomial_decay<initial = 0.1, decay_steps = 40, "
                   "end = 0.01, power = 2>", polynomial),
    "cycling": ("polynomial_decay<initial = 0.1, decay_steps = 40, end = 0.01, "
                "power = 0.5, cycle = true>", cycling),
    "line": ("polynomial_decay<initial = 0.1, decay_steps = 40>",
             lambda s: (0.1 - 0.0001) * (1 - min(s, 40) / 40) + 0.0001),
    "cosine": ("cosine_decay<initial = 0.1, decay_steps = 40, alpha = 0.1>",
               cosine),
    "restarts": ("cosine_decay_restarts<initial = 0.1, first_decay_steps = 10, "
                 "t_mul = 2, m_mul = 0.8, alpha = 0.05>", restarts),
    "even": ("cosine_decay_restarts<initial = 0.1, first_decay_steps = 10, "
             "t_mul = 1, m_mul = 0.8, alpha = 0.05>",
             lambda s: restarts(s, t_mul=1.0)),
    "longer": ("cosine_decay_restarts<initial = 0.1, first_decay_steps = 10, "
               "t_mul = 1.5, m_mul = 1, alpha = 0.05>",
               lambda s: restarts(s, t_mul=1.5, m_mul=1.0)),
    "noam": ("noam_decay<model_dim = 512, warmup_steps = 40, initial = 2>", noam),
    "warm": ("linear_warmup<rate = #tfir.cosine_decay<initial = 0.1, "
             "decay_steps = 40, alpha = 0.1>, steps = 20, start = 0.01>", warm),
    "warm_number": ("linear_warmup<rate = 0.5, steps = 4>",
                    lambda s: 0.5 * min(s / 4, 1)),
}
STEPS = (0, 1, 3, 4, 9, 10, 11, 19, 20, 21, 29, 30, 31, 39, 40, 41, 69, 70, 71,
         80, 81, 149, 150, 1000, 123456)


def schedules_follow_their_formulas():
    """The gradient is 1, so w falls by the rate; all rates of a graph are those of
    the step that it begins with."""
    variables, body = [], []
    for name, (rate, _) in SCHEDULES.items():
        variables.append(f"  tfir.variable @{name} : tensor<f32> = #tfir.fill<0>")
        body += [f"%{name} = tfir.read @{name} : tensor<f32>",
                 f"tfir.minimize %{name} using "
                 f"#tfir.sgd<learning_rate = #tfir.{rate}>"]
    text = harness.graph("train", {}, "\n".join(body), {"noam": "tensor<f32>"})
    model = Model(FOLDER + "/rates",
                  "\n".join(["module @m {", *variables, text, "}", ""]))
    zeros = model.variables("train", {}, ["--steps=1"])
    file = os.path.join(model.folder, "start.safetensors")
    for step in STEPS:
        state = {n: np.zeros_like(v) for n, v in zeros.items()}
        state["global_step"] = np.asarray(step, np.int64)
        harness.write_safetensors(file, state)
        after = model.variables("train", {}, ["--steps=1", f"--load={file}"])
        for name, (_, formula) in SCHEDULES.items():
            rate, want = -float(after[name]), formula(step)
            harness.require(abs(rate - want) <= 1e-5 * want + 1e-7,
                            f"{name}: the rate of step {step} is {rate}, not "
                            f"{want}")


CHECKS = [optimizers_follow_their_formulas, norms_of_zero_give_the_rate,
          powers_are_saved, wide_variables_train,
          schedules_follow_their_formulas]

if __name__ == "__main__":
    FOLDER = sys.argv[1]
    harness.run_checks(CHECKS)
