// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirGatherOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_GATHER_TFIRGATHEROPS_H
#define GRAPHC_DIALECTS_TFIR_GATHER_TFIRGATHEROPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirGatherOps.h.inc"

namespace graphc::tfir {

/// For a table of all places within `sizes`: the row of each place at which the
/// coordinates along the last dimension of `indices` point, -1 outside.
mlir::Value rowsOfPlaces(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value indices, llvm::ArrayRef<int64_t> sizes);

/// The number of coordinates along the last dimension of `indices`, or failure
/// after an error on `op` that compares them with `dims` dimensions, those that
/// `what` "has".
mlir::FailureOr<int64_t> countCoordinates(mlir::Operation *op,
                                          mlir::RankedTensorType indices,
                                          int64_t dims, llvm::StringRef what);

} // namespace graphc::tfir

#endif
