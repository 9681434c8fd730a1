// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph language: attributes, interfaces and the core of its ops. Others
// include no header of this folder beside it but Names.h, NodeAttrs.h, Support.h
// and, for one group of ops, ops/TfirGROUPOps.h.
#ifndef GRAPHC_DIALECTS_TFIR_TFIR_H
#define GRAPHC_DIALECTS_TFIR_TFIR_H

#include "dialects/tfir/ContractionSpec.h"
#include "dialects/tfir/NodeAttrs.h"
#include "dialects/tfir/Traits.h"
#include "dialects/tfir/training/OptimizerUpdate.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace graphc::tfir {

/// The place of an element in a flattened tensor, `64 * blocks + rest`, as i32.
/// The two are kept apart so that generated code sees which elements are of one
/// block of 64 without having to prove it.
struct FlatIndex {
  mlir::Value blocks; ///< null: 0
  mlir::Value rest;
};

/// Compares the types of an op's results with those that its interface infers.
llvm::LogicalResult verifyInferredTypes(mlir::Operation *op);

/// Copies a body of a ControlOpInterface.
using CopyBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::Region &body, mlir::ValueRange arguments, int64_t step)>;

/// Checks what the bodies of a ControlOpInterface may have.
llvm::LogicalResult verifyControl(mlir::Operation *op);

/// `made` where it is an image, of two or three dimensions of u8 or f32; else
/// fails with an error.
mlir::FailureOr<mlir::RankedTensorType>
imageType(mlir::RankedTensorType made,
          llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace graphc::tfir

#include "dialects/tfir/TfirAttrInterfaces.h.inc"
#include "dialects/tfir/TfirAttrs.h"
#include "dialects/tfir/TfirContraction.h.inc"
#include "dialects/tfir/TfirDialect.h.inc"
#include "dialects/tfir/TfirEnums.h.inc"
#include "dialects/tfir/TfirProperties.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/tfir/TfirTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tfir/TfirAttrs.h.inc"
// After the attributes that methods of interfaces return.
#include "dialects/tfir/TfirInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/tfir/TfirCoreOps.h.inc"

#endif
