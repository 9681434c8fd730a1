// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of ops on variables and datasets, and of those that belong to
// devices.
#include "dialects/tfir/Names.h"
#include "dialects/tfir/ops/checks/TfirCheckOps.h"
#include "lib/interpreter/Frame.h"

#include <cmath>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

/// False for variables that have no average.
bool isTrained(ReadOp op) {
  auto variable = SymbolTable::lookupNearestSymbolFrom<VariableOp>(
      op, op.getVariableAttr());
  return !variable ||
         (variable.getTrainable() &&
          isa<FloatType>(variable.getTensorType().getElementType()));
}

LogicalResult read(ReadOp op, Frame &frame) {
  std::string name = op.getVariable().str();
  std::string average = name + "/" + kAverageSuffix.str();
  if (op.getAverage() && (frame.hasVariable(average) || isTrained(op)))
    name = average;
  if (!frame.hasVariable(name))
    return op.emitOpError() << "reads '" << name
                            << "', which has no value yet; initialize first";
  frame.set(op.getValue(), Tensor(frame.variable(name)));
  return success();
}

Element sum(ElementKind kind, const Element &x, const Element &y, int sign) {
  if (isFloat(kind)) {
    FloatMath math(kind);
    return sign > 0 ? math.add(x, y) : math.sub(x, y);
  }
  return wrap(
      kind, Element::of(x.integer + sign * y.integer, x.isKnown && y.isKnown));
}

template <typename Op> LogicalResult assignSum(Op op, Frame &frame, int sign) {
  Tensor &variable = frame.variable(op.getVariable());
  const Tensor &value = frame.get(op.getValue());
  for (auto [element, term] : llvm::zip(variable.elements, value.elements))
    element = sum(variable.kind, element, term, sign);
  return success();
}

LogicalResult apply(ApplyOp op, Frame &frame) {
  llvm::SmallVector<Tensor *> slots;
  if (ArrayAttr names = op.getSlotsAttr())
    for (auto name : names.getAsRange<FlatSymbolRefAttr>())
      slots.push_back(&frame.variable(name.getValue()));
  Element one = Element::exact(1);
  const Element &when =
      op.getWhen() ? frame.get(op.getWhen()).elements[0] : one;
  if (when.isPoint() && when.value == 0)
    return success();
  llvm::SmallVector<Tensor *> all(slots);
  all.push_back(&frame.variable(op.getVariable()));
  llvm::SmallVector<Tensor> before;
  for (Tensor *tensor : all)
    before.push_back(*tensor);
  applyOptimizer(op.getOptimizer(), *all.back(), frame.get(op.getGradient()),
                 frame.get(op.getRate()).elements[0], slots);
  if (when.isPoint())
    return success();
  // Rounding decides whether there is an update.
  bool isDone = when.value != 0;
  for (auto [tensor, old] : llvm::zip(all, before))
    for (auto [element, was] : llvm::zip(tensor->elements, old.elements))
      element = isDone ? hull(element, was) : hull(was, element);
  return success();
}

/// average -= (1 - decay) * (average - variable)
LogicalResult updateAverage(UpdateAverageOp op, Frame &frame) {
  Tensor &average = frame.variable(op.getAverage());
  const Tensor &variable = frame.variable(op.getVariable());
  FloatMath math(average.kind);
  Element share =
      FloatMath(ElementKind::F32)
          .sub(Element::exact(1), frame.get(op.getDecay()).elements[0]);
  for (auto [a, w] : llvm::zip(average.elements, variable.elements))
    a = math.sub(a, math.mul(math.sub(a, w), share));
  return success();
}

LogicalResult next(NextOp op, Frame &frame) {
  if (op.getShards() != 1)
    return op.emitOpError() << "takes a part of a batch; interpret the module "
                               "at phase 'differentiated' or before";
  if (!frame.options().nextBatch)
    return op.emitOpError() << "needs data, and none is bound to dataset '"
                            << op.getDataset() << "'";
  int64_t rows =
      cast<RankedTensorType>(op.getResult(0).getType()).getDimSize(0);
  std::optional<std::vector<Tensor>> batch =
      frame.options().nextBatch(op.getDataset(), rows);
  if (!batch) {
    frame.dataEnded = true;
    return success();
  }
  for (auto [result, tensor] : llvm::zip_equal(op->getResults(), *batch))
    frame.set(result, std::move(tensor));
  return success();
}

/// The ops of a scope, then its results.
LogicalResult deviceScope(DeviceOp op, Frame &frame) {
  Block &body = op.getBody().front();
  for (Operation &inner : body.without_terminator())
    if (failed(frame.execute(&inner)))
      return failure();
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands()))
    frame.set(result, Tensor(frame.get(value)));
  return success();
}

LogicalResult check(AssertOp op, Frame &frame) {
  const Element &condition = frame.get(op.getCondition()).elements[0];
  if (condition.isKnown && condition.integer == 0)
    return op.emitOpError() << "fails: " << op.getMessage();
  return success();
}

template <typename Op> LogicalResult copy(Op op, Frame &frame) {
  frame.set(op.getY(), Tensor(frame.get(op->getOperands().back())));
  return success();
}

LogicalResult checkNumerics(CheckNumericsOp op, Frame &frame) {
  for (const Element &element : frame.get(op.getX()).elements)
    if (element.isPoint() && !std::isfinite(element.value))
      return op.emitOpError() << "fails: " << op.getMessage()
                              << " : Tensor had NaN or Inf values";
  return copy(op, frame);
}

} // namespace

void addStateOps(OpTable &table) {
  table.add<ReadOp>(read);
  table.add<AssignOp>([](AssignOp op, Frame &frame) {
    frame.variable(op.getVariable()) = frame.get(op.getValue());
    return success();
  });
  table.add<AssignAddOp>(
      [](AssignAddOp op, Frame &frame) { return assignSum(op, frame, 1); });
  table.add<AssignSubOp>(
      [](AssignSubOp op, Frame &frame) { return assignSum(op, frame, -1); });
  table.add<ApplyOp>(apply);
  table.add<UpdateAverageOp>(updateAverage);
  table.add<NextOp>(next);
  table.add<DeviceOp>(deviceScope);
  table.add<DebugSleepOp>(copy<DebugSleepOp>);
  table.add<AllReduceOp>(copy<AllReduceOp>); // its last operand is the sum
  table.add<DebugFailOp>([](DebugFailOp op, Frame &) {
    return op.emitOpError() << "fails the step: " << op.getText();
  });
  table.add<AssertOp>(check);
  table.add<CheckNumericsOp>(checkNumerics);
  table.add<PrintOp>(copy<PrintOp>); // the reference shows nothing
}

} // namespace graphc::interpreter
