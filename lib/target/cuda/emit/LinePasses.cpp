// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cuda/emit/LinePasses.h"

using namespace mlir;

namespace graphc {

LinePasses::LinePasses(const TensorKernel &kernel, const FlatPlan &plan) {
  llvm::DenseMap<Value, unsigned> ready; // the first pass that may use a value
  llvm::DenseSet<Value> loaded;
  for (const FlatOp &flat : plan.ops) {
    unsigned pass = 0;
    for (auto [space, operand] :
         llvm::zip(flat.operands, flat.op->getOperands())) {
      Value root = TensorKernel::root(operand);
      pass = std::max(pass, ready.lookup(root));
      if (space == Space::Full && kernel.argument(root))
        loaded.insert(root);
    }
    passes[flat.op] = pass;
    bool stored = false;
    for (Value result : flat.op->getResults()) {
      ready[result] = flat.reduces ? pass + 1 : pass;
      stored |= flat.space == Space::Full && kernel.isResult(result);
    }
    if (flat.reduces || stored)
      last = std::max(last, pass);
    if (flat.space == Space::Full && !flat.reduces)
      kept += flat.op->getNumResults();
  }
  kept += loaded.size();
}

unsigned LinePasses::passOf(const FlatOp &flat) const {
  return passes.lookup(flat.op);
}

} // namespace graphc
