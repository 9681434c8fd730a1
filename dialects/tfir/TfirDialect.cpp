// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the dialect, and the check that all its ops share.
#include "dialects/tfir/Tfir.h"

#include "dialects/tfir/Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graphc::tfir;

#include "dialects/tfir/TfirDialect.cpp.inc"
#include "dialects/tfir/TfirInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/tfir/TfirTypes.cpp.inc"

void TfirDialect::initialize() {
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tfir/TfirTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirOps.cpp.inc"
      >();
}

Operation *TfirDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstOp::create(builder, loc, type, elements);
}

LogicalResult graphc::tfir::verifyInferredTypes(Operation *op) {
  SmallVector<Type> types;
  if (failed(cast<TypeInferable>(op).inferTypes(types)))
    return failure();
  for (auto [index, result, type] : llvm::enumerate(op->getResults(), types)) {
    // `?` on either side fits any size.
    if (failed(verifyCompatibleShape(result.getType(), type)) ||
        getElementTypeOrSelf(result.getType()) != getElementTypeOrSelf(type))
      return op->emitOpError() << "gives " << type << " as result #" << index
                               << ", but " << result.getType() << " is written";
  }
  return success();
}
