// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of whole tensors: element by element, and over groups of elements
// along axes. References of ops that are formulas of several steps use them.
#ifndef GRAPHC_LIB_INTERPRETER_AGGREGATE_TENSORMATH_H
#define GRAPHC_LIB_INTERPRETER_AGGREGATE_TENSORMATH_H

#include "lib/interpreter/Frame.h"

namespace graphc::interpreter {

using Row = llvm::ArrayRef<Element>;

inline Element number(double value) { return Element::exact(value); }

/// Arithmetic of one float type over rows of elements. Axes are in order and
/// count from 0.
class TensorMath : public FloatMath {
public:
  explicit TensorMath(ElementKind kind) : FloatMath(kind), kind(kind) {}

  /// Broadcasts the operands and applies `function` to the elements at each
  /// place of `shape`.
  Tensor map(llvm::ArrayRef<int64_t> shape,
             llvm::ArrayRef<const Tensor *> operands,
             llvm::function_ref<Element(Row)> function) const;
  /// Replaces each group of elements along the axes by one element, whose
  /// dimensions are kept with size 1.
  Tensor reduce(const Tensor &x, llvm::ArrayRef<int64_t> axes,
                llvm::function_ref<Element(Row)> function) const;
  /// Replaces each group of elements along the axes by as many others.
  Tensor replace(const Tensor &x, llvm::ArrayRef<int64_t> axes,
                 llvm::function_ref<std::vector<Element>(Row)> function) const;

  // Of one row.
  Element mean(Row x) const;
  Element variance(Row x) const; ///< mean of squared differences to the mean
  Element sumOfSquares(Row x) const;
  /// In any order.
  Element product(Row x) const;
  /// The largest one, as a constant for differentiation; 0 for an infinity.
  Element shiftOf(Row x) const;
  /// The square root, with slope 0 at 0.
  Element root(const Element &x) const;
  /// The p-th root, with slope 0 at 0.
  Element root(const Element &x, double p) const;

private:
  ElementKind kind;
};

/// The axes of an op that has them, in order and from 0.
llvm::SmallVector<int64_t>
axesFromZero(std::optional<llvm::ArrayRef<int64_t>> axes, int64_t rank);

/// Gives `value` the elements of `tensor`, which has as many.
inline void setReshaped(Frame &frame, mlir::Value value, Tensor tensor) {
  frame.setElements(value, std::move(tensor.elements));
}

} // namespace graphc::interpreter

#endif
