// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes that kernels carry from lowering to code generation.
#ifndef GRAPHC_LIB_TARGET_COMMON_KERNELATTRS_H
#define GRAPHC_LIB_TARGET_COMMON_KERNELATTRS_H

#include "dialects/exec/Exec.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace graphc {

/// The module of all kernels, beside the graphs.
inline constexpr llvm::StringLiteral kKernelsModule = "kernels";

/// Word of the step's state that an argument of a kernel is; null for others.
inline mlir::IntegerAttr stepStateWordOf(mlir::func::FuncOp kernel,
                                         unsigned argument) {
  return kernel.getArgAttrOfType<mlir::IntegerAttr>(
      argument, exec::ExecDialect::StepStateWordAttrHelper::getNameStr());
}
inline void setStepStateWord(mlir::func::FuncOp kernel, unsigned argument,
                             int64_t word) {
  kernel.setArgAttr(argument,
                    exec::ExecDialect::StepStateWordAttrHelper::getNameStr(),
                    mlir::Builder(kernel.getContext()).getI64IntegerAttr(word));
}
inline void removeStepStateWord(mlir::func::FuncOp kernel, unsigned argument) {
  kernel.removeArgAttr(
      argument, exec::ExecDialect::StepStateWordAttrHelper::getNameStr());
}

/// Index of the argument that a result of a kernel is written over; null for a
/// result with a buffer of its own.
inline mlir::IntegerAttr overwrittenArgument(mlir::func::FuncOp kernel,
                                             unsigned result) {
  return kernel.getResultAttrOfType<mlir::IntegerAttr>(
      result, exec::ExecDialect::InplaceAttrHelper::getNameStr());
}
inline void setOverwrittenArgument(mlir::func::FuncOp kernel, unsigned result,
                                   int64_t argument) {
  kernel.setResultAttr(
      result, exec::ExecDialect::InplaceAttrHelper::getNameStr(),
      mlir::Builder(kernel.getContext()).getI64IntegerAttr(argument));
}

/// Independent tiles of a kernel in its final form, and the bytes of memory
/// that each thread needs.
struct KernelTiles {
  int64_t units;
  int64_t scratch;
};
inline KernelTiles kernelTiles(mlir::func::FuncOp kernel) {
  mlir::MLIRContext *context = kernel.getContext();
  return {
      exec::ExecDialect::UnitsAttrHelper(context).getAttr(kernel).getInt(),
      exec::ExecDialect::ScratchAttrHelper(context).getAttr(kernel).getInt()};
}
inline void setKernelTiles(mlir::func::FuncOp kernel, KernelTiles tiles) {
  mlir::Builder b(kernel.getContext());
  exec::ExecDialect::UnitsAttrHelper(b.getContext())
      .setAttr(kernel, b.getI64IntegerAttr(tiles.units));
  exec::ExecDialect::ScratchAttrHelper(b.getContext())
      .setAttr(kernel, b.getI64IntegerAttr(tiles.scratch));
}
inline void removeKernelTiles(mlir::func::FuncOp kernel) {
  mlir::MLIRContext *context = kernel.getContext();
  exec::ExecDialect::UnitsAttrHelper(context).removeAttr(kernel);
  exec::ExecDialect::ScratchAttrHelper(context).removeAttr(kernel);
}

/// Only the graph of first values has the kernel: it runs once, so that what
/// compiling it takes counts more than its speed.
inline constexpr llvm::StringLiteral kRunsOnce = "graphc.runs_once";
inline bool runsOnce(mlir::Operation *kernel) {
  return kernel->hasAttr(kRunsOnce);
}
inline void setRunsOnce(mlir::func::FuncOp kernel) {
  kernel->setAttr(kRunsOnce, mlir::UnitAttr::get(kernel.getContext()));
}

/// Each product and each sum outside of micro-kernels is rounded, so that the
/// bits do not depend on which ops share a kernel.
inline bool roundsSeparately(mlir::ModuleOp kernels) {
  return exec::ExecDialect::SeparateRoundingAttrHelper(kernels.getContext())
      .isAttrPresent(kernels);
}
inline void setSeparateRounding(mlir::ModuleOp kernels) {
  exec::ExecDialect::SeparateRoundingAttrHelper(kernels.getContext())
      .setAttr(kernels, mlir::UnitAttr::get(kernels.getContext()));
}

/// The 32-bit words of the step's state in model.bin.
inline constexpr int64_t kStepStateWords = 8;

/// The word that result `result` of tfir.step_state stands for: seed low, seed
/// high, step low, replica.
inline int64_t stepStateWord(unsigned result) {
  return result < 3 ? result : 4;
}

} // namespace graphc

#endif
