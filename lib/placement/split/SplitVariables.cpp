// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/split/SplitVariables.h"

#include "dialects/tfir/OpWork.h"
#include "dialects/tfir/Tfir.h"
#include "lib/frontend/UniqueNames.h"
#include "lib/placement/policy/VariableLoad.h"
#include "lib/placement/split/SplitGraph.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

/// A part below this is not worth a message of its own.
constexpr int64_t kMinPart = 64 << 10;

/// So many parts are tried for each server.
constexpr size_t kMaxPartsPerServer = 64;

/// As even as possible; the first ones have the rows that are left over.
SmallVector<RowRange> divideRows(int64_t rows, int64_t parts) {
  SmallVector<RowRange> result;
  int64_t begin = 0;
  for (int64_t i = 0; i < parts; ++i) {
    int64_t size = rows / parts + (i < rows % parts);
    result.push_back({begin, size});
    begin += size;
  }
  return result;
}

/// A variable and those that hang on it.
struct Family {
  VariableOp head;
  SmallVector<VariableOp> slots; ///< of the head's shape
  double load = 0;
  int64_t mostParts = 1;
};

class Splitter {
public:
  Splitter(ModuleOp module, const DeviceSet &devices,
           const PlacementRules &rules)
      : module(module), devices(devices), rules(rules) {}

  void run();

private:
  void findFamilies();
  bool isPinned(VariableOp variable) const;
  void cut(VariableOp variable, int64_t parts, VariableOp head);
  void follow(Operation *op) const;

  ModuleOp module;
  const DeviceSet &devices;
  const PlacementRules &rules;
  llvm::MapVector<StringAttr, Family> families; ///< by the head's name
  SplitMap cuts;
};

//===-- What to cut -------------------------------------------------------===//

bool Splitter::isPinned(VariableOp variable) const {
  if (variable.getAssignedDevice() || variable.getMirrorOf())
    return true;
  StringRef name = variable.getSymName();
  std::string kind = kindName(variable);
  if (rules.match(
          {name, kind, variable->getName().getStringRef(), StringRef()}))
    return true;
  auto request = getRequestedDevice(variable);
  return request && devices.matching(request.getDeviceName()).size() < 2;
}

void Splitter::findFamilies() {
  llvm::StringMap<unsigned> updates = updateCounts(module);
  SymbolTable symbols(module);
  llvm::DenseSet<StringAttr> copied; // mirrors have the shape of the original
  for (auto variable : module.getOps<VariableOp>())
    if (FlatSymbolRefAttr original = variable.getMirrorOfAttr())
      copied.insert(original.getAttr());
  for (auto variable : module.getOps<VariableOp>()) {
    auto beside = getColocation(variable);
    auto head =
        beside ? symbols.lookup<VariableOp>(beside.getValue()) : VariableOp();
    auto family = head ? families.find(head.getSymNameAttr()) : families.end();
    if (family != families.end()) {
      family->second.load += loadOf(variable, updates);
      if (variable.getTensorType() == head.getTensorType() &&
          !isPinned(variable))
        family->second.slots.push_back(variable);
      continue;
    }
    Family &made = families[variable.getSymNameAttr()];
    made.head = variable;
    made.load = loadOf(variable, updates);
    RankedTensorType type = variable.getTensorType();
    if (!beside && type.getRank() > 0 && !isPinned(variable) &&
        !copied.contains(variable.getSymNameAttr()))
      made.mostParts =
          std::clamp<int64_t>(bytesOf(type) / kMinPart, 1,
                              std::max<int64_t>(1, type.getDimSize(0)));
  }
}

//===-- Variables ---------------------------------------------------------===//

/// Replaces a variable by its parts. `head` is the one that it hangs on, or it.
void Splitter::cut(VariableOp variable, int64_t parts, VariableOp head) {
  OpBuilder builder(variable);
  SplitVariable &made = cuts[variable.getSymNameAttr()];
  made.type = variable.getTensorType();
  made.rows = divideRows(made.type.getDimSize(0), parts);
  int64_t rowElements = made.type.getNumElements() / made.type.getDimSize(0);
  for (auto [number, rows] : llvm::enumerate(made.rows)) {
    auto part = cast<VariableOp>(builder.clone(*variable));
    std::string suffix = "/part_" + std::to_string(number);
    auto name = builder.getStringAttr((variable.getSymName() + suffix).str());
    part.setSymNameAttr(name);
    part.setTypeAttr(TypeAttr::get(withRows(made.type, rows.size)));
    if (auto dense = dyn_cast<DenseElementsAttr>(variable.getInitial())) {
      auto type = withRows(made.type, rows.size);
      if (dense.isSplat()) {
        part.setInitialAttr(dense.resizeSplat(type));
      } else {
        auto values = llvm::to_vector(llvm::make_range(
            dense.value_begin<Attribute>() + rows.begin * rowElements,
            dense.value_begin<Attribute>() +
                (rows.begin + rows.size) * rowElements));
        part.setInitialAttr(DenseElementsAttr::get(type, values));
      }
    }
    if (head != variable)
      part.setColocation(
          builder.getStringAttr((head.getSymName() + suffix).str()));
    part.setPartOfAttr(variable.getSymNameAttr());
    part.setPartRow(rows.begin);
    made.names.push_back(name);
  }
}

/// Moves colocation with a whole variable to its first shard.
void Splitter::follow(Operation *op) const {
  auto beside = getColocation(op);
  if (!beside)
    return;
  auto cut = cuts.find(beside);
  if (cut != cuts.end())
    setColocation(op, cut->second.names.front());
}

void Splitter::run() {
  size_t servers = variableServers(devices).size();
  if (servers < 2)
    return;
  findFamilies();
  std::vector<double> loads;
  std::vector<int64_t> most;
  for (auto &[name, family] : families) {
    loads.push_back(family.load);
    most.push_back(family.mostParts);
  }
  std::vector<int64_t> parts = partsForBalance(loads, most, servers);
  SmallVector<VariableOp> whole;
  for (auto [entry, count] : llvm::zip(families, parts)) {
    Family &family = entry.second;
    if (count < 2)
      continue;
    cut(family.head, count, family.head);
    whole.push_back(family.head);
    for (VariableOp slot : family.slots) {
      cut(slot, count, family.head);
      whole.push_back(slot);
    }
  }
  if (cuts.empty())
    return;
  for (auto graph : module.getOps<GraphOp>())
    splitGraph(graph, cuts);
  for (VariableOp variable : whole)
    variable.erase();
  for (Operation &op : *module.getBody()) {
    follow(&op);
    if (auto graph = dyn_cast<GraphOp>(op))
      for (Operation &inner : graph.getBlock())
        follow(&inner);
  }
}

/// The largest load when each part, the largest first, goes to the server that
/// has the least.
double largestShare(const std::vector<double> &loads,
                    const std::vector<int64_t> &parts, size_t servers) {
  std::vector<double> pieces;
  for (auto [load, count] : llvm::zip(loads, parts))
    pieces.insert(pieces.end(), count, load / double(count));
  llvm::sort(pieces, std::greater<>());
  std::vector<double> share(servers);
  for (double piece : pieces)
    *std::min_element(share.begin(), share.end()) += piece;
  return *std::max_element(share.begin(), share.end());
}

} // namespace

std::vector<int64_t> partsForBalance(const std::vector<double> &loads,
                                     const std::vector<int64_t> &most,
                                     size_t servers) {
  std::vector<int64_t> parts(loads.size(), 1);
  double mean =
      std::accumulate(loads.begin(), loads.end(), 0.0) / double(servers);
  std::vector<int64_t> best = parts;
  double least = largestShare(loads, parts, servers);
  for (size_t i = 0; i < kMaxPartsPerServer * servers; ++i) {
    if (least <= kFairShare * mean)
      break;
    size_t largest = loads.size();
    for (size_t v = 0; v < loads.size(); ++v)
      if (parts[v] < most[v] && (largest == loads.size() ||
                                 loads[v] / double(parts[v]) >
                                     loads[largest] / double(parts[largest])))
        largest = v;
    if (largest == loads.size())
      break;
    ++parts[largest];
    double share = largestShare(loads, parts, servers);
    if (share < least) {
      least = share;
      best = parts;
    }
  }
  return best;
}

void splitVariables(ModuleOp module, const DeviceSet &devices,
                    const PlacementRules &rules) {
  Splitter(module, devices, rules).run();
}

} // namespace graphc
