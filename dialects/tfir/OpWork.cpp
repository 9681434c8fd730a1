// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/tfir/OpWork.h"

#include "dialects/tfir/MatmulBatch.h"
#include "dialects/tfir/ops/control/KernelControl.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

using namespace mlir;

namespace graphc {

namespace {

double elementsOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasStaticShape() ? double(shaped.getNumElements())
                                           : 0.0;
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
  if (op->hasTrait<tfir::Rematerializable>() ||
      isa<tfir::ReadOp, tfir::ReshapeOp, tfir::OptimizationBarrierOp,
          SymbolOpInterface>(op)) {
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
  work.flops = elements;
  if (auto contraction = dyn_cast<tfir::ContractionInterface>(op))
    work.flops =
        std::max(elements, contraction.getSpec().flops() *
                               static_cast<double>(tfir::batchOf(op).count()));
  // Steps of the bodies depend on the data: one of each is a lower bound.
  if (isa<tfir::KernelControlInterface>(op))
    for (Region &body : op->getRegions())
      for (Operation &inner : body.front().without_terminator())
        work.flops += workOf(&inner).flops;
  return work;
}

} // namespace graphc
