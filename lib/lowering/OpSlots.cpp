// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/lowering/OpSlots.h"

#include "dialects/tfir/PipelineAttrs.h"

#include <optional>

using namespace mlir;

namespace graphc {

llvm::DenseMap<Operation *, int64_t> findSlots(Block &block) {
  llvm::DenseMap<Operation *, int64_t> slots;
  for (Operation &op : block) {
    std::optional<int64_t> slot = tfir::getSlot(&op);
    if (!slot)
      for (Value operand : op.getOperands())
        if (auto found = slots.find(operand.getDefiningOp());
            found != slots.end())
          slot = std::max(slot.value_or(0), found->second);
    if (slot)
      slots[&op] = *slot;
  }
  return slots;
}

} // namespace graphc
