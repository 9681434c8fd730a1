// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot become a GPU kernel, and why.
// RUN: split-file %s %t
// RUN: not PrintPtx %t/function.mlir sm_80 2>&1 | FileCheck %t/function.mlir
// RUN: not PrintPtx %t/op.mlir sm_80 2>&1 | FileCheck %t/op.mlir
// RUN: not PrintPtx %t/good.mlir sm_70 2>&1 | FileCheck %t/good.mlir
// RUN: not PrintPtx %t/good.mlir sm_8 2>&1 | FileCheck %t/good.mlir
// RUN: not PrintPtx %t/good.mlir gfx90a 2>&1 | FileCheck %t/good.mlir
// RUN: not PrintPtx %t/good.mlir sm_999 2>&1 | FileCheck %t/good.mlir

//--- function.mlir
// CHECK: function.mlir:9:10: error: 'math.cbrt' of 'f64' has no kernel code;
// CHECK-SAME: compute it in f32
#id = affine_map<(i) -> (i)>
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %e = tensor.empty() : tensor<4xf64>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf64>) outs(%e : tensor<4xf64>) {
  ^bb0(%u: f64, %o: f64):
    %t = math.cbrt %u : f64
    linalg.yield %t : f64
  } -> tensor<4xf64>
  return %a : tensor<4xf64>
}

//--- op.mlir
// CHECK: op.mlir:4:8: error: 'tensor.concat' cannot be part of a fused kernel;
// CHECK-SAME: use linalg
func.func @f(%x: tensor<4xf32>) -> tensor<8xf32> {
  %a = tensor.concat dim(0) %x, %x
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

//--- good.mlir
// CHECK: error: '{{.*}}' is no GPU architecture that kernels are compiled for;
// CHECK-SAME: use sm_80 or a later one
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
