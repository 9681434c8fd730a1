// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that bring tensors into the forms that libraries of GPUs know:
// filters as [out, height, width, in] (KRSC), padding alike at both ends.
#ifndef GRAPHC_LIB_TARGET_CUDA_GPUREARRANGE_H
#define GRAPHC_LIB_TARGET_CUDA_GPUREARRANGE_H

#include "dialects/tfir/ContractionSpec.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// The zeros that a convolution adds around its images.
struct ImagePadding {
  int64_t top, bottom, left, right;

  bool isSymmetric() const { return top == bottom && left == right; }
};
ImagePadding paddingOf(const tfir::Conv2DSpec &spec);

/// Adds functions of one tensor to a module, each under a name that begins with
/// that of `kernel`, at the place of which errors are reported.
class GpuRearrange {
public:
  explicit GpuRearrange(mlir::func::FuncOp kernel) : kernel(kernel) {}

  /// A filter [height, width, in, out] as KRSC.
  mlir::func::FuncOp filter(const tfir::Conv2DSpec &spec);
  /// One in KRSC as [height, width, in, out].
  mlir::func::FuncOp plainFilter(const tfir::Conv2DSpec &spec);
  /// Images with zeros around them, and without.
  mlir::func::FuncOp pad(const tfir::Conv2DSpec &spec);
  mlir::func::FuncOp crop(const tfir::Conv2DSpec &spec);

private:
  mlir::func::FuncOp kernel;
};

} // namespace graphc

#endif
