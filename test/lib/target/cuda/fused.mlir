// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several ops in one kernel: a loss with its gradient, a normalisation of
// columns, bytes, tables.
// RUN: PrintPtx %s sm_80 | FileCheck %s
// RUN: CompareGpu %s
// RUN: CompareGpu %s %build/lib/libcuda_emulator.so
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// CHECK-DAG: // loss: loss <<<75, 128>>> scratch 0
// CHECK-DAG: // normalize: normalize <<<2, 512>>> scratch 0
// CHECK-DAG: .global .align 64 .b8 table_constant{{[0-9]*}}[40] = {

// The element of a row that the label names is gathered by the row's threads.
// CHECK-LABEL: .visible .entry loss(
// CHECK-COUNT-8: shfl.sync.bfly
// CHECK: ret;
func.func @loss(%x: tensor<600x10xf32>, %labels: tensor<600xi32>)
    -> (tensor<600xf32>, tensor<600x10xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e1 = tensor.empty() : tensor<600xf32>
  %e2 = tensor.empty() : tensor<600x10xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e1 : tensor<600xf32>)
      -> tensor<600xf32>
  %max = linalg.generic {indexing_maps = [#full, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<600x10xf32>) outs(%f0 : tensor<600xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.maximumf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<600xf32>
  %exp = linalg.generic {indexing_maps = [#full, #row, #full],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<600x10xf32>, tensor<600xf32>)
      outs(%e2 : tensor<600x10xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %d = arith.subf %u, %v : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<600x10xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<600xf32>)
      -> tensor<600xf32>
  %sum = linalg.generic {indexing_maps = [#full, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<600x10xf32>) outs(%f1 : tensor<600xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<600xf32>
  %loss = linalg.generic {indexing_maps = [#id, #id, #id, #id],
                          iterator_types = ["parallel"]}
      ins(%sum, %max, %labels : tensor<600xf32>, tensor<600xf32>,
          tensor<600xi32>) outs(%e1 : tensor<600xf32>) {
  ^bb0(%s: f32, %m: f32, %l: i32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %l : i32 to index
    %own = tensor.extract %x[%i, %j] : tensor<600x10xf32>
    %log = math.log %s : f32
    %t = arith.addf %log, %m : f32
    %r = arith.subf %t, %own : f32
    linalg.yield %r : f32
  } -> tensor<600xf32>
  %grad = linalg.generic {indexing_maps = [#full, #row, #row, #full],
                          iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum, %labels : tensor<600x10xf32>, tensor<600xf32>,
          tensor<600xi32>) outs(%e2 : tensor<600x10xf32>) {
  ^bb0(%u: f32, %s: f32, %l: i32, %o: f32):
    %one = arith.constant 1.0 : f32
    %nil = arith.constant 0.0 : f32
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %is = arith.cmpi eq, %k, %l : i32
    %target = arith.select %is, %one, %nil : f32
    %p = arith.divf %u, %s : f32
    %t = arith.subf %p, %target : f32
    linalg.yield %t : f32
  } -> tensor<600x10xf32>
  return %loss, %grad : tensor<600xf32>, tensor<600x10xf32>
}

// Two passes of reductions and one of results; the running mean is stored when
// all threads have read the old one.
// CHECK-LABEL: .visible .entry normalize(
// CHECK-COUNT-3: bar{{.*}}.sync
// CHECK: ret;
func.func @normalize(%x: tensor<300x50xf32>, %mean: tensor<50xf32>)
    -> (tensor<300x50xf32>, tensor<50xf32> {exec.inplace = 1 : i64}) {
  %zero = arith.constant 0.0 : f32
  %rows = arith.constant 300.0 : f32
  %e1 = tensor.empty() : tensor<50xf32>
  %e2 = tensor.empty() : tensor<300x50xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<50xf32>)
      -> tensor<50xf32>
  %sum = linalg.generic {indexing_maps = [#full, #column],
                         iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<300x50xf32>) outs(%f : tensor<50xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<50xf32>
  %m = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%sum : tensor<50xf32>) outs(%e1 : tensor<50xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.divf %u, %rows : f32
    linalg.yield %t : f32
  } -> tensor<50xf32>
  %squares = linalg.generic {indexing_maps = [#full, #column, #column],
                             iterator_types = ["reduction", "parallel"]}
      ins(%x, %m : tensor<300x50xf32>, tensor<50xf32>)
      outs(%f : tensor<50xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %d = arith.subf %u, %v : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %q, %o : f32
    linalg.yield %t : f32
  } -> tensor<50xf32>
  %y = linalg.generic {indexing_maps = [#full, #column, #column, #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %m, %squares : tensor<300x50xf32>, tensor<50xf32>,
          tensor<50xf32>) outs(%e2 : tensor<300x50xf32>) {
  ^bb0(%u: f32, %v: f32, %q: f32, %o: f32):
    %d = arith.subf %u, %v : f32
    %w = arith.divf %q, %rows : f32
    %s = math.rsqrt %w : f32
    %t = arith.mulf %d, %s : f32
    linalg.yield %t : f32
  } -> tensor<300x50xf32>
  %running = linalg.generic {indexing_maps = [#id, #id, #id],
                             iterator_types = ["parallel"]}
      ins(%mean, %m : tensor<50xf32>, tensor<50xf32>)
      outs(%e1 : tensor<50xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<50xf32>
  return %y, %running : tensor<300x50xf32>, tensor<50xf32>
}

// One byte per bool, four of them in one access.
// CHECK-LABEL: .visible .entry compare(
// CHECK: ld.global.nc.v4
// CHECK: st.global.{{(v4.b8|b32)}}
// CHECK: ret;
func.func @compare(%x: tensor<100xf32>, %y: tensor<100xf32>)
    -> tensor<100xi1> {
  %e = tensor.empty() : tensor<100xi1>
  %a = linalg.generic {indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel"]}
      ins(%x, %y : tensor<100xf32>, tensor<100xf32>)
      outs(%e : tensor<100xi1>) {
  ^bb0(%u: f32, %v: f32, %o: i1):
    %t = arith.cmpf olt, %u, %v : f32
    linalg.yield %t : i1
  } -> tensor<100xi1>
  return %a : tensor<100xi1>
}
func.func @pixels(%x: tensor<100xi8>) -> (tensor<100xf32>, tensor<i1>) {
  %scale = arith.constant 0.00392156886 : f32
  %limit = arith.constant 250 : i8
  %no = arith.constant false
  %e = tensor.empty() : tensor<100xf32>
  %a = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<100xi8>) outs(%e : tensor<100xf32>) {
  ^bb0(%u: i8, %o: f32):
    %t = arith.uitofp %u : i8 to f32
    %r = arith.mulf %t, %scale : f32
    linalg.yield %r : f32
  } -> tensor<100xf32>
  %e2 = tensor.empty() : tensor<i1>
  %f = linalg.fill ins(%no : i1) outs(%e2 : tensor<i1>) -> tensor<i1>
  %any = linalg.generic {indexing_maps = [#id, #none],
                         iterator_types = ["reduction"]}
      ins(%x : tensor<100xi8>) outs(%f : tensor<i1>) {
  ^bb0(%u: i8, %o: i1):
    %t = arith.cmpi ugt, %u, %limit : i8
    %r = arith.ori %t, %o : i1
    linalg.yield %r : i1
  } -> tensor<i1>
  return %a, %any : tensor<100xf32>, tensor<i1>
}

// A table that is a constant is part of the PTX, before the entries.
// CHECK-LABEL: .visible .entry table(
// CHECK: table_constant
func.func @table(%x: tensor<7x5xi32>) -> tensor<7x5xf32> {
  %numbers = arith.constant dense<[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5,
                                   9.5]> : tensor<10xf32>
  %e = tensor.empty() : tensor<7x5xf32>
  %y = linalg.generic {indexing_maps = [#full, #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<7x5xi32>) outs(%e : tensor<7x5xf32>) {
  ^bb0(%u: i32, %o: f32):
    %i = arith.index_cast %u : i32 to index
    %t = tensor.extract %numbers[%i] : tensor<10xf32>
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %r = arith.addf %t, %f : f32
    linalg.yield %r : f32
  } -> tensor<7x5xf32>
  return %y : tensor<7x5xf32>
}
