// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/common/DimensionCollapse.h"

#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

static bool isScalarLike(Value value) {
  return tensorType(value).getNumElements() == 1;
}

DimensionCollapse findCollapse(func::FuncOp kernel) {
  DimensionCollapse result;
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!isa<ConstOp>(op))
      ops.push_back(&op);
  if (ops.empty())
    return result;
  // The shape of the elementwise part.
  std::optional<SmallVector<int64_t>> shape;
  SmallVector<SumOp> sums;
  for (Operation *op : ops) {
    if (auto sum = dyn_cast<SumOp>(op)) {
      sums.push_back(sum);
      continue;
    }
    if (!isa<Elementwise>(op))
      return result;
    SmallVector<int64_t> own(tensorType(op->getResult(0)).getShape());
    if (shape && *shape != own)
      return result;
    shape = own;
  }
  bool leading = !sums.empty(), trailing = !sums.empty();
  for (SumOp sum : sums) {
    int64_t rank = tensorType(sum.getX()).getRank();
    SmallVector<int64_t> axes = *normalizeAxes(sum, sum.getAxes(), rank);
    SmallVector<int64_t> to(tensorType(sum.getY()).getShape());
    SmallVector<int64_t> from(tensorType(sum.getX()).getShape());
    // Merged tensors are told apart by their number of elements.
    if (ShapedType::getNumElements(from) == ShapedType::getNumElements(to))
      return result;
    leading &= axes.back() == static_cast<int64_t>(axes.size()) - 1 &&
               !sum.getKeepDims() && (!shape || *shape == to) && !to.empty() &&
               isa<BlockArgument>(sum.getX());
    trailing &= axes.front() == 1 && rank >= 2 && from.front() != 1 &&
                static_cast<int64_t>(axes.size()) == rank - 1 &&
                !sum.getKeepDims() && (!shape || *shape == from);
    if (!shape && sums.size() == 1)
      shape = leading ? to : from;
  }
  if (!shape)
    return result;
  // Operands of another shape, unless they are scalars, need their dimensions.
  for (Operation *op : ops)
    if (!isa<SumOp>(op))
      for (Value operand : op->getOperands())
        if (!isScalarLike(operand) &&
            tensorType(operand).getShape() != ArrayRef<int64_t>(*shape))
          return result;
  int64_t count = ShapedType::getNumElements(*shape);
  if (sums.empty())
    return {DimensionCollapse::Kind::All, count, 0};
  if (leading)
    return {DimensionCollapse::Kind::Leading, count, 0};
  if (trailing)
    return {DimensionCollapse::Kind::Trailing, count / shape->front(),
            shape->front()};
  return result;
}

RankedTensorType DimensionCollapse::typeOf(RankedTensorType type) const {
  int64_t count = type.getNumElements();
  switch (kind) {
  case Kind::None:
    return type;
  case Kind::All:
    return type.clone(count == 1 && size != 1 ? ArrayRef<int64_t>()
                                              : ArrayRef(count));
  case Kind::Leading:
    if (count == size)
      return type.clone({count});
    if (count == 1)
      return type.clone(ArrayRef<int64_t>());
    return type.clone({count / size, size});
  case Kind::Trailing:
    if (count == size * outer)
      return type.clone({outer, size});
    if (count == 1 && outer != 1)
      return type.clone(ArrayRef<int64_t>());
    return type.clone({outer});
  }
  return type;
}

} // namespace graphc
