// The plans for two numbers of workers become one module: a graph that is the
// same in both is there once, others have the number in their name, and kernels
// with the same code are those of the larger plan.
// RUN: graphc-opt --exec-join-members --split-input-file %s | FileCheck %s

// CHECK: tfir.variable @w
// CHECK-NOT: tfir.variable
// CHECK: tfir.dataset @d(x: tensor<f32>) {batch = 5 : i64, per_worker}
// CHECK: tfir.dataset @e(x: tensor<f32>) {batch = 7 : i64}
// CHECK: func.func @double
// CHECK: func.func @third
// CHECK: func.func @half
// CHECK-NOT: func.func
// CHECK: exec.program @"train#3" of "train#3"
// CHECK-SAME: member = 3
// CHECK: exec.dispatch @third(
// CHECK: exec.program @init of "init"
// CHECK-NOT: member =
// CHECK: exec.dispatch @double(
// CHECK: exec.program @"train#2" of "train#2"
// CHECK-SAME: member = 2
// CHECK: exec.dispatch @half(
// CHECK-NOT: exec.program
module {
  module attributes {exec.member = 3 : i64} {
    tfir.variable @w : tensor<4xf32> = #tfir.fill<1.0> {assigned_device = #tfir.device<"/job:ps/replica:0/task:0/device:CPU:0">}
    tfir.dataset @d(x: tensor<f32>) {batch = 15 : i64, batch_of_worker = 5 : i64}
    tfir.dataset @e(x: tensor<f32>) {batch = 7 : i64}
    module @kernels {
      func.func @double(%x: tensor<4xf32>) -> (tensor<4xf32> {exec.inplace = 0 : i64}) {
        %0 = arith.addf %x, %x : tensor<4xf32>
        return %0 : tensor<4xf32>
      }
      func.func @third(%x: tensor<4xf32>) -> (tensor<4xf32> {exec.inplace = 0 : i64}) {
        %0 = arith.constant dense<0.3> : tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    exec.program @train of "train" on "/job:ps/replica:0/task:0/device:CPU:0" arena 0 live 0 {
      %w = exec.slot variable @w : <tensor<4xf32>>
      exec.dispatch @third(%w) writes [0] waits [] : !exec.slot<tensor<4xf32>>
    }
    exec.program @init of "init" on "/job:ps/replica:0/task:0/device:CPU:0" arena 0 live 0 {
      %w = exec.slot variable @w : <tensor<4xf32>>
      exec.dispatch @double(%w) writes [0] waits [] : !exec.slot<tensor<4xf32>>
    }
  }
  module attributes {exec.member = 2 : i64} {
    tfir.variable @w : tensor<4xf32> = #tfir.fill<1.0> {assigned_device = #tfir.device<"/job:ps/replica:0/task:0/device:CPU:0">, device = #tfir.device<"/job:ps">}
    tfir.dataset @d(x: tensor<f32>) {batch = 10 : i64, batch_of_worker = 5 : i64}
    tfir.dataset @e(x: tensor<f32>) {batch = 7 : i64}
    module @kernels {
      func.func @half(%x: tensor<4xf32>) -> (tensor<4xf32> {exec.inplace = 0 : i64}) {
        %0 = arith.constant dense<0.5> : tensor<4xf32>
        return %0 : tensor<4xf32>
      }
      func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32> {exec.inplace = 0 : i64}) {
        %0 = arith.addf %x, %x : tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    exec.program @train of "train" on "/job:ps/replica:0/task:0/device:CPU:0" arena 0 live 0 {
      %w = exec.slot variable @w : <tensor<4xf32>>
      exec.dispatch @half(%w) writes [0] waits [] : !exec.slot<tensor<4xf32>>
    }
    exec.program @init of "init" on "/job:ps/replica:0/task:0/device:CPU:0" arena 0 live 0 {
      %w = exec.slot variable @w : <tensor<4xf32>>
      exec.dispatch @twice(%w) writes [0] waits [] : !exec.slot<tensor<4xf32>>
    }
  }
}

// -----

// A worker's own graph names the form of the graph that applies its gradients.
// CHECK: exec.program @"train@0#3"
// CHECK-SAME: apply = "train@apply#3"
// CHECK: exec.program @"train@0#2"
// CHECK-SAME: apply = "train@apply#2"
module {
  module attributes {exec.member = 3 : i64} {
    module @kernels {}
    exec.program @"train@0" of "train@0" on "/job:ps/replica:0/task:0/device:CPU:0" arena 0 live 0
        attributes {instance = #tfir.instance<of = "train", worker = 0, workers = 3, coordination = quorum, quorum = 1, apply = "train@apply">} { ^bb0: }
    exec.program @"train@apply" of "train@apply" on "/job:ps/replica:0/task:0/device:CPU:0" arena 64 live 64 { ^bb0: }
  }
  module attributes {exec.member = 2 : i64} {
    module @kernels {}
    exec.program @"train@0" of "train@0" on "/job:ps/replica:0/task:0/device:CPU:0" arena 0 live 0
        attributes {instance = #tfir.instance<of = "train", worker = 0, workers = 2, coordination = quorum, quorum = 1, apply = "train@apply">} { ^bb0: }
    exec.program @"train@apply" of "train@apply" on "/job:ps/replica:0/task:0/device:CPU:0" arena 0 live 0 { ^bb0: }
  }
}

// -----

// One plan stays as it is.
// CHECK: exec.program @alone of "alone"
// CHECK-NOT: member =
module {
  module @kernels {}
  exec.program @alone of "alone" on "/job:ps/replica:0/task:0/device:CPU:0" arena 0 live 0 { ^bb0: }
}
