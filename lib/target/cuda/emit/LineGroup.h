// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads that reduce one line of a matrix, a row or a column, together.
#ifndef GRAPHC_LIB_TARGET_CUDA_EMIT_LINEGROUP_H
#define GRAPHC_LIB_TARGET_CUDA_EMIT_LINEGROUP_H

#include "lib/target/cuda/emit/Threads.h"

namespace graphc {

/// Division of a thread block among lines. Neighbouring threads read
/// neighbouring elements: of one row, or, where lines are columns, of
/// neighbouring columns (`interleaved`). Sizes are powers of two. A group
/// either fits into a warp, is the whole block, or is interleaved, with at most
/// 32 lines or one thread per line.
struct LineGroup {
  int64_t threads = 32; ///< of a block
  int64_t lines = 1;    ///< of a block
  bool interleaved = false;

  int64_t lanes() const { return threads / lines; } ///< threads of a line
  bool spansWarps() const {
    return lanes() >
           (interleaved ? std::max<int64_t>(kWarp / lines, 1) : kWarp);
  }
};

/// The line in the block, and the number among its threads, of `thread`.
mlir::Value lineOf(KernelBuilder &b, const LineGroup &group,
                   mlir::Value thread);
mlir::Value laneOf(KernelBuilder &b, const LineGroup &group,
                   mlir::Value thread);

/// The `value`s of all threads of a line, combined in a fixed tree; every
/// thread gets the result. REQUIRES: all threads of the block get here.
mlir::Value combineLine(KernelBuilder &b, const LineGroup &group,
                        mlir::Value thread, mlir::Operation *combiner,
                        mlir::Value value);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_EMIT_LINEGROUP_H
