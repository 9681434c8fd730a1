// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes an op whose result takes each element from a place of its operand.
#ifndef GRAPHC_LIB_INTERPRETER_GATHER_H
#define GRAPHC_LIB_INTERPRETER_GATHER_H

#include "lib/interpreter/Frame.h"

namespace graphc::interpreter {

/// A result whose element at each index is the operand's element at the index
/// that `source` gives.
template <typename Function>
mlir::LogicalResult gather(mlir::Value result, mlir::Value operand,
                           Frame &frame, Function source) {
  Tensor tensor =
      Tensor::ofType(llvm::cast<mlir::RankedTensorType>(result.getType()));
  const Tensor &from = frame.get(operand);
  int64_t place = 0;
  forEachIndex(tensor.shape, [&](llvm::ArrayRef<int64_t> index) {
    tensor.elements[place++] = from.at(source(index));
  });
  frame.set(result, std::move(tensor));
  return mlir::success();
}

/// A number as an element of the kind.
inline Element numberOf(ElementKind kind, double value) {
  return isFloat(kind)
             ? Element::exact(
                   kind == ElementKind::F64 ? value : static_cast<float>(value))
             : Element::of(static_cast<int64_t>(value));
}

} // namespace graphc::interpreter

#endif
