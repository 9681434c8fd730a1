// Kernels become one unit of scalar code for each level of CPU: temporaries in
// scratch memory, constants beside the code, results in place of arguments.
// RUN: graphc-opt --exec-compile-kernels %s | FileCheck %s
// RUN: graphc-opt --exec-compile-kernels=levels=x86-64-v4 %s \
// RUN:   | FileCheck %s --check-prefix=V4
// V4-NOT: x86-64-v3
// V4: exec.image "x86-64-v4"

// CHECK-NOT: module @kernels
// CHECK: exec.kernel @sum units 1 scratch 64 flops 8.000000e+00 bytes 3.600000e+01
// CHECK-NEXT: exec.kernel @over units 1 scratch {{[0-9]+}}
// CHECK-NEXT: exec.kernel @both units 1 scratch 64
// CHECK-NEXT: exec.kernel @table units 1 scratch {{[0-9]+}}
// CHECK-NEXT: exec.kernel @bools units 1 scratch 64
// CHECK-NEXT: exec.kernel @product units 1 scratch 128
// CHECK-NEXT: exec.kernel @nothing units 1 scratch 64
// CHECK-NEXT: exec.kernel @empty units 1 scratch 0
// CHECK-NEXT: exec.image "x86-64-v3" entries [{{[0-9, ]+}}] code
// CHECK-NEXT: exec.image "x86-64-v4" entries [{{[0-9, ]+}}] code
#v = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
module attributes {tfir.cpu_target = "reference"} {
module @kernels {
  func.func @sum(%x: tensor<8xf32>) -> tensor<f32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<f32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %y = linalg.generic {indexing_maps = [#v, #s], iterator_types = ["reduction"]}
        ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
    ^bb0(%a: f32, %o: f32):
      %t = arith.addf %o, %a : f32
      linalg.yield %t : f32
    } -> tensor<f32>
    return %y : tensor<f32>
  }
  func.func @over(%x: tensor<8xf32>) -> (tensor<8xf32> {exec.inplace = 0 : i64}) {
    %e = tensor.empty() : tensor<8xf32>
    %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %t = arith.addf %a, %a : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
  func.func @both(%x: tensor<8xf32>) -> tensor<2x4xf32> {
    %y = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    return %y : tensor<2x4xf32>
  }
  func.func @table(%x: tensor<3xf32>) -> tensor<3xf32> {
    %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %e = tensor.empty() : tensor<3xf32>
    %y = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]}
        ins(%x, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %t = arith.mulf %a, %b : f32
      linalg.yield %t : f32
    } -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
  func.func @bools(%x: tensor<8xi1>) -> tensor<8xi1> {
    %e = tensor.empty() : tensor<8xi1>
    %true = arith.constant true
    %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
        ins(%x : tensor<8xi1>) outs(%e : tensor<8xi1>) {
    ^bb0(%a: i1, %o: i1):
      %t = arith.xori %a, %true : i1
      linalg.yield %t : i1
    } -> tensor<8xi1>
    return %y : tensor<8xi1>
  }
  func.func @product(%x: tensor<4x2xf32>, %y: tensor<2x8xf32>) -> tensor<4x8xf32> {
    %0 = tfir.matmul %x, %y : (tensor<4x2xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @nothing(%x: tensor<4x0x4xf32>) -> tensor<4xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>],
                         iterator_types = ["parallel", "reduction", "reduction"]}
        ins(%x : tensor<4x0x4xf32>) outs(%z : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %t = arith.addf %o, %a : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
  func.func @empty(%x: tensor<4x0x4xf32>) -> tensor<4x0x4xf32> {
    return %x : tensor<4x0x4xf32>
  }
}
}
