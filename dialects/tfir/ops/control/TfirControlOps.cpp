// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops: types, checks, and the steps written out.
#include "dialects/tfir/ops/control/TfirControlOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Verify.h"
#include "dialects/tfir/ops/arrange/TfirShapeOps.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;
using Types = SmallVectorImpl<Type>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirControlOps.cpp.inc"

namespace {

RankedTensorType numberType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 32));
}

/// The type without its first dimension.
RankedTensorType sliceType(Value input) {
  RankedTensorType type = tensorType(input);
  return type.clone(type.getShape().drop_front());
}

/// True when a value of the type may stand where `wanted` is written.
bool fits(Type type, Type wanted) {
  return getElementTypeOrSelf(type) == getElementTypeOrSelf(wanted) &&
         succeeded(verifyCompatibleShape(type, wanted));
}

template <typename Op> Op onDeviceOf(Operation *from, Op op) {
  setRequestedDevice(op, getRequestedDevice(from));
  return op;
}

} // namespace

LogicalResult graphc::tfir::verifyControl(Operation *op) {
  if (failed(verifyInGraph(op)))
    return failure();
  WalkResult result = op->walk([&](Operation *inner) {
    bool trains =
        inner->hasTrait<ReplacedByGradients>() && inner->getNumResults() == 0;
    if (inner == op || (!trains && !isa<SummaryOpInterface>(inner))) // (C5)
      return WalkResult::advance();
    inner->emitOpError() << "stands in a body of '" << op->getName()
                         << "'; move it behind it, and give it a value that "
                            "the body yields";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===-- scan --------------------------------------------------------------===//

int64_t ScanOp::countSteps() {
  if (getSteps())
    return static_cast<int64_t>(*getSteps());
  int64_t steps = ShapedType::kDynamic;
  for (Value input : getInputs())
    if (RankedTensorType type = tensorType(input);
        type.getRank() > 0 && !type.isDynamicDim(0))
      steps = type.getDimSize(0);
  return steps;
}

LogicalResult ScanOp::verify() {
  if (getSteps().has_value() == !getInputs().empty()) // (C1)
    return emitOpError()
           << (getSteps() ? "has 'steps' and inputs; the first dimension "
                            "of the inputs is the number of steps"
                          : "has no inputs; give it 'steps', such as "
                            "'steps 8'");
  int64_t steps = countSteps();
  for (Value input : getInputs()) {
    RankedTensorType type = tensorType(input);
    if (type.getRank() == 0)
      return emitOpError() << "has the input " << type // (C2)
                           << ", which has no dimension to divide into steps";
    if (!type.isDynamicDim(0) && type.getDimSize(0) != steps)
      return emitOpError() << "has inputs of " << type.getDimSize(0) << " and "
                           << steps << " steps; expected one first dimension";
  }
  if (!ShapedType::isDynamic(steps) && steps < 1) // (C1), (C2)
    return emitOpError() << "has " << steps << " steps, expected at least 1";
  return success();
}

void ScanOp::argumentTypes(Types &types) {
  types.push_back(numberType(getContext()));
  for (Value input : getInputs())
    types.push_back(sliceType(input));
  llvm::append_range(types, getInits().getTypes());
}

LogicalResult ScanOp::verifyRegions() {
  SmallVector<Type> wanted;
  argumentTypes(wanted);
  if (getBlock().getNumArguments() != wanted.size()) // (C3)
    return emitOpError() << "has a body with " << getBlock().getNumArguments()
                         << " arguments, expected " << wanted.size()
                         << ": the number of the step, slices, carried values";
  for (auto [argument, type] : llvm::zip(getBlock().getArguments(), wanted))
    if (!fits(argument.getType(), type))
      return emitOpError() << "has " << argument.getType() << " as argument #"
                           << argument.getArgNumber()
                           << " of its body, expected " << type;
  SmallVector<Type> types;
  if (failed(inferResults(types)))
    return failure();
  if (types.size() != getNumResults()) // (C4)
    return emitOpError() << "has " << getNumResults()
                         << " results, but its body yields " << types.size();
  for (auto [index, result, type] : llvm::enumerate(getResults(), types))
    if (!fits(result.getType(), type))
      return emitOpError() << "gives " << type << " as result #" << index
                           << ", but " << result.getType() << " is written";
  return success();
}

void ScanOp::inferBodies() {
  SmallVector<Type> types;
  argumentTypes(types);
  for (auto [argument, type] : llvm::zip(getBlock().getArguments(), types))
    argument.setType(type);
}

LogicalResult ScanOp::inferResults(Types &types) {
  OperandRange yielded = getBlock().getTerminator()->getOperands();
  size_t carried = getInits().size();
  if (yielded.size() < carried)
    return emitOpError() << "yields " << yielded.size() << " values, but "
                         << carried << " are carried"; // (C4)
  for (auto [index, init, value] : llvm::enumerate(getInits(), yielded)) {
    if (!fits(value.getType(), init.getType())) // (C4)
      return emitOpError() << "carries " << init.getType() << " as value #"
                           << index << ", but a step yields " << value.getType()
                           << "; a carried value keeps its type";
    types.push_back(init.getType());
  }
  for (Value value : yielded.drop_front(carried)) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || isa<StringType>(type.getElementType()))
      return emitOpError() << "stacks " << value.getType()
                           << ", expected numbers or bools";
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), countSteps());
    types.push_back(type.clone(shape));
  }
  return success();
}

Results ScanOp::expand(OpBuilder &b, CopyBody copy) {
  Location loc = getLoc();
  int64_t steps = countSteps();
  auto isOpen = [](Type type) {
    return !cast<ShapedType>(type).hasStaticShape();
  };
  if (ShapedType::isDynamic(steps) || llvm::any_of(getResultTypes(), isOpen))
    return emitOpError() << "has shapes with '?'; run tfir-bind-shapes before "
                            "the steps are written out";
  constexpr int64_t kMaxOps = int64_t(1) << 20;
  int64_t ops = 0;
  getBody().walk([&](Operation *) { ++ops; });
  if (steps > kMaxOps / ops)
    return emitOpError() << "has " << steps << " steps of " << ops
                         << " operations, more than the " << kMaxOps
                         << " that a loop may have; take steps of more data";
  SmallVector<SmallVector<Value>> slices;
  for (Value input : getInputs()) {
    SmallVector<Type> types(steps, sliceType(input));
    auto unstack = UnstackOp::create(b, loc, types, input, IntegerAttr(),
                                     b.getI64IntegerAttr(0));
    llvm::append_range(slices.emplace_back(),
                       onDeviceOf(*this, unstack).getOutputs());
  }
  SmallVector<Value> carried(getInits());
  SmallVector<SmallVector<Value>> outputs(getNumResults() - carried.size());
  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<Value> arguments(1);
    if (!getNumber().use_empty())
      arguments[0] = onDeviceOf(
          *this,
          ConstOp::create(b, loc, numberType(getContext()),
                          DenseElementsAttr::get(numberType(getContext()),
                                                 static_cast<int32_t>(step))));
    for (ArrayRef<Value> slice : slices)
      arguments.push_back(slice[step]);
    llvm::append_range(arguments, carried);
    SmallVector<Value> yielded = copy(getBody(), arguments, step);
    for (auto [index, output] : llvm::enumerate(outputs))
      output.push_back(yielded[carried.size() + index]);
    yielded.truncate(carried.size());
    carried = std::move(yielded);
  }
  SmallVector<Value> results = std::move(carried);
  for (ArrayRef<Value> output : outputs) {
    Type type = getResult(results.size()).getType();
    auto stack = StackOp::create(b, loc, type, output, b.getI64IntegerAttr(0));
    results.push_back(onDeviceOf(*this, stack));
  }
  return results;
}
