// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops that make numbers of features by their columns.
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"
#include "dialects/tfir/ops/features/ColumnExpr.h"
#include "dialects/tfir/ops/features/TfirFeatureOps.h"
#include "runtime/base/Suggest.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

namespace {

struct NamedColumn {
  std::string name;
  FeatureColumnAttrInterface column;
  size_t place; ///< in the list
};

/// The columns in the order of their names.
SmallVector<NamedColumn> sortedColumns(ArrayAttr columns) {
  SmallVector<NamedColumn> sorted;
  for (auto column : columns.getAsRange<FeatureColumnAttrInterface>())
    sorted.push_back({column.getColumnName(), column, sorted.size()});
  llvm::stable_sort(sorted, [](const NamedColumn &x, const NamedColumn &y) {
    return x.name < y.name;
  });
  return sorted;
}

std::vector<std::string> names(ArrayRef<StringAttr> keys) {
  std::vector<std::string> texts;
  for (StringAttr key : keys)
    texts.push_back(key.str());
  return texts;
}

/// (C1)
LogicalResult verifyKeys(Operation *op, ArrayAttr keys) {
  if (keys.size() != op->getNumOperands())
    return op->emitOpError()
           << "has " << keys.size() << " keys for " << op->getNumOperands()
           << " operands, expected one for each";
  llvm::DenseSet<Attribute> seen;
  for (auto key : keys.getAsRange<StringAttr>())
    if (key.getValue().empty() || !seen.insert(key).second)
      return op->emitOpError() << "has the key '" << key.getValue()
                               << (key.getValue().empty() ? "'" : "' twice")
                               << ", expected different names";
  return success();
}

/// (C2)
LogicalResult verifyColumns(Operation *op, ArrayRef<NamedColumn> columns) {
  if (columns.empty())
    return op->emitOpError("has no columns, expected one at least");
  for (auto [index, each] : llvm::enumerate(columns))
    if (index > 0 && columns[index - 1].name == each.name)
      return op->emitOpError() << "has two columns with the name '" << each.name
                               << "', expected different ones, for their order";
  return success();
}

/// (C3)
LogicalResult verifyUses(Operation *op, const Features &features,
                         ArrayAttr keys, const ColumnKeys &used) {
  SmallVector<StringAttr> known(keys.getAsRange<StringAttr>());
  auto verifyThere = [&](StringRef what,
                         ArrayRef<StringAttr> group) -> LogicalResult {
    for (StringAttr key : group)
      if (!features.find(key))
        return op->emitOpError()
               << "has a column of the " << what << " '" << key.getValue()
               << "', which no operand is; its keys are "
               << runtime::quotedList(names(known));
    return success();
  };
  if (failed(verifyThere("feature", used.features.getArrayRef())) ||
      failed(verifyThere("table", used.tables.getArrayRef())))
    return failure();
  for (StringAttr key : known) {
    bool isFeature = used.features.contains(key);
    if (isFeature == used.tables.contains(key))
      return op->emitOpError()
             << (isFeature ? "has columns of '" : "has no column of '")
             << key.getValue()
             << (isFeature ? "' as a feature and as a table, expected two keys"
                           : "', expected one, or no such operand");
  }
  return success();
}

/// (C5): the batch of all features, which may not be known yet.
FailureOr<int64_t> verifyBatch(Operation *op, const Features &features,
                               const ColumnKeys &used) {
  int64_t batch = ShapedType::kDynamic;
  StringAttr first;
  for (StringAttr key : used.features) {
    int64_t own = features.typeOf(key).getDimSize(0);
    if (ShapedType::isDynamic(own))
      continue;
    if (!first) {
      first = key;
      batch = own;
    }
    if (own != batch)
      return op->emitOpError() << "feature '" << key.getValue() << "' has "
                               << own << " examples and '" << first.getValue()
                               << "' " << batch << ", expected as many";
  }
  return batch;
}

/// Checks keys, columns and the types of features, for both ops. `used` are the
/// keys of tables that `op` itself reads; those of columns are added. The
/// batch.
FailureOr<int64_t> verifyFeatures(Operation *op, const Features &features,
                                  ArrayAttr keys,
                                  SmallVectorImpl<NamedColumn> &columns,
                                  ColumnKeys used) {
  if (failed(verifyColumns(op, columns)))
    return failure();
  for (NamedColumn &each : columns)
    each.column.collectKeys(used);
  if (failed(verifyUses(op, features, keys, used)))
    return failure();
  for (NamedColumn &each : columns)
    if (failed(each.column.verifyTypes(features))) // (C4)
      return failure();
  return verifyBatch(op, features, used);
}

} // namespace

//===-- input_layer -------------------------------------------------------===//

LogicalResult InputLayerOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(verifyKeys(*this, getKeys())))
    return failure();
  SmallVector<NamedColumn> columns = sortedColumns(getColumns());
  Features features(*this, getKeys());
  for (NamedColumn &each : columns)
    if (!isa<DenseColumnAttrInterface>(each.column)) // (C2)
      return emitOpError()
             << "has the " << each.column.getColumnKind() << " '" << each.name
             << "', which has categories and no numbers; expected it within "
                "an indicator_column or an embedding_column";
  FailureOr<int64_t> batch =
      verifyFeatures(*this, features, getKeys(), columns, {});
  if (failed(batch))
    return failure();
  int64_t width = 0;
  for (NamedColumn &each : columns) {
    int64_t own =
        cast<DenseColumnAttrInterface>(each.column).getWidth(features);
    bool isOpen = ShapedType::isDynamic(own) || ShapedType::isDynamic(width);
    width = isOpen ? ShapedType::kDynamic : width + own;
    if (width > kMostColumnWidth) // (C2)
      return emitOpError() << "has columns of more than " << kMostColumnWidth
                           << " numbers together; hash categories into fewer";
  }
  types.push_back(
      RankedTensorType::get({*batch, width}, Float32Type::get(getContext())));
  return success();
}

Results InputLayerOp::decompose(OpBuilder &b) {
  Features features(*this, getKeys());
  ColumnExpr e(b, getLoc(), features, getOutput().getType().getDimSize(0));
  SmallVector<Value> parts;
  for (NamedColumn &each : sortedColumns(getColumns()))
    parts.push_back(
        cast<DenseColumnAttrInterface>(each.column).buildNumbers(e));
  if (parts.size() == 1)
    return parts;
  return SmallVector<Value>{ArrangeExpr{b, getLoc()}.concat(parts, 1)};
}

//===-- linear_model ------------------------------------------------------===//

/// (C6): the rows of a column's weights.
static int64_t weightsOf(FeatureColumnAttrInterface column,
                         const Features &features) {
  if (auto categories = dyn_cast<CategoricalColumnAttrInterface>(column))
    return categories.getNumBuckets();
  return cast<DenseColumnAttrInterface>(column).getWidth(features);
}

/// (C6): the units of the weights of all columns and of the bias.
static FailureOr<int64_t> verifyWeights(LinearModelOp op,
                                        const Features &features,
                                        ArrayRef<NamedColumn> columns) {
  int64_t units = ShapedType::kDynamic;
  auto fits = [&](RankedTensorType type, int64_t rank) {
    if (!type.getElementType().isF32() || type.getRank() != rank)
      return false;
    int64_t own = type.getShape().back();
    if (ShapedType::isDynamic(units))
      units = own;
    return ShapedType::isDynamic(own) || own == units;
  };
  auto size = [&]() -> std::string {
    return ShapedType::isDynamic(units) ? "units" : std::to_string(units);
  };
  for (const NamedColumn &each : columns) {
    auto key = cast<StringAttr>(op.getWeights()[each.place]);
    RankedTensorType type = features.typeOf(key);
    int64_t rows = weightsOf(each.column, features);
    if (fits(type, 2) && (type.isDynamicDim(0) || ShapedType::isDynamic(rows) ||
                          type.getDimSize(0) == rows))
      continue;
    return op.emitOpError()
           << "weights '" << key.getValue() << "' of the "
           << each.column.getColumnKind() << " '" << each.name << "' have type "
           << type << ", expected f32 of ["
           << (ShapedType::isDynamic(rows) ? "width" : std::to_string(rows))
           << ", " << size() << "]";
  }
  StringAttr bias = op.getBiasAttr();
  if (!bias || fits(features.typeOf(bias), 1))
    return units;
  return op.emitOpError() << "bias '" << bias.getValue() << "' has type "
                          << features.typeOf(bias) << ", expected f32 of ["
                          << size() << "]";
}

LogicalResult LinearModelOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(verifyKeys(*this, getKeys())))
    return failure();
  if (getWeights().size() != getColumns().size()) // (C6)
    return emitOpError() << "has " << getWeights().size()
                         << " keys of weights for " << getColumns().size()
                         << " columns, expected one for each";
  if (!llvm::is_contained({"mean", "sum", "sqrtn"},
                          getSparseCombiner())) // (C7)
    return emitOpError() << "sparse_combiner is '" << getSparseCombiner()
                         << "', expected 'mean', 'sum' or 'sqrtn'";
  SmallVector<NamedColumn> columns = sortedColumns(getColumns());
  Features features(*this, getKeys());
  ColumnKeys used;
  for (auto key : getWeights().getAsRange<StringAttr>())
    used.tables.insert(key);
  if (getBias())
    used.tables.insert(getBiasAttr());
  FailureOr<int64_t> batch =
      verifyFeatures(*this, features, getKeys(), columns, used);
  if (failed(batch))
    return failure();
  FailureOr<int64_t> units = verifyWeights(*this, features, columns);
  if (failed(units))
    return failure();
  types.push_back(
      RankedTensorType::get({*batch, *units}, Float32Type::get(getContext())));
  return success();
}

Results LinearModelOp::decompose(OpBuilder &b) {
  Features features(*this, getKeys());
  RankedTensorType type = getOutput().getType();
  ColumnExpr e(b, getLoc(), features, type.getDimSize(0));
  Value sum;
  for (NamedColumn &each : sortedColumns(getColumns())) {
    Value weights = features.find(cast<StringAttr>(getWeights()[each.place]));
    Value part;
    if (isa<CategoricalColumnAttrInterface>(each.column))
      part = e.combinedRows(each.column, weights, getSparseCombiner());
    else
      part = MatMulOp::create(
          b, getLoc(), type,
          cast<DenseColumnAttrInterface>(each.column).buildNumbers(e), weights,
          UnitAttr(), UnitAttr());
    sum = sum ? e.add(sum, part) : part;
  }
  if (getBias())
    sum = e.add(sum, features.find(getBiasAttr()));
  return SmallVector<Value>{sum};
}
