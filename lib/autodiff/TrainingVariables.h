// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables that training declares beside those of the program.
#ifndef GRAPHC_LIB_AUTODIFF_TRAININGVARIABLES_H
#define GRAPHC_LIB_AUTODIFF_TRAININGVARIABLES_H

#include "dialects/tfir/Tfir.h"

namespace graphc {

mlir::FlatSymbolRefAttr refTo(tfir::VariableOp variable);

/// A variable that is not trained, in `symbols`, too; `base_1` and so on when
/// the name is taken.
tfir::VariableOp declare(mlir::OpBuilder &builder, mlir::SymbolTable &symbols,
                         mlir::Location loc, llvm::StringRef base,
                         mlir::RankedTensorType type, double initial);

/// The same for a variable that belongs to no other: before the first graph.
tfir::VariableOp declareShared(mlir::SymbolTable &symbols, mlir::Location loc,
                               llvm::StringRef base,
                               mlir::RankedTensorType type, double initial);

/// The same for `w/NAME`: it has the type of w, stands beside it and is where
/// that is. The builder is where variables are.
tfir::VariableOp declareBeside(mlir::OpBuilder &builder,
                               tfir::VariableOp variable,
                               mlir::SymbolTable &symbols, llvm::StringRef name,
                               double initial);

} // namespace graphc

#endif
