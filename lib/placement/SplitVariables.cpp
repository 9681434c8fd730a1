// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/SplitVariables.h"

#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"
#include "lib/frontend/UniqueNames.h"
#include "lib/placement/policy/OpWork.h"
#include "lib/placement/policy/VariableLoad.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

/// A part below this is not worth a message of its own.
constexpr int64_t kLeastPart = 64 << 10;

/// So many parts are tried for each server.
constexpr size_t kMaxPartsPerServer = 64;

/// Arithmetic before an assignment is followed this far.
constexpr unsigned kMaxDepth = 64;

struct Rows {
  int64_t begin, size;
};

/// As even as possible; the first ones have the rows that are left over.
SmallVector<Rows> divideRows(int64_t rows, int64_t parts) {
  SmallVector<Rows> result;
  int64_t begin = 0;
  for (int64_t i = 0; i < parts; ++i) {
    int64_t size = rows / parts + (i < rows % parts);
    result.push_back({begin, size});
    begin += size;
  }
  return result;
}

RankedTensorType withRows(RankedTensorType type, int64_t rows) {
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = rows;
  return type.clone(shape);
}

/// A variable and those that hang on it.
struct Family {
  VariableOp head;
  SmallVector<VariableOp> slots; ///< of the head's shape
  double load = 0;
  int64_t mostParts = 1;
};

/// What became of a variable.
struct Cut {
  RankedTensorType type;
  SmallVector<Rows> rows;
  SmallVector<StringAttr> names; ///< of the parts
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
  llvm::MapVector<StringAttr, Cut> cuts;
};

/// Rewrites one graph.
class GraphSplitter {
public:
  GraphSplitter(GraphOp graph, const llvm::MapVector<StringAttr, Cut> &cuts)
      : graph(graph), cuts(cuts), names(graph), builder(graph.getContext()) {}

  void run();

private:
  void split(ReadOp read, const Cut &cut);
  void split(AssignOp assign, const Cut &cut);
  Value rowsOf(Value value, const Cut &cut, size_t part, unsigned depth);
  Value computeRows(Operation *op, const Cut &cut, size_t part, unsigned depth);
  Value sliceRows(Value value, Rows rows);
  static bool canCompute(Operation *op);
  void hangOnPart(Operation *op, size_t part) const;
  void setName(Operation *op, const Twine &base) {
    op->setAttr(kNameAttr, builder.getStringAttr(names.take(base.str())));
  }

  GraphOp graph;
  const llvm::MapVector<StringAttr, Cut> &cuts;
  UniqueNames names;
  OpBuilder builder;
  /// A value, a first row and a number of rows.
  using Key = std::pair<Value, std::pair<int64_t, int64_t>>;
  DenseMap<Key, Value> known; ///< the rows that there are
};

//===-- What to cut -------------------------------------------------------===//

bool Splitter::isPinned(VariableOp variable) const {
  if (variable->hasAttr(kAssignedAttr) || variable->hasAttr(kMirrorOfAttr))
    return true;
  StringRef name = variable.getSymName();
  std::string kind = kindName(variable);
  if (rules.match(
          {name, kind, variable->getName().getStringRef(), StringRef()}))
    return true;
  auto request = variable->getAttrOfType<DeviceAttr>(kDeviceAttr);
  return request && devices.matching(request.getDeviceName()).size() < 2;
}

void Splitter::findFamilies() {
  llvm::StringMap<unsigned> updates = updateCounts(module);
  SymbolTable symbols(module);
  llvm::DenseSet<StringAttr> copied; // mirrors have the shape of the original
  for (auto variable : module.getOps<VariableOp>())
    if (auto original =
            variable->getAttrOfType<FlatSymbolRefAttr>(kMirrorOfAttr))
      copied.insert(original.getAttr());
  for (auto variable : module.getOps<VariableOp>()) {
    auto beside = variable->getAttrOfType<StringAttr>(kColocateAttr);
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
          std::clamp<int64_t>(bytesOf(type) / kLeastPart, 1,
                              std::max<int64_t>(1, type.getDimSize(0)));
  }
}

//===-- Variables ---------------------------------------------------------===//

/// Replaces a variable by its parts. `head` is the one that it hangs on, or it.
void Splitter::cut(VariableOp variable, int64_t parts, VariableOp head) {
  OpBuilder builder(variable);
  Cut &made = cuts[variable.getSymNameAttr()];
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
      part->setAttr(kColocateAttr,
                    builder.getStringAttr((head.getSymName() + suffix).str()));
    part->setAttr(kPartOfAttr, variable.getSymNameAttr());
    part->setAttr(kPartRowAttr, builder.getI64IntegerAttr(rows.begin));
    made.names.push_back(name);
  }
}

/// What hung on a whole variable hangs on its first part.
void Splitter::follow(Operation *op) const {
  auto beside = op->getAttrOfType<StringAttr>(kColocateAttr);
  if (!beside)
    return;
  auto cut = cuts.find(beside);
  if (cut != cuts.end())
    op->setAttr(kColocateAttr, cut->second.names.front());
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
    GraphSplitter(graph, cuts).run();
  for (VariableOp variable : whole)
    variable.erase();
  for (Operation &op : *module.getBody()) {
    follow(&op);
    if (auto graph = dyn_cast<GraphOp>(op))
      for (Operation &inner : graph.getBlock())
        follow(&inner);
  }
}

//===-- Graphs ------------------------------------------------------------===//

/// What hung on a whole variable hangs on that part of it.
void GraphSplitter::hangOnPart(Operation *op, size_t part) const {
  auto beside = op->getAttrOfType<StringAttr>(kColocateAttr);
  if (!beside)
    return;
  auto cut = cuts.find(beside);
  if (cut != cuts.end())
    op->setAttr(kColocateAttr, cut->second.names[part]);
}

void GraphSplitter::split(ReadOp read, const Cut &cut) {
  builder.setInsertionPoint(read);
  SmallVector<Value> parts;
  for (auto [number, rows] : llvm::enumerate(cut.rows)) {
    auto part = cast<ReadOp>(builder.clone(*read));
    part.setVariable(cut.names[number]);
    part.getValue().setType(withRows(cut.type, rows.size));
    setName(part, cut.names[number].getValue() + "/read");
    hangOnPart(part, number);
    parts.push_back(part.getValue());
  }
  auto concat =
      ConcatOp::create(builder, read.getLoc(), cut.type, parts, /*axis=*/0);
  if (Attribute name = read->getAttr(kNameAttr))
    concat->setAttr(kNameAttr, name);
  for (auto [rows, part] : llvm::zip(cut.rows, parts))
    known[{concat.getY(), {rows.begin, rows.size}}] = part;
  read.getValue().replaceAllUsesWith(concat.getY());
  read.erase();
}

void GraphSplitter::split(AssignOp assign, const Cut &cut) {
  for (auto [number, name] : llvm::enumerate(cut.names)) {
    builder.setInsertionPoint(assign);
    Value rows = rowsOf(assign.getValue(), cut, number, 0);
    auto part = cast<AssignOp>(builder.clone(*assign));
    part.setVariable(name);
    part.getValueMutable().assign(rows);
    setName(part, name.getValue() + "/Assign");
    hangOnPart(part, number);
  }
  assign.erase();
}

/// The op gives the same rows when it is given only those: what a tower does
/// stays there, and numbers of elements count from the first row.
bool GraphSplitter::canCompute(Operation *op) {
  if (!op || op->getNumResults() != 1 || op->hasAttr(kReplicaAttr))
    return false;
  if (auto constant = dyn_cast<ConstOp>(op)) {
    auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
    return value && value.isSplat();
  }
  return isa<Elementwise>(op) && op->getNumOperands() > 0 &&
         !isa<PhiloxUniformOp>(op) && op->getNumRegions() == 0;
}

Value GraphSplitter::sliceRows(Value value, Rows rows) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> begin(type.getRank()), size(type.getShape());
  begin.front() = rows.begin;
  size.front() = rows.size;
  auto slice = SliceOp::create(builder, value.getLoc(),
                               withRows(type, rows.size), value, begin, size);
  setName(slice, "Slice");
  // Where the whole is: only the rows go to the part.
  if (Operation *maker = value.getDefiningOp()) {
    if (Attribute name = maker->getAttr(kNameAttr))
      slice->setAttr(kColocateAttr, name);
    if (Attribute replica = maker->getAttr(kReplicaAttr))
      slice->setAttr(kReplicaAttr, replica);
  }
  return slice.getY();
}

Value GraphSplitter::computeRows(Operation *op, const Cut &cut, size_t part,
                                 unsigned depth) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Rows rows = cut.rows[part];
  if (auto constant = dyn_cast<ConstOp>(op)) {
    auto value = cast<DenseElementsAttr>(constant.getValue());
    Operation *made = builder.clone(*op);
    made->setAttr(constant.getValueAttrName(),
                  value.resizeSplat(withRows(type, rows.size)));
    made->getResult(0).setType(withRows(type, rows.size));
    setName(made, cut.names[part].getValue() + "/Const");
    hangOnPart(made, part);
    return made->getResult(0);
  }
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    auto operandType = cast<RankedTensorType>(operand.getType());
    bool hasRows = operandType.getRank() == type.getRank() &&
                   operandType.getDimSize(0) == type.getDimSize(0);
    if (hasRows)
      mapping.map(operand, rowsOf(operand, cut, part, depth + 1));
  }
  Operation *made = builder.clone(*op, mapping);
  made->getResult(0).setType(withRows(type, rows.size));
  made->removeAttr(kDeviceAttr);
  made->setAttr(kColocateAttr, cut.names[part]);
  setName(made, cut.names[part].getValue() + "/" + kindName(op));
  return made->getResult(0);
}

Value GraphSplitter::rowsOf(Value value, const Cut &cut, size_t part,
                            unsigned depth) {
  Key key{value, {cut.rows[part].begin, cut.rows[part].size}};
  if (Value found = known.lookup(key))
    return found;
  Operation *maker = value.getDefiningOp();
  Value rows = depth < kMaxDepth && canCompute(maker)
                   ? computeRows(maker, cut, part, depth)
                   : sliceRows(value, cut.rows[part]);
  known[key] = rows;
  return rows;
}

void GraphSplitter::run() {
  for (auto read :
       llvm::make_early_inc_range(graph.getBlock().getOps<ReadOp>()))
    if (auto cut = cuts.find(read.getVariableAttr().getAttr());
        cut != cuts.end())
      split(read, cut->second);
  for (auto assign :
       llvm::make_early_inc_range(graph.getBlock().getOps<AssignOp>()))
    if (auto cut = cuts.find(assign.getVariableAttr().getAttr());
        cut != cuts.end())
      split(assign, cut->second);
  // What was done for the whole is no longer asked for.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(graph.getBlock())))
    if (isOpTriviallyDead(&op))
      op.erase();
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
