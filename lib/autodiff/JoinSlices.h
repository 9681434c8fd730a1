// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of gradients of slices.
#ifndef GRAPHC_LIB_AUTODIFF_JOINSLICES_H
#define GRAPHC_LIB_AUTODIFF_JOINSLICES_H

#include "mlir/IR/Builders.h"

namespace graphc {

/// Makes one concatenation of terms of a sum that are blocks between zeros
/// along one dimension and do not meet, as the gradients of the slices of a
/// value are:
///
///   [a, 0, 0] + [0, b, 0] + [0, 0, c]  ->  [a, b, c]
///
/// Other terms stay. What is replaced is left without uses.
void joinSlices(mlir::OpBuilder &builder, mlir::Location loc,
                llvm::SmallVectorImpl<mlir::Value> &terms);

} // namespace graphc

#endif
