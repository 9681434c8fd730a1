// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/common/LowerToLinalg.h"

#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/ops/control/KernelControl.h"
#include "lib/target/common/DimensionCollapse.h"
#include "lib/target/common/KernelAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

bool isSplat(Value value) {
  auto constant = value.getDefiningOp<ConstOp>();
  return constant && cast<DenseElementsAttr>(constant.getValue()).isSplat();
}

/// Lowers one function in place.
class KernelLowering {
public:
  KernelLowering(func::FuncOp func, DimensionCollapse collapse, bool fuses)
      : func(func), b(func), collapse(collapse), fuses(fuses) {}

  void run();

private:
  RankedTensorType storageType(BlockArgument argument, RankedTensorType type);
  void lowerElementwise(ArrayRef<Operation *> ops,
                        ArrayRef<Value> passedThrough = {});
  void lowerOp(Operation *op);
  SmallVector<Value> lowerBody(Region &body, ValueRange arguments);
  Value reshaped(Value value, RankedTensorType type, Location loc);
  Value tensorOf(Value value);
  Value listedTensor(ConstOp constant, DenseElementsAttr dense,
                     RankedTensorType type);
  AffineMap mapFor(Value operand, ArrayRef<int64_t> space);
  FlatIndex flatIndex(OpBuilder &b, Location loc, ArrayRef<int64_t> space);

  func::FuncOp func;
  OpBuilder b;
  DimensionCollapse collapse;
  bool fuses; ///< elementwise ops of a body
  bool hasContraction = false;
  Value filterGradient; ///< of a convolution; null: not in the kernel
  DenseMap<Value, Value> lowered;
  DenseMap<Value, int64_t> stateWord;
};

/// The type of an argument's buffer. Outside of whole operands, dimensions of
/// size 1 are dropped, so that broadcasting is a plain projection.
RankedTensorType KernelLowering::storageType(BlockArgument argument,
                                             RankedTensorType type) {
  type = lowerType(type);
  if (collapse.kind != DimensionCollapse::Kind::None)
    return collapse.typeOf(type);
  if (llvm::any_of(argument.getUsers(),
                   [](Operation *user) { return !isa<Elementwise>(user); }))
    return type;
  // What a filter's gradient updates has its shape, so that it can be
  // overwritten.
  if (filterGradient &&
      type.getShape() == tensorType(filterGradient).getShape())
    return type;
  SmallVector<int64_t> shape;
  for (int64_t dim : type.getShape())
    if (dim != 1)
      shape.push_back(dim);
  return type.clone(shape);
}

/// The map from the iteration space to the elements of an operand.
AffineMap KernelLowering::mapFor(Value operand, ArrayRef<int64_t> space) {
  MLIRContext *context = b.getContext();
  if (stateWord.contains(operand))
    return AffineMap::get(space.size(), 0,
                          b.getAffineConstantExpr(stateWord.lookup(operand)),
                          context);
  SmallVector<AffineExpr> exprs;
  if (collapse.kind != DimensionCollapse::Kind::None) {
    if (tensorType(tensorOf(operand)).getRank() != 0)
      for (unsigned i = 0; i < space.size(); ++i)
        exprs.push_back(b.getAffineDimExpr(i));
    return AffineMap::get(space.size(), 0, exprs, context);
  }
  ArrayRef<int64_t> shape = tensorType(operand).getShape();
  bool dropped = tensorType(tensorOf(operand)).getRank() !=
                 static_cast<int64_t>(shape.size());
  size_t offset = space.size() - shape.size();
  for (auto [i, dim] : llvm::enumerate(shape)) {
    if (dim == 1 && dropped)
      continue;
    exprs.push_back(dim == 1 && space[offset + i] != 1
                        ? b.getAffineConstantExpr(0)
                        : b.getAffineDimExpr(offset + i));
  }
  return AffineMap::get(space.size(), 0, exprs, context);
}

Value KernelLowering::tensorOf(Value value) {
  if (Value tensor = lowered.lookup(value))
    return tensor;
  auto constant = value.getDefiningOp<ConstOp>();
  auto dense = cast<DenseElementsAttr>(constant.getValue());
  RankedTensorType type = lowerType(value.getType());
  if (!dense.isSplat())
    return lowered[value] = listedTensor(constant, dense, type);
  Value number = arith::ConstantOp::create(
      b, value.getLoc(),
      lowerElement(dense.getSplatValue<Attribute>(), type.getElementType()));
  // A tensor only where an op asks for one; bodies use the number itself.
  Value tensor = filledTensor(b, value.getLoc(), type, number);
  lowered[value] = tensor;
  return tensor;
}

/// A constant of a body, element by element: there is no memory of constants
/// that a kernel could read. Others are operands of the kernel.
Value KernelLowering::listedTensor(ConstOp constant, DenseElementsAttr dense,
                                   RankedTensorType type) {
  Location loc = constant.getLoc();
  SmallVector<Value> elements;
  for (Attribute element : dense.getValues<Attribute>())
    elements.push_back(arith::ConstantOp::create(
        b, loc, lowerElement(element, type.getElementType())));
  return tensor::FromElementsOp::create(b, loc, type, elements);
}

FlatIndex KernelLowering::flatIndex(OpBuilder &b, Location loc,
                                    ArrayRef<int64_t> space) {
  Type i32 = b.getI32Type();
  FlatIndex flat;
  auto add = [&](Value &sum, Value index, int64_t stride) {
    if (stride != 1)
      index = arith::MulIOp::create(
          b, loc, index,
          arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(stride)));
    sum = sum ? Value(arith::AddIOp::create(b, loc, sum, index)) : index;
  };
  constexpr int64_t kBlock = 64;
  SmallVector<int64_t> strides = computeSuffixProduct(space);
  for (auto [i, stride] : llvm::enumerate(strides)) {
    Value index = arith::IndexCastOp::create(
        b, loc, i32, linalg::IndexOp::create(b, loc, i));
    if (stride % kBlock == 0)
      add(flat.blocks, index, stride / kBlock);
    else
      add(flat.rest, index, stride);
  }
  if (!flat.rest)
    flat.rest = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  return flat;
}

/// One linalg.generic for ops whose results all have the same shape; it gives
/// the operands `passedThrough` as results, too.
void KernelLowering::lowerElementwise(ArrayRef<Operation *> ops,
                                      ArrayRef<Value> passedThrough) {
  Location loc = ops.front()->getLoc();
  RankedTensorType spaceType =
      collapse.typeOf(lowerType(ops.front()->getResult(0).getType()));
  SmallVector<int64_t> space(spaceType.getShape());
  llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());

  llvm::SetVector<Value> operands, results;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()) && !isSplat(operand))
        operands.insert(operand);
    Value result = op->getResult(0);
    if (llvm::any_of(result.getUsers(),
                     [&](Operation *user) { return !inside.contains(user); }))
      results.insert(result);
  }

  for (Value value : passedThrough) {
    operands.insert(value);
    results.insert(value);
  }

  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps;
  for (Value operand : operands) {
    inputs.push_back(tensorOf(operand));
    maps.push_back(mapFor(operand, space));
  }
  for (Value result : results) {
    RankedTensorType type = lowerType(result.getType());
    outputs.push_back(emptyTensor(b, loc, type.clone(space)));
    maps.push_back(b.getMultiDimIdentityMap(space.size()));
  }
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    DenseMap<Value, Value> scalars;
    for (auto [operand, arg] : llvm::zip_first(operands, args))
      scalars[operand] = arg;
    FlatIndex flat;
    auto index = [&]() {
      if (!flat.rest)
        flat = flatIndex(b, loc, space);
      return flat;
    };
    auto scalarOf = [&](Value value) -> Value {
      if (Value known = scalars.lookup(value))
        return known;
      auto dense =
          cast<DenseElementsAttr>(value.getDefiningOp<ConstOp>().getValue());
      Type element = lowerType(value.getType()).getElementType();
      return arith::ConstantOp::create(
          b, loc, lowerElement(dense.getSplatValue<Attribute>(), element));
    };
    for (Operation *op : ops) {
      SmallVector<Value> arguments;
      for (Value operand : op->getOperands())
        arguments.push_back(scalarOf(operand));
      scalars[op->getResult(0)] =
          cast<Elementwise>(op).buildScalar(b, op->getLoc(), arguments, index);
    }
    SmallVector<Value> values;
    for (Value result : results)
      values.push_back(scalars[result]);
    return values;
  };
  auto generic =
      buildGeneric(b, loc, inputs, outputs, maps, space.size(), {}, body);
  for (auto [result, value] : llvm::zip(results, generic.getResults()))
    lowered[result] = value;
}

void KernelLowering::lowerOp(Operation *op) {
  if (isa<Elementwise>(op))
    return lowerElementwise(op);
  if (auto sum = dyn_cast<SumOp>(op);
      sum && collapse.kind != DimensionCollapse::Kind::None) {
    // The same sum over the merged dimensions.
    Value x = tensorOf(sum.getX());
    bool leading = collapse.kind == DimensionCollapse::Kind::Leading;
    RankedTensorType to = collapse.typeOf(lowerType(sum.getY().getType()));
    auto flat =
        SumOp::create(b, op->getLoc(), to, x,
                      b.getDenseI64ArrayAttr({leading ? 0 : 1}), UnitAttr());
    lowered[sum.getY()] = flat.lowerToLinalg(b, x)[0];
    flat.erase();
    return;
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(tensorOf(operand));
  if (isa<ReshapeOp>(op)) {
    lowered[op->getResult(0)] = reshaped(
        operands.front(), lowerType(op->getResult(0).getType()), op->getLoc());
    return;
  }
  if (isa<ContractionInterface>(op)) {
    Operation *copy = b.clone(*op);
    copy->setOperands(operands);
    for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
      lowered[from] = to;
    return;
  }
  auto lower = [&](Region &body, ValueRange arguments) {
    return lowerBody(body, arguments);
  };
  auto control = dyn_cast<KernelControlInterface>(op);
  SmallVector<Value> results =
      control ? control.lowerToScf(b, operands, lower)
              : cast<Lowerable>(op).lowerToLinalg(b, operands);
  for (auto [from, to] : llvm::zip(op->getResults(), results))
    lowered[from] = to;
}

/// The same elements in another shape.
Value KernelLowering::reshaped(Value value, RankedTensorType type,
                               Location loc) {
  RankedTensorType from = tensorType(value);
  if (from == type)
    return value;
  auto allDims = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups(1);
    for (int64_t dim = 0; dim < rank; ++dim)
      groups[0].push_back(dim);
    return rank == 0 ? SmallVector<ReassociationIndices>() : groups;
  };
  if (from.getRank() != 1)
    value = from.getRank() == 0
                ? Value(tensor::ExpandShapeOp::create(b, loc, from.clone({1}),
                                                      value, allDims(0)))
                : Value(tensor::CollapseShapeOp::create(
                      b, loc, from.clone({from.getNumElements()}), value,
                      allDims(from.getRank())));
  if (type.getRank() == 1)
    return value;
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, loc, type, value, allDims(0));
  return tensor::ExpandShapeOp::create(b, loc, type, value,
                                       allDims(type.getRank()));
}

/// The ops of a body, of which elementwise ones of one shape that follow each
/// other share a linalg op, where the target fuses.
SmallVector<Value> KernelLowering::lowerBody(Region &body,
                                             ValueRange arguments) {
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    if (value)
      lowered[argument] = value;
  SmallVector<Operation *> together;
  auto flush = [&] {
    if (!together.empty())
      lowerElementwise(together);
    together.clear();
  };
  auto shapeOf = [](Operation *op) {
    return tensorType(op->getResult(0)).getShape();
  };
  for (Operation &op : body.front().without_terminator()) {
    if (isa<ConstOp>(op))
      continue;
    bool joins = isa<Elementwise>(op);
    if (!together.empty() &&
        (!joins || !fuses || shapeOf(&op) != shapeOf(together.front())))
      flush();
    if (joins)
      together.push_back(&op);
    else
      lowerOp(&op);
  }
  flush();
  SmallVector<Value> yielded;
  for (Value value : body.front().getTerminator()->getOperands())
    yielded.push_back(tensorOf(value));
  return yielded;
}

void KernelLowering::run() {
  Block &block = func.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator()) {
    hasContraction |= isa<ContractionInterface>(&op);
    if (auto gradient = dyn_cast<Conv2DBackpropFilterOp>(op))
      filterGradient = gradient.getOutput();
    ops.push_back(&op);
  }

  // Arguments get the types of their buffers.
  SmallVector<Type> argumentTypes;
  for (BlockArgument argument : block.getArguments()) {
    IntegerAttr word = stepStateWordOf(func, argument.getArgNumber());
    if (word)
      stateWord[argument] = word.getInt();
    argumentTypes.push_back(
        word ? RankedTensorType::get({kStepStateWords}, b.getI32Type())
             : storageType(argument, tensorType(argument)));
  }
  auto *fresh = new Block();
  func.getBody().push_back(fresh);
  b.setInsertionPointToStart(fresh);
  for (auto [argument, type] : llvm::zip(block.getArguments(), argumentTypes))
    lowered[argument] = fresh->addArgument(type, argument.getLoc());

  // Elementwise ops after a contraction, or over one merged shape, become one
  // body; the others one each.
  SmallVector<Operation *> elementwise;
  bool together =
      hasContraction || collapse.kind != DimensionCollapse::Kind::None;
  SmallVector<Operation *> sums;
  for (Operation *op : ops) {
    if (isa<ConstOp>(op))
      continue;
    if (together && isa<Elementwise>(op))
      elementwise.push_back(op);
    else if (collapse.kind == DimensionCollapse::Kind::Trailing)
      sums.push_back(op);
    else
      lowerOp(op);
  }
  if (!elementwise.empty()) {
    // The result of a contraction is stored by the same body.
    SmallVector<Value> kept;
    for (Value value : block.getTerminator()->getOperands())
      if (isa_and_present<ContractionInterface>(value.getDefiningOp()))
        kept.push_back(value);
    lowerElementwise(elementwise, kept);
  }
  for (Operation *op : sums)
    lowerOp(op);

  SmallVector<Value> returned;
  for (Value value : block.getTerminator()->getOperands())
    returned.push_back(tensorOf(value));
  func::ReturnOp::create(b, func.getLoc(), returned);
  block.dropAllDefinedValueUses();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    op.erase();
  block.erase();
  func.setType(
      b.getFunctionType(argumentTypes, ValueRange(returned).getTypes()));
}

} // namespace

void lowerToLinalg(func::FuncOp kernel, bool fuses) {
  DimensionCollapse collapse;
  if (fuses)
    collapse = findCollapse(kernel);
  KernelLowering(kernel, collapse, fuses).run();
}

} // namespace graphc
