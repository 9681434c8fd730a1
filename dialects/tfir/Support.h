// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers of op implementations and passes: shapes that broadcast, gradients
// summed over broadcast dimensions, scalar arithmetic.
#ifndef GRAPHC_DIALECTS_TFIR_SUPPORT_H
#define GRAPHC_DIALECTS_TFIR_SUPPORT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace graphc::tfir {

/// True for floats of 16 bits.
inline bool isHalf(mlir::Type element) {
  return element.isF16() || element.isBF16();
}

/// True for the integers of 8, 16, 32 and 64 bits, signless or unsigned.
bool isWholeNumber(mlir::Type element);

/// True where code of products knows the element type; sums of products of the
/// others are written out.
inline bool hasProductCode(mlir::Type element) {
  return element.isF32() || isHalf(element);
}

/// The type that stands for `type` in generated code: unsigned integers become
/// signless, and floats of 16 bits words of their bits (i16), since code
/// computes with them as f32 (tfir.cast) and only moves them otherwise.
/// Everything else stays.
mlir::RankedTensorType lowerType(mlir::Type type);

/// An element of a constant as generated code has it, of the type that
/// lowerType() gives.
mlir::TypedAttr lowerElement(mlir::Attribute element, mlir::Type lowered);

/// The shape to which both broadcast, as numpy does; nothing when they do not.
/// A dimension that is not known yet gives way to a known one other than 1.
std::optional<llvm::SmallVector<int64_t>>
broadcastShapes(llvm::ArrayRef<int64_t> x, llvm::ArrayRef<int64_t> y);

/// `value` with an element type of i1, i32, ... or f64 in every element of
/// `type`.
mlir::Value splat(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::RankedTensorType type, double value);

/// A scalar constant of `type`.
mlir::Value scalar(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Type type, double value);

/// Sums `gradient` over the dimensions along which an operand of type `type`
/// was broadcast, so that it has that type.
mlir::Value unbroadcast(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value gradient, mlir::RankedTensorType type);

/// The type of `value` as a ranked tensor.
mlir::RankedTensorType tensorType(mlir::Value value);

/// Turns axes in [-rank, rank) into sorted ones in [0, rank); emits an error on
/// `op` when one is out of range or named twice. No axes: all.
mlir::FailureOr<llvm::SmallVector<int64_t>>
normalizeAxes(mlir::Operation *op, std::optional<llvm::ArrayRef<int64_t>> axes,
              int64_t rank);

/// More towers are a slip of the keyboard.
inline constexpr int64_t kMaxReplicas = 4096;

/// A window of a convolution or a pool along one dimension of an image.
struct Window {
  int64_t out;       ///< number of places
  int64_t padBefore; ///< pixels before the first
};

/// TensorFlow's rule: "SAME" gives ceil(in / stride) places, the odd pixel of
/// the padding after the image; "VALID" gives ceil((in - kernel + 1) / stride).
Window windowOf(int64_t in, int64_t kernel, int64_t stride, bool same);

/// Checks that sizes or strides of a window are at most 2^31 - 1, within which
/// the sums of places, strides and padding that kernels compute cannot
/// overflow. An error on `op` names the one that is not.
mlir::LogicalResult verifyWindow(mlir::Operation *op,
                                 llvm::ArrayRef<int64_t> lengths);

} // namespace graphc::tfir

#endif
