// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops after a product that a library does itself.
#ifndef GRAPHC_LIB_TARGET_CUDA_GPUEPILOGUE_H
#define GRAPHC_LIB_TARGET_CUDA_GPUEPILOGUE_H

#include "dialects/exec/Exec.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace graphc {

/// Ops that were taken out of the body of a linalg.generic.
struct GpuEpilogue {
  exec::GpuEpilogue kind = exec::GpuEpilogue::None;
  std::optional<unsigned> bias; ///< the input that is added to each row
};

/// Takes an addition of a bias and a relu, where they come first, out of
/// `body`, whose input `accumulator` then is the result of both.
GpuEpilogue takeEpilogue(mlir::linalg::GenericOp body, unsigned accumulator);

/// C + scale * product, all that `body` does.
struct GpuUpdate {
  unsigned target; ///< the input that is C
  float scale;
};

/// The update that `body`, of one result, is.
std::optional<GpuUpdate> matchUpdate(mlir::linalg::GenericOp body,
                                     unsigned accumulator);

} // namespace graphc

#endif
