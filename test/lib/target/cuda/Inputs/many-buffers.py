# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""many-buffers.py COUNT: a function that negates so many tensors, over themselves."""
import sys

count = int(sys.argv[1])
arguments = ", ".join(f"%x{i}: tensor<4xf32>" for i in range(count))
results = ", ".join(f"tensor<4xf32> {{exec.inplace = {i} : i64}}"
                    for i in range(count))
print(f"func.func @f({arguments}) -> ({results}) {{")
print("  %e = tensor.empty() : tensor<4xf32>")
for i in range(count):
    print(f"  %y{i} = linalg.negf ins(%x{i} : tensor<4xf32>) "
          "outs(%e : tensor<4xf32>) -> tensor<4xf32>")
values = ", ".join(f"%y{i}" for i in range(count))
print(f"  return {values} : {', '.join(['tensor<4xf32>'] * count)}\n}}")
