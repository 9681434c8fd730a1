// Result types that follow from the operands may be left out, and lists of integers be
// written as lists; both are printed in full.
// RUN: split-file %s %t
// RUN: graphc-opt %t/short.mlir | FileCheck %s
// RUN: graphc-opt %t/short.mlir > %t/full.mlir && graphc-opt %t/full.mlir | diff %t/full.mlir -
// RUN: not graphc-opt --split-input-file %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=WRONG

//--- short.mlir
tfir.graph @g(%x: tensor<?x8x8x3xf32>, %labels: tensor<?xi32>) -> (y: tensor<?x4x4x3xf32>) {
  // CHECK: %[[P:.*]] = tfir.max_pool %{{.*}} {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x8x8x3xf32>) -> tensor<?x4x4x3xf32>
  %p = tfir.max_pool %x {ksize = [2, 2], strides = [2, 2]} : (tensor<?x8x8x3xf32>)
  // CHECK: tfir.add %[[P]], %[[P]] : (tensor<?x4x4x3xf32>, tensor<?x4x4x3xf32>) -> tensor<?x4x4x3xf32>
  %y = tfir.add %p, %p : (tensor<?x4x4x3xf32>, tensor<?x4x4x3xf32>)
  // CHECK: tfir.sum %{{.*}} {axes = array<i64: 1, 2, 3>} : (tensor<?x4x4x3xf32>) -> tensor<?xf32>
  %s = tfir.sum %y {axes = [1, 2, 3]} : (tensor<?x4x4x3xf32>)
  // CHECK: tfir.arg_max %{{.*}} {axis = 1 : i64} : (tensor<?x8x8x3xf32>) -> tensor<?x8x3xi64>
  %a = tfir.arg_max %x {axis = 1} : (tensor<?x8x8x3xf32>)
  tfir.return %y : tensor<?x4x4x3xf32>
}

//--- wrong.mlir
tfir.graph @cast(%x: tensor<2xf32>) {
  // WRONG: :3:8: error: custom op 'tfir.cast' expected '->' and the types of the results, which do not follow from the operands here
  %y = tfir.cast %x : (tensor<2xf32>)
}
// -----
tfir.graph @operands(%x: tensor<2xf32>) {
  // WRONG: 'tfir.add' op expected 2 operands, but found 1
  %y = tfir.add %x : (tensor<2xf32>)
}
// -----
tfir.graph @shapes(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // WRONG: 'tfir.add' op operands of types 'tensor<2xf32>' and 'tensor<3xf32>' do not broadcast
  %z = tfir.add %x, %y : (tensor<2xf32>, tensor<3xf32>)
}
// -----
tfir.graph @list(%x: tensor<2xf32>) {
  // WRONG: 'tfir.sum' op attribute 'axes' failed to satisfy constraint: i64 dense array attribute
  %z = tfir.sum %x {axes = [1.0]} : (tensor<2xf32>)
}
// -----
tfir.graph @pool(%x: tensor<1x4x4x8xf32>) {
  // WRONG: error: custom op 'tfir.avg_pool' requires attribute 'strides'
  %y = tfir.avg_pool %x {ksize = [2, 2], padding = "VALID"} : (tensor<1x4x4x8xf32>)
}
// -----
tfir.graph @huge(%x: tensor<4xi32>, %y: tensor<9223372036854775807xi32>) {
  // WRONG: 'tfir.concat' op joins 'tensor<4xi32>' and 'tensor<9223372036854775807xi32>', whose dimensions 0 are together more than 2^63 - 1
  %z = tfir.concat %x, %y {axis = 0} : (tensor<4xi32>, tensor<9223372036854775807xi32>)
}
