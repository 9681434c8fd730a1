// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions so long, to so few results, that blocks share them.
#ifndef GRAPHC_LIB_TARGET_CUDA_EMIT_STAGEDREDUCTION_H
#define GRAPHC_LIB_TARGET_CUDA_EMIT_STAGEDREDUCTION_H

#include "lib/target/common/fused/LoopNest.h"
#include "lib/target/cuda/emit/GpuKernel.h"

namespace graphc {

/// Fewer results than this leave a GPU idle if a block makes each of them; but
/// only reductions of many elements are worth a second launch.
inline constexpr int64_t kFewResults = 64;
inline constexpr int64_t kLongReduction = 65536;

/// The parts of each result of `op`, from its shape alone; 1 if it is not worth
/// two stages, or what combines the parts is not known.
int64_t reductionParts(mlir::linalg::GenericOp op);

/// The first stage: element point * parts + part of partials[i] becomes what
/// the steps of the part combine to, for result i.
LaunchShape emitPartials(KernelBuilder &b, const LoopNest &nest,
                         llvm::function_ref<TensorView(mlir::Value)> captured,
                         int64_t parts, mlir::ValueRange partials);

/// The second stage: the partials and the inits become the results.
LaunchShape emitRest(KernelBuilder &b, const LoopNest &nest,
                     llvm::function_ref<TensorView(mlir::Value)> captured,
                     int64_t parts, mlir::ValueRange partials);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_EMIT_STAGEDREDUCTION_H
