// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise kernels: 128-bit accesses, a grid that strides, a masked tail.
// RUN: PrintPtx %s sm_80 | FileCheck %s
// RUN: CompareGpu %s
// RUN: CompareGpu %s %build/lib/libcuda_emulator.so
#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// CHECK-DAG: // chain: chain <<<196, 256>>> scratch 0
// CHECK-DAG: // long: long <<<2048, 256>>> scratch 0
// CHECK-DAG: // tiny: tiny <<<1, 32>>> scratch 0

// 200,001 elements: 50,000 blocks of four, and one element that is left.
// CHECK-LABEL: .visible .entry chain(
// CHECK-COUNT-4: .param .u64
// CHECK: .reqntid 256
// CHECK-NOT: .local
// CHECK: ld.global.nc.v4.{{[bf]}}32
// CHECK: ld.global.nc.v4.{{[bf]}}32
// CHECK: st.global.v4.{{[bf]}}32
// CHECK: ld.global.nc.{{[bf]}}32
// CHECK: st.global.{{[bf]}}32
// CHECK: ret;
func.func @chain(%x: tensor<200001xf32>, %y: tensor<200001xf32>,
                 %s: tensor<f32>) -> tensor<200001xf32> {
  %e = tensor.empty() : tensor<200001xf32>
  %a = linalg.generic {indexing_maps = [#id, #none, #id],
                       iterator_types = ["parallel"]}
      ins(%x, %s : tensor<200001xf32>, tensor<f32>)
      outs(%e : tensor<200001xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %t = arith.mulf %u, %v : f32
    %r = math.tanh %t : f32
    linalg.yield %r : f32
  } -> tensor<200001xf32>
  %b = linalg.add ins(%a, %y : tensor<200001xf32>, tensor<200001xf32>)
      outs(%e : tensor<200001xf32>) -> tensor<200001xf32>
  return %b : tensor<200001xf32>
}

// An update in place reads and writes one buffer.
// CHECK-LABEL: .visible .entry long(
// CHECK-COUNT-2: .param .u64
// CHECK-NOT: .param .u64
// CHECK: .reqntid 256
// CHECK: ld.global.v4.{{[bf]}}32
// CHECK: st.global.v4.{{[bf]}}32
// CHECK: bra
func.func @long(%w: tensor<4096x1024xf32>, %g: tensor<4096x1024xf32>)
    -> (tensor<4096x1024xf32> {exec.inplace = 0 : i64}) {
  %e = tensor.empty() : tensor<4096x1024xf32>
  %a = linalg.generic {indexing_maps = [#full, #full, #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%w, %g : tensor<4096x1024xf32>, tensor<4096x1024xf32>)
      outs(%e : tensor<4096x1024xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %rate = arith.constant 0.01 : f32
    %t = arith.mulf %rate, %v : f32
    %r = arith.subf %u, %t : f32
    linalg.yield %r : f32
  } -> tensor<4096x1024xf32>
  return %a : tensor<4096x1024xf32>
}

// Less than four elements: no access after the end.
// CHECK-LABEL: .visible .entry tiny(
// CHECK-NOT: .v4
// CHECK: ret;
func.func @tiny(%x: tensor<3xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %a = linalg.exp ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>)
      -> tensor<3xf32>
  return %a : tensor<3xf32>
}

// Operands per row and per column, in rows of whole blocks: the column's are
// loaded together, the row's once.
// CHECK-LABEL: .visible .entry bias(
// CHECK-DAG: ld.global.nc.v4.{{[bf]}}32
// CHECK-DAG: ld.global.nc.v4.{{[bf]}}32
// CHECK-DAG: ld.global.nc.{{[bf]}}32
// CHECK: st.global.v4.{{[bf]}}32
// CHECK: ret;
func.func @bias(%x: tensor<100x500xf32>, %b: tensor<500xf32>,
                %s: tensor<100xf32>) -> tensor<100x500xf32> {
  %e = tensor.empty() : tensor<100x500xf32>
  %a = linalg.generic {indexing_maps = [#full, #column, #row, #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b, %s : tensor<100x500xf32>, tensor<500xf32>, tensor<100xf32>)
      outs(%e : tensor<100x500xf32>) {
  ^bb0(%u: f32, %v: f32, %w: f32, %o: f32):
    %t = arith.addf %u, %v : f32
    %r = arith.mulf %t, %w : f32
    linalg.yield %r : f32
  } -> tensor<100x500xf32>
  return %a : tensor<100x500xf32>
}

// Three columns: what is read of the operand per column stays inside it.
// CHECK-LABEL: .visible .entry narrow(
// CHECK: ld.global.nc.v4
// CHECK-NOT: ld.global.nc.v
// CHECK: ret;
func.func @narrow(%x: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %a = linalg.generic {indexing_maps = [#full, #column, #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<2x3xf32>, tensor<3xf32>)
      outs(%e : tensor<2x3xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x3xf32>
  return %a : tensor<2x3xf32>
}
