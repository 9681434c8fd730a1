// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/InferShapes.h"

#include "dialects/tfir/Support.h"
#include "dialects/tfir/ops/control/KernelControl.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

using Shape = SmallVector<int64_t>;

bool hasOpenRows(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getRank() > 0 && tensor.isDynamicDim(0);
}

void setRows(Value value, int64_t rows) {
  RankedTensorType type = tensorType(value);
  Shape shape(type.getShape());
  shape.front() = rows;
  value.setType(type.clone(shape));
}

namespace {

/// The types of an op's results by its operands; what does not follow from them
/// stays as written.
LogicalResult inferTypes(Operation *op, SmallVectorImpl<Type> &types) {
  if (auto inferable = dyn_cast<TypeInferable>(op))
    return inferable.inferTypes(types);
  if (auto control = dyn_cast<ControlOpInterface>(op))
    return control.inferResults(types);
  if (auto control = dyn_cast<KernelControlInterface>(op))
    return control.inferResults(types);
  if (auto cast = dyn_cast<CastOp>(op))
    types.push_back(
        tensorType(cast.getY()).clone(tensorType(cast.getX()).getShape()));
  else if (auto scope = dyn_cast<DeviceOp>(op))
    llvm::append_range(
        types, scope.getBody().front().getTerminator()->getOperandTypes());
  else if (auto gradients = dyn_cast<GradientsOp>(op))
    llvm::append_range(types, gradients.getXs().getTypes());
  else
    llvm::append_range(types, op->getResultTypes());
  return success();
}

/// With `openRows`, what follows from a '?' stays one.
LogicalResult inferOp(Operation *op, bool openRows) {
  SmallVector<Type> types;
  if (failed(inferTypes(op, types)))
    return failure();
  for (auto [index, result, type] : llvm::enumerate(op->getResults(), types)) {
    RankedTensorType written = tensorType(result);
    auto inferred = cast<RankedTensorType>(type);
    if (failed(verifyCompatibleShape(written, inferred)))
      return op->emitOpError() << "gives " << inferred << " as result #"
                               << index << ", but " << written << " is written";
    Shape shape(inferred.getShape());
    for (auto [dim, writtenDim] : llvm::zip(shape, written.getShape()))
      dim = ShapedType::isDynamic(dim) ? writtenDim : dim;
    if (!openRows && ShapedType::isDynamicShape(shape)) {
      InFlightDiagnostic error = op->emitOpError();
      error << "has the type " << written << " as result #" << index
            << ", whose '?' does not follow from the operands; write a number";
      std::string like = (op->getName().getStringRef() + "_like").str();
      if (RegisteredOperationName::lookup(like, op->getContext()))
        error << ", or take the shape of a tensor by " << like;
      return error;
    }
    result.setType(written.clone(shape));
  }
  return success();
}

LogicalResult inferOps(GraphOp graph, bool openRows) {
  // The results of an op with bodies follow from what is inside, and what is
  // inside from the operands.
  WalkResult result = graph->walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions()) {
      if (auto control = dyn_cast<ControlOpInterface>(op))
        control.inferBodies();
      else if (auto control = dyn_cast<KernelControlInterface>(op))
        control.inferBodies();
    }
    if (!stage.isAfterAllRegions())
      return WalkResult::advance();
    return WalkResult(inferOp(op, openRows));
  });
  return failure(result.wasInterrupted());
}

/// Finds the fetches whose rows are those of the examples.
FailureOr<SmallVector<bool>> findSplitFetches(GraphOp graph) {
  SmallVector<bool> split;
  for (auto [name, value] :
       llvm::zip(graph.getFetchNames().getAsRange<StringAttr>(),
                 graph.getReturn().getValues())) {
    RankedTensorType type = tensorType(value);
    split.push_back(hasOpenRows(type));
    for (int64_t dim = 1; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        return graph.getReturn().emitError()
               << "the fetch '" << name.getValue() << "' has the type " << type
               << ", whose dimension " << dim
               << " is divided among the towers; transpose it, so that it "
                  "comes "
                  "first, or compile with --replicate=none";
  }
  return split;
}

/// Tells the rows of examples from what merely has as many, by inference with
/// `?` in their place.
LogicalResult markSplitFetches(GraphOp graph) {
  DenseBoolArrayAttr feeds = graph.getSplitFeedsAttr();
  SmallVector<std::pair<Value, int64_t>> rows;
  auto open = [&](Value value) {
    rows.push_back({value, tensorType(value).getDimSize(0)});
    setRows(value, ShapedType::kDynamic);
  };
  for (auto [feed, isSplit] :
       llvm::zip(graph.getBlock().getArguments(), feeds.asArrayRef()))
    if (isSplit)
      open(feed);
  graph.getBody().walk(
      [&](NextOp next) { llvm::for_each(next.getFields(), open); });
  if (failed(inferOps(graph, /*openRows=*/true)))
    return failure();
  FailureOr<SmallVector<bool>> split = findSplitFetches(graph);
  if (failed(split))
    return failure();
  graph.setSplitFetches(*split);
  for (auto [value, size] : rows)
    setRows(value, size);
  return success();
}

} // namespace

LogicalResult inferShapes(GraphOp graph) {
  if (graph.getTowers() > 1 && failed(markSplitFetches(graph)))
    return failure();
  if (failed(inferOps(graph, /*openRows=*/false)))
    return failure();
  Builder builder(graph.getContext());
  graph.setFetchTypesAttr(builder.getTypeArrayAttr(
      llvm::to_vector(graph.getReturn().getValues().getTypes())));
  return success();
}

} // namespace graphc
