// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loop of every contraction: an outer product per step of the
// reduction, accumulated in registers.
#ifndef GRAPHC_LIB_TARGET_CPU_CONTRACTION_MICROKERNEL_H
#define GRAPHC_LIB_TARGET_CPU_CONTRACTION_MICROKERNEL_H

#include "lib/target/common/KernelBuilder.h"

namespace graphc {

/// One loop of the reduction, and how far each of its steps moves in the two
/// operands.
struct ReductionLoop {
  mlir::Value lower, upper;
  int64_t aStride, bStride;
};

/// acc[r][c] = sum over k of a[aBase + rowOffsets[r] + k * aStride] *
///                          b[bBase + c + k * bStride].
/// The elements of `a` are broadcast, those of `b` loaded as vectors; both are
/// 1-D f32 memrefs. The loops nest in the order given.
struct MicroKernel {
  mlir::Value a, aBase;
  llvm::SmallVector<int64_t> rowOffsets;
  mlir::Value b, bBase;
  int64_t columns, width;
  /// True if `b` may not be read beyond `columns`.
  bool maskColumns = true;
  llvm::SmallVector<ReductionLoop> loops;

  int64_t vectorsPerRow() const { return (columns + width - 1) / width; }
};

/// Emits the loops and returns the accumulators, row-major.
llvm::SmallVector<mlir::Value> emitMicroKernel(KernelBuilder &builder,
                                               const MicroKernel &kernel);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_CONTRACTION_MICROKERNEL_H
