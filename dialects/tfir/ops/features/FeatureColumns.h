// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes of feature columns, and what an op that has columns gives them.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_FEATURES_FEATURECOLUMNS_H
#define GRAPHC_DIALECTS_TFIR_OPS_FEATURES_FEATURECOLUMNS_H

#include "dialects/tfir/Tfir.h"
#include "llvm/ADT/SetVector.h"

namespace graphc::tfir {

struct ColumnExpr;

/// The keys that columns read.
struct ColumnKeys {
  llvm::SetVector<mlir::StringAttr> features, tables;
};

/// The operands of an op by their keys, and the place of its errors.
class Features {
public:
  /// REQUIRES: as many keys as operands; they outlive this, as the op does.
  Features(mlir::Operation *op, mlir::ArrayAttr keys) : owner(op), keys(keys) {}

  /// Null where there is none of the key.
  mlir::Value find(mlir::StringAttr key) const;
  /// REQUIRES: there is one of the key.
  mlir::RankedTensorType typeOf(mlir::StringAttr key) const;
  mlir::InFlightDiagnostic error() const { return owner->emitOpError(); }

private:
  mlir::Operation *owner;
  mlir::ArrayAttr keys;
};

/// More numbers of an example than this are a slip of the keyboard.
inline constexpr int64_t kMostColumnWidth = (int64_t(1) << 31) - 1;

/// Parameters of columns.
mlir::FailureOr<mlir::Attribute> parseColumn(mlir::AsmParser &parser);
mlir::FailureOr<mlir::ArrayAttr> parseCrossedKeys(mlir::AsmParser &parser);
mlir::FailureOr<mlir::DenseI64ArrayAttr> parseIntegers(mlir::AsmParser &parser);

} // namespace graphc::tfir

#include "dialects/tfir/TfirColumnInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tfir/TfirFeatureColumns.h.inc"

namespace graphc::tfir {

/// The keys and columns that a crossed column combines: in place of crossed
/// ones among them, theirs.
llvm::SmallVector<mlir::Attribute> leavesOf(CrossedColumnAttr column);

} // namespace graphc::tfir

#endif
