// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/pipeline/VerifyPlan.h"

#include "dialects/tfir/Names.h"
#include "runtime/format/check/PlanFinding.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using namespace mlir;

namespace graphc {

namespace {

using runtime::InstructionView;
using runtime::PlanView;
using runtime::ProgramView;
using runtime::SlotView;

/// " 'name'", or nothing.
std::string nameText(Operation *op) {
  StringAttr name = tfir::getNodeName(op);
  return name && !name.empty() ? (" '" + name.getValue() + "'").str() : "";
}

/// The view of the programs of a graph, and their names in messages.
class ModulePlan : public runtime::PlanNames {
public:
  explicit ModulePlan(ArrayRef<exec::ProgramOp> ops);

  const PlanView &view() const { return plan; }
  Operation *opAt(runtime::InstructionId id) const {
    return programs[id.program].instructions[id.instruction];
  }

  std::string program(uint32_t program) const override {
    return "program " + std::to_string(program);
  }
  std::string instruction(uint32_t program, uint32_t index) const override {
    return "instruction #" + std::to_string(index) +
           nameText(opAt({program, index}));
  }
  std::string slot(uint32_t program, uint32_t index) const override {
    Operation *op = programs[program].slots[index].getDefiningOp();
    return "slot %" + std::to_string(index) + (op ? nameText(op) : "");
  }
  std::string edge(uint32_t edge) const override {
    return "edge " + std::to_string(edge);
  }
  std::string variable(uint32_t program, uint32_t slot) const override {
    auto op = programs[program].slots[slot].getDefiningOp<exec::SlotOp>();
    return ("'" + op.getVariable().value_or("") + "'").str();
  }
  std::string allReduce() const override { return "all_reduce"; }

private:
  /// Ops of a program by their indices in the view.
  struct Program {
    SmallVector<Value> slots;
    SmallVector<Operation *> instructions;
  };

  void addProgram(exec::ProgramOp op);
  SlotView viewOf(exec::SlotOp op);
  InstructionView viewOf(exec::InstructionOpInterface op, ProgramView &view);
  void addCollectives(exec::SendOp send);
  /// Returns the indices of slots; one of no exec.slot becomes read-only.
  SmallVector<uint32_t> indicesOf(ValueRange slots, ProgramView &view);

  PlanView plan;
  std::vector<Program> programs;
  llvm::DenseMap<Value, uint32_t> slotIndices;
  llvm::StringMap<uint32_t> variables, datasets;
};

/// Returns the index of a name, the next one if it is new.
uint32_t indexOf(StringRef name, llvm::StringMap<uint32_t> &names) {
  return names.try_emplace(name, names.size()).first->second;
}

ModulePlan::ModulePlan(ArrayRef<exec::ProgramOp> ops) {
  for (exec::ProgramOp op : ops)
    addProgram(op);
  exec::ProgramOp first = ops.front();
  if (auto order = first.getOrder())
    for (int64_t program : *order)
      plan.order.push_back(
          static_cast<uint32_t>(std::clamp<int64_t>(program, -1, UINT32_MAX)));
}

void ModulePlan::addProgram(exec::ProgramOp op) {
  uint32_t index = plan.programs.size();
  ProgramView &view = plan.programs.emplace_back();
  Program &own = programs.emplace_back();
  auto port = [&](StringRef name, Value slot) -> runtime::PortView {
    return {name.str(), index, indicesOf(slot, view)[0]};
  };
  for (Operation &inner : op.getBlock()) {
    if (auto slot = dyn_cast<exec::SlotOp>(inner)) {
      slotIndices[slot] = view.slots.size();
      view.slots.push_back(viewOf(slot));
      own.slots.push_back(slot);
    } else if (auto feed = dyn_cast<exec::FeedOp>(inner)) {
      plan.feeds.push_back(port(feed.getFeed(), feed.getSlot()));
    } else if (auto fetch = dyn_cast<exec::FetchOp>(inner)) {
      plan.fetches.push_back(port(fetch.getFetch(), fetch.getSlot()));
    } else if (auto each = dyn_cast<exec::InstructionOpInterface>(inner)) {
      view.instructions.push_back(viewOf(each, view));
      own.instructions.push_back(each);
      if (auto send = dyn_cast<exec::SendOp>(inner))
        addCollectives(send);
    }
  }
}

SlotView ModulePlan::viewOf(exec::SlotOp op) {
  SlotView view;
  view.size = op.getSlot().getType().getBytes();
  if (op.getKind() == exec::SlotKind::Arena) {
    view.offset = *op.getOffset();
    view.first = *op.getFirst();
    view.last = *op.getLast();
  } else if (op.getVariable()) {
    view.kind = SlotView::Kind::Variable;
    view.variable = indexOf(*op.getVariable(), variables);
  } else {
    view.kind = SlotView::Kind::ReadOnly;
  }
  return view;
}

InstructionView ModulePlan::viewOf(exec::InstructionOpInterface op,
                                   ProgramView &view) {
  using Kind = InstructionView::Kind;
  InstructionView made;
  if (auto next = dyn_cast<exec::NextOp>(op.getOperation())) {
    made.kind = Kind::NextBatch;
    made.batch = {indexOf(next.getDataset(), datasets),
                  static_cast<uint32_t>(next.getShard()),
                  static_cast<uint32_t>(next.getShards())};
  } else if (op.isHostCall()) {
    made.kind = Kind::HostCall;
  } else if (op.getAllReduceNumber()) {
    made.kind = Kind::AllReduce;
  } else if (!op.getSentEdges().empty()) {
    made.kind = Kind::Send;
  } else if (!op.getReceivedEdges().empty()) {
    made.kind = Kind::Recv;
  }
  made.allReduce = op.getAllReduceNumber().value_or(0);
  made.serves = op.getServes().value_or(0);
  made.reads = view.add(indicesOf(op.getReadSlots(), view));
  made.writes = view.add(indicesOf(op.getWrittenSlots(), view));
  made.waits = view.add(op.getWaits());
  made.edges = view.add(made.kind == Kind::Send ? op.getSentEdges()
                                                : op.getReceivedEdges());
  return made;
}

void ModulePlan::addCollectives(exec::SendOp send) {
  for (auto [position, edge] : llvm::enumerate(send.getEdges())) {
    if (static_cast<size_t>(edge) >= plan.collectives.size())
      plan.collectives.resize(edge + 1);
    if (send.getCollectives())
      plan.collectives[edge] = (*send.getCollectives())[position];
  }
}

SmallVector<uint32_t> ModulePlan::indicesOf(ValueRange slots,
                                            ProgramView &view) {
  SmallVector<uint32_t> indices;
  for (Value slot : slots) {
    auto [it, isNew] = slotIndices.try_emplace(slot, view.slots.size());
    if (isNew) {
      view.slots.push_back({SlotView::Kind::ReadOnly});
      programs.back().slots.push_back(slot);
    }
    indices.push_back(it->second);
  }
  return indices;
}

} // namespace

LogicalResult verifyPlan(ArrayRef<exec::ProgramOp> programs) {
  ModulePlan plan(programs);
  runtime::PlanResult finding = checkPlanView(plan.view(), plan);
  if (!finding)
    return success();
  exec::ProgramOp first = programs.front();
  Operation *op = finding->at ? plan.opAt(*finding->at) : first;
  StringRef cause = finding->cause;
  if (finding->subject.empty())
    cause.consume_front("it ");
  InFlightDiagnostic error = op->emitError() << finding->subject << cause;
  if (finding->other)
    error.attachNote(plan.opAt(*finding->other)->getLoc())
        << "the other instruction is here";
  return error;
}

} // namespace graphc
