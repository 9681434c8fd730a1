// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interface of instructions: the slots that each reads and writes.
#include "dialects/exec/Exec.h"

using namespace mlir;
using namespace graphc::exec;

#include "dialects/exec/ExecInterfaces.cpp.inc"

LogicalResult graphc::exec::verifyInstruction(Operation *op) {
  std::optional<uint64_t> serves = cast<InstructionOpInterface>(op).getServes();
  if (!serves || static_cast<int64_t>(*serves) >= 1)
    return success();
  return op->emitOpError() << "serves all_reduce "
                           << static_cast<int64_t>(*serves)
                           << "; they count from 1";
}

using Slots = SmallVector<Value>;

// Slots that a kernel writes count as read, too: kernels update in place.
Slots DispatchOp::getReadSlots() { return Slots(getSlots()); }
Slots DispatchOp::getWrittenSlots() {
  Slots written;
  for (int64_t position : getWrites())
    written.push_back(getSlots()[position]);
  return written;
}

Slots CopyOp::getReadSlots() { return {getSource()}; }
Slots CopyOp::getWrittenSlots() { return {getTarget()}; }

Slots NextOp::getReadSlots() { return {}; }
Slots NextOp::getWrittenSlots() { return Slots(getSlots()); }

Slots FillOp::getReadSlots() { return {}; }
Slots FillOp::getWrittenSlots() { return {getTarget()}; }

Slots SleepOp::getReadSlots() { return {}; }
Slots SleepOp::getWrittenSlots() { return {}; }

Slots FailOp::getReadSlots() { return {}; }
Slots FailOp::getWrittenSlots() { return {}; }

Slots CheckOp::getReadSlots() { return {getFlag()}; }
Slots CheckOp::getWrittenSlots() { return {}; }

Slots PrintOp::getReadSlots() { return {getValue()}; }
Slots PrintOp::getWrittenSlots() { return {}; }

Slots SendOp::getReadSlots() { return Slots(getSlots()); }
Slots SendOp::getWrittenSlots() { return {}; }

Slots RecvOp::getReadSlots() { return {}; }
Slots RecvOp::getWrittenSlots() { return Slots(getSlots()); }

// The sum is read as well: it is there already where no library makes it.
Slots AllReduceOp::getReadSlots() { return {getSource(), getTarget()}; }
Slots AllReduceOp::getWrittenSlots() { return {getTarget()}; }
