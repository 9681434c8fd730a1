// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts all graphs of a module.
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/frontend/Instances.h"
#include "lib/partition/PartitionGraph.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_PARTITIONPASS
#include "graphc/Passes.h.inc"

namespace {

/// The devices of the graph that applies what the instance has summed up, if it
/// is one: a task that keeps variables must take part in the instance's steps,
/// even if no gradient comes to it, to know when to apply them.
SmallVector<tfir::DeviceAttr> applyDevices(tfir::GraphOp graph,
                                           SymbolTable &symbols) {
  DictionaryAttr instance = instanceOf(graph);
  if (!instance || instanceText(instance, kApplyEntry).empty())
    return {};
  auto apply =
      symbols.lookup<tfir::GraphOp>(instanceText(instance, kApplyEntry));
  llvm::SetVector<tfir::DeviceAttr> devices;
  if (apply)
    for (Operation &op : apply.getBlock())
      if (isa<tfir::VariableAccess>(op))
        if (auto device =
                op.getAttrOfType<tfir::DeviceAttr>(tfir::kAssignedAttr))
          devices.insert(device);
  return devices.takeVector();
}

struct PartitionPass : impl::PartitionPassBase<PartitionPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<tfir::GraphOp> graphs(getOperation().getOps<tfir::GraphOp>());
    // Before any is cut: a graph names another.
    SmallVector<SmallVector<tfir::DeviceAttr>> devices;
    for (tfir::GraphOp graph : graphs)
      devices.push_back(applyDevices(graph, symbols));
    for (auto [graph, own] : llvm::zip(graphs, devices))
      if (failed(partitionGraph(graph, byReplica, own, symbols)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace graphc
