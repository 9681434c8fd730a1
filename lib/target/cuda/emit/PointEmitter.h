// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One point of a linalg.generic: loads, the region, stores.
#ifndef GRAPHC_LIB_TARGET_CUDA_EMIT_POINTEMITTER_H
#define GRAPHC_LIB_TARGET_CUDA_EMIT_POINTEMITTER_H

#include "lib/target/common/fused/LoopNest.h"

namespace graphc {

/// Emits parts of `nest`, which has no fixed loop, at the indices that were
/// entered last.
class PointEmitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  PointEmitter(KernelBuilder &b, const LoopNest &nest,
               llvm::function_ref<TensorView(mlir::Value)> captured);

  int64_t size(unsigned dim) const { return sizes[dim]; }
  llvm::ArrayRef<unsigned> parallels() const { return parallelDims; }
  llvm::ArrayRef<unsigned> reductions() const { return reductionDims; }
  int64_t steps(llvm::ArrayRef<unsigned> dims) const;
  void enter(unsigned dim, mlir::Value index) { indices[dim] = index; }
  /// The indices of the loops `dims`, whose steps are numbered by `number`.
  void enter(llvm::ArrayRef<unsigned> dims, mlir::Value number);

  mlir::Value load(mlir::OpOperand &operand);
  /// Initial values of the accumulators of a reduction.
  Values initials();
  /// Computes the results of the region; a reduction reads `accumulators`, any
  /// other op its inits. The value of the operand `held` is there already.
  Values compute(llvm::ArrayRef<mlir::Value> accumulators,
                 mlir::OpOperand *held = nullptr, mlir::Value value = {});
  void store(llvm::ArrayRef<mlir::Value> values);

private:
  mlir::Value address(mlir::OpOperand &operand, const TensorView &view);

  KernelBuilder &b;
  const LoopNest &nest;
  mlir::linalg::GenericOp op;
  llvm::function_ref<TensorView(mlir::Value)> captured;
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<unsigned> parallelDims, reductionDims;
  Values indices;
};

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_EMIT_POINTEMITTER_H
