// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/PlacedOps.h"

#include "dialects/tfir/Names.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

void PlacedOps::notifyOperationInserted(Operation *op,
                                        OpBuilder::InsertPoint previous) {
  if (previous.isSet()) // moved, not new
    return;
  std::string name = names.take(scope + "/" + kindName(op));
  op->setAttr(kNameAttr, StringAttr::get(op->getContext(), name));
  if (isa<ConstOp>(op))
    return;
  if (spot.device)
    op->setAttr(kDeviceAttr, spot.device);
  if (spot.colocation)
    op->setAttr(kColocateAttr, spot.colocation);
  if (collective)
    op->setAttr(kCollectiveAttr, collective);
  if (isFallback)
    op->setAttr(kFallbackAttr, UnitAttr::get(op->getContext()));
}

} // namespace graphc
