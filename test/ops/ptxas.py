# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX as the CUDA toolkit's assembler sees it."""
import os
import re
import shutil
import subprocess

ARCHITECTURES = ("sm_80", "sm_90")
# Kernels that spill, and why: of the registers that the assembler of CUDA 13.0
# allows itself, which are as many as let a certain number of blocks run at a time,
# these need a few more. docs/gpu.md tells more of it.
SPILLS = {"lstm_peepholes_4_LstmCell_Slice",
          "max_pool_13_gradients_MaxPool_grad_MaxPoolGrad", "max_uint8_5_Max",
          "min_uint8_5_Min",
          # An f64 takes two registers.
          "poolings_max_pool_0_first_f64_gradients_MaxPool_MaxPool_grad_MaxPoolGrad",
          "depthwise_depthwise_by_input_1_f64_DepthwiseConv2dBackpropInput",
          "depthwise_depthwise_1_f64_DepthwiseConv2d"}


def is_there():
    return shutil.which("ptxas") is not None


def assemble(text, folder):
    """Assembles PTX for each architecture; its number of kernels.

    ValueError says what is wrong: the text is not taken without warnings, or a
    kernel spills registers or uses a stack.
    """
    if ".visible .entry" not in text:
        return 0
    path = os.path.join(folder, "model.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    for arch in ARCHITECTURES:
        done = subprocess.run(
            ["ptxas", "-Werror", "-v", f"-arch={arch}", "-o",
             os.path.join(folder, "model.cubin"), path],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise ValueError(f"{path}, {arch}: {done.stdout}")
        for found in re.finditer(r"properties for (\S+)\n(.*[1-9]\d* bytes "
                                 r"(?:stack|spill).*)", done.stdout):
            if found[1] not in SPILLS:
                raise ValueError(f"{path}, {arch}, kernel {found[1]}: "
                                 f"{found[2].strip()}")
    return text.count(".visible .entry")
