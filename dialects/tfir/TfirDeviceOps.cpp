// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Budgets, sums over devices and debug ops; custom ops and transfers need no
// code.
#include "dialects/tfir/Tfir.h"
#include "runtime/base/DeviceName.h"

using namespace mlir;
using namespace graphc::tfir;

LogicalResult BudgetOp::verify() {
  StringRef kind = getKind();
  if (kind != "link" && kind != "messages" && kind != "peak") // (C1)
    return emitOpError() << "bounds '" << kind
                         << "'; expected \"link\", \"messages\" or \"peak\"";
  if (kind == "peak" && !getTarget().empty())
    return emitOpError()
           << "bounds the memory of devices, which has no 'to'; name them "
              "with 'from'";
  if (static_cast<int64_t>(getLimit()) < 0) // (C2)
    return emitOpError() << "has the limit " << static_cast<int64_t>(getLimit())
                         << ", expected at least 0";
  for (StringRef name : {getSource(), getTarget()}) { // (C3)
    auto parsed = graphc::runtime::DeviceName::parse(name);
    if (!parsed.isOk())
      return emitOpError() << parsed.status().message();
  }
  return success();
}

LogicalResult AllReduceOp::inferTypes(SmallVectorImpl<Type> &types) { // (C1)
  if (getOwn().getType() != getSum().getType())
    return emitOpError() << "has a term of " << getOwn().getType()
                         << " for a sum of " << getSum().getType()
                         << "; expected one type";
  types.push_back(getSum().getType());
  return success();
}

//===-- Debug ops ---------------------------------------------------------===//

LogicalResult DebugSleepOp::verify() {
  constexpr int64_t kDay = 86'400'000;
  auto milliseconds = static_cast<int64_t>(getMilliseconds());
  if (milliseconds >= 0 && milliseconds <= kDay) // (C1)
    return success();
  return emitOpError() << "sleeps " << milliseconds
                       << " milliseconds, expected 0 to " << kDay;
}

LogicalResult DebugSleepOp::inferTypes(SmallVectorImpl<Type> &types) { // (C2)
  types.push_back(getX().getType());
  return success();
}

LogicalResult DebugSleepOp::buildGradient(OpBuilder &, ValueRange gradients,
                                          MutableArrayRef<Value> result) {
  result[0] = gradients[0];
  return success();
}

LogicalResult DebugFailOp::verify() {
  constexpr size_t kLongest = 1000;
  if (!getText().empty() && getText().size() <= kLongest) // (C1)
    return success();
  return emitOpError() << "has a text of " << getText().size()
                       << " characters, expected 1 to " << kLongest;
}

LogicalResult DebugFailOp::inferTypes(SmallVectorImpl<Type> &types) { // (C2)
  types.push_back(getX().getType());
  return success();
}

LogicalResult DebugFailOp::buildGradient(OpBuilder &, ValueRange gradients,
                                         MutableArrayRef<Value> result) {
  result[0] = gradients[0];
  return success();
}
