# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that end by a condition, and choices of which one side is computed."""
import numpy as np

import harness
from harness import Case, Fetch, graph, type_of
from opcases import integers, normal, uniform, wide


def arguments_of(words, operands):
    """The arguments of a body: what `words` has, then `%k0` and so on for operands."""
    return ", ".join([*words, *(f"%k{n}: {type_of(o)}" for n, o in enumerate(operands))])


def made_case(name, text, operands, results, norm):
    feeds = {f"in{n}": o for n, o in enumerate(operands)}
    fetches = {f"y{n}": Fetch(r, norm) for n, r in enumerate(results)}
    outputs = {f"y{n}": type_of(r) for n, r in enumerate(results)}
    return Case(name, graph(name, feeds, text, outputs), feeds, fetches)


def while_case(name, carried, captured, reference, condition, body, gives, limit=100,
               norm=1e-6):
    """A loop. In its bodies, `%i` is the number of the step, `%h0` and so on are carried,
    `%k0` and so on captured; `condition` makes `%go`, and `gives` are the next values.
    `reference` gives the results of NumPy's numbers, in wide types."""
    operands = [*carried, *captured]
    with np.errstate(all="ignore"):
        results = reference(*[wide(o) for o in operands])
    results = [np.asarray(r).astype(o.dtype) for r, o in zip(results, carried)]
    names = [f"%in{n}" for n in range(len(operands))]
    words = ["%i: tensor<i32>", *(f"%h{n}: {type_of(o)}" for n, o in enumerate(carried))]
    head = f"^bb0({arguments_of(words, captured)}):"
    outer = ", ".join(type_of(r) for r in results)
    kept = f" with({', '.join(names[len(carried):])})" if captured else ""
    text = (f"{', '.join(f'%y{n}' for n in range(len(results)))} = tfir.while "
            f"carry({', '.join(names[:len(carried)])}){kept} limit {limit} : "
            f"({', '.join(type_of(o) for o in operands)}) -> ({outer}) {{\n"
            f"{head}\n{condition}\ntfir.yield %go : tensor<i1>\n}} do {{\n"
            f"{head}\n{body}\ntfir.yield {', '.join(gives)} : {outer}\n}}")
    return made_case(name, text, operands, results, norm)


def newton_cases():
    """Square roots: of one number, and of several until the last is found."""
    for number, a in enumerate((2.0, 1e6, 0.25, 0.0)):
        for kind in (np.float32, np.float64):
            pair = [np.array(a, kind), np.array(a, kind)]
            t = type_of(pair[0])

            def root(x, a):
                while abs(x * x - a) > 1e-3 * a:
                    x = 0.5 * (x + a / x)
                return (x,)
            yield while_case(
                f"newton_{number}_{kind.__name__}", pair[:1], pair[1:], root, f"""
                %t = tfir.const dense<1.0e-3> : {t}
                %q = tfir.mul %h0, %h0 : ({t}, {t}) -> {t}
                %d = tfir.sub %q, %k0 : ({t}, {t}) -> {t}
                %v = tfir.abs %d : ({t}) -> {t}
                %m = tfir.mul %t, %k0 : ({t}, {t}) -> {t}
                %go = tfir.greater %v, %m : ({t}, {t}) -> tensor<i1>""", f"""
                %half = tfir.const dense<0.5> : {t}
                %d = tfir.div %k0, %h0 : ({t}, {t}) -> {t}
                %s = tfir.add %h0, %d : ({t}, {t}) -> {t}
                %n = tfir.mul %half, %s : ({t}, {t}) -> {t}""", ("%n",))
    many = uniform(1, 0.5, 40, 3, 5)
    t, b, one = type_of(many), "tensor<3x5xi1>", "tensor<f32>"

    def roots(x, a):
        while (np.abs(x * x - a) > 1e-2 * a).any():
            x = 0.5 * (x + a / x)
        return (x,)
    yield while_case("newton_many", [many], [many], roots, f"""
        %t = tfir.const dense<1.0e-2> : {one}
        %q = tfir.mul %h0, %h0 : ({t}, {t}) -> {t}
        %d = tfir.sub %q, %k0 : ({t}, {t}) -> {t}
        %v = tfir.abs %d : ({t}) -> {t}
        %m = tfir.mul %t, %k0 : ({one}, {t}) -> {t}
        %c = tfir.greater %v, %m : ({t}, {t}) -> {b}
        %go = tfir.any %c : ({b}) -> tensor<i1>""", f"""
        %half = tfir.const dense<0.5> : {t}
        %d = tfir.div %k0, %h0 : ({t}, {t}) -> {t}
        %s = tfir.add %h0, %d : ({t}, {t}) -> {t}
        %n = tfir.mul %half, %s : ({t}, {t}) -> {t}""", ("%n",))


def collatz_cases():
    """Whole numbers, of which a step chooses; more steps than some limit, and none."""
    for start in (1, 7, 27, 97):
        for kind in (np.int32, np.int64):
            for limit in (200, 16):
                pair = [np.array(start, kind), np.array(0, np.int32)]
                t, c = type_of(pair[0]), "tensor<i32>"

                def length(n, count):
                    while n != 1 and count < limit:
                        n = n // 2 if n % 2 == 0 else 3 * n + 1
                        count = count + 1
                    return n, count
                yield while_case(
                    f"collatz_{start}_{kind.__name__}_{limit}", pair, [], length, f"""
                    %one = tfir.const dense<1> : {t}
                    %go = tfir.not_equal %h0, %one : ({t}, {t}) -> tensor<i1>""", f"""
                    %one = tfir.const dense<1> : {t}
                    %two = tfir.const dense<2> : {t}
                    %three = tfir.const dense<3> : {t}
                    %zero = tfir.const dense<0> : {t}
                    %r = tfir.floormod %h0, %two : ({t}, {t}) -> {t}
                    %e = tfir.equal %r, %zero : ({t}, {t}) -> tensor<i1>
                    %n = tfir.cond %e with(%h0, %one, %two, %three)
                        : (tensor<i1>, {t}, {t}, {t}, {t}) -> {t} {{
                    ^bb0(%n0: {t}, %n1: {t}, %n2: {t}, %n3: {t}):
                      %f = tfir.floordiv %n0, %n2 : ({t}, {t}) -> {t}
                      tfir.yield %f : {t}
                    }} else {{
                    ^bb0(%n0: {t}, %n1: {t}, %n2: {t}, %n3: {t}):
                      %p = tfir.mul %n0, %n3 : ({t}, {t}) -> {t}
                      %f = tfir.add %p, %n1 : ({t}, {t}) -> {t}
                      tfir.yield %f : {t}
                    }}
                    %l = tfir.const dense<1> : {c}
                    %m = tfir.add %h1, %l : ({c}, {c}) -> {c}""", ("%n", "%m"),
                    limit=limit, norm=0)


def power_cases():
    """The largest eigenvalue, by products, until it stays; and a fixed number of them."""
    for size in (1, 5, 33):
        a = np.abs(normal(size, size, size)) / np.float32(size) + np.eye(
            size, dtype=np.float32)
        v, change = np.ones((size, 1), np.float32), np.array(1, np.float32)
        m, t = type_of(a), type_of(v)

        def eigenvalue(v, value, last, a):
            while abs(value - last) > 1e-3 * abs(value):
                w = a @ v
                last, value = value, np.sqrt((w * w).sum())
                v = w / value
            return v, value, last
        yield while_case(f"power_{size}", [v, change, np.array(0, np.float32)], [a],
                         eigenvalue, """
            %d = tfir.sub %h1, %h2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
            %p = tfir.abs %d : (tensor<f32>) -> tensor<f32>
            %e = tfir.const dense<1.0e-3> : tensor<f32>
            %q = tfir.abs %h1 : (tensor<f32>) -> tensor<f32>
            %r = tfir.mul %e, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
            %go = tfir.greater %p, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>""", f"""
            %w = tfir.matmul %k0, %h0 : ({m}, {t}) -> {t}
            %s = tfir.mul %w, %w : ({t}, {t}) -> {t}
            %u = tfir.sum %s : ({t}) -> tensor<f32>
            %n = tfir.sqrt %u : (tensor<f32>) -> tensor<f32>
            %v = tfir.div %w, %n : ({t}, tensor<f32>) -> {t}""", ("%v", "%n", "%h1"),
            norm=1e-3)
        for steps in (0, 1, 6):
            yield while_case(f"products_{size}_{steps}", [v], [a, np.array(steps, np.int32)],
                             lambda v, a, n: (np.linalg.matrix_power(a, int(n)) @ v,), """
                %go = tfir.less %i, %k1 : (tensor<i32>, tensor<i32>) -> tensor<i1>""",
                f"%w = tfir.matmul %k0, %h0 : ({m}, {t}) -> {t}", ("%w",), norm=1e-5)


LESS = """
    %go = tfir.less %i, %k0 : (tensor<i32>, tensor<i32>) -> tensor<i1>"""


def end_cases():
    """How a loop ends: at once, by its limit, by a NaN, after a number of steps that is
    fed; what it carries then."""
    for steps in (0, 1, 2, 5, 9):
        # Values change places; the limit is 7.
        for kind in (np.float32, np.float64, np.int32, np.int64, np.uint8, bool):
            pair = [integers(3, 0, 2, 6, dtype=np.uint8).astype(kind),
                    integers(4, 0, 2, 6, dtype=np.uint8).astype(kind)]
            t = type_of(pair[0])
            op = "logical_or" if kind is bool else "add"

            def swapped(a, b, n):
                for _ in range(min(int(n), 7)):
                    a, b = b, (a | b if kind is bool else a + b)
                return a, b
            yield while_case(f"swapped_{kind.__name__}_{steps}", pair,
                             [np.array(steps, np.int32)], swapped, LESS,
                             f"%s = tfir.{op} %h0, %h1 : ({t}, {t}) -> {t}",
                             ("%h1", "%s"), limit=7, norm=1e-6)
        # What a step leaves alone, and what comes from outside.
        x, y = normal(5, 4), normal(6, 4)
        t = type_of(x)
        yield while_case(f"kept_{steps}", [x, y, x], [np.array(steps, np.int32), y],
                         lambda a, b, c, n, o: (a, o if n else b, -c if n % 2 else c), LESS,
                         f"%m = tfir.neg %h2 : ({t}) -> {t}", ("%h0", "%k1", "%m"), norm=0)
    # A comparison with NaN does not hold: it ends the loop, or does not begin it.
    for number, start in enumerate((np.nan, 30.0, -1.0, np.inf)):
        t = "tensor<f32>"

        def shrunk(x):
            count = 0
            while x > 1 and count < 12:
                x = np.log(x) * x - x if x < np.inf else x - x
                count = count + 1
            return (x,)
        yield while_case(f"nan_{number}", [np.array(start, np.float32)], [], shrunk, f"""
            %one = tfir.const dense<1.0> : {t}
            %go = tfir.greater %h0, %one : ({t}, {t}) -> tensor<i1>""", f"""
            %l = tfir.log %h0 : ({t}) -> {t}
            %m = tfir.mul %l, %h0 : ({t}, {t}) -> {t}
            %n = tfir.sub %m, %h0 : ({t}, {t}) -> {t}""", ("%n",), limit=12, norm=1e-4)


def body_cases():
    """Ops of all forms in a body: shapes, reductions, gathers, convolutions, constants of
    several values, loops and choices that are written out, nothing at all."""
    n = np.array(3, np.int32)
    x = normal(1, 4, 6)
    t, u, v = type_of(x), "tensor<6x4xf32>", "tensor<24xf32>"

    def shaped(x, n):
        for _ in range(int(n)):
            x = np.concatenate([x.reshape(6, 4).T[1:], x[:1] + np.arange(6)]).reshape(4, 6)
            x = x[:, ::-1] / np.abs(x).max()
        return (x,)
    yield while_case("shapes", [x], [n], shaped, LESS, f"""
        %r = tfir.reshape %h0 : ({t}) -> {u}
        %p = tfir.transpose %r {{perm = array<i64: 1, 0>}} : ({u}) -> {t}
        %s = tfir.slice %p {{begin = array<i64: 1, 0>, size = array<i64: 3, -1>}} : ({t}) -> tensor<3x6xf32>
        %f = tfir.slice %h0 {{begin = array<i64: 0, 0>, size = array<i64: 1, -1>}} : ({t}) -> tensor<1x6xf32>
        %c = tfir.const dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<6xf32>
        %a = tfir.add %f, %c : (tensor<1x6xf32>, tensor<6xf32>) -> tensor<1x6xf32>
        %j = tfir.concat %s, %a {{axis = 0 : i64}}
            : (tensor<3x6xf32>, tensor<1x6xf32>) -> {t}
        %b = tfir.abs %j : ({t}) -> {t}
        %m = tfir.max %b : ({t}) -> tensor<f32>
        %d = tfir.div %j, %m : ({t}, tensor<f32>) -> {t}
        %q = tfir.reverse %d {{axis = array<i64: 1>}} : ({t}) -> {t}""", ("%q",))

    def normed(x, n):
        for _ in range(int(n)):
            e = np.exp(x - x.max(1, keepdims=True))
            x = (e / e.sum(1, keepdims=True))[[3, 1, 0, 1]] + x.mean(0)
        return (x,)
    yield while_case("rows", [x], [n], normed, LESS, f"""
        %s = tfir.softmax %h0 : ({t}) -> {t}
        %c = tfir.const dense<[3, 1, 0, 1]> : tensor<4xi32>
        %g = tfir.gather %s, %c {{axis = 0 : i64}} : ({t}, tensor<4xi32>) -> {t}
        %m = tfir.mean %h0 {{axes = array<i64: 0>}} : ({t}) -> tensor<6xf32>
        %a = tfir.add %g, %m : ({t}, tensor<6xf32>) -> {t}""", ("%a",), norm=1e-5)

    # Loops and choices of the other kind, and one loop in another.
    def nested(x, n):
        for i in range(int(n)):
            for k in range(2):
                x = np.sin(x) + k
            x = x + 1 if x.sum() > 20 else x * 2
            for j in range(i):
                x = np.cos(x) - j
        return (x,)
    yield while_case("nested", [x], [n], nested, LESS, f"""
        %a = tfir.scan steps 2 carry(%h0) : ({t}) -> {t} {{
        ^bb0(%k: tensor<i32>, %g: {t}):
          %f = tfir.cast %k : (tensor<i32>) -> tensor<f32>
          %s = tfir.sin %g : ({t}) -> {t}
          %q = tfir.add %s, %f : ({t}, tensor<f32>) -> {t}
          tfir.yield %q : {t}
        }}
        %m = tfir.sum %a : ({t}) -> tensor<f32>
        %w = tfir.const dense<20.0> : tensor<f32>
        %c = tfir.greater %m, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %b = tfir.if %c : (tensor<i1>) -> {t} {{
          %one = tfir.const dense<1.0> : {t}
          %q = tfir.add %a, %one : ({t}, {t}) -> {t}
          tfir.yield %q : {t}
        }} else {{
          %two = tfir.const dense<2.0> : {t}
          %q = tfir.mul %a, %two : ({t}, {t}) -> {t}
          tfir.yield %q : {t}
        }}
        %e = tfir.while carry(%b) with(%i) limit 9 : ({t}, tensor<i32>) -> {t} {{
        ^bb0(%j: tensor<i32>, %g: {t}, %l: tensor<i32>):
          %go = tfir.less %j, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>
          tfir.yield %go : tensor<i1>
        }} do {{
        ^bb0(%j: tensor<i32>, %g: {t}, %l: tensor<i32>):
          %f = tfir.cast %j : (tensor<i32>) -> tensor<f32>
          %s = tfir.cos %g : ({t}) -> {t}
          %q = tfir.sub %s, %f : ({t}, tensor<f32>) -> {t}
          tfir.yield %q : {t}
        }}""", ("%e",), norm=1e-5)

    image, kernel = normal(2, 1, 5, 5, 2), (normal(3, 3, 3, 2, 2) / 4).astype(np.float32)

    def convolved(x, n, k):
        for _ in range(int(n)):
            padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
            x = sum(padded[:, r:r + 5, c:c + 5] @ k[r, c] for r in range(3) for c in range(3))
        return (x,)
    g, k = type_of(image), type_of(kernel)
    yield while_case("convolution", [image], [n, kernel], convolved, LESS,
                     f'%q = tfir.conv2d %h0, %k1 {{padding = "SAME"}} : ({g}, {k}) -> {g}',
                     ("%q",), norm=1e-5)
    batch, weights = normal(4, 3, 4, 4), (normal(5, 4, 4) / 2).astype(np.float32)
    g, k = type_of(batch), type_of(weights)

    def multiplied(x, n, w):
        for _ in range(int(n)):
            x = np.tanh(x @ w.T) @ x
        return (x,)
    yield while_case("batches", [batch], [n, weights], multiplied, LESS, f"""
        %p = tfir.matmul %h0, %k1 {{transpose_b}} : ({g}, {k}) -> {g}
        %s = tfir.tanh %p : ({g}) -> {g}
        %q = tfir.matmul %s, %h0 : ({g}, {g}) -> {g}""", ("%q",), norm=1e-5)
    for size in (0, 90000):
        large = uniform(6, 0, 1, size)
        t = type_of(large)
        yield while_case(f"size_{size}", [large], [n], lambda x, n: (
            np.sqrt(np.sqrt(np.sqrt(x + 1) + 1) + 1),), LESS, f"""
            %one = tfir.const dense<1.0> : {t}
            %p = tfir.add %h0, %one : ({t}, {t}) -> {t}
            %q = tfir.sqrt %p : ({t}) -> {t}""", ("%q",))


def cond_case(name, operands, reference, sides, norm=1e-6):
    """A choice by the first operand; the others are `%k0` and so on in both bodies.
    `sides` are the ops of the bodies and what they yield."""
    with np.errstate(all="ignore"):
        results = reference(*[wide(o) for o in operands])
    results = [np.asarray(r).astype(d) for r, d in zip(results, sides[2])]
    outer = ", ".join(type_of(r) for r in results)
    names = [f"%in{n}" for n in range(len(operands))]
    bodies = [f"^bb0({arguments_of([], operands[1:])}):\n{ops}\n"
              f"tfir.yield {', '.join(gives)} : {outer}" for ops, gives in sides[:2]]
    text = (f"{', '.join(f'%y{n}' for n in range(len(results)))} = tfir.cond "
            f"{names[0]} with({', '.join(names[1:])}) : "
            f"({', '.join(type_of(o) for o in operands)}) -> ({outer}) {{\n"
            f"{bodies[0]}\n}} else {{\n{bodies[1]}\n}}")
    return made_case(name, text, operands, results, norm)


def cond_cases():
    """Both sides, of which the other one would be NaN, or take its time."""
    for taken in (True, False):
        x = np.abs(normal(1, 3, 5)) + np.float32(0.3)
        operands = [np.array(taken), x if taken else -x, normal(2, 5)]
        t, u = type_of(x), type_of(operands[2])
        yield cond_case(f"cond_{taken}", operands,
                        lambda a, b, c: (np.log(b) * np.sqrt(b) if a else b * c,), (
                            (f"""%l = tfir.log %k0 : ({t}) -> {t}
                                 %q = tfir.sqrt %k0 : ({t}) -> {t}
                                 %s = tfir.mul %l, %q : ({t}, {t}) -> {t}""", ("%s",)),
                            (f"%s = tfir.mul %k0, %k1 : ({t}, {u}) -> {t}", ("%s",)),
                            [np.float32]))
        operands = [np.array(taken), integers(3, 0, 9, 4),
                    integers(4, 0, 2, 4).astype(bool), normal(5, 2, dtype=np.float64)]
        n, b = type_of(operands[1]), type_of(operands[2])
        yield cond_case(f"cond_types_{taken}", operands,
                        lambda a, b, c, d: (-b if a else b, ~c if a else c, d), (
                            (f"""%m = tfir.neg %k0 : ({n}) -> {n}
                                 %l = tfir.logical_not %k1 : ({b}) -> {b}""",
                             ("%m", "%l", "%k2")),
                            ("", ("%k0", "%k1", "%k2")),
                            [np.int32, bool, np.float64]))
        # One loop in a side, whose number of steps is large if it is taken.
        operands = [np.array(taken), normal(6, 8)]
        t = type_of(operands[1])
        yield cond_case(f"cond_loop_{taken}", operands,
                        lambda a, b: (np.cos(b) if not a else b + 1000,), (
                            (f"""%r = tfir.while carry(%k0) limit 1000 : ({t}) -> {t} {{
                                 ^bb0(%i: tensor<i32>, %h: {t}):
                                   %go = tfir.const dense<true> : tensor<i1>
                                   tfir.yield %go : tensor<i1>
                                 }} do {{
                                 ^bb0(%i: tensor<i32>, %h: {t}):
                                   %one = tfir.const dense<1.0> : {t}
                                   %s = tfir.add %h, %one : ({t}, {t}) -> {t}
                                   tfir.yield %s : {t}
                                 }}""", ("%r",)),
                            (f"%s = tfir.cos %k0 : ({t}) -> {t}", ("%s",)),
                            [np.float32]), norm=1e-4)


def cases():
    return [*newton_cases(), *collatz_cases(), *power_cases(), *end_cases(), *body_cases(),
            *cond_cases()]


if __name__ == "__main__":
    harness.main(cases())
