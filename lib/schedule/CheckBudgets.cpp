// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares what the programs of each graph send and keep with the budgets of
// the module, those of the command line and the memory of the devices:
//
//   tfir.budget "link" from "/gpu:*" to "/cpu:0" at_most 4194304
//
//   error: a step of graph 'train' sends 6 MiB from '/device:GPU:*' to
//          '/device:CPU:0', but ...
//   note:  2 MiB of them are 'fc1/weights_grad', ...
#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/placement/inputs/DeviceTable.h"
#include "lib/schedule/Budgets.h"
#include "lib/target/Target.h"
#include "runtime/base/Texts.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using graphc::runtime::DeviceName;

namespace graphc {

#define GEN_PASS_DEF_CHECKBUDGETSPASS
#include "graphc/Passes.h.inc"

namespace {

/// So many contributors are listed.
constexpr size_t kListed = 5;

/// A part of what is bounded.
struct Share {
  std::string name;
  Location loc;
  int64_t amount = 0;
  StringRef use = ""; ///< what for, if that is not the value itself
};

/// A program with its device as a name.
struct PlacedProgram {
  exec::ProgramOp op;
  DeviceName device;
};

/// The programs of one graph, by number.
using GraphPrograms = SmallVector<PlacedProgram>;

std::string nameOf(Operation *op) {
  auto name = tfir::getNodeName(op);
  return name ? name.getValue().str() : "";
}

/// A name in a message, if there is one.
std::string forName(StringRef name) {
  return name.empty() ? "" : " for " + runtime::quote(name);
}

std::string messagesText(int64_t count) {
  return std::to_string(count) + (count == 1 ? " message" : " messages");
}

int64_t bytesOf(Value slot) {
  return exec::tensorBytes(cast<exec::SlotType>(slot.getType()).getTensor());
}

/// Collects the sends over the links that the budget bounds: one share per
/// value, or per frame.
std::vector<Share> sharesOfLinks(const GraphPrograms &programs,
                                 const Budget &budget) {
  std::vector<Share> shares;
  for (PlacedProgram program : programs) {
    if (!budget.source.covers(program.device))
      continue;
    for (auto send : program.op.getBlock().getOps<exec::SendOp>()) {
      // A malformed number is found by the check of the whole plan.
      if (send.getTo() >= programs.size() ||
          !budget.target.covers(programs[send.getTo()].device))
        continue;
      if (budget.kind == Budget::Kind::Messages) {
        Operation *first = send.getSlots()[0].getDefiningOp();
        shares.push_back({nameOf(first), send.getLoc(), 1});
        continue;
      }
      for (Value slot : send.getSlots()) {
        Operation *made = slot.getDefiningOp();
        shares.push_back({nameOf(made), made->getLoc(), bytesOf(slot)});
      }
    }
  }
  return shares;
}

/// The arena slots in use when they are most.
void addArena(exec::ProgramOp program, std::vector<Share> &shares) {
  llvm::SmallVector<exec::SlotOp> slots;
  std::map<int64_t, int64_t> change;
  for (auto slot : program.getBlock().getOps<exec::SlotOp>()) {
    if (slot.getKind() != exec::SlotKind::Arena)
      continue;
    slots.push_back(slot);
    change[*slot.getFirst()] += bytesOf(slot);
    change[*slot.getLast() + 1] -= bytesOf(slot);
  }
  int64_t sum = 0, most = 0, peak = 0;
  for (auto [at, delta] : change)
    if ((sum += delta) > most) {
      most = sum;
      peak = at;
    }
  auto isLive = [&](exec::SlotOp slot) {
    return static_cast<int64_t>(*slot.getFirst()) <= peak &&
           peak <= static_cast<int64_t>(*slot.getLast());
  };
  for (exec::SlotOp slot : slots)
    if (isLive(slot))
      shares.push_back({nameOf(slot), slot.getLoc(), bytesOf(slot)});
}

/// The kernel whose scratch memory the others of the program share.
void addScratch(exec::ProgramOp program, std::vector<Share> &shares) {
  DeviceScratch scratch = targetOf(program).scratchOf(program);
  if (scratch.largest)
    shares.push_back({nameOf(scratch.largest), scratch.largest.getLoc(),
                      scratch.bytes, ": scratch memory of its kernel"});
}

struct CheckBudgetsPass : impl::CheckBudgetsPassBase<CheckBudgetsPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  void collectPrograms();
  void collectVariables();
  LogicalResult collectBudgets();
  void collectCaps();
  LogicalResult checkLink(StringRef graph, const GraphPrograms &programs,
                          const Budget &budget, Location loc);
  LogicalResult checkPeak(StringRef graph, const GraphPrograms &programs,
                          const Budget &budget, Location loc);
  LogicalResult fail(Location loc, const Twine &what, bool areBytes,
                     std::vector<Share> shares);

  llvm::MapVector<StringRef, GraphPrograms> graphs;
  llvm::DenseMap<tfir::DeviceAttr, std::vector<Share>> variables; ///< by device
  std::vector<std::pair<Budget, Location>> budgets;
};

void CheckBudgetsPass::collectPrograms() {
  // A budget is that of the devices themselves.
  for (auto op : getOperation().getOps<exec::ProgramOp>())
    if (!isHostVariant(op))
      graphs[op.getGraph()].push_back({op, op.getDevice().getDeviceName()});
}

/// Collects the variables by device. One without a device is where it is used.
void CheckBudgetsPass::collectVariables() {
  llvm::StringMap<tfir::DeviceAttr> usedOn;
  for (const auto &[graph, programs] : graphs)
    for (PlacedProgram program : programs)
      for (auto slot : program.op.getBlock().getOps<exec::SlotOp>())
        if (slot.getVariable())
          usedOn.try_emplace(*slot.getVariable(), program.op.getDevice());
  for (auto variable : getOperation().getOps<tfir::VariableOp>()) {
    tfir::DeviceAttr device = usedOn.lookup(variable.getSymName());
    if (auto assigned = tfir::getAssignedDevice(variable))
      device = assigned;
    if (device)
      variables[device].push_back(
          {variable.getSymName().str(), variable.getLoc(),
           exec::tensorBytes(variable.getTensorType())});
  }
}

LogicalResult CheckBudgetsPass::collectBudgets() {
  for (auto op : getOperation().getOps<tfir::BudgetOp>()) {
    Budget budget;
    budget.kind = op.getKind();
    budget.source = op.getSourceName();
    budget.target = op.getTargetName();
    budget.limit = op.getLimit();
    budget.text = toString(budget);
    budgets.emplace_back(budget, op.getLoc());
  }
  for (const std::string &text : budgetTexts) {
    auto parsed = parseBudgets(text);
    if (!parsed.isOk())
      return getOperation().emitError() << parsed.status().message();
    for (Budget &budget : *parsed)
      budgets.emplace_back(std::move(budget), getOperation().getLoc());
  }
  return success();
}

/// The memory of a device is a budget, too.
void CheckBudgetsPass::collectCaps() {
  DeviceSet set = readDeviceTable(getOperation());
  for (const TargetDevice &device : set.devices()) {
    if (!device.memoryLimit)
      continue;
    Budget cap;
    cap.kind = Budget::Kind::Peak;
    cap.source = device.name;
    cap.limit = *device.memoryLimit;
    cap.text = "";
    budgets.emplace_back(cap, getOperation().getLoc());
  }
}

LogicalResult CheckBudgetsPass::fail(Location loc, const Twine &what,
                                     bool areBytes, std::vector<Share> shares) {
  // Values of one name are one contributor, such as a batch to every device.
  std::vector<Share> list;
  llvm::StringMap<size_t> numbers; // in `list`
  for (const Share &share : shares) {
    auto [it, isNew] =
        numbers.try_emplace((share.name + share.use).str(), list.size());
    if (isNew)
      list.push_back(share);
    else
      list[it->second].amount += share.amount;
  }
  llvm::stable_sort(
      list, [](const Share &a, const Share &b) { return a.amount > b.amount; });
  InFlightDiagnostic diagnostic = emitError(loc) << what;
  for (size_t i = 0; i < std::min(list.size(), kListed); ++i) {
    const Share &share = list[i];
    std::string amount = areBytes ? runtime::binaryBytes(share.amount)
                                  : messagesText(share.amount);
    diagnostic.attachNote(share.loc)
        << amount << forName(share.name) << share.use;
  }
  if (list.size() > kListed)
    diagnostic.attachNote(loc)
        << "and " << list.size() - kListed << " smaller ones";
  return diagnostic;
}

LogicalResult CheckBudgetsPass::checkLink(StringRef graph,
                                          const GraphPrograms &programs,
                                          const Budget &budget, Location loc) {
  std::vector<Share> shares = sharesOfLinks(programs, budget);
  int64_t sum = 0;
  for (const Share &share : shares)
    sum += share.amount;
  if (sum <= budget.limit)
    return success();
  bool areBytes = budget.kind == Budget::Kind::Link;
  std::string amount = areBytes ? runtime::binaryBytes(sum) : messagesText(sum);
  return fail(loc,
              "a step of graph '" + graph + "' needs " + amount +
                  ", more than the budget '" + budget.text +
                  "'; place what exchanges these values together, or raise "
                  "the limit",
              areBytes, std::move(shares));
}

LogicalResult CheckBudgetsPass::checkPeak(StringRef graph,
                                          const GraphPrograms &programs,
                                          const Budget &budget, Location loc) {
  llvm::MapVector<tfir::DeviceAttr, int64_t> bytes;
  for (const PlacedProgram &program : programs)
    if (budget.source.covers(program.device)) {
      exec::ProgramOp op = program.op;
      bytes[op.getDevice()] +=
          op.getArenaBytes() + targetOf(op).scratchOf(op).bytes;
    }
  for (auto &[device, sum] : bytes) {
    std::vector<Share> shares;
    if (auto it = variables.find(device); it != variables.end())
      shares = it->second;
    for (const Share &share : shares)
      sum += share.amount;
    if (sum <= budget.limit)
      continue;
    for (PlacedProgram program : programs)
      if (program.op.getDevice() == device) {
        addArena(program.op, shares);
        addScratch(program.op, shares);
      }
    std::string bound =
        budget.text.empty()
            ? "its memory of " + runtime::binaryBytes(budget.limit)
            : "the budget '" + budget.text + "'";
    return fail(loc,
                "graph '" + graph + "' needs " + runtime::binaryBytes(sum) +
                    " on '" + device.getText() + "', more than " + bound +
                    "; use a smaller batch or more devices, or raise the "
                    "limit",
                /*areBytes=*/true, std::move(shares));
  }
  return success();
}

void CheckBudgetsPass::runOnOperation() {
  if (failed(collectBudgets()))
    return signalPassFailure();
  collectCaps();
  if (budgets.empty())
    return;
  collectPrograms();
  collectVariables();
  bool failedAny = false;
  for (const auto &[budget, loc] : budgets)
    for (const auto &[graph, programs] : graphs)
      failedAny |= failed(budget.kind == Budget::Kind::Peak
                              ? checkPeak(graph, programs, budget, loc)
                              : checkLink(graph, programs, budget, loc));
  if (failedAny)
    signalPassFailure();
}

} // namespace
} // namespace graphc
