// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over lanes, and indices that differ between lanes.
#include "lib/target/common/Lanes.h"

#include "lib/target/common/fused/VectorizeBody.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace graphc {

/// Integer division by the zero of a lane beyond the end traps.
static bool dividesSafely(Operation &op) {
  return !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
              arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(
             op) ||
         matchPattern(op.getOperand(1), m_Constant());
}

bool canUseLanes(linalg::GenericOp op) {
  return canVectorizeBody(op) && llvm::all_of(*op.getBody(), dividesSafely);
}

Operation *combinerOf(linalg::GenericOp op, unsigned result) {
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), result, combiners) ||
      combiners.size() != 1 || !arith::getNeutralElement(combiners.front()))
    return nullptr;
  return combiners.front();
}

bool hasCombiners(linalg::GenericOp op) {
  return llvm::all_of(llvm::seq(op->getNumResults()), [&](unsigned result) {
    return combinerOf(op, result) != nullptr;
  });
}

Value neutralLanes(KernelBuilder &b, Operation *combiner) {
  TypedAttr scalar = *arith::getNeutralElement(combiner);
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(lanesOf(scalar.getType()),
                                cast<Attribute>(scalar)));
}

Value combine(KernelBuilder &b, Operation *combiner, Value x, Value y) {
  OperationState state(b.getLoc(), combiner->getName());
  state.addOperands({x, y});
  state.addTypes(x.getType());
  state.addAttributes(combiner->getAttrs());
  return b.OpBuilder::create(state)->getResult(0);
}

static Value shuffle(KernelBuilder &b, Value vector, int64_t from,
                     int64_t count) {
  auto lanes = llvm::to_vector(llvm::seq(from, from + count));
  return vector::ShuffleOp::create(b, vector, vector, lanes);
}

Value combineLanes(KernelBuilder &b, Operation *combiner,
                   SmallVector<Value> vectors) {
  for (; vectors.size() > 1; vectors.resize(vectors.size() / 2))
    for (size_t i = 0, half = vectors.size() / 2; i < half; ++i)
      vectors[i] = combine(b, combiner, vectors[i], vectors[i + half]);
  Value vector = vectors.front();
  for (int64_t half = kLanes / 2; half > 0; half /= 2)
    vector = combine(b, combiner, shuffle(b, vector, 0, half),
                     shuffle(b, vector, half, half));
  return vector::ExtractOp::create(b, vector, 0);
}

VectorType lanesOf(Type element) { return VectorType::get({kLanes}, element); }

Value integerConstant(KernelBuilder &b, Type type, int64_t value) {
  TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, cast<Attribute>(attr));
  return arith::ConstantOp::create(b, attr);
}

Value laneNumbers(KernelBuilder &b, Value base, int64_t offset, int64_t limit) {
  Type type = limit < (int64_t(1) << 31) ? b.getI32Type() : b.getI64Type();
  SmallVector<Attribute> lanes;
  for (int64_t i = 0; i < kLanes; ++i)
    lanes.push_back(b.getIntegerAttr(type, offset + i));
  Value start = vector::BroadcastOp::create(
      b, lanesOf(type), arith::IndexCastOp::create(b, type, base));
  return arith::AddIOp::create(
      b, start,
      arith::ConstantOp::create(b,
                                DenseElementsAttr::get(lanesOf(type), lanes)));
}

} // namespace graphc
