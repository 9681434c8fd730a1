// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor of the interpreter: elements in row-major order.
#ifndef GRAPHC_LIB_INTERPRETER_TENSOR_H
#define GRAPHC_LIB_INTERPRETER_TENSOR_H

#include "lib/interpreter/Element.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cstddef>
#include <string>
#include <vector>

namespace graphc::interpreter {

/// A value of a graph. Thread-safety: as a value type.
struct Tensor {
  ElementKind kind = ElementKind::F32;
  std::vector<int64_t> shape;
  std::vector<Element> elements;    ///< empty for strings
  std::vector<std::string> strings; ///< of string tensors only

  /// A tensor of the type with zeros (or empty strings).
  static Tensor ofType(mlir::RankedTensorType type);
  /// Elements in memory, little-endian and row-major, as files and feeds hold
  /// them; exact. REQUIRES: as many bytes as the type has; no strings.
  static Tensor ofBytes(mlir::RankedTensorType type,
                        llvm::ArrayRef<std::byte> bytes);
  /// The elements of a constant; exact.
  static Tensor ofAttr(mlir::ElementsAttr attr);

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t size() const; ///< number of elements
  bool isFloat() const { return interpreter::isFloat(kind); }

  /// The place of the element at these indices.
  int64_t offset(llvm::ArrayRef<int64_t> at) const;
  Element &at(llvm::ArrayRef<int64_t> index) { return elements[offset(index)]; }
  const Element &at(llvm::ArrayRef<int64_t> index) const {
    return elements[offset(index)];
  }
  /// The element for place `index` of a larger tensor to which this one
  /// broadcasts.
  const Element &broadcastAt(llvm::ArrayRef<int64_t> index) const;
};

/// Calls `body` with every index of the shape, the last dimension fastest.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body);

/// The values as text, as a dense constant is written: `[[1, 2], [3, 4]]`.
std::string toText(const Tensor &tensor);

} // namespace graphc::interpreter

#endif
