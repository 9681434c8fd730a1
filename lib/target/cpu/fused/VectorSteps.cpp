// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of many operations take one vector per step: a core finds as much to
// do at once in the next steps, and LLVM takes time for every copy. Random
// numbers of the four vectors of a block come of the same rounds of Philox,
// which steps of one vector do four times: first values may, but no kernel of a
// step.
#include "lib/target/cpu/fused/VectorSteps.h"

#include "lib/target/common/KernelAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace graphc {

/// Instructions of a function of math, about.
static constexpr int64_t kMathOps = 16;

/// Instructions for a vector from which on a step has one vector.
static constexpr int64_t kManyOps = 48;

bool stepsByVector(const FlatPlan &plan, func::FuncOp kernel) {
  int64_t ops = 0;
  bool drawsNumbers = false;
  for (const FlatOp &flat : plan.ops) {
    linalg::GenericOp op = flat.op;
    if (flat.space == Space::Full || flat.space == Space::Column)
      for (Operation &inner : op.getBody()->without_terminator()) {
        ops += isa<math::MathDialect>(inner.getDialect()) ? kMathOps : 1;
        drawsNumbers |= isa<arith::MulUIExtendedOp>(inner);
      }
  }
  return ops >= kManyOps && (!drawsNumbers || runsOnce(kernel));
}

} // namespace graphc
