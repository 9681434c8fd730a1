// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks from the results back to the arguments: the loop that makes rows of an
// op's result tells which dimension of its operands is the row.
#include "lib/target/cpu/fused/RowKernel.h"

#include "lib/target/common/BodyReads.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace graphc {
namespace {

ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

/// The dimension of the tensor's root that dimension `dim` of `tensor` is.
std::optional<unsigned> rootDim(Value tensor, unsigned dim) {
  Value root = TensorKernel::root(tensor);
  if (shapeOf(root) == shapeOf(tensor))
    return dim;
  // A reshape keeps rows apart if they are the outermost dimension.
  if (dim == 0 && !shapeOf(root).empty() &&
      shapeOf(root)[0] == shapeOf(tensor)[0])
    return 0;
  return {};
}

/// Returns the position at which `map` uses loop `dim`, -1 if nowhere; no value
/// if it is used in a sum or twice.
std::optional<int> positionOf(AffineMap map, unsigned dim) {
  int position = -1;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    if (!isa<AffineDimExpr>(expr) || position >= 0)
      return {};
    position = i;
  }
  return position;
}

class Planner {
public:
  explicit Planner(TensorKernel &kernel) : kernel(kernel) {}

  std::optional<RowPlan> run() {
    Operation *ret = kernel.function().getBody().front().getTerminator();
    for (Value value : ret->getOperands()) {
      ArrayRef<int64_t> shape = shapeOf(value);
      if (shape.empty() || (plan.hasRows && shape[0] != plan.rows))
        return {};
      plan.rows = shape[0];
      plan.hasRows = true;
      auto dim = rootDim(value, 0);
      if (!dim)
        return {};
      plan.rowDim[TensorKernel::root(value)] = *dim;
    }
    if (plan.rows <= 1)
      return {};
    for (linalg::GenericOp op : llvm::reverse(kernel.ops()))
      if (!addOp(op))
        return {};
    return std::move(plan);
  }

private:
  bool isComputed(Value root) {
    return root.getDefiningOp<linalg::GenericOp>() && !kernel.uniform(root);
  }

  bool requireWhole(Value root) {
    if (isComputed(root))
      whole.insert(root);
    return !plan.rowDim.contains(root) && !kernel.isOverwritten(root);
  }

  bool requireRow(Value tensor, unsigned dim) {
    Value root = TensorKernel::root(tensor);
    auto inRoot = rootDim(tensor, dim);
    if (!isComputed(root))
      return !kernel.isOverwritten(root) || inRoot == 0;
    if (!inRoot || whole.contains(root))
      return false;
    return plan.rowDim.try_emplace(root, *inRoot).first->second == *inRoot;
  }

  bool addOp(linalg::GenericOp op) {
    std::optional<unsigned> loop;
    bool anyWhole = false;
    for (OpResult result : op->getResults()) {
      anyWhole |= whole.contains(result);
      auto found = plan.rowDim.find(result);
      if (found == plan.rowDim.end())
        continue;
      auto dim = dyn_cast<AffineDimExpr>(
          op.getIndexingMapMatchingResult(result).getResult(found->second));
      if (!dim || (loop && *loop != dim.getPosition()))
        return false;
      loop = dim.getPosition();
    }
    if (loop && anyWhole)
      return false;
    bool captures = llvm::all_of(bodyReads(op), [&](tensor::ExtractOp e) {
      return requireWhole(TensorKernel::root(e.getTensor()));
    });
    return captures && (loop ? addRowOp(op, *loop) : addWholeOp(op));
  }

  bool addWholeOp(linalg::GenericOp op) {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return requireWhole(TensorKernel::root(operand));
    });
  }

  bool addRowOp(linalg::GenericOp op, unsigned loop) {
    if (op.getIteratorTypesArray()[loop] != utils::IteratorType::parallel ||
        op.getStaticLoopRanges()[loop] != plan.rows)
      return false;
    plan.rowLoop[op] = loop;
    for (OpResult result : op->getResults()) {
      auto at = positionOf(op.getIndexingMapMatchingResult(result), loop);
      if (!at || *at < 0)
        return false;
      plan.rowDim[result] = *at;
    }
    for (OpOperand &operand : op->getOpOperands()) {
      Value root = TensorKernel::root(operand.get());
      auto at = positionOf(op.getMatchingIndexingMap(&operand), loop);
      bool needed = isComputed(root) || kernel.isOverwritten(root);
      if (!needed)
        continue;
      if (!at ||
          !(*at < 0 ? requireWhole(root) : requireRow(operand.get(), *at)))
        return false;
    }
    return true;
  }

  TensorKernel &kernel;
  RowPlan plan;
  llvm::DenseSet<Value> whole; ///< tensors that some op reads across rows
};

} // namespace

RowPlan planRows(TensorKernel &kernel) {
  return Planner(kernel).run().value_or(RowPlan());
}

} // namespace graphc
