// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers of all kernels by one function.
#ifndef GRAPHC_LIB_TARGET_CPU_OUTLINEPHILOX_H
#define GRAPHC_LIB_TARGET_CPU_OUTLINEPHILOX_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace graphc {

/// A copy of the module whose kernels call functions for the rounds of Philox
/// that they do on vectors; null if they do none. Equal rounds of several
/// kernels call one function, whose name follows from what it computes, so that
/// modules with a function of the same name have the same one. The values stay
/// the same.
mlir::OwningOpRef<mlir::ModuleOp> outlinePhilox(mlir::ModuleOp kernels);

/// True for the functions that outlinePhilox() makes, which are no kernels.
bool isOutlined(mlir::Operation *symbol);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_OUTLINEPHILOX_H
