// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks and prints: on the host of the device that has the value.
#include "dialects/tfir/ops/checks/TfirCheckOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/ops/TfirScalarOps.h"
#include "dialects/tfir/ops/aggregate/ReductionExpr.h"
#include "dialects/tfir/ops/aggregate/TfirReductionOps.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirCheckOps.cpp.inc"

static constexpr StringLiteral kHostKind = "CPU";

/// Fails for a text with another number of characters.
static LogicalResult verifyMessage(Operation *op, StringRef message,
                                   size_t least, size_t most) {
  if (message.size() >= least && message.size() <= most)
    return success();
  return op->emitOpError() << "has a message of " << message.size()
                           << " characters, expected from " << least << " to "
                           << most;
}

/// True for an op that is asked for on a device that has no console.
static bool isOffHost(Operation *op) {
  DeviceAttr device = getRequestedDevice(op);
  return device && device.getDeviceName().type &&
         *device.getDeviceName().type != kHostKind;
}

/// An op that is derived has the place of its origin; the host does it instead
/// of a device that cannot.
static void standOnHost(Operation *op) {
  setColocation(op, {});
  DeviceAttr device = getRequestedDevice(op);
  if (isOffHost(op))
    setRequestedDevice(
        op,
        DeviceAttr::get(op->getContext(), device.getDeviceName().hostDevice()));
}

//===-- assert ------------------------------------------------------------===//

SmallVector<StringRef> AssertOp::deviceKinds() { return {kHostKind}; }

LogicalResult AssertOp::verify() {
  RankedTensorType type = tensorType(getCondition());
  if (type.getRank() != 0) // (C1)
    return emitOpError() << "has a condition of type " << type
                         << ", expected one without dimensions; 'tfir.all' "
                            "makes one of many";
  return verifyMessage(*this, getMessage(), 1, 2000); // (C2)
}

//===-- check_numerics ----------------------------------------------------===//

LogicalResult CheckNumericsOp::verify() {
  return verifyMessage(*this, getMessage(), 0, 1000); // (C1)
}

LogicalResult CheckNumericsOp::inferTypes(SmallVectorImpl<Type> &types) {
  types.push_back(getX().getType());
  return success();
}

Results CheckNumericsOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  Value isFinite = AllOp::create(
      b, getLoc(), RankedTensorType::get({}, b.getI1Type()),
      e.check<IsFiniteOp>(getX()), DenseI64ArrayAttr(), UnitAttr());
  standOnHost(AssertOp::create(
      b, getLoc(), isFinite,
      b.getStringAttr(getMessage() + " : Tensor had NaN or Inf values")));
  return SmallVector<Value>{getX()};
}

//===-- print -------------------------------------------------------------===//

SmallVector<StringRef> PrintOp::deviceKinds() { return {kHostKind}; }

LogicalResult PrintOp::verify() {
  if (failed(verifyMessage(*this, getMessage(), 0, 1000))) // (C1)
    return failure();
  auto summarize = static_cast<int64_t>(getSummarize());
  if (summarize >= -1) // (C2)
    return success();
  return emitOpError() << "has 'summarize' = " << summarize
                       << ", expected a number of elements, or -1 for all";
}

LogicalResult PrintOp::inferTypes(SmallVectorImpl<Type> &types) {
  types.push_back(getX().getType());
  return success();
}

/// A result that is used stands for x, which stays on its device.
bool PrintOp::isShorthand() { return !getY().use_empty() || isOffHost(*this); }

Results PrintOp::decompose(OpBuilder &b) {
  standOnHost(PrintOp::create(b, getLoc(), getX().getType(), getX(),
                              getMessageAttr(), getSummarizeAttr()));
  return SmallVector<Value>{getX()};
}
