// A program takes the turns of a pipeline in their order, whatever the length of the ways
// to the end; what has no turn is free.
// RUN: graphc-opt --exec-schedule-programs %s | FileCheck %s
// RUN: sed 's/tfir.slot = [0-9] : i64/name = ""/' %s | graphc-opt --exec-schedule-programs | FileCheck %s --check-prefix=FREE
// RUN: sed 's/tfir.slot = 0 : i64/tfir.slot = 7 : i64/' %s | graphc-opt --exec-schedule-programs | FileCheck %s --check-prefix=CIRCLE

module @kernels {
  func.func @f0(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
  func.func @f1(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
  func.func @b0(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
  func.func @free(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
  func.func @other(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
}

// The second pass forward runs before the first one back, though this is sent on.
// CHECK-LABEL: exec.program @"turns/CPU:0"
// CHECK: exec.dispatch @f0
// CHECK-NEXT: exec.send
// CHECK: exec.dispatch @f1
// CHECK: exec.dispatch @b0
// FREE-LABEL: exec.program @"turns/CPU:0"
// FREE: exec.dispatch @f0
// FREE-NEXT: exec.send
// FREE: exec.dispatch @b0
// FREE: exec.dispatch @f1
// Turns that nothing can keep are given up.
// CIRCLE-LABEL: exec.program @"turns/CPU:0"
// CIRCLE: exec.dispatch @f0
// CIRCLE: exec.dispatch @b0
tfir.graph @"turns/CPU:0"(%x: tensor<4xf32>) -> (a: tensor<4xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:CPU:0">, feed_order = array<i64: 0>, fetch_order = array<i64: 0>, partition_of = "turns"} {
  %0 = exec.launch @f0(%x) {tfir.slot = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  tfir.send %0 edge 0 to 1 : tensor<4xf32>
  %2 = exec.launch @b0(%0) {tfir.slot = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  tfir.send %2 edge 1 to 1 : tensor<4xf32>
  %1 = exec.launch @f1(%x) {tfir.slot = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = exec.launch @free(%1) : (tensor<4xf32>) -> tensor<4xf32>
  tfir.return %3 : tensor<4xf32>
}
tfir.graph @"turns/CPU:1"() -> (b: tensor<4xf32>, c: tensor<4xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:CPU:1">, feed_order = array<i64>, fetch_order = array<i64: 1, 2>, partition_of = "turns"} {
  %0 = tfir.recv edge 0 from 0 level 1 : tensor<4xf32>
  %1 = tfir.recv edge 1 from 0 level 1 : tensor<4xf32>
  %a = exec.launch @other(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %b = exec.launch @other(%1) : (tensor<4xf32>) -> tensor<4xf32>
  tfir.return %a, %b : tensor<4xf32>, tensor<4xf32>
}
