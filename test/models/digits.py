# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A classifier of digits learns, and repeats itself to the bit.

  digits.py REPOSITORY FOLDER MODEL STEPS ACCURACY
"""
import sys

import numpy as np

from common import (compile_example, harness, losses, make_digits, path,
                    require, run, weights)

MODEL, STEPS, ACCURACY = sys.argv[3], int(sys.argv[4]), float(sys.argv[5])


def train(*options):
    return ["--graph=train", DATA["train"], f"--steps={STEPS}", *options]


def accuracy(*options):
    return run(BINARY, "--graph=eval", DATA["test"], "--fetch=accuracy",
               "--mean", *options)["mean"]["accuracy"]


def the_model_learns():
    file = path("trained.safetensors")
    history = losses(BINARY, *train(f"--save={file}"))
    require(len(history) == STEPS, f"{len(history)} steps are reported")
    first, last = np.mean(history[:3]), np.mean(history[-3:])
    require(last < 0.6 * first, f"the loss goes from {first} to {last}")
    reached = accuracy(f"--load={file}")
    require(reached > ACCURACY, f"the accuracy is {reached}")
    # The plain kernels see the same weights alike.
    plain = accuracy(f"--load={file}", "--cpu-level=v3")
    require(abs(plain - reached) < 0.011, f"with plain kernels it is {plain}")


def untrained_it_guesses():
    guessed = accuracy("--seed=5")
    require(guessed < 0.35, f"the accuracy is {guessed}")


def a_seed_decides_all_bits():
    first = weights(BINARY, *train("--seed=7"))
    require(weights(BINARY, *train("--seed=7")) == first,
            "the same run gives other weights")
    for threads in (1, 2, 3):
        again = weights(BINARY, *train("--seed=7", f"--threads={threads}"))
        require(again == first, f"{threads} threads give other weights")
    require(weights(BINARY, *train("--seed=8")) != first,
            "another seed gives the same weights")


def levels_agree():
    """Other kernels add in another order; few steps keep that small."""
    options = ["--graph=train", DATA["train"], "--steps=3", "--seed=7"]
    best = losses(BINARY, *options)
    plain = losses(BINARY, *options, "--cpu-level=v3")
    require(np.allclose(best, plain, rtol=1e-4), f"{best} and {plain}")


if __name__ == "__main__":
    DATA = make_digits()
    BINARY = compile_example("mnist/" + MODEL, "--batch=50")
    harness.run_checks([the_model_learns, untrained_it_guesses,
                        a_seed_decides_all_bits, levels_agree])
