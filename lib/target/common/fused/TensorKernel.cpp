// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The new code is emitted after the tensor ops, in the same block, so that the
// scalars and constants of the function can be used as they are; finish() then
// takes the tensor ops out.
#include "lib/target/common/fused/TensorKernel.h"

#include "lib/target/common/BodyReads.h"
#include "lib/target/common/BoolStorage.h"
#include "lib/target/common/KernelAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace graphc {
namespace {

/// Threads of a pool may have small stacks.
constexpr int64_t kStackBytes = 16384;
constexpr int64_t kAlignment = 64;

MemRefType flatMemref(Type element, int64_t count) {
  return MemRefType::get({count}, element);
}

int64_t elementBytes(Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

/// The scalar that a linalg.generic like a fill yields for every element.
Value yieldedScalar(linalg::GenericOp op, unsigned result) {
  if (op.getNumReductionLoops() != 0)
    return {};
  Value yielded = op.getBody()->getTerminator()->getOperand(result);
  if (auto argument = dyn_cast<BlockArgument>(yielded))
    if (argument.getOwner() == op.getBody()) {
      Value operand = op->getOperand(argument.getArgNumber());
      return isTensor(operand) ? Value() : operand;
    }
  return yielded.getParentRegion() == &op.getRegion() ? Value() : yielded;
}

} // namespace

TensorKernel::TensorKernel(func::FuncOp func)
    : func(func), code(func.getLoc(), OpBuilder(func.getContext())) {}

Value TensorKernel::root(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

bool TensorKernel::isResult(Value root) const {
  return llvm::any_of(outputs, [&](const Result &r) { return r.root == root; });
}

std::optional<unsigned> TensorKernel::argument(Value root) const {
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument || argument.getOwner()->getParentOp() != func)
    return {};
  return argument.getArgNumber();
}

bool TensorKernel::isOverwritten(Value root) const {
  auto number = argument(root);
  return number && llvm::any_of(outputs, [&](const Result &result) {
           return result.inPlace == number;
         });
}

bool TensorKernel::writesDirectly(const Result &result) const {
  Value written = function().getBody().front().getArgument(*result.inPlace);
  auto writer = result.root.getDefiningOp<linalg::GenericOp>();
  if (writer.getNumReductionLoops() != 0)
    return false;
  AffineMap map =
      writer.getIndexingMapMatchingResult(cast<OpResult>(result.root));
  bool after = false;
  for (linalg::GenericOp op : generics) {
    after |= op == writer;
    if (!after)
      continue;
    for (tensor::ExtractOp extract : bodyReads(op))
      if (TensorKernel::root(extract.getTensor()) == written)
        return false;
    for (OpOperand &operand : op->getOpOperands())
      if (TensorKernel::root(operand.get()) == written &&
          (op != writer || operand.get().getType() != result.root.getType() ||
           op.getMatchingIndexingMap(&operand) != map))
        return false;
  }
  return true;
}

/// A result may overwrite one argument of its own type.
LogicalResult TensorKernel::checkInPlace() {
  llvm::SmallSet<int64_t, 4> taken;
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i) {
    IntegerAttr attr = overwrittenArgument(func, i);
    if (!attr)
      continue;
    int64_t argument = attr.getInt();
    if (argument < 0 || argument >= func.getNumArguments() ||
        func.getArgumentTypes()[argument] != func.getResultTypes()[i] ||
        !taken.insert(argument).second)
      return func.emitError("result ")
             << i << " of '" << func.getName() << "' cannot overwrite argument "
             << argument
             << "; 'exec.inplace' names an argument of the same type, each "
                "at most once";
  }
  return success();
}

/// True for tensors that a kernel can hold in buffers.
static bool isSupported(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return false;
  Type element = tensor.getElementType();
  return element.isF32() || element.isF64() || element.isSignlessInteger(1) ||
         element.isSignlessInteger(8) || element.isSignlessInteger(16) ||
         element.isSignlessInteger(32) || element.isSignlessInteger(64);
}

static LogicalResult checkType(Operation *op, Type type) {
  if (!isa<ShapedType>(type) || isSupported(type))
    return success();
  return op->emitError("a kernel cannot hold a value of type ")
         << type
         << "; it needs static shapes and elements of i1, i8, i16, i32, i64, "
            "f32 or f64";
}

static LogicalResult checkOp(Operation *op) {
  for (Type type : op->getResultTypes())
    if (failed(checkType(op, type)))
      return failure();
  bool tensors = llvm::any_of(op->getOperands(), isTensor) ||
                 llvm::any_of(op->getResults(), isTensor);
  if (!tensors ||
      isa<linalg::GenericOp, tensor::EmptyOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, arith::ConstantOp, func::ReturnOp>(op))
    return success();
  return op->emitError("'")
         << op->getName()
         << "' cannot be part of a fused kernel; use linalg, tensor.empty, "
            "reshapes and constants";
}

LogicalResult TensorKernel::check() {
  if (!func.getBody().hasOneBlock())
    return func.emitError("'")
           << func.getName() << "' must have one block to become a kernel";
  for (Type type : func.getArgumentTypes())
    if (!isa<RankedTensorType>(type))
      return func.emitError("argument of type ")
             << type << " of '" << func.getName()
             << "' is no tensor; pass a scalar as a tensor of rank 0";
    else if (failed(checkType(func, type)))
      return failure();
  for (Operation &op : func.getBody().front())
    if (failed(checkOp(&op)))
      return failure();
  return success();
}

LogicalResult TensorKernel::normalize() {
  IRRewriter rewriter(func.getContext());
  SmallVector<linalg::LinalgOp> named;
  for (auto op : func.getOps<linalg::LinalgOp>())
    if (!isa<linalg::GenericOp>(op.getOperation()))
      named.push_back(op);
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return op->emitError("'")
             << op->getName() << "' has no loop form; write a linalg.generic";
  }
  if (failed(check()) || failed(checkInPlace()))
    return failure();
  storeBoolsAsBytes(func);
  addResultOps();
  collect();
  return success();
}

/// Every result becomes the result of a linalg.generic of its own, so that an
/// argument, a constant or a value that is returned twice is copied.
void TensorKernel::addResultOps() {
  Operation *ret = func.getBody().front().getTerminator();
  OpBuilder b(ret);
  llvm::DenseSet<Value> taken;
  for (OpOperand &operand : ret->getOpOperands()) {
    Value value = operand.get();
    if (isa_and_nonnull<linalg::GenericOp>(root(value).getDefiningOp()) &&
        taken.insert(root(value)).second)
      continue;
    auto type = cast<RankedTensorType>(value.getType());
    Location loc = ret->getLoc();
    Value empty =
        tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    auto copy = linalg::GenericOp::create(
        b, loc, type, value, empty, maps, iterators,
        [](OpBuilder &b, Location loc, ValueRange arguments) {
          linalg::YieldOp::create(b, loc, arguments[0]);
        });
    operand.set(copy.getResult(0));
    taken.insert(copy.getResult(0));
  }
}

void TensorKernel::collect() {
  generics.clear();
  outputs.clear();
  uniforms.clear();
  Operation *ret = func.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(ret->getOperands())) {
    Result result{root(value), {}};
    if (IntegerAttr attr = overwrittenArgument(func, i))
      result.inPlace = attr.getInt();
    outputs.push_back(result);
  }
  for (auto op : func.getOps<linalg::GenericOp>()) {
    bool inside = llvm::all_of(op->getResults(), [&](OpResult result) {
      return !isResult(result) && yieldedScalar(op, result.getResultNumber());
    });
    if (!inside)
      generics.push_back(op);
  }
}

/// Fusion keeps the producer's result where nothing else tells the sizes of the
/// loops, such as a random mask times a tensor without the leading dimension of
/// size 1. A reduction has no loop that could write one. One that reads windows,
/// of padded images, would compute the elements that they share again.
static bool canFuse(OpOperand *use) {
  Operation *producer = use->get().getDefiningOp();
  if (!producer || !producer->hasOneUse())
    return false;
  auto made = dyn_cast<linalg::GenericOp>(producer);
  auto reads = dyn_cast<linalg::GenericOp>(use->getOwner());
  if (made && reads && reads.getNumReductionLoops() != 0 &&
      !reads.getMatchingIndexingMap(use).isProjectedPermutation())
    return false;
  return !made || !reads || reads.getNumReductionLoops() == 0 ||
         linalg::getPreservedProducerResults(made, reads, use).empty();
}

LogicalResult TensorKernel::fuse() {
  RewritePatternSet patterns(func.getContext());
  linalg::populateElementwiseOpsFusionPatterns(patterns, canFuse);
  if (failed(applyPatternsGreedily(func, std::move(patterns))))
    return failure();
  addResultOps();
  collect();
  return success();
}

Value TensorKernel::uniform(Value root) {
  auto found = uniforms.find(root);
  if (found != uniforms.end())
    return found->second;
  Operation *op = root.getDefiningOp();
  auto type = cast<RankedTensorType>(root.getType());
  TypedAttr scalar;
  Value value;
  if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op))
    value = yieldedScalar(generic, cast<OpResult>(root).getResultNumber());
  else if (isa_and_nonnull<tensor::EmptyOp>(op))
    scalar = code.getZeroAttr(type.getElementType());
  else if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      scalar = splat.getSplatValue<TypedAttr>();
  if (scalar) {
    OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
    value = arith::ConstantOp::create(b, func.getLoc(), scalar);
  }
  return uniforms[root] = value;
}

void TensorKernel::begin() {
  Block &block = func.getBody().front();
  for (Operation &op : block.without_terminator())
    if (llvm::any_of(op.getResults(), isTensor))
      tensorOps.push_back(&op);
  tensorArguments = block.getNumArguments();
  Location loc = func.getLoc();
  auto addBuffer = [&](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return block.addArgument(
        flatMemref(type.getElementType(), type.getNumElements()), loc);
  };
  for (unsigned i = 0; i < tensorArguments; ++i) {
    Value tensor = block.getArgument(i);
    buffers[tensor] = addBuffer(tensor);
  }
  for (const Result &result : outputs)
    buffers[result.root] =
        result.inPlace ? buffers.lookup(block.getArgument(*result.inPlace))
                       : Value(addBuffer(result.root));
  scratch = block.addArgument(flatMemref(code.getI8Type(), 0), loc);
  first = block.addArgument(code.getIndexType(), loc);
  last = block.addArgument(code.getIndexType(), loc);
  code.setInsertionPoint(block.getTerminator());
  for (Operation *op : tensorOps)
    if (isa<arith::ConstantOp>(op) && !uniform(op->getResult(0)))
      buffers[op->getResult(0)] = constantBuffer(op->getResult(0));
}

/// The elements of a dense constant, kept beside the code.
Value TensorKernel::constantBuffer(Value root) {
  auto constant = root.getDefiningOp<arith::ConstantOp>();
  auto elements = cast<DenseElementsAttr>(constant.getValue());
  int64_t count = elements.getNumElements();
  MemRefType type = flatMemref(elements.getElementType(), count);
  auto flat = elements.reshape(
      RankedTensorType::get({count}, elements.getElementType()));
  std::string name =
      (func.getName() + "_constant" + Twine(buffers.size())).str();
  OpBuilder b(func);
  memref::GlobalOp::create(b, constant.getLoc(), name,
                           b.getStringAttr("private"), type, flat,
                           /*constant=*/true, b.getI64IntegerAttr(kAlignment));
  return memref::GetGlobalOp::create(code, type, name);
}

void TensorKernel::setBuffer(Value root, Value memref) {
  buffers[root] = memref;
}

/// The bytes of a buffer, with what aligns the next one.
static int64_t bufferBytes(Type element, int64_t count) {
  return llvm::alignTo(std::max<int64_t>(count * elementBytes(element), 1),
                       kAlignment);
}

Value TensorKernel::allocate(Type element, int64_t count) {
  int64_t bytes = bufferBytes(element, count);
  if (stackBytes + bytes > kStackBytes)
    return allocateScratch(element, count);
  stackBytes += bytes;
  return memref::AllocaOp::create(code, flatMemref(element, count),
                                  code.getI64IntegerAttr(kAlignment));
}

Value TensorKernel::allocateScratch(Type element, int64_t count) {
  int64_t bytes = bufferBytes(element, count);
  Value offset = code.constant(scratchBytes);
  scratchBytes += bytes;
  return memref::ViewOp::create(code, flatMemref(element, count), scratch,
                                offset, ValueRange{});
}

void TensorKernel::finish(int64_t units) {
  Block &block = func.getBody().front();
  Operation *ret = block.getTerminator();
  ret->setOperands({});
  for (Operation *op : llvm::reverse(tensorOps))
    op->erase();
  block.eraseArguments(0, tensorArguments);
  scratch.setType(flatMemref(code.getI8Type(), scratchBytes));
  func.setType(FunctionType::get(func.getContext(), block.getArgumentTypes(),
                                 TypeRange{}));
  func.removeResAttrsAttr();
  func.removeArgAttrsAttr();
  for (unsigned i = 0, e = block.getNumArguments() - 2; i < e; ++i) {
    func.setArgAttr(i, "llvm.noalias", code.getUnitAttr());
    func.setArgAttr(i, "llvm.align", code.getI64IntegerAttr(kAlignment));
  }
  setKernelTiles(func, {units, scratchBytes});
}

} // namespace graphc
