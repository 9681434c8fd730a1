// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules about towers that were written by hand: ops that request different
// devices, or whose names begin with different "tower_N/".
#include "dialects/tfir/Names.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "lib/lint/Lint.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// Returns the tower of an op: "tower_1", or the requested device; "" outside.
StringRef towerOf(Operation *op) {
  if (auto name = op->getAttrOfType<StringAttr>(kNameAttr)) {
    StringRef rest = name.getValue();
    size_t slash = rest.find('/');
    StringRef first = rest.substr(0, slash), number = first;
    unsigned index = 0;
    if (slash != StringRef::npos && number.consume_front("tower_") &&
        !number.getAsInteger(10, index))
      return first;
  }
  auto device = op->getAttrOfType<DeviceAttr>(kDeviceAttr);
  return device ? device.getText() : StringRef();
}

std::optional<uint64_t> seedOf(Operation *op) {
  auto random = dyn_cast<RandomSource>(op);
  return random ? random.getStreamSeed() : std::nullopt;
}

/// Hashes of an op's computation without placement: equal for the same op of
/// two towers, whose examples differ.
class Shapes {
public:
  llvm::hash_code of(Value value) {
    if (isa<BlockArgument>(value))
      return llvm::hash_value(value.getType().getAsOpaquePointer());
    return llvm::hash_combine(of(value.getDefiningOp()),
                              cast<OpResult>(value).getResultNumber());
  }

  llvm::hash_code of(Operation *op) {
    auto [it, isNew] = known.try_emplace(op, llvm::hash_code(0));
    if (!isNew)
      return it->second;
    llvm::hash_code hash = llvm::hash_value(op->getName().getStringRef());
    for (Type type : op->getResultTypes())
      hash = llvm::hash_combine(hash, type.getAsOpaquePointer());
    for (NamedAttribute attr : op->getAttrs())
      if (!isPlace(op, attr.getName()))
        hash = llvm::hash_combine(hash, attr.getName().getAsOpaquePointer(),
                                  attr.getValue().getAsOpaquePointer());
    for (Value operand : op->getOperands())
      hash = llvm::hash_combine(hash, of(operand));
    return known[op] = hash;
  }

private:
  /// Names, devices, and what part of the data it is.
  static bool isPlace(Operation *op, StringRef attr) {
    return attr == kNameAttr || attr == kDeviceAttr || attr == kColocateAttr ||
           attr == "seed" || (isa<NextOp>(op) && attr == "shard") ||
           (isa<SliceOp>(op) && attr == "begin");
  }

  DenseMap<Operation *, llvm::hash_code> known;
};

} // namespace

void lintEqualSeeds(LintContext &context) {
  for (auto graph : context.module.getOps<GraphOp>()) {
    std::map<std::pair<StringRef, int64_t>, Operation *> first;
    for (Operation &op : graph.getBlock()) {
      auto seed = seedOf(&op);
      if (!seed)
        continue;
      auto [it, isNew] =
          first.try_emplace({op.getName().getStringRef(), *seed}, &op);
      StringRef tower = towerOf(&op), other = towerOf(it->second);
      if (isNew || tower.empty() || other.empty() || tower == other)
        continue;
      context.report(op.getLoc(),
                     "in '" + tower + "' it draws the same numbers as in '" +
                         other + "', with seed " + Twine(*seed),
                     "give each tower its own seed, or leave the seed out");
    }
  }
}

void lintEqualShards(LintContext &context) {
  for (auto graph : context.module.getOps<GraphOp>()) {
    std::map<std::tuple<StringRef, int64_t, int64_t>, Operation *> first;
    for (auto next : graph.getBlock().getOps<NextOp>()) {
      if (next.getShards() < 2)
        continue;
      int64_t shard = next.getShard(), shards = next.getShards();
      auto [it, isNew] = first.try_emplace({next.getDataset(), shard, shards},
                                           next.getOperation());
      StringRef tower = towerOf(next), other = towerOf(it->second);
      if (isNew || tower == other)
        continue;
      context.report(next.getLoc(),
                     "in '" + tower + "' it takes part " + Twine(shard) +
                         " of dataset '" + next.getDataset() + "', as in '" +
                         other + "'",
                     "give each tower its own 'shard'");
    }
  }
}

void lintLastTowerLoss(LintContext &context) {
  for (auto graph : context.module.getOps<GraphOp>()) {
    Shapes shapes;
    // By what it computes: the ops, in their order.
    DenseMap<size_t, SmallVector<Operation *>> twins;
    for (Operation &op : graph.getBlock().without_terminator())
      twins[size_t(shapes.of(&op))].push_back(&op);
    auto returned = graph.getReturn().getValues();
    for (auto [name, value] :
         llvm::zip(graph.getFetchNames().getAsRange<StringAttr>(), returned)) {
      Operation *op = value.getDefiningOp();
      auto type = tensorType(value);
      if (!op || type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
        continue;
      const SmallVector<Operation *> &same = twins[size_t(shapes.of(op))];
      StringRef tower = towerOf(op);
      bool isLast = same.size() > 1 && same.back() == op && !tower.empty();
      // Each tower is there once, and nobody asks for the others.
      llvm::StringMap<int> towers;
      for (Operation *twin : same) {
        ++towers[towerOf(twin)];
        isLast &=
            twin == op || !llvm::is_contained(returned, twin->getResult(0));
      }
      if (!isLast || towers.size() != same.size() || towers.count(""))
        continue;
      context.report(op->getLoc(),
                     "fetch '" + name.getValue() + "' is the value of '" +
                         tower + "' alone, the last of " + Twine(same.size()) +
                         " towers",
                     "fetch the mean over the towers, or leave the towers to "
                     "--replicate=towers");
    }
  }
}

} // namespace graphc
