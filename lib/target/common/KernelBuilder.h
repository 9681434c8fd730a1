// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KernelBuilder: the few shorthands with which the contraction kernels are
// written: index arithmetic that folds, counted loops, flat views of buffers.
#ifndef GRAPHC_LIB_TARGET_COMMON_KERNELBUILDER_H
#define GRAPHC_LIB_TARGET_COMMON_KERNELBUILDER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphc {

/// An OpBuilder with one location. Every method emits at the insertion point;
/// index arithmetic is signed and is folded where the operands are constant.
class KernelBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t b);
  /// Quotient and remainder of a value that is not negative.
  mlir::Value div(mlir::Value a, int64_t b);
  mlir::Value rem(mlir::Value a, int64_t b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);

  using LoopBody = llvm::function_ref<void(mlir::Value)>;
  /// `for (i = lower; i < upper; i += step) body(i)`. A loop that is known to
  /// run once is emitted as its body.
  void loop(mlir::Value lower, mlir::Value upper, int64_t step, LoopBody body);

  using BlockBody = llvm::function_ref<void(mlir::Value first, int64_t size)>;
  /// Divides [0, count) into blocks of `size` and, where something is left, a
  /// smaller one: a loop over the former, then the latter.
  void blocks(int64_t count, int64_t size, BlockBody body);

  /// Emits `then` and `otherwise` for the two outcomes of `a == b`.
  void ifEqual(mlir::Value a, int64_t b, llvm::function_ref<void()> then,
               llvm::function_ref<void()> otherwise);

  /// The contiguous static memref `buffer` seen as one dimension.
  mlir::Value flatten(mlir::Value buffer);
  /// `count` f32 elements at byte `offset` of the memref<?xi8> `scratch`.
  mlir::Value floats(mlir::Value scratch, int64_t offset, int64_t count);

  /// vector<width x f32>, and a splat of `value` of that type.
  mlir::VectorType floatVector(int64_t width);
  mlir::Value splat(int64_t width, float value);
  /// The mask of the first `lanes` of `width` lanes; null if all are active.
  mlir::Value mask(int64_t width, int64_t lanes);

  /// Loads a vector of `type`; inactive lanes are zero. `mask` may be null.
  mlir::Value load(mlir::VectorType type, mlir::Value buffer,
                   mlir::ValueRange indices, mlir::Value mask = {});
  /// Stores the active lanes of `vector`. `mask` may be null.
  void store(mlir::Value vector, mlir::Value buffer, mlir::ValueRange indices,
             mlir::Value mask = {});
};

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_KERNELBUILDER_H
