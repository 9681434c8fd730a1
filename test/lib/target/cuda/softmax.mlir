// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax: a warp per row, or a block for long rows; values stay in registers
// from pass to pass while they fit.
// RUN: PrintPtx %s sm_90 | FileCheck %s
// RUN: CompareGpu %s
// RUN: CompareGpu %s %build/lib/libcuda_emulator.so
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> ()>

// CHECK-DAG: // short: short <<<750, 128>>> scratch 0
// CHECK-DAG: // middle: middle <<<64, 64>>> scratch 0
// CHECK-DAG: // long: long <<<16, 512>>> scratch 0

// Rows of 10, as 16 lanes: four shuffles per reduction, no shared memory.
// CHECK-LABEL: .visible .entry short(
// CHECK-NOT: .shared
// CHECK: ld.global.nc.{{[bf]}}32
// CHECK-COUNT-8: shfl.sync.bfly
// CHECK-NOT: shfl
// CHECK: st.global.{{[bf]}}32
// CHECK: ret;
func.func @short(%x: tensor<6000x10xf32>) -> tensor<6000x10xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e1 = tensor.empty() : tensor<6000xf32>
  %e2 = tensor.empty() : tensor<6000x10xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e1 : tensor<6000xf32>) -> tensor<6000xf32>
  %max = linalg.generic {indexing_maps = [#full, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6000x10xf32>) outs(%f0 : tensor<6000xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.maximumf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<6000xf32>
  %exp = linalg.generic {indexing_maps = [#full, #row, #full],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<6000x10xf32>, tensor<6000xf32>) outs(%e2 : tensor<6000x10xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %d = arith.subf %u, %v : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<6000x10xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<6000xf32>) -> tensor<6000xf32>
  %sum = linalg.generic {indexing_maps = [#full, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<6000x10xf32>) outs(%f1 : tensor<6000xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<6000xf32>
  %y = linalg.generic {indexing_maps = [#full, #row, #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<6000x10xf32>, tensor<6000xf32>) outs(%e2 : tensor<6000x10xf32>) {
  ^bb0(%u: f32, %s: f32, %o: f32):
    %t = arith.divf %u, %s : f32
    linalg.yield %t : f32
  } -> tensor<6000x10xf32>
  return %y : tensor<6000x10xf32>
}

// Rows of 1000: each element is loaded once, 128 bits at a time.
// CHECK-LABEL: .visible .entry middle(
// CHECK: .shared
// CHECK-COUNT-4: ld.global.nc.v4
// CHECK-NOT: ld.global
// CHECK: shfl.sync.bfly
// CHECK: bar{{.*}}.sync
// CHECK-COUNT-4: st.global.v4
// CHECK: ret;
func.func @middle(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %e2 = tensor.empty() : tensor<64x1000xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %max = linalg.generic {indexing_maps = [#full, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x1000xf32>) outs(%f0 : tensor<64xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.maximumf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %exp = linalg.generic {indexing_maps = [#full, #row, #full],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<64x1000xf32>, tensor<64xf32>) outs(%e2 : tensor<64x1000xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %d = arith.subf %u, %v : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<64x1000xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [#full, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<64x1000xf32>) outs(%f1 : tensor<64xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#full, #row, #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<64x1000xf32>, tensor<64xf32>) outs(%e2 : tensor<64x1000xf32>) {
  ^bb0(%u: f32, %s: f32, %o: f32):
    %t = arith.divf %u, %s : f32
    linalg.yield %t : f32
  } -> tensor<64x1000xf32>
  return %y : tensor<64x1000xf32>
}

// Longer rows are read in each of three passes.
// CHECK-LABEL: .visible .entry long(
// CHECK: ld.global.nc.v4
// CHECK: bar{{.*}}.sync
// CHECK: ld.global.nc.v4
// CHECK: bar{{.*}}.sync
// CHECK: ld.global.nc.v4
// CHECK: st.global.v4
// CHECK: ret;
func.func @long(%x: tensor<16x30000xf32>) -> tensor<16x30000xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e1 = tensor.empty() : tensor<16xf32>
  %e2 = tensor.empty() : tensor<16x30000xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
  %max = linalg.generic {indexing_maps = [#full, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16x30000xf32>) outs(%f0 : tensor<16xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.maximumf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %exp = linalg.generic {indexing_maps = [#full, #row, #full],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<16x30000xf32>, tensor<16xf32>) outs(%e2 : tensor<16x30000xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %d = arith.subf %u, %v : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<16x30000xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [#full, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<16x30000xf32>) outs(%f1 : tensor<16xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [#full, #row, #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<16x30000xf32>, tensor<16xf32>) outs(%e2 : tensor<16x30000xf32>) {
  ^bb0(%u: f32, %s: f32, %o: f32):
    %t = arith.divf %u, %s : f32
    linalg.yield %t : f32
  } -> tensor<16x30000xf32>
  return %y : tensor<16x30000xf32>
}
