# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a graph with a chain of N sines."""
import sys

kind = "tensor<8xf32>"
print(f"tfir.graph @g(%v0: {kind}) -> (y: {kind}) {{")
for i in range(int(sys.argv[1])):
    print(f"  %v{i + 1} = tfir.sin %v{i} : ({kind}) -> {kind}")
print(f"  tfir.return %v{sys.argv[1]} : {kind}\n}}")
