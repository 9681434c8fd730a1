// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables and their first values, and the walk over a graph.
#include "lib/interpreter/Interpreter.h"

#include "dialects/tfir/Names.h"
#include "lib/interpreter/BeforeUpdate.h"
#include "lib/interpreter/Frame.h"

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

//===-- The table of ops --------------------------------------------------===//

const OpTable &OpTable::get() {
  static const OpTable *table = [] {
    auto *made = new OpTable;
    addElementwiseOps(*made);
    addScalarOps(*made);
    addActivationOps(*made);
    addShapeOps(*made);
    addMatrixOps(*made);
    addSpatialOps(*made);
    addImageOps(*made);
    addLinearOps(*made);
    addSpectralOps(*made);
    addAggregateOps(*made);
    addArrayOps(*made);
    addColumnOps(*made);
    addEinsumOps(*made);
    addFeatureOps(*made);
    addGatherOps(*made);
    addControlOps(*made);
    addConvOps(*made);
    addReductionOps(*made);
    addLossOps(*made);
    addNormOps(*made);
    addProductOps(*made);
    addPoolOps(*made);
    addPoolingOps(*made);
    addSoftmaxOps(*made);
    addRandomOps(*made);
    addRecurrentOps(*made);
    addStateOps(*made);
    addTrainingOps(*made);
    return made;
  }();
  return *table;
}

const OpFunction *OpTable::find(StringRef op) const {
  auto found = functions.find(op);
  return found == functions.end() ? nullptr : &found->second;
}

//===-- A step ------------------------------------------------------------===//

Frame::Frame(Interpreter &owner, GraphOp graph, uint64_t step)
    : owner(owner), graph(graph), stepNumber(step) {
  if (hasVariable(kGlobalStep))
    globalStepAtStart = variable(kGlobalStep).elements[0].integer;
}

void Frame::setElements(Value result, std::vector<Element> elements) {
  Tensor tensor;
  auto type = cast<RankedTensorType>(result.getType());
  tensor.kind = kindOf(type.getElementType());
  tensor.shape.assign(type.getShape().begin(), type.getShape().end());
  tensor.elements = std::move(elements);
  set(result, std::move(tensor));
}

/// Ops compute floats of 16 bits as f32 and round each result once.
void Frame::roundHalves(Operation *op) {
  for (Value result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    ElementKind kind = kindOf(type.getElementType());
    auto found = values.find(result);
    if (found == values.end() || !isHalf(kind))
      continue;
    found->second.kind = kind;
    for (Element &element : found->second.elements)
      element = roundToHalf(element, kind);
  }
}

LogicalResult Frame::execute(Operation *op) {
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape())
      return op->emitOpError() << "has a result of type " << type
                               << ", whose shape is not known; bind it "
                                  "(--batch, --bind) first";
  const OpFunction *function =
      OpTable::get().find(op->getName().getStringRef());
  if (!function)
    return op->emitOpError() << "has no reference in lib/interpreter";
  if (failed((*function)(op, *this)))
    return failure();
  if (!dataEnded)
    roundHalves(op);
  if (const Observer &observe = options().observe; observe && !dataEnded)
    for (OpResult result : op->getResults())
      if (failed(observe(result, values.find(result)->second)))
        return failure();
  return success();
}

LogicalResult Frame::run(const llvm::StringMap<Tensor> &feeds) {
  for (auto [name, argument] :
       llvm::zip(graph.getFeedNames().getAsValueRange<StringAttr>(),
                 graph.getBlock().getArguments())) {
    auto found = feeds.find(name);
    if (found == feeds.end())
      return graph.emitOpError() << "needs the feed '" << name << "'";
    set(argument, found->second);
  }
  for (Operation &op : graph.getBlock().without_terminator()) {
    if (failed(execute(&op)))
      return failure();
    if (dataEnded)
      return success();
  }
  for (auto ema : graph.getBlock().getOps<EmaOp>())
    updateAverages(ema, *this);
  return success();
}

//===-- The interpreter ---------------------------------------------------===//

Interpreter::Interpreter(ModuleOp module, InterpreterOptions options)
    : module(module), options(std::move(options)) {}

const Tensor *Interpreter::variable(StringRef name) const {
  auto found = values.find(name.str());
  return found == values.end() ? nullptr : &found->second;
}

void Interpreter::setVariable(StringRef name, Tensor value) {
  values[name.str()] = std::move(value);
}

/// A variable of the compiler's own; its name, which gets a number if it is
/// taken.
std::string Interpreter::declare(const std::string &base, Tensor value) {
  std::string name = base;
  for (unsigned i = 1; values.count(name) || module.lookupSymbol(name); ++i)
    name = base + "_" + std::to_string(i);
  values[name] = std::move(value);
  return name;
}

static Tensor filled(ElementKind kind, ArrayRef<int64_t> shape, double value) {
  Tensor tensor;
  tensor.kind = kind;
  tensor.shape.assign(shape.begin(), shape.end());
  if (kind != ElementKind::F64)
    value = static_cast<float>(value);
  Element element = isFloat(kind) ? Element::exact(value)
                                  : Element::of(static_cast<int64_t>(value));
  tensor.elements.assign(tensor.size(), element);
  return tensor;
}

void Interpreter::declareTraining(MinimizeOp minimize) {
  if (!values.count(kGlobalStep.str()))
    values[kGlobalStep.str()] = filled(ElementKind::I64, {}, 0);
  auto declareState = [&](const std::string &name, Tensor value) {
    trainingState[{minimize, name}] = declare(name, std::move(value));
  };
  if (minimize.getLossScaleGrowth()) {
    double scale = minimize.getLossScale()->convertToDouble();
    declareState(kLossScale.str(), filled(ElementKind::F32, {}, scale));
    declareState(kGoodSteps.str(), filled(ElementKind::I64, {}, 0));
  }
  if (minimize.getAccumulate())
    declareState(kAccumulatedSteps.str(), filled(ElementKind::I64, {}, 0));
  Attribute optimizer = minimize.getOptimizer();
  std::vector<std::string> shared;
  for (auto &[name, value] : sharedValues(optimizer))
    shared.push_back(declare(name, filled(ElementKind::F64, {}, value)));
  for (auto &[variable, reads] : trainableReads(minimize, module)) {
    if (!hasGradient(minimize, minimize.getLoss(), reads))
      continue;
    const Tensor &own = values.at(variable.str());
    if (minimize.getAccumulate())
      declareState((variable.getValue() + "/" + kAccumulator).str(),
                   filled(own.kind, own.shape, 0));
    std::string base = (variable.getValue() + "/" + slotName(optimizer)).str();
    std::vector<std::string> names;
    for (double value : slotValues(optimizer))
      names.push_back(declare(base, filled(own.kind, own.shape, value)));
    names.insert(names.end(), shared.begin(), shared.end());
    slots[{minimize, variable.str()}] = std::move(names);
  }
}

/// An average starts at its variable's first value.
void Interpreter::declareAverages() {
  for (auto graph : module.getOps<GraphOp>()) {
    if (graph.getBlock().getOps<EmaOp>().empty())
      continue;
    for (auto read : graph.getBlock().getOps<ReadOp>()) {
      auto variable = module.lookupSymbol<VariableOp>(read.getVariableAttr());
      if (!variable || !variable.getTrainable())
        continue;
      std::string name = (variable.getSymName() + "/" + kAverageSuffix).str();
      if (isFloat(values.at(variable.getSymName().str()).kind))
        values[name] = values.at(variable.getSymName().str());
    }
  }
}

LogicalResult Interpreter::initialize() {
  values.clear();
  slots.clear();
  trainingState.clear();
  for (auto variable : module.getOps<VariableOp>()) {
    if (variable.getScratch())
      continue; // assigned before it is read
    // An average that was declared starts where its variable does.
    StringRef name = variable.getSymName();
    StringRef origin = name;
    if (origin.consume_back(("/" + kAverageSuffix).str()) &&
        module.lookupSymbol<VariableOp>(origin))
      name = origin;
    values[variable.getSymName().str()] =
        initialValue(variable, name, options.seed);
  }
  if (module.lookupSymbol<GraphOp>(kInitGraph)) {
    auto done = step(kInitGraph, {});
    steps.clear();
    return failed(done) ? failure() : success();
  }
  declareAverages();
  for (auto graph : module.getOps<GraphOp>())
    for (auto minimize : graph.getBlock().getOps<MinimizeOp>())
      declareTraining(minimize);
  return success();
}

FailureOr<std::vector<Tensor>>
Interpreter::step(StringRef name, const llvm::StringMap<Tensor> &feeds) {
  auto graph = module.lookupSymbol<GraphOp>(name);
  if (!graph)
    return module.emitError() << "there is no graph '" << name << "'";
  Frame frame(*this, graph, steps[name]);
  if (failed(frame.run(feeds)))
    return failure();
  for (auto variable : module.getOps<VariableOp>())
    if (variable.getScratch())
      values.erase(variable.getSymName().str());
  std::vector<Tensor> fetches;
  if (frame.dataEnded)
    return fetches;
  ++steps[name];
  for (Value value : graph.getReturn().getValues())
    fetches.push_back(frame.get(value));
  return fetches;
}

} // namespace graphc::interpreter
