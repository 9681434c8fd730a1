// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes an op element by element, broadcast as NumPy does.
#ifndef GRAPHC_LIB_INTERPRETER_ELEMENTMAP_H
#define GRAPHC_LIB_INTERPRETER_ELEMENTMAP_H

#include "lib/interpreter/Frame.h"

namespace graphc::interpreter {

/// Two's complement of 64 bits, without undefined behaviour; wrap() makes a
/// number of the type of it.
inline Integer add64(Integer x, Integer y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) +
                              static_cast<uint64_t>(y));
}
inline Integer mul64(Integer x, Integer y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) *
                              static_cast<uint64_t>(y));
}
inline Integer neg64(Integer x) { return add64(~x, 1); }

/// Towards zero; 0 by zero.
inline Integer div64(Integer x, Integer y) { return y == 0 ? 0 : x / y; }

using FloatUnary = Element (FloatMath::*)(const Element &) const;
using FloatBinary = Element (FloatMath::*)(const Element &,
                                           const Element &) const;
using IntUnary = Integer (*)(Integer);
using IntBinary = Integer (*)(Integer, Integer);

/// One result element per index, from the operands' elements there.
template <typename Function>
mlir::LogicalResult mapElements(mlir::Operation *op, Frame &frame,
                                Function function) {
  mlir::Value result = op->getResult(0);
  Tensor tensor =
      Tensor::ofType(llvm::cast<mlir::RankedTensorType>(result.getType()));
  llvm::SmallVector<const Tensor *> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(&frame.get(operand));
  llvm::SmallVector<Element> x(operands.size());
  int64_t place = 0;
  forEachIndex(tensor.shape, [&](llvm::ArrayRef<int64_t> index) {
    for (auto [element, operand] : llvm::zip(x, operands))
      element = operand->broadcastAt(index);
    tensor.elements[place++] = function(llvm::ArrayRef<Element>(x));
  });
  frame.set(result, std::move(tensor));
  return mlir::success();
}

inline ElementKind operandKind(mlir::Operation *op) {
  return kindOf(llvm::cast<mlir::RankedTensorType>(op->getOperand(0).getType())
                    .getElementType());
}

/// The element as tfir.cast makes it.
Element castElement(const Element &x, ElementKind from, ElementKind to);

template <typename Op>
void addUnary(OpTable &table, FloatUnary ofFloat, IntUnary ofInt = nullptr) {
  table.add<Op>([=](Op op, Frame &frame) {
    ElementKind kind = operandKind(op);
    FloatMath math(kind);
    return mapElements(op, frame, [&](llvm::ArrayRef<Element> x) {
      if (isFloat(kind))
        return (math.*ofFloat)(x[0]);
      return wrap(kind, Element::of(ofInt(x[0].integer), x[0].isKnown));
    });
  });
}

template <typename Op>
void addBinary(OpTable &table, FloatBinary ofFloat, IntBinary ofInt = nullptr) {
  table.add<Op>([=](Op op, Frame &frame) {
    ElementKind kind = operandKind(op);
    FloatMath math(kind);
    return mapElements(op, frame, [&](llvm::ArrayRef<Element> x) {
      if (isFloat(kind))
        return (math.*ofFloat)(x[0], x[1]);
      return wrap(kind, Element::of(ofInt(x[0].integer, x[1].integer),
                                    x[0].isKnown && x[1].isKnown));
    });
  });
}

} // namespace graphc::interpreter

#endif
