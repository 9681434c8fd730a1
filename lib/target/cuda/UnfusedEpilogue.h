// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Epilogue of a library call: the ops that the library does not do.
#ifndef GRAPHC_LIB_TARGET_CUDA_UNFUSEDEPILOGUE_H
#define GRAPHC_LIB_TARGET_CUDA_UNFUSEDEPILOGUE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace graphc {

/// Buffers of the results of a kernel around a contraction.
struct GpuResults {
  int64_t fromLibrary;             ///< the buffer that the library wrote
  llvm::ArrayRef<int64_t> buffers; ///< by result of the kernel
  /// The result that the library wrote, if it is one.
  std::optional<unsigned> done;
};

/// A function of the library's result and of the arguments that are read or
/// overwritten, and the buffers of the kernel that it takes.
struct UnfusedEpilogue {
  mlir::func::FuncOp code; ///< null: nothing is left
  llvm::SmallVector<int64_t> buffers;
};

/// Adds a function of `ops`, all that is after the contraction of `kernel`, to
/// its module.
UnfusedEpilogue makeUnfusedEpilogue(mlir::func::FuncOp kernel,
                                    mlir::linalg::GenericOp ops,
                                    const GpuResults &results);

} // namespace graphc

#endif
