// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns each graph of launches into a program over slots of memory:
//
//   %h = exec.launch @k(%x, %w)   ->   %h = exec.slot arena at 0 first 0 last 3
//                                      exec.dispatch @k(%x, %w, %h) writes [2]
//
// Instructions: copies of variables whose old value is needed to the end, then
// the launches and transfers in their order, then the assignments that could
// not be made in place. The partitions of one graph are scheduled together.
#include "graphc/Passes.h"
#include "lib/schedule/OrderStep.h"
#include "lib/schedule/ProgramBuilder.h"
#include "lib/schedule/UpdatePart.h"
#include "lib/target/common/KernelAttrs.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_SCHEDULEPROGRAMSPASS
#include "graphc/Passes.h.inc"

namespace {

/// Replaces the partitions of one graph by programs.
LogicalResult schedule(ArrayRef<GraphOp> partitions, ModuleOp kernels) {
  StepGraph step(partitions, kernels);
  if (failed(step.build()))
    return failure();
  FailureOr<std::vector<StepItem>> items = orderStep(step);
  if (failed(items))
    return failure();
  GraphOp first = partitions.front();
  bool hasUpdateParts = first.isCoordinated();
  llvm::DenseSet<Operation *> updates;
  if (hasUpdateParts) {
    updates = findUpdateParts(step);
    moveUpdatesToEnd(updates, *items);
  }
  SentNames sent;
  std::vector<ProgramBuilder> programs;
  for (unsigned i = 0; i < partitions.size(); ++i)
    programs.emplace_back(step, i, sent);
  SmallVector<int64_t> order;
  auto note = [&](unsigned program, size_t before) {
    order.append(programs[program].size() - before, program);
  };
  for (unsigned i = 0; i < partitions.size(); ++i) {
    programs[i].begin();
    note(i, 0);
  }
  for (const StepItem &item : *items) {
    size_t before = programs[item.program].size();
    if (updates.contains(item.ops.front()))
      programs[item.program].beginUpdates();
    programs[item.program].add(item);
    note(item.program, before);
  }
  for (unsigned i = 0; i < partitions.size(); ++i) {
    size_t before = programs[i].size();
    if (hasUpdateParts)
      programs[i].beginUpdates();
    programs[i].end();
    note(i, before);
  }
  for (unsigned i = 0; i < partitions.size(); ++i) {
    exec::ProgramOp program = programs[i].emit();
    if (i)
      continue;
    if (partitions.size() > 1)
      program.setOrder(order);
    if (first.getTowers() > 1)
      program.setReplicas(first.getTowers());
    program.setInstanceAttr(first.getInstanceAttr());
    program.setSummariesAttr(first.getSummariesAttr());
  }
  for (GraphOp partition : partitions)
    partition.erase();
  return success();
}

struct ScheduleProgramsPass
    : impl::ScheduleProgramsPassBase<ScheduleProgramsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = module.lookupSymbol<ModuleOp>(kKernelsModule);
    if (!kernels) { // nothing is computed
      OpBuilder b(module.getBody(), module.getBody()->end());
      kernels = ModuleOp::create(b, module.getLoc(), kKernelsModule);
    }
    // The partitions of a graph, in the order of their first.
    llvm::MapVector<Attribute, SmallVector<GraphOp>> graphs;
    for (GraphOp graph : module.getOps<GraphOp>())
      graphs[graph.getWholeNameAttr()].push_back(graph);
    for (auto &[name, partitions] : graphs)
      if (failed(schedule(partitions, kernels)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace graphc
