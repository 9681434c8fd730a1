// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the dialects of kernels.
#ifndef GRAPHC_LIB_TARGET_COMMON_CODEGENDIALECTS_H
#define GRAPHC_LIB_TARGET_COMMON_CODEGENDIALECTS_H

#include "mlir/IR/DialectRegistry.h"

namespace graphc {

/// Registers the dialects that kernels are written in, the ones that they are
/// lowered to, and the translation to LLVM IR. A context that compiles kernels
/// is made from this registry, or the registry is appended to it, before the
/// first kernel is parsed or built.
void registerCodegenDialects(mlir::DialectRegistry &registry);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_CODEGENDIALECTS_H
