// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images that are mirrored by chance, each second one.
#include "runtime/data/transforms/ExampleTransform.h"

#include <cstring>

namespace graphc::runtime {

namespace {

/// Either copies pixels or whole rows in the other order.
class Flip final : public ExampleTransform {
public:
  Flip(const TensorType &type, size_t outer, size_t count, size_t bytes)
      : ExampleTransform(type), outer(outer), count(count), bytes(bytes) {}

  void apply(const std::byte *in, std::byte *out,
             CounterRandom &random) const override {
    if (random.below(2) == 0) {
      std::memcpy(out, in, outer * count * bytes);
      return;
    }
    for (size_t o = 0; o < outer; ++o)
      for (size_t i = 0; i < count; ++i)
        std::memcpy(out + (o * count + i) * bytes,
                    in + (o * count + count - 1 - i) * bytes, bytes);
  }

private:
  size_t outer; ///< groups, each of which is mirrored
  size_t count; ///< units of a group
  size_t bytes; ///< of a unit
};

} // namespace

StatusOr<std::unique_ptr<ExampleTransform>>
makeFlipLeftRight(std::span<const double>, const TensorType &made) {
  GRAPHC_ASSIGN_OR_RETURN(ImageShape image, imageShapeOf(made));
  return std::unique_ptr<ExampleTransform>(new Flip(
      made, static_cast<size_t>(image.height), static_cast<size_t>(image.width),
      static_cast<size_t>(image.channels) * dtypeSize(made.dtype)));
}

StatusOr<std::unique_ptr<ExampleTransform>>
makeFlipUpDown(std::span<const double>, const TensorType &made) {
  GRAPHC_ASSIGN_OR_RETURN(ImageShape image, imageShapeOf(made));
  return std::unique_ptr<ExampleTransform>(
      new Flip(made, 1, static_cast<size_t>(image.height),
               static_cast<size_t>(image.width * image.channels) *
                   dtypeSize(made.dtype)));
}

} // namespace graphc::runtime
