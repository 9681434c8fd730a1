// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of a table's rows: lookups in parts, distinct ids.
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/gather/Segments.h"
#include "dialects/tfir/gather/StableOrder.h"
#include "dialects/tfir/gather/TfirGatherOps.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/TfirScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

//===-- embedding_lookup --------------------------------------------------===//

/// The parts as one table; a size that is not known stays so.
static FailureOr<RankedTensorType> tableOf(EmbeddingLookupOp op) {
  if (op.getParams().empty()) // (C2)
    return op.emitOpError("has no params; expected a table, or its parts");
  RankedTensorType first = tensorType(op.getParams().front());
  SmallVector<int64_t> rows;
  for (Value part : op.getParams()) {
    RankedTensorType type = tensorType(part);
    if (type.getRank() == 0) // (C1)
      return op.emitOpError()
             << "params have type " << type << ", expected a table of rows";
    if (type.getElementType() != first.getElementType() ||
        failed(verifyCompatibleShape(type.getShape().drop_front(),
                                     first.getShape().drop_front()))) // (C2)
      return op.emitOpError()
             << "a part of the table has type " << type << ", another one "
             << first << "; expected the same but for their rows";
    rows.push_back(type.getDimSize(0));
  }
  int64_t parts = rows.size();
  SmallVector<int64_t> shape(first.getShape());
  if (parts == 1)
    return first;
  shape[0] = ShapedType::kDynamic;
  if (llvm::is_contained(rows, ShapedType::kDynamic))
    return first.clone(shape);
  shape[0] = 0;
  for (int64_t own : rows)
    shape[0] += own;
  for (int64_t i = 0; i < parts; ++i)
    if (int64_t share = shape[0] / parts + (i < shape[0] % parts);
        rows[i] != share) // (C3)
      return op.emitOpError()
             << "part " << i << " of a table of " << shape[0] << " rows has "
             << rows[i] << ", expected " << share
             << "; parts differ by one row at most, and the first ones have "
                "more";
  return first.clone(shape);
}

LogicalResult EmbeddingLookupOp::inferTypes(SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> table = tableOf(*this);
  if (failed(table))
    return failure();
  StringRef strategy = getPartitionStrategy();
  if (strategy != "mod" && strategy != "div") // (C4)
    return emitOpError() << "partition_strategy is '" << strategy
                         << "', expected 'mod' or 'div'";
  SmallVector<int64_t> shape(tensorType(getIds()).getShape());
  llvm::append_range(shape, table->getShape().drop_front());
  types.push_back(table->clone(shape));
  return success();
}

namespace {

/// The part that has the row of each id, and the row in that part.
struct RowPlaces {
  Value part, row;
};

/// Part i holds the rows i, i + P, ...
RowPlaces placesByMod(OpExpr e, Value ids, int64_t parts) {
  Value count = e.number(ids, static_cast<double>(parts));
  return {e.binary<FloorModOp>(ids, count), e.binary<FloorDivOp>(ids, count)};
}

/// The first `extra` parts have `share` + 1 rows, the others `share`.
RowPlaces placesByDiv(OpExpr e, Value ids, int64_t parts, int64_t rows) {
  int64_t share = rows / parts, extra = rows % parts;
  auto places = [&](Value id, int64_t size, int64_t first) {
    Value count =
        e.number(ids, static_cast<double>(std::max<int64_t>(size, 1)));
    return RowPlaces{
        e.shift(e.binary<FloorDivOp>(id, count), static_cast<double>(first)),
        e.binary<FloorModOp>(id, count)};
  };
  int64_t longRows = extra * (share + 1);
  RowPlaces later =
      places(e.shift(ids, -static_cast<double>(longRows)), share, extra);
  if (extra == 0)
    return later;
  RowPlaces early = places(ids, share + 1, 0);
  Value isEarly =
      e.test<LessOp>(ids, e.number(ids, static_cast<double>(longRows)));
  return {e.select(isEarly, early.part, later.part, ids),
          e.select(isEarly, early.row, later.row, ids)};
}

} // namespace

/// The rows of each part, of which one at most is not zero; they are chosen
/// among and not added up, so that no -0 is lost.
Results EmbeddingLookupOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  OpExpr e{b, loc};
  RankedTensorType to = tensorType(getOutput());
  int64_t parts = getParams().size();
  if (parts == 1)
    return SmallVector<Value>{
        GatherOp::create(b, loc, to, getParams().front(), getIds(), 0)};
  FailureOr<RankedTensorType> table = tableOf(*this);
  if (failed(table))
    return failure();
  RankedTensorType ids = tensorType(getIds());
  RowPlaces places =
      getPartitionStrategy() == "mod"
          ? placesByMod(e, getIds(), parts)
          : placesByDiv(e, getIds(), parts, table->getDimSize(0));
  SmallVector<int64_t> each(ids.getShape());
  each.resize(to.getRank(), 1);
  Value result;
  for (auto [i, part] : llvm::enumerate(getParams())) {
    Value isOwn = e.test<EqualOp>(places.part,
                                  e.number(getIds(), static_cast<double>(i)));
    // -1 names no row.
    Value rows = e.select(isOwn, places.row, e.number(getIds(), -1), getIds());
    Value own = GatherOp::create(b, loc, to, part, rows, 0);
    Value mask = ReshapeOp::create(
        b, loc, RankedTensorType::get(each, b.getI1Type()), isOwn);
    result = result ? e.select(mask, own, result, own) : own;
  }
  return SmallVector<Value>{result};
}

//===-- unique ------------------------------------------------------------===//

LogicalResult UniqueOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(getX());
  if (x.getRank() != 1 ||
      (x.hasStaticShape() && x.getNumElements() > kMaxSorted)) // (C1)
    return emitOpError() << "x has type " << x
                         << ", expected one dimension of at most " << kMaxSorted
                         << " elements";
  types.push_back(x);
  types.push_back(
      RankedTensorType::get(x.getShape(), IntegerType::get(getContext(), 32)));
  return success();
}

bool UniqueOp::gathersOperands() { return true; }
bool UniqueOp::keepsRows() { return false; }

/// An element is sorted with its equals, the first of which stands for them
/// all; these, in order, are the distinct ones.
SmallVector<Value> UniqueOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  Location loc = getLoc();
  RankedTensorType type = tensorType(operands[0]);
  int64_t count = type.getNumElements();
  RankedTensorType places = type.clone(b.getI32Type());
  if (count == 0)
    return {operands[0],
            filledTensor(b, loc, places, zeroOf(b, loc, b.getI32Type()))};
  auto ascending = [](OpBuilder &b, Location loc, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, x, y);
  };
  auto at = [](OpBuilder &b, Location loc, Value row, Value column) -> Value {
    return tensor::ExtractOp::create(b, loc, row,
                                     ValueRange{index(b, loc, 0), column});
  };
  SortedRows equals =
      sortRows(b, loc, inShape(b, loc, operands[0], {1, count}), ascending);
  // The place where the element comes first.
  Value firsts = buildFromIndices(
      b, loc, places, [&](OpBuilder &b, Location loc, ValueRange i) -> Value {
        Value x = tensor::ExtractOp::create(b, loc, operands[0], i[0]);
        Value bound = lowerBound(b, loc, equals.keys, toIndex(b, loc, x));
        return at(b, loc, equals.places, toIndex(b, loc, bound));
      });
  // Places of the distinct ones, then `count` for the others.
  Value marks = buildFromIndices(
      b, loc, places, [&](OpBuilder &b, Location loc, ValueRange i) -> Value {
        Value first = tensor::ExtractOp::create(b, loc, firsts, i[0]);
        Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              toIndex(b, loc, first), i[0]);
        return arith::SelectOp::create(b, loc, isFirst, first,
                                       number32(b, loc, count));
      });
  SortedRows distinct =
      sortRows(b, loc, inShape(b, loc, marks, {1, count}), ascending);
  Value y = buildFromIndices(
      b, loc, type, [&](OpBuilder &b, Location loc, ValueRange i) -> Value {
        Value place = at(b, loc, distinct.keys, i[0]);
        Value isIt = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                           place, number32(b, loc, count));
        Value inside =
            arith::MinSIOp::create(b, loc, place, number32(b, loc, count - 1));
        Value x = tensor::ExtractOp::create(b, loc, operands[0],
                                            toIndex(b, loc, inside));
        Value none = arith::ConstantOp::create(
            b, loc, b.getIntegerAttr(type.getElementType(), -1));
        return arith::SelectOp::create(b, loc, isIt, x, none);
      });
  Value idx = buildFromIndices(
      b, loc, places, [&](OpBuilder &b, Location loc, ValueRange i) -> Value {
        Value first = tensor::ExtractOp::create(b, loc, firsts, i[0]);
        return lowerBound(b, loc, distinct.keys, toIndex(b, loc, first));
      });
  return {y, idx};
}
