// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of the matrices along the leading dimensions of a tfir.matmul.
#ifndef GRAPHC_DIALECTS_TFIR_MATMULBATCH_H
#define GRAPHC_DIALECTS_TFIR_MATMULBATCH_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace graphc::tfir {

/// Batch of equal matrix products, each of which has the op's MatmulSpec.
/// Product i multiplies the matrices at elements i * strideA and i * strideB; a
/// stride of 0 is a matrix that all products share.
struct MatmulBatch {
  llvm::SmallVector<int64_t> shape; ///< leading dimensions of the result
  int64_t strideA = 0, strideB = 0;

  int64_t count() const {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return count;
  }
};

/// The batch of a matrix product whose operands each have the batch dimensions
/// of the result, or one matrix (tfir-prepare-contractions sees to that); an
/// empty one of any other contraction. REQUIRES: static shapes.
MatmulBatch batchOf(mlir::Operation *contraction);

} // namespace graphc::tfir

#endif
