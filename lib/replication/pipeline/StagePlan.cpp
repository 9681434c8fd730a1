// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/pipeline/StagePlan.h"

#include "dialects/tfir/OpWork.h"
#include "dialects/tfir/PipelineAttrs.h"
#include "dialects/tfir/Support.h"
#include "lib/replication/Mirrors.h"

#include <set>

using namespace mlir;

namespace graphc {

using namespace tfir;

StagePlan::StagePlan(GraphOp graph, StageDevices &devices,
                     const CostTable &costs, VariableStages &variables)
    : graph(graph), devices(devices), table(costs), variables(variables),
      stages(getPipeline(graph)->stages) {}

/// Updates, and what is replaced by gradients and updates, have no stage.
static bool hasNoStage(Operation *op) {
  return isUpdate(op) || isa<MinimizeOp, EmaOp, GradientsOp>(op) ||
         op->hasTrait<Rematerializable>();
}

/// The last of the stages of an operation's operands; nothing: none has one.
static std::optional<int64_t>
lastStage(Operation *op, const llvm::DenseMap<Operation *, int64_t> &stageOf) {
  std::optional<int64_t> last;
  for (Value operand : op->getOperands())
    if (auto found = stageOf.find(operand.getDefiningOp());
        found != stageOf.end())
      last = std::max(last.value_or(0), found->second);
  return last;
}

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

//===-- Values that depend on the examples --------------------------------===//

/// Downwards: examples, and random numbers.
void StagePlan::findVarying() {
  if (DenseBoolArrayAttr split = graph.getSplitFeedsAttr())
    for (auto [feed, isSplit] :
         llvm::zip(graph.getBlock().getArguments(), split.asArrayRef()))
      if (isSplit)
        varying.insert(feed);
  SymbolTable symbols(graph->getParentOfType<ModuleOp>());
  auto isAny = [](Operation *op, const llvm::DenseSet<Value> &values) {
    return llvm::any_of(op->getOperands(),
                        [&](Value value) { return values.contains(value); });
  };
  for (Operation &op : graph.getBlock().without_terminator()) {
    auto results = op.getResults();
    if (isa<GradientsOp>(op) || isAny(&op, derived))
      derived.insert(results.begin(), results.end());
    if (auto read = dyn_cast<ReadOp>(op)) {
      auto variable = symbols.lookup<VariableOp>(read.getVariable());
      if (variable && variable.getTrainable())
        trained.insert(read.getValue());
    } else if (!isa<StopGradientOp>(op) && isAny(&op, trained)) {
      trained.insert(results.begin(), results.end());
    }
    if (isa<NextOp, RandomSource, StepStateOp>(op) || isAny(&op, varying)) {
      varying.insert(results.begin(), results.end());
      if (!hasNoStage(&op) && !isAny(&op, derived))
        ops.push_back(&op);
    }
  }
}

bool StagePlan::isTrained(Value value) const {
  return trained.contains(value) && isFloat(value);
}

//===-- By hand -----------------------------------------------------------===//

/// Finds the ops that ask for a device of the pipeline.
LogicalResult StagePlan::readRequests() {
  llvm::MapVector<Operation *, size_t> asked;
  std::set<size_t> used;
  for (Operation *op : ops) {
    DeviceAttr request = getRequestedDevice(op);
    if (!request)
      continue;
    SmallVector<size_t> meant = devices.asked(request);
    if (meant.size() == devices.candidates().size())
      continue; // it is open
    if (meant.size() != 1)
      return op->emitOpError()
             << "asks for \"" << request.getText() << "\", which is "
             << (meant.empty() ? "no device of the pipeline"
                               : "no single device of the pipeline")
             << "; name one of the devices that stages are on, or none";
    asked[op] = meant.front();
    used.insert(meant.front());
  }
  if (asked.empty())
    return success();
  if (static_cast<int64_t>(used.size()) != stages) {
    InFlightDiagnostic error = graph.emitError()
                               << "the graph '" << graph.getSymName()
                               << "' has ops on " << used.size() << " device"
                               << (used.size() == 1 ? "" : "s")
                               << " by hand, but --pipeline=" << stages
                               << " has " << stages << " stages; ";
    if (used.size() > 1)
      error << "give --pipeline=" << used.size() << ", or name "
            << "as many devices as there are stages";
    else
      error << "name a device for each stage, or none";
    return error.attachNote(asked.front().first->getLoc())
           << "this op asks for \""
           << getRequestedDevice(asked.front().first).getText() << "\"";
  }
  SmallVector<size_t> order(used.begin(), used.end());
  devices.choose(order);
  for (auto [op, device] : asked)
    byHand[op] = *devices.stageOn(device);
  return success();
}

/// Each op is where it asks to be, else where the last of its operands is.
LogicalResult StagePlan::follow() {
  for (Operation *op : ops) {
    int64_t needed = 0;
    Operation *last = nullptr;
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      auto found = stageOf.find(maker);
      if (found != stageOf.end() && found->second >= needed) {
        needed = found->second;
        last = maker;
      }
    }
    auto asked = byHand.find(op);
    int64_t stage = asked == byHand.end() ? needed : asked->second;
    if (stage < needed) {
      InFlightDiagnostic error =
          op->emitOpError()
          << "is on " << devices[stage].fullName << ", stage " << stage
          << ", but needs a value of stage " << needed << " on "
          << devices[needed].fullName
          << "; a pipeline has no way back: name the devices in their order";
      return error.attachNote(last->getLoc()) << "the value is made here";
    }
    stageOf[op] = stage;
  }
  return success();
}

//===-- By costs ----------------------------------------------------------===//

/// The gradient of an op takes about as long for each operand as the op.
StageCosts StagePlan::costsOf() {
  StageCosts costs;
  bool trains = !graph.getBlock().getOps<MinimizeOp>().empty();
  llvm::DenseMap<Operation *, size_t> positions;
  for (auto [position, op] : llvm::enumerate(ops))
    positions[op] = position;
  for (size_t stage = 0; stage < devices.size(); ++stage) {
    DeviceSpeed speed = table.speedOf(devices[stage]);
    std::vector<double> &seconds = costs.seconds.emplace_back();
    for (Operation *op : ops) {
      OpWork work = workOf(op);
      double own = !work.isKernel
                       ? 0
                       : speed.launchSeconds +
                             std::max(work.flops / speed.flops,
                                      work.bytes / speed.bytesPerSecond);
      auto back =
          trains ? llvm::count_if(op->getOperands(),
                                  [&](Value value) { return isTrained(value); })
                 : 0;
      seconds.push_back(own * static_cast<double>(1 + back));
    }
    costs.links.push_back(
        stage ? table.speedBetween(devices[stage - 1], devices[stage])
              : LinkSpeed());
  }
  // A value crosses all cuts up to its last user, and its gradient comes back.
  std::vector<double> change(ops.size() + 1);
  for (auto [position, op] : llvm::enumerate(ops))
    for (Value result : op->getResults()) {
      size_t last = position;
      for (Operation *user : result.getUsers())
        if (auto found = positions.find(user); found != positions.end())
          last = std::max(last, found->second);
      double bytes = static_cast<double>(bytesOf(result.getType())) *
                     (trains && isTrained(result) ? 2 : 1);
      change[position + 1] += bytes;
      change[last + 1] -= bytes;
    }
  double crossing = 0;
  for (size_t position = 0; position < ops.size(); ++position)
    costs.crossing.push_back(crossing += change[position]);
  return costs;
}

LogicalResult StagePlan::cut() {
  SmallVector<size_t> begins = cutIntoStages(costsOf());
  if (begins.empty())
    return graph.emitError()
           << "the graph '" << graph.getSymName() << "' has too few ops for "
           << stages << " stages; use fewer";
  int64_t stage = 0;
  for (auto [position, op] : llvm::enumerate(ops)) {
    while (stage + 1 < stages && position >= begins[stage + 1])
      ++stage;
    stageOf[op] = stage;
  }
  return success();
}

//===-- Variables and shared values of the stages -------------------------===//

/// A variable is where the first stage is that needs it.
void StagePlan::placeVariables() {
  for (Operation &op : llvm::reverse(graph.getBlock().without_terminator())) {
    if (stageOf.contains(&op) || hasNoStage(&op))
      continue;
    std::optional<int64_t> first;
    for (Operation *user : op.getUsers()) {
      auto own = stageOf.find(user);
      auto through = firstUser.find(user);
      if (own == stageOf.end() && through == firstUser.end())
        continue;
      int64_t stage = own != stageOf.end() ? own->second : through->second;
      first = std::min(first.value_or(stage), stage);
    }
    if (first)
      firstUser[&op] = *first;
  }
  VariableStages own;
  for (auto read : graph.getBlock().getOps<ReadOp>())
    if (auto found = firstUser.find(read); found != firstUser.end()) {
      auto [entry, isNew] =
          own.insert({read.getVariableAttr().getAttr(), found->second});
      if (!isNew)
        entry->second = std::min(entry->second, found->second);
    }
  SymbolTable symbols(graph->getParentOfType<ModuleOp>());
  for (auto [name, stage] : own) {
    auto variable = symbols.lookup<VariableOp>(name);
    if (!variables.insert({name, stage}).second)
      continue; // another graph has decided
    if (!getRequestedDeviceAttr(variable) && !getColocationAttr(variable))
      setRequestedDevice(variable, devices.deviceFor(variable, stage));
  }
}

/// Puts what is the same for all micro-batches where the last of its operands
/// is: before all stages that need it.
void StagePlan::placeShared() {
  for (Operation &op : graph.getBlock().without_terminator()) {
    auto needed = firstUser.find(&op);
    if (needed == firstUser.end())
      continue;
    if (auto read = dyn_cast<ReadOp>(op)) {
      stageOf[&op] = variables.find(read.getVariableAttr().getAttr())->second;
      continue;
    }
    std::optional<int64_t> last = lastStage(&op, stageOf);
    int64_t stage = last.value_or(needed->second);
    stageOf[&op] = stage;
    if (!getRequestedDeviceAttr(&op) && !getColocationAttr(&op))
      setRequestedDevice(&op, devices.deviceFor(&op, stage));
  }
}

void StagePlan::write() {
  for (Operation *op : ops) {
    int64_t stage = stageOf[op];
    setRequestedDevice(op, devices.deviceFor(op, stage));
    setSlot(op, stage);
  }
}

LogicalResult StagePlan::run() {
  findVarying();
  devices.choose(stages);
  if (failed(readRequests()) || failed(byHand.empty() ? cut() : follow()))
    return failure();
  placeVariables();
  placeShared();
  write();
  return success();
}

//===-- Other graphs ------------------------------------------------------===//

void followVariables(GraphOp graph, const StageDevices &devices,
                     const VariableStages &variables) {
  llvm::DenseMap<Operation *, int64_t> stageOf;
  for (Operation &op : graph.getBlock().without_terminator()) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      auto found = variables.find(read.getVariableAttr().getAttr());
      if (found != variables.end())
        stageOf[&op] = found->second;
      continue;
    }
    if (hasNoStage(&op))
      continue;
    std::optional<int64_t> last = lastStage(&op, stageOf);
    if (!last)
      continue;
    stageOf[&op] = *last;
    if (!getRequestedDeviceAttr(&op) && !getColocationAttr(&op))
      setRequestedDevice(&op, devices.deviceFor(&op, *last));
  }
}

} // namespace graphc
