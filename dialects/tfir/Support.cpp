// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes, constants and gradients that all op families use.
#include "dialects/tfir/Support.h"

#include "dialects/tfir/Tfir.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace graphc::tfir {

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool isWholeNumber(Type element) {
  auto type = dyn_cast<IntegerType>(element);
  if (!type || type.isSigned())
    return false;
  unsigned width = type.getWidth();
  return width == 8 || width == 16 || width == 32 || width == 64;
}

RankedTensorType lowerType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (isHalf(tensor.getElementType()))
    return tensor.clone(IntegerType::get(type.getContext(), 16));
  auto element = dyn_cast<IntegerType>(tensor.getElementType());
  if (!element || element.isSignless())
    return tensor;
  return tensor.clone(IntegerType::get(type.getContext(), element.getWidth()));
}

TypedAttr lowerElement(Attribute element, Type lowered) {
  if (auto number = dyn_cast<IntegerAttr>(element))
    return IntegerAttr::get(lowered, number.getValue());
  auto number = cast<FloatAttr>(element);
  if (isHalf(number.getType()))
    return IntegerAttr::get(lowered, number.getValue().bitcastToAPInt());
  return number;
}

static std::optional<int64_t> broadcastDim(int64_t x, int64_t y) {
  if (x == y || y == 1)
    return x;
  if (x == 1 || ShapedType::isDynamic(x))
    return y;
  if (ShapedType::isDynamic(y))
    return x;
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> broadcastShapes(ArrayRef<int64_t> x,
                                                    ArrayRef<int64_t> y) {
  if (x.size() < y.size())
    std::swap(x, y);
  SmallVector<int64_t> shape(x);
  size_t offset = x.size() - y.size();
  for (size_t i = 0; i < y.size(); ++i) {
    std::optional<int64_t> dim = broadcastDim(x[offset + i], y[i]);
    if (!dim)
      return std::nullopt;
    shape[offset + i] = *dim;
  }
  return shape;
}

static TypedAttr numberAttr(OpBuilder &builder, Type type, double value) {
  if (isa<FloatType>(type))
    return builder.getFloatAttr(type, value);
  return builder.getIntegerAttr(type, static_cast<int64_t>(value));
}

Value splat(OpBuilder &builder, Location loc, RankedTensorType type,
            double value) {
  TypedAttr element = numberAttr(builder, type.getElementType(), value);
  return ConstOp::create(builder, loc, type,
                         DenseElementsAttr::get(type, Attribute(element)));
}

Value scalar(OpBuilder &builder, Location loc, Type type, double value) {
  return arith::ConstantOp::create(builder, loc,
                                   numberAttr(builder, type, value));
}

Value unbroadcast(OpBuilder &builder, Location loc, Value gradient,
                  RankedTensorType type) {
  RankedTensorType from = tensorType(gradient);
  if (from == type)
    return gradient;
  int64_t offset = from.getRank() - type.getRank();
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < from.getRank(); ++i)
    if (i < offset ||
        (type.getDimSize(i - offset) == 1 && from.getDimSize(i) != 1))
      axes.push_back(i);
  Value sum = gradient;
  // Sums of rows keep their dimensions: a reshape would end the kernel, and the
  // gradient of a normalisation have one for each sum.
  bool areOfRows = offset == 0 && !axes.empty() && axes.front() != 0;
  if (areOfRows)
    return SumOp::create(builder, loc, type, gradient,
                         builder.getDenseI64ArrayAttr(axes),
                         builder.getUnitAttr());
  if (!axes.empty()) {
    SmallVector<int64_t> kept;
    for (int64_t i = 0; i < from.getRank(); ++i)
      if (!llvm::is_contained(axes, i))
        kept.push_back(from.getDimSize(i));
    sum = SumOp::create(builder, loc, from.clone(kept), gradient,
                        builder.getDenseI64ArrayAttr(axes),
                        /*keep_dims=*/UnitAttr());
  }
  if (sum.getType() == type)
    return sum;
  return ReshapeOp::create(builder, loc, type, sum);
}

FailureOr<SmallVector<int64_t>>
normalizeAxes(Operation *op, std::optional<ArrayRef<int64_t>> axes,
              int64_t rank) {
  SmallVector<int64_t> result;
  if (!axes) {
    for (int64_t i = 0; i < rank; ++i)
      result.push_back(i);
    return result;
  }
  for (int64_t axis : *axes) {
    int64_t positive = axis < 0 ? axis + rank : axis;
    if (positive < 0 || positive >= rank)
      return op->emitOpError()
             << "axis " << axis << " is outside [" << -rank << ", " << rank
             << ") of the operand; axes count from 0, or "
                "from -1 at the end";
    if (llvm::is_contained(result, positive))
      return op->emitOpError()
             << "names axis " << axis << " twice; name it once";
    result.push_back(positive);
  }
  llvm::sort(result);
  return result;
}

Window windowOf(int64_t in, int64_t kernel, int64_t stride, bool same) {
  if (!same)
    return {in < kernel ? 0 : (in - kernel) / stride + 1, 0};
  int64_t out = in / stride + (in % stride != 0);
  int64_t pad = std::max<int64_t>((out - 1) * stride - in + kernel, 0);
  return {out, pad / 2};
}

LogicalResult verifyWindow(Operation *op, ArrayRef<int64_t> lengths) {
  constexpr int64_t longest = std::numeric_limits<int32_t>::max();
  for (int64_t length : lengths)
    if (length > longest)
      return op->emitOpError() << "has a window size or stride of " << length
                               << ", expected at most " << longest;
  return success();
}

} // namespace graphc::tfir
