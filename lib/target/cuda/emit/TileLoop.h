// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes: ops whose result and operand have different innermost dimensions.
#ifndef GRAPHC_LIB_TARGET_CUDA_EMIT_TILELOOP_H
#define GRAPHC_LIB_TARGET_CUDA_EMIT_TILELOOP_H

#include "lib/target/common/fused/LoopNest.h"
#include "lib/target/cuda/emit/GpuKernel.h"

#include <optional>

namespace graphc {

/// Transposed operand: neighbours in `operand` lie along `inner`, neighbours in
/// the results along `outer`.
struct TurnedOperand {
  mlir::OpOperand *operand;
  unsigned inner, outer;
};

/// The only turned operand of a `nest` without reductions, if it is large
/// enough for tiles.
std::optional<TurnedOperand> findTurnedOperand(const LoopNest &nest);

/// Emits `nest` for a grid of at most `mostBlocks` blocks of kThreads threads.
LaunchShape emitTileLoop(KernelBuilder &b, const LoopNest &nest,
                         llvm::function_ref<TensorView(mlir::Value)> captured,
                         TurnedOperand turned, int64_t mostBlocks);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_EMIT_TILELOOP_H
