// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the elementwise ops: rules for their types, and the macro that
// pairs a rule with the function of one element.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_SCALARFORMULA_H
#define GRAPHC_DIALECTS_TFIR_OPS_SCALARFORMULA_H

#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace graphc::tfir {

using IndexFn = llvm::function_ref<FlatIndex()>;

/// The type of the result is that of the first operand.
mlir::LogicalResult inferUnary(mlir::Operation *op,
                               llvm::SmallVectorImpl<mlir::Type> &types);
/// Two operands of one element type broadcast to the shape of the result.
mlir::LogicalResult inferBinary(mlir::Operation *op,
                                llvm::SmallVectorImpl<mlir::Type> &types);

/// Of the first operand's elements, which are signless in a formula.
inline bool isUnsigned(mlir::Operation *op) {
  return tensorType(op->getOperand(0)).getElementType().isUnsignedInteger();
}

inline bool isFloat(mlir::Value scalar) {
  return mlir::isa<mlir::FloatType>(scalar.getType());
}

/// x / y of integers, towards zero. The instruction would end the program for
/// y = 0 and for the lowest number by -1; here they give 0 and the lowest
/// number.
mlir::Value divideIntegers(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value x, mlir::Value y, bool isUnsigned);

} // namespace graphc::tfir

// The body sees: b, loc, x (elements of the operands); it returns the element.
#define GRAPHC_FORMULA(OP, INFER, ...)                                         \
  mlir::LogicalResult OP::inferTypes(                                          \
      llvm::SmallVectorImpl<mlir::Type> &types) {                              \
    return INFER(*this, types);                                                \
  }                                                                            \
  mlir::Value OP::buildScalar(mlir::OpBuilder &b, mlir::Location loc,          \
                              mlir::ValueRange x, graphc::tfir::IndexFn) {     \
    __VA_ARGS__;                                                               \
  }

#endif
