// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linalg.generic as loops over flat buffers.
#ifndef GRAPHC_LIB_TARGET_COMMON_FUSED_LOOPNEST_H
#define GRAPHC_LIB_TARGET_COMMON_FUSED_LOOPNEST_H

#include "lib/target/common/KernelBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace graphc {

/// Layout of a tensor: element (i, j, ...) at i * strides[0] + j * strides[1] +
/// ... of `buffer`; or one scalar for all.
struct TensorView {
  mlir::Value buffer;
  mlir::Value uniform;
  llvm::SmallVector<int64_t> strides;
  /// If not 0, the buffer has this many elements and room for whole vectors.
  int64_t paddedCount = 0;
};

/// The view of a tensor of this shape in row-major order.
TensorView rowMajorView(mlir::Value buffer, llvm::ArrayRef<int64_t> shape);

/// Returns the stride of the elements that `map` picks along loop `dim`; -1 if
/// that varies.
int64_t strideAlong(unsigned dim, mlir::AffineMap map, const TensorView &view);

/// Clones the region of `op` at the insertion point on scalars and returns what
/// it yields. `captured` tells where tensors lie that tensor.extract reads.
llvm::SmallVector<mlir::Value>
inlineBody(KernelBuilder &builder, mlir::linalg::GenericOp op,
           mlir::ValueRange arguments,
           llvm::function_ref<mlir::Value(unsigned dim)> index,
           llvm::function_ref<TensorView(mlir::Value)> captured);

/// Options for emitting a linalg.generic.
struct LoopNest {
  mlir::linalg::GenericOp op;
  llvm::SmallVector<TensorView> operands; ///< inputs, then inits
  llvm::SmallVector<TensorView> results;
  /// This loop is not emitted; its index has the given value.
  std::optional<std::pair<unsigned, mlir::Value>> fixed;
};

/// Emits the loops. The bits of a result depend on nothing but its inputs.
void emitLoopNest(KernelBuilder &builder, const LoopNest &nest,
                  llvm::function_ref<TensorView(mlir::Value)> captured);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_FUSED_LOOPNEST_H
