// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/autodiff/ExpandTraining.h"

#include "dialects/tfir/Names.h"
#include "dialects/tfir/training/Arithmetic.h"
#include "lib/autodiff/Backpropagate.h"
#include "lib/autodiff/GradientChanges.h"
#include "lib/autodiff/TrainingVariables.h"
#include "lib/frontend/Averages.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

//===-- Variables that the compiler declares ------------------------------===//

static FailureOr<VariableOp> findGlobalStep(SymbolTable &symbols,
                                            Location loc) {
  auto type = RankedTensorType::get({}, IntegerType::get(loc.getContext(), 64));
  Operation *found = symbols.lookup(kGlobalStep);
  if (!found)
    return declareShared(symbols, loc, kGlobalStep, type, 0);
  auto variable = dyn_cast<VariableOp>(found);
  if (variable && variable.getTensorType() == type)
    return variable;
  InFlightDiagnostic error = found->emitOpError()
                             << "'" << kGlobalStep
                             << "' counts the training steps and must be a "
                             << "variable of type " << type
                             << "; change its type or its name";
  return error.attachNote(loc) << "needed here";
}

static SmallVector<Attribute> declareSlots(VariableOp variable,
                                           OptimizerAttrInterface optimizer,
                                           SymbolTable &symbols) {
  OpBuilder builder(variable.getContext());
  builder.setInsertionPointAfter(variable);
  SmallVector<Attribute> slots;
  for (double initial : optimizer.getSlotValues())
    slots.push_back(refTo(declareBeside(
        builder, variable, symbols, optimizer.getOptimizerName(), initial)));
  return slots;
}

//===-- minimize ----------------------------------------------------------===//

namespace {

/// Expands one tfir.minimize.
class Training {
public:
  Training(MinimizeOp minimize, UniqueNames &names, SymbolTable &symbols)
      : minimize(minimize),
        optimizer(cast<OptimizerAttrInterface>(minimize.getOptimizer())),
        symbols(symbols), names(names), derived(names),
        builder(minimize.getContext(), &derived), a{builder, minimize.getLoc()},
        changes(minimize, symbols, derived, builder),
        scope(optimizer.getOptimizerName()) {
    builder.setInsertionPoint(minimize);
  }

  LogicalResult run(TrainedVariables &trained, UntrainedReads &untrained);

private:
  using Reads = llvm::MapVector<Operation *, SmallVector<Value, 2>>;

  Reads trainableReads();
  FailureOr<GradientChanges::Gradients> gradients(UntrainedReads &untrained);
  LogicalResult checkDecay(const GradientChanges::Gradients &gradients);
  Value buildRate(VariableOp globalStep);
  Value scheduledRate(ScheduleAttrInterface schedule, VariableOp globalStep);
  SmallVector<VariableOp> declarePowers();
  void apply(VariableOp variable, Value gradient, Value rate,
             ArrayRef<VariableOp> powers);
  void raisePowers(MutableArrayRef<VariableOp> powers);
  void countStep(VariableOp globalStep);

  MinimizeOp minimize;
  OptimizerAttrInterface optimizer;
  SymbolTable &symbols;
  UniqueNames &names;
  DerivedOps derived;
  OpBuilder builder;
  Arithmetic a;
  GradientChanges changes;
  std::string scope;
};

Training::Reads Training::trainableReads() {
  Reads reads;
  for (auto read : minimize->getBlock()->getOps<ReadOp>()) {
    if (!read->isBeforeInBlock(minimize))
      break;
    auto variable =
        symbols.lookup<VariableOp>(read.getVariableAttr().getAttr());
    if (variable.getTrainable() &&
        isa<FloatType>(variable.getTensorType().getElementType()))
      reads[variable].push_back(read.getValue());
  }
  return reads;
}

/// One gradient for each trainable variable on which the loss depends.
FailureOr<GradientChanges::Gradients>
Training::gradients(UntrainedReads &untrained) {
  Reads reads = trainableReads();
  SmallVector<Value> xs;
  for (auto &[variable, values] : reads)
    llvm::append_range(xs, values);
  auto found = backpropagate(changes.buildLoss(), xs, minimize, names);
  if (failed(found))
    return failure();
  ArrayRef<Value> left = *found;
  GradientChanges::Gradients result;
  for (auto &[variable, values] : reads) {
    SmallVector<Value> parts;
    llvm::copy_if(left.take_front(values.size()), std::back_inserter(parts),
                  [](Value part) { return part != nullptr; });
    left = left.drop_front(values.size());
    if (parts.size() > 1)
      derived.enterSum("gradients", parts, cast<VariableOp>(variable));
    Value sum;
    for (Value part : parts)
      sum = sum ? a.add(sum, part) : part;
    if (sum)
      result[variable] = sum;
    else
      untrained.insert({variable, values.front().getLoc()});
  }
  if (result.empty())
    return minimize.emitOpError()
           << "has a loss that depends on no trainable variable; read one with "
              "tfir.read and compute the loss from it";
  return result;
}

Value Training::buildRate(VariableOp globalStep) {
  Attribute rate = optimizer.getRate();
  if (auto schedule = dyn_cast<ScheduleAttrInterface>(rate))
    return scheduledRate(schedule, globalStep);
  derived.enterScope(scope, nullptr);
  derived.nameNext(scope + "/learning_rate");
  return splat(builder, a.loc, RankedTensorType::get({}, builder.getF32Type()),
               cast<FloatAttr>(rate).getValueAsDouble());
}

/// The rate by the global step at the start of the step.
Value Training::scheduledRate(ScheduleAttrInterface schedule,
                              VariableOp globalStep) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(minimize->getBlock());
  derived.enterScope(schedule.getScheduleName(), nullptr);
  derived.nameNext(kGlobalStep + "/read");
  Value step = ReadOp::create(builder, a.loc, globalStep.getTensorType(),
                              refTo(globalStep), /*average=*/UnitAttr());
  return schedule.buildRate(a, a.cast(step, builder.getF32Type()));
}

SmallVector<VariableOp> Training::declarePowers() {
  SmallVector<VariableOp> powers;
  for (auto [name, factor] : optimizer.getSharedPowers())
    powers.push_back(declareShared(
        symbols, a.loc, name, sharedPowerType(builder.getContext()), factor));
  return powers;
}

void Training::apply(VariableOp variable, Value gradient, Value rate,
                     ArrayRef<VariableOp> powers) {
  SmallVector<Attribute> slots = declareSlots(variable, optimizer, symbols);
  for (VariableOp power : powers)
    slots.push_back(refTo(power));
  StringRef name = variable.getSymName();
  derived.enterVariable(name, variable);
  derived.nameNext(name + "/Apply" + scope);
  Attribute own =
      decays(minimize, variable) ? optimizer : optimizer.withoutDecay();
  ApplyOp::create(
      builder, a.loc, refTo(variable), gradient, rate, changes.when(), own,
      slots.empty() ? ArrayAttr() : builder.getArrayAttr(slots),
      minimize.changesGradients() ? builder.getUnitAttr() : UnitAttr());
}

void Training::raisePowers(MutableArrayRef<VariableOp> powers) {
  for (auto [power, shared] : llvm::zip(powers, optimizer.getSharedPowers())) {
    derived.enterVariable(scope, power);
    Value old = ReadOp::create(builder, a.loc, power.getTensorType(),
                               refTo(power), /*average=*/UnitAttr());
    Value next = a.mul(old, shared.factor);
    if (changes.when())
      next = a.select(a.isPositive(changes.when()), next, old);
    AssignOp::create(builder, a.loc, refTo(power), next);
  }
}

void Training::countStep(VariableOp globalStep) {
  RankedTensorType type = globalStep.getTensorType();
  Value steps;
  if (changes.when()) {
    // On the device of the gradients, which may be no CPU.
    derived.enterScope(kGlobalStep, nullptr);
    steps = a.cast(changes.when(), type.getElementType());
  }
  derived.enterVariable(kGlobalStep, globalStep);
  if (!steps)
    steps = splat(builder, a.loc, type, 1);
  AssignAddOp::create(builder, a.loc, refTo(globalStep), steps);
}

/// The variables that decay must be trained here. (C6)
LogicalResult
Training::checkDecay(const GradientChanges::Gradients &gradients) {
  ArrayAttr chosen = minimize.getDecayVariablesAttr();
  if (!chosen)
    return success();
  for (auto name : chosen.getAsRange<FlatSymbolRefAttr>()) {
    Operation *variable = symbols.lookup(name.getAttr());
    if (!variable || !gradients.count(variable))
      return minimize.emitOpError()
             << "has '" << name.getValue()
             << "' among its decay_variables, which it does not train; name "
                "trainable variables that the loss depends on";
  }
  return success();
}

LogicalResult Training::run(TrainedVariables &trained,
                            UntrainedReads &untrained) {
  FailureOr<VariableOp> globalStep = findGlobalStep(symbols, a.loc);
  if (failed(globalStep))
    return failure();
  auto found = gradients(untrained);
  if (failed(found) || failed(checkDecay(*found)))
    return failure();
  if (minimize.changesGradients())
    changes.change(*found);
  Value rate = buildRate(*globalStep);
  SmallVector<VariableOp> powers = declarePowers();
  for (auto &[variable, gradient] : *found) {
    apply(cast<VariableOp>(variable), gradient, rate, powers);
    trained[variable].push_back(changes.when());
  }
  raisePowers(powers);
  countStep(*globalStep);
  minimize.erase();
  return success();
}

} // namespace

LogicalResult expandMinimize(MinimizeOp minimize, UniqueNames &names,
                             SymbolTable &symbols, TrainedVariables &trained,
                             UntrainedReads &untrained) {
  return Training(minimize, names, symbols).run(trained, untrained);
}

//===-- ema ---------------------------------------------------------------===//

/// decay, or min(decay, (1 + n) / (10 + n)) with the number n of steps so far.
static Value buildDecay(EmaOp ema, Arithmetic &a, DerivedOps &derived) {
  auto type = RankedTensorType::get({}, a.builder.getF32Type());
  Value decay = splat(a.builder, a.loc, type, ema.getDecay().convertToDouble());
  if (!ema.getNumUpdates())
    return decay;
  derived.nameNext(kGlobalStep + "/read");
  auto step = RankedTensorType::get({}, a.builder.getI64Type());
  Value n = ReadOp::create(a.builder, a.loc, step, kGlobalStep,
                           /*average=*/false);
  n = a.cast(n, a.builder.getF32Type());
  Value young = a.div(a.add(n, a.number(n, 1)), a.add(n, a.number(n, 10)));
  return a.binary<MinimumOp>(decay, young);
}

void expandEma(EmaOp ema, UniqueNames &names, const TrainedVariables &trained) {
  DerivedOps derived(names);
  OpBuilder builder(ema.getContext(), &derived);
  builder.setInsertionPoint(ema->getBlock()->getTerminator());
  Arithmetic a{builder, ema.getLoc()};
  derived.enterScope(kAverageSuffix, ema);
  Value decay = buildDecay(ema, a, derived);
  // An average with the decay 1 stays: so it does in a step without an update.
  SmallVector<std::pair<ArrayRef<Value>, Value>> decays;
  auto decayOf = [&](ArrayRef<Value> updates) {
    if (llvm::is_contained(updates, Value())) // in every step
      return decay;
    for (auto [others, own] : decays)
      if (others == updates)
        return own;
    derived.enterScope(kAverageSuffix, ema);
    Value when = updates.front();
    for (Value update : updates.drop_front())
      when = a.maximum(when, update);
    Value own = a.select(a.isPositive(when), decay, a.number(decay, 1));
    decays.push_back({updates, own});
    return own;
  };
  SmallVector<Value> own;
  for (const auto &[op, updates] : trained)
    own.push_back(decayOf(updates));
  for (auto [entry, ownDecay] : llvm::zip(trained, own)) {
    auto variable = cast<VariableOp>(entry.first);
    std::string average = averageName(variable.getSymName());
    derived.enterVariable(average, variable);
    UpdateAverageOp::create(builder, a.loc, average, variable.getSymName(),
                            ownDecay);
  }
  ema.erase();
}

} // namespace graphc
