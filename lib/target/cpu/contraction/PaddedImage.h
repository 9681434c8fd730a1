// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of an image as a convolution reads them: with zeros at the border.
#ifndef GRAPHC_LIB_TARGET_CPU_CONTRACTION_PADDEDIMAGE_H
#define GRAPHC_LIB_TARGET_CPU_CONTRACTION_PADDEDIMAGE_H

#include "lib/target/common/KernelBuilder.h"

namespace graphc {

/// Layout of the rows of one image. A row outside of the image may be read only
/// if `topRows` or `bottomRows` cover it.
struct PaddedImage {
  int64_t height, width, channels;      ///< Of the image in memory.
  int64_t padLeft = 0, paddedWidth = 0; ///< In pixels, not negative.
  int64_t topRows = 0, bottomRows = 0;  ///< Rows of zeros kept in scratch.
  int64_t maxRows = 0; ///< Rows of the image that are read at once.

  /// True if the rows are read where they are.
  bool isInPlace() const {
    return padLeft == 0 && paddedWidth <= width && topRows == 0 &&
           bottomRows == 0;
  }
  int64_t rowFloats() const {
    return (isInPlace() ? width : paddedWidth) * channels;
  }
  int64_t scratchFloats() const {
    return isInPlace() ? 0 : (topRows + maxRows + bottomRows) * rowFloats();
  }
};

/// A PaddedImage in a kernel.
class PaddedImageReader {
public:
  /// `images`: the flat memref of the batch; `scratch`: a flat f32 memref of
  /// scratchFloats(), or null if the image is read in place. Emits the zeros.
  PaddedImageReader(KernelBuilder &builder, const PaddedImage &layout,
                    mlir::Value images, mlir::Value scratch);

  /// Makes the rows [firstRow, lastRow) of `image` readable.
  void emitOpen(mlir::Value image, mlir::Value firstRow, mlir::Value lastRow);

  mlir::Value buffer() const { return scratch ? scratch : images; }
  /// The index in buffer() of the first element of `row`, padding included.
  mlir::Value rowBase(mlir::Value row);

private:
  KernelBuilder &b;
  PaddedImage layout;
  mlir::Value images, scratch;
  mlir::Value imageBase, firstRow;
};

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_CONTRACTION_PADDEDIMAGE_H
