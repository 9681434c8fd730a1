// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/autodiff/Backpropagate.h"

#include "dialects/tfir/Support.h"
#include "dialects/tfir/ops/control/KernelControl.h"
#include "lib/autodiff/JoinSlices.h"
#include "lib/autodiff/Recompute.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

bool isFloat(Value value) {
  return isa<FloatType>(tensorType(value).getElementType());
}

VariableOp variableOf(ReadOp read) {
  return read->getParentOfType<ModuleOp>().lookupSymbol<VariableOp>(
      read.getVariableAttr());
}

/// One run of backpropagate.
class Backpropagation {
public:
  Backpropagation(ArrayRef<Value> xs, Operation *at, UniqueNames &names)
      : at(at), derived(names), builder(at->getContext(), &derived),
        recompute(at, derived, builder) {
    builder.setInsertionPoint(at);
    markDependents(xs);
  }

  LogicalResult run(Value y);

  /// The sum of all that reached a value; null when nothing did.
  Value gradientOf(Value value);

private:
  void markDependents(ArrayRef<Value> xs);
  LogicalResult visit(Operation *op);

  Operation *at;
  DerivedOps derived;
  OpBuilder builder;
  Recompute recompute;
  DenseSet<Value> dependents; ///< the floats that depend on xs, and xs
  DenseMap<Value, SmallVector<Value, 2>> terms;
};

void Backpropagation::markDependents(ArrayRef<Value> xs) {
  dependents.insert_range(xs);
  for (Operation &op : *at->getBlock()) {
    if (&op == at)
      break;
    if (isa<StopGradientOp>(op) ||
        llvm::none_of(op.getOperands(),
                      [&](Value x) { return dependents.contains(x); }))
      continue;
    for (Value result : op.getResults())
      if (isFloat(result))
        dependents.insert(result);
  }
}

LogicalResult Backpropagation::run(Value y) {
  if (!dependents.contains(y))
    return success();
  derived.enterScope("gradients", y.getDefiningOp());
  terms[y].push_back(splat(builder, y.getLoc(), tensorType(y), 1));
  for (Operation *op = y.getDefiningOp(); op; op = op->getPrevNode())
    if (failed(visit(op)))
      return failure();
  return success();
}

LogicalResult Backpropagation::visit(Operation *op) {
  if (isa<StopGradientOp>(op) ||
      llvm::none_of(op->getOperands(),
                    [&](Value x) { return dependents.contains(x); }) ||
      llvm::none_of(op->getResults(),
                    [&](Value y) { return terms.contains(y); }))
    return success();
  auto differentiable = dyn_cast<Differentiable>(op);
  if (!differentiable) {
    InFlightDiagnostic error =
        op->emitOpError()
        << "has no gradient, but stands between what is differentiated and a "
           "value by which it is; put tfir.stop_gradient around it or ";
    if (auto control = dyn_cast<KernelControlInterface>(op))
      error << "write " << control.differentiableForm();
    else
      error << "compute the value from other ops";
    return error.attachNote(at->getLoc()) << "differentiated here";
  }
  SmallVector<Value> results;
  for (Value result : op->getResults())
    results.push_back(gradientOf(result));
  Value known = *llvm::find_if(results, [](Value each) { return !!each; });
  auto source = cast<Differentiable>(recompute.copyOf(op, known));
  SmallVector<Value> gradients(op->getNumOperands());
  derived.enterScope("gradients/" + nameOf(op) + "_grad", op);
  if (failed(source.buildGradient(builder, results, gradients)))
    return failure();
  for (auto [x, gradient] : llvm::zip(op->getOperands(), gradients)) {
    if (!gradient || !dependents.contains(x))
      continue;
    assert(gradient.getType() == x.getType() && "a gradient of another type");
    terms[x].push_back(gradient);
  }
  return success();
}

Value Backpropagation::gradientOf(Value value) {
  auto found = terms.find(value);
  if (found == terms.end())
    return Value();
  SmallVector<Value, 2> &list = found->second;
  if (list.size() == 1)
    return list.front();
  if (auto read = value.getDefiningOp<ReadOp>())
    derived.enterSum("gradients", list, variableOf(read));
  else
    derived.enterScope("gradients", value.getDefiningOp());
  joinSlices(builder, value.getLoc(), list);
  Value sum = list.front();
  for (Value term : ArrayRef(list).drop_front())
    sum = AddOp::create(builder, value.getLoc(), value.getType(), sum, term);
  list.assign(1, sum);
  return sum;
}

/// Erases the ops between `before` and `at` that nothing uses: gradients by
/// operands that nobody asked for.
void eraseUnused(Operation *before, Operation *at, ArrayRef<Value> used) {
  for (Operation *op = at->getPrevNode(); op != before;) {
    Operation *previous = op->getPrevNode();
    if (isOpTriviallyDead(op) && llvm::none_of(used, [&](Value value) {
          return value && value.getDefiningOp() == op;
        }))
      op->erase();
    op = previous;
  }
}

} // namespace

FailureOr<SmallVector<Value>> backpropagate(Value y, ArrayRef<Value> xs,
                                            Operation *at, UniqueNames &names) {
  Operation *before = at->getPrevNode();
  Backpropagation run(xs, at, names);
  if (failed(run.run(y)))
    return failure();
  SmallVector<Value> gradients;
  for (Value x : xs)
    gradients.push_back(run.gradientOf(x));
  eraseUnused(before, at, gradients);
  return gradients;
}

} // namespace graphc
