#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that cannot be placed: is what graphc-opt names a smallest set of
constraints that contradict each other?

  conflicts.py KERNELS COUNT

makes COUNT graphs with one contradiction, and as many with several. For each it
reads the constraints from the notes of the error and checks, by compiling and by
trying all devices here, that

- these constraints alone cannot be met, but can without any one of them;
- no smaller set of the same group of ops contradicts itself;
- with one contradiction only, the whole graph without any one of them can be
  placed, too.
"""
import itertools
import random
import re
import subprocess
import sys

DEVICES = ["/gpu:0", "/gpu:1", "/cpu:0", "/cpu:1"]
PINS = DEVICES + ["/gpu:*", "/cpu:*"]
SUFFIX = {"gpu": "Gpu", "cpu": "Cpu"}


class Graph:
    """Ops with constraints: ("pin", op), ("kernel", op), ("near", op, other)
    for colocate_with, ("ref", op, other) for a use of the resource `other`."""

    def __init__(self, rng):
        self.pins, self.kernels, self.constraints = {}, {}, []
        count = rng.randint(3, 9)
        self.handles = [f"h{i}" for i in range(rng.randint(0, 2))]
        self.uses = {}
        self.ops = list(self.handles)
        for i in range(count):
            op = f"n{i}"
            if self.handles and rng.random() < 0.3:
                self.uses[op] = rng.sample(self.handles,
                                           rng.randint(1, len(self.handles)))
                self.constraints += [("ref", op, h) for h in self.uses[op]]
            self.ops.append(op)
        for op in self.ops:
            # What uses a resource gives in to it, so its pins are no conflict.
            if op not in self.uses and rng.random() < 0.4:
                self.pins[op] = rng.choice(PINS)
                self.constraints.append(("pin", op))
            kinds = ["gpu"] if op in self.uses else ["gpu", "cpu"]
            single = len(self.uses.get(op, [])) < 2
            if rng.random() < 0.2 and single:
                self.kernels[op] = rng.choice(kinds)
                self.constraints.append(("kernel", op))
        for op in self.ops:
            for other in rng.sample(self.ops, rng.choice([0, 1, 1, 2])):
                if other != op:
                    self.constraints.append(("near", op, other))

    def text(self, constraints):
        lines = ["tfir.graph @g(%x: tensor<f32>) {"]
        for op in self.ops:
            used = [c[2] for c in constraints if c[:2] == ("ref", op)]
            kind = "Handle" if op in self.handles else "Relu"
            operands = [] if op in self.handles else ["%x"]
            if used:
                kind = "Use" if len(used) == 1 else "UseBoth"
                operands = [f"%{h}" for h in used]
            if ("kernel", op) in constraints:
                kind += SUFFIX[self.kernels[op]]
            attrs = [f'name = "{op}"']
            if ("pin", op) in constraints:
                attrs.append(f'device = #tfir.device<"{self.pins[op]}">')
            near = [f'"{c[2]}"' for c in constraints if c[:2] == ("near", op)]
            if near:
                attrs.append(f'colocate_with = [{", ".join(near)}]')
            types = ", ".join(["tensor<f32>"] * len(operands))
            lines.append(f'  %{op} = tfir.custom "{kind}"({", ".join(operands)}'
                         f') {{{", ".join(attrs)}}} : ({types}) -> tensor<f32>')
        return lines + ["}"]

    def find(self, constraints):
        """What stands for the ops that constraints link with an op."""
        group = {op: op for op in self.ops}

        def find(op):
            while group[op] != op:
                op = group[op]
            return op

        for c in constraints:
            if len(c) == 3:
                group[find(c[1])] = find(c[2])
        return find

    def can_meet(self, constraints):
        """By trying: every set of linked ops needs a device."""
        find = self.find(constraints)
        free = {op: set(DEVICES) for op in self.ops}
        for c in constraints:
            wanted = self.pins[c[1]] if c[0] == "pin" else None
            if c[0] == "kernel":
                wanted = f"/{self.kernels[c[1]]}:*"
            if wanted:
                free[find(c[1])] &= {d for d in DEVICES
                                     if d == wanted or wanted[-1] == "*"
                                     and d[:5] == wanted[:5]}
        return all(free[find(op)] for op in self.ops)

    def smaller(self, names):
        """A smaller contradiction in the group that `names` are of, or None."""
        find = self.find(self.constraints)
        group = [c for c in self.constraints
                 if find(c[1]) == find(names[0][1])]
        for size in range(1, len(names)):
            for some in itertools.combinations(group, size):
                if not self.can_meet(some):
                    return some
        return None


def without(constraints, one):
    return [c for c in constraints if c != one]


def parse(note):
    for kind, pattern in (("pin", r"'(\w+)' \(\w+\) requests '.*; fix: "),
                          ("kernel", r"'(\w+)' \(\w+\) has kernels for "),
                          ("near", r"'(\w+)' \(\w+\) is colocated with '(\w+)'"),
                          ("ref", r"'(\w+)' \(\w+\) refers to the resource of "
                                  r"'(\w+)'")):
        found = re.match(pattern, note)
        if found:
            return (kind,) + found.groups()
    return None


def place(kernels, texts):
    """Of each graph the constraints that its first error names; None if it can
    be placed."""
    lines, starts = [], []
    for text in texts:
        starts.append(len(lines) + 1)
        lines += text + ["// -----"]
    process = subprocess.run(
        ["graphc-opt", "--tfir-declare-devices=devices=gpu:0-1,cpu:0-1",
         f"--tfir-place=kernels={kernels}", "--split-input-file", "-o", "/dev/null"],
        input="\n".join(lines), capture_output=True, text=True)
    found = [None] * len(texts)
    current = None
    for line in process.stderr.splitlines():
        at = re.match(r"[^:]*:(\d+):\d+: (error|note|warning): (.*)", line)
        if not at:
            continue
        if at[2] == "error":
            index = max(i for i, s in enumerate(starts) if s <= int(at[1]))
            # Errors of one graph after its first are about other groups.
            current = [] if found[index] is None else None
            if current is not None:
                found[index] = current
        elif at[2] == "note" and current is not None and parse(at[3]):
            current.append(parse(at[3]))
    assert process.returncode in (0, 1), process.stderr
    return found


def main(kernels, count):
    rng = random.Random(7)
    single, several = [], []
    while len(single) < count or len(several) < count:
        graph = Graph(rng)
        if graph.can_meet(graph.constraints):
            continue
        needed = [c for c in graph.constraints
                  if graph.can_meet(without(graph.constraints, c))]
        kind = several if graph.can_meet(needed) else single
        if len(kind) < count and 2 <= len(graph.constraints) <= 14:
            kind.append(graph)
    graphs = single + several
    reported = place(kernels, [g.text(g.constraints) for g in graphs])

    cases = []  # graph, its constraints, whether they can be met, why
    for number, (graph, names) in enumerate(zip(graphs, reported)):
        assert names, f"graph {number} is placed, or nothing is named"
        strangers = set(names) - set(graph.constraints)
        assert not strangers, f"graph {number} has no {strangers}"
        assert len(set(names)) == len(names), f"graph {number}: {names}"
        assert graph.smaller(names) is None, (
            f"graph {number}: {names}, but {graph.smaller(names)} is smaller")
        cases.append((graph, names, False, "alone"))
        for one in names:
            cases.append((graph, without(names, one), True, f"without {one}"))
            if number < count:
                cases.append((graph, without(graph.constraints, one), True,
                              f"whole without {one}"))
    placed = place(kernels, [g.text(c) for g, c, _, _ in cases])
    for (graph, constraints, expected, why), names in zip(cases, placed):
        text = "\n".join(graph.text(constraints))
        assert graph.can_meet(constraints) == expected, f"{why}\n{text}"
        assert (names is None) == expected, f"{why}: {names}\n{text}"
    sizes = [len(names) for names in reported]
    print(f"{len(graphs)} graphs, {len(cases)} removals, contradictions of "
          f"{min(sizes)} to {max(sizes)} constraints")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
