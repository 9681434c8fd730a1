// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR bufferizes scf.while as well, but into buffers that each step allocates
// anew; memory of a kernel is given once, so each carried tensor gets one
// buffer here, which a step overwrites when all of its values are known.
#include "lib/target/common/plain/ControlKernel.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace graphc {

namespace {

RankedTensorType tensorOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// The buffers of the tensors of one op, which it carries or gives.
class ControlOp {
public:
  ControlOp(Operation *op, TakeBuffer take)
      : b(op), loc(op->getLoc()), take(take) {}

  LogicalResult convert(scf::WhileOp loop);
  void convert(scf::IfOp choice);

private:
  /// A buffer, null for a tensor without elements.
  Value bufferFor(RankedTensorType type) {
    return type.getNumElements() ? take(type) : Value();
  }
  Value load(RankedTensorType type, Value buffer) {
    if (!buffer)
      return tensor::EmptyOp::create(b, loc, type.getShape(),
                                     type.getElementType());
    return bufferization::ToTensorOp::create(b, loc, type, buffer,
                                             /*restrict=*/true);
  }
  void store(Value tensor, Value buffer) {
    if (buffer)
      bufferization::MaterializeInDestinationOp::create(
          b, loc, Type(), tensor, buffer, /*restrict=*/false,
          /*writable=*/true);
  }
  Value bufferOfOuter(Value result);
  void moveBody(Block &from, Block &to, ValueRange loaded);
  void storeNext(ValueRange yielded, ArrayRef<Value> loaded);

  OpBuilder b;
  Location loc;
  TakeBuffer take;
  SmallVector<Value> buffers; ///< of the carried tensors
};

/// Moves the ops of a body of a loop; its tensors become `loaded`, the others
/// the arguments of the block.
void ControlOp::moveBody(Block &from, Block &to, ValueRange loaded) {
  auto scalars = to.getArguments().begin();
  auto tensors = loaded.begin();
  for (BlockArgument argument : from.getArguments())
    argument.replaceAllUsesWith(tensorOf(argument) ? *tensors++
                                                   : Value(*scalars++));
  to.getOperations().splice(to.end(), from.getOperations());
}

/// Stores the next carried tensors. Where one may be, or show, a tensor that is
/// carried, all are set aside first, since values may change places.
void ControlOp::storeNext(ValueRange yielded, ArrayRef<Value> loaded) {
  bool areNew = llvm::all_of(yielded, [](Value value) {
    return value.getDefiningOp<linalg::LinalgOp>() != nullptr;
  });
  SmallVector<std::pair<Value, Value>> copies;
  for (auto [value, old, buffer] : llvm::zip(yielded, loaded, buffers)) {
    if (value == old || !buffer)
      continue;
    Value aside = areNew ? buffer : take(tensorOf(value));
    store(value, aside);
    if (!areNew)
      copies.push_back({aside, buffer});
  }
  for (auto [from, to] : copies)
    linalg::makeMemRefCopyOp(b, loc, from, to);
}

LogicalResult ControlOp::convert(scf::WhileOp loop) {
  scf::ConditionOp condition = loop.getConditionOp();
  if (!llvm::equal(condition.getArgs(), loop.getBeforeArguments()) ||
      loop.getInits().getTypes() != loop.getResultTypes())
    return loop.emitError("the loop gives other values than those that it "
                          "carries, which no target has code for; carry them");
  SmallVector<Value> scalars, tensors;
  for (Value init : loop.getInits()) {
    RankedTensorType type = tensorOf(init);
    (type ? tensors : scalars).push_back(init);
    if (!type)
      continue;
    buffers.push_back(bufferFor(type));
    store(init, buffers.back());
  }
  SmallVector<Type> types(ValueRange(scalars).getTypes());
  SmallVector<Location> places(types.size(), loc);
  auto stored = scf::WhileOp::create(b, loc, types, scalars);
  auto loadAll = [&] {
    SmallVector<Value> loaded;
    for (auto [tensor, buffer] : llvm::zip(tensors, buffers))
      loaded.push_back(load(tensorOf(tensor), buffer));
    return loaded;
  };

  Block *before = b.createBlock(&stored.getBefore(), {}, types, places);
  moveBody(*loop.getBeforeBody(), *before, loadAll());
  b.setInsertionPoint(condition);
  scf::ConditionOp::create(b, loc, condition.getCondition(),
                           before->getArguments());
  condition.erase();

  Block *after = b.createBlock(&stored.getAfter(), {}, types, places);
  SmallVector<Value> loaded = loadAll();
  moveBody(*loop.getAfterBody(), *after, loaded);
  Operation *yield = after->getTerminator();
  b.setInsertionPoint(yield);
  SmallVector<Value> next, kept;
  for (Value value : yield->getOperands())
    (tensorOf(value) ? next : kept).push_back(value);
  storeNext(next, loaded);
  scf::YieldOp::create(b, loc, kept);
  yield->erase();

  b.setInsertionPointAfter(stored);
  SmallVector<Value> results = loadAll();
  auto tensor = results.begin();
  auto scalar = stored.getResults().begin();
  for (Value result : loop.getResults())
    result.replaceAllUsesWith(tensorOf(result) ? *tensor++ : Value(*scalar++));
  loop.erase();
  return success();
}

/// The buffer of the choice around, where a result of this one is all that is
/// done with it, so that no copy is made of one choice in another, however
/// deep.
Value ControlOp::bufferOfOuter(Value result) {
  if (!result.hasOneUse() || !isa<scf::IfOp>(b.getBlock()->getParentOp()))
    return {};
  auto store =
      dyn_cast<bufferization::MaterializeInDestinationOp>(*result.user_begin());
  if (!store || store->getBlock() != b.getBlock())
    return {};
  Value buffer = store.getDest();
  store.erase();
  return buffer;
}

void ControlOp::convert(scf::IfOp choice) {
  for (Value result : choice.getResults()) {
    Value outer = bufferOfOuter(result);
    buffers.push_back(outer ? outer : bufferFor(tensorOf(result)));
  }
  auto stored = scf::IfOp::create(b, loc, TypeRange(), choice.getCondition(),
                                  /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  stored.getThenRegion().takeBody(choice.getThenRegion());
  stored.getElseRegion().takeBody(choice.getElseRegion());
  for (Region *side : {&stored.getThenRegion(), &stored.getElseRegion()}) {
    Operation *yield = side->front().getTerminator();
    b.setInsertionPoint(yield);
    for (auto [value, buffer] : llvm::zip(yield->getOperands(), buffers))
      store(value, buffer);
    yield->setOperands({});
  }
  b.setInsertionPointAfter(stored);
  for (auto [result, buffer] : llvm::zip(choice.getResults(), buffers))
    result.replaceAllUsesWith(load(tensorOf(result), buffer));
  choice.erase();
}

bool hasTensors(Operation *op) {
  return llvm::any_of(op->getResults(),
                      [](Value value) { return tensorOf(value) != nullptr; });
}

} // namespace

bool isControlKernel(func::FuncOp kernel) {
  return !kernel.getBody().empty() &&
         llvm::any_of(kernel.getBody().front(), [](Operation &op) {
           return isa<scf::WhileOp, scf::IfOp>(op);
         });
}

LogicalResult storeCarriedTensors(func::FuncOp kernel, TakeBuffer take) {
  // Outer ones first: what stands in them is moved, not copied.
  SmallVector<Operation *> ops;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::WhileOp, scf::IfOp>(op) && hasTensors(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    ControlOp each(op, take);
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      if (failed(each.convert(loop)))
        return failure();
    } else {
      each.convert(cast<scf::IfOp>(op));
    }
  }
  return success();
}

} // namespace graphc
