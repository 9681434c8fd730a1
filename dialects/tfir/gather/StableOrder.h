// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting, as linalg on tensors.
#ifndef GRAPHC_DIALECTS_TFIR_GATHER_STABLEORDER_H
#define GRAPHC_DIALECTS_TFIR_GATHER_STABLEORDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace graphc::tfir {

/// Keys in order, and for each the place (i32) that it had in its row.
struct SortedRows {
  mlir::Value keys, places;
};

/// True (i1) where the element `x` may come before `y`: `x <= y` of a total
/// order.
using MayPrecede = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::Value x, mlir::Value y)>;

/// Most elements of a row that sortRows() takes: it counts in 32 bits.
inline constexpr int64_t kMaxSorted = int64_t(1) << 30;

/// Sorts each row of `keys`, a signless tensor of [rows, count] with count from
/// 1 to kMaxSorted. Equal keys stay in their order, so the result does not
/// depend on how it is computed.
SortedRows sortRows(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value keys, MayPrecede mayPrecede);

} // namespace graphc::tfir

#endif
