# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PTX of every example and test model, as the CUDA toolkit's assembler sees it.

  ptx.py REPOSITORY FOLDER

Compiles each for four GPUs; the assembler must take the text for sm_80 and sm_90
without warnings, and no kernel may spill registers or use a stack.
"""
import os
import subprocess
import sys

SOURCE, FOLDER = sys.argv[1:]
sys.path.insert(0, os.path.join(SOURCE, "test", "ops"))
sys.path.insert(0, os.path.join(SOURCE, "test", "networks"))
import networks
import ptxas

# Nothing of these can be on a GPU, or their devices are those of a cluster.
WITHOUT = {"hello", "hello-cluster", "regression-cluster"}
WITHOUT_FILES = {"examples/tutorials/pi/tasks.tfir"}


def models():
    """Paths of the sources."""
    for root in ("examples", "test/models/Inputs"):
        for folder, _, files in sorted(os.walk(os.path.join(SOURCE, root))):
            for file in sorted(files):
                if (file.endswith(".tfir")
                        and os.path.basename(folder) not in WITHOUT):
                    path = os.path.join(folder, file)
                    if os.path.relpath(path, SOURCE) not in WITHOUT_FILES:
                        yield path


def run(*arguments):
    done = subprocess.run(arguments, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}\n{done.stdout}")
    return done.stdout


def ptx_of(source):
    model = os.path.join(FOLDER, "model.bin")
    flags = [source, "--batch=100"]
    if os.path.basename(os.path.dirname(source)) == "networks":
        # In the sizes of their own test, since the large ones compile for minutes.
        flags = networks.flags(SOURCE, os.path.basename(source).removesuffix(".tfir"))
    run("graphc", *flags, "--devices=gpu:0-3", "-o", model)
    return run("graphc-dump", model, "--what=ptx")


def check(source):
    """Assembles the kernels of a model; their number."""
    try:
        return ptxas.assemble(ptx_of(source), FOLDER)
    except ValueError as error:
        sys.exit(f"{source}: {error}")


def main():
    os.makedirs(FOLDER, exist_ok=True)
    sources = list(models())
    kernels = sum(check(source) for source in sources)
    print(f"{len(sources)} models, {kernels} kernels without spills and stack")


if __name__ == "__main__":
    main()
