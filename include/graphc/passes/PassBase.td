// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Base of the definitions of passes: options and dialects that several have.
#ifndef GRAPHC_PASSES_PASSBASE
#define GRAPHC_PASSES_PASSBASE

include "mlir/Pass/PassBase.td"

// An option that is one of the words of an enumeration of Choices.h, which its
// help and its errors list.
class ChoiceOption<string name, string argument, string type, string init,
                   string description>
    : Option<name, argument, "::graphc::" # type,
             "::graphc::" # type # "::" # init, description>;

// Dialects of kernels on their way to LLVM.
defvar CodegenDialects = [
  "::graphc::exec::ExecDialect", "::mlir::affine::AffineDialect",
  "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
  "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
  "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
  "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect",
  "::mlir::vector::VectorDialect"];

#endif
