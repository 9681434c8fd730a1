// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/autodiff/ExpandTraining.h"

#include "dialects/tfir/Names.h"
#include "dialects/tfir/training/Arithmetic.h"
#include "lib/autodiff/Backpropagate.h"
#include "lib/frontend/Averages.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

//===-- Variables that the compiler declares ------------------------------===//

static FlatSymbolRefAttr refTo(VariableOp variable) {
  return FlatSymbolRefAttr::get(variable.getSymNameAttr());
}

/// A variable that is not trained; `base_1` and so on when the name is taken.
static VariableOp declare(OpBuilder &builder, SymbolTable &symbols,
                          Location loc, StringRef base, RankedTensorType type,
                          double initial) {
  std::string name = base.str();
  for (unsigned i = 1; symbols.lookup(name); ++i)
    name = (base + "_" + Twine(i)).str();
  auto variable = VariableOp::create(
      builder, loc, name, type, FillAttr::get(builder.getContext(), initial),
      /*trainable=*/false);
  symbols.insert(variable);
  return variable;
}

/// Builder of variables that belong to no other: before the first graph.
static OpBuilder beforeGraphs(ModuleOp module) {
  return OpBuilder(*module.getOps<GraphOp>().begin());
}

static FailureOr<VariableOp> findGlobalStep(SymbolTable &symbols,
                                            Location loc) {
  OpBuilder builder = beforeGraphs(cast<ModuleOp>(symbols.getOp()));
  auto type = RankedTensorType::get({}, builder.getI64Type());
  Operation *found = symbols.lookup(kGlobalStep);
  if (!found)
    return declare(builder, symbols, loc, kGlobalStep, type, 0);
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
  std::string base =
      (variable.getSymName() + "/" + optimizer.getOptimizerName()).str();
  for (double initial : optimizer.getSlotValues()) {
    VariableOp slot = declare(builder, symbols, variable.getLoc(), base,
                              variable.getTensorType(), initial);
    slot->setAttr(kColocateAttr, builder.getStringAttr(variable.getSymName()));
    if (Attribute device = variable->getAttr(kDeviceAttr))
      slot->setAttr(kDeviceAttr, device);
    slots.push_back(refTo(slot));
  }
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
        scope(optimizer.getOptimizerName()) {
    builder.setInsertionPoint(minimize);
  }

  LogicalResult run(SetVector<Operation *> &trained);

private:
  using Reads = llvm::MapVector<Operation *, SmallVector<Value, 2>>;

  Reads trainableReads();
  FailureOr<llvm::MapVector<Operation *, Value>> gradients();
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
FailureOr<llvm::MapVector<Operation *, Value>> Training::gradients() {
  Reads reads = trainableReads();
  SmallVector<Value> xs;
  for (auto &[variable, values] : reads)
    llvm::append_range(xs, values);
  auto found = backpropagate(minimize.getLoss(), xs, minimize, names);
  if (failed(found))
    return failure();
  ArrayRef<Value> left = *found;
  llvm::MapVector<Operation *, Value> result;
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
      values.front().getDefiningOp()->emitWarning()
          << "the loss does not depend on variable '"
          << cast<VariableOp>(variable).getSymName()
          << "': it is not trained; use it in the loss, or declare it with "
             "{trainable = false}";
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
  OpBuilder outside = beforeGraphs(cast<ModuleOp>(symbols.getOp()));
  for (auto [name, factor] : optimizer.getSharedPowers())
    powers.push_back(declare(outside, symbols, a.loc, name,
                             sharedPowerType(builder.getContext()), factor));
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
  ApplyOp::create(builder, a.loc, refTo(variable), gradient, rate, optimizer,
                  slots.empty() ? ArrayAttr() : builder.getArrayAttr(slots));
}

void Training::raisePowers(MutableArrayRef<VariableOp> powers) {
  for (auto [power, shared] : llvm::zip(powers, optimizer.getSharedPowers())) {
    derived.enterVariable(scope, power);
    Value old = ReadOp::create(builder, a.loc, power.getTensorType(),
                               refTo(power), /*average=*/UnitAttr());
    AssignOp::create(builder, a.loc, refTo(power), a.mul(old, shared.factor));
  }
}

void Training::countStep(VariableOp globalStep) {
  derived.enterVariable(kGlobalStep, globalStep);
  Value one = splat(builder, a.loc, globalStep.getTensorType(), 1);
  AssignAddOp::create(builder, a.loc, refTo(globalStep), one);
}

LogicalResult Training::run(SetVector<Operation *> &trained) {
  FailureOr<VariableOp> globalStep = findGlobalStep(symbols, a.loc);
  if (failed(globalStep))
    return failure();
  auto found = gradients();
  if (failed(found))
    return failure();
  Value rate = buildRate(*globalStep);
  SmallVector<VariableOp> powers = declarePowers();
  for (auto &[variable, gradient] : *found) {
    apply(cast<VariableOp>(variable), gradient, rate, powers);
    trained.insert(variable);
  }
  raisePowers(powers);
  countStep(*globalStep);
  minimize.erase();
  return success();
}

} // namespace

LogicalResult expandMinimize(MinimizeOp minimize, UniqueNames &names,
                             SymbolTable &symbols,
                             SetVector<Operation *> &trained) {
  return Training(minimize, names, symbols).run(trained);
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

void expandEma(EmaOp ema, UniqueNames &names, ArrayRef<Operation *> trained) {
  DerivedOps derived(names);
  OpBuilder builder(ema.getContext(), &derived);
  builder.setInsertionPoint(ema->getBlock()->getTerminator());
  Arithmetic a{builder, ema.getLoc()};
  derived.enterScope(kAverageSuffix, ema);
  Value decay = buildDecay(ema, a, derived);
  for (Operation *op : trained) {
    auto variable = cast<VariableOp>(op);
    std::string average = averageName(variable.getSymName());
    derived.enterVariable(average, variable);
    UpdateAverageOp::create(builder, a.loc, average, variable.getSymName(),
                            decay);
  }
  ema.erase();
}

} // namespace graphc
