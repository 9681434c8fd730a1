// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of an operation that belong to each argument of its calls.
#ifndef GRAPHC_LIB_TEXT_OPERANDCOUNTS_H
#define GRAPHC_LIB_TEXT_OPERANDCOUNTS_H

#include "lib/text/Signatures.h"

#include "mlir/IR/Operation.h"

namespace graphc::text {

/// Counts the operands of each argument that takes some, in the order of the
/// signature: where several may take another number than one, the attribute
/// `operandSegmentSizes` tells.
llvm::SmallVector<size_t> operandCounts(mlir::Operation *op,
                                        const OpSignature &signature);

/// The argument that takes an operand; null for one too many.
const ArgumentSignature *argumentOf(mlir::Operation *op,
                                    const OpSignature &signature, size_t index);

} // namespace graphc::text

#endif
