// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what feature columns stand for.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_FEATURES_COLUMNEXPR_H
#define GRAPHC_DIALECTS_TFIR_OPS_FEATURES_COLUMNEXPR_H

#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/features/FeatureColumns.h"

namespace graphc::tfir {

/// Builds ops over features of static shapes.
struct ColumnExpr : OpExpr {
  const Features &features;
  int64_t batch;

  ColumnExpr(mlir::OpBuilder &builder, mlir::Location at,
             const Features &features, int64_t batch)
      : OpExpr{builder, at}, features(features), batch(batch) {}

  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value convert(mlir::Value x, mlir::Type element);
  /// An i64 scalar, and a list of them.
  mlir::Value integer(int64_t value);
  mlir::Value list(llvm::ArrayRef<int64_t> values);
  /// Over the second dimension, which is dropped.
  mlir::Value sumOfValues(mlir::Value x);
  /// The integers of a feature: i64 of [batch, values].
  mlir::Value integers(mlir::StringAttr key);
  /// -1 where `x`, integers of a feature, are: missing values have no category.
  mlir::Value unlessMissing(mlir::Value x, mlir::Value category);
  /// The bucket of each number: i32 of [batch, width].
  mlir::Value buckets(BucketizedColumnAttr column);
  /// The categories of a column; where an example has one, [batch].
  mlir::Value flatCategories(mlir::Attribute column);
  /// The rows of a table for the categories of a column, combined as
  /// embedding_column says.
  mlir::Value combinedRows(mlir::Attribute column, mlir::Value table,
                           llvm::StringRef combiner);
};

} // namespace graphc::tfir

#endif
