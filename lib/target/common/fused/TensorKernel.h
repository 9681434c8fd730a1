// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorKernel: a function on tensors that is being turned into a kernel on
// buffers. It answers what the tensor ops are and where each tensor lies, so
// that the emitters (FlatKernel, RowKernel) only write loops.
#ifndef GRAPHC_LIB_TARGET_COMMON_FUSED_TENSORKERNEL_H
#define GRAPHC_LIB_TARGET_COMMON_FUSED_TENSORKERNEL_H

#include "lib/target/common/KernelBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace graphc {

/// A value and its reshapes are one tensor with one buffer: the buffer is a
/// memref of rank 1, in row-major order. `root` names the tensor.
class TensorKernel {
public:
  /// Tensor that a function result is.
  struct Result {
    mlir::Value root;                ///< always the result of a linalg.generic
    std::optional<unsigned> inPlace; ///< the argument that it overwrites
  };

  explicit TensorKernel(mlir::func::FuncOp func);

  /// Brings the function to the form that the emitters know (only
  /// linalg.generic on static shapes, no tensors of bool, a linalg.generic per
  /// result); fails with a diagnostic if it holds anything else.
  mlir::LogicalResult normalize();
  /// Merges elementwise ops into their only user, so that fewer temporaries
  /// are needed. REQUIRES: nothing was emitted yet.
  mlir::LogicalResult fuse();

  mlir::func::FuncOp function() const { return func; }
  /// The ops in order, without those whose result is uniform and stays inside.
  llvm::ArrayRef<mlir::linalg::GenericOp> ops() const { return generics; }
  llvm::ArrayRef<Result> results() const { return outputs; }
  bool isResult(mlir::Value root) const;
  /// The argument of the function that `root` is, if it is one.
  std::optional<unsigned> argument(mlir::Value root) const;
  /// True if a result overwrites the argument `root`.
  bool isOverwritten(mlir::Value root) const;
  /// True if the op that makes `result` may write it over its argument at once:
  /// it reads no other element of that argument, and no op after it does.
  bool writesDirectly(const Result &result) const;

  static mlir::Value root(mlir::Value tensor);
  /// The scalar that every element of `root` equals, if that is known.
  mlir::Value uniform(mlir::Value root);

  /// Adds the kernel's arguments and gives the arguments and results of the
  /// function their buffers. From here on code may be emitted.
  void begin();
  KernelBuilder &builder() { return code; }
  mlir::Value beginUnit() const { return first; }
  mlir::Value endUnit() const { return last; }
  /// Null if the tensor has no buffer.
  mlir::Value buffer(mlir::Value root) { return buffers.lookup(root); }
  void setBuffer(mlir::Value root, mlir::Value memref);
  /// A new buffer: on the stack if it is small, else in the scratch memory.
  mlir::Value allocate(mlir::Type element, int64_t count);
  mlir::Value allocateScratch(mlir::Type element, int64_t count);
  /// Erases the tensors; the function is then the kernel.
  void finish(int64_t units);

private:
  mlir::LogicalResult check();
  mlir::LogicalResult checkInPlace();
  void addResultOps();
  void collect();
  mlir::Value constantBuffer(mlir::Value root);

  mlir::func::FuncOp func;
  KernelBuilder code;
  llvm::SmallVector<mlir::linalg::GenericOp> generics;
  llvm::SmallVector<Result> outputs;
  llvm::DenseMap<mlir::Value, mlir::Value> uniforms;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::SmallVector<mlir::Operation *> tensorOps; ///< erased by finish()
  mlir::BlockArgument scratch;
  mlir::Value first, last;
  unsigned tensorArguments = 0;
  int64_t stackBytes = 0;
  int64_t scratchBytes = 0;
};

/// The largest number of elements that is worth no second thread.
inline constexpr int64_t kSerialElements = 16384;
/// Least number of elements of one unit of a kernel, if there are more units.
inline constexpr int64_t kUnitElements = 4096;

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_FUSED_TENSORKERNEL_H
