// Kernels become machine code for each level of CPU: one image per level with an
// entry per kernel, and the kernels' costs.
// RUN: graphc --start-at=scheduled %s --stop-after=compiled | FileCheck %s
// RUN: graphc-opt --exec-compile-kernels %s | FileCheck %s
// RUN: graphc --start-at=scheduled %s --stop-after=compiled --cpu-level=v4 \
// RUN:   | FileCheck %s --check-prefix=V4
// RUN: not graphc-opt --exec-compile-kernels="levels=x86-64-v4,v5" %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LEVEL
// LEVEL: error: 'v5' is no level of CPU; kernels are made for x86-64-v3 and x86-64-v4
// V4: exec.kernel @mm units
// V4-NEXT: exec.image "x86-64-v4"
// V4-NOT: exec.image

// CHECK-NOT: module @kernels
// CHECK: exec.kernel @double units 1 scratch {{[0-9]+}} flops {{[0-9.e+]+}} bytes 6.400000e+01
// CHECK-NEXT: exec.kernel @mm units 1 scratch {{[0-9]+}} flops 1.280000e+02 bytes 2.240000e+02
// CHECK-NEXT: exec.image "x86-64-v3" entries [{{[0-9]+}}, {{[0-9]+}}] code dense<"0x{{[0-9A-F]+}}"> : tensor<{{[0-9]+}}xi8>
// CHECK-NEXT: exec.image "x86-64-v4" entries [{{[0-9]+}}, {{[0-9]+}}] code dense<"0x{{[0-9A-F]+}}"> : tensor<{{[0-9]+}}xi8>
// CHECK-NOT: exec.
module {
module @kernels {
  func.func @double(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = tensor.empty() : tensor<8xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func @mm(%x: tensor<4x2xf32>, %y: tensor<2x8xf32>) -> tensor<4x8xf32> {
    %0 = tfir.matmul %x, %y : (tensor<4x2xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
}
