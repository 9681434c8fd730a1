// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the reduction loops with the accumulators as loop-carried values, which
// LLVM keeps in registers.
#include "lib/target/cpu/contraction/MicroKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
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

/// The number of steps of a loop that begins at zero, if it is known.
static std::optional<int64_t> stepsOf(const ReductionLoop &loop) {
  std::optional<int64_t> upper = getConstantIntValue(loop.upper);
  return isZeroInteger(loop.lower) ? upper : std::nullopt;
}

/// Makes one of two loops where the outer one goes on where the inner one ends,
/// as the rows and columns of an image that a filter of one pixel runs over.
static SmallVector<ReductionLoop> mergeLoops(KernelBuilder &builder,
                                             ArrayRef<ReductionLoop> loops) {
  SmallVector<ReductionLoop> merged;
  for (const ReductionLoop &loop : loops) {
    std::optional<int64_t> steps = stepsOf(loop);
    if (merged.empty() || !steps ||
        merged.back().aStride != *steps * loop.aStride ||
        merged.back().bStride != *steps * loop.bStride) {
      merged.push_back(loop);
      continue;
    }
    ReductionLoop outer = merged.pop_back_val();
    merged.push_back({builder.mul(outer.lower, *steps),
                      builder.mul(outer.upper, *steps), loop.aStride,
                      loop.bStride});
  }
  return merged;
}

/// Offsets go along with the loops, so that no index is multiplied in them: the
/// counter is the offset in `b`, and that in `a` is carried. LLVM's loop
/// strength reduction would do the same, for a tenth of the time that compiling
/// takes.
static void emitLoops(KernelBuilder &builder, const MicroKernel &kernel,
                      ArrayRef<ReductionLoop> loops, Value a, Value b,
                      SmallVector<Value> &accumulators) {
  if (loops.empty())
    return emitStep(builder, kernel, a, b, accumulators);
  const ReductionLoop &loop = loops.front();
  SmallVector<Value> carried = accumulators;
  carried.push_back(builder.add(a, builder.mul(loop.lower, loop.aStride)));
  auto op = scf::ForOp::create(builder, builder.mul(loop.lower, loop.bStride),
                               builder.mul(loop.upper, loop.bStride),
                               builder.constant(loop.bStride), carried);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(op.getBody());
    Value aOffset = op.getRegionIterArgs().back();
    SmallVector<Value> inner(op.getRegionIterArgs().drop_back());
    emitLoops(builder, kernel, loops.drop_front(), aOffset,
              builder.add(b, op.getInductionVar()), inner);
    inner.push_back(builder.add(aOffset, loop.aStride));
    scf::YieldOp::create(builder, inner);
  }
  accumulators.assign(op.result_begin(), std::prev(op.result_end()));
}

SmallVector<Value> emitMicroKernel(KernelBuilder &builder,
                                   const MicroKernel &kernel) {
  SmallVector<Value> accumulators(kernel.rowOffsets.size() *
                                      kernel.vectorsPerRow(),
                                  builder.splat(kernel.width, 0.0f));
  emitLoops(builder, kernel, mergeLoops(builder, kernel.loops), kernel.aBase,
            kernel.bBase, accumulators);
  return accumulators;
}

} // namespace graphc
