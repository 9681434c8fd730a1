// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/Operators.h"

namespace graphc::text {

static constexpr Operator kOperators[] = {{"or", "logical_or", 2, 0},
                                          {"and", "logical_and", 2, 1},
                                          {"not", "logical_not", 1, 2},
                                          {"==", "equal", 2, 3},
                                          {"!=", "not_equal", 2, 3},
                                          {"<", "less", 2, 3},
                                          {"<=", "less_equal", 2, 3},
                                          {">", "greater", 2, 3},
                                          {">=", "greater_equal", 2, 3},
                                          {"+", "add", 2, 4},
                                          {"-", "sub", 2, 4},
                                          {"*", "mul", 2, 5},
                                          {"/", "div", 2, 5},
                                          {"//", "floordiv", 2, 5},
                                          {"%", "floormod", 2, 5},
                                          {"@", "matmul", 2, 5},
                                          {"-", "neg", 1, 6},
                                          {"**", "pow", 2, 7}};

const Operator *findOperator(llvm::StringRef operation) {
  for (const Operator &each : kOperators)
    if (each.operation == operation)
      return &each;
  return nullptr;
}

llvm::StringRef operationOf(llvm::StringRef symbol, unsigned operands) {
  for (const Operator &each : kOperators)
    if (each.symbol == symbol && each.operands == operands)
      return each.operation;
  return "";
}

} // namespace graphc::text
