// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of loops and choices: the body, step by step.
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/interpreter/Frame.h"

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

Tensor numberOf(int64_t step) {
  Tensor number;
  number.kind = ElementKind::I32;
  number.elements = {Element::of(step)};
  return number;
}

/// The slice of the first dimension.
Tensor sliceOf(const Tensor &whole, int64_t step) {
  Tensor slice;
  slice.kind = whole.kind;
  slice.shape.assign(whole.shape.begin() + 1, whole.shape.end());
  auto begin = whole.elements.begin() + step * slice.size();
  slice.elements.assign(begin, begin + slice.size());
  return slice;
}

/// Fails for draws, which would be the same in all steps.
LogicalResult requireNoDraws(Operation *op) {
  WalkResult result = op->walk([](RandomSource draw) {
    draw->emitOpError() << "draws other numbers in each step of a loop; "
                           "interpret the module at phase 'parsed'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult executeBody(Block &body, Frame &frame) {
  for (Operation &op : body.without_terminator())
    if (failed(frame.execute(&op)))
      return failure();
    else if (frame.dataEnded)
      break;
  return success();
}

LogicalResult scan(ScanOp op, Frame &frame) {
  if (failed(requireNoDraws(op)))
    return failure();
  std::vector<Tensor> carried,
      outputs(op.getNumResults() - op.getInits().size());
  for (Value init : op.getInits())
    carried.push_back(frame.get(init));
  Operation *yield = op.getBlock().getTerminator();
  for (int64_t step = 0; step < op.countSteps(); ++step) {
    frame.set(op.getNumber(), numberOf(step));
    for (auto [slice, input] : llvm::zip(op.getSlices(), op.getInputs()))
      frame.set(slice, sliceOf(frame.get(input), step));
    for (auto [argument, value] : llvm::zip(op.getCarried(), carried))
      frame.set(argument, value);
    if (failed(executeBody(op.getBlock(), frame)) || frame.dataEnded)
      return success(frame.dataEnded);
    for (auto [index, value] : llvm::enumerate(yield->getOperands())) {
      const Tensor &given = frame.get(value);
      if (index < carried.size())
        carried[index] = given;
      else
        llvm::append_range(outputs[index - carried.size()].elements,
                           given.elements);
    }
  }
  for (auto [result, value] : llvm::zip(op.getResults(), carried))
    frame.set(result, std::move(value));
  for (auto [result, output] :
       llvm::zip(op.getResults().drop_front(carried.size()), outputs))
    frame.setElements(result, std::move(output.elements));
  return success();
}

/// The side that is taken.
LogicalResult choose(IfOp op, Frame &frame) {
  const Element &condition = frame.get(op.getCondition()).elements[0];
  if (!condition.isKnown)
    return op.emitOpError() << "has a condition that rounding decides; "
                               "interpret the module at phase 'parsed'";
  Block &body =
      (condition.integer ? op.getThenBody() : op.getElseBody()).front();
  if (failed(executeBody(body, frame)))
    return failure();
  for (auto [result, value] :
       llvm::zip(op.getResults(), body.getTerminator()->getOperands()))
    frame.set(result, Tensor(frame.get(value)));
  return success();
}

/// Runs a body with these values for its arguments, and gives what it yields.
FailureOr<std::vector<Tensor>>
runKernelBody(Region &body, ArrayRef<Tensor> arguments, Frame &frame) {
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    frame.set(argument, value);
  // Not by Frame::execute: no run has the values of a kernel's inside, so that
  // nobody can observe them.
  for (Operation &op : body.front().without_terminator()) {
    const OpFunction *function =
        OpTable::get().find(op.getName().getStringRef());
    if (!function)
      return op.emitOpError() << "has no reference in lib/interpreter";
    if (failed((*function)(&op, frame)))
      return failure();
  }
  std::vector<Tensor> yielded;
  for (Value value : body.front().getTerminator()->getOperands())
    yielded.push_back(frame.get(value));
  return yielded;
}

/// Any value is right where rounding decides how often, or which, body runs.
void leaveUndecided(Tensor &tensor) {
  for (Element &element : tensor.elements)
    element = tensor.isFloat() ? Element::anything(element.value, element.slope)
                               : Element::of(element.integer, false);
}

LogicalResult loopWhile(WhileOp op, Frame &frame) {
  std::vector<Tensor> arguments(1);
  for (Value value : op->getOperands())
    arguments.push_back(frame.get(value));
  size_t carried = op.getInits().size();
  bool isDecided = true;
  for (int64_t step = 0; step < static_cast<int64_t>(op.getLimit()); ++step) {
    arguments[0] = numberOf(step);
    FailureOr<std::vector<Tensor>> holds =
        runKernelBody(op.getCondition(), arguments, frame);
    if (failed(holds))
      return failure();
    const Element &condition = holds->front().elements[0];
    isDecided &= condition.isKnown;
    if (!condition.integer)
      break;
    FailureOr<std::vector<Tensor>> next =
        runKernelBody(op.getBody(), arguments, frame);
    if (failed(next))
      return failure();
    std::move(next->begin(), next->end(), arguments.begin() + 1);
  }
  for (size_t i = 0; i < carried; ++i) {
    if (!isDecided)
      leaveUndecided(arguments[1 + i]);
    frame.set(op.getResult(i), std::move(arguments[1 + i]));
  }
  return success();
}

LogicalResult chooseOne(CondOp op, Frame &frame) {
  Element condition = frame.get(op.getCondition()).elements[0];
  std::vector<Tensor> arguments;
  for (Value value : op.getCaptures())
    arguments.push_back(frame.get(value));
  FailureOr<std::vector<Tensor>> yielded =
      runKernelBody(condition.integer ? op.getThenBody() : op.getElseBody(),
                    arguments, frame);
  if (failed(yielded))
    return failure();
  for (auto [result, value] : llvm::zip(op.getResults(), *yielded)) {
    if (!condition.isKnown)
      leaveUndecided(value);
    frame.set(result, std::move(value));
  }
  return success();
}

/// Once: what is computed again is the same.
LogicalResult recompute(RecomputeOp op, Frame &frame) {
  Block &body = op.getBody().front();
  if (failed(executeBody(body, frame)) || frame.dataEnded)
    return success(frame.dataEnded);
  for (auto [result, value] :
       llvm::zip(op.getResults(), body.getTerminator()->getOperands()))
    frame.set(result, Tensor(frame.get(value)));
  return success();
}

/// The body is for derivatives, which the reference follows forward.
LogicalResult customGradient(CustomGradientOp op, Frame &frame) {
  for (auto [result, value] : llvm::zip(op.getResults(), op.getValues()))
    frame.set(result, Tensor(frame.get(value)));
  return success();
}

LogicalResult barrier(OptimizationBarrierOp op, Frame &frame) {
  frame.set(op.getY(), Tensor(frame.get(op.getX())));
  return success();
}

} // namespace

void addControlOps(OpTable &table) {
  table.add<ScanOp>(scan);
  table.add<IfOp>(choose);
  table.add<WhileOp>(loopWhile);
  table.add<CondOp>(chooseOne);
  table.add<RecomputeOp>(recompute);
  table.add<CustomGradientOp>(customGradient);
  table.add<OptimizationBarrierOp>(barrier);
}

} // namespace graphc::interpreter
