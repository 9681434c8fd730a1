// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of blocks of a matrix into scratch, in the order in which the
// micro-kernel reads them.
#ifndef GRAPHC_LIB_TARGET_CPU_CONTRACTION_PANELPACKING_H
#define GRAPHC_LIB_TARGET_CPU_CONTRACTION_PANELPACKING_H

#include "lib/target/common/KernelBuilder.h"

namespace graphc {

/// Copies source[base + r * sourceStride + c] to
/// target[targetBase + r * targetStride + c] for r < rows, c < columns. The
/// columns up to a multiple of 16 are filled with zeros if `pad` is set.
struct CopyBlock {
  mlir::Value source, base;
  int64_t sourceStride;
  mlir::Value target, targetBase;
  int64_t targetStride;
  mlir::Value rows;
  int64_t columns;
  bool pad = false;
};
void emitCopyBlock(KernelBuilder &builder, const CopyBlock &copy);

/// Writes the transpose of a block: target[targetBase + k * targetStride + c] =
/// source[base + c * sourceStride + k] for c < columns, k < depth. The columns
/// up to a multiple of 16 are zeros if `pad` is set.
struct TransposeBlock {
  mlir::Value source, base;
  int64_t sourceStride;
  mlir::Value target, targetBase;
  int64_t targetStride;
  int64_t columns, depth;
  bool pad = false;
};
void emitTransposeBlock(KernelBuilder &builder, const TransposeBlock &block);

/// Writes `value` to target[begin, begin + count); `count` is static.
void emitFill(KernelBuilder &builder, mlir::Value target, mlir::Value begin,
              int64_t count, float value);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_CONTRACTION_PANELPACKING_H
