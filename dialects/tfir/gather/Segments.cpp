// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/tfir/gather/Segments.h"

#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/gather/StableOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace graphc::tfir {

Value index(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value zeroOf(OpBuilder &b, Location loc, Type element) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
}

Value inShape(OpBuilder &b, Location loc, Value tensor,
              ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorType(tensor);
  if (type.getShape() == shape)
    return tensor;
  RankedTensorType flat = type.clone({type.getNumElements()});
  auto all = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups;
    if (rank)
      groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    return groups;
  };
  if (type.getRank() == 0)
    tensor = tensor::ExpandShapeOp::create(b, loc, flat, tensor, all(0));
  else if (type.getRank() > 1)
    tensor = tensor::CollapseShapeOp::create(b, loc, flat, tensor,
                                             all(type.getRank()));
  if (shape.size() == 1)
    return tensor;
  return tensor::ExpandShapeOp::create(b, loc, type.clone(shape), tensor,
                                       all(shape.size()));
}

Value number32(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

Value toIndex(OpBuilder &b, Location loc, Value value) {
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
}

Value lowerBound(OpBuilder &b, Location loc, Value sorted, Value segment) {
  int64_t count = tensorType(sorted).getDimSize(1);
  Value zero = number32(b, loc, 0), one = number32(b, loc, 1);
  Value steps =
      number32(b, loc, static_cast<int64_t>(llvm::Log2_64_Ceil(count + 1)));
  auto loop = scf::ForOp::create(b, loc, zero, steps, one,
                                 ValueRange{zero, number32(b, loc, count)});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value low = loop.getRegionIterArg(0), high = loop.getRegionIterArg(1);
  Value middle = arith::ShRUIOp::create(
      b, loc, arith::AddIOp::create(b, loc, low, high), one);
  // Inside, even when nothing is left to search.
  Value at =
      arith::MinSIOp::create(b, loc, middle, number32(b, loc, count - 1));
  Value id = tensor::ExtractOp::create(
      b, loc, sorted, ValueRange{index(b, loc, 0), toIndex(b, loc, at)});
  Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                      toIndex(b, loc, id), segment);
  Value isOpen =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, low, high);
  Value up = arith::AndIOp::create(b, loc, isOpen, below);
  Value next = arith::AddIOp::create(b, loc, middle, one);
  Value end = arith::MinSIOp::create(b, loc, middle, high);
  scf::YieldOp::create(
      b, loc,
      ValueRange{arith::SelectOp::create(b, loc, up, next, low),
                 arith::SelectOp::create(b, loc, below, high, end)});
  return loop.getResult(0);
}

Segments segmentsOf(OpBuilder &b, Location loc, Value ids, int64_t count) {
  Value keys = inShape(b, loc, ids, {1, tensorType(ids).getNumElements()});
  SortedRows sorted = sortRows(
      b, loc, keys, [](OpBuilder &b, Location loc, Value x, Value y) -> Value {
        return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, x, y);
      });
  Value starts = buildFromIndices(
      b, loc, RankedTensorType::get({count + 1}, b.getI32Type()),
      [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
        return lowerBound(b, loc, sorted.keys, at[0]);
      });
  return {sorted.places, starts};
}

} // namespace graphc::tfir
