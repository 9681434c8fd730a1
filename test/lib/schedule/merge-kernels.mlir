// Kernels with the same code become the first of them; what they write in place,
// and constants inside, count as code, names of ops do not.
// RUN: graphc-opt --exec-merge-kernels %s | FileCheck %s

// CHECK-LABEL: module @kernels
// CHECK: func.func @train_a
// CHECK-NOT: @eval_a
// CHECK: func.func @over
// CHECK: func.func @three
module @kernels {
  func.func @train_a(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = arith.addf %x, %x {name = "here"} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @eval_a(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = arith.addf %x, %x {name = "there"} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @over(%x: tensor<4xf32>) -> (tensor<4xf32> {exec.inplace = 0 : i64}) {
    %0 = arith.addf %x, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @three(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = arith.constant dense<3.0> : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// CHECK-LABEL: exec.program @eval
// CHECK: exec.dispatch @train_a(
// CHECK: exec.dispatch @over(
// CHECK: exec.dispatch @three(
exec.program @eval of "eval" on "/job:localhost/replica:0/task:0/device:CPU:0" arena 128 live 128 {
  %x = exec.slot arena at 0 first 0 last 2 {name = "x"} : <tensor<4xf32>>
  %y = exec.slot arena at 64 first 0 last 3 {name = "y"} : <tensor<4xf32>>
  exec.dispatch @eval_a(%x, %y) writes [1] waits [] : !exec.slot<tensor<4xf32>>, !exec.slot<tensor<4xf32>>
  exec.dispatch @over(%x) writes [0] waits [0] : !exec.slot<tensor<4xf32>>
  exec.dispatch @three(%x, %y) writes [1] waits [1] : !exec.slot<tensor<4xf32>>, !exec.slot<tensor<4xf32>>
}
