// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divides the kernels of a module, so that several threads compile them.
#ifndef GRAPHC_LIB_TARGET_CPU_SPLITMODULE_H
#define GRAPHC_LIB_TARGET_CPU_SPLITMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace graphc {

/// The functions of a module of LLVM's dialect, in parts of about the same
/// number of operations. A part has what its functions call and read, too,
/// which must be internal where several parts have it. How many parts there
/// are, and what is in each, follows from the module alone: the bytes that are
/// made of them depend on no machine. A small module is one part, a copy of it.
llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>>
splitModule(mlir::ModuleOp module);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_SPLITMODULE_H
