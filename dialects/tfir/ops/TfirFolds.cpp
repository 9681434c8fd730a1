// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that are not worth doing: with neutral operands, of constants, of one
// kind twice.
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"

using namespace mlir;
using namespace graphc::tfir;

namespace {

/// True for a constant that is `number` everywhere.
bool isAll(Attribute attr, int64_t number) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(attr);
  if (!splat)
    return false;
  if (isa<FloatType>(splat.getElementType()))
    return splat.getSplatValue<APFloat>().isExactlyValue(
        static_cast<double>(number));
  return splat.getSplatValue<APInt>() == number;
}

using FloatFn = function_ref<APFloat(APFloat, APFloat)>;
using IntFn = function_ref<std::optional<APInt>(APInt, APInt)>;

/// The result when both operands are the same number everywhere, computed in
/// the element type; null otherwise.
Attribute foldSplats(Attribute x, Attribute y, Type result, FloatFn ofFloats,
                     IntFn ofInts) {
  auto left = dyn_cast_if_present<SplatElementsAttr>(x);
  auto right = dyn_cast_if_present<SplatElementsAttr>(y);
  auto type = cast<RankedTensorType>(result);
  if (!left || !right || !type.hasStaticShape())
    return {};
  if (isa<FloatType>(type.getElementType()))
    return DenseElementsAttr::get(type,
                                  ofFloats(left.getSplatValue<APFloat>(),
                                           right.getSplatValue<APFloat>()));
  std::optional<APInt> number =
      ofInts(left.getSplatValue<APInt>(), right.getSplatValue<APInt>());
  return number ? DenseElementsAttr::get(type, *number) : Attribute();
}

/// Takes the operand of a tfir.broadcast_to in its place where the op
/// broadcasts by itself; true when that changed something.
template <typename Op> bool dropBroadcasts(Op op) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto broadcast = operand.get().getDefiningOp<BroadcastToOp>();
    Value other = op->getOperand(1 - operand.getOperandNumber());
    if (!broadcast || other.getType() != op.getType())
      continue;
    operand.set(broadcast.getX());
    return true;
  }
  return false;
}

/// x when `y` does not change it, whose type must be that of the result.
Value unlessChanged(Value x, Value result, Attribute y, int64_t neutral) {
  return x.getType() == result.getType() && isAll(y, neutral) ? x : Value();
}

} // namespace

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (dropBroadcasts(*this))
    return getZ();
  if (Value x = unlessChanged(getX(), getZ(), adaptor.getY(), 0))
    return x;
  if (Value y = unlessChanged(getY(), getZ(), adaptor.getX(), 0))
    return y;
  return foldSplats(
      adaptor.getX(), adaptor.getY(), getType(),
      [](APFloat x, APFloat y) { return x + y; },
      [](APInt x, APInt y) { return x + y; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (dropBroadcasts(*this))
    return getZ();
  if (Value x = unlessChanged(getX(), getZ(), adaptor.getY(), 0))
    return x;
  return foldSplats(
      adaptor.getX(), adaptor.getY(), getType(),
      [](APFloat x, APFloat y) { return x - y; },
      [](APInt x, APInt y) { return x - y; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (dropBroadcasts(*this))
    return getZ();
  if (Value x = unlessChanged(getX(), getZ(), adaptor.getY(), 1))
    return x;
  if (Value y = unlessChanged(getY(), getZ(), adaptor.getX(), 1))
    return y;
  return foldSplats(
      adaptor.getX(), adaptor.getY(), getType(),
      [](APFloat x, APFloat y) { return x * y; },
      [](APInt x, APInt y) { return x * y; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (dropBroadcasts(*this))
    return getZ();
  if (Value x = unlessChanged(getX(), getZ(), adaptor.getY(), 1))
    return x;
  bool isUnsigned = tensorType(getX()).getElementType().isUnsignedInteger();
  return foldSplats(
      adaptor.getX(), adaptor.getY(), getType(),
      [](APFloat x, APFloat y) { return x / y; },
      [&](APInt x, APInt y) -> std::optional<APInt> {
        // Left to the run, which knows what to give.
        if (y.isZero() || (!isUnsigned && x.isMinSignedValue()))
          return std::nullopt;
        return isUnsigned ? x.udiv(y) : x.sdiv(y);
      });
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getX().getDefiningOp<NegOp>())
    return inner.getX();
  return foldSplats(
      adaptor.getX(), adaptor.getX(), getType(),
      [](APFloat x, APFloat) { return neg(x); },
      [](APInt x, APInt) { return -x; });
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getX().getType() == getY().getType() ? getX() : Value();
}

OpFoldResult BroadcastToOp::fold(FoldAdaptor) {
  return getX().getType() == getY().getType() ? getX() : Value();
}

OpFoldResult IdentityOp::fold(FoldAdaptor) {
  // On a device of its own it stands for a copy that the user asked for.
  if (getRequestedDeviceAttr(*this) || getColocationAttr(*this))
    return {};
  return getX();
}
