// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Categories of values: comparisons with whole lists, and a hash.
#include "dialects/tfir/ops/features/TfirFeatureOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/ScalarFormula.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"
#include "dialects/tfir/ops/arrange/TfirMatrixOps.h"
#include "dialects/tfir/ops/features/FeatureColumns.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirFeatureOps.cpp.inc"

namespace {

/// Checks that an operand is a list of the element type of `x`.
LogicalResult verifyList(Operation *op, StringRef name, Value x, Value list) {
  RankedTensorType type = tensorType(list);
  Type element = tensorType(x).getElementType();
  if (type.getRank() == 1 && type.getElementType() == element)
    return success();
  return op->emitOpError() << "'" << name << "' has type " << type
                           << ", expected a list of " << element
                           << ", as 'x' has";
}

/// Writes what compares each element with a list, along a second dimension.
struct ListExpr : OpExpr {
  Value x, list;

  ListExpr(OpBuilder &builder, Location at, Value x, Value list)
      : OpExpr{builder, at}, x(x), list(list) {}

  int64_t length() const { return tensorType(list).getDimSize(0); }
  /// One element per row.
  Value rows() {
    return ArrangeExpr{b, loc}.reshape(x, {tensorType(x).getNumElements(), 1});
  }
  /// One number per row, as elements of the shape of x.
  Value shaped(Value numbers) {
    return ArrangeExpr{b, loc}.reshape(numbers, tensorType(x).getShape());
  }
  Value integer(Type type, int64_t value) {
    auto scalar = RankedTensorType::get({}, type);
    return ConstOp::create(
        b, loc, scalar,
        DenseElementsAttr::get(scalar, b.getIntegerAttr(type, value)));
  }
  /// Over the list, for each row.
  template <typename Op> Value reduce(Value table) {
    RankedTensorType type = tensorType(table);
    return Op::create(b, loc, type.clone(type.getShape().take_front()), table,
                      b.getDenseI64ArrayAttr({1}), UnitAttr());
  }
};

} // namespace

//===-- bucketize ---------------------------------------------------------===//

LogicalResult BucketizeOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(verifyList(*this, "boundaries", getX(), getBoundaries()))) // (C1)
    return failure();
  types.push_back(RankedTensorType::get(tensorType(getX()).getShape(),
                                        IntegerType::get(getContext(), 32)));
  return success();
}

Results BucketizeOp::decompose(OpBuilder &b) {
  ListExpr e(b, getLoc(), getX(), getBoundaries());
  // Not "at least": NaN is below no boundary.
  Value below = e.test<LessOp>(e.rows(), e.list);
  auto type = tensorType(below).clone(b.getI32Type());
  Value passed =
      SelectOp::create(b, getLoc(), type, below, e.integer(b.getI32Type(), 0),
                       e.integer(b.getI32Type(), 1));
  return SmallVector<Value>{e.shaped(e.reduce<SumOp>(passed))};
}

//===-- vocabulary_index --------------------------------------------------===//

LogicalResult VocabularyIndexOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(verifyList(*this, "vocabulary", getX(), getVocabulary()))) // (C1)
    return failure();
  types.push_back(RankedTensorType::get(tensorType(getX()).getShape(),
                                        IntegerType::get(getContext(), 64)));
  return success();
}

Results VocabularyIndexOp::decompose(OpBuilder &b) {
  ListExpr e(b, getLoc(), getX(), getVocabulary());
  Value same = e.test<EqualOp>(e.rows(), e.list);
  Value behind = e.integer(b.getI64Type(), e.length());
  Value places = IotaOp::create(
      b, getLoc(), RankedTensorType::get({e.length()}, b.getI64Type()));
  auto type = tensorType(same).clone(b.getI64Type());
  Value found = SelectOp::create(b, getLoc(), type, same, places, behind);
  Value first = e.reduce<MinOp>(found);
  Value place = e.select(e.test<LessOp>(first, behind), first,
                         e.integer(b.getI64Type(), getDefaultValue()), first);
  return SmallVector<Value>{e.shaped(place)};
}

//===-- hash_bucket -------------------------------------------------------===//

LogicalResult HashBucketOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (getKeys().empty()) // (C1)
    return emitOpError() << "hashes nothing, expected one key at least";
  if (static_cast<int64_t>(getNumBuckets()) < 1) // (C3)
    return emitOpError() << "num_buckets is "
                         << static_cast<int64_t>(getNumBuckets())
                         << ", expected at least 1";
  std::optional<SmallVector<int64_t>> shape;
  for (Value key : getKeys()) {
    ArrayRef<int64_t> own = tensorType(key).getShape();
    std::optional<SmallVector<int64_t>> both =
        shape ? broadcastShapes(*shape, own) : SmallVector<int64_t>(own);
    if (!both) // (C2)
      return emitOpError() << "a key has type " << tensorType(key)
                           << ", which does not broadcast with the keys "
                              "before it";
    shape = both;
  }
  types.push_back(
      RankedTensorType::get(*shape, IntegerType::get(getContext(), 64)));
  return success();
}

Value HashBucketOp::buildScalar(OpBuilder &b, Location loc, ValueRange keys,
                                IndexFn) {
  Type wide = b.getI64Type();
  auto number = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(wide, static_cast<int64_t>(value)));
  };
  auto fold = [&](Value z, uint64_t shift) -> Value {
    Value high = arith::ShRUIOp::create(b, loc, z, number(shift));
    return arith::XOrIOp::create(b, loc, z, high);
  };
  auto times = [&](Value z, uint64_t factor) -> Value {
    return arith::MulIOp::create(b, loc, z, number(factor));
  };
  Value hash = number(static_cast<uint64_t>(getSeed()));
  for (Value key : keys) {
    if (key.getType() != wide)
      key = arith::ExtSIOp::create(b, loc, wide, key);
    Value z = arith::AddIOp::create(b, loc, hash, number(0x9E3779B97F4A7C15));
    z = arith::AddIOp::create(b, loc, z, key);
    z = times(fold(z, 30), 0xBF58476D1CE4E5B9);
    z = times(fold(z, 27), 0x94D049BB133111EB);
    hash = fold(z, 31);
  }
  return arith::RemUIOp::create(b, loc, hash,
                                number(static_cast<uint64_t>(getNumBuckets())));
}
