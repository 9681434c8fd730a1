// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations with several operands that may be left out.
#ifndef GRAPHC_DIALECTS_TFIR_OPERANDSEGMENTS_H
#define GRAPHC_DIALECTS_TFIR_OPERANDSEGMENTS_H

#include "llvm/ADT/StringRef.h"

namespace graphc::tfir {

/// The attribute of MLIR's trait AttrSizedOperandSegments: how many operands
/// each argument takes. Call forms and texts do not show it: there the number
/// of the operands, or their names, must tell.
inline constexpr llvm::StringLiteral kOperandSegments = "operandSegmentSizes";

} // namespace graphc::tfir

#endif
