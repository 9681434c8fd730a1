// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-opt --print-text.
#ifndef GRAPHC_TOOLS_GRAPHC_OPT_PRINTFLAGS_H
#define GRAPHC_TOOLS_GRAPHC_OPT_PRINTFLAGS_H

#include "mlir/IR/DialectRegistry.h"

#include <optional>

namespace graphc {

/// Handles --print-text among the arguments: prints the module of the one file, of
/// either form, in the text language and returns the exit code. --print-mlir is
/// what graphc-opt does anyway; it is removed from the arguments.
std::optional<int> printTextIfAsked(int &argc, char **argv,
                                    mlir::DialectRegistry &registry);

} // namespace graphc

#endif
