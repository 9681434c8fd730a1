// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three strategies, the fastest first: one pass over a matrix in explicit
// vectors (FlatKernel), row by row in loops (RowKernel), and, when there are no
// independent rows, the same loops over whole tensors in a single unit.
#include "lib/target/cpu/fused/FusedKernel.h"

#include "lib/target/cpu/fused/FlatKernel.h"
#include "lib/target/cpu/fused/RowKernel.h"

using namespace mlir;

namespace graphc {

FailureOr<func::FuncOp> emitFusedKernel(func::FuncOp func) {
  TensorKernel kernel(func);
  if (failed(kernel.normalize()))
    return failure();
  if (std::optional<FlatPlan> plan = planFlat(kernel)) {
    emitFlatKernel(kernel, *plan);
    return func;
  }
  if (failed(kernel.fuse()))
    return failure();
  emitRowKernel(kernel, planRows(kernel));
  return func;
}

} // namespace graphc
