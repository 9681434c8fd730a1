// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators and the operations that they stand for.
#ifndef GRAPHC_LIB_TEXT_OPERATORS_H
#define GRAPHC_LIB_TEXT_OPERATORS_H

#include "llvm/ADT/StringRef.h"

namespace graphc::text {

struct Operator {
  llvm::StringLiteral symbol;
  llvm::StringLiteral operation;
  unsigned operands;
  unsigned precedence; ///< from 0, the loosest, to 7
};

/// The operator that stands for an operation; null when there is none.
const Operator *findOperator(llvm::StringRef operation);

/// The operation that a symbol between two operands, or before one, stands for;
/// empty when there is none.
llvm::StringRef operationOf(llvm::StringRef symbol, unsigned operands);

} // namespace graphc::text

#endif
