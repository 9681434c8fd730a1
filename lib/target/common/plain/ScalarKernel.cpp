// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/common/plain/ScalarKernel.h"

#include "lib/target/common/BoolStorage.h"
#include "lib/target/common/KernelAttrs.h"
#include "lib/target/common/plain/ControlKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace graphc {

namespace {

constexpr int64_t kAlignment = 64;

bool isEmpty(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type && type.getNumElements() == 0;
}

/// The buffer of a tensor. Some shapes without elements have no LLVM type, and
/// nothing needs theirs.
MemRefType bufferOf(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  if (type.getNumElements() == 0)
    return MemRefType::get({0}, type.getElementType());
  return MemRefType::get(type.getShape(), type.getElementType());
}

/// Every linalg op becomes a linalg.generic, which storeBoolsAsBytes() asks
/// for.
LogicalResult generalize(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  SmallVector<linalg::LinalgOp> named;
  kernel.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op.getOperation()))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return op->emitError("'")
             << op->getName() << "' has no loop form; write a linalg.generic";
  }
  return success();
}

/// Leaves no op that reads or makes a tensor without elements and has a result
/// that counts: a reduction of nothing is its first value.
void dropEmptyTensors(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  SmallVector<tensor::ExtractOp> extracts;
  kernel.walk([&](tensor::ExtractOp op) {
    if (isEmpty(op.getTensor()))
      extracts.push_back(op);
  });
  for (tensor::ExtractOp op : extracts) {
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getZeroAttr(op.getType()));
  }
  SmallVector<linalg::GenericOp> generics;
  kernel.walk([&](linalg::GenericOp op) { generics.push_back(op); });
  for (linalg::GenericOp op : generics)
    if (llvm::is_contained(op.getStaticLoopRanges(), 0))
      rewriter.replaceOp(op, SmallVector<Value>(op.getDpsInits()));
}

/// The value of which `tensor` is another shape.
Value withoutReshapes(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

/// Turns one function on tensors into one on buffers.
class Bufferization {
public:
  explicit Bufferization(func::FuncOp kernel)
      : kernel(kernel), block(kernel.getBody().front()), b(kernel),
        loc(kernel.getLoc()) {}

  LogicalResult run();

private:
  void replaceArguments();
  void replaceResults();
  Value takeScratch(OpBuilder &builder, Location place, MemRefType type);
  LogicalResult storeCarried();
  LogicalResult bufferize();
  void flattenReshapes(IRRewriter &rewriter);
  LogicalResult lowerToLoops();

  func::FuncOp kernel;
  Block &block;
  OpBuilder b;
  Location loc;
  unsigned tensors = 0; ///< arguments of the function on tensors
  BlockArgument scratch;
  int64_t scratchBytes = 0;
};

/// Tensors are read from the buffers of the arguments.
void Bufferization::replaceArguments() {
  tensors = block.getNumArguments();
  b.setInsertionPointToStart(&block);
  for (unsigned i = 0; i < tensors; ++i) {
    BlockArgument tensor = block.getArgument(i);
    Value buffer = block.addArgument(bufferOf(tensor.getType()), loc);
    if (isEmpty(tensor)) {
      auto type = cast<RankedTensorType>(tensor.getType());
      tensor.replaceAllUsesWith(tensor::EmptyOp::create(b, loc, type.getShape(),
                                                        type.getElementType()));
      continue;
    }
    tensor.replaceAllUsesWith(
        bufferization::ToTensorOp::create(b, loc, tensor.getType(), buffer,
                                          /*restrict=*/true));
  }
}

/// Results are copied to their buffers at the end. One that is an argument is
/// copied before, since another may overwrite that.
void Bufferization::replaceResults() {
  Operation *ret = block.getTerminator();
  b.setInsertionPoint(ret);
  SmallVector<Value> results(ret->getOperands());
  for (Value &result : results)
    if (withoutReshapes(result).getDefiningOp<bufferization::ToTensorOp>())
      result = bufferization::AllocTensorOp::create(
          b, loc, cast<RankedTensorType>(result.getType()), ValueRange(),
          result);
  for (auto [i, result] : llvm::enumerate(results)) {
    IntegerAttr over = overwrittenArgument(kernel, i);
    Value buffer = over ? block.getArgument(tensors + over.getInt())
                        : block.addArgument(bufferOf(result.getType()), loc);
    if (isEmpty(result))
      continue;
    bufferization::MaterializeInDestinationOp::create(
        b, loc, Type(), result, buffer, /*restrict=*/false, /*writable=*/true);
  }
  ret->setOperands({});
  scratch = block.addArgument(MemRefType::get({0}, b.getI8Type()), loc);
  block.addArgument(b.getIndexType(), loc);
  block.addArgument(b.getIndexType(), loc);
  block.eraseArguments(0, tensors);
  kernel.removeArgAttrsAttr();
  kernel.removeResAttrsAttr();
  kernel.setType(b.getFunctionType(block.getArgumentTypes(), {}));
}

/// The next bytes of the scratch memory.
Value Bufferization::takeScratch(OpBuilder &builder, Location place,
                                 MemRefType type) {
  Value offset = arith::ConstantIndexOp::create(builder, place, scratchBytes);
  scratchBytes +=
      llvm::alignTo(type.getNumElements() *
                        llvm::divideCeil(type.getElementTypeBitWidth(), 8),
                    kAlignment);
  return memref::ViewOp::create(builder, place, type, scratch, offset,
                                ValueRange());
}

/// Loops and choices keep what they carry and give in scratch memory.
LogicalResult Bufferization::storeCarried() {
  return storeCarriedTensors(kernel, [&](RankedTensorType type) {
    OpBuilder start = OpBuilder::atBlockBegin(&block);
    return takeScratch(start, loc, bufferOf(type));
  });
}

LogicalResult Bufferization::bufferize() {
  bufferization::OneShotBufferizationOptions options;
  options.allocationFn = [&](OpBuilder &b, Location loc, MemRefType type,
                             ValueRange, unsigned) -> FailureOr<Value> {
    return takeScratch(b, loc, type);
  };
  // A copy of MLIR's would be a call.
  options.memCpyFn = [](OpBuilder &b, Location loc, Value from, Value to) {
    linalg::makeMemRefCopyOp(b, loc, from, to);
    return success();
  };
  bufferization::BufferizationState state;
  return bufferization::runOneShotBufferize(kernel, options, state);
}

/// Buffers are contiguous, so a reshape is the same bytes with other strides.
void Bufferization::flattenReshapes(IRRewriter &rewriter) {
  SmallVector<Operation *> reshapes;
  kernel.walk([&](Operation *op) {
    if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
      reshapes.push_back(op);
  });
  for (Operation *op : reshapes) {
    auto type = cast<MemRefType>(op->getResult(0).getType());
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
        op, type, op->getOperand(0), /*offset=*/0, type.getShape(),
        computeSuffixProduct(type.getShape()));
  }
}

/// Erases tensors whose buffers have taken their place.
void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        eraseDead(inner);
  }
}

LogicalResult Bufferization::lowerToLoops() {
  eraseDead(block);
  IRRewriter rewriter(kernel.getContext());
  flattenReshapes(rewriter);
  SmallVector<linalg::LinalgOp> ops;
  kernel.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::linalgOpToLoops(rewriter, op)))
      return op->emitError("'")
             << op->getName()
             << "' cannot become loops; write a linalg.generic";
    rewriter.eraseOp(op);
  }
  return success();
}

LogicalResult Bufferization::run() {
  replaceArguments();
  replaceResults();
  if (failed(storeCarried()) || failed(bufferize()) || failed(lowerToLoops()))
    return failure();
  scratch.setType(MemRefType::get({scratchBytes}, b.getI8Type()));
  kernel.setType(b.getFunctionType(block.getArgumentTypes(), {}));
  setKernelTiles(kernel, {/*units=*/1, scratchBytes});
  return success();
}

} // namespace

void registerScalarKernelDialects(DialectRegistry &registry) {
  registry.insert<bufferization::BufferizationDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
}

LogicalResult emitScalarKernel(func::FuncOp kernel) {
  if (failed(generalize(kernel)))
    return failure();
  storeBoolsAsBytes(kernel);
  dropEmptyTensors(kernel);
  return Bufferization(kernel).run();
}

} // namespace graphc
