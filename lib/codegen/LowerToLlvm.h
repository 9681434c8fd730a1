// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From kernels on memrefs to the LLVM dialect.
#ifndef GRAPHC_LIB_CODEGEN_LOWERTOLLVM_H
#define GRAPHC_LIB_CODEGEN_LOWERTOLLVM_H

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// On the module: each product and each sum outside of micro-kernels is
/// rounded, so that the bits do not depend on which ops share a kernel.
inline constexpr llvm::StringLiteral kSeparateRounding =
    "graphc.separate_rounding";

/// Lowers every func.func of `kernels`, which has the form
///   @name(buffers: memref..., scratch: memref, begin: index, end: index),
/// to an internal LLVM function and adds its exported entry
///   void gk_name(void *const *buffers, void *scratch, int64_t, int64_t).
/// Math functions are expanded inline. Fails with a diagnostic at an op that
/// would need a call into a library.
mlir::LogicalResult lowerToLlvm(mlir::ModuleOp kernels);

/// Lowers the func.funcs of `kernels`, whatever their arguments are, to LLVM
/// functions that take pointers for memrefs.
mlir::LogicalResult lowerBodiesToLlvm(mlir::ModuleOp kernels);

} // namespace graphc

#endif // GRAPHC_LIB_CODEGEN_LOWERTOLLVM_H
