// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of tfir.gradients, tfir.minimize and tfir.ema. Derivatives are
// followed forward, one element after the other: slow, but independent of the
// rules by which the compiler differentiates.
#include "dialects/tfir/Names.h"
#include "dialects/tfir/ops/aggregate/TfirNormOps.h"
#include "dialects/tfir/ops/arrange/TfirMatrixOps.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "dialects/tfir/ops/random/TfirRandomOps.h"
#include "dialects/tfir/ops/recurrent/TfirRecurrentOps.h"
#include "lib/interpreter/BeforeUpdate.h"

#include <cmath>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

bool isAmong(MutableOperandRange operands, OpOperand &operand) {
  return llvm::any_of(operands,
                      [&](OpOperand &other) { return &other == &operand; });
}

/// False where the result of an op with several is made without the operand.
bool follows(OpResult result, OpOperand &operand) {
  unsigned to = result.getResultNumber(), from = operand.getOperandNumber();
  Operation *op = operand.getOwner();
  // The output gate and the projection make the output alone.
  if (auto cell = dyn_cast<LstmCellOp>(op))
    return to == 1 || (!isAmong(cell.getWODiagMutable(), operand) &&
                       !isAmong(cell.getWProjMutable(), operand));
  if (isa<FusedBatchNormOp>(op))
    return to == 0 || from == 0;
  if (isa<MeshgridOp>(op))
    return to == from;
  return true;
}

/// True where an op gives its operand a gradient by a result, as TensorFlow
/// defines it: steps and what is compared have none, and neither have labels.
bool passesGradient(OpResult result, OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<StopGradientOp, SignOp, FloorOp, CeilOp, RandomUniformLikeOp,
          RandomNormalLikeOp, TruncatedNormalLikeOp>(op))
    return false;
  if (isa<SoftmaxXentOp>(op) && operand.getOperandNumber() == 1)
    return false;
  // One number of linspace is where it begins.
  if (auto numbers = dyn_cast<LinspaceOp>(op);
      numbers && numbers.getNum() == 1 && operand.getOperandNumber() == 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  return type && isa<FloatType>(type.getElementType()) &&
         follows(result, operand);
}

bool isFloatValue(Value value) {
  return isa<FloatType>(
      cast<RankedTensorType>(value.getType()).getElementType());
}

/// The values that depend on `reads` by a way that has gradients.
DenseSet<Value> dependents(Operation *at, const Reads &reads) {
  DenseSet<Value> found(reads.begin(), reads.end());
  for (Operation &op : *at->getBlock()) {
    if (&op == at)
      break;
    SmallVector<Value> made;
    for (OpResult result : op.getResults())
      if (isFloatValue(result) &&
          llvm::any_of(op.getOpOperands(), [&](OpOperand &operand) {
            return found.contains(operand.get()) &&
                   passesGradient(result, operand);
          }))
        made.push_back(result);
    found.insert_range(made);
  }
  return found;
}

/// The ops above `at` that lie between the reads and y, in order.
SmallVector<Operation *> opsBetween(Operation *at, Value y,
                                    const Reads &reads) {
  DenseSet<Value> reachable = dependents(at, reads), needed = {y};
  SmallVector<Operation *> ops;
  for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode()) {
    bool lies = llvm::any_of(op->getResults(), [&](Value result) {
      return needed.contains(result) && reachable.contains(result) &&
             !llvm::is_contained(reads, result);
    });
    if (!lies)
      continue;
    ops.push_back(op);
    needed.insert_range(op->getOperands());
  }
  std::reverse(ops.begin(), ops.end());
  return ops;
}

/// Fails where there are loops, in whose bodies nothing is followed.
LogicalResult requireNoControl(Operation *at) {
  bool hasControl =
      llvm::any_of(at->getBlock()->getOps<ControlOpInterface>(),
                   [](Operation *op) { return !isa<CustomGradientOp>(op); });
  if (!hasControl && !at->getParentOfType<ControlOpInterface>())
    return success();
  return at->emitOpError() << "differentiates in a graph with loops; interpret "
                              "the module at phase 'parsed'";
}

LogicalResult gradients(GradientsOp op, Frame &frame) {
  if (failed(requireNoControl(op)))
    return failure();
  for (auto [x, result] : llvm::zip_equal(op.getXs(), op.getGradients())) {
    FailureOr<Tensor> gradient = differentiate(frame, op, op.getY(), {x});
    if (failed(gradient))
      return failure();
    frame.set(result, std::move(*gradient));
  }
  return success();
}

LogicalResult minimize(MinimizeOp op, Frame &frame) {
  if (failed(requireNoControl(op)))
    return failure();
  Element rate = rateOf(op.getOptimizer(), frame.globalStep());
  // All gradients first: they are of the values that were read.
  Gradients found;
  for (auto &[variable, reads] : trainableReads(op, frame.module())) {
    if (!hasGradient(op, op.getLoss(), reads))
      continue;
    FailureOr<Tensor> gradient = differentiate(frame, op, op.getLoss(), reads);
    if (failed(gradient))
      return failure();
    found[variable] = std::move(*gradient);
  }
  if (!changeGradients(op, frame, found))
    return success();
  ArrayRef<std::string> last;
  for (auto &[variable, gradient] : found) {
    last = frame.slotsOf(op, variable);
    SmallVector<Tensor *> slots;
    for (const std::string &name : last)
      slots.push_back(&frame.variable(name));
    Attribute optimizer = op.getOptimizer();
    applyOptimizer(decays(op, variable) ? optimizer : withoutDecay(optimizer),
                   frame.variable(variable), gradient, rate, slots);
    frame.trained.insert(variable);
  }
  auto shared = sharedValues(op.getOptimizer());
  FloatMath math(ElementKind::F64);
  for (auto [name, value] : llvm::zip(last.take_back(shared.size()), shared)) {
    Element &power = frame.variable(name).elements[0];
    power = math.mul(power, Element::exact(value.second));
  }
  frame.variable(kGlobalStep).elements[0].integer += 1;
  return success();
}

} // namespace

bool hasGradient(Operation *at, Value y, const Reads &reads) {
  return dependents(at, reads).contains(y);
}

FailureOr<Tensor> differentiate(Frame &frame, Operation *at, Value y,
                                const Reads &reads) {
  Tensor result = frame.get(reads.front());
  for (Element &element : result.elements)
    element = Element::exact(0);
  if (result.size() > frame.options().maxDerivatives)
    return at->emitOpError()
           << "differentiates by " << result.size()
           << " elements, more than the reference follows one by one ("
           << frame.options().maxDerivatives
           << "); interpret the module at phase 'differentiated'";
  SmallVector<Operation *> ops = opsBetween(at, y, reads);
  for (Operation *op : ops)
    if (isa<GradientsOp>(op))
      return op->emitOpError() << "is differentiated itself; interpret the "
                                  "module at phase 'differentiated'";
    else if (isa<CustomGradientOp>(op))
      return op->emitOpError() << "has a gradient of its own, which is known "
                                  "from the last op to the first only; "
                                  "interpret the module at phase "
                                  "'differentiated'";
  auto follow = [&](int64_t place, double slope) -> LogicalResult {
    for (Value value : reads) {
      Tensor moved = frame.get(value);
      moved.elements[place].slope = slope;
      frame.set(value, std::move(moved));
    }
    for (Operation *op : ops)
      if (failed(frame.execute(op)))
        return failure();
    return success();
  };
  for (int64_t place = 0; place < result.size(); ++place) {
    if (failed(follow(place, 1)))
      return failure();
    double slope = 0;
    for (const Element &element : frame.get(y).elements)
      slope += element.slope;
    // What rounding makes of a derivative is known from the differentiated
    // module only.
    result.elements[place] = Element::anything(slope);
    if (failed(follow(place, 0)))
      return failure();
  }
  return result;
}

llvm::MapVector<StringAttr, Reads> trainableReads(MinimizeOp minimize,
                                                  ModuleOp module) {
  llvm::MapVector<StringAttr, Reads> reads;
  for (auto read : minimize->getBlock()->getOps<ReadOp>()) {
    if (!read->isBeforeInBlock(minimize))
      break;
    auto variable = module.lookupSymbol<VariableOp>(read.getVariableAttr());
    if (variable && !read.getAverage() && variable.getTrainable() &&
        isa<FloatType>(variable.getTensorType().getElementType()))
      reads[variable.getSymNameAttr()].push_back(read.getValue());
  }
  return reads;
}

void updateAverages(EmaOp ema, Frame &frame) {
  FloatMath single(ElementKind::F32);
  Element decay =
      Element::exact(static_cast<float>(ema.getDecay().convertToDouble()));
  if (ema.getNumUpdates()) {
    double n =
        static_cast<double>(frame.variable(kGlobalStep).elements[0].integer);
    decay = single.min(
        decay, single.div(Element::exact(n + 1), Element::exact(n + 10)));
  }
  Element share = single.sub(Element::exact(1), decay);
  for (StringAttr name : frame.trained) {
    const Tensor &variable = frame.variable(name);
    Tensor &average =
        frame.variable((name.getValue() + "/" + kAverageSuffix).str());
    FloatMath math(variable.kind);
    for (auto [a, w] : llvm::zip(average.elements, variable.elements))
      a = math.sub(a, math.mul(math.sub(a, w), share));
  }
}

void addTrainingOps(OpTable &table) {
  table.add<GradientsOp>(gradients);
  table.add<MinimizeOp>(minimize);
  // At the end of the step, by Frame::run.
  table.add<EmaOp>([](EmaOp, Frame &) { return success(); });
}

} // namespace graphc::interpreter
