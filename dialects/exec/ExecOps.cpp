// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of slots and instructions.
#include "dialects/exec/Exec.h"

using namespace mlir;
using namespace graphc::exec;

#define GET_OP_CLASSES
#include "dialects/exec/ExecOps.cpp.inc"

LogicalResult LaunchOp::verify() {
  if (getResultNames() && getResultNames()->size() != getNumResults()) // (C1)
    return emitOpError() << "has " << getResultNames()->size()
                         << " 'result_names' for " << getNumResults()
                         << " results";
  return success();
}

LogicalResult ProgramOp::verify() { // (C1) is checked with the instructions
  auto isBelow = [](IntegerAttr number, int64_t smallest) {
    return number && number.getInt() < smallest;
  };
  if (isBelow(getReplicasAttr(), 1) || isBelow(getMemberAttr(), 1)) // (C2)
    return emitOpError() << "has 'replicas' or 'member' below 1";
  if (isBelow(getUpdatesFromAttr(), 0))
    return emitOpError() << "has a negative 'updates_from'";
  if (auto list = getSummaries(); // (C3)
      list && !llvm::all_of(*list, llvm::IsaPred<graphc::tfir::SummaryAttr>))
    return emitOpError() << "has 'summaries' that are no #tfir.summary";
  return success();
}

LogicalResult SlotOp::verify() {
  bool isArena = getKind() == SlotKind::Arena;
  if (isArena != (getOffset() && getFirst() && getLast())) // (C1)
    return emitOpError() << "a place and a lifetime belong to arena slots";
  if (isArena && *getOffset() % 64 != 0)
    return emitOpError() << "lies at " << *getOffset()
                         << ", which is not a multiple of 64";
  if (getReplica() && (getKind() != SlotKind::StepState || *getReplica() < 0))
    return emitOpError() << "a replica belongs to a slot of the step's state, "
                            "and counts from 0"; // (C3)
  if ((getKind() == SlotKind::Variable) != getVariable().has_value() ||
      (getKind() == SlotKind::Constant) != getValue().has_value()) // (C2)
    return emitOpError()
           << "a variable slot names a variable, a constant slot has a value";
  return success();
}

template <typename Op> static LogicalResult verifyFrame(Op op) {
  if (op.getEdges().empty() || op.getEdges().size() != op.getSlots().size())
    return op.emitOpError()
           << "has " << op.getEdges().size() << " edges and "
           << op.getSlots().size() << " slots; expected as many, at least one";
  return success();
}

LogicalResult SendOp::verify() {
  if (getCollectives() && getCollectives()->size() != getEdges().size()) // (C2)
    return emitOpError() << "has " << getEdges().size() << " edges and "
                         << getCollectives()->size()
                         << " collectives; expected as many";
  return verifyFrame(*this); // (C1)
}
LogicalResult RecvOp::verify() { return verifyFrame(*this); } // (C1)

LogicalResult FillOp::verify() {
  auto type = cast<ShapedType>(getValue().getType());
  Type element = getTarget().getType().getTensor().getElementType();
  if (type.getNumElements() == 1 && type.getElementType() == element) // (C1)
    return success();
  return emitOpError() << "fills a slot of " << element << " with " << type
                       << "; expected one element of that type";
}

LogicalResult AllReduceOp::verify() {
  if (static_cast<int64_t>(getNumber()) < 1) // (C1)
    return emitOpError() << "has the number "
                         << static_cast<int64_t>(getNumber())
                         << "; they count from 1";
  RankedTensorType source = getSource().getType().getTensor();
  RankedTensorType target = getTarget().getType().getTensor();
  if (!source.getElementType().isF32() || !target.getElementType().isF32() ||
      source.getNumElements() != target.getNumElements()) // (C2)
    return emitOpError() << "adds up " << source << " to a slot of " << target
                         << "; expected as many 32-bit floats";
  return success();
}

LogicalResult CopyOp::verify() {
  int64_t source = getSource().getType().getBytes();
  int64_t target = getTarget().getType().getBytes();
  if (source != target) // (C1)
    return emitOpError() << "copies " << source << " bytes to a slot of "
                         << target;
  return success();
}
