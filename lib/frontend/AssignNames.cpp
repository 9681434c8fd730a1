// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives every op of a graph a unique name:
//
//   %y = tfir.matmul ...  ->  %y = tfir.matmul ... {name = "MatMul_1"}
//
// Guarantees: every op of a graph but its scopes and its end has a name that no
// other op of the graph has.
#include "graphc/Passes.h"

#include "dialects/tfir/Names.h"
#include "lib/frontend/UniqueNames.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_ASSIGNNAMESPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

/// Fails when two ops have the same name, or one has an empty name.
LogicalResult checkWrittenNames(GraphOp graph) {
  llvm::StringMap<Operation *> first;
  WalkResult result = graph.getBody().walk([&](Operation *op) {
    StringAttr name = getNodeName(op);
    if (!name)
      return WalkResult::advance();
    if (name.empty()) {
      op->emitOpError() << "has " << name
                        << " as 'name', expected a string such as \"loss\"";
      return WalkResult::interrupt();
    }
    auto [entry, isNew] = first.try_emplace(name.getValue(), op);
    if (isNew)
      return WalkResult::advance();
    InFlightDiagnostic error =
        op->emitOpError() << "has the name '" << name.getValue()
                          << "', which another op of the graph '"
                          << graph.getSymName() << "' has; rename one of them";
    error.attachNote(entry->second->getLoc()) << "the other op is here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

std::string baseName(Operation *op) {
  auto read = dyn_cast<ReadOp>(op);
  if (!read)
    return kindName(op);
  std::string variable = read.getVariable().str();
  if (read.getAverage())
    variable += ("/" + kAverageSuffix).str();
  return variable + "/read";
}

void nameOps(GraphOp graph) {
  UniqueNames names(graph);
  graph.getBody().walk([&](Operation *op) {
    if (getNodeName(op) || isa<DeviceOp>(op) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return;
    setNodeName(op,
                StringAttr::get(op->getContext(), names.take(baseName(op))));
  });
}

struct AssignNamesPass : impl::AssignNamesPassBase<AssignNamesPass> {
  void runOnOperation() override {
    for (auto graph : getOperation().getOps<GraphOp>()) {
      if (failed(checkWrittenNames(graph)))
        return signalPassFailure();
      nameOps(graph);
    }
  }
};

} // namespace
} // namespace graphc
