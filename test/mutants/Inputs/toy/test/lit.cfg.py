# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The toy's tests: one program, run with numbers.
import os

import lit.formats

config.name = "toy"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test"]
config.test_source_root = os.path.join(config.toy_source, "test")
config.test_exec_root = os.path.join(config.toy_build, "test")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.toy_build, "bin"), config.environment["PATH"]])
