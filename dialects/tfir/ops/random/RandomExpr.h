// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counted random numbers as operations, for ops that are made of them.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_RANDOM_RANDOMEXPR_H
#define GRAPHC_DIALECTS_TFIR_OPS_RANDOM_RANDOMEXPR_H

#include "dialects/tfir/Tfir.h"

namespace graphc::tfir {

/// 2^31 - 1: the index of an element is computed in 32 bits.
inline constexpr int64_t kMaxRandomElements = (int64_t(1) << 31) - 1;

/// Fails with an error on `op` when a tensor of the type has more elements.
mlir::LogicalResult verifyRandomSize(mlir::Operation *op,
                                     mlir::RankedTensorType type);

/// Uniform numbers from [0, 1), multiples of 2^-24, of the op's stream `part`;
/// streams follow from the seed, or from the op's name. `type` is of f32.
mlir::Value uniform(mlir::Operation *op, mlir::OpBuilder &b,
                    mlir::RankedTensorType type, std::optional<int64_t> seed,
                    uint32_t part);

} // namespace graphc::tfir

#endif
