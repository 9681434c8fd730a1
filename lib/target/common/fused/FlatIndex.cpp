// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop indices from the row and the column. An op whose outer loops are the
// rows gets them from the row, a scalar, and the inner ones from the column;
// one that numbers the elements itself gets the number of the element. Counters
// of random numbers come out as (multiple of 64) + constant per vector, from
// which LLVM sees that the vectors of a block share them.
#include "lib/target/common/fused/FlatIndex.h"

#include "lib/target/common/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace graphc {
namespace {

/// Index `dim` of the loops `group`, whose steps are numbered by `number`.
Value indexIn(KernelBuilder &b, linalg::GenericOp op, ArrayRef<unsigned> group,
              unsigned dim, Value number) {
  auto sizes = op.getStaticLoopRanges();
  int64_t stride = 1;
  for (unsigned other : llvm::reverse(group)) {
    if (other == dim)
      break;
    stride *= sizes[other];
  }
  Type type = number.getType();
  if (stride != 1)
    number =
        arith::DivUIOp::create(b, number, integerConstant(b, type, stride));
  if (group.front() != dim)
    number =
        arith::RemUIOp::create(b, number, integerConstant(b, type, sizes[dim]));
  return number;
}

Value asIndex(KernelBuilder &b, Value numbers) {
  Type type = b.getIndexType();
  if (isa<VectorType>(numbers.getType()))
    type = lanesOf(type);
  return arith::IndexCastUIOp::create(b, type, numbers);
}

/// Counts the outer `loops` of `flat` that walk over the rows; no value if none
/// of them ends with a row.
std::optional<size_t> countRowLoops(const FlatPlan &plan, const FlatOp &flat,
                                    ArrayRef<unsigned> loops) {
  if (flat.space == Space::Row)
    return loops.size();
  if (flat.space != Space::Full)
    return 0;
  linalg::GenericOp op = flat.op;
  auto sizes = op.getStaticLoopRanges();
  int64_t product = 1;
  size_t count = 0;
  while (count < loops.size() && product < plan.rows)
    product *= sizes[loops[count++]];
  return product == plan.rows ? std::optional<size_t>(count) : std::nullopt;
}

} // namespace

/// Index `dim` where `numbers` makes of an element's number what is divided.
static Value indexAt(KernelBuilder &b, const FlatPlan &plan, const FlatOp &flat,
                     unsigned dim, Value row, Value column,
                     llvm::function_ref<Value(Value)> numbers) {
  SmallVector<unsigned> loops = longLoops(flat.op);
  if (!llvm::is_contained(loops, dim))
    return b.constant(0);
  std::optional<size_t> rowLoops = countRowLoops(plan, flat, loops);
  if (!rowLoops) {
    Value element = b.add(b.mul(row, plan.columns), column);
    return asIndex(b, indexIn(b, flat.op, loops, dim, numbers(element)));
  }
  auto rowGroup = ArrayRef(loops).take_front(*rowLoops);
  auto columnGroup = ArrayRef(loops).drop_front(*rowLoops);
  if (llvm::is_contained(rowGroup, dim))
    return indexIn(b, flat.op, rowGroup, dim, row);
  return asIndex(b, indexIn(b, flat.op, columnGroup, dim, numbers(column)));
}

Value flatIndex(KernelBuilder &b, const FlatPlan &plan, const FlatOp &flat,
                unsigned dim, FlatPosition at) {
  return indexAt(b, plan, flat, dim, at.row, at.column, [&](Value base) {
    return laneNumbers(b, base, at.offset, plan.rows * plan.columns);
  });
}

Value flatElementIndex(KernelBuilder &b, const FlatPlan &plan,
                       const FlatOp &flat, unsigned dim, Value row,
                       Value column) {
  bool fits = plan.rows * plan.columns < (int64_t(1) << 31);
  Type type = fits ? b.getI32Type() : b.getI64Type();
  return indexAt(b, plan, flat, dim, row, column, [&](Value base) {
    return arith::IndexCastOp::create(b, type, base).getResult();
  });
}

} // namespace graphc
