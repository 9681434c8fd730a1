// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialects of the compiler's tools, and of no more: what graphc-opt and
// graphc-lsp can read.
#ifndef GRAPHC_INCLUDE_GRAPHC_INITALL_H
#define GRAPHC_INCLUDE_GRAPHC_INITALL_H

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

/// Adds every dialect that some phase of the pipeline contains.
inline void registerGraphcDialects(mlir::DialectRegistry &registry) {
  registry.insert<exec::ExecDialect, tfir::TfirDialect>();
  registry.insert<mlir::arith::ArithDialect,
                  mlir::bufferization::BufferizationDialect,
                  mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect, mlir::vector::VectorDialect>();
}

} // namespace graphc

#endif
