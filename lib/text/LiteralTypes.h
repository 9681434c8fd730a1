// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The element type that a literal takes from its context.
#ifndef GRAPHC_LIB_TEXT_LITERALTYPES_H
#define GRAPHC_LIB_TEXT_LITERALTYPES_H

#include "lib/text/Constant.h"
#include "lib/text/Signatures.h"

#include "mlir/IR/Operation.h"

namespace graphc::text {

/// The element type of a literal that is given for `argument` beside operands
/// of `others`: the first of these that suits the literal and the argument,
/// otherwise the usual one, or any that suits. Null when none does.
mlir::Type literalElement(const Constant &literal,
                          const ArgumentSignature &argument,
                          llvm::ArrayRef<mlir::Type> others,
                          mlir::MLIRContext &context);

/// True when the constants that are the operands `literals` of `op` keep their
/// types as literals in a call of it.
bool literalsKeepTypes(mlir::Operation *op, llvm::ArrayRef<unsigned> literals);

} // namespace graphc::text

#endif
