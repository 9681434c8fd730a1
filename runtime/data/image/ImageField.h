// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An encoded image as a field of an example.
#ifndef GRAPHC_RUNTIME_DATA_IMAGE_IMAGEFIELD_H
#define GRAPHC_RUNTIME_DATA_IMAGE_IMAGEFIELD_H

#include "runtime/base/Status.h"
#include "runtime/data/image/ImageRules.h"

#include <cstddef>
#include <span>

namespace graphc::runtime {

/// True where the rules have these bytes decoded for a field of this type.
bool isImageField(std::span<const std::byte> bytes, const TensorType &type,
                  const ImageRules &rules);

/// Decodes, crops and resizes to the type's height and width. A failure's text
/// names the image, to be put after "has ". REQUIRES: isImageType(type).
/// Thread-safety: any thread.
Status decodeImageField(std::span<const std::byte> bytes,
                        const TensorType &type, const ImageRules &rules,
                        std::byte *to);

} // namespace graphc::runtime

#endif
