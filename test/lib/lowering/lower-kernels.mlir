// Kernels become linalg; dimensions that mean nothing to them are merged.
// RUN: graphc-opt --tfir-lower-kernels %s | FileCheck %s

module @kernels {
  // Elementwise over one shape: one body, one dimension.
  // CHECK-LABEL: func.func @flat(%{{.*}}: tensor<32xf32>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<32xf32>) -> tensor<32xf32>
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]}
  // CHECK: arith.mulf
  // CHECK: arith.addf
  // CHECK-NOT: linalg.generic
  // CHECK: return
  func.func @flat(%x: tensor<8x4xf32>, %s: tensor<f32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = tfir.mul %x, %s : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %1 = tfir.add %0, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }

  // CHECK-LABEL: func.func @leading(%{{.*}}: tensor<4x6xf32>, %{{.*}}: tensor<6xf32>) -> tensor<6xf32>
  // CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]}
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]}
  func.func @leading(%x: tensor<4x3x2xf32>, %w: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = tfir.sum %x {axes = array<i64: 0>} : (tensor<4x3x2xf32>) -> tensor<3x2xf32>
    %1 = tfir.sub %w, %0 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %1 : tensor<3x2xf32>
  }

  // CHECK-LABEL: func.func @trailing(%{{.*}}: tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
  func.func @trailing(%x: tensor<4x3x2xf32>) -> tensor<4xf32> {
    %0 = tfir.square %x : (tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
    %1 = tfir.sum %0 {axes = array<i64: 1, 2>} : (tensor<4x3x2xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }

  // A contraction stays, with one body after it that also stores its result.
  // CHECK-LABEL: func.func @contraction
  // CHECK-NEXT: %[[M:.*]] = tfir.matmul
  // CHECK: %[[R:.*]]:2 = linalg.generic {{.*}} ins(%[[M]], %{{.*}} : tensor<4x16xf32>, tensor<16xf32>)
  // CHECK-NOT: linalg.generic
  // CHECK: return %[[R]]#1, %[[R]]#0
  func.func @contraction(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
    %0 = tfir.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %1 = tfir.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    %2 = tfir.relu %1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
    return %0, %2 : tensor<4x16xf32>, tensor<4x16xf32>
  }

  // Dimensions of size 1 are dropped from operands.
  // CHECK-LABEL: func.func @broadcast(%{{.*}}: tensor<4x3xf32>, %{{.*}}: tensor<2x3xf32>) -> tensor<4x2x3xf32>
  func.func @broadcast(%x: tensor<4x1x3xf32>, %y: tensor<2x3xf32>) -> tensor<4x2x3xf32> {
    %0 = tfir.add %x, %y : (tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xf32>
    return %0 : tensor<4x2x3xf32>
  }

  // Integers lose their sign; constants become numbers of the body. A word of the
  // step's state is read from its place.
  // CHECK-LABEL: func.func @types(%{{.*}}: tensor<4xi8>, %{{.*}}: tensor<8xi32> {exec.step_state_word = 2 : i64}) -> tensor<4xf32>
  // CHECK: arith.constant 2 : i8
  // CHECK: arith.extui
  func.func @types(%x: tensor<4xui8>, %step: tensor<i32> {exec.step_state_word = 2 : i64}) -> tensor<4xf32> {
    %two = tfir.const dense<2> : tensor<ui8>
    %0 = tfir.mul %x, %two : (tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
    %1 = tfir.cast %0 : (tensor<4xui8>) -> tensor<4xf32>
    %2 = tfir.cast %step : (tensor<i32>) -> tensor<f32>
    %3 = tfir.add %1, %2 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
}

// Without kernels there is nothing to do.
// CHECK-LABEL: tfir.graph @untouched
// CHECK-NEXT: tfir.neg
tfir.graph @untouched(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  %y = tfir.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  tfir.return %y : tensor<4xf32>
}
