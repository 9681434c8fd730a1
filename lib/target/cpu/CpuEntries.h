// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries of CPU kernels: the functions that the runtime calls.
#ifndef GRAPHC_LIB_TARGET_CPU_CPUENTRIES_H
#define GRAPHC_LIB_TARGET_CPU_CPUENTRIES_H

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Lowers every func.func of `kernels`, which has the form
///   @name(buffers: memref..., scratch: memref, begin: index, end: index),
/// to an internal LLVM function and adds its exported entry
///   void gk_name(void *const *buffers, void *scratch, int64_t, int64_t).
/// Math functions are expanded inline. Fails with a diagnostic at an op that
/// would need a call into a library.
mlir::LogicalResult lowerToLlvm(mlir::ModuleOp kernels);

/// Of the entry of a kernel: gk_name.
std::string entryName(llvm::StringRef kernel);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_CPUENTRIES_H
