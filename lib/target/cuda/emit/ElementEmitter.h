// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of a FlatPlan on the few elements that one thread computes at a time.
#ifndef GRAPHC_LIB_TARGET_CUDA_EMIT_ELEMENTEMITTER_H
#define GRAPHC_LIB_TARGET_CUDA_EMIT_ELEMENTEMITTER_H

#include "lib/target/common/fused/FlatPlan.h"
#include "lib/target/common/fused/LoopNest.h"

#include "llvm/ADT/MapVector.h"

namespace graphc {

/// Elements of a thread that are read and written by one instruction: 128 bits
/// of f32.
inline constexpr int64_t kAccess = 4;

/// Consecutive elements of the matrix.
struct Elements {
  mlir::Value first;       ///< number of the first one, in row-major order
  mlir::Value row, column; ///< of the first one
  int64_t count = 1;
  bool sameRow = true;
  bool aligned = false; ///< `first`, and `column` if sameRow, divide by kAccess
};

/// Computes what is asked for, with all it needs, at the insertion point.
/// Values of one element each; nothing is stored but by store().
class ElementEmitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  /// Cache of tensor values, by the space they are read in, at some elements.
  using Memo = llvm::MapVector<std::pair<mlir::Value, unsigned>, Values>;

  ElementEmitter(TensorKernel &kernel, const FlatPlan &plan);

  /// From here on `value` is all that `tensor` has at any element.
  void fix(mlir::Value tensor, mlir::Value value, int64_t element = 0);
  /// Loads and fixes element `at` of the arguments that are read in `space`.
  void fixLoads(Space space, mlir::Value at);
  /// Computes and fixes the results of an op whose operands are fixed, at the
  /// given row and column, of which an op of a Row (Column) uses one.
  void fixOp(const FlatOp &flat, mlir::Value row, mlir::Value column);
  /// The value of a tensor, or of an operand, that is fixed.
  mlir::Value lineValue(mlir::Value root) { return known(root, 0); }
  mlir::Value fixed(const FlatOp &flat, mlir::OpOperand &operand);

  /// The values of `tensor`, read in `space`, at `at`.
  Values values(mlir::Value tensor, Space space, const Elements &at, Memo &memo,
                int64_t element = 0);
  /// The accumulators of the reduction `flat` after the elements `at`.
  Values reduce(const FlatOp &flat, const Elements &at, Memo &memo,
                Values accumulators);
  /// Computes all full-size results at `at`, then stores them.
  void storeResults(const Elements &at, Memo &memo);

private:
  mlir::Value known(mlir::Value tensor, int64_t element);
  Values load(mlir::Value root, Space space, const Elements &at);
  void compute(const FlatOp &flat, const Elements &at, Memo &memo);
  /// The arguments of the region at each of the elements; null for inits of
  /// reductions and what is not used.
  llvm::SmallVector<Values> arguments(const FlatOp &flat, const Elements &at,
                                      Memo &memo);
  Values body(const FlatOp &flat, mlir::ValueRange arguments, mlir::Value row,
              mlir::Value column);
  mlir::Value row(const Elements &at, int64_t i);
  mlir::Value column(const Elements &at, int64_t i);
  TensorView captured(mlir::Value tensor);

  TensorKernel &kernel;
  const FlatPlan &plan;
  KernelBuilder &b;
  llvm::DenseMap<mlir::Value, const FlatOp *> makers;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> fixedValues;
};

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_EMIT_ELEMENTEMITTER_H
