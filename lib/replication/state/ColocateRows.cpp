// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/state/ColocateRows.h"

#include "lib/replication/state/RowGradient.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

static void moveBeside(Operation *op, Attribute place) {
  setColocation(op, place);
  setRequestedDevice(op, {});
  setTower(op, {}); // it is of the server now
}

/// A request that is not that of a tower or a worker.
static bool isRequestedByUser(Operation *op, GraphOp graph) {
  return getRequestedDevice(op) && !getTower(op) && !graph.getInstance();
}

/// Lookups in a variable that is not sent to where they are in any case.
static void colocateLookups(ReadOp read, GraphOp graph) {
  StringAttr variable = read.getVariableAttr().getAttr();
  SmallVector<Operation *> lookups;
  for (Operation *user : read->getUsers()) {
    if (isRowLookup(user, read.getValue())) {
      if (!getColocationAttr(user) && !isRequestedByUser(user, graph))
        lookups.push_back(user);
    } else if (!isa<AssignOp>(user) && getColocation(user) != variable) {
      return;
    }
  }
  for (Operation *lookup : lookups)
    moveBeside(lookup, variable);
}

/// The one place that all users of a value ask for; null without it.
static StringAttr placeOfUsers(Operation *op) {
  StringAttr place;
  for (Operation *user : op->getUsers()) {
    StringAttr own = getColocation(user);
    if (!own || (place && place != own))
      return {};
    place = own;
  }
  return place;
}

void colocateRows(GraphOp graph) {
  for (auto read : graph.getBlock().getOps<ReadOp>())
    colocateLookups(read, graph);
  RowGradients gradients(graph.getBlock());
  // Users first.
  for (Operation &op : llvm::reverse(graph.getBlock()))
    if (gradients.isMade(&op) && !isRequestedByUser(&op, graph))
      if (StringAttr place = placeOfUsers(&op); place != getColocation(&op))
        if (place)
          moveBeside(&op, place);
}

} // namespace graphc
