// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands ops that are short for others:
//
//   %y = tfir.bias_add %x, %b  ->  %y = tfir.add %x, %b
//
// Guarantees: no op of a graph is short for others (Decomposable::isShorthand).
#include "graphc/Passes.h"

#include "lib/autodiff/DecomposeOp.h"
#include "lib/autodiff/DerivedOps.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_DECOMPOSEPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

struct DecomposePass : impl::DecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    for (auto graph : getOperation().getOps<GraphOp>()) {
      UniqueNames names(graph);
      SmallVector<Decomposable> found;
      graph.getBody().walk([&](Decomposable op) {
        if (op.isShorthand())
          found.push_back(op);
      });
      for (Decomposable op : found)
        if (failed(decomposeFully(op, nameOf(op), names)))
          return signalPassFailure();
    }
  }
};

} // namespace
} // namespace graphc
