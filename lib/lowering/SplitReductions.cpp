// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits large reductions in two, so that the first can be computed in
// independent parts and fused with what makes its operand:
//
//   sum x : [N] -> []            ->  sum (reshape x : [P, L]) {axes = [1]} :
//   [P]
//                                    sum of that : []
//   sum x {axes = [0]} : [N, C]  ->  the same with [P, N / P, C]
//   sum x {axes = [0, 1]} : [B, N, C]  ->  axis 1, then axis 0
//
// P depends on shapes alone, so the numbers do not depend on the machine. A
// reshape moves up through elementwise ops that have no other use.
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/target/Target.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_SPLITREDUCTIONSPASS
#include "graphc/Passes.h.inc"

namespace {

/// Smaller reductions are one small kernel.
constexpr int64_t kSmallReduction = 16384;
/// A part should be worth a few microseconds.
constexpr int64_t kPartElements = 8192;
constexpr int64_t kMaxParts = 1024;
/// Lanes of the vectors that a part is made of.
constexpr int64_t kPartAlignment = 64;

/// A divisor of `count` near `wanted`, preferably such that the parts are whole
/// vectors; 1 when there is none.
int64_t chooseParts(int64_t count, int64_t wanted) {
  int64_t best = 1, bestAligned = 1;
  for (int64_t parts = 2; parts <= std::min(2 * wanted, kMaxParts); ++parts) {
    if (count % parts)
      continue;
    best = parts;
    if ((count / parts) % kPartAlignment == 0)
      bestAligned = parts;
  }
  return bestAligned > 1 ? bestAligned : best;
}

bool isScalarLike(Value value) {
  return tensorType(value).getNumElements() == 1;
}

/// A number, which may be a tensor of 1x1x1, for an op whose result has `rank`.
Value withRankAtMost(OpBuilder &b, Value number, size_t rank) {
  RankedTensorType type = tensorType(number);
  if (type.getRank() <= static_cast<int64_t>(rank))
    return number;
  return ReshapeOp::create(b, number.getLoc(), type.clone(ArrayRef<int64_t>()),
                           number);
}

/// `value` with the shape of `shape`; an elementwise op without other use takes
/// the shape over.
Value reshaped(OpBuilder &b, Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorType(value);
  RankedTensorType target = type.clone(shape);
  Operation *op = value.getDefiningOp();
  bool movesUp = op && isa<Elementwise>(op) && op->hasOneUse() &&
                 llvm::all_of(op->getOperands(), [&](Value operand) {
                   return isScalarLike(operand) ||
                          tensorType(operand).getShape() == type.getShape();
                 });
  if (!movesUp)
    return ReshapeOp::create(b, value.getLoc(), target, value);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isScalarLike(operand)
                           ? withRankAtMost(b, operand, shape.size())
                           : reshaped(b, operand, shape));
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(target);
  return copy->getResult(0);
}

template <typename Op>
Op reduce(OpBuilder &b, Op like, Type type, Value x, ArrayRef<int64_t> axes) {
  auto op = Op::create(b, like.getLoc(), type, x, b.getDenseI64ArrayAttr(axes),
                       UnitAttr());
  copyNodeAttrs(like, op);
  return op;
}

template <typename Op> void replaceInTwo(OpBuilder &b, Op op, Value partial) {
  RankedTensorType type = tensorType(partial);
  RankedTensorType last = type.clone(type.getShape().drop_front());
  Value result = reduce(b, op, last, partial, {0}).getY();
  if (result.getType() != op.getY().getType())
    result = ReshapeOp::create(b, op.getLoc(), op.getY().getType(), result);
  op.replaceAllUsesWith(result);
  op.erase();
}

/// mean -> sum * 1/n, whose sum can be split.
SumOp replaceBySum(MeanOp op) {
  OpBuilder b(op);
  RankedTensorType type = tensorType(op.getY());
  double count = static_cast<double>(tensorType(op.getX()).getNumElements()) /
                 static_cast<double>(type.getNumElements());
  auto sum = SumOp::create(b, op.getLoc(), type, op.getX(), op.getAxesAttr(),
                           op.getKeepDimsAttr());
  copyNodeAttrs(op, sum);
  Value factor =
      splat(b, op.getLoc(), RankedTensorType::get({}, type.getElementType()),
            1 / count);
  op.replaceAllUsesWith(
      MulOp::create(b, op.getLoc(), type, sum, factor).getZ());
  op.erase();
  return sum;
}

template <typename Op> void split(Op op) {
  RankedTensorType type = tensorType(op.getX());
  int64_t count = type.getNumElements();
  if (count <= kSmallReduction)
    return;
  SmallVector<int64_t> axes = *normalizeAxes(op, op.getAxes(), type.getRank());
  OpBuilder b(op);
  int64_t wanted = std::max<int64_t>(count / kPartElements, 8);
  if (static_cast<int64_t>(axes.size()) == type.getRank()) {
    int64_t parts = chooseParts(count, wanted);
    if (parts == 1)
      return;
    SmallVector<int64_t> shape{parts, count / parts};
    Value x = reshaped(b, op.getX(), shape);
    return replaceInTwo(b, op,
                        reduce(b, op, type.clone({parts}), x, {1}).getY());
  }
  bool leading = true;
  for (auto [i, axis] : llvm::enumerate(axes))
    leading &= axis == static_cast<int64_t>(i);
  if (!leading)
    return;
  ArrayRef<int64_t> kept = type.getShape().drop_front(axes.size());
  int64_t columns = ShapedType::getNumElements(kept);
  int64_t rows = count / columns;
  int64_t first = type.getDimSize(0);
  // Few rows are summed column by column in one go.
  if (rows < 256)
    return;
  int64_t parts = axes.size() > 1 && first >= 8 && first <= 256
                      ? first
                      : chooseParts(rows, std::min<int64_t>(wanted, 64));
  if (parts == 1)
    return;
  SmallVector<int64_t> shape{parts, rows / parts, columns};
  Value x = reshaped(b, op.getX(), shape);
  replaceInTwo(b, op,
               reduce(b, op, type.clone({parts, columns}), x, {1}).getY());
}

struct SplitReductionsPass
    : impl::SplitReductionsPassBase<SplitReductionsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    for (auto graph : getOperation().getOps<GraphOp>())
      if (targetOf(graph).splitsReductions())
        for (Operation &op : graph.getBlock())
          if (isa<SumOp, MaxOp, MinOp, MeanOp>(op))
            ops.push_back(&op);
    for (Operation *op : ops) {
      if (auto mean = dyn_cast<MeanOp>(op)) {
        if (tensorType(mean.getX()).getNumElements() > kSmallReduction)
          split(replaceBySum(mean));
      } else if (auto sum = dyn_cast<SumOp>(op))
        split(sum);
      else if (auto max = dyn_cast<MaxOp>(op))
        split(max);
      else
        split(cast<MinOp>(op));
    }
  }
};

} // namespace
} // namespace graphc
