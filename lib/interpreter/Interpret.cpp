// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pass tfir-interpret: prints what the graphs of a module compute.
#include "graphc/Passes.h"
#include "lib/interpreter/Interpreter.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_INTERPRETPASS
#include "graphc/Passes.h.inc"

namespace {

using interpreter::Interpreter;
using interpreter::Tensor;

struct InterpretPass : impl::InterpretPassBase<InterpretPass> {
  using InterpretPassBase::InterpretPassBase;

  void runOnOperation() override {
    Interpreter reference(getOperation(), {.seed = seed, .nextBatch = {}, .observe = {}});
    if (failed(reference.initialize()))
      return signalPassFailure();
    for (auto graphOp : getOperation().getOps<tfir::GraphOp>())
      if (isChosen(graphOp) && failed(run(reference, graphOp)))
        return signalPassFailure();
    for (const auto &[name, value] : reference.variables())
      llvm::outs() << name << " = " << toText(value) << "\n";
    markAllAnalysesPreserved();
  }

  bool isChosen(tfir::GraphOp graphOp) {
    if (graph.empty())
      return graphOp.getFeedNames().empty() && graphOp.getSymName() != "init";
    return graphOp.getSymName() == graph;
  }

  LogicalResult run(Interpreter &reference, tfir::GraphOp graphOp) {
    for (int64_t step = 0; step < stepCount; ++step) {
      FailureOr<std::vector<Tensor>> fetches =
          reference.step(graphOp.getSymName(), {});
      if (failed(fetches))
        return failure();
      for (auto [name, value] : llvm::zip(
               graphOp.getFetchNames().getAsValueRange<StringAttr>(), *fetches))
        llvm::outs() << graphOp.getSymName() << " " << step << " " << name
                     << " = " << toText(value) << "\n";
    }
    return success();
  }
};

} // namespace
} // namespace graphc
