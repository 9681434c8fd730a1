# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops, choices and bodies that are computed again of random programs, of which one is one
line, as any op is."""
import re

from values import BOOL, F32, F64, I32, MAX_ELEMENTS, Value, count


class LoopOps:
    """Of a graph."""

    def loop(self):
        x = self.value([F32, F32, F64, I32])
        steps = self.p.pick([1, 2, 3])
        inits = [x] + ([self.leaf(x.shape, x.element)] if self.p.chance(0.4) else [])
        whole = (steps, *x.shape)
        inputs = []
        if self.p.chance(0.6) and count(whole) <= MAX_ELEMENTS:
            inputs = [self.leaf(whole, x.element)]
        outside = [v for v in self.values
                   if v.type == x.type and v not in inits and self.p.chance(0.3)][:2]
        names = [f"%h{i}" for i in range(len(inits))]
        arguments = ["%i: tensor<i32>"] + [f"%x: {x.type}" for _ in inputs]
        arguments += [f"{name}: {x.type}" for name in names]
        body, made = self._body(x, names + ["%x"] * len(inputs) +
                                [v.name for v in outside])
        yielded = [self.p.pick(made) for _ in inits]
        stacked = self.p.chance(0.5) and count(whole) <= MAX_ELEMENTS
        results = [x.shape] * len(inits) + [whole] * stacked
        yielded += [self.p.pick(made)] * stacked
        known = dict(zip(names + ["%x"] * len(inputs), inits + inputs))
        known |= {v.name: v for v in outside}
        sources = self._sources(known, names, body, yielded, steps)
        opaque = any(v.opaque for v in known.values())
        values = [Value(self.fresh(), shape, x.element, found, opaque)
                  for shape, found in zip(results, sources)]
        words = f"over({inputs[0].name})" if inputs else f"steps {steps}"
        types = ", ".join(v.type for v in inputs + inits)
        self.lines.append(
            f"{', '.join(v.name for v in values)} = tfir.scan {words} "
            f"carry({', '.join(v.name for v in inits)}){self.with_device('')} : ({types}) "
            f"-> ({', '.join(v.type for v in values)}) {{ ^bb0({', '.join(arguments)}): "
            f"{' '.join(text for *_, text in body)} tfir.yield {', '.join(yielded)} : "
            f"{', '.join([x.type] * len(yielded))} }}")
        self.values += values
        self.ops += 1

    def choice(self):
        x = self.value([F32, F32, F64, I32])
        condition = self.find(lambda v: v.element == BOOL and v.shape == (),
                              lambda: self.leaf((), BOOL))
        outside = [x] + [v for v in self.values if v.type == x.type and v is not x and
                         self.p.chance(0.3)][:2]
        sides, sources = [], set()
        for prefix in ("%b", "%c"):
            body, made = self._body(x, [v.name for v in outside], prefix)
            end = self.p.pick(made)
            known = {v.name: v for v in outside}
            sources |= self._sources(known, [], body, [end], 1)[0]
            sides.append(f"{' '.join(text for *_, text in body)} "
                         f"tfir.yield {end} : {x.type}")
        value = Value(self.fresh(), x.shape, x.element, sources,
                      any(v.opaque for v in outside))
        self.lines.append(
            f"{value.name} = tfir.if {condition.name} : "
            f"(tensor<i1>) -> {x.type} {{ {sides[0]} }} else {{ {sides[1]} }}")
        self.values.append(value)
        self.ops += 1

    def repeated(self):
        """A loop by a condition, which has no gradient."""
        x = self.value([F32, F32, F64, I32])
        inits = [x] + ([self.leaf(x.shape, x.element)] if self.p.chance(0.4) else [])
        limit = self.leaf((), I32)
        # None twice: a text has one name for a value.
        captures = [limit] + [
            v for v in self.values if v.type == x.type and v not in (*inits, limit) and
            self.p.chance(0.3)][:2]
        names = [f"%h{i}" for i in range(len(inits))]
        kept = [f"%k{i}" for i in range(len(captures))]
        condition = "%go = tfir.less %i, %k0 : (tensor<i32>, tensor<i32>) -> tensor<i1>"
        if self.p.chance(0.3):
            scalar = f"tensor<{x.element}>"
            condition = (
                f"%m = tfir.sum %h0 : ({x.type}) -> {scalar} "
                f"%o = tfir.const dense<{'2' if x.element == I32 else '2.5'}> : {scalar} "
                f"%go = tfir.less %m, %o : ({scalar}, {scalar}) -> tensor<i1>")
        body, made = self._body(x, names + kept[1:])
        ends = ", ".join(self.p.pick(made) for _ in inits)
        step = (f"{' '.join(text for *_, text in body)} tfir.yield {ends} : "
                f"{', '.join([x.type] * len(inits))}")
        used, words = self._captured(captures, condition + step)
        arguments = ", ".join(["%i: tensor<i32>", *(f"{n}: {x.type}" for n in names),
                               *words])
        values = [Value(self.fresh(), x.shape, x.element, opaque=True) for _ in inits]
        self.lines.append(
            f"{', '.join(v.name for v in values)} = tfir.while "
            f"carry({', '.join(v.name for v in inits)}){self._with(used)} "
            f"limit {self.p.pick([1, 3, 6])} : "
            f"({', '.join(v.type for v in inits + used)}) -> "
            f"({', '.join(v.type for v in values)}) {{ ^bb0({arguments}): {condition} "
            f"tfir.yield %go : tensor<i1> }} do {{ ^bb0({arguments}): {step} }}")
        self.values += values
        self.ops += 1

    def taken(self):
        """A choice of which one side is done, and which has no gradient."""
        x = self.value([F32, F32, F64, I32])
        condition = self.find(lambda v: v.element == BOOL and v.shape == (),
                              lambda: self.leaf((), BOOL))
        captures = [x] + [v for v in self.values if v.type == x.type and v is not x and
                          self.p.chance(0.3)][:2]
        kept = [f"%k{i}" for i in range(len(captures))]
        sides = []
        for prefix in ("%b", "%c"):
            body, made = self._body(x, kept, prefix)
            sides.append(f"{' '.join(text for *_, text in body)} "
                         f"tfir.yield {self.p.pick(made)} : {x.type}")
        used, words = self._captured(captures, " ".join(sides))
        value = Value(self.fresh(), x.shape, x.element, opaque=True)
        bodies = [f"{{ ^bb0({', '.join(words)}): {side} }}" for side in sides]
        self.lines.append(
            f"{value.name} = tfir.cond {condition.name}{self._with(used)} : "
            f"({', '.join(['tensor<i1>', *(v.type for v in used)])}) -> {x.type} "
            f"{bodies[0]} else {bodies[1]}")
        self.values.append(value)
        self.ops += 1

    @staticmethod
    def _captured(captures, text):
        """Those that a body uses, in the order of their first use, as a text captures them,
        and their arguments."""
        order = list(dict.fromkeys(re.findall(r"%k\d+", text)))
        used = [captures[int(name[2:])] for name in order]
        return used, [f"{name}: {value.type}" for name, value in zip(order, used)]

    @staticmethod
    def _with(used):
        return f" with({', '.join(v.name for v in used)})" if used else ""

    def recompute(self):
        x = self.value([F32, F32, F64])
        outside = [x] + [v for v in self.values if v.type == x.type and v is not x and
                         self.p.chance(0.3)][:2]
        body, made = self._body(x, [v.name for v in outside])
        ends = [self.p.pick(made) for _ in range(self.p.pick([1, 1, 2]))]
        known = {v.name: v for v in outside}
        opaque = any(v.opaque for v in outside)
        values = [Value(self.fresh(), x.shape, x.element, found, opaque)
                  for found in self._sources(known, [], body, ends, 1)]
        types = ", ".join([x.type] * len(ends))
        self.lines.append(
            f"{', '.join(v.name for v in values)} = tfir.recompute : () -> ({types}) {{ "
            f"{' '.join(text for *_, text in body)} tfir.yield {', '.join(ends)} : {types} }}")
        self.values += values
        self.ops += 1

    @staticmethod
    def _sources(known, names, body, yielded, steps):
        """What each result depends on."""
        found = {name: set(value.sources) for name, value in known.items()}
        ends = [set() for _ in yielded]
        for _ in range(steps):
            for name, operands, _ in body:
                found[name] = set().union(*[found[o] for o in operands])
            for end, name in zip(ends[len(names):], yielded[len(names):]):
                end |= found[name]
            nexts = [found[name] for name in yielded[:len(names)]]
            found |= dict(zip(names, nexts))
        return [found[name] for name in names] + ends[len(names):]

    def _body(self, x, known, prefix="%b"):
        """Ops that keep the type, and the values that a step may yield."""
        body, made = [], list(known)
        # Kernels have these functions of f32 only.
        unary = ["neg", "tanh", "sin", "sigmoid"] if x.element == F32 else ["neg", "abs"]
        for number in range(self.p.pick([1, 2, 3])):
            operands = [made[-1]]
            op = self.p.pick(unary)
            if self.p.chance(0.6):
                op = self.p.pick(["add", "sub", "mul", "maximum"])
                operands.append(self.p.pick(made))
            name = f"{prefix}{number}"
            types = ", ".join([x.type] * len(operands))
            body.append((name, operands, f"{name} = tfir.{op} {', '.join(operands)} : "
                         f"({types}) -> {x.type}"))
            made.append(name)
        return body, made
