// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns of the ops of a pipeline, also of ops that passes have added.
#ifndef GRAPHC_LIB_LOWERING_OPSLOTS_H
#define GRAPHC_LIB_LOWERING_OPSLOTS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace graphc {

/// Finds the turn (tfir::getSlot) of each op that is of one; an op without a
/// turn of its own has the last of those that it reads from.
llvm::DenseMap<mlir::Operation *, int64_t> findSlots(mlir::Block &block);

} // namespace graphc

#endif
