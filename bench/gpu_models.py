# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models that bench/run-gpu measures: products and kernels of some shapes,
and the training steps of the examples."""
import os
import sys

import side_by_side

FOLDER = os.path.join(side_by_side.ROOT, "bench", "gpu")
EXAMPLES = os.path.join(side_by_side.ROOT, "examples", "mnist")
# (text, what it is called, kind of measurement, M x N x K or M x N)
SHAPES = [
    ("gemm", "product", "products", (4096, 4096, 4096)),
    ("gemm", "product", "products", (8192, 1024, 1024)),
    ("gemm", "product", "products", (512, 10, 784)),
    ("gemm-bias-relu", "product, bias, relu", "products", (4096, 4096, 4096)),
    ("gemm-bias-relu", "product, bias, relu", "products", (512, 500, 784)),
    ("gemm-bias-relu", "product, bias, relu", "products", (512, 10, 784)),
    ("elementwise", "elementwise", "kernels", (16384, 4096)),
    ("elementwise", "elementwise", "kernels", (16383, 4095)),
    ("softmax", "softmax", "kernels", (262144, 256)),
    ("softmax", "softmax", "kernels", (65536, 1024)),
    ("softmax", "softmax", "kernels", (8192, 8192))]
QUICK_SHAPES = [
    ("gemm", "product", "products", (16, 8, 12)),
    ("gemm-bias-relu", "product, bias, relu", "products", (16, 8, 12)),
    ("elementwise", "elementwise", "kernels", (16, 15)),
    ("softmax", "softmax", "kernels", (16, 40))]


def compile_model(tool, source, folder, name, *flags):
    side_by_side.run([tool, source, "--devices=gpu:0", "-o",
                      os.path.join(folder, name), *flags])


def compile_shape(tool, folder, text, sizes):
    """One of bench/gpu for these sizes; the name of the file."""
    name = "-".join([text, *map(str, sizes)])
    with open(os.path.join(FOLDER, text + ".tfir.in"),
              encoding="utf-8") as file:
        source = file.read()
    for letter, size in zip("MNK", sizes):
        source = source.replace(f"@{letter}@", str(size))
    path = os.path.join(folder, name + ".tfir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    compile_model(tool, path, folder, name + ".bin")
    return name + ".bin"


def compile_all(tool, folder, is_quick):
    """Writes the models, and digits to train with; what gpu-bench is to do."""
    models = []
    for text, name, kind, sizes in QUICK_SHAPES if is_quick else SHAPES:
        models.append({"kind": kind,
                       "name": f"{name} {' x '.join(map(str, sizes))}",
                       "file": compile_shape(tool, folder, text, sizes)})
    batch = 2 if is_quick else 100
    for name in ("mlp", "lenet5"):
        compile_model(tool, os.path.join(EXAMPLES, name + ".tfir"), folder,
                      name + ".bin", f"--batch={batch}")
        models.append({"kind": "training", "name": name, "file": name + ".bin"})
    digits = os.path.join(folder, "digits")
    count = 20 if is_quick else 6000
    side_by_side.run([sys.executable,
                      os.path.join(side_by_side.ROOT, "scripts", "make-digits"),
                      digits, f"--train={count}", "--test=10"])
    return {"quick": is_quick, "batch": batch, "models": models,
            "copied_bytes": 4096 if is_quick else 256 << 20}
