// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the dialect, and the check that all its ops share.
#include "dialects/tfir/Tfir.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/PipelineAttrs.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Verify.h"
#include "dialects/tfir/gather/TfirGatherOps.h"
#include "dialects/tfir/gather/TfirScatterOps.h"
#include "dialects/tfir/ops/TfirActivationOps.h"
#include "dialects/tfir/ops/TfirScalarOps.h"
#include "dialects/tfir/ops/aggregate/TfirLossOps.h"
#include "dialects/tfir/ops/aggregate/TfirNormOps.h"
#include "dialects/tfir/ops/aggregate/TfirReductionOps.h"
#include "dialects/tfir/ops/arrange/TfirMatrixOps.h"
#include "dialects/tfir/ops/arrange/TfirShapeOps.h"
#include "dialects/tfir/ops/arrange/TfirSpatialOps.h"
#include "dialects/tfir/ops/checks/TfirCheckOps.h"
#include "dialects/tfir/ops/control/RecomputeAttr.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "dialects/tfir/ops/features/TfirFeatureOps.h"
#include "dialects/tfir/ops/images/TfirImageOps.h"
#include "dialects/tfir/ops/linear_algebra/TfirLinearOps.h"
#include "dialects/tfir/ops/random/TfirRandomOps.h"
#include "dialects/tfir/ops/recurrent/TfirRecurrentOps.h"
#include "dialects/tfir/ops/spectral/TfirSpectralOps.h"
#include "dialects/tfir/ops/windows/TfirConvOps.h"
#include "dialects/tfir/ops/windows/TfirPoolingOps.h"
#include "dialects/tfir/products/TfirProductOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graphc::tfir;

#include "dialects/tfir/TfirAttrInterfaces.cpp.inc"
#include "dialects/tfir/TfirContraction.cpp.inc"
#include "dialects/tfir/TfirDialect.cpp.inc"
#include "dialects/tfir/TfirEnums.cpp.inc"
#include "dialects/tfir/TfirInterfaces.cpp.inc"
#include "dialects/tfir/TfirProperties.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/tfir/TfirTypes.cpp.inc"

void TfirDialect::initialize() {
  registerAttributes();
  registerNodeAttrs();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tfir/TfirTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirCoreOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirActivationOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirLossOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirNormOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirReductionOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirGatherOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirScatterOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirProductOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirConvOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirPoolingOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirScalarOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirShapeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirMatrixOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirSpatialOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirCheckOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirFeatureOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirImageOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirControlOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirLinearOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirRandomOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirRecurrentOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tfir/TfirSpectralOps.cpp.inc"
      >();
}

LogicalResult TfirDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  Attribute value = attr.getValue();
  if (attr.getName() == CpuTargetAttrHelper::getNameStr()) {
    if (isa<ModuleOp>(op) && isa<StringAttr>(value))
      return success();
    return op->emitError()
           << (isa<ModuleOp>(op) ? "the module has " : "has ") << value
           << " as '" << attr.getName().getValue()
           << "', expected the name of a target of CPUs, on a module";
  }
  if (attr.getName() == JoinAttrHelper::getNameStr()) {
    auto dim = dyn_cast<IntegerAttr>(value);
    if (isa<linalg::GenericOp>(op) && dim &&
        dim.getType().isSignlessInteger(64) && dim.getInt() >= 0)
      return success();
    return op->emitOpError()
           << "has " << value << " as '" << attr.getName().getValue()
           << "', expected a dimension (i64), on a linalg.generic";
  }
  if (isPipelineAttr(attr.getName()))
    return verifyPipelineAttr(op, attr);
  if (isRecomputeAttr(attr.getName()))
    return verifyRecomputeAttr(op, attr);
  return op->emitOpError() << "has the attribute '" << attr.getName().getValue()
                           << "', which the dialect tfir does not have";
}

Operation *TfirDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstOp::create(builder, loc, type, elements);
}

LogicalResult graphc::tfir::verifyRank(Operation *op, const Twine &what,
                                       Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() <= kMaxRank)
    return success();
  return op->emitOpError() << "has " << what << " of " << tensor.getRank()
                           << " dimensions, at most " << kMaxRank
                           << " are possible; merge some with tfir.reshape";
}

LogicalResult graphc::tfir::verifyTensor(Operation *op, const Twine &what,
                                         Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : Type();
  bool isElement =
      element && (element.isF32() || element.isF64() || isHalf(element) ||
                  element.isSignlessInteger(1) || isWholeNumber(element) ||
                  isa<StringType>(element));
  if (!isElement)
    return op->emitOpError() << "has " << what << " of type " << type
                             << ", expected a tensor of f32, f64, f16, bf16, "
                                "i8 to i64, ui8 to ui64, i1 or !tfir.string";
  return verifyRank(op, what, type);
}

LogicalResult graphc::tfir::verifyInGraph(Operation *op) {
  if (!isa_and_present<ModuleOp>(op->getParentOp()))
    return success();
  return op->emitOpError() << "stands outside of a graph; move it into the "
                              "tfir.graph that it belongs to";
}

LogicalResult graphc::tfir::verifyInferredTypes(Operation *op) {
  if (failed(verifyInGraph(op)))
    return failure();
  for (Type type : op->getResultTypes())
    if (failed(verifyRank(op, "a result", type)))
      return failure();
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
