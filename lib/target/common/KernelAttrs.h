// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the attributes that kernels carry from lowering to code generation.
#ifndef GRAPHC_LIB_TARGET_COMMON_KERNELATTRS_H
#define GRAPHC_LIB_TARGET_COMMON_KERNELATTRS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace graphc {

/// On a launch of several ops: the name of each result, that of the op which
/// makes it.
inline constexpr llvm::StringLiteral kResultNamesAttr = "result_names";
/// The module of all kernels, beside the graphs.
inline constexpr llvm::StringLiteral kKernelsModule = "kernels";
/// On an argument: it is this 32-bit word of the step's state.
inline constexpr llvm::StringLiteral kStepStateWord = "graphc.step_state_word";
/// On a result: it is written over this argument.
inline constexpr llvm::StringLiteral kInPlace = "graphc.inplace";
/// On a kernel in its final form: the number of independent parts.
inline constexpr llvm::StringLiteral kUnits = "graphc.units";
/// On a kernel in its final form: bytes of memory that each thread needs.
inline constexpr llvm::StringLiteral kScratch = "graphc.scratch";
/// On a module of kernels: each product and each sum outside of micro-kernels
/// is rounded, so that the bits do not depend on which ops share a kernel.
inline constexpr llvm::StringLiteral kSeparateRounding =
    "graphc.separate_rounding";

/// The 32-bit words of the step's state in model.bin.
inline constexpr int64_t kStepStateWords = 8;

/// The word that result `result` of tfir.step_state stands for: seed low, seed
/// high, step low, replica.
inline int64_t stepStateWord(unsigned result) {
  return result < 3 ? result : 4;
}

} // namespace graphc

#endif
