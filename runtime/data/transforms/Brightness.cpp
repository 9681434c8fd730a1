// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images that are made lighter or darker by chance.
#include "runtime/data/transforms/ExampleTransform.h"
#include "runtime/data/transforms/PixelElements.h"

namespace graphc::runtime {

namespace {

template <typename T> class Brightness final : public ExampleTransform {
public:
  Brightness(const TensorType &type, ImageShape image, float maxDelta)
      : ExampleTransform(type), image(image), maxDelta(maxDelta) {}

  void apply(const std::byte *in, std::byte *out,
             CounterRandom &random) const override {
    float delta = random.uniform(-maxDelta, maxDelta);
    if constexpr (sizeof(T) == 1)
      delta *= 255;
    for (int64_t i = 0; i < image.elements(); ++i)
      setElement<T>(out, i, static_cast<float>(elementAt<T>(in, i)) + delta);
  }

private:
  ImageShape image;
  float maxDelta;
};

} // namespace

StatusOr<std::unique_ptr<ExampleTransform>>
makeRandomBrightness(std::span<const double> numbers, const TensorType &made) {
  GRAPHC_ASSIGN_OR_RETURN(ImageShape image, imageShapeOf(made));
  if (!(numbers[0] >= 0))
    return invalidArgument("max_delta of a brightness is negative");
  auto delta = static_cast<float>(numbers[0]);
  if (made.dtype == DType::UInt8)
    return std::unique_ptr<ExampleTransform>(
        new Brightness<uint8_t>(made, image, delta));
  return std::unique_ptr<ExampleTransform>(
      new Brightness<float>(made, image, delta));
}

} // namespace graphc::runtime
