// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program language; the only header of this folder that others include.
#ifndef GRAPHC_DIALECTS_EXEC_EXEC_H
#define GRAPHC_DIALECTS_EXEC_EXEC_H

#include "dialects/tfir/Tfir.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringMap.h"

namespace graphc::exec {
/// Verifies what all instructions have, after an error where it is wrong.
llvm::LogicalResult verifyInstruction(mlir::Operation *op);
} // namespace graphc::exec

#include "dialects/exec/ExecDialect.h.inc"
#include "dialects/exec/ExecEnums.h.inc"
#include "dialects/exec/ExecInterfaces.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/exec/ExecTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/exec/ExecOps.h.inc"

namespace graphc::exec {

/// Stands between the name of a graph and its member.
inline constexpr llvm::StringLiteral kMemberMark = "#";

/// Ends the name of the variant of a graph that computes its summaries, before
/// those of a variant for the host and of a member.
inline constexpr llvm::StringLiteral kSummaryMark = "#summary";

/// Ends the name of a graph's variant for the host, before its member.
inline constexpr llvm::StringLiteral kHostMark = "#host";

/// True for a program of a graph's variant for the host, beside which there is
/// the graph itself.
bool isHostVariant(ProgramOp program);

/// Bytes of a static tensor as the runtime stores it: one per bool.
int64_t tensorBytes(mlir::RankedTensorType type);

/// The kernels of a module as GPUs run them.
class GpuKernels {
public:
  explicit GpuKernels(mlir::ModuleOp module);

  /// Null if no program on a GPU runs the kernel.
  GpuKernelOp lookup(llvm::StringRef kernel) const {
    return byName.lookup(kernel);
  }

  struct Scratch {
    int64_t bytes = 0;
    DispatchOp largest; ///< null: none is needed
  };
  /// Returns the scratch memory that the kernels of a program share.
  Scratch scratchOf(ProgramOp program) const;

private:
  llvm::StringMap<GpuKernelOp> byName;
};

} // namespace graphc::exec

#endif
