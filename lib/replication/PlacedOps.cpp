// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/PlacedOps.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

void PlacedOps::notifyOperationInserted(Operation *op,
                                        OpBuilder::InsertPoint previous) {
  if (previous.isSet()) // moved, not new
    return;
  std::string name = names.take(scope + "/" + kindName(op));
  setNodeName(op, StringAttr::get(op->getContext(), name));
  if (isa<ConstOp>(op))
    return;
  if (target.device)
    setRequestedDevice(op, target.device);
  if (target.colocation)
    setColocation(op, target.colocation);
  if (collective)
    setCollective(op, collective);
  if (isFallback)
    tfir::setFallback(op);
}

} // namespace graphc
