// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tensor<i1> -> tensor<i8>: a region compares what it reads with zero and
// extends what it yields.
#include "lib/target/common/BoolStorage.h"

#include "lib/target/common/BodyReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace graphc {
namespace {

/// The type that stores `type`; null if it is no tensor of i1.
Type byteTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isInteger(1))
    return {};
  return tensor.clone(IntegerType::get(type.getContext(), 8));
}

/// Gives `byte` to all users of the bool that it stores.
void readAsBool(OpBuilder &builder, Value byte) {
  Type i8 = builder.getIntegerType(8);
  byte.setType(i8);
  Value zero = arith::ConstantOp::create(builder, byte.getLoc(),
                                         builder.getIntegerAttr(i8, 0));
  auto read = arith::CmpIOp::create(builder, byte.getLoc(),
                                    arith::CmpIPredicate::ne, byte, zero);
  byte.replaceAllUsesExcept(read, read);
}

void convertRegion(linalg::GenericOp op) {
  Block *body = op.getBody();
  OpBuilder builder = OpBuilder::atBlockBegin(body);
  for (OpOperand &operand : op->getOpOperands())
    if (byteTensor(operand.get().getType()))
      readAsBool(builder, op.getMatchingBlockArgument(&operand));
  for (tensor::ExtractOp extract : bodyReads(op))
    if (byteTensor(extract.getTensor().getType())) {
      builder.setInsertionPointAfter(extract);
      readAsBool(builder, extract.getResult());
    }
  Operation *yield = body->getTerminator();
  builder.setInsertionPoint(yield);
  for (auto [i, result] : llvm::enumerate(op.getResultTypes()))
    if (byteTensor(result)) {
      Value byte = arith::ExtUIOp::create(builder, op.getLoc(),
                                          builder.getIntegerType(8),
                                          yield->getOperand(i));
      yield->setOperand(i, byte);
    }
}

/// Bools that are read and made outside of regions: conditions, lists.
void convertScalars(func::FuncOp func) {
  OpBuilder builder(func.getContext());
  func.walk([&](tensor::ExtractOp extract) {
    if (!byteTensor(extract.getTensor().getType()) ||
        extract->getParentOfType<linalg::GenericOp>())
      return;
    builder.setInsertionPointAfter(extract);
    readAsBool(builder, extract.getResult());
  });
  func.walk([&](tensor::FromElementsOp list) {
    if (!byteTensor(list.getType()))
      return;
    builder.setInsertionPoint(list);
    for (OpOperand &element : list->getOpOperands())
      element.set(arith::ExtUIOp::create(
          builder, list.getLoc(), builder.getIntegerType(8), element.get()));
  });
}

void convertConstant(arith::ConstantOp constant) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || !elements.getElementType().isInteger(1))
    return;
  constant.setValueAttr(cast<TypedAttr>(
      elements.mapValues(IntegerType::get(constant.getContext(), 8),
                         [](const APInt &value) { return value.zext(8); })));
}

} // namespace

void storeBoolsAsBytes(func::FuncOp func) {
  // Regions first: they look at the types of the tensors.
  func.walk([](linalg::GenericOp op) { convertRegion(op); });
  convertScalars(func);
  func.walk([](arith::ConstantOp op) { convertConstant(op); });
  func.walk([](Block *block) {
    for (BlockArgument argument : block->getArguments())
      if (Type type = byteTensor(argument.getType()))
        argument.setType(type);
  });
  func.walk([](Operation *op) {
    for (Value result : op->getResults())
      if (Type type = byteTensor(result.getType()))
        result.setType(type);
  });
  func.setFunctionType(FunctionType::get(
      func.getContext(), func.getBody().front().getArgumentTypes(),
      func.getBody().front().getTerminator()->getOperandTypes()));
}

} // namespace graphc
