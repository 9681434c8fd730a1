// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of the vectors of fused kernels. The order of every sum is
// fixed here, so the bits of a result depend neither on the CPU level nor on
// how the units of a kernel are split.
#ifndef GRAPHC_LIB_TARGET_COMMON_LANES_H
#define GRAPHC_LIB_TARGET_COMMON_LANES_H

#include "lib/target/common/KernelBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace graphc {

/// Elements of a vector, whatever their type, and vectors of a block, which is
/// the most that a loop step computes.
inline constexpr int64_t kLanes = 16;
inline constexpr int64_t kVectors = 4;
inline constexpr int64_t kBlock = kLanes * kVectors;

/// True if the region of `op` can be emitted on vectors that have lanes beyond
/// the end of the tensors, which hold zeros.
bool canUseLanes(mlir::linalg::GenericOp op);

/// The op that combines result `result` of a reduction with the next element;
/// null unless it is one op with a neutral element.
mlir::Operation *combinerOf(mlir::linalg::GenericOp op, unsigned result);
bool hasCombiners(mlir::linalg::GenericOp op);

/// A vector of the neutral element of `combiner`.
mlir::Value neutralLanes(KernelBuilder &b, mlir::Operation *combiner);
/// combiner(x, y) for scalars or vectors.
mlir::Value combine(KernelBuilder &b, mlir::Operation *combiner, mlir::Value x,
                    mlir::Value y);
/// All lanes of all vectors combined to one scalar, in a fixed tree. The number
/// of vectors is a power of two.
mlir::Value combineLanes(KernelBuilder &b, mlir::Operation *combiner,
                         llvm::SmallVector<mlir::Value> vectors);

mlir::VectorType lanesOf(mlir::Type element);
/// The constant `value` for a scalar integer or a vector of them.
mlir::Value integerConstant(KernelBuilder &b, mlir::Type type, int64_t value);
/// base + offset, base + offset + 1, ...: integers of 32 bits if all numbers
/// are below `limit` and that fits, since dividing wider lanes is slow.
mlir::Value laneNumbers(KernelBuilder &b, mlir::Value base, int64_t offset,
                        int64_t limit);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_LANES_H
