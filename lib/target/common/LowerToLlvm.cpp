// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers kernels to the LLVM dialect in two steps:
//   expand   math functions become polynomials; affine, strided memrefs and
//            vector transfers become plain arithmetic, loads and stores
//   convert  scf to branches, then everything to the LLVM dialect at once
// Patterns are applied directly instead of through a dozen passes: with thirty
// small kernels most of the time of a pass pipeline is its overhead.
#include "lib/target/common/LowerToLlvm.h"

#include "lib/target/common/math/ExpandMath.h"
#include "lib/target/common/KernelAttrs.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace graphc {
namespace {

/// True if `func` holds one of `Ops`.
template <typename... Ops> bool contains(func::FuncOp func) {
  return func
      ->walk([](Operation *op) {
        return isa<Ops...>(op) ? WalkResult::interrupt()
                               : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Turns what has no direct LLVM form into what has. Kernels that use none of
/// it, the fused ones, are not rewritten at all.
LogicalResult expandMemory(func::FuncOp func) {
  MLIRContext *context = func.getContext();
  if (contains<vector::TransferReadOp, vector::TransferWriteOp>(func)) {
    RewritePatternSet patterns(context);
    populateVectorToSCFConversionPatterns(
        patterns, VectorTransferToSCFOptions().enableFullUnroll());
    vector::populateVectorTransferLoweringPatterns(patterns, 1);
    if (failed(applyPatternsGreedily(func, std::move(patterns))))
      return failure();
  }
  if (contains<memref::SubViewOp, memref::CollapseShapeOp,
               memref::ExpandShapeOp, memref::ReinterpretCastOp>(func)) {
    RewritePatternSet patterns(context);
    memref::populateFoldMemRefAliasOpPatterns(patterns);
    memref::populateExpandStridedMetadataPatterns(patterns);
    if (failed(applyPatternsGreedily(func, std::move(patterns))))
      return failure();
  }
  if (!contains<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp,
                affine::AffineForOp>(func))
    return success();
  RewritePatternSet patterns(context);
  populateAffineToStdConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.addIllegalDialect<affine::AffineDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(func, target, std::move(patterns));
}

LogicalResult convertLoops(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target.addIllegalDialect<scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

LogicalResult convertToLlvm(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  target.addLegalDialect<NVVM::NVVMDialect>();
  return applyFullConversion(module, target, std::move(patterns));
}

} // namespace

/// LLVM leaves open what the conversion of a NaN gives, and what follows from
/// it: folded with a constant, the NaN that exp() would give became a number.
/// Frozen, it is some integer, which costs nothing.
static void freezeConversions(ModuleOp kernels) {
  kernels.walk([](Operation *op) {
    if (!isa<LLVM::FPToSIOp, LLVM::FPToUIOp>(op))
      return;
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    Value result = op->getResult(0);
    auto frozen = LLVM::FreezeOp::create(b, op->getLoc(), result);
    result.replaceAllUsesExcept(frozen, frozen);
  });
}

LogicalResult lowerBodiesToLlvm(ModuleOp kernels) {
  bool contract = !roundsSeparately(kernels);
  for (auto func : kernels.getOps<func::FuncOp>())
    if (failed(expandMath(func, contract)) || failed(expandMemory(func)))
      return failure();
  // Translation to LLVM IR warns about attributes of parameters that it does
  // not know.
  for (auto func : kernels.getOps<func::FuncOp>())
    for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
      removeStepStateWord(func, i);
  if (failed(convertLoops(kernels)) || failed(convertToLlvm(kernels)))
    return failure();
  freezeConversions(kernels);
  return success();
}

} // namespace graphc
