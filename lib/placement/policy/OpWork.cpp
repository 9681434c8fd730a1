// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/policy/OpWork.h"

#include "dialects/tfir/Tfir.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace graphc {

namespace {

double elementsOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasStaticShape() ? double(shaped.getNumElements())
                                           : 0.0;
}

double dimOf(Value value, int64_t axis) {
  return std::max(1.0,
                  double(cast<ShapedType>(value.getType()).getDimSize(axis)));
}

/// A multiplication and an addition per element of the result and per product
/// that is added up there.
double contractionFlops(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([](tfir::MatMulOp matmul) {
        // |a| |b| |c| = (m n k)^2, transposed or not.
        return 2 * std::sqrt(elementsOf(matmul.getA().getType()) *
                             elementsOf(matmul.getB().getType()) *
                             elementsOf(matmul.getC().getType()));
      })
      .Case([](tfir::Conv2DOp conv) {
        return 2 * elementsOf(conv.getOutput().getType()) *
               elementsOf(conv.getFilter().getType()) /
               dimOf(conv.getFilter(), 3);
      })
      .Case([](tfir::Conv2DBackpropInputOp conv) {
        return 2 * elementsOf(conv.getOutBackprop().getType()) *
               elementsOf(conv.getFilter().getType()) /
               dimOf(conv.getFilter(), 3);
      })
      .Case([](tfir::Conv2DBackpropFilterOp conv) {
        return 2 * elementsOf(conv.getOutBackprop().getType()) *
               elementsOf(conv.getOutput().getType()) /
               dimOf(conv.getOutput(), 3);
      })
      .Default(0.0);
}

} // namespace

int64_t bytesOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return 0;
  Type element = shaped.getElementType();
  // Bools are bytes; a string is a pointer and a length.
  int64_t size = element.isIntOrFloat()
                     ? std::max(1u, element.getIntOrFloatBitWidth() / 8)
                     : 16;
  return shaped.getNumElements() * size;
}

OpWork workOf(Operation *op) {
  OpWork work;
  if (isa<tfir::ConstOp, tfir::ReadOp, tfir::StepStateOp, tfir::ReshapeOp,
          tfir::VariableOp, tfir::DatasetOp>(op)) {
    work.isKernel = false;
    return work;
  }
  double elements = 0;
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types) {
      work.bytes += double(bytesOf(type));
      elements = std::max(elements, elementsOf(type));
    }
  work.flops = std::max(elements, contractionFlops(op));
  return work;
}

} // namespace graphc
