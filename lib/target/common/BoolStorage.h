// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage of tensors of bool: a byte per element.
#ifndef GRAPHC_LIB_TARGET_COMMON_BOOLSTORAGE_H
#define GRAPHC_LIB_TARGET_COMMON_BOOLSTORAGE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// Rewrites the tensors of i1 in `func`, arguments and results included, to
/// tensors of i8 that hold 0 or 1; the regions of its linalg.generics still
/// compute with i1. One byte per bool is what buffers hold, and what vectors
/// can be loaded from: a vector of i1 would be loaded bit by bit.
/// REQUIRES: the linalg ops of `func` are all linalg.generic.
void storeBoolsAsBytes(mlir::func::FuncOp func);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_BOOLSTORAGE_H
