# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same program gives the same model.bin, wherever it is compiled."""
import os
import shutil

from common import FOLDER, SOURCE, harness, path, read_bytes, require
from harness import command

EXAMPLES = {"pi/pi": [], "mnist/mlp": ["--batch=20"],
            "linear-regression/linear": [],
            "linear-regression/adagrad": ["--batch=7"]}


def compile_in(place, folder, spelling, example, options):
    """Compiles a copy, named as `spelling` says from inside `folder`."""
    name = os.path.basename(example) + ".tfir"
    os.makedirs(os.path.join(FOLDER, place, folder), exist_ok=True)
    shutil.copy(f"{SOURCE}/examples/{example}.tfir",
                os.path.join(FOLDER, place, name))
    here = os.getcwd()
    os.chdir(os.path.join(FOLDER, place, folder))
    try:
        command(["graphc", os.path.join(spelling, name), "-o", "model.bin",
                 *options])
        return read_bytes("model.bin")
    finally:
        os.chdir(here)


def folders_do_not_matter():
    path("")
    for example, options in EXAMPLES.items():
        first = compile_in("one", ".", ".", example, options)
        again = compile_in("one", ".", ".", example, options)
        require(first == again, f"{example} differs when it is compiled again")
        other = compile_in("another/place", "deep/er", "../..", example,
                           options)
        require(first == other, f"{example} differs in another folder")
        whole = compile_in("third", ".", os.path.join(FOLDER, "third"), example,
                           options)
        require(first == whole, f"{example} differs under its full name")


def another_program_gives_another():
    first = compile_in("one", ".", ".", "linear-regression/adagrad",
                       ["--batch=7"])
    other = compile_in("one", ".", ".", "linear-regression/adagrad",
                       ["--batch=8"])
    require(first != other, "another batch gives the same bytes")


if __name__ == "__main__":
    harness.run_checks([folders_do_not_matter, another_program_gives_another])
