// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads at computed places in the body of a linalg.generic.
#ifndef GRAPHC_LIB_TARGET_COMMON_BODYREADS_H
#define GRAPHC_LIB_TARGET_COMMON_BODYREADS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace graphc {

/// In the order of the body, those in its loops among them.
inline llvm::SmallVector<mlir::tensor::ExtractOp>
bodyReads(mlir::linalg::GenericOp op) {
  llvm::SmallVector<mlir::tensor::ExtractOp> reads;
  op.getRegion().walk(
      [&](mlir::tensor::ExtractOp read) { reads.push_back(read); });
  return reads;
}

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_BODYREADS_H
