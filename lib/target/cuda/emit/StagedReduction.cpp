// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both stages have fixed grids and trees, so the bits do not depend on which
// block is done first: no number is added to memory that others add to.
#include "lib/target/cuda/emit/StagedReduction.h"

#include "lib/target/common/Lanes.h"
#include "lib/target/cuda/emit/LineGroup.h"
#include "lib/target/cuda/emit/PointEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace graphc {
namespace {

/// Minimum steps of a chunk; maximum chunks: one per thread of the second
/// stage.
constexpr int64_t kPartSteps = 4096;
constexpr int64_t kMaxParts = kThreads;

int64_t stepsOf(linalg::GenericOp op, utils::IteratorType type) {
  int64_t steps = 1;
  for (auto [size, own] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    steps *= own == type ? size : 1;
  return steps;
}

class Emitter {
public:
  Emitter(KernelBuilder &b, const LoopNest &nest,
          llvm::function_ref<TensorView(Value)> captured, int64_t parts,
          ValueRange partials)
      : b(b), op(nest.op), emitter(b, nest, captured), parts(parts),
        partials(partials), points(emitter.steps(emitter.parallels())),
        thread(threadNumber(b)), block(blockNumber(b)) {
    group.threads = kThreads;
  }

  LaunchShape emitPartials() {
    int64_t blocks = points * parts;
    emitter.enter(emitter.parallels(), fastDiv(b, block, parts, blocks));
    Value part = fastRem(b, block, parts, blocks);
    Value first = b.add(b.mul(part, kThreads), thread);
    Carried values = neutrals();
    Value limit = b.constant(emitter.steps(emitter.reductions()));
    carryLoop(b, first, limit, parts * kThreads, values,
              [&](Value step, Carried &inner) {
                emitter.enter(emitter.reductions(), step);
                inner = emitter.compute(inner);
              });
    combineBlock(values);
    onlyIf(b, isFirst(), [&] {
      for (auto [value, buffer] : llvm::zip(values, partials))
        memref::StoreOp::create(b, value, buffer, block);
    });
    return {blocks, kThreads};
  }

  LaunchShape emitRest() {
    emitter.enter(emitter.parallels(), block);
    Carried values = neutrals();
    carryIf(b, less(b, thread, b.constant(parts)), values, [&](Carried &inner) {
      Value at = b.add(b.mul(block, parts), thread);
      for (auto [value, buffer] : llvm::zip(inner, partials))
        value = memref::LoadOp::create(b, buffer, at);
    });
    combineBlock(values);
    onlyIf(b, isFirst(), [&] {
      Carried results = emitter.initials();
      for (auto [i, result] : llvm::enumerate(results))
        result = combine(b, combinerOf(op, i), result, values[i]);
      emitter.store(results);
    });
    return {points, kThreads};
  }

private:
  Carried neutrals() {
    Carried values;
    for (unsigned i = 0, e = op->getNumResults(); i < e; ++i)
      values.push_back(arith::ConstantOp::create(
          b, *arith::getNeutralElement(combinerOf(op, i))));
    return values;
  }

  void combineBlock(Carried &values) {
    for (auto [i, value] : llvm::enumerate(values))
      value = combineLine(b, group, thread, combinerOf(op, i), value);
  }

  Value isFirst() {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread,
                                 b.constant(0));
  }

  KernelBuilder &b;
  linalg::GenericOp op;
  PointEmitter emitter;
  int64_t parts;
  ValueRange partials;
  int64_t points;
  Value thread, block;
  LineGroup group; ///< the whole block
};

} // namespace

int64_t reductionParts(linalg::GenericOp op) {
  int64_t points = stepsOf(op, utils::IteratorType::parallel);
  int64_t steps = stepsOf(op, utils::IteratorType::reduction);
  if (points == 0 || points >= kFewResults || steps < kLongReduction ||
      !hasCombiners(op))
    return 1;
  auto parts = static_cast<int64_t>(llvm::PowerOf2Ceil(steps / kPartSteps));
  return std::min(parts, kMaxParts);
}

LaunchShape emitPartials(KernelBuilder &b, const LoopNest &nest,
                         llvm::function_ref<TensorView(Value)> captured,
                         int64_t parts, ValueRange partials) {
  return Emitter(b, nest, captured, parts, partials).emitPartials();
}

LaunchShape emitRest(KernelBuilder &b, const LoopNest &nest,
                     llvm::function_ref<TensorView(Value)> captured,
                     int64_t parts, ValueRange partials) {
  return Emitter(b, nest, captured, parts, partials).emitRest();
}

} // namespace graphc
