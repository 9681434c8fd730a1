// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and constant tensors in the spelling of the text language.
#ifndef GRAPHC_LIB_TEXT_TYPES_H
#define GRAPHC_LIB_TEXT_TYPES_H

#include "lib/text/Constant.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace graphc::text {

/// The element type of the name, such as f32 or u8; null when it is none.
mlir::Type elementType(llvm::StringRef name, mlir::MLIRContext &context);

/// The name of an element type; empty for those that the language lacks.
llvm::StringRef elementName(mlir::Type type);

/// The numbers of an integer type, as "i8 is from -128 to 127"; empty for
/// others.
std::string rangeOf(mlir::Type element);

/// "f32[?, 10]"; a scalar is "f32".
std::string printType(mlir::RankedTensorType type);

/// `message` with MLIR's spelling of types, operations and attributes replaced
/// by that of the text language.
std::string inWordsOfText(llvm::StringRef message);

/// The shape of a number or of lists of lists; nothing, with a message in
/// `error`, when lists beside each other differ in length.
std::optional<llvm::SmallVector<int64_t>> shapeOf(const Constant &constant,
                                                  std::string &error);

/// The type that a literal has where nothing asks for another: f32, i32 (i64
/// for large numbers), bool or string elements.
mlir::Type usualElement(const Constant &constant, mlir::MLIRContext &context);

/// True when a literal may have the element type: whole numbers fit all number
/// types, fractions only floats.
bool fits(const Constant &constant, mlir::Type element);

/// The literal as a tensor: of `type` when its shape is static and the literal
/// is a scalar or has that shape. Null, with a message in `error`, otherwise.
mlir::DenseElementsAttr makeElements(const Constant &constant,
                                     mlir::RankedTensorType type,
                                     std::string &error);

/// A tensor as a literal: the number for a splat, otherwise lists. Empty when
/// no literal gives exactly these elements.
std::string printElements(mlir::DenseElementsAttr elements);

} // namespace graphc::text

#endif
