// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts all graphs of a module.
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/partition/PartitionGraph.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_PARTITIONPASS
#include "graphc/Passes.h.inc"

namespace {

struct PartitionPass : impl::PartitionPassBase<PartitionPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<tfir::GraphOp> graphs(getOperation().getOps<tfir::GraphOp>());
    for (tfir::GraphOp graph : graphs)
      if (failed(partitionGraph(graph, byReplica, symbols)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace graphc
