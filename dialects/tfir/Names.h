// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that the compiler makes up.
#ifndef GRAPHC_DIALECTS_TFIR_NAMES_H
#define GRAPHC_DIALECTS_TFIR_NAMES_H

#include "llvm/ADT/StringRef.h"

namespace graphc::tfir {

/// The variable that counts training steps.
inline constexpr llvm::StringLiteral kGlobalStep = "global_step";
/// The graph that gives all variables their initial values.
inline constexpr llvm::StringLiteral kInitGraph = "init";
/// Between a variable's name and this stands a slash.
inline constexpr llvm::StringLiteral kAverageSuffix =
    "ExponentialMovingAverage";

} // namespace graphc::tfir

#endif
