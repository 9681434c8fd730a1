// Kernels whose names PTX cannot tell apart get entries of their own.
// RUN: PrintPtx %s sm_80 | FileCheck %s

// CHECK: // a.b: a_b <<<1, 32>>>
// CHECK: // a_b: a_b$ <<<1, 32>>>
// CHECK: .visible .entry a_b(
// CHECK: .visible .entry a_b$(
func.func @"a.b"(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @a_b(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
