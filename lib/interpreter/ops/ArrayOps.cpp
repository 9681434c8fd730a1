// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of ops that move elements, and of constants.
#include "dialects/tfir/Support.h"
#include "lib/interpreter/Gather.h"

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

LogicalResult reshape(ReshapeOp op, Frame &frame) {
  Tensor tensor = frame.get(op.getX());
  ArrayRef<int64_t> shape = op.getY().getType().getShape();
  tensor.shape.assign(shape.begin(), shape.end());
  frame.set(op.getY(), std::move(tensor));
  return success();
}

LogicalResult slice(SliceOp op, Frame &frame) {
  return gather(op.getY(), op.getX(), frame, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    for (auto [place, begin] : llvm::zip_equal(from, op.getBegin()))
      place += begin;
    return from;
  });
}

LogicalResult concat(ConcatOp op, Frame &frame) {
  Tensor tensor = Tensor::ofType(op.getY().getType());
  int64_t axis = static_cast<int64_t>(op.getAxis());
  if (axis < 0)
    axis += tensor.rank();
  int64_t begin = 0;
  for (Value x : op.getXs()) {
    const Tensor &from = frame.get(x);
    int64_t place = 0;
    forEachIndex(from.shape, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> to(index);
      to[axis] += begin;
      tensor.at(to) = from.elements[place++];
    });
    begin += from.shape[axis];
  }
  frame.set(op.getY(), std::move(tensor));
  return success();
}

LogicalResult broadcastTo(BroadcastToOp op, Frame &frame) {
  Tensor tensor = Tensor::ofType(op.getY().getType());
  const Tensor &from = frame.get(op.getX());
  int64_t place = 0;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> index) {
    tensor.elements[place++] = from.broadcastAt(index);
  });
  frame.set(op.getY(), std::move(tensor));
  return success();
}

LogicalResult transpose(TransposeOp op, Frame &frame) {
  return gather(op.getY(), op.getX(), frame, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index.size());
    for (auto [place, dim] : llvm::zip_equal(index, op.getPerm()))
      from[dim] = place;
    return from;
  });
}

LogicalResult oneHot(OneHotOp op, Frame &frame) {
  Tensor tensor = Tensor::ofType(op.getOutput().getType());
  const Tensor &indices = frame.get(op.getIndices());
  auto axis = static_cast<int64_t>(op.getAxis());
  axis += axis < 0 ? tensor.rank() : 0;
  int64_t place = 0;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    from.erase(from.begin() + axis);
    const Element &at = indices.at(from);
    Element value =
        numberOf(tensor.kind, at.integer == index[axis]
                                  ? op.getOnValue().convertToDouble()
                                  : op.getOffValue().convertToDouble());
    if (!at.isKnown)
      value = isFloat(tensor.kind) ? Element::anything(value.value)
                                   : Element::of(value.integer, false);
    tensor.elements[place++] = value;
  });
  frame.set(op.getOutput(), std::move(tensor));
  return success();
}

} // namespace

void addArrayOps(OpTable &table) {
  table.add<ConstOp>([](ConstOp op, Frame &frame) {
    frame.set(op.getOutput(), Tensor::ofAttr(op.getValue()));
    return success();
  });
  table.add<ReshapeOp>(reshape);
  table.add<SliceOp>(slice);
  table.add<ConcatOp>(concat);
  table.add<BroadcastToOp>(broadcastTo);
  table.add<TransposeOp>(transpose);
  table.add<OneHotOp>(oneHot);
}

} // namespace graphc::interpreter
