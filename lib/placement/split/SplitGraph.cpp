// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/split/SplitGraph.h"

#include "dialects/tfir/Support.h"
#include "dialects/tfir/gather/TfirGatherOps.h"
#include "dialects/tfir/gather/UpdatesRows.h"
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
  Value updateRows(Operation *update, const SplitVariable &cut, size_t part,
                   unsigned depth);
  Value sumRows(UnsortedSegmentSumOp sum, const SplitVariable &cut,
                size_t part);
  Value localTo(Value value, const SplitVariable &cut, size_t part,
                unsigned depth);
  Value shiftIds(Value ids, const SplitVariable &cut, size_t part);
  Value gatherPart(GatherOp lookup, const SplitVariable &cut, size_t part);
  void splitLookup(GatherOp lookup, const SplitVariable &cut);
  void eraseUnused();
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
  /// Variables that are read as a whole, put together of their parts.
  DenseMap<Value, const SplitVariable *> whole;
  DenseMap<std::pair<Value, StringAttr>, Value> shifted; ///< ids, by the part
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
  whole[concat.getY()] = &cut;
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
  Value rows;
  if (maker && maker->hasTrait<UpdatesRows>())
    rows = updateRows(maker, cut, part, depth);
  else if (auto sum = dyn_cast_if_present<UnsortedSegmentSumOp>(maker);
           sum && !getTower(sum))
    rows = sumRows(sum, cut, part);
  else if (depth < kMaxDepth && canCompute(maker))
    rows = computeRows(maker, cut, part, depth);
  else
    rows = sliceRows(value, cut.rows[part]);
  known[key] = rows;
  return rows;
}

//===-- Tables ------------------------------------------------------------===//

/// The rows of a part count from its first one; those of others are outside.
Value GraphSplitter::shiftIds(Value ids, const SplitVariable &cut,
                              size_t part) {
  int64_t begin = cut.rows[part].begin;
  if (begin == 0)
    return ids;
  Value &found = shifted[{ids, cut.names[part]}];
  if (found)
    return found;
  RankedTensorType type = tensorType(ids);
  Value first = splat(builder, ids.getLoc(), type.clone(ArrayRef<int64_t>()),
                      static_cast<double>(begin));
  auto local = SubOp::create(builder, ids.getLoc(), type, ids, first);
  std::string scope = cut.names[part].str();
  setName(first.getDefiningOp(), scope + "/Const");
  setName(local, scope + "/Sub");
  setColocation(local, cut.names[part]);
  return found = local;
}

Value GraphSplitter::gatherPart(GatherOp lookup, const SplitVariable &cut,
                                size_t part) {
  RowRange rows = cut.rows[part];
  Value params = known.lookup({lookup.getParams(), {rows.begin, rows.size}});
  auto own = GatherOp::create(builder, lookup.getLoc(), lookup.getType(),
                              params, shiftIds(lookup.getIndices(), cut, part),
                              /*axis=*/0);
  setName(own, cut.names[part].getValue() + "/Gather");
  setColocation(own, cut.names[part]);
  return own;
}

/// A value that is used for the rows of one part only: where it follows from
/// lookups in variables, it is computed from lookups in that part of them.
Value GraphSplitter::localTo(Value value, const SplitVariable &cut, size_t part,
                             unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (auto lookup = dyn_cast_if_present<GatherOp>(op)) {
    const SplitVariable *of = whole.lookup(lookup.getParams());
    bool isCutAlike = of && lookup.getAxis() == 0 &&
                      of->rows.size() == cut.rows.size() &&
                      of->rows[part].begin == cut.rows[part].begin;
    return isCutAlike ? gatherPart(lookup, *of, part) : value;
  }
  if (!op || depth >= kMaxDepth || !isa<Elementwise>(op) || getTower(op) ||
      op->getNumRegions() != 0)
    return value;
  IRMapping mapping;
  bool isLocal = false;
  for (Value operand : op->getOperands()) {
    Value own = localTo(operand, cut, part, depth + 1);
    isLocal |= own != operand;
    mapping.map(operand, own);
  }
  if (!isLocal)
    return value;
  Operation *made = builder.clone(*op, mapping);
  setRequestedDevice(made, {});
  setColocation(made, cut.names[part]);
  setName(made, cut.names[part].getValue() + "/" + kindName(op));
  return made->getResult(0);
}

Value GraphSplitter::updateRows(Operation *update, const SplitVariable &cut,
                                size_t part, unsigned depth) {
  Value ref = rowsOf(update->getOperand(0), cut, part, depth + 1);
  Value ids = shiftIds(update->getOperand(1), cut, part);
  Value updates = localTo(update->getOperand(2), cut, part, 0);
  Operation *made = update->clone();
  builder.insert(made);
  made->setOperands({ref, ids, updates});
  made->getResult(0).setType(ref.getType());
  setRequestedDevice(made, {});
  setName(made, cut.names[part].getValue() + "/" + kindName(update));
  setColocation(made, cut.names[part]);
  return made->getResult(0);
}

Value GraphSplitter::sumRows(UnsortedSegmentSumOp sum, const SplitVariable &cut,
                             size_t part) {
  int64_t rows = cut.rows[part].size;
  auto made = UnsortedSegmentSumOp::create(
      builder, sum.getLoc(), withRows(tensorType(sum.getOutput()), rows),
      sum.getData(), shiftIds(sum.getSegmentIds(), cut, part), rows);
  setName(made, cut.names[part].getValue() + "/UnsortedSegmentSum");
  setColocation(made, cut.names[part]);
  return made;
}

/// Each part looks up its own rows; where they are used, one of them is chosen
/// for each index.
void GraphSplitter::splitLookup(GatherOp lookup, const SplitVariable &cut) {
  builder.setInsertionPoint(lookup);
  Operation *user = *lookup->user_begin();
  auto place = [&](Operation *op) {
    setName(op, getNodeName(lookup).getValue() + "/" + kindName(op));
    if (isa<ConstOp>(op))
      return;
    setRequestedDevice(op, getRequestedDevice(user));
    setColocation(op, getColocationAttr(user));
    setTower(op, getTower(user));
  };
  Location loc = lookup.getLoc();
  Value ids = lookup.getIndices();
  RankedTensorType type = tensorType(ids), to = tensorType(lookup.getOutput());
  SmallVector<int64_t> each(type.getShape());
  each.resize(to.getRank(), 1);
  Type bit = builder.getI1Type();
  Value result;
  for (size_t part = 0; part < cut.names.size(); ++part) {
    Value own = gatherPart(lookup, cut, part);
    if (!result) {
      result = own;
      continue;
    }
    Value first = splat(builder, loc, type.clone(ArrayRef<int64_t>()),
                        static_cast<double>(cut.rows[part].begin));
    Value isLater = GreaterEqualOp::create(
        builder, loc, RankedTensorType::get(type.getShape(), bit), ids, first);
    Value mask = ReshapeOp::create(builder, loc,
                                   RankedTensorType::get(each, bit), isLater);
    result = SelectOp::create(builder, loc, to, mask, own, result);
    for (Value made : {first, isLater, mask, result})
      place(made.getDefiningOp());
  }
  lookup.getOutput().replaceAllUsesWith(result);
}

/// Erases what was done for the whole, which nothing asks for any more.
void GraphSplitter::eraseUnused() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(graph.getBlock())))
    if (isOpTriviallyDead(&op))
      op.erase();
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
  eraseUnused();
  shifted.clear(); // what is left comes before the assignments
  for (auto lookup :
       llvm::make_early_inc_range(graph.getBlock().getOps<GatherOp>())) {
    const SplitVariable *cut = whole.lookup(lookup.getParams());
    auto beside = getColocation(lookup);
    if (cut && lookup.getAxis() == 0 && beside && cuts.contains(beside))
      splitLookup(lookup, *cut);
  }
  eraseUnused();
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
