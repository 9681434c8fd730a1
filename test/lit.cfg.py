# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One runner for all tests. Tools are found by name; %source is the repository,
# %python a Python 3 with numpy.
import os

import lit.formats

config.name = "graphc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".tfir", ".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.graphc_build, "test")
config.excludes = ["Inputs", "CMakeLists.txt"]

path = [os.path.join(config.graphc_build, "bin"),
        os.path.join(config.graphc_build, "unit"),
        config.llvm_tools, config.environment["PATH"]]
config.environment["PATH"] = os.pathsep.join(path)
config.substitutions.append(("%source", config.graphc_source))
config.substitutions.append(("%build", config.graphc_build))
config.substitutions.append(("%python", "/usr/bin/python3"))

if config.graphc_has_compiler:
    config.available_features.add("compiler")
else:
    # What runs is tested; what needs graphc or its sources' tools is not there.
    config.excludes += ["bench", "dialects", "docs", "examples", "graphc",
                        "graphc-lsp", "graphc-opt", "lib", "models", "ops",
                        "style"]
if config.graphc_sanitize:
    config.available_features.add("sanitizer")
