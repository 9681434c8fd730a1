# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of ResNet and MobileNet v2 train alike on one device and on two.

  blocks.py REPOSITORY FOLDER
"""
from common import (SOURCE, command, flags_for_this_cpu, harness, losses,
                    make_digits, path, require, weights)

STEPS = "--steps=8"


def compiled(name, *layout):
    model = path(name)
    command(["graphc", f"{SOURCE}/test/models/Inputs/blocks.tfir", "-o", model,
             "--batch=20", *flags_for_this_cpu(), *layout])
    return model


def loss_falls():
    data = make_digits()["train"]
    values = losses(compiled("one.bin"), "--graph=train", data, "--steps=60")
    require(sum(values[-10:]) < 0.97 * sum(values[:10]),
            f"the loss does not fall: {values}")


def two_devices_train_the_same_bits():
    data = make_digits()["train"]
    both = ["--replicas=2", "--numerics=canonical"]
    one = weights(compiled("canonical.bin", "--devices=cpu:0", *both),
                  "--graph=train", data, STEPS)
    for name, layout in (("gpus.bin", "--devices=gpu:0-1"),
                         ("cpus.bin", "--cpu-devices=2")):
        got = weights(compiled(name, layout, *both), "--graph=train", data,
                      STEPS, *["--virtual-gpus"] * ("gpu" in layout))
        require(got == one, f"{layout} trains other bits")


harness.run_checks([loss_falls, two_devices_train_the_same_bits])
