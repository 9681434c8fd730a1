// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merged dimensions of the tensors of a kernel, so that most kernels are over
// vectors or matrices.
#ifndef GRAPHC_LIB_TARGET_COMMON_DIMENSIONCOLLAPSE_H
#define GRAPHC_LIB_TARGET_COMMON_DIMENSIONCOLLAPSE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// Merge of the dimensions of all tensors of a kernel.
struct DimensionCollapse {
  enum class Kind {
    None,
    All,     ///< elementwise: every tensor is [N]
    Leading, ///< sums over leading dimensions into [N], then elementwise
    Trailing ///< elementwise over [P, L], and sums of it into [P]
  };
  Kind kind = Kind::None;
  int64_t size = 0;  ///< N, or L
  int64_t outer = 0; ///< P

  /// The type with merged dimensions of a tensor of the kernel.
  mlir::RankedTensorType typeOf(mlir::RankedTensorType type) const;
};

/// The merge that fits all tfir ops of `kernel`; Kind::None if there is none.
DimensionCollapse findCollapse(mlir::func::FuncOp kernel);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_DIMENSIONCOLLAPSE_H
