// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the reduction loops with the accumulators as loop-carried values, which
// LLVM keeps in registers.
#include "lib/target/cpu/contraction/MicroKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace graphc {

/// One step of the reduction at the element offsets `a` and `b`.
static void emitStep(KernelBuilder &builder, const MicroKernel &kernel, Value a,
                     Value b, SmallVector<Value> &accumulators) {
  VectorType type = builder.floatVector(kernel.width);
  int64_t perRow = kernel.vectorsPerRow();
  SmallVector<Value> columns;
  for (int64_t c = 0; c < perRow; ++c) {
    Value mask =
        kernel.maskColumns
            ? builder.mask(kernel.width, kernel.columns - c * kernel.width)
            : Value();
    columns.push_back(
        builder.load(type, kernel.b, builder.add(b, c * kernel.width), mask));
  }
  for (auto [row, offset] : llvm::enumerate(kernel.rowOffsets)) {
    Value element =
        memref::LoadOp::create(builder, kernel.a, builder.add(a, offset));
    Value splat = vector::BroadcastOp::create(builder, type, element);
    for (int64_t c = 0; c < perRow; ++c) {
      Value &accumulator = accumulators[row * perRow + c];
      accumulator =
          vector::FMAOp::create(builder, splat, columns[c], accumulator);
    }
  }
}

static void emitLoops(KernelBuilder &builder, const MicroKernel &kernel,
                      ArrayRef<ReductionLoop> loops, Value a, Value b,
                      SmallVector<Value> &accumulators) {
  if (loops.empty())
    return emitStep(builder, kernel, a, b, accumulators);
  const ReductionLoop &loop = loops.front();
  auto op = scf::ForOp::create(builder, loop.lower, loop.upper,
                               builder.constant(1), accumulators);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.getBody());
  Value k = op.getInductionVar();
  SmallVector<Value> inner(op.getRegionIterArgs());
  emitLoops(builder, kernel, loops.drop_front(),
            builder.add(a, builder.mul(k, loop.aStride)),
            builder.add(b, builder.mul(k, loop.bStride)), inner);
  scf::YieldOp::create(builder, inner);
  accumulators.assign(op.result_begin(), op.result_end());
}

SmallVector<Value> emitMicroKernel(KernelBuilder &builder,
                                   const MicroKernel &kernel) {
  SmallVector<Value> accumulators(kernel.rowOffsets.size() *
                                      kernel.vectorsPerRow(),
                                  builder.splat(kernel.width, 0.0f));
  emitLoops(builder, kernel, kernel.loops, kernel.aBase, kernel.bBase,
            accumulators);
  return accumulators;
}

} // namespace graphc
