// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The element type that a literal takes from its context.
#ifndef GRAPHC_LIB_TEXT_LITERALTYPES_H
#define GRAPHC_LIB_TEXT_LITERALTYPES_H

#include "lib/text/Constant.h"
#include "lib/text/Signatures.h"

#include "mlir/IR/Operation.h"

namespace graphc::text {

/// A literal and what it is given for.
struct Literal {
  Constant value;
  const ArgumentSignature *argument;
};

/// The element types of the literals of a call beside operands of `others`: of
/// each the first of these that suits it, otherwise that of a literal with a
/// point beside it, otherwise the usual one, or any that suits. Null where none
/// does.
llvm::SmallVector<mlir::Type> literalElements(llvm::ArrayRef<Literal> literals,
                                              llvm::ArrayRef<mlir::Type> others,
                                              mlir::MLIRContext &context);

/// True when the constants that are the operands `literals` of `op` keep their
/// types as literals in a call of it.
bool literalsKeepTypes(mlir::Operation *op, llvm::ArrayRef<unsigned> literals);

} // namespace graphc::text

#endif
