// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that the devices exist that ops and variables request:
//
//   %y = tfir.neg %x {device = #tfir.device<"/job:wroker">}  ->  error
//
// Runs while all that the user has written is there: later phases drop ops that
// nothing uses, and merge the reads and updates of a variable, with whatever
// these request.
#include "graphc/Passes.h"

#include "dialects/tfir/Tfir.h"
#include "lib/frontend/UniqueNames.h"
#include "lib/placement/DeviceRequests.h"
#include "lib/placement/inputs/DeviceTable.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_CHECKREQUESTSPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

/// Most errors that are reported.
constexpr unsigned kMaxErrors = 20;

struct CheckRequestsPass : impl::CheckRequestsPassBase<CheckRequestsPass> {
  using Base::Base;

  void runOnOperation() override {
    DeviceSet devices = readDeviceTable(getOperation());
    KernelTable kernels;
    PlacementProblem problem(devices, kernels);
    PlacementRules rules;
    DeviceRequests requests(problem, rules, soft);
    unsigned errors = 0;
    getOperation().walk([&](Operation *op) {
      if (errors < kMaxErrors && !isa<GraphOp, ModuleOp>(op))
        errors += failed(requests.read(nodeFor(op)));
    });
    if (errors)
      signalPassFailure();
  }

private:
  PlacementNode nodeFor(Operation *op) {
    auto custom = dyn_cast<CustomOp>(op);
    StringRef &kind = kinds[op->getName()];
    if (kind.empty())
      kind = StringAttr::get(&getContext(), kindName(op)).getValue();
    PlacementNode node;
    node.op = op;
    auto variable = dyn_cast<VariableOp>(op);
    StringAttr name = variable ? variable.getSymNameAttr() : getNodeName(op);
    node.name = name ? name.getValue() : StringRef();
    node.kind = custom ? custom.getOp() : kind;
    return node;
  }

  DenseMap<OperationName, StringRef> kinds;
};

} // namespace
} // namespace graphc
