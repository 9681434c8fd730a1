// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/lowering/Views.h"

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/lowering/KernelGroups.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// Smaller slices are read where they are by the kernels that want them.
constexpr int64_t kMinElements = 16384;
constexpr int64_t kAlignment = 64;

/// The first byte of a slice whose elements lie together; nothing for others.
std::optional<int64_t> firstByte(SliceOp slice) {
  RankedTensorType whole = tensorType(slice.getX());
  RankedTensorType part = tensorType(slice.getY());
  if (part.getNumElements() == 0 || !part.getElementType().isIntOrFloat())
    return std::nullopt;
  int64_t element = 0;
  bool isInside = false; // after the first dimension of several elements
  for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
    if (isInside && part.getDimSize(dim) != whole.getDimSize(dim))
      return std::nullopt;
    isInside |= part.getDimSize(dim) != 1;
    element = element * whole.getDimSize(dim) + slice.getBegin()[dim];
  }
  return element * (exec::tensorBytes(part) / part.getNumElements());
}

bool isOnKernelResult(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isView(op))
    op = op->getOperand(0).getDefiningOp();
  return op && (isa<exec::LaunchOp>(op) || isKernelOp(op));
}

} // namespace

bool isView(Operation *op) {
  if (isa<ReshapeOp, OptimizationBarrierOp>(op))
    return true;
  auto slice = dyn_cast<SliceOp>(op);
  if (!slice || tensorType(slice.getY()).getNumElements() <= kMinElements)
    return false;
  std::optional<int64_t> byte = firstByte(slice);
  return byte && *byte % kAlignment == 0 && isOnKernelResult(slice.getX());
}

View viewOf(Value value) {
  View view{value, 0};
  while (Operation *op = view.storage.getDefiningOp()) {
    if (auto slice = dyn_cast<SliceOp>(op))
      view.offset += *firstByte(slice);
    else if (!isa<ReshapeOp, OptimizationBarrierOp>(op))
      break;
    view.storage = op->getOperand(0);
  }
  return view;
}

Value storageOf(Value value) { return viewOf(value).storage; }

SmallVector<Value> awaitedBy(Value value) {
  SmallVector<Value> awaited;
  while (Operation *op = value.getDefiningOp()) {
    if (!readsNothing(op))
      break;
    if (auto barrier = dyn_cast<OptimizationBarrierOp>(op))
      awaited.push_back(barrier.getAfter());
    value = op->getOperand(0);
  }
  return awaited;
}

bool readsNothing(Operation *op) {
  return isa<ReshapeOp, SliceOp, OptimizationBarrierOp>(op);
}

SmallVector<Value> viewsOf(Value storage) {
  SmallVector<Value> views{storage};
  for (size_t i = 0; i < views.size(); ++i)
    for (Operation *user : views[i].getUsers())
      if (readsNothing(user) && user->getOperand(0) == views[i])
        views.push_back(user->getResult(0));
  return views;
}

} // namespace graphc
