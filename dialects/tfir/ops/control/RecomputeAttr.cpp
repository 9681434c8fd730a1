// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/tfir/ops/control/RecomputeAttr.h"

#include "dialects/tfir/Tfir.h"

using namespace mlir;

namespace graphc::tfir {

static constexpr StringLiteral kRecompute = "tfir.recompute";

static bool isNumber(Attribute attr) {
  auto number = dyn_cast_if_present<IntegerAttr>(attr);
  return number && number.getType().isSignlessInteger(64) &&
         number.getInt() >= 0;
}

std::optional<int64_t> getRecomputed(Operation *op) {
  Attribute body = op->getDiscardableAttr(kRecompute);
  if (!isNumber(body))
    return std::nullopt;
  return cast<IntegerAttr>(body).getInt();
}

void setRecomputed(Operation *op, std::optional<int64_t> body) {
  if (body)
    op->setDiscardableAttr(kRecompute,
                           Builder(op->getContext()).getI64IntegerAttr(*body));
  else
    op->removeDiscardableAttr(kRecompute);
}

bool isRecomputeAttr(StringRef name) { return name == kRecompute; }

LogicalResult verifyRecomputeAttr(Operation *op, NamedAttribute attr) {
  if (isa<NodeOpInterface>(op) && isNumber(attr.getValue()))
    return success();
  return op->emitOpError() << "has " << attr.getValue() << " as '" << kRecompute
                           << "', expected a number from 0, such as 3 : i64";
}

} // namespace graphc::tfir
