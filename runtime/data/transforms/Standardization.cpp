// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images of mean 0 and variance 1, and bytes as floats of 0 to 1.
#include "runtime/data/transforms/ExampleTransform.h"
#include "runtime/data/transforms/PixelElements.h"

#include <algorithm>
#include <cmath>

namespace graphc::runtime {

namespace {

class Standardization final : public ExampleTransform {
public:
  Standardization(const TensorType &type, int64_t elements)
      : ExampleTransform(type), elements(elements) {}

  void apply(const std::byte *in, std::byte *out,
             CounterRandom &) const override {
    double count = static_cast<double>(elements), sum = 0, squares = 0;
    for (int64_t i = 0; i < elements; ++i)
      sum += elementAt<float>(in, i);
    double mean = sum / count;
    for (int64_t i = 0; i < elements; ++i) {
      double distance = elementAt<float>(in, i) - mean;
      squares += distance * distance;
    }
    // As TensorFlow: an image of one colour is not divided by 0.
    double deviation =
        std::max(std::sqrt(squares / count), 1 / std::sqrt(count));
    for (int64_t i = 0; i < elements; ++i)
      setElement<float>(
          out, i,
          static_cast<float>((elementAt<float>(in, i) - mean) / deviation));
  }

private:
  int64_t elements;
};

class ImageConversion final : public ExampleTransform {
public:
  ImageConversion(TensorType source, int64_t elements)
      : ExampleTransform(std::move(source)), elements(elements) {}

  void apply(const std::byte *in, std::byte *out,
             CounterRandom &) const override {
    for (int64_t i = 0; i < elements; ++i)
      setElement<float>(
          out, i, static_cast<float>(elementAt<uint8_t>(in, i)) * (1.0f / 255));
  }

private:
  int64_t elements;
};

Status checkFloats(const TensorType &made) {
  if (made.dtype == DType::Float32)
    return Status::ok();
  return invalidArgument("the transform makes floats, not " + made.toString());
}

} // namespace

StatusOr<std::unique_ptr<ExampleTransform>>
makeStandardization(std::span<const double>, const TensorType &made) {
  GRAPHC_ASSIGN_OR_RETURN(ImageShape image, imageShapeOf(made));
  GRAPHC_TRY(checkFloats(made));
  return std::unique_ptr<ExampleTransform>(
      new Standardization(made, image.elements()));
}

StatusOr<std::unique_ptr<ExampleTransform>>
makeImageConversion(std::span<const double>, const TensorType &made) {
  GRAPHC_ASSIGN_OR_RETURN(ImageShape image, imageShapeOf(made));
  GRAPHC_TRY(checkFloats(made));
  TensorType source = made;
  source.dtype = DType::UInt8;
  return std::unique_ptr<ExampleTransform>(
      new ImageConversion(std::move(source), image.elements()));
}

} // namespace graphc::runtime
