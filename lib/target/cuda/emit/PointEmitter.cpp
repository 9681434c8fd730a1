// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cuda/emit/PointEmitter.h"

#include "lib/target/cuda/emit/Threads.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace graphc {

PointEmitter::PointEmitter(KernelBuilder &b, const LoopNest &nest,
                           llvm::function_ref<TensorView(Value)> captured)
    : b(b), nest(nest), op(nest.op), captured(captured),
      sizes(op.getStaticLoopRanges()), indices(sizes.size()) {
  for (auto [dim, type] : llvm::enumerate(op.getIteratorTypesArray()))
    (type == utils::IteratorType::reduction ? reductionDims : parallelDims)
        .push_back(dim);
}

int64_t PointEmitter::steps(ArrayRef<unsigned> dims) const {
  int64_t product = 1;
  for (unsigned dim : dims)
    product *= sizes[dim];
  return product;
}

void PointEmitter::enter(ArrayRef<unsigned> dims, Value number) {
  int64_t count = steps(dims), left = count;
  for (unsigned dim : llvm::reverse(dims)) {
    indices[dim] =
        sizes[dim] == left ? number : fastRem(b, number, sizes[dim], count);
    number = fastDiv(b, number, sizes[dim], count);
    left /= sizes[dim];
  }
}

Value PointEmitter::address(OpOperand &operand, const TensorView &view) {
  AffineExpr offset = getAffineConstantExpr(0, b.getContext());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [expr, stride] : llvm::zip(map.getResults(), view.strides))
    offset = offset + expr * stride;
  return affine::expandAffineExpr(b, b.getLoc(), offset, indices, {});
}

Value PointEmitter::load(OpOperand &operand) {
  const TensorView &view = nest.operands[operand.getOperandNumber()];
  if (view.uniform)
    return view.uniform;
  return memref::LoadOp::create(b, view.buffer, address(operand, view));
}

PointEmitter::Values PointEmitter::initials() {
  Values values;
  for (OpOperand &init : op.getDpsInitsMutable())
    values.push_back(load(init));
  return values;
}

PointEmitter::Values PointEmitter::compute(ArrayRef<Value> accumulators,
                                           OpOperand *held, Value value) {
  Values arguments;
  for (OpOperand &operand : op->getOpOperands())
    if (&operand == held)
      arguments.push_back(value);
    else if (op.isDpsInit(&operand) && !accumulators.empty())
      arguments.push_back(
          accumulators[operand.getOperandNumber() - op.getNumDpsInputs()]);
    else
      arguments.push_back(
          op.payloadUsesValueFromOperand(&operand) ? load(operand) : Value());
  return inlineBody(
      b, op, arguments, [&](unsigned dim) { return indices[dim]; }, captured);
}

void PointEmitter::store(ArrayRef<Value> values) {
  for (auto [init, view, value] :
       llvm::zip(op.getDpsInitsMutable(), nest.results, values))
    memref::StoreOp::create(b, value, view.buffer, address(init, view));
}

} // namespace graphc
