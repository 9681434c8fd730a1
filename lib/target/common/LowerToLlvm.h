// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From kernels on memrefs to the LLVM dialect.
#ifndef GRAPHC_LIB_TARGET_COMMON_LOWERTOLLVM_H
#define GRAPHC_LIB_TARGET_COMMON_LOWERTOLLVM_H

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Lowers the func.funcs of `kernels`, whatever their arguments are, to LLVM
/// functions that take pointers for memrefs. Math functions are expanded
/// inline; a module with exec.separate_rounding contracts nothing. Fails with a
/// diagnostic at an op that would need a call into a library.
mlir::LogicalResult lowerBodiesToLlvm(mlir::ModuleOp kernels);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_LOWERTOLLVM_H
