// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/split/SplitGraph.h"

#include "lib/frontend/UniqueNames.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

/// Arithmetic before an assignment is followed this far.
constexpr unsigned kMaxDepth = 64;

/// Rewrites one graph.
class GraphSplitter {
public:
  GraphSplitter(GraphOp graph, const SplitMap &cuts)
      : graph(graph), cuts(cuts), names(graph), builder(graph.getContext()) {}

  void run();

private:
  void split(ReadOp read, const SplitVariable &cut);
  void split(AssignOp assign, const SplitVariable &cut);
  Value rowsOf(Value value, const SplitVariable &cut, size_t part,
               unsigned depth);
  Value computeRows(Operation *op, const SplitVariable &cut, size_t part,
                    unsigned depth);
  Value sliceRows(Value value, RowRange rows);
  static bool canCompute(Operation *op);
  void hangOnPart(Operation *op, size_t part) const;
  void setName(Operation *op, const Twine &base) {
    setNodeName(op, builder.getStringAttr(names.take(base.str())));
  }

  GraphOp graph;
  const SplitMap &cuts;
  UniqueNames names;
  OpBuilder builder;
  /// A value, a first row and a number of rows.
  using Key = std::pair<Value, std::pair<int64_t, int64_t>>;
  DenseMap<Key, Value> known; ///< the rows that there are
};

/// Moves colocation with a whole variable to that shard of it.
void GraphSplitter::hangOnPart(Operation *op, size_t part) const {
  auto beside = getColocation(op);
  if (!beside)
    return;
  auto cut = cuts.find(beside);
  if (cut != cuts.end())
    setColocation(op, cut->second.names[part]);
}

void GraphSplitter::split(ReadOp read, const SplitVariable &cut) {
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
  concat.setNodeName(read.getNodeName());
  for (auto [rows, part] : llvm::zip(cut.rows, parts))
    known[{concat.getY(), {rows.begin, rows.size}}] = part;
  read.getValue().replaceAllUsesWith(concat.getY());
  read.erase();
}

void GraphSplitter::split(AssignOp assign, const SplitVariable &cut) {
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
  if (!op || op->getNumResults() != 1 || getTower(op))
    return false;
  if (auto constant = dyn_cast<ConstOp>(op)) {
    auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
    return value && value.isSplat();
  }
  return isa<Elementwise>(op) && op->getNumOperands() > 0 &&
         !isa<PhiloxUniformOp>(op) && op->getNumRegions() == 0;
}

Value GraphSplitter::sliceRows(Value value, RowRange rows) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> begin(type.getRank()), size(type.getShape());
  begin.front() = rows.begin;
  size.front() = rows.size;
  auto slice = SliceOp::create(builder, value.getLoc(),
                               withRows(type, rows.size), value, begin, size);
  setName(slice, "Slice");
  // Where the whole is: only the rows go to the part.
  if (Operation *maker = value.getDefiningOp()) {
    slice.setColocation(getNodeName(maker));
    slice.setTower(getTower(maker));
  }
  return slice.getY();
}

Value GraphSplitter::computeRows(Operation *op, const SplitVariable &cut,
                                 size_t part, unsigned depth) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  RowRange rows = cut.rows[part];
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
  setRequestedDevice(made, {});
  setColocation(made, cut.names[part]);
  setName(made, cut.names[part].getValue() + "/" + kindName(op));
  return made->getResult(0);
}

Value GraphSplitter::rowsOf(Value value, const SplitVariable &cut, size_t part,
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

} // namespace

RankedTensorType withRows(RankedTensorType type, int64_t rows) {
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = rows;
  return type.clone(shape);
}

void splitGraph(GraphOp graph, const SplitMap &cuts) {
  GraphSplitter(graph, cuts).run();
}

} // namespace graphc
