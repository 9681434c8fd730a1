// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feature columns, written with ops of the dialect.
#include "dialects/tfir/ops/features/ColumnExpr.h"

#include "dialects/tfir/gather/TfirGatherOps.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"
#include "dialects/tfir/ops/features/TfirFeatureOps.h"

using namespace mlir;
using namespace graphc::tfir;

//===-- Expressions -------------------------------------------------------===//

Value ColumnExpr::reshape(Value x, ArrayRef<int64_t> shape) {
  return tensorType(x).getShape() == shape
             ? x
             : ArrangeExpr{b, loc}.reshape(x, shape);
}

Value ColumnExpr::convert(Value x, Type element) {
  RankedTensorType type = tensorType(x);
  return type.getElementType() == element
             ? x
             : CastOp::create(b, loc, type.clone(element), x);
}

Value ColumnExpr::integer(int64_t value) {
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  return ConstOp::create(b, loc, scalar, DenseElementsAttr::get(scalar, value));
}

Value ColumnExpr::list(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())},
                                    b.getI64Type());
  return ConstOp::create(b, loc, type, DenseElementsAttr::get(type, values));
}

Value ColumnExpr::sumOfValues(Value x) {
  RankedTensorType type = tensorType(x);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + 1);
  if (type.getDimSize(1) == 1)
    return reshape(x, shape);
  return SumOp::create(b, loc, type.clone(shape), x,
                       b.getDenseI64ArrayAttr({1}), UnitAttr());
}

Value ColumnExpr::integers(StringAttr key) {
  Value x = convert(features.find(key), b.getI64Type());
  RankedTensorType type = tensorType(x);
  return reshape(x, {batch, type.getRank() == 1 ? 1 : type.getDimSize(1)});
}

Value ColumnExpr::unlessMissing(Value x, Value category) {
  return select(test<EqualOp>(x, integer(-1)), integer(-1), category, category);
}

Value ColumnExpr::buckets(BucketizedColumnAttr column) {
  Value x = cast<DenseColumnAttrInterface>(column.getSourceColumn())
                .buildNumbers(*this);
  SmallVector<float> boundaries;
  for (auto boundary : column.getBoundaries().getAsRange<FloatAttr>())
    boundaries.push_back(static_cast<float>(boundary.getValueAsDouble()));
  auto type = RankedTensorType::get({static_cast<int64_t>(boundaries.size())},
                                    b.getF32Type());
  Value begins = ConstOp::create(
      b, loc, type, DenseElementsAttr::get(type, ArrayRef(boundaries)));
  return BucketizeOp::create(b, loc, tensorType(x).clone(b.getI32Type()), x,
                             begins);
}

Value ColumnExpr::flatCategories(Attribute column) {
  Value ids =
      llvm::cast<CategoricalColumnAttrInterface>(column).buildCategories(*this);
  return tensorType(ids).getDimSize(1) == 1 ? reshape(ids, {batch}) : ids;
}

Value ColumnExpr::combinedRows(Attribute column, Value table,
                               StringRef combiner) {
  Value ids = flatCategories(column);
  SmallVector<int64_t> shape(tensorType(ids).getShape());
  shape.push_back(tensorType(table).getDimSize(1));
  // -1 is outside of the table and gives zeros.
  Value rows =
      GatherOp::create(b, loc, tensorType(table).clone(shape), table, ids, 0);
  if (shape.size() == 2)
    return rows;
  Value sum = sumOfValues(rows);
  if (combiner == "sum")
    return sum;
  Value isNone = test<LessOp>(ids, integer(0));
  Value ones = SelectOp::create(b, loc, tensorType(ids).clone(b.getF32Type()),
                                isNone, number(sum, 0), number(sum, 1));
  Value count = reshape(sumOfValues(ones), {batch, 1});
  count = binary<MaximumOp>(count, number(count, 1));
  if (combiner == "sqrtn")
    count = unary<SqrtOp>(count);
  return div(sum, count);
}

/// Zeros but for a one at each index, along a new last dimension.
static Value oneHot(ColumnExpr &e, Value indices, int64_t depth) {
  SmallVector<int64_t> shape(tensorType(indices).getShape());
  shape.push_back(depth);
  return OneHotOp::create(e.b, e.loc,
                          RankedTensorType::get(shape, e.b.getF32Type()),
                          indices, depth, APFloat(1.0), APFloat(0.0), -1);
}

//===-- Numbers -----------------------------------------------------------===//

Value NumericColumnAttr::buildNumbers(ColumnExpr &e) const {
  Value x = e.convert(e.features.find(getKey()), e.b.getF32Type());
  x = e.reshape(x, {e.batch, getWidth(e.features)});
  if (getMean().value != 0)
    x = e.sub(x, e.number(x, getMean()));
  return getScale().value == 1 ? x : e.div(x, e.number(x, getScale()));
}

Value BucketizedColumnAttr::buildNumbers(ColumnExpr &e) const {
  int64_t depth = getBoundaries().size() + 1;
  return e.reshape(oneHot(e, e.buckets(*this), depth),
                   {e.batch, getNumBuckets()});
}

//===-- Categories --------------------------------------------------------===//

Value BucketizedColumnAttr::buildCategories(ColumnExpr &e) const {
  Value buckets = e.convert(e.buckets(*this), e.b.getI64Type());
  SmallVector<int64_t> first;
  int64_t depth = getBoundaries().size() + 1;
  for (int64_t i = 0; i < tensorType(buckets).getDimSize(1); ++i)
    first.push_back(i * depth);
  return first.size() == 1 ? buckets : e.add(buckets, e.list(first));
}

Value IdentityColumnAttr::buildCategories(ColumnExpr &e) const {
  Value x = e.integers(getKey());
  Value below = e.test<LessOp>(x, e.integer(0));
  Value beyond = e.test<GreaterEqualOp>(
      x, e.integer(static_cast<int64_t>(getNumBuckets())));
  Value other = e.integer(getDefaultValue());
  Value known = e.select(below, other, e.select(beyond, other, x, x), x);
  return getDefaultValue() == -1 ? known : e.unlessMissing(x, known);
}

Value VocabularyColumnAttr::buildCategories(ColumnExpr &e) const {
  Value x = e.integers(getKey());
  Value place =
      VocabularyIndexOp::create(e.b, e.loc, x.getType(), x,
                                e.list(getVocabularyList()), getDefaultValue());
  if (getNumOovBuckets() == 0)
    return e.unlessMissing(x, place);
  Value other = HashBucketOp::create(e.b, e.loc, x.getType(), ValueRange{x},
                                     getNumOovBuckets(), 0);
  other = e.add(other, e.integer(getVocabularyList().size()));
  Value isOther = e.test<LessOp>(place, e.integer(0));
  return e.unlessMissing(x, e.select(isOther, other, place, place));
}

Value HashColumnAttr::buildCategories(ColumnExpr &e) const {
  Value x = e.integers(getKey());
  Value hash = HashBucketOp::create(e.b, e.loc, x.getType(), ValueRange{x},
                                    getHashBucketSize(), 0);
  return e.unlessMissing(x, hash);
}

/// Each leaf with several values has a dimension of its own after the batch,
/// along which the others are broadcast.
Value CrossedColumnAttr::buildCategories(ColumnExpr &e) const {
  SmallVector<Value> keys;
  SmallVector<int64_t> shape{e.batch};
  int64_t values = 1;
  for (Attribute leaf : leavesOf(*this)) {
    auto key = dyn_cast<StringAttr>(leaf);
    keys.push_back(
        key ? e.integers(key)
            : llvm::cast<CategoricalColumnAttrInterface>(leaf).buildCategories(
                  e));
    int64_t own = tensorType(keys.back()).getDimSize(1);
    values *= own;
    if (own != 1)
      shape.push_back(own);
  }
  Value isNone;
  size_t dim = 1;
  for (Value &key : keys) {
    SmallVector<int64_t> own(shape.size(), 1);
    own[0] = e.batch;
    if (int64_t size = tensorType(key).getDimSize(1); size != 1)
      own[dim++] = size;
    key = e.reshape(key, own);
    Value none = e.test<EqualOp>(key, e.integer(-1));
    isNone = isNone ? e.test<LogicalOrOp>(isNone, none) : none;
  }
  Value hash = HashBucketOp::create(
      e.b, e.loc, RankedTensorType::get(shape, e.b.getI64Type()), keys,
      getHashBucketSize(), getHashKey());
  hash = e.select(isNone, e.integer(-1), hash, hash);
  return e.reshape(hash, {e.batch, values});
}

//===-- Numbers of categories ---------------------------------------------===//

Value IndicatorColumnAttr::buildNumbers(ColumnExpr &e) const {
  Value ids = e.flatCategories(getCategoricalColumn());
  Value hot = oneHot(e, ids, getWidth(e.features));
  return tensorType(ids).getRank() == 1 ? hot : e.sumOfValues(hot);
}

Value EmbeddingColumnAttr::buildNumbers(ColumnExpr &e) const {
  return e.combinedRows(getCategoricalColumn(), e.features.find(getTable()),
                        getCombiner());
}
