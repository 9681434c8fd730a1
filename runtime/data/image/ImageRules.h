// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules by which an encoded image becomes the elements of a field.
#ifndef GRAPHC_RUNTIME_DATA_IMAGE_IMAGERULES_H
#define GRAPHC_RUNTIME_DATA_IMAGE_IMAGERULES_H

#include "runtime/base/DType.h"

#include <cstdint>
#include <optional>

namespace graphc::runtime {

/// Encodings that are decoded. Detect: what begins as JPEG or PNG and has not
/// the size of the field.
enum class ImageKinds { Detect, None, Any, Jpeg, Png };

/// The source of output pixel i, for sizes from and to: (i + 0.5) * from / to -
/// 0.5 (half-pixel centres, as in tf.image.resize of TF 2 without antialias),
/// or i * from / to (Tf1, as in TF 1 with align_corners=False). Bilinear blends
/// the four pixels around it, in float, and rounds halves up; nearest takes
/// pixel floor((i + 0.5) * from / to), or floor(i * from / to).
enum class Resizing { None, Bilinear, BilinearTf1, Nearest, NearestTf1 };

/// In pixels; no height and width: those of the field.
struct ImageWindow {
  int64_t row = 0, column = 0, height = 0, width = 0;
};

struct ImageRules {
  ImageKinds kinds = ImageKinds::Detect;
  Resizing resizing = Resizing::None;
  /// Without resizing the window in the middle that has the field's size, with
  /// it the largest one there of the field's proportions.
  bool cropsCentre = false;
  std::optional<ImageWindow> window;
  /// A JPEG image that is to become much smaller is decoded at 1/2, 1/4 or 1/8
  /// of its size, the least that still has the field's: faster, other pixels.
  bool scalesByDct = false;

  bool isAsked() const {
    return (kinds != ImageKinds::Detect && kinds != ImageKinds::None) ||
           resizing != Resizing::None || cropsCentre || window || scalesByDct;
  }
};

/// u8[height, width, 1 or 3].
inline bool isImageType(const TensorType &type) {
  return type.dtype == DType::UInt8 && type.shape.size() == 3 &&
         type.shape[0] > 0 && type.shape[1] > 0 &&
         (type.shape[2] == 1 || type.shape[2] == 3);
}

} // namespace graphc::runtime

#endif
