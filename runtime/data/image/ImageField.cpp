// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/image/ImageField.h"

#include "runtime/data/File.h"
#include "runtime/data/image/ImageReader.h"
#include "runtime/data/image/ResizeImage.h"

#include <cstring>
#include <string>
#include <vector>

namespace graphc::runtime {

namespace {

struct Size {
  int64_t height, width;
  bool operator==(const Size &) const = default;
};

/// "480 x 640".
std::string text(const Size &size) {
  return std::to_string(size.height) + " x " + std::to_string(size.width);
}

/// The part of an image that is used.
StatusOr<ImageWindow> windowOf(const Size &image, const Size &field,
                               const ImageRules &rules) {
  bool resizes = rules.resizing != Resizing::None;
  ImageWindow window{0, 0, image.height, image.width};
  if (rules.window) {
    window = *rules.window;
    if (window.height == 0) {
      window.height = field.height;
      window.width = field.width;
    }
  } else if (rules.cropsCentre) {
    window.height = field.height;
    window.width = field.width;
    if (resizes) {
      // The largest one of the field's proportions.
      bool isWide = image.width * field.height > image.height * field.width;
      window.height =
          isWide ? image.height : image.width * field.height / field.width;
      window.width =
          isWide ? image.height * field.width / field.height : image.width;
      window.height = std::max<int64_t>(window.height, 1);
      window.width = std::max<int64_t>(window.width, 1);
    }
    window.row = (image.height - window.height) / 2;
    window.column = (image.width - window.width) / 2;
  }
  if (window.height > image.height || window.width > image.width ||
      window.row > image.height - window.height ||
      window.column > image.width - window.width)
    return invalidArgument("an image of " + text(image) +
                           " pixels, smaller than the part of " +
                           text({window.height, window.width}) +
                           " that is asked for; resize it by "
                           ":resize=bilinear");
  if (!resizes && Size{window.height, window.width} != field)
    return invalidArgument("an image of " + text(image) +
                           " pixels, but the field is declared " + text(field) +
                           "; add :resize=bilinear or :crop=centre");
  return window;
}

/// The denominator by which a JPEG image may be decoded smaller.
int64_t shrinkOf(const Size &image, const Size &field) {
  int64_t by = 8;
  while (by > 1 && ((image.height + by - 1) / by < field.height ||
                    (image.width + by - 1) / by < field.width))
    by /= 2;
  return by;
}

Status checkKind(std::span<const std::byte> bytes, const ImageRules &rules) {
  if (rules.kinds == ImageKinds::Jpeg && !isJpeg(bytes))
    return invalidArgument(isPng(bytes) ? "a PNG image where JPEG is asked for"
                                        : "bytes that are no JPEG image");
  if (rules.kinds == ImageKinds::Png && !isPng(bytes))
    return invalidArgument(isJpeg(bytes) ? "a JPEG image where PNG is asked for"
                                         : "bytes that are no PNG image");
  return Status::ok();
}

} // namespace

bool isImageField(std::span<const std::byte> bytes, const TensorType &type,
                  const ImageRules &rules) {
  if (rules.kinds == ImageKinds::None || !isImageType(type))
    return false;
  return rules.isAsked() ||
         (bytes.size() != type.numBytes() && (isJpeg(bytes) || isPng(bytes)));
}

Status decodeImageField(std::span<const std::byte> bytes,
                        const TensorType &type, const ImageRules &rules,
                        std::byte *to) {
  static thread_local ImageReader reader;
  static thread_local std::vector<std::byte> pixels;
  GRAPHC_TRY(checkKind(bytes, rules));
  GRAPHC_TRY(reader.open(bytes));
  Size field{type.shape[0], type.shape[1]};
  int64_t channels = type.shape[2];
  if (rules.scalesByDct && rules.resizing != Resizing::None && !rules.window)
    reader.shrink(shrinkOf({reader.height(), reader.width()}, field));
  Size image{reader.height(), reader.width()};
  GRAPHC_ASSIGN_OR_RETURN(ImageWindow window, windowOf(image, field, rules));
  if (image == field && window.row == 0 && window.column == 0 &&
      window.height == field.height && window.width == field.width)
    return reader.decode(channels, to);
  int64_t stride = image.width * channels;
  auto size = static_cast<uint64_t>(image.height * stride);
  if (pixels.size() < size)
    GRAPHC_TRY(resizeBytes(pixels, size, "an image"));
  GRAPHC_TRY(reader.decode(channels, pixels.data()));
  const std::byte *first =
      pixels.data() + window.row * stride + window.column * channels;
  if (Size{window.height, window.width} != field) {
    resizeImage({first, window.height, window.width, channels, stride},
                rules.resizing, field.height, field.width, to);
    return Status::ok();
  }
  auto row = static_cast<size_t>(field.width * channels);
  for (int64_t y = 0; y < field.height; ++y)
    std::memcpy(to + static_cast<size_t>(y) * row, first + y * stride, row);
  return Status::ok();
}

} // namespace graphc::runtime
