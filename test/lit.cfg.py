# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One runner for all tests. Tools are found by name; %source is the repository,
# %python a Python 3 with numpy.
import os
import shutil
import socket
import subprocess

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
# gRPC and what it stands on are not built with a sanitizer.
config.environment["LSAN_OPTIONS"] = (
    "print_suppressions=0:suppressions="
    + os.path.join(config.test_source_root, "lsan.supp"))
config.environment["TSAN_OPTIONS"] = "ignore_noninstrumented_modules=1"
config.substitutions.append(("%source", config.graphc_source))
config.substitutions.append(("%build", config.graphc_build))
config.substitutions.append(("%python", "/usr/bin/python3"))

# Many tests compile the same kernels, and most runs of the suite do those of the
# last one again.
config.environment["GRAPHC_CODE_CACHE"] = (
    os.environ.get("GRAPHC_CODE_CACHE")
    or os.path.join(config.graphc_build, "test", "code-cache"))

if config.graphc_has_compiler:
    config.available_features.add("compiler")
else:
    # What runs is tested; what needs graphc or its sources' tools is not there.
    config.excludes += ["bench", "dialects", "docs", "editors", "examples", "graphc",
                        "graphc-lsp", "graphc-opt", "lib", "models", "ops",
                        "style", "tensorboard"]
# A browser that tests can drive; `dot` reads graphs.
if (shutil.which("chromium") and shutil.which("chromedriver")
        and subprocess.run(["/usr/bin/python3", "-c", "import selenium"],
                           stderr=subprocess.DEVNULL).returncode == 0):
    config.available_features.add("chromium")
# The assembler of the CUDA toolkit, where there is one.
tools_path = config.environment["PATH"] + os.pathsep + "/usr/local/cuda/bin"
if shutil.which("ptxas", path=tools_path):
    config.available_features.add("ptxas")
    config.environment["PATH"] = tools_path
config.substitutions.append(("%ptxas", "ptxas -Werror -v -o /dev/null"))
# Built where the headers of CUDA and cuDNN are.
if os.path.exists(os.path.join(config.graphc_build, "unit", "CudaHeadersTest")):
    config.available_features.add("cuda-headers")
# GPUs: emulated ones, or, with GRAPHC_TEST_GPU=real, those of this machine. A
# test writes `env %gpu COMMAND`.
if os.environ.get("GRAPHC_TEST_GPU") == "real":
    config.available_features.add("real-gpu")
    config.substitutions.append(("%gpu", ""))
else:
    config.substitutions.append(("%gpu", " ".join(
        f"{variable}={config.graphc_build}/lib/lib{name}_emulator.so"
        for variable, name in [("GRAPHC_CUDA_DRIVER", "cuda"),
                               ("GRAPHC_CUBLASLT", "cublaslt"),
                               ("GRAPHC_CUDNN", "cudnn"),
                               ("GRAPHC_NCCL", "nccl")])
        + " GRAPHC_EMULATED_GPUS=4"))
# TensorBoard from PyPI, by scripts/install-tensorboard.
tensorboard = os.path.join(
    os.environ.get("GRAPHC_TENSORBOARD")
    or os.path.join(config.graphc_build, "tensorboard"), "bin", "tensorboard")
if (os.path.exists(tensorboard)
        and "chromium" in config.available_features):
    config.available_features.add("tensorboard")
config.substitutions.append(("%tensorboard", tensorboard))
config.substitutions.append(
    ("%tbpython", os.path.join(os.path.dirname(tensorboard), "python")))
if shutil.which("dot"):
    config.available_features.add("graphviz")
# Built where libtree-sitter-dev is; `node` runs the extension of VS Code.
if os.path.exists(os.path.join(config.graphc_build, "unit", "highlight-texts")):
    config.available_features.add("tree-sitter")
if shutil.which("node"):
    config.available_features.add("node")
# Debian's python3-kubernetes knows the models of manifests.
if subprocess.run(["/usr/bin/python3", "-c",
                   "import yaml, sys, importlib.util as util;"
                   "sys.exit(util.find_spec('kubernetes') is None)"],
                  stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("kubernetes")
# Some containers have no IPv6, not even for themselves.
try:
    with socket.socket(socket.AF_INET6) as probe:
        probe.bind(("::1", 0))
    config.available_features.add("ipv6")
except OSError:
    pass
if config.graphc_sanitize:
    config.available_features.add("sanitizer")
# Which parts of the project have fuzzers in this build.
for part in config.graphc_fuzzers.split():
    config.available_features.add("fuzzer-" + part)
if config.graphc_sanitize == "thread":
    config.available_features.add("tsan")
