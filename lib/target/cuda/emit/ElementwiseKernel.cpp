// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of the grid walk over blocks of four elements, which lie 128 bits
// apart for f32; up to three elements at the end go to a thread each:
//
//   for (i = thread; i < elements / 4; i += threads of the grid)
//     load, compute and store elements 4i .. 4i+3
//   if (thread < elements % 4)
//     the same for element elements / 4 * 4 + thread
#include "lib/target/cuda/emit/ElementwiseKernel.h"

#include "lib/target/cuda/emit/ElementEmitter.h"
#include "lib/target/cuda/emit/Threads.h"

using namespace mlir;

namespace graphc {

bool isElementwise(const TensorKernel &kernel, const FlatPlan &plan) {
  for (const FlatOp &flat : plan.ops) {
    if (flat.reduces)
      return false;
    for (Value result : flat.op->getResults())
      if (flat.space != Space::Full && kernel.isResult(result))
        return false;
  }
  return true;
}

/// The elements of the matrix from `first` on.
static Elements elementsAt(KernelBuilder &b, const FlatPlan &plan, Value first,
                           int64_t count) {
  int64_t total = plan.rows * plan.columns;
  Elements at;
  at.first = first;
  at.count = count;
  at.row =
      plan.rows == 1 ? b.constant(0) : fastDiv(b, first, plan.columns, total);
  at.column = plan.rows == 1 ? first : fastRem(b, first, plan.columns, total);
  at.sameRow = plan.rows == 1 || plan.columns % kAccess == 0;
  at.aligned = count == kAccess;
  return at;
}

LaunchShape emitElementwiseKernel(TensorKernel &kernel, const FlatPlan &plan) {
  KernelBuilder &b = kernel.builder();
  ElementEmitter emitter(kernel, plan);
  Value zero = b.constant(0);
  emitter.fixLoads(Space::Scalar, zero);
  for (const FlatOp &flat : plan.ops)
    if (flat.space == Space::Scalar)
      emitter.fixOp(flat, zero, zero);

  int64_t total = plan.rows * plan.columns, blocks = total / kAccess;
  LaunchShape shape = shapeForThreads(std::max(blocks, total % kAccess));
  Value thread = gridThreadNumber(b, shape.block);
  auto compute = [&](const Elements &at) {
    ElementEmitter::Memo memo;
    emitter.storeResults(at, memo);
  };
  auto computeBlock = [&](Value number) {
    compute(elementsAt(b, plan, b.mul(number, kAccess), kAccess));
  };
  int64_t threads = shape.grid * shape.block;
  if (blocks > threads)
    b.loop(thread, b.constant(blocks), threads, computeBlock);
  else if (blocks > 0)
    onlyIf(b, blocks == threads ? Value() : less(b, thread, b.constant(blocks)),
           [&] { computeBlock(thread); });
  if (int64_t rest = total % kAccess)
    onlyIf(b, less(b, thread, b.constant(rest)), [&] {
      compute(elementsAt(b, plan, b.add(thread, total - rest), 1));
    });
  return shape;
}

} // namespace graphc
