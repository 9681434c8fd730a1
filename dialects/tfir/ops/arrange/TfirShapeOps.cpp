// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Borders, repetition, order, parts: written with blocks, slices, reshapes.
#include "dialects/tfir/ops/arrange/TfirShapeOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;
using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirShapeOps.cpp.inc"

namespace {

Results one(Value value) { return SmallVector<Value>{value}; }

bool isOpen(int64_t size) { return ShapedType::isDynamic(size); }

/// A size in an error.
std::string printed(int64_t size) {
  return isOpen(size) ? "?" : std::to_string(size);
}

} // namespace

FailureOr<int64_t> graphc::tfir::normalizeAxis(Operation *op, int64_t axis,
                                               int64_t rank, StringRef what) {
  int64_t positive = axis < 0 ? axis + rank : axis;
  if (positive >= 0 && positive < rank)
    return positive;
  return op->emitOpError() << "axis " << axis << " is outside [" << -rank
                           << ", " << rank << ") of " << what
                           << "; axes count from 0, or from -1 at the end";
}

//===-- Dimensions of size 1 ----------------------------------------------===//

LogicalResult ExpandDimsOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  FailureOr<int64_t> axis = normalizeAxis(
      *this, static_cast<int64_t>(getAxis()), type.getRank() + 1, "the result");
  if (failed(axis)) // (C1)
    return failure();
  Shape shape(type.getShape());
  shape.insert(shape.begin() + *axis, 1);
  types.push_back(type.clone(shape));
  return success();
}

Results ExpandDimsOp::decompose(OpBuilder &b) {
  return one(
      ArrangeExpr{b, getLoc()}.reshape(getX(), getY().getType().getShape()));
}

LogicalResult SqueezeOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  FailureOr<SmallVector<int64_t>> axes =
      normalizeAxes(*this, getAxis(), type.getRank());
  if (failed(axes)) // (C1)
    return failure();
  bool isAll = !getAxis() || getAxis()->empty();
  if (isAll && !type.hasStaticShape()) // (C3)
    return emitOpError() << "drops all dimensions of size 1 of " << type
                         << ", some of which are not known; name them by axis";
  Shape shape;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    bool isNamed = !isAll && llvm::is_contained(*axes, dim);
    if (isNamed && size != 1 && !isOpen(size)) // (C2)
      return emitOpError() << "drops dimension " << dim << " of " << type
                           << ", whose size is not 1";
    if (!isNamed && !(isAll && size == 1))
      shape.push_back(size);
  }
  types.push_back(type.clone(shape));
  return success();
}

Results SqueezeOp::decompose(OpBuilder &b) {
  return one(
      ArrangeExpr{b, getLoc()}.reshape(getX(), getY().getType().getShape()));
}

//===-- pad ---------------------------------------------------------------===//

namespace {

enum class PadMode { Constant, Reflect, Symmetric, Edge };

std::optional<PadMode> padMode(StringRef text) {
  return llvm::StringSwitch<std::optional<PadMode>>(text.upper())
      .Case("CONSTANT", PadMode::Constant)
      .Case("REFLECT", PadMode::Reflect)
      .Case("SYMMETRIC", PadMode::Symmetric)
      .Case("EDGE", PadMode::Edge)
      .Default(std::nullopt);
}

/// The widest border that a dimension of `size` elements fills.
int64_t widestBorder(PadMode mode, int64_t size) {
  switch (mode) {
  case PadMode::Reflect:
    return std::max<int64_t>(size - 1, 0);
  case PadMode::Symmetric:
    return size;
  case PadMode::Constant:
  case PadMode::Edge:
    break;
  }
  return size == 0 && mode == PadMode::Edge
             ? 0
             : std::numeric_limits<int64_t>::max();
}

/// `count` elements beside the first or the last of a dimension.
Value borderOf(ArrangeExpr e, Value x, int64_t axis, PadMode mode,
               int64_t count, bool isAfter) {
  int64_t size = tensorType(x).getDimSize(axis);
  if (mode == PadMode::Edge) {
    Shape shape = e.shapeOf(x);
    shape[axis] = count;
    return e.broadcast(e.sliceAlong(x, axis, isAfter ? size - 1 : 0, 1), shape);
  }
  int64_t skipped = mode == PadMode::Reflect;
  Shape begin(tensorType(x).getRank(), 0), strides(begin.size(), 1);
  Shape sizes = e.shapeOf(x);
  begin[axis] = isAfter ? size - 1 - skipped : count - 1 + skipped;
  sizes[axis] = count;
  strides[axis] = -1;
  return e.block(x, begin, sizes, strides);
}

} // namespace

LogicalResult PadOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  ArrayRef<int64_t> paddings = getPaddings();
  if (static_cast<int64_t>(paddings.size()) != 2 * type.getRank() ||
      llvm::any_of(paddings, [](int64_t n) { return n < 0; })) // (C1)
    return emitOpError() << "has " << paddings.size() << " paddings for "
                         << type
                         << ", expected two per dimension, before it "
                            "and after it, none negative";
  std::optional<PadMode> mode = padMode(getMode());
  if (!mode) // (C2)
    return emitOpError() << "the mode is '" << getMode()
                         << "', expected 'CONSTANT', 'REFLECT', 'SYMMETRIC' or "
                            "'EDGE'";
  Shape shape(type.getShape());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (isOpen(size))
      continue;
    int64_t before = paddings[2 * dim], after = paddings[2 * dim + 1];
    int64_t widest = widestBorder(*mode, size);
    if (std::max(before, after) > widest) // (C3)
      return emitOpError() << "pads dimension " << dim << " of " << type
                           << " by " << std::max(before, after) << ", at most "
                           << widest << " are possible with the mode '"
                           << getMode() << "'";
    if (llvm::AddOverflow(size, before, size) ||
        llvm::AddOverflow(size, after, size))
      return emitOpError() << "makes dimension " << dim
                           << " larger than 2^63 - 1";
  }
  if (failed(verifyNumber(*this, "constant_values",
                          getConstantValues().convertToDouble(),
                          type))) // (C4)
    return failure();
  types.push_back(type.clone(shape));
  return success();
}

Results PadOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  PadMode mode = *padMode(getMode());
  if (mode == PadMode::Constant) {
    Shape begin;
    for (int64_t dim = 0; dim < tensorType(getX()).getRank(); ++dim)
      begin.push_back(getPaddings()[2 * dim]);
    return one(e.place(getX(), getY().getType().getShape(), begin,
                       Shape(begin.size(), 1),
                       getConstantValues().convertToDouble()));
  }
  Value padded = e.reshape(getX(), e.shapeOf(getX()));
  for (int64_t dim = 0; dim < tensorType(padded).getRank(); ++dim) {
    int64_t before = getPaddings()[2 * dim], after = getPaddings()[2 * dim + 1];
    SmallVector<Value> parts;
    if (before)
      parts.push_back(borderOf(e, padded, dim, mode, before, false));
    parts.push_back(padded);
    if (after)
      parts.push_back(borderOf(e, padded, dim, mode, after, true));
    if (parts.size() > 1)
      padded = e.concat(parts, dim);
  }
  return one(padded);
}

//===-- Repetition and order ----------------------------------------------===//

LogicalResult TileOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (static_cast<int64_t>(getMultiples().size()) != type.getRank() ||
      llvm::any_of(getMultiples(), [](int64_t n) { return n < 0; })) // (C1)
    return emitOpError() << "has " << getMultiples().size() << " multiples for "
                         << type
                         << ", expected one per dimension, none negative";
  Shape shape(type.getShape());
  for (auto [size, multiple] : llvm::zip(shape, getMultiples()))
    if (!isOpen(size) && llvm::MulOverflow(size, multiple, size))
      return emitOpError() << "makes a dimension larger than 2^63 - 1";
  types.push_back(type.clone(shape));
  return success();
}

Results TileOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  Value y = e.reshape(getX(), e.shapeOf(getX()));
  for (auto [axis, multiple] : llvm::enumerate(getMultiples())) {
    if (multiple == 1)
      continue;
    if (multiple == 0) {
      y = e.sliceAlong(y, axis, 0, 0);
      continue;
    }
    Shape shape = e.shapeOf(y);
    int64_t outer = 1, inner = 1;
    for (auto [dim, size] : llvm::enumerate(shape))
      (dim < axis ? outer : inner) *= size;
    Value flat = e.reshape(y, {outer, 1, inner});
    shape[axis] *= multiple;
    y = e.reshape(e.broadcast(flat, {outer, multiple, inner}), shape);
  }
  return one(y);
}

LogicalResult ReverseOp::inferTypes(Types &types) {
  if (failed(normalizeAxes(*this, getAxis(),
                           tensorType(getX()).getRank()))) // (C1)
    return failure();
  types.push_back(getX().getType());
  return success();
}

Results ReverseOp::decompose(OpBuilder &b) {
  return one(ArrangeExpr{b, getLoc()}.reverse(
      getX(), *normalizeAxes(*this, getAxis(), tensorType(getX()).getRank())));
}

LogicalResult RollOp::inferTypes(Types &types) {
  if (getShift().size() != getAxis().size()) // (C1)
    return emitOpError() << "has " << getShift().size() << " shifts for "
                         << getAxis().size() << " axes, expected one for each";
  for (int64_t axis : getAxis())
    if (failed(normalizeAxis(*this, axis, tensorType(getX()).getRank(),
                             "the operand"))) // (C2)
      return failure();
  types.push_back(getX().getType());
  return success();
}

Results RollOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  Value y = e.reshape(getX(), e.shapeOf(getX()));
  for (auto [shift, named] : llvm::zip(getShift(), getAxis())) {
    int64_t axis = named < 0 ? named + tensorType(y).getRank() : named;
    int64_t size = tensorType(y).getDimSize(axis);
    int64_t moved = size ? (shift % size + size) % size : 0;
    if (moved == 0)
      continue;
    Value wrapped = e.sliceAlong(y, axis, size - moved, moved);
    y = e.concat({wrapped, e.sliceAlong(y, axis, 0, size - moved)}, axis);
  }
  return one(y);
}

//===-- Several tensors ---------------------------------------------------===//

LogicalResult StackOp::inferTypes(Types &types) {
  if (getValues().empty()) // (C1)
    return emitOpError() << "has no operand; give it at least one";
  RankedTensorType type = tensorType(getValues()[0]);
  Shape shape(type.getShape());
  for (Value value : getValues()) {
    RankedTensorType other = tensorType(value);
    if (other.getElementType() != type.getElementType() ||
        failed(verifyCompatibleShape(shape, other.getShape()))) // (C1)
      return emitOpError() << "operands have the types " << type << " and "
                           << other << ", expected one type";
    for (auto [dim, size] : llvm::zip(shape, other.getShape()))
      dim = isOpen(dim) ? size : dim;
  }
  FailureOr<int64_t> axis = normalizeAxis(
      *this, static_cast<int64_t>(getAxis()), type.getRank() + 1, "the result");
  if (failed(axis)) // (C2)
    return failure();
  shape.insert(shape.begin() + *axis, static_cast<int64_t>(getValues().size()));
  types.push_back(type.clone(shape));
  return success();
}

Results StackOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  auto axis = static_cast<int64_t>(getAxis());
  axis = axis < 0 ? axis + tensorType(getY()).getRank() : axis;
  SmallVector<Value> parts;
  for (Value value : getValues()) {
    Shape shape = e.shapeOf(value);
    shape.insert(shape.begin() + axis, 1);
    parts.push_back(e.reshape(value, shape));
  }
  return one(e.concat(parts, axis));
}

LogicalResult UnstackOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getValue());
  FailureOr<int64_t> axis = normalizeAxis(
      *this, static_cast<int64_t>(getAxis()), type.getRank(), "the operand");
  if (failed(axis)) // (C1)
    return failure();
  int64_t size = type.getDimSize(*axis);
  auto count = static_cast<int64_t>(getNumResults());
  int64_t num = getNum() ? static_cast<int64_t>(*getNum()) : count;
  if (num != count || (!isOpen(size) && size != count)) // (C2)
    return emitOpError() << "has " << count << " results, expected "
                         << (isOpen(size) ? num : size)
                         << ", one for each place of dimension " << *axis
                         << " of " << type;
  Shape shape(type.getShape());
  shape.erase(shape.begin() + *axis);
  types.append(count, type.clone(shape));
  return success();
}

Results UnstackOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  auto axis = static_cast<int64_t>(getAxis());
  axis = axis < 0 ? axis + tensorType(getValue()).getRank() : axis;
  SmallVector<Value> results;
  for (auto [place, result] : llvm::enumerate(getOutputs()))
    results.push_back(e.reshape(e.sliceAlong(getValue(), axis, place, 1),
                                tensorType(result).getShape()));
  return results;
}

LogicalResult SplitOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getValue());
  FailureOr<int64_t> axis = normalizeAxis(
      *this, static_cast<int64_t>(getAxis()), type.getRank(), "the operand");
  if (failed(axis)) // (C1)
    return failure();
  int64_t size = type.getDimSize(*axis);
  auto count = static_cast<int64_t>(getNumResults());
  int64_t told = getNumSplit() ? static_cast<int64_t>(*getNumSplit()) : count;
  if (getNumSplit() && getSizeSplits()) // (C2)
    return emitOpError() << "has num_split and size_splits; give one of them";
  if (getSizeSplits())
    told = static_cast<int64_t>(getSizeSplits()->size());
  if (told != count || count == 0) // (C2)
    return emitOpError() << "has " << count << " results, expected "
                         << std::max<int64_t>(told, 1) << ", one for each part";
  SmallVector<int64_t> sizes;
  if (getSizeSplits()) {
    sizes.assign(getSizeSplits()->begin(), getSizeSplits()->end());
    int64_t sum = 0, open = llvm::count(sizes, -1);
    bool isGood = open <= 1;
    for (int64_t part : sizes)
      isGood &=
          part >= -1 && (part == -1 || !llvm::AddOverflow(sum, part, sum));
    if (!isGood || (!isOpen(size) && (open ? sum > size : sum != size))) // (C4)
      return emitOpError() << "the sizes of the parts add up to " << sum
                           << ", expected " << printed(size)
                           << " as in dimension " << *axis << " of " << type
                           << "; one may be -1 for what is left";
    for (int64_t &part : sizes)
      if (part == -1)
        part = isOpen(size) ? size : size - sum;
  } else {
    if (!isOpen(size) && size % count != 0) // (C3)
      return emitOpError() << "cannot divide dimension " << *axis << " of "
                           << type << " into " << count
                           << " equal parts; give size_splits";
    sizes.assign(count, isOpen(size) ? size : size / count);
  }
  Shape shape(type.getShape());
  for (int64_t part : sizes) {
    shape[*axis] = part;
    types.push_back(type.clone(shape));
  }
  return success();
}

Results SplitOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  auto axis = static_cast<int64_t>(getAxis());
  axis = axis < 0 ? axis + tensorType(getValue()).getRank() : axis;
  SmallVector<Value> results;
  int64_t begin = 0;
  for (Value result : getOutputs()) {
    int64_t size = tensorType(result).getDimSize(axis);
    results.push_back(e.sliceAlong(getValue(), axis, begin, size));
    begin += size;
  }
  return results;
}

//===-- The same number everywhere ----------------------------------------===//

LogicalResult ZerosLikeOp::inferTypes(Types &types) {
  types.push_back(getX().getType());
  return success();
}
LogicalResult OnesLikeOp::inferTypes(Types &types) {
  types.push_back(getX().getType());
  return success();
}

Results ZerosLikeOp::decompose(OpBuilder &b) {
  return one(splat(b, getLoc(), tensorType(getX()), 0));
}
Results OnesLikeOp::decompose(OpBuilder &b) {
  return one(splat(b, getLoc(), tensorType(getX()), 1));
}

LogicalResult FillOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getValue());
  if (llvm::any_of(getDims(), [](int64_t size) { return size < 0; })) // (C1)
    return emitOpError() << "has a dimension of negative size";
  if (type.getRank() != 0) // (C2)
    return emitOpError() << "the value has the type " << type
                         << ", expected a scalar; tfir.broadcast_to repeats "
                            "tensors";
  types.push_back(type.clone(getDims()));
  return success();
}

Results FillOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  return one(getDims().empty() ? e.reshape(getValue(), {})
                               : e.broadcast(getValue(), getDims()));
}
