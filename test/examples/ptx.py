# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PTX of every example and test model, as the CUDA toolkit's assembler sees it.

  ptx.py REPOSITORY FOLDER

Compiles each for four GPUs; the assembler must take the text for sm_80 and sm_90
without warnings, and no kernel may spill registers or use a stack.
"""
import os
import re
import subprocess
import sys

SOURCE, FOLDER = sys.argv[1:]
ARCHITECTURES = ("sm_80", "sm_90")
# Nothing of these can be on a GPU, or their devices are those of a cluster.
WITHOUT = {"hello", "hello-cluster", "regression-cluster"}


def models():
    """Paths of the sources."""
    for root in ("examples", "test/models/Inputs"):
        for folder, _, files in sorted(os.walk(os.path.join(SOURCE, root))):
            for file in sorted(files):
                if (file.endswith(".tfir")
                        and os.path.basename(folder) not in WITHOUT):
                    yield os.path.join(folder, file)


def run(*arguments):
    done = subprocess.run(arguments, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}\n{done.stdout}")
    return done.stdout


def ptx_of(source):
    model = os.path.join(FOLDER, "model.bin")
    run("graphc", source, "--batch=100", "--devices=gpu:0-3", "-o", model)
    return run("graphc-dump", model, "--what=ptx")


def check(source, text):
    """Assembles the text; its number of kernels."""
    path = os.path.join(FOLDER, "model.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    for arch in ARCHITECTURES:
        log = run("ptxas", "-Werror", "-v", f"-arch={arch}", "-o",
                  os.path.join(FOLDER, "model.cubin"), path)
        for found in re.finditer(r"properties for (\S+)\n(.*[1-9]\d* bytes "
                                 r"(?:stack|spill).*)", log):
            sys.exit(f"{source}, {arch}, kernel {found[1]}: {found[2].strip()}")
    return text.count(".visible .entry")


def main():
    os.makedirs(FOLDER, exist_ok=True)
    sources = list(models())
    kernels = sum(check(source, ptx_of(source)) for source in sources)
    print(f"{len(sources)} models, {kernels} kernels without spills and stack")


if __name__ == "__main__":
    main()
