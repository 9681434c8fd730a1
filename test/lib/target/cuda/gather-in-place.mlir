// An argument that is gathered from and overwritten: no thread writes before all
// have read, so the new values are made elsewhere first.
// RUN: CompareGpu %s
// RUN: PrintPtx %s sm_80 | FileCheck %s
#id = affine_map<(i) -> (i)>

// CHECK: // turn: turn <<<1, 256>>> scratch 16384
func.func @turn(%x: tensor<4096xf32>, %w: tensor<4096xf32>)
    -> (tensor<4096xf32> {exec.inplace = 1 : i64}) {
  %e = tensor.empty() : tensor<4096xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%u: f32, %o: f32):
    %i = linalg.index 0 : index
    %last = arith.constant 4095 : index
    %j = arith.subi %last, %i : index
    %g = tensor.extract %w[%j] : tensor<4096xf32>
    %t = arith.addf %g, %u : f32
    linalg.yield %t : f32
  } -> tensor<4096xf32>
  return %a : tensor<4096xf32>
}
