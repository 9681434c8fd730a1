// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of any ops: each op is a phase, which begins when the one before it
// is done.
#ifndef GRAPHC_LIB_TARGET_CUDA_EMIT_PHASEKERNEL_H
#define GRAPHC_LIB_TARGET_CUDA_EMIT_PHASEKERNEL_H

#include "lib/target/common/fused/TensorKernel.h"
#include "lib/target/cuda/emit/GpuKernel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace graphc {

/// The code of one launch among that of others in one function; null if it is
/// all there is.
struct PhaseLaunch {
  mlir::scf::ExecuteRegionOp code;
  LaunchShape shape;
};

/// Emits the body of `kernel`: a launch per phase, or, if all of them are
/// small, one launch of one block with barriers. REQUIRES: kernel.begin().
llvm::SmallVector<PhaseLaunch> emitPhaseKernel(TensorKernel &kernel);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_EMIT_PHASEKERNEL_H
