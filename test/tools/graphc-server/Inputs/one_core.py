# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program on one of the cores that this one may use, as taskset does."""
import os
import sys

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.execvp(sys.argv[1], sys.argv[1:])
