#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""By what the values of random programs can be differentiated.

    generator_rules.py COUNT    graphs of a family each; exits 1 where a rule is broken

A gradient is asked for by the sources of a value alone, so an operand that a result
does not follow from must not be among them.
"""
import re
import sys

import generator
from values import FLOATS

LINE = re.compile(r"(%.*?) = tfir\.(\w+) ([^{:]*?) (?:\{(.*?)\} )?: ")


def own_sources(value, operands):
    """Sources of the value that come from these operands."""
    return set().union(*[v.sources for v in operands]) & value.sources


def only(value, operands, allowed):
    """True where nothing but the allowed operands, by place, is among the sources."""
    others = [v for i, v in enumerate(operands) if i not in allowed]
    from_allowed = set().union(*[operands[i].sources for i in allowed])
    return not own_sources(value, others) - from_allowed


def lstm_cell(results, operands, attributes):
    """The state follows neither from the output's peephole nor from the projection."""
    projected = results[1].shape != results[0].shape or len(operands) in (6, 9)
    made_of_c = [i for i in range(len(operands) - projected) if i != 7]
    return only(results[0], operands, made_of_c)


def linspace(results, operands, attributes):
    """One number does not follow from where it would end."""
    return "num = 1 :" not in attributes or only(results[0], operands, [0])


def bitcast(results, operands, attributes):
    """There is no gradient between floats."""
    return operands[0].element not in FLOATS or results[0].element not in FLOATS


def fused_batch_norm(results, operands, attributes):
    """Mean and variance follow from what is normalised alone."""
    return all(only(v, operands, [0]) for v in results[1:])


def meshgrid(results, operands, attributes):
    return all(only(v, operands, [i]) for i, v in enumerate(results))


# Families that make the op, and what must hold.
RULES = {"lstm_cell": ("cell", lstm_cell), "linspace": ("grid", linspace),
         "bitcast": ("bitcast", bitcast),
         "fused_batch_norm": ("_batch_moments", fused_batch_norm),
         "meshgrid": ("_meshgrid", meshgrid)}


def check(op, family, holds, count):
    """The number of ops that were checked; raises AssertionError at one that breaks."""
    checked = 0
    for seed in range(count):
        program = generator.Program(seed, size=1)
        graph = generator.Graph(program, "rules")
        for _ in range(6):
            getattr(graph, family)()
        by_name = {v.name: v for v in graph.values}
        for line in graph.lines:
            made = LINE.match(line)
            if not made or made[2] != op:
                continue
            results, operands = ([by_name[name] for name in re.findall(r"%\w+", text)]
                                 for text in (made[1], made[3]))
            assert holds(results, operands, made[4] or ""), f"seed {seed}: {line}"
            checked += 1
    return checked


def main():
    for op, (family, holds) in RULES.items():
        checked = check(op, family, holds, int(sys.argv[1]))
        assert checked, f"no {op} was made"
        print(f"{checked} of {op} keep the rule")


if __name__ == "__main__":
    main()
