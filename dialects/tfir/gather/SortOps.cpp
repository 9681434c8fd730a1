// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders of rows: where the elements of a sorted row stood, sorted rows, and
// the largest elements of each.
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/gather/Segments.h"
#include "dialects/tfir/gather/StableOrder.h"
#include "dialects/tfir/gather/TfirGatherOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

static LogicalResult checkRows(Operation *op, Value x) {
  RankedTensorType type = tensorType(x);
  if (type.getRank() > 0 && type.getShape().back() <= kMaxSorted) // (C1)
    return success();
  return op->emitOpError() << "orders rows along the last dimension of " << type
                           << "; it needs one of at most " << kMaxSorted
                           << " elements";
}

LogicalResult ArgsortOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkRows(*this, getX())))
    return failure();
  types.push_back(RankedTensorType::get(tensorType(getX()).getShape(),
                                        IntegerType::get(getContext(), 32)));
  return success();
}

bool ArgsortOp::gathersOperands() { return true; }
bool ArgsortOp::keepsRows() { return tensorType(getX()).getRank() > 1; }

SmallVector<Value> ArgsortOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  Location loc = getLoc();
  RankedTensorType to = tensorType(getPlaces());
  if (to.getNumElements() == 0)
    return {filledTensor(b, loc, to, zeroOf(b, loc, to.getElementType()))};
  Type element = tensorType(getX()).getElementType();
  bool isUnsigned = element.isUnsignedInteger(), falls = getDescending();
  auto mayPrecede = [&](OpBuilder &b, Location loc, Value x, Value y) -> Value {
    if (isa<FloatType>(element)) {
      Value ordered = arith::CmpFOp::create(
          b, loc, falls ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OLE,
          x, y);
      Value isNan =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, y, y);
      return arith::OrIOp::create(b, loc, ordered, isNan);
    }
    arith::CmpIPredicate predicate =
        isUnsigned
            ? (falls ? arith::CmpIPredicate::uge : arith::CmpIPredicate::ule)
            : (falls ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle);
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  int64_t columns = to.getShape().back();
  Value rows =
      inShape(b, loc, operands[0], {to.getNumElements() / columns, columns});
  return {inShape(b, loc, sortRows(b, loc, rows, mayPrecede).places,
                  to.getShape())};
}

/// The first `count` places of each row, and the elements there.
static SmallVector<Value> firstOf(OpBuilder &b, Location loc, Value x,
                                  Value places, int64_t count) {
  RankedTensorType type = tensorType(x), order = tensorType(places);
  SmallVector<int64_t> shape(type.getShape());
  int64_t columns = shape.back();
  shape.back() = count;
  if (count != columns)
    places = SliceOp::create(b, loc, order.clone(shape), places,
                             SmallVector<int64_t>(shape.size(), 0), shape);
  int64_t rows = ShapedType::getNumElements(type.getShape().drop_back());
  if (rows == 0 || count == 0)
    return {ReshapeOp::create(b, loc, type.clone(shape), x), places};
  // Places in a table of all elements, since each row has its own.
  SmallVector<int64_t> firsts;
  for (int64_t row = 0; row < rows; ++row)
    firsts.push_back(row * columns);
  Type i64 = b.getI64Type();
  auto first = RankedTensorType::get({rows, 1}, i64);
  auto wide = RankedTensorType::get({rows, count}, i64);
  Value flat = ReshapeOp::create(b, loc, order.clone({rows, count}), places);
  flat = CastOp::create(b, loc, wide, flat);
  flat = AddOp::create(
      b, loc, wide, flat,
      ConstOp::create(b, loc, first,
                      DenseElementsAttr::get(first, ArrayRef(firsts))));
  Value table = ReshapeOp::create(b, loc, type.clone({rows * columns}), x);
  Value values =
      GatherOp::create(b, loc, type.clone({rows, count}), table, flat, 0);
  return {ReshapeOp::create(b, loc, type.clone(shape), values), places};
}

LogicalResult SortOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkRows(*this, getX())))
    return failure();
  types.push_back(getX().getType());
  return success();
}

static Value orderOf(OpBuilder &b, Location loc, Value x, bool descending) {
  auto type = RankedTensorType::get(tensorType(x).getShape(), b.getI32Type());
  return ArgsortOp::create(b, loc, type, x,
                           descending ? b.getUnitAttr() : UnitAttr());
}

Results SortOp::decompose(OpBuilder &b) {
  Value order = orderOf(b, getLoc(), getX(), getDescending());
  return SmallVector<Value>{firstOf(b, getLoc(), getX(), order,
                                    tensorType(getX()).getShape().back())[0]};
}

LogicalResult TopKOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkRows(*this, getX())))
    return failure();
  RankedTensorType type = tensorType(getX());
  SmallVector<int64_t> shape(type.getShape());
  auto k = static_cast<int64_t>(getK());
  if (k < 1 || (!ShapedType::isDynamic(shape.back()) && k > shape.back()))
    return emitOpError() << "k is " << k << ", expected 1 to the size of the "
                         << "last dimension of " << type; // (C2)
  shape.back() = k;
  types.push_back(type.clone(shape));
  types.push_back(
      RankedTensorType::get(shape, IntegerType::get(getContext(), 32)));
  return success();
}

Results TopKOp::decompose(OpBuilder &b) {
  return firstOf(b, getLoc(), getX(),
                 orderOf(b, getLoc(), getX(), /*descending=*/true),
                 static_cast<int64_t>(getK()));
}
