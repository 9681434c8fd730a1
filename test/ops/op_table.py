# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of ops x what judges them, made of the cases that the tests run.

  op_table.py REPOSITORY --write   writes docs/op-table.md
  op_table.py REPOSITORY --check   exits 1 if the page there is another, or if a
                                   cell is empty without a reason

Numbers are counted in the programs themselves: what a family of test/ops makes,
the cases of test/dialects/tfir/*-invalid.mlir, the ops that
test/lib/autodiff/Inputs/finite_differences.py differentiates, and the ops that
random programs have (test/random)."""
import collections
import glob
import importlib
import os
import re
import sys

import coverage
import harness

# Why a cell is empty, by op. Each is a fact about the op, not about its tests.
SHOWS = "only shows: test/tools/graphc-run/summary-ops.test"
CHECKS = "only fails: test/tools/graphc-run/checks.test"
MOVES = "moves values between programs: test/models"
NO_VALUE = {
    "all_reduce": "is written out, or left to a library: test/models",
    "audio": SHOWS, "histogram": SHOWS, "image": SHOWS, "pr_curve": SHOWS,
    "scalar": SHOWS, "text": SHOWS,
    "budget": "a bound", "devices": "a table", "custom": "has no kernel of ours",
    "assert": CHECKS, "check_numerics": CHECKS,
    "print": "only prints: test/tools/graphc-run/checks.test",
    "debug_fail": "fails: test/models", "recv": MOVES, "send": MOVES,
    "graph": "structure", "return": "structure", "yield": "structure",
    "device": "structure", "variable": "state: test/ops/state.py",
    "dataset": "data: test/tools/graphc-run", "next": "data: test/tools/graphc-run",
    "gradients": "is replaced by what it stands for",
    "minimize": "is replaced by what it stands for: test/ops/optimizers.py",
    "ema": "is replaced by what it stands for: test/ops/state.py",
    "read": "state: test/ops/state.py", "assign": "state: test/ops/state.py",
    "assign_add": "state: test/ops/state.py",
    "assign_sub": "state: test/ops/state.py",
    "assign_rows": "state: test/ops/row_updates.py",
    "debug_sleep": "waits: test/ops/programs.py",
    "step_state": "made by the compiler: test/ops/random_numbers.py",
    "philox_uniform": "made by the compiler: test/ops/random_numbers.py",
    "random_uniform": "random: test/ops/random_numbers.py",
    "random_normal": "random: test/ops/random_numbers.py",
    "truncated_normal": "random: test/ops/random_numbers.py",
    "random_uniform_like": "random: test/ops/random_numbers.py",
    "random_normal_like": "random: test/ops/random_numbers.py",
    "truncated_normal_like": "random: test/ops/random_numbers.py",
    "dropout": "random: test/ops/random_numbers.py",
    "random_uniform_int": "random: test/ops/random_numbers.py",
    "bernoulli": "random: test/ops/random_numbers.py",
    "multinomial": "random: test/ops/random_numbers.py",
    "random_gamma": "random: test/ops/random_numbers.py",
    "random_shuffle": "random: test/ops/random_numbers.py",
}
# Floats whose derivative is 0 or nothing that a step could use.
NO_GRADIENT = {op: "piecewise constant" for op in (
    "ceil", "floor", "floordiv", "rint", "round", "sign", "trunc")}
NO_GRADIENT["bitcast"] = "of bits there is no derivative"
NO_GRADIENT |= {op: "is a gradient; there are no second ones" for op in (
    "avg_pool_grad", "conv2d_backprop_filter", "conv2d_backprop_input",
    "max_pool_grad")}
NO_GRADIENT |= {op: "is a gradient: through conv2d's" for op in (
    "depthwise_conv2d_backprop_filter", "depthwise_conv2d_backprop_input")}
NO_GRADIENT |= {op: "follows from shapes and constants" for op in (
    "const", "eye", "iota", "linspace", "ones_like", "range", "zeros_like")}
NO_GRADIENT |= {"depthwise_filter_partials": "made by the compiler",
                "one_hot": "operands are integers", "stop_gradient": "stops it",
                "while": "the number of steps is not known; scan has one",
                "cond": "if has one"}
NO_GRADIENT |= {f"scatter_{how}": "TensorFlow has none either" for how in (
    "update", "add", "sub", "mul", "div", "min", "max")}
NO_RANDOM = {op: "of its forward op" for op in (
    "avg_pool_grad", "conv2d_backprop_filter", "conv2d_backprop_input",
    "depthwise_conv2d_backprop_filter", "depthwise_conv2d_backprop_input",
    "depthwise_filter_partials", "max_pool_grad")}
NO_RANDOM |= {"custom_gradient": "its gradient is no derivative that could be followed",
              "optimization_barrier": "made of recompute"}
NO_RANDOM |= {"place_block": "within pad and strided_slice",
              "resample": "within resize_*", "dft": "within fft",
              "strided_block": "within strided_slice"}
OPERATION = re.compile(r"tfir\.(?:summary\.)?(\w+)\b(.*)")
ELEMENT = re.compile(r"tensor<(?:[\d?]+x)*([a-z]+\d*)>")
SHAPE = re.compile(r"tensor<((?:[\d?]+x)*)[a-z]+\d*>")


FLOATS = {"f32", "f64"}
COLUMNS = ("errors", "values", "shapes", "types", "gradient", "cpu", "gpu",
           "reference", "random")


class Row:
    """What the tests have of one op."""

    def __init__(self):
        self.cases = collections.Counter()  # family -> programs with the op
        self.types, self.shapes, self.results = set(), set(), set()
        self.gradients = 0      # cases of test/ops that differentiate it
        self.differences = 0    # graphs of finite_differences.py
        self.errors = 0         # of its own, in *-invalid.mlir
        self.constraints = 0    # (Cn) in its declaration
        self.random = False


def ops_of(text):
    """(op, element types, shapes of operands, types of results) of each op."""
    for line in text.splitlines():
        found = OPERATION.search(line)
        if not found:
            continue
        name, rest = found.groups()
        types = rest.split(" : ")[-1]
        operands = types.split("->")[0]
        yield (name, ELEMENT.findall(types), tuple(SHAPE.findall(operands)),
               ELEMENT.findall(types.split("->")[-1]))


def count_cases(rows):
    for family in coverage.FAMILIES:
        made = importlib.import_module(family).cases
        for case in (made(0, 1) if family == "programs" else made()):
            seen = set()
            for op, types, shapes, results in ops_of(case.text):
                if op not in rows:
                    continue
                rows[op].types.update(types)
                rows[op].shapes.add(shapes)
                rows[op].results.update(results)
                seen.add(op)
            for op in seen:
                rows[op].cases[family] += 1
            for op in case.gradient_of:
                if op in rows:
                    rows[op].gradients += 1


def count_written(rows, folder):
    """Families that make their programs while they run: by name alone."""
    for file in coverage.WRITTEN:
        with open(os.path.join(folder, file), encoding="utf-8") as source:
            text = source.read()
        used = set(re.findall(r"tfir\.(\w+)", text))
        used |= set(re.findall(r'"(\w+) \{', text))
        for op in used & rows.keys():
            rows[op].cases[file.removesuffix(".py")] += 1
    for op, source in coverage.MADE.items():
        if op in rows and rows[source].cases:
            rows[op].cases["made of " + source] += 1


def count_errors(rows, repository):
    for path in glob.glob(f"{repository}/test/dialects/tfir/*-invalid.mlir"):
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for number, line in enumerate(lines):
            found = re.search(r"expected-error ?(?:@([+-]\d+))?", line)
            if not found:
                continue
            at = number + int(found.group(1) or 0)
            op = OPERATION.search(lines[at]) if at < len(lines) else None
            if op and op.group(1) in rows:
                rows[op.group(1)].errors += 1


def count_constraints(rows, repository):
    """Constraints (Cn) of the pages of the ops."""
    with open(f"{repository}/docs/ops.md", encoding="utf-8") as file:
        pages = re.split(r"^### `tfir\.", file.read(), flags=re.M)
    for page in pages[1:]:
        op = page.split("`")[0].removeprefix("summary.")
        if op in rows:
            rows[op].constraints = len(re.findall(r"^- \(C\d+\)", page, re.M))


def count_differences(rows, repository):
    sys.path.insert(0, f"{repository}/test/lib/autodiff/Inputs")
    text = importlib.import_module("finite_differences").build().text
    for graph in text.split("tfir.graph @")[1:]:
        # What closes each graph begins with the constant of its weights.
        lines = graph.splitlines()[1:]
        last = max(i for i, line in enumerate(lines) if "tfir.const" in line)
        for op in {op for op, *_ in ops_of("\n".join(lines[:last]))}:
            if op in rows:
                rows[op].differences += 1


def note_random(rows, repository):
    text = ""
    for path in sorted(glob.glob(f"{repository}/test/random/*.py")):
        with open(path, encoding="utf-8") as file:
            text += file.read()
    for op in rows:
        rows[op].random = bool(re.search(rf'["\'.]{op}["\' ]', text))


def families_of(repository, pattern):
    """The families that tests of this name run."""
    families = set()
    for path in glob.glob(f"{repository}/test/ops/{pattern}"):
        with open(path, encoding="utf-8") as file:
            families |= set(re.findall(r"%S/(\w+)\.py", file.read()))
    return families


def ran(row, families):
    count = sum(n for family, n in row.cases.items() if family in families)
    return str(count) if count else ""


def is_short(name, classes):
    """Whether the op is decomposed into others."""
    heading = classes.get(name, "")
    bases = re.findall(r"Tfir_\w+", heading.split(":", 1)[-1])
    return "Decomposable" in heading or any(
        is_short(base, classes) for base in bases if base != name)


def cells(op, row, targets, derivable, short):
    """The cells of one line; empty where nothing is known."""
    errors = str(row.errors) if row.errors else "types only"
    if not row.errors and row.constraints:
        errors = "of its class"
    made = [f for f in row.cases if f.startswith("made of ")]
    if op in NO_VALUE or made:
        why = NO_VALUE.get(op) or made[0] + ", with which it is tested"
        return [errors, "— " + why] + ["—"] * (len(COLUMNS) - 2)
    gradient = str(row.gradients + row.differences or "")
    if not gradient and op in NO_GRADIENT:
        gradient = "— " + NO_GRADIENT[op]
    elif not derivable and not row.gradients:
        gradient = NO_GRADIENT.get(op, "")
        if row.results and not row.results & FLOATS:
            gradient = "results are no floats"
        gradient = "— " + gradient if gradient else ""
    columns = [errors, str(sum(row.cases.values()) or ""), str(len(row.shapes) or ""),
               " ".join(sorted(row.types)), gradient]
    columns += [ran(row, families) for families in targets.values()]
    random = NO_RANDOM.get(op, "short for others" if short else "")
    random = "— " + random if random else ""
    return columns + ["yes" if row.random else random]


def table(repository):
    classes, ops = coverage.read_dialect(f"{repository}/dialects/tfir")
    rows = {op: Row() for op in sorted(ops)}
    here = os.path.dirname(os.path.abspath(__file__))
    count_cases(rows)
    count_written(rows, here)
    count_errors(rows, repository)
    count_constraints(rows, repository)
    count_differences(rows, repository)
    note_random(rows, repository)
    targets = {"cpu": families_of(repository, "*[!u].test"),
               "gpu": families_of(repository, "*-gpu.test"),
               "reference": families_of(repository, "reference-target*.test")}
    lines = []
    for op, row in rows.items():
        derivable = coverage.differentiable(ops[op], classes)
        short = is_short(ops[op], classes)
        lines.append([op] + cells(op, row, targets, derivable, short))
    return lines


HEAD = """<!-- Made by test/ops/op_table.py --write of the programs of the tests; do not edit. -->
# Operations and their judges

One line per operation of the dialect, counted in the programs that the tests run.

- **errors**: cases of `test/dialects/tfir/*-invalid.mlir` that the operation refuses;
  *of its class*: constraints that the cases of other operations of its class test;
  *types only*: the operation has no constraint beside the types of its declaration.
- **values**: graphs of `test/ops` in which it is compared with NumPy in double precision.
- **shapes**, **types**: how many lists of operands' shapes, and the element types there.
- **gradient**: cases in which its gradient is compared with finite differences.
- **cpu**: each case runs with the code of this CPU's level on two threads and with that of
  x86-64-v3 on one; **gpu**: the same cases as PTX on the emulated GPU; **reference**: as a
  kernel per operation in scalar loops.
- **random**: whether random programs have it, which compare it with the
  [interpreter](testing.md#random-programs), on one and several devices. Each operation has a
  reference there (`test/lib/interpreter/coverage.test`).

A dash has its reason beside it, or in the cell before.

| operation | errors | values | shapes | types | gradient | cpu | gpu | reference | random |
|---|---|---|---|---|---|---|---|---|---|
"""


def main(repository, write):
    lines = table(repository)
    page = HEAD + "".join("| " + " | ".join(line) + " |\n" for line in lines)
    empty = [f"tfir.{line[0]}: no {name}" for line in lines
             for name, cell in zip(COLUMNS, line[1:]) if not cell]
    path = f"{repository}/docs/op-table.md"
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
    with open(path, encoding="utf-8") as file:
        if file.read() != page:
            sys.exit("docs/op-table.md is out of date; run "
                     "test/ops/op_table.py . --write")
    if empty:
        sys.exit("\n".join(empty))
    print(f"{len(lines)} ops, no empty cell")


if __name__ == "__main__":
    main(sys.argv[1], "--write" in sys.argv[2:])
