// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images whose channels are drawn away from their means, or to them.
#include "runtime/data/transforms/ExampleTransform.h"
#include "runtime/data/transforms/PixelElements.h"

namespace graphc::runtime {

namespace {

template <typename T> class Contrast final : public ExampleTransform {
public:
  Contrast(const TensorType &type, ImageShape image, float lower, float upper)
      : ExampleTransform(type), image(image), lower(lower), upper(upper) {}

  void apply(const std::byte *in, std::byte *out,
             CounterRandom &random) const override {
    float factor = random.uniform(lower, upper);
    for (int64_t channel = 0; channel < image.channels; ++channel) {
      double sum = 0;
      for (int64_t i = channel; i < image.elements(); i += image.channels)
        sum += elementAt<T>(in, i);
      auto mean = static_cast<float>(sum / static_cast<double>(image.pixels()));
      for (int64_t i = channel; i < image.elements(); i += image.channels)
        setElement<T>(
            out, i,
            (static_cast<float>(elementAt<T>(in, i)) - mean) * factor + mean);
    }
  }

private:
  ImageShape image;
  float lower, upper;
};

} // namespace

StatusOr<std::unique_ptr<ExampleTransform>>
makeRandomContrast(std::span<const double> numbers, const TensorType &made) {
  GRAPHC_ASSIGN_OR_RETURN(ImageShape image, imageShapeOf(made));
  if (!(numbers[0] >= 0 && numbers[0] < numbers[1]))
    return invalidArgument("the factors of a contrast have no range");
  auto lower = static_cast<float>(numbers[0]);
  auto upper = static_cast<float>(numbers[1]);
  if (made.dtype == DType::UInt8)
    return std::unique_ptr<ExampleTransform>(
        new Contrast<uint8_t>(made, image, lower, upper));
  return std::unique_ptr<ExampleTransform>(
      new Contrast<float>(made, image, lower, upper));
}

} // namespace graphc::runtime
