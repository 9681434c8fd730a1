// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divides the kernels of a module, so that several threads compile them, and
// their code, so that equal code is known again.
#ifndef GRAPHC_LIB_TARGET_CPU_SPLITMODULE_H
#define GRAPHC_LIB_TARGET_CPU_SPLITMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace graphc {

/// The kernels of a module, its func.funcs, in parts of about the same number
/// of operations. A part has what its kernels call and read, too, which must be
/// private where several parts have it. How many parts there are, and what is
/// in each, follows from the module alone: the bytes that are made of them
/// depend on no machine. A module without kernels has no parts.
llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>>
splitKernels(mlir::ModuleOp module);

/// A module for each function of a lowered module that others call: entries of
/// kernels, and what kernels share. Each has what its function calls and reads;
/// of shared functions it has declarations. A module without any is left whole.
llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>>
splitEntries(mlir::OwningOpRef<mlir::ModuleOp> module);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_SPLITMODULE_H
