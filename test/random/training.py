# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients, optimizers and data of a random program."""
from values import F32, FLOATS, I32, U8, Value, count, type_text


class TrainingOps:
    """Of a graph."""

    def scalar_of(self, value):
        if value.shape:
            value = self.emit(self.p.pick(["mean", "mean", "sum"]), [value], (),
                              value.element)
        if value.element != F32:
            value = self.emit("cast", [value], (), F32)
        return value

    def gradients(self):
        ys = [v for v in self.values if v.element in FLOATS and not v.opaque and
              len([s for s in v.sources if s.startswith("%")]) > 1]
        if not ys:
            return
        y = self.p.pick(ys)
        by_name = {v.name: v for v in self.values}
        xs = [by_name[s] for s in sorted(y.sources)
              if s in by_name and s != y.name and
              count(by_name[s].shape) <= 400]
        if not xs:
            return
        xs = self.p.rng.sample(xs, min(len(xs), self.p.pick([1, 1, 2, 3])))
        results = [Value(self.fresh(), x.shape, x.element, (), True) for x in xs]
        self.lines.append(
            f"{', '.join(r.name for r in results)} = tfir.gradients {y.name}, "
            f"{', '.join(x.name for x in xs)} : ({y.type}, "
            f"{', '.join(x.type for x in xs)}) -> "
            + (results[0].type if len(results) == 1 else
               f"({', '.join(r.type for r in results)})"))
        self.values += results
        self.ops += 1

    def minimize(self):
        trainable = {f"@{v[0]}" for v in self.p.variables
                     if "trainable" not in v[3] and v[2] in FLOATS and
                     count(v[1]) <= 400}
        large = {f"@{v[0]}" for v in self.p.variables if count(v[1]) > 400}
        ys = [v for v in self.values if v.element in FLOATS and not v.opaque and
              v.sources & trainable and not v.sources & large]
        if not ys:
            return
        loss = self.scalar_of(self.p.pick(ys))
        rate = self.p.pick(
            ["0.01", "0.1", "#tfir.exponential_decay<initial = 0.1, decay_steps "
             "= 2, decay_rate = 0.5, staircase = true>",
             "#tfir.exponential_decay<initial = 0.1, decay_steps = 3, "
             "decay_rate = 0.9>"])
        optimizer = self.p.pick(
            [f"sgd<learning_rate = {rate}>",
             f"momentum<learning_rate = {rate}, momentum = 0.9>",
             f"momentum<learning_rate = {rate}, momentum = 0.5, nesterov = true>",
             f"adagrad<learning_rate = {rate}>",
             f"rmsprop<learning_rate = {rate}, momentum = "
             f"{self.p.pick(['0.0', '0.9'])}, epsilon = 1.0e-3>",
             f"adam<learning_rate = {rate}, epsilon = 1.0e-3>",
             self.rare_optimizer(rate)])
        self.lines.append(f"tfir.minimize {loss.name} using #tfir.{optimizer}"
                          + self.gradient_changes())
        if not self.has_minimize and self.p.chance(0.3):
            flag = self.p.pick(["", ", num_updates"])
            self.lines.append(f"tfir.ema {{decay = 0.9 : f64{flag}}}")
        self.has_minimize = True
        self.ops += 1

    def rare_optimizer(self, rate):
        rates = f"learning_rate = {rate}"
        rule = self.p.pick([
            "nadam", "amsgrad", "adamax", "adamw", "lamb", "lars", "lion", "ftrl",
            "adadelta", "rmsprop", "proximal_gradient_descent",
            "proximal_adagrad"])
        if rule in ("nadam", "amsgrad", "adamax", "adamw", "lamb", "adadelta"):
            rates += ", epsilon = 1.0e-3"
        if rule in ("adamw", "lamb", "lars", "lion"):
            rates += ", weight_decay = " + self.p.pick(["0.0", "0.1"])
        if rule in ("ftrl", "proximal_gradient_descent", "proximal_adagrad"):
            rates += self.p.pick(["", ", l1 = 0.01", ", l1 = 0.01, l2 = 0.1"])
        if rule == "rmsprop":
            rates += ", epsilon = 1.0e-2, centered = true"
        return f"{rule}<{rates}>"

    def gradient_changes(self):
        """Attributes of tfir.minimize, mostly none."""
        if self.p.chance(0.7):
            return ""
        clip = self.p.pick(["clip_value", "clip_norm", "clip_global_norm"])
        attributes = self.p.rng.sample(
            ["accumulate = 2 : i64", "l2 = 0.01 : f64", f"{clip} = 0.5 : f64",
             self.p.pick(["loss_scale = 8.0 : f64", "loss_scale = 8.0 : f64, "
                          "loss_scale_growth = 2 : i64"])],
            self.p.pick([1, 1, 2, 3]))
        return f" {{{', '.join(attributes)}}}"

    def next_batch(self):
        if not self.p.dataset:
            batch = self.p.pick([1, 2, 5, 16])
            fields = [(f"d{i}", self.p.shape(self.p.pick([0, 1, 2]), 200),
                       self.p.pick([F32, U8, I32]))
                      for i in range(self.p.pick([1, 2]))]
            texts = [f"{n}: {type_text(s, e)}" for n, s, e in fields]
            self.p.dataset = (
                (batch, fields),
                f"tfir.dataset @data({', '.join(texts)}) {{repeat = 0}}")
        batch, fields = self.p.dataset[0]
        values = [Value(self.fresh(), (batch,) + s, e) for _, s, e in fields]
        self.lines.append(
            f"{', '.join(v.name for v in values)} = tfir.next @data : "
            f"{', '.join(v.type for v in values)}")
        self.values += values
        self.ops += 1
