// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of rows, columns and everything.
// RUN: PrintPtx %s sm_80 | FileCheck %s
// RUN: CompareGpu %s
// RUN: CompareGpu %s %build/lib/libcuda_emulator.so
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> ()>

// CHECK-DAG: // rows: rows <<<1024, 128>>>
// CHECK-DAG: // columns: columns <<<32, 512>>>
// CHECK-DAG: // few: few <<<1, 512>>>
// CHECK-DAG: // loss: loss_0 <<<64, 256>>> scratch 256
// CHECK-DAG: // loss: loss_1 <<<1, 256>>> scratch 256
// CHECK-DAG: // wide: wide <<<8, 128>>>

// CHECK-LABEL: .visible .entry rows(
// CHECK: ld.global.nc.v4
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK-NOT: shfl
// CHECK: ret;
func.func @rows(%x: tensor<4096x256xf32>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %s = linalg.generic {indexing_maps = [#full, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4096x256xf32>) outs(%f : tensor<4096xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<4096xf32>
  return %s : tensor<4096xf32>
}

// Neighbouring threads read neighbouring columns; their warps meet in shared
// memory, without shuffles.
// CHECK-LABEL: .visible .entry columns(
// CHECK: .shared
// CHECK-NOT: shfl
// CHECK: st.shared
// CHECK: bar{{.*}}.sync
// CHECK: ld.shared
// CHECK: ret;
func.func @columns(%x: tensor<2000x1024xf32>) -> tensor<1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %s = linalg.generic {indexing_maps = [#full, #column],
                       iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<2000x1024xf32>) outs(%f : tensor<1024xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<1024xf32>
  return %s : tensor<1024xf32>
}

// Ten columns: a warp has two rows of them, so lanes are combined first.
// CHECK-LABEL: .visible .entry few(
// CHECK: shfl.sync.bfly
// CHECK-NOT: shfl
// CHECK: st.shared
// CHECK: ret;
func.func @few(%x: tensor<1000x10xf32>) -> tensor<10xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<10xf32>) -> tensor<10xf32>
  %s = linalg.generic {indexing_maps = [#full, #column],
                       iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<1000x10xf32>) outs(%f : tensor<10xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<10xf32>
  return %s : tensor<10xf32>
}

// Few rows: a thread has a column of its own.
// CHECK-LABEL: .visible .entry wide(
// CHECK-NOT: shfl
// CHECK-NOT: bar
// CHECK: ret;
func.func @wide(%x: tensor<16x1000xf32>) -> tensor<1000xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1000xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
  %s = linalg.generic {indexing_maps = [#full, #column],
                       iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<16x1000xf32>) outs(%f : tensor<1000xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<1000xf32>
  return %s : tensor<1000xf32>
}

// 64 bits go through two shuffles, 8 bits through one of 32.
// CHECK-LABEL: .visible .entry doubles(
// CHECK-COUNT-10: shfl.sync.bfly.b32
// CHECK-NOT: shfl
// CHECK: ret;
func.func @doubles(%x: tensor<512x256xf64>) -> tensor<512xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<512xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<512xf64>) -> tensor<512xf64>
  %s = linalg.generic {indexing_maps = [#full, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<512x256xf64>) outs(%f : tensor<512xf64>) {
  ^bb0(%u: f64, %o: f64):
    %t = arith.addf %u, %o : f64
    linalg.yield %t : f64
  } -> tensor<512xf64>
  return %s : tensor<512xf64>
}

// CHECK-LABEL: .visible .entry bytes(
// CHECK: ld.global.nc.{{.*}}32
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK-NOT: shfl
// CHECK: ret;
func.func @bytes(%x: tensor<512x128xi8>) -> tensor<512xi8> {
  %zero = arith.constant 0 : i8
  %e = tensor.empty() : tensor<512xi8>
  %f = linalg.fill ins(%zero : i8) outs(%e : tensor<512xi8>) -> tensor<512xi8>
  %s = linalg.generic {indexing_maps = [#full, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<512x128xi8>) outs(%f : tensor<512xi8>) {
  ^bb0(%u: i8, %o: i8):
    %t = arith.maxui %u, %o : i8
    linalg.yield %t : i8
  } -> tensor<512xi8>
  return %s : tensor<512xi8>
}

// No number is added by two threads at the same address.
// CHECK-LABEL: .visible .entry everything(
// CHECK-NOT: atom
// CHECK-NOT: {{[[:space:]]}}red.
// CHECK: ret;
func.func @everything(%x: tensor<100x100xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [#full, #all],
                       iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<100x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}

// Long ones have two stages: 64 parts, each from a block, then one block. No
// number is added to memory that others add to.
// CHECK-LABEL: .visible .entry loss_0(
// CHECK-COUNT-3: .param .u64
// CHECK-NOT: atom
// CHECK: shfl.sync.bfly
// CHECK: st.global
// CHECK-LABEL: .visible .entry loss_1(
// CHECK-COUNT-3: .param .u64
// CHECK: ld.global
// CHECK: shfl.sync.bfly
// CHECK: st.global
func.func @loss(%x: tensor<501x401xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [#full, #all],
                       iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<501x401xf32>) outs(%f : tensor<f32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}
