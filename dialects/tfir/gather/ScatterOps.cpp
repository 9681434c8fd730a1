// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes at computed places: types, how two elements are combined, code for
// targets that write whole tensors.
#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/gather/Segments.h"
#include "dialects/tfir/gather/StableOrder.h"
#include "dialects/tfir/gather/TfirScatterOps.h"
#include "dialects/tfir/ops/ScalarFormula.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graphc::tfir;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirScatterOps.cpp.inc"

//===-- Elements ----------------------------------------------------------===//

bool graphc::tfir::replacesRows(Operation *op) {
  return isa<ScatterUpdateOp>(op);
}

template <typename FloatOp, typename IntOp>
static Value floatOrInt(OpBuilder &b, Location loc, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return FloatOp::create(b, loc, x, y);
  return IntOp::create(b, loc, x, y);
}

Value graphc::tfir::combineElements(Operation *op, OpBuilder &b, Location loc,
                                    Value old, Value update) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ScatterAddOp) {
        return floatOrInt<arith::AddFOp, arith::AddIOp>(b, loc, old, update);
      })
      .Case([&](ScatterSubOp) {
        return floatOrInt<arith::SubFOp, arith::SubIOp>(b, loc, old, update);
      })
      .Case([&](ScatterMulOp) {
        return floatOrInt<arith::MulFOp, arith::MulIOp>(b, loc, old, update);
      })
      .Case([&](ScatterDivOp) {
        return isFloat(old)
                   ? Value(arith::DivFOp::create(b, loc, old, update))
                   : divideIntegers(b, loc, old, update, /*isUnsigned=*/false);
      })
      .Case([&](ScatterMinOp) {
        return floatOrInt<arith::MinimumFOp, arith::MinSIOp>(b, loc, old,
                                                             update);
      })
      .Case([&](ScatterMaxOp) {
        return floatOrInt<arith::MaximumFOp, arith::MaxSIOp>(b, loc, old,
                                                             update);
      })
      .Default([&](Operation *) { return update; });
}

//===-- Values ------------------------------------------------------------===//

namespace {

LogicalResult inferScatter(Operation *op, SmallVectorImpl<Type> &types) {
  RankedTensorType ref = tensorType(op->getOperand(0));
  RankedTensorType ids = tensorType(op->getOperand(1));
  RankedTensorType updates = tensorType(op->getOperand(2));
  if (ref.getRank() == 0) // (C1)
    return op->emitOpError()
           << "ref has type " << ref
           << ", expected a dimension that indices count along";
  SmallVector<int64_t> want(ids.getShape());
  llvm::append_range(want, ref.getShape().drop_front());
  if (updates.getElementType() != ref.getElementType() ||
      failed(verifyCompatibleShape(want, updates.getShape()))) // (C2)
    return op->emitOpError()
           << "updates have type " << updates
           << ", but ref and indices ask for " << ref.clone(want);
  if (ids.hasStaticShape() && ids.getNumElements() > kMaxSorted) // (C3)
    return op->emitOpError()
           << "replaces " << ids.getNumElements() << " slices, at most "
           << kMaxSorted << " are possible; split them";
  types.push_back(ref);
  return success();
}

/// For targets that write whole tensors: each row looks for its updates.
SmallVector<Value> lowerScatter(Operation *op, OpBuilder &b,
                                ValueRange operands) {
  Location loc = op->getLoc();
  RankedTensorType type = tensorType(operands[0]);
  int64_t count = tensorType(operands[1]).getNumElements();
  if (count == 0 || type.getNumElements() == 0)
    return {operands[0]};
  int64_t rank = type.getRank();
  int64_t size = type.getNumElements() / type.getDimSize(0);
  Segments segments = segmentsOf(b, loc, operands[1], type.getDimSize(0));
  Value flat = inShape(b, loc, operands[2], {count * size});
  SmallVector<int64_t> strides = computeSuffixProduct(type.getShape());
  AffineMap maps[] = {b.getMultiDimIdentityMap(rank),
                      b.getMultiDimIdentityMap(rank)};
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value row = linalg::IndexOp::create(b, loc, 0), within = index(b, loc, 0);
    for (int64_t i = 1; i < rank; ++i)
      within = arith::AddIOp::create(
          b, loc, within,
          arith::MulIOp::create(b, loc, linalg::IndexOp::create(b, loc, i),
                                index(b, loc, strides[i])));
    Value next = arith::AddIOp::create(b, loc, row, index(b, loc, 1));
    Value from = tensor::ExtractOp::create(b, loc, segments.starts, row);
    Value end = tensor::ExtractOp::create(b, loc, segments.starts, next);
    // The element of an update, by its place in the order of all.
    auto updateAt = [&](OpBuilder &b, Value place) -> Value {
      Value slice = tensor::ExtractOp::create(
          b, loc, segments.order,
          ValueRange{index(b, loc, 0), toIndex(b, loc, place)});
      Value at = arith::AddIOp::create(
          b, loc,
          arith::MulIOp::create(b, loc, toIndex(b, loc, slice),
                                index(b, loc, size)),
          within);
      return tensor::ExtractOp::create(b, loc, flat, at);
    };
    if (replacesRows(op)) {
      // Inside, even when there is none.
      Value last = arith::MaxSIOp::create(
          b, loc, arith::SubIOp::create(b, loc, end, number32(b, loc, 1)),
          number32(b, loc, 0));
      Value update = updateAt(b, last);
      Value isNone =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, from, end);
      return SmallVector<Value>{
          arith::SelectOp::create(b, loc, isNone, args[0], update)};
    }
    auto loop = scf::ForOp::create(b, loc, from, end, number32(b, loc, 1),
                                   ValueRange{args[0]});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value update = updateAt(b, loop.getInductionVar());
    scf::YieldOp::create(
        b, loc, combineElements(op, b, loc, loop.getRegionIterArg(0), update));
    return SmallVector<Value>{loop.getResult(0)};
  };
  return {buildGeneric(b, loc, operands[0], emptyTensor(b, loc, type), maps,
                       rank, {}, body)
              .getResult(0)};
}

} // namespace

#define GRAPHC_SCATTER(OP)                                                     \
  LogicalResult OP::inferTypes(SmallVectorImpl<Type> &types) {                 \
    return inferScatter(*this, types);                                         \
  }                                                                            \
  bool OP::gathersOperands() { return true; }                                  \
  bool OP::keepsRows() { return false; }                                       \
  SmallVector<Value> OP::lowerToLinalg(OpBuilder &b, ValueRange operands) {    \
    return lowerScatter(*this, b, operands);                                   \
  }

GRAPHC_SCATTER(ScatterUpdateOp)
GRAPHC_SCATTER(ScatterAddOp)
GRAPHC_SCATTER(ScatterSubOp)
GRAPHC_SCATTER(ScatterMulOp)
GRAPHC_SCATTER(ScatterDivOp)
GRAPHC_SCATTER(ScatterMinOp)
GRAPHC_SCATTER(ScatterMaxOp)
