// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules about where things were placed.
#include "dialects/exec/Exec.h"
#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"
#include "lib/lint/Lint.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// An island of more ops than this has work enough of its own.
constexpr size_t kIsland = 3;
/// Largest bytes of variables, over the mean, that count as even.
constexpr double kEven = 1.5;

StringRef deviceOf(Operation *op) {
  auto device = op->getAttrOfType<DeviceAttr>(kAssignedAttr);
  return device ? device.getText() : StringRef();
}

bool isHeavy(Operation *op) { return isa<ContractionInterface>(op); }

/// Ops of one device that are joined by values, and the devices around them.
struct Island {
  SmallVector<Operation *> ops;
  llvm::SetVector<StringRef> before, after;
  bool isPinned = false; ///< has state, data or heavy work
};

/// The islands of a graph, in the order of their first ops. Constants belong
/// to all.
std::vector<Island> islandsOf(GraphOp graph) {
  DenseMap<Operation *, size_t> number; // by op
  SmallVector<size_t> parent;
  auto find = [&](size_t i) {
    while (parent[i] != i)
      i = parent[i] = parent[parent[i]];
    return i;
  };
  SmallVector<Operation *> ops;
  for (Operation &op : graph.getBlock().without_terminator()) {
    if (isa<ConstOp>(op))
      continue;
    number[&op] = ops.size();
    parent.push_back(ops.size());
    ops.push_back(&op);
    for (Value operand : op.getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && number.count(maker) && deviceOf(maker) == deviceOf(&op)) {
        size_t a = find(number[maker]), b = find(number[&op]);
        parent[std::max(a, b)] = std::min(a, b);
      }
  }
  llvm::MapVector<size_t, Island> islands;
  for (auto [i, op] : llvm::enumerate(ops)) {
    Island &island = islands[find(i)];
    island.ops.push_back(op);
    island.isPinned |=
        isHeavy(op) || op->getNumOperands() == 0 || op->getNumResults() == 0;
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      island.isPinned |= !maker; // a feed
      if (maker && number.count(maker) && deviceOf(maker) != deviceOf(op))
        island.before.insert(deviceOf(maker));
    }
    for (Operation *user : op->getUsers()) {
      island.isPinned |= isa<ReturnOp>(user);
      if (number.count(user) || !isa<ReturnOp>(user))
        if (deviceOf(user) != deviceOf(op))
          island.after.insert(deviceOf(user));
    }
  }
  std::vector<Island> list;
  for (auto &[root, island] : islands)
    list.push_back(std::move(island));
  return list;
}

} // namespace

void lintUnusedDevices(LintContext &context) {
  llvm::StringSet<> used;
  for (auto variable : context.module.getOps<VariableOp>())
    used.insert(deviceOf(variable));
  for (auto graph : context.module.getOps<GraphOp>())
    if (graph.getSymName() != kInitGraph)
      for (Operation &op : graph.getBlock())
        used.insert(deviceOf(&op));
  for (const Device &device : context.devices.devices())
    if (!device.implied && !used.contains(device.fullName))
      context.report(context.module.getLoc(),
                     "nothing is placed on '" + device.fullName + "'",
                     "leave it out of --devices, request it, or use "
                     "--replicate=towers or --placement=spread");
}

void lintPingPong(LintContext &context) {
  for (auto graph : context.module.getOps<GraphOp>())
    for (const Island &island : islandsOf(graph)) {
      if (island.isPinned || island.ops.size() > kIsland ||
          island.before.size() != 1 || island.after.size() != 1 ||
          island.before[0] != island.after[0])
        continue;
      Operation *first = island.ops.front();
      std::string count = std::to_string(island.ops.size());
      context.report(
          first->getLoc(),
          "values go from '" + island.before[0] + "' to '" + deviceOf(first) +
              "' and back for " +
              (island.ops.size() == 1 ? "one op" : count + " small ops"),
          "place " + Twine(island.ops.size() == 1 ? "it" : "them") + " on '" +
              island.before[0] + "', too");
    }
}

void lintUnevenServers(LintContext &context) {
  llvm::MapVector<StringRef, int64_t> bytes; // by device
  for (const Device &device : context.devices.devices())
    if (device.name.job == "ps" && device.name.type == "CPU")
      bytes[device.fullName] = 0;
  bool areServers = !bytes.empty();
  VariableOp largest;
  for (auto variable : context.module.getOps<VariableOp>()) {
    StringRef device = deviceOf(variable);
    if (device.empty() || variable->hasAttr(kMirrorOfAttr) ||
        (areServers && !bytes.count(device)))
      continue;
    bytes[device] += exec::tensorBytes(variable.getTensorType());
    if (!largest || exec::tensorBytes(variable.getTensorType()) >
                        exec::tensorBytes(largest.getTensorType()))
      largest = variable;
  }
  if (bytes.size() < 2 || !largest)
    return;
  int64_t sum = 0, most = 0;
  StringRef fullest;
  for (auto [device, size] : bytes) {
    sum += size;
    if (size > most) {
      most = size;
      fullest = device;
    }
  }
  double mean = static_cast<double>(sum) / bytes.size();
  if (most <= kEven * mean)
    return;
  context.report(largest.getLoc(),
                 "'" + fullest + "' has " + std::to_string(most) + " of " +
                     std::to_string(sum) + " bytes of variables, of " +
                     std::to_string(bytes.size()) + " devices",
                 "use --placement=ps-by-bytes, which also splits large "
                 "variables");
}

} // namespace graphc
