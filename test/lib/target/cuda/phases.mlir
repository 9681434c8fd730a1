// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is neither elementwise nor of lines: a launch per op, or one block with
// barriers for small ones.
// RUN: PrintPtx %s sm_80 | FileCheck %s
// RUN: CompareGpu %s
// RUN: CompareGpu %s %build/lib/libcuda_emulator.so
#id = affine_map<(i) -> (i)>
#full = affine_map<(i, j) -> (i, j)>
#cube = affine_map<(i, j, k) -> (i, j, k)>
#ends = affine_map<(i, j, k) -> (i, k)>
#turned = affine_map<(i, j) -> (j, i)>

// CHECK-DAG: // transpose: transpose <<<512, 256>>> scratch 0
// CHECK-DAG: // shift: shift_0 <<<391, 256>>> scratch 400000
// CHECK-DAG: // shift: shift_1 <<<391, 256>>> scratch 400000
// CHECK-DAG: // small: small <<<1, 256>>> scratch 448
// CHECK-DAG: // turns: turns <<<1, 256>>> scratch 0
// CHECK-DAG: // pool: pool <<<98, 256>>> scratch 0

// Tiles of 32 x 32, turned in shared memory.
// CHECK-LABEL: .visible .entry transpose(
// CHECK: .shared {{.*}}[4224]
// CHECK: ld.global.nc.{{[bf]}}32
// CHECK: st.shared
// CHECK: bar{{.*}}.sync
// CHECK: ld.shared
// CHECK: st.global.{{[bf]}}32
// CHECK: ret;
func.func @transpose(%x: tensor<1000x500xf32>) -> tensor<500x1000xf32> {
  %e = tensor.empty() : tensor<500x1000xf32>
  %y = linalg.generic {indexing_maps = [#turned, #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1000x500xf32>) outs(%e : tensor<500x1000xf32>) {
  ^bb0(%u: f32, %o: f32):
    linalg.yield %u : f32
  } -> tensor<500x1000xf32>
  return %y : tensor<500x1000xf32>
}

// An update that reads other elements than its own is staged.
// CHECK-LABEL: .visible .entry shift_0(
// CHECK-COUNT-2: .param .u64
// CHECK: st.global
// CHECK-LABEL: .visible .entry shift_1(
// CHECK-COUNT-2: .param .u64
// CHECK: st.global
func.func @shift(%x: tensor<100000xf32>)
    -> (tensor<100000xf32> {exec.inplace = 0 : i64}) {
  %e = tensor.empty() : tensor<100000xf32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%e : tensor<100000xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %last = arith.constant 99999 : index
    %from = arith.subi %last, %i : index
    %u = tensor.extract %x[%from] : tensor<100000xf32>
    linalg.yield %u : f32
  } -> tensor<100000xf32>
  return %y : tensor<100000xf32>
}

// Small ops share a block; between them it waits.
// CHECK-LABEL: .visible .entry small(
// CHECK: st.global
// CHECK: bar{{.*}}.sync
// CHECK: ld.global
// CHECK: ret;
func.func @small(%x: tensor<10x10xf32>)
    -> (tensor<10x10xf32>, tensor<10x10xf32>) {
  %e = tensor.empty() : tensor<10x10xf32>
  %a = linalg.matmul ins(%x, %x : tensor<10x10xf32>, tensor<10x10xf32>)
      outs(%x : tensor<10x10xf32>) -> tensor<10x10xf32>
  %b = linalg.matmul ins(%a, %x : tensor<10x10xf32>, tensor<10x10xf32>)
      outs(%a : tensor<10x10xf32>) -> tensor<10x10xf32>
  %c = linalg.generic {indexing_maps = [#turned, #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<10x10xf32>) outs(%e : tensor<10x10xf32>) {
  ^bb0(%u: f32, %o: f32):
    linalg.yield %u : f32
  } -> tensor<10x10xf32>
  return %b, %c : tensor<10x10xf32>, tensor<10x10xf32>
}

// CHECK-LABEL: .visible .entry pool(
// CHECK: max.NaN.f32
// CHECK: ret;
func.func @pool(%x: tensor<8x28x28x16xf32>) -> tensor<8x14x14x16xf32> {
  %low = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<8x14x14x16xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<8x14x14x16xf32>)
      -> tensor<8x14x14x16xf32>
  %y = linalg.pooling_nhwc_max {strides = dense<2> : vector<2xi64>}
      ins(%x, %window : tensor<8x28x28x16xf32>, tensor<2x2xf32>)
      outs(%f : tensor<8x14x14x16xf32>) -> tensor<8x14x14x16xf32>
  return %y : tensor<8x14x14x16xf32>
}

// Sums of 80 numbers each, 32 of them at a time in the only block: shared memory
// is written again when all have read it, and the second op waits for the first.
// CHECK-LABEL: .visible .entry turns(
// CHECK-COUNT-3: bar{{.*}}.sync
// CHECK: ret;
func.func @turns(%x: tensor<3x80x60xf32>)
    -> (tensor<3x60xf32>, tensor<60x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<3x60xf32>
  %e2 = tensor.empty() : tensor<60x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3x60xf32>)
      -> tensor<3x60xf32>
  %s = linalg.generic {indexing_maps = [#cube, #ends],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<3x80x60xf32>) outs(%f : tensor<3x60xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<3x60xf32>
  %y = linalg.generic {indexing_maps = [#turned, #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<3x60xf32>) outs(%e2 : tensor<60x3xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = math.sqrt %u : f32
    linalg.yield %t : f32
  } -> tensor<60x3xf32>
  return %s, %y : tensor<3x60xf32>, tensor<60x3xf32>
}
