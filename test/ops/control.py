# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops: carried values, slices, stacked values, numbers of steps; choices; gradients
through all of them. Bodies that are computed again; gradients that are written by hand."""
import numpy as np

import harness
from harness import Case, Fetch, graph, type_of
from opcases import (LETTERS, gradient_fetch, gradient_text, integers, normal, uniform,
                     wide)


def loop(results, operands, over=(), carry=(), steps=None, body="", gives=(), types=()):
    """The text of a loop. `over` and `carry` number operands, in the body `%x0`, `%h0` and
    so on; `gives` are the names that a step yields."""
    feed = [f"%{LETTERS[i]}" for i in range(len(operands))]
    words = [f"steps {steps}"] if steps else []
    words += [f"{word}({', '.join(feed[i] for i in which)})"
              for word, which in (("over", over), ("carry", carry)) if which]
    slices = [type_of(operands[i][0]) for i in over]
    carried = [type_of(operands[i]) for i in carry]
    arguments = ["%i: tensor<i32>"]
    arguments += [f"%x{n}: {t}" for n, t in enumerate(slices)]
    arguments += [f"%h{n}: {t}" for n, t in enumerate(carried)]
    inner = ", ".join(type_of(operands[i]) for i in (*over, *carry))
    outer = [type_of(r) for r in results]
    yielded = f" {', '.join(gives)} : {', '.join(types)}" if gives else ""
    left = ", ".join(f"%y{n}" for n in range(len(results)))
    return (f"{left} = tfir.scan {' '.join(words)} : ({inner}) -> ({', '.join(outer)}) {{\n"
            f"^bb0({', '.join(arguments)}):\n{body}\ntfir.yield{yielded}\n}}")


def loop_case(name, operands, reference, body, gives, types, over=(), carry=(),
              steps=None, by=(), norm=2e-6, main=0, gradient_norm=2e-5):
    """A loop with all of its results, and gradients of result `main`."""
    with np.errstate(all="ignore"):
        results = reference(*[wide(o) for o in operands])
    kinds = [operands[i].dtype for i in carry]
    kinds += [operands[0].dtype] * (len(results) - len(kinds))
    results = [np.asarray(r).astype(k) for r, k in zip(results, kinds)]
    text = loop(results, operands, over, carry, steps, body, gives, types)
    feeds = {LETTERS[i]: o for i, o in enumerate(operands)}
    fetches = {f"y{n}": Fetch(r, norm) for n, r in enumerate(results)}
    if by:
        # The helper differentiates %y0.
        weights = uniform(99, 0.5, 1.5, *results[main].shape, dtype=results[main].dtype)
        feeds["r"] = weights
        text += "\n" + gradient_text(operands, weights, by).replace("%y0", f"%y{main}")
        for which in by:
            fetches["d" + LETTERS[which]] = gradient_fetch(
                lambda *v: reference(*v)[main], operands, which, weights, 1e-4,
                gradient_norm)
    outputs = {f: type_of(results[int(f[1:])]) if f[0] == "y" else
               type_of(operands[LETTERS.index(f[1:])]) for f in fetches}
    return Case(name, graph(name, feeds, text, outputs), feeds, fetches,
                gradient_of=("scan",) if by else ())


def rnn(xs, h, w, u):
    states = []
    for x in xs:
        h = np.tanh(h @ w + x @ u)
        states.append(h)
    return h, np.stack(states)


def rnn_cases():
    """A recurrent layer, whose weights and inputs have gradients of all steps."""
    for number, (steps, rows, inputs, units, kind) in enumerate((
            (5, 3, 4, 6, np.float32), (1, 2, 3, 2, np.float32), (9, 1, 1, 1, np.float32),
            (3, 17, 5, 40, np.float32))):
        operands = [normal(number, steps, rows, inputs, dtype=kind),
                    normal(number + 20, rows, units, dtype=kind),
                    (0.4 * normal(number + 40, units, units, dtype=kind)).astype(kind),
                    (0.5 * normal(number + 60, inputs, units, dtype=kind)).astype(kind)]
        x, h, w, u = (type_of(o) for o in (operands[0][0], *operands[1:]))
        body = f"""
          %a1 = tfir.matmul %h0, %c : ({h}, {w}) -> {h}
          %b1 = tfir.matmul %x0, %d : ({x}, {u}) -> {h}
          %s = tfir.add %a1, %b1 : ({h}, {h}) -> {h}
          %t = tfir.tanh %s : ({h}) -> {h}"""
        for main in (0, 1):
            yield loop_case(f"rnn_{number}_{main}", operands, rnn, body, ("%t", "%t"),
                            (h, h), over=(0,), carry=(1,), by=(0, 1, 2, 3), main=main)


def counted(h, c):
    for i in range(7):
        h = np.sin(h) * c + i
    return (h,)


def counted_cases():
    """Steps alone, with their numbers."""
    operands = [normal(1, 4, 5), normal(2, 5)]
    h, c = (type_of(o) for o in operands)
    body = f"""
      %n = tfir.cast %i : (tensor<i32>) -> tensor<f32>
      %s = tfir.sin %h0 : ({h}) -> {h}
      %m = tfir.mul %s, %b : ({h}, {c}) -> {h}
      %t = tfir.add %m, %n : ({h}, tensor<f32>) -> {h}"""
    yield loop_case("counted", operands, counted, body, ("%t",), (h,), carry=(0,),
                    steps=7, by=(0, 1))
    # What changes places, of types without gradients.
    for kind in (np.int32, np.int64, np.uint8):
        pair = [integers(3, 0, 5, 6, dtype=kind), integers(4, 0, 5, 6, dtype=kind)]
        t = type_of(pair[0])

        def fibonacci(a, b):
            rows = []
            for _ in range(6):
                a, b = b, a + b
                rows.append(a)
            return a, b, np.stack(rows)
        yield loop_case(f"fibonacci_{kind.__name__}", pair, fibonacci,
                        f"%s = tfir.add %h0, %h1 : ({t}, {t}) -> {t}",
                        ("%h1", "%s", "%h1"), (t, t, t), carry=(0, 1), steps=6, norm=0)
    # A carried value that a step leaves alone, or replaces by one from outside.
    pair = [normal(5, 3), normal(6, 3)]
    t = type_of(pair[0])
    yield loop_case("kept", pair, lambda a, b: (a, b), "", ("%h0", "%b"), (t, t),
                    carry=(0, 1), steps=3, norm=0)


def map_cases():
    """Nothing is carried; several inputs, of which one may be of bools."""
    xs, ys = normal(1, 4, 3, 2), normal(2, 4, 2)
    x, y = type_of(xs[0]), type_of(ys[0])
    body = f"""
      %e = tfir.exp %x0 : ({x}) -> {x}
      %m = tfir.mul %e, %x1 : ({x}, {y}) -> {x}
      %s = tfir.sum %m {{axes = array<i64: 0>}} : ({x}) -> {y}"""
    yield loop_case("map", [xs, ys], lambda a, b: (
        (np.exp(a) * b[:, None]).sum(1), np.exp(a) * b[:, None]), body, ("%s", "%m"),
        (y, x), over=(0, 1), by=(0, 1), norm=1e-6)
    h, mask = normal(3, 2), np.array([1, 0, 0, 1], bool)

    def kept(a, m, s):
        for step, keep in zip(a, m):
            s = np.where(keep, s + step, s)
        return (s,)
    body = f"""
      %s = tfir.add %h0, %x0 : ({y}, {y}) -> {y}
      %t = tfir.select %x1, %s, %h0 : (tensor<i1>, {y}, {y}) -> {y}"""
    yield loop_case("masked", [ys, mask, h], kept, body, ("%t",), (y,), over=(0, 1),
                    carry=(2,), by=(0, 2), norm=1e-6)


def nested_case():
    """A loop in a loop, with a number of each."""
    operands = [normal(1, 3, 4), normal(2, 4)]
    h = type_of(operands[1])

    def reference(xs, s):
        rows = []
        for n, row in enumerate(xs):
            for k in range(3):
                s = np.cos(s) * row + k * n
            rows.append(s)
        return s, np.stack(rows)
    body = f"""
      %v = tfir.scan steps 3 carry(%h0) : ({h}) -> {h} {{
      ^bb0(%k: tensor<i32>, %g: {h}):
        %n = tfir.mul %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i32>
        %f = tfir.cast %n : (tensor<i32>) -> tensor<f32>
        %p = tfir.cos %g : ({h}) -> {h}
        %q = tfir.mul %p, %x0 : ({h}, {h}) -> {h}
        %t = tfir.add %q, %f : ({h}, tensor<f32>) -> {h}
        tfir.yield %t : {h}
      }}"""
    return loop_case("nested", operands, reference, body, ("%v", "%v"), (h, h), over=(0,),
                     carry=(1,), by=(0, 1), main=1)


def choice_case(name, operands, reference, sides, dtypes, by=(), norm=1e-6):
    """A choice by the first operand. `sides` are the ops of both bodies and what they
    yield; operands are `%a`, `%b` and so on."""
    with np.errstate(all="ignore"):
        results = reference(*[wide(o) for o in operands])
    results = [np.asarray(r).astype(d) for r, d in zip(results, dtypes)]
    types = ", ".join(type_of(r) for r in results)
    bodies = [f"{ops}\ntfir.yield {', '.join(gives)} : {types}" for ops, gives in sides]
    left = ", ".join(f"%y{n}" for n in range(len(results)))
    text = (f"{left} = tfir.if %a : (tensor<i1>) -> ({types}) {{\n{bodies[0]}\n}} else {{\n"
            f"{bodies[1]}\n}}")
    feeds = {LETTERS[i]: o for i, o in enumerate(operands)}
    fetches = {f"y{n}": Fetch(r, norm) for n, r in enumerate(results)}
    outputs = {f"y{n}": type_of(r) for n, r in enumerate(results)}
    if by:
        weights = uniform(98, 0.5, 1.5, *results[0].shape, dtype=results[0].dtype)
        feeds["r"] = weights
        text += "\n" + gradient_text(operands, weights, by)
        for which in by:
            key = "d" + LETTERS[which]
            fetches[key] = gradient_fetch(reference, operands, which, weights, 1e-4, 2e-5)
            outputs[key] = type_of(operands[which])
    return Case(name, graph(name, feeds, text, outputs), feeds, fetches,
                gradient_of=("if",) if by else ())


def choice_cases():
    """Both sides; what the other one would make is NaN, as are its slopes."""
    for taken in (True, False):
        # The logarithm and the root of numbers that have none, unless they are taken.
        x = normal(1, 3, 5)
        x = np.abs(x) + np.float32(0.3) if taken else -np.abs(x) * (x > 0)
        operands = [np.array(taken), x.astype(np.float32), normal(2, 5)]
        t, u = type_of(x.astype(np.float32)), type_of(operands[2])
        sides = ((f"""%l = tfir.log %b : ({t}) -> {t}
                      %q = tfir.sqrt %b : ({t}) -> {t}
                      %s = tfir.mul %l, %q : ({t}, {t}) -> {t}""", ("%s",)),
                 (f"%s = tfir.mul %b, %c : ({t}, {u}) -> {t}", ("%s",)))
        yield choice_case(f"guarded_{taken}", operands,
                          lambda a, b, c: (np.log(b) * np.sqrt(b) if a else b * c,),
                          sides, [np.float32], by=(1, 2))
        # Values of other types, and of outside.
        operands = [np.array(taken), integers(3, 0, 9, 4), integers(4, 0, 2, 4).astype(bool),
                    normal(5, 2, dtype=np.float64)]
        n, b = type_of(operands[1]), type_of(operands[2])
        sides = ((f"""%m = tfir.neg %b : ({n}) -> {n}
                      %k = tfir.logical_not %c : ({b}) -> {b}""", ("%m", "%k", "%d")),
                 ("", ("%b", "%c", "%d")))
        yield choice_case(f"types_{taken}", operands,
                          lambda a, b, c, d: (-b if a else b, ~c if a else c, d), sides,
                          [np.int32, bool, np.float64])
    yield choices_in_loop()


def choices_in_loop():
    """A choice in each step, by what the step before made."""
    operands = [normal(6, 6, dtype=np.float32), np.array(0.7, np.float32)]
    h = type_of(operands[1])

    def reference(xs, s):
        rows = []
        for x in xs:
            s = s * 0.5 + x if s > 0.5 else np.exp(s) - x * s
            rows.append(s)
        return s, np.stack(rows)
    body = f"""
      %half = tfir.const dense<0.5> : {h}
      %c = tfir.greater %h0, %half : ({h}, {h}) -> tensor<i1>
      %t = tfir.if %c : (tensor<i1>) -> {h} {{
        %m = tfir.mul %h0, %half : ({h}, {h}) -> {h}
        %n = tfir.add %m, %x0 : ({h}, {h}) -> {h}
        tfir.yield %n : {h}
      }} else {{
        %m = tfir.exp %h0 : ({h}) -> {h}
        %n = tfir.mul %x0, %h0 : ({h}, {h}) -> {h}
        %k = tfir.sub %m, %n : ({h}, {h}) -> {h}
        tfir.yield %k : {h}
      }}"""
    return loop_case("choices_in_loop", operands, reference, body, ("%t", "%t"), (h, h),
                     over=(0,), carry=(1,), by=(0, 1), main=1)


def recompute_cases():
    """Two bodies, one in the other's way back; what they yield is fetched, too."""
    kind = np.float32
    for number, (rows, units) in enumerate(((3, 4), (1, 1), (70, 256))):
        operands = [normal(number, rows, units),
                    (normal(number + 20, units, units) / units).astype(kind)]
        x, w = (type_of(o) for o in operands)
        body = "".join(f"""
          %y{2 - n}, %s{n} = tfir.recompute : () -> ({x}, {x}) {{
            %m{n} = tfir.matmul {given}, %b : ({x}, {w}) -> {x}
            %t{n} = tfir.tanh %m{n} : ({x}) -> {x}
            %q{n} = tfir.mul %t{n}, {given} : ({x}, {x}) -> {x}
            %z{n} = tfir.sin %q{n} : ({x}) -> {x}
            tfir.yield %z{n}, %q{n} : {x}, {x}
          }}""" for n, given in ((1, "%a"), (2, "%y1")))

        def reference(a, b):
            found = []
            for _ in range(2):
                q = np.tanh(a @ b) * a
                a = np.sin(q)
                found = [a, *found, q]
            return found
        with np.errstate(all="ignore"):
            results = [np.asarray(r).astype(kind)
                       for r in reference(*[wide(o) for o in operands])]
        weights = uniform(99, 0.5, 1.5, rows, units)
        text = body + "\n" + gradient_text(operands, weights, (0, 1))
        feeds = {"a": operands[0], "b": operands[1], "r": weights}
        names = ["y0", "y1", "s1", "s2"]
        fetches = {name: Fetch(r, 2e-6) for name, r in zip(names, results)}
        for which in (0, 1):
            fetches["d" + LETTERS[which]] = gradient_fetch(
                lambda *v: reference(*v)[0], operands, which, weights, 1e-5, 2e-5)
        outputs = {name: x for name in (*names, "da")} | {"db": w}
        yield Case(f"recompute_{number}", graph(f"recompute_{number}", feeds, text, outputs),
                   feeds, fetches, gradient_of=("recompute",))


def by_hand(name, operands, values, of, body, reference, gradients, norm=0.0):
    """A graph with `tfir.custom_gradient` of what `values` are; `%y0` is the first
    result. `gradients` maps the weights and the operands to what must come out: no
    differences tell it."""
    results = [r.astype(operands[0].dtype) for r in reference(*operands)]
    types = [type_of(r) for r in results]
    weights = uniform(97, -1.5, 1.5, *results[0].shape, dtype=results[0].dtype)
    arguments = ", ".join(f"%g{n}: {t}" for n, t in enumerate(types))
    wanted = [operands[i] for i in of]
    lines, yielded = body
    text = (f"{values[0]}\n{', '.join(f'%y{n}' for n in range(len(types)))} = "
            f"tfir.custom_gradient({', '.join(values[1:])}) "
            f"of({', '.join('%' + LETTERS[i] for i in of)}) : "
            f"({', '.join(types + [type_of(w) for w in wanted])}) -> "
            f"({', '.join(types)}) {{\n^bb0({arguments}):\n{lines}\n"
            f"tfir.yield {', '.join(yielded)} : {', '.join(type_of(w) for w in wanted)}\n}}\n"
            + gradient_text(operands, weights, of))
    feeds = {LETTERS[i]: o for i, o in enumerate(operands)} | {"r": weights}
    fetches = {f"y{n}": Fetch(r, norm) for n, r in enumerate(results)}
    found = gradients(weights, *operands)
    fetches |= {"d" + LETTERS[i]: Fetch(g.astype(operands[i].dtype), norm)
                for i, g in zip(of, found)}
    outputs = {f"y{n}": t for n, t in enumerate(types)}
    outputs |= {"d" + LETTERS[i]: type_of(operands[i]) for i in of}
    return Case(name, graph(name, feeds, text, outputs), feeds, fetches,
                gradient_of=("custom_gradient",))


def custom_gradient_cases():
    """A straight-through estimator, a gradient that is clipped, one of two values with what
    the forward pass has made, and one of several operands."""
    for kind in (np.float32, np.float64):
        x = (3 * normal(1, 4, 5, dtype=kind)).astype(kind)
        t, s = type_of(x), type_of(x[0, 0])
        yield by_hand(f"straight_through_{kind.__name__}", [x],
                      (f"%q = tfir.round %a : ({t}) -> {t}", "%q"), (0,), ("", ("%g0",)),
                      lambda a: (np.round(a),), lambda r, a: (r,))
        yield by_hand(f"clipped_{kind.__name__}", [x], ("", "%a"), (0,), (f"""
            %l = tfir.const dense<-0.5> : {s}
            %h = tfir.const dense<0.25> : {s}
            %c = tfir.clip_by_value %g0, %l, %h : ({t}, {s}, {s}) -> {t}""", ("%c",)),
                      lambda a: (a,), lambda r, a: (np.clip(r, -0.5, 0.25),))
    pair = [normal(2, 3, 7), uniform(3, 0.5, 2.0, 3, 7)]
    t = type_of(pair[0])
    # The second value is differentiated by nothing: its gradient is zeros.
    yield by_hand("residuals", pair, (f"""
        %e = tfir.exp %a : ({t}) -> {t}
        %m = tfir.mul %e, %b : ({t}, {t}) -> {t}""", "%m", "%e"), (0, 1), (f"""
        %s = tfir.add %g0, %g1 : ({t}, {t}) -> {t}
        %u = tfir.mul %s, %e : ({t}, {t}) -> {t}
        %v = tfir.neg %u : ({t}) -> {t}""", ("%u", "%v")),
        lambda a, b: (np.exp(wide(a)) * b, np.exp(wide(a))),
        lambda r, a, b: (r * np.exp(wide(a)), -r * np.exp(wide(a))), norm=1e-6)


def barrier_cases():
    """A value that waits for another one; nothing of the one waited for is seen."""
    for name, operands in (("small", [normal(1, 3, 4), normal(2, 5)]),
                           ("large", [normal(3, 200, 300), normal(4, 100, 400)]),
                           ("integers", [integers(5, 0, 9, 6), normal(6)]),
                           ("bools", [integers(7, 0, 2, 6).astype(bool), normal(8, 2)])):
        a, b = (type_of(o) for o in operands)
        isFloat = operands[0].dtype == np.float32
        op = "sin" if isFloat else "identity"
        text = (f"%w = tfir.exp %b : ({b}) -> {b}\n"
                f"%k = tfir.optimization_barrier %a, %w : ({a}, {b}) -> {a}\n")
        if operands[0].dtype != bool:
            text += f"%y0 = tfir.{op} %k : ({a}) -> {a}\n"
        else:
            text += f"%y0 = tfir.logical_not %k : ({a}) -> {a}\n"
        feeds = {"a": operands[0], "b": operands[1]}
        want = (np.sin(operands[0]) if isFloat else
                ~operands[0] if operands[0].dtype == bool else operands[0])
        fetches = {"y0": Fetch(want, 1e-6 if isFloat else 0), "k": Fetch(operands[0], 0),
                   "w": Fetch(np.exp(operands[1]), 1e-6)}
        outputs = {"y0": a, "k": a, "w": b}
        if isFloat:
            weights = uniform(9, 0.5, 1.5, *operands[0].shape)
            feeds["r"] = weights
            text += gradient_text(operands, weights, (0,))
            fetches["da"] = Fetch((np.cos(operands[0]) * weights).astype(np.float32), 1e-6)
            outputs["da"] = a
        yield Case("barrier_" + name, graph("barrier_" + name, feeds, text, outputs), feeds,
                   fetches, gradient_of=("optimization_barrier",) if isFloat else ())


def cases():
    return [*rnn_cases(), *counted_cases(), *map_cases(), nested_case(),
            *choice_cases(), *recompute_cases(), *custom_gradient_cases(),
            *barrier_cases()]


if __name__ == "__main__":
    harness.main(cases())
