// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/shards/UpdateShards.h"

#include "dialects/tfir/OpWork.h"
#include "lib/placement/split/SplitGraph.h"
#include "lib/replication/Mirrors.h"
#include "lib/replication/shards/ElementwiseUpdate.h"
#include "lib/replication/sums/RingChunks.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

//===-- What is divided ---------------------------------------------------===//

/// The variables that graphs with towers train, each with its slots and the
/// first reason why it must stay whole.
void UpdateShards::findTrained(ModuleOp module, const SymbolTable &symbols) {
  for (auto graph : module.getOps<GraphOp>())
    for (auto apply : graph.getBlock().getOps<ApplyOp>()) {
      auto variable =
          symbols.lookup<VariableOp>(apply.getVariableAttr().getAttr());
      Trained &trained = all[variable.getSymNameAttr()];
      trained.variable = variable;
      std::string &reason = trained.reason;
      if (ArrayAttr names = apply.getSlotsAttr())
        for (auto name : names.getAsRange<FlatSymbolRefAttr>()) {
          auto slot = symbols.lookup<VariableOp>(name.getAttr());
          // Powers are of all variables.
          if (slot.getTensorType() != variable.getTensorType() ||
              getColocation(slot) != variable.getSymNameAttr())
            continue;
          if (owners.try_emplace(name.getAttr(), variable.getSymNameAttr())
                  .second)
            trained.slots.push_back(slot);
        }
      if (graph.getTowers() < 2 && reason.empty())
        reason = ("the graph '" + graph.getSymName() +
                  "' trains it and has no towers")
                     .str();
      if (!isElementwiseUpdate(apply) && reason.empty())
        reason = (apply.getOptimizer().getOptimizerName() +
                  " needs norms of the whole variable")
                     .str();
    }
}

/// Slots that something else than an optimizer reads or assigns.
void UpdateShards::findOtherUses(ModuleOp module) {
  for (auto graph : module.getOps<GraphOp>())
    for (auto access : graph.getBlock().getOps<VariableAccess>()) {
      if (isa<ApplyOp>(access))
        continue;
      for (FlatSymbolRefAttr name : access.getVariables()) {
        auto owner = owners.find(name.getAttr());
        if (owner == owners.end())
          continue;
        std::string &reason = all[owner->second].reason;
        if (reason.empty())
          reason = ("the graph '" + graph.getSymName() + "' uses its slot '" +
                    name.getValue() + "' whole")
                       .str();
      }
    }
}

/// Shard c of a variable with as many rows as devices is on device c, as in a
/// ring. Those of others go where slots have the fewest bytes.
void UpdateShards::divide(Trained &trained) {
  RankedTensorType type = trained.variable.getTensorType();
  if (!trained.reason.empty())
    return;
  if (type.getRank() == 0 || type.getDimSize(0) < 2) {
    trained.reason = type.getRank() == 0 ? "a scalar" : "it has one row";
    return;
  }
  SmallVector<int64_t> sizes = shardSizes(type, devices);
  int64_t rowBytes = bytesOf(type) / type.getDimSize(0) *
                     static_cast<int64_t>(trained.slots.size());
  SmallVector<bool> isTaken(devices);
  int64_t begin = 0;
  for (auto [number, size] : llvm::enumerate(sizes)) {
    unsigned device = static_cast<unsigned>(number);
    if (sizes.size() < devices) {
      std::optional<unsigned> least;
      for (unsigned other = 0; other < devices; ++other)
        if (!isTaken[other] && (!least || bytes[other] < bytes[*least]))
          least = other;
      device = *least;
    }
    isTaken[device] = true;
    trained.shards.push_back({begin, size, device});
    bytes[device] += size * rowBytes;
    begin += size;
  }
  wholeBytes += begin * rowBytes;
}

UpdateShards::UpdateShards(ModuleOp module, const TowerLayout &layout)
    : devices(layout.devices.size()) {
  if (!layout.sharded || devices < 2)
    return;
  SymbolTable symbols(module);
  findTrained(module, symbols);
  findOtherUses(module);
  bytes.assign(devices, 0);
  for (auto &[name, trained] : all)
    divide(trained);
  for (auto &[name, trained] : all)
    if (!trained.shards.empty())
      for (VariableOp slot : trained.slots)
        slots[slot.getSymNameAttr()];
}

ArrayRef<UpdateShard> UpdateShards::of(FlatSymbolRefAttr variable) const {
  auto found = all.find(variable.getAttr());
  return found == all.end() ? ArrayRef<UpdateShard>() : found->second.shards;
}

//===-- Their variables ---------------------------------------------------===//

/// Declares some rows of a variable, or fails where the name is taken.
static FailureOr<VariableOp>
declareRows(OpBuilder &builder, VariableOp whole, const Twine &suffix,
            const UpdateShard &shard, FlatSymbolRefAttr beside,
            DeviceAttr device, SymbolTable &symbols) {
  std::string name = (whole.getSymName() + suffix).str();
  if (Operation *other = symbols.lookup(name))
    return other->emitOpError()
           << "has the name of rows of '" << whole.getSymName() << "' on '"
           << device.getText() << "'; rename it, or drop --shard-updates";
  auto rows = cast<VariableOp>(builder.clone(*whole));
  rows.setSymName(name);
  rows.setType(withRows(whole.getTensorType(), shard.size));
  rows.setTrainable(false);
  setRequestedDevice(rows, device);
  setColocation(rows, beside.getAttr());
  return rows;
}

LogicalResult UpdateShards::declare(Trained &trained, SymbolTable &symbols,
                                    const TowerLayout &layout,
                                    const Mirrors &mirrors) {
  OpBuilder builder(trained.variable);
  auto name = FlatSymbolRefAttr::get(trained.variable.getSymNameAttr());
  auto declareAll = [&](VariableOp whole, StringRef suffix, Names &names,
                        auto complete) -> LogicalResult {
    for (auto [number, shard] : llvm::enumerate(trained.shards)) {
      FailureOr<VariableOp> rows =
          declareRows(builder, whole, suffix + Twine(number), shard,
                      mirrors.copyOf(name, shard.device),
                      layout.devices[shard.device].name, symbols);
      if (failed(rows))
        return failure();
      complete(*rows, shard);
      names.push_back(FlatSymbolRefAttr::get(rows->getSymNameAttr()));
    }
    return success();
  };
  builder.setInsertionPointAfter(trained.variable);
  if (failed(declareAll(trained.variable, "/shard_", trained.rows,
                        [&](VariableOp rows, const UpdateShard &) {
                          rows.setScratch(true);
                          rows.setInitialAttr(
                              FillAttr::get(builder.getContext(), 0));
                        })))
    return failure();
  for (VariableOp slot : trained.slots) {
    builder.setInsertionPoint(slot);
    StringAttr whole = slot.getSymNameAttr();
    if (failed(declareAll(slot, "/part_", slots.find(whole)->second,
                          [&](VariableOp rows, const UpdateShard &shard) {
                            rows.setPartOfAttr(whole);
                            rows.setPartRow(shard.begin);
                          })))
      return failure();
    slot.erase();
  }
  return success();
}

LogicalResult UpdateShards::declare(ModuleOp module, const TowerLayout &layout,
                                    const Mirrors &mirrors) {
  SymbolTable symbols(module);
  for (auto &[name, trained] : all)
    if (!trained.shards.empty() &&
        failed(declare(trained, symbols, layout, mirrors)))
      return failure();
  return success();
}

FlatSymbolRefAttr UpdateShards::rowsOf(FlatSymbolRefAttr variable,
                                       size_t shard) const {
  return all.find(variable.getAttr())->second.rows[shard];
}

FlatSymbolRefAttr UpdateShards::slotOf(FlatSymbolRefAttr slot, size_t shard,
                                       unsigned device,
                                       const Mirrors &mirrors) const {
  auto found = slots.find(slot.getAttr());
  return found == slots.end() ? mirrors.copyOf(slot, device)
                              : found->second[shard];
}

//===-- The report --------------------------------------------------------===//

std::string UpdateShards::describe() const {
  if (all.empty())
    return "";
  std::string text;
  llvm::raw_string_ostream out(text);
  size_t divided = llvm::count_if(
      all, [](const auto &entry) { return !entry.second.shards.empty(); });
  out << "sharded updates: " << divided << " of " << all.size()
      << " variables on " << devices << " devices; slots of " << wholeBytes
      << " bytes, at most " << *llvm::max_element(bytes) << " on a device\n";
  for (auto &[name, trained] : all)
    if (trained.shards.empty())
      out << "  '" << name.getValue() << "' stays whole: " << trained.reason
          << "\n";
    else if (trained.shards.size() < devices)
      out << "  '" << name.getValue() << "' is on " << trained.shards.size()
          << " devices: it has so many rows\n";
  return text;
}

} // namespace graphc
