# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""planted_mistakes.py FOLDER: compiles FOLDER/g.tfir with one mistake at a time and
counts those that graphc-run --verify-equiv finds beside FOLDER/one.bin."""
import os
import subprocess
import sys

# What is in the text, and what stands there by mistake.
MISTAKES = [
    ("mean(square", "sum(square"),
    ("0.01 * l2_loss", "0.04 * l2_loss"),
    ("+ 0.01 * l2_loss(w)", ""),
    ("momentum=0.9", "momentum=0.8"),
    ("learning_rate=0.1", "learning_rate=0.11"),
    ("f32[4] = 0.125", "f32[4] = 0.13"),
    ("stddev=0.5", "stddev=0.25"),
    ("minval=-0.5", "minval=-0.6"),
    ("dropout(x, 0.25)", "dropout(x, 0.3)"),
    ("dropout(x, 0.25)", "dropout(x, 0.25, seed=7)"),
    ("dropout(x, 0.25)", "x"),
    ("tanh(dropout", "sigmoid(dropout"),
    ("@ w + b)\n  loss", "@ w - b)\n  loss"),
    ("ema(decay=0.9)", "ema(decay=0.99)"),
    ("ema(decay=0.9)", "ema(decay=0.9, num_updates=true)"),
    ("v - y", "v - 2 * y"),
]


def is_found(folder, text, wrong):
    path = os.path.join(folder, "mistake.tfir")
    assert text in SOURCE, text
    with open(path, "w", encoding="utf-8") as file:
        file.write(SOURCE.replace(text, wrong))
    model = os.path.join(folder, "mistake.bin")
    subprocess.run(["graphc", path, "--batch=8", "--cpu-level=v3", "-o", model], check=True)
    run = subprocess.run(
        ["graphc-run", os.path.join(folder, "one.bin"), "--verify-equiv=" + model],
        stdout=subprocess.PIPE, text=True)
    if run.returncode != 1 or "values differ" not in run.stdout:
        print(f"not found: {wrong!r} for {text!r}: {run.stdout}")
        return False
    return True


FOLDER = sys.argv[1]
with open(os.path.join(FOLDER, "g.tfir"), encoding="utf-8") as source:
    SOURCE = source.read()
found = sum(is_found(FOLDER, text, wrong) for text, wrong in MISTAKES)
print(f"{found} of {len(MISTAKES)} mistakes are found")
