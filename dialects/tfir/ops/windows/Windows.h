// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Geometry of windows over images: attributes that convolutions and pools have
// in common, their checks, and the places that follow from them.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_WINDOWS_WINDOWS_H
#define GRAPHC_DIALECTS_TFIR_OPS_WINDOWS_WINDOWS_H

#include "dialects/tfir/Support.h"

namespace graphc::tfir {

/// Attributes of an op that moves windows over the spatial dimensions of its
/// images, of which there are as many as strides.
struct WindowAttrs {
  llvm::ArrayRef<int64_t> strides;
  llvm::StringRef padding; ///< "SAME", "VALID" or "EXPLICIT"
  /// With "EXPLICIT": pixels before and after, for each dimension.
  llvm::ArrayRef<int64_t> explicitPaddings;
  llvm::ArrayRef<int64_t> dilations = {}; ///< empty: all 1

  template <typename Op> static WindowAttrs of(Op op) {
    return {op.getStrides(), op.getPadding(), op.getExplicitPaddings()};
  }
  template <typename Op> static WindowAttrs dilatedOf(Op op) {
    WindowAttrs attrs = of(op);
    attrs.dilations = op.getDilations();
    return attrs;
  }

  bool isExplicit() const { return padding == "EXPLICIT"; }
  int64_t dilation(unsigned i) const {
    return dilations.empty() ? 1 : dilations[i];
  }
  bool isDilated() const {
    return llvm::any_of(dilations, [](int64_t d) { return d != 1; });
  }
  /// Pixels from the first element of the kernel to its last one.
  int64_t extent(unsigned i, int64_t kernel) const {
    return (kernel - 1) * dilation(i) + 1;
  }
  /// True where some padding is as long as the kernel [height, width, ...],
  /// which no code for convolutions expects.
  bool isWide(llvm::ArrayRef<int64_t> kernel) const;
  /// Places and padding of a kernel along spatial dimension `i`.
  Window along(unsigned i, int64_t in, int64_t kernel) const;
  /// Pixels of padding before and after an image of that size, as far as
  /// windows reach.
  std::pair<int64_t, int64_t> pads(unsigned i, int64_t in,
                                   int64_t kernel) const;
  /// The number of places, `?` where a size is not known; failure after an
  /// error on `op` where not even one window fits, which is called `what`.
  mlir::FailureOr<int64_t> countPlaces(mlir::Operation *op, unsigned i,
                                       int64_t in, int64_t kernel,
                                       llvm::StringRef what) const;
};

/// Checks strides, padding and dilations, for `dims` spatial dimensions.
mlir::LogicalResult verifyWindowAttrs(mlir::Operation *op,
                                      const WindowAttrs &attrs, unsigned dims);

/// Checks that `format` is `last` or `first`: channels after the spatial
/// dimensions or before them.
mlir::LogicalResult verifyDataFormat(mlir::Operation *op,
                                     llvm::StringRef format,
                                     llvm::StringRef last = "NHWC",
                                     llvm::StringRef first = "NCHW");

/// The shape of the result of a convolution over `dims` spatial dimensions,
/// with channels last, or failure after an error on `op`.
mlir::FailureOr<llvm::SmallVector<int64_t>>
convolutionShape(mlir::Operation *op, mlir::RankedTensorType input,
                 mlir::RankedTensorType filter, const WindowAttrs &attrs,
                 unsigned dims = 2, int64_t groups = 1);

/// The same for a depthwise convolution of images with a filter HWCM.
mlir::FailureOr<llvm::SmallVector<int64_t>>
depthwiseShape(mlir::Operation *op, mlir::RankedTensorType input,
               mlir::RankedTensorType filter, const WindowAttrs &attrs);

/// Checks that the padding of a gradient is not wide.
mlir::LogicalResult verifyNarrowPadding(mlir::Operation *op,
                                        const WindowAttrs &attrs,
                                        mlir::RankedTensorType filter);

/// The type of pooled images with channels last, or failure after an error on
/// `op`. Unless windows may be without a pixel, paddings are less than `ksize`.
mlir::FailureOr<mlir::RankedTensorType>
pooledType(mlir::Operation *op, mlir::RankedTensorType images,
           llvm::ArrayRef<int64_t> ksize, const WindowAttrs &attrs,
           unsigned dims = 2, bool mayBeEmpty = false);

/// The type of images with channels moved from dimension 1 to the last one, and
/// back.
mlir::RankedTensorType channelsLast(mlir::RankedTensorType type);
mlir::RankedTensorType channelsFirst(mlir::RankedTensorType type);

/// The same for values, by tfir.transpose.
mlir::Value buildChannelsLast(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value images);
mlir::Value buildChannelsFirst(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value images);

/// `x` with so many zeros before and after it along an axis.
mlir::Value buildZeroPadding(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value x, int64_t axis, int64_t before,
                             int64_t after);

/// A part of `x` along one axis; `x` where that is all.
mlir::Value buildSlice(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value x, int64_t axis, int64_t begin,
                       int64_t size);

mlir::Value buildReshape(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value x, llvm::ArrayRef<int64_t> shape);

mlir::Value buildConcat(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<mlir::Value> parts, int64_t axis);

mlir::Value buildTranspose(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value x, llvm::ArrayRef<int64_t> perm);

/// `x` with `step - 1` zeros between its elements along an axis.
mlir::Value buildSpread(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value x, int64_t axis, int64_t step);

/// Every `step`-th of `count` elements of `x` along an axis, from `begin` on.
mlir::Value buildEvery(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value x, int64_t axis, int64_t begin,
                       int64_t count, int64_t step);

/// The shape of sequences as images of height 1: with a size 1 before `axis`.
llvm::SmallVector<int64_t> withHeight(llvm::ArrayRef<int64_t> shape,
                                      size_t axis = 1);

/// Paddings of sequences as those of such images.
llvm::SmallVector<int64_t>
paddingsWithHeight(llvm::ArrayRef<int64_t> explicitPaddings);

/// Calls `convolve` with the images, the filter and the type of the result of
/// each group; the results lie beside each other. Channels are the last
/// dimension.
mlir::Value buildGroups(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value images, mlir::Value filter,
                        mlir::RankedTensorType type, int64_t groups,
                        llvm::function_ref<mlir::Value(mlir::Value, mlir::Value,
                                                       mlir::RankedTensorType)>
                            convolve);

} // namespace graphc::tfir

#endif
