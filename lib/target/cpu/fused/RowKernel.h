// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that go through their ops row by row, in scalar loops.
#ifndef GRAPHC_LIB_TARGET_CPU_FUSED_ROWKERNEL_H
#define GRAPHC_LIB_TARGET_CPU_FUSED_ROWKERNEL_H

#include "lib/target/common/fused/TensorKernel.h"

namespace graphc {

/// Division of the ops of a kernel into rows. A row is one index of the first
/// dimension of all results; an op computes the row's part of its results and
/// reads only rows of its own from the ops before it. Without rows the kernel
/// is one unit.
struct RowPlan {
  int64_t rows = 1;
  bool hasRows = false;
  /// The loop of an op that walks over the rows; ops without one are the same
  /// for all rows.
  llvm::DenseMap<mlir::Operation *, unsigned> rowLoop;
  /// The dimension of a tensor that is the row.
  llvm::DenseMap<mlir::Value, unsigned> rowDim;
};

/// The cut of `kernel`; one without rows if there is none, or if the kernel
/// overwrites an argument that rows read across.
RowPlan planRows(TensorKernel &kernel);

/// Emits the body of `kernel` by `plan` and finishes it.
void emitRowKernel(TensorKernel &kernel, const RowPlan &plan);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_FUSED_ROWKERNEL_H
