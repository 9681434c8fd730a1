# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op of the dialect has a numeric test, every gradient too.

  coverage.py REPOSITORY FOLDER   reads the ops from the .td files; exits 1 if the
                                  programs of the families beside this lack one
"""
import importlib
import os
import re
import sys

import harness

FAMILIES = ("aggregates", "along", "arrange", "batch", "broadcast", "compare", "conditions",
            "control", "conv", "convolutions", "depthwise", "elementwise",
            "feature_columns", "features", "float_types", "functions", "gather", "grids",
            "halves", "images", "integers", "linear", "losses", "matmul", "normalisations",
            "order", "pool", "poolings", "product_types", "products", "programs",
            "recurrent", "reductions", "scatter", "shapes", "softmax", "spatial",
            "spectral")
# These make their programs while they run.
WRITTEN = ("optimizers.py", "random_numbers.py", "row_updates.py", "state.py")
# No program writes these ops; what compiles them makes them, from those named.
MADE = {"apply": "minimize", "update_average": "ema",
        "prepare_filter": "conv2d_backprop_input",
        "conv2d_prepared_backprop_input": "conv2d_backprop_input",
        "conv2d_filter_partials": "conv2d_backprop_filter"}
# These compute nothing: bounds, the table of devices, ops without a kernel, what fails, and
# what passes between programs, over which whole ones are compared in test/models; summaries
# only show (test/tools/graphc-run/summary-ops.test).
WITHOUT_NUMBERS = ("audio", "histogram", "image", "pr_curve", "scalar", "text",
                   "assert", "check_numerics", "print",
                   "all_reduce", "budget", "custom", "debug_fail", "devices", "recv",
                   "send")
DEFINITION = re.compile(r"^(class|def) (\w+)(.*?)(?:\{\n|;\n)",
                        re.MULTILINE | re.DOTALL)


def read_dialect(folder):
    """The classes and ops of the .td files below a folder: name -> (mnemonic, heading)."""
    classes, ops = {}, {}
    files = [os.path.join(where, name)
             for where, _, names in os.walk(folder) for name in names]
    for file in sorted(files):
        if not file.endswith(".td"):
            continue
        with open(file, encoding="utf-8") as text:
            for kind, name, heading in DEFINITION.findall(text.read() + "\n"):
                classes[name] = heading
                mnemonic = re.search(r'Op\w*<\s*"(\w+)"', heading)
                if kind == "def" and name.endswith("Op") and mnemonic:
                    ops[mnemonic.group(1)] = name
    return classes, ops


def differentiable(name, classes):
    """Whether a class, or one that it derives from, has a gradient."""
    heading = classes.get(name, "")
    bases = re.findall(r"Tfir_\w+", heading.split(":", 1)[-1])
    return "Differentiable" in heading or any(
        differentiable(base, classes) for base in bases if base != name)


def main(repository):
    classes, ops = read_dialect(os.path.join(repository, "dialects", "tfir"))
    if len(ops) < 60:
        sys.exit(f"only {len(ops)} ops are found in the .td files")
    cases = []
    for family in FAMILIES:
        made = importlib.import_module(family).cases
        cases += made(0, 1) if family == "programs" else made()
    text = harness.module(cases)
    for file in WRITTEN:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), file)
        with open(path, encoding="utf-8") as source:
            text += source.read()
    used = set(re.findall(r"tfir\.(\w+)", text))
    # The random ops stand in a table.
    used |= set(re.findall(r'"(\w+) \{', text))
    derived = {op for case in cases for op in case.gradient_of}
    missing = [f"a new op without a numeric test: tfir.{op}; add cases to a "
               f"family in test/ops" for op in sorted(ops)
               if op not in WITHOUT_NUMBERS and MADE.get(op, op) not in used]
    missing += [f"tfir.{op} has a gradient that no case checks; give its cases "
                f"in test/ops `by`" for op, name in sorted(ops.items())
                if differentiable(name, classes) and op not in derived
                and op not in WITHOUT_NUMBERS]
    print("\n".join(missing) or f"{len(ops)} ops, {len(cases)} cases, "
                                f"{len(derived)} gradients")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main(sys.argv[1])
