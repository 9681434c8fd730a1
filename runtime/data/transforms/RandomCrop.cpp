// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images that are cut out of larger ones, or of ones with a margin of zeros.
#include "runtime/data/transforms/ExampleTransform.h"

#include <algorithm>
#include <cstring>

namespace graphc::runtime {

namespace {

constexpr double kMaxSize = 1 << 20;

class RandomCrop final : public ExampleTransform {
public:
  RandomCrop(TensorType source, ImageShape from, ImageShape to, int64_t pad)
      : ExampleTransform(std::move(source)), from(from), to(to), pad(pad),
        pixelBytes(static_cast<size_t>(to.channels) *
                   dtypeSize(this->source().dtype)) {}

  void apply(const std::byte *in, std::byte *out,
             CounterRandom &random) const override {
    int64_t top = draw(from.height - to.height, random) - pad;
    int64_t left = draw(from.width - to.width, random) - pad;
    // Columns [begin, end) of the result are there.
    int64_t begin = std::clamp<int64_t>(-left, 0, to.width);
    int64_t end = std::clamp<int64_t>(from.width - left, begin, to.width);
    size_t rowBytes = static_cast<size_t>(to.width) * pixelBytes;
    for (int64_t y = 0; y < to.height; ++y, out += rowBytes) {
      int64_t row = top + y;
      if (row < 0 || row >= from.height || begin == end) {
        std::memset(out, 0, rowBytes);
        continue;
      }
      size_t before = static_cast<size_t>(begin) * pixelBytes;
      size_t inside = static_cast<size_t>(end - begin) * pixelBytes;
      std::memset(out, 0, before);
      std::memcpy(out + before,
                  in + static_cast<size_t>(row * from.width + left + begin) *
                           pixelBytes,
                  inside);
      std::memset(out + before + inside, 0, rowBytes - before - inside);
    }
  }

private:
  /// The first row or column, counted from the margin's.
  int64_t draw(int64_t room, CounterRandom &random) const {
    return static_cast<int64_t>(
        random.below(static_cast<uint64_t>(room + 2 * pad + 1)));
  }

  ImageShape from, to;
  int64_t pad;
  size_t pixelBytes;
};

} // namespace

StatusOr<std::unique_ptr<ExampleTransform>>
makeRandomCrop(std::span<const double> numbers, const TensorType &made) {
  GRAPHC_ASSIGN_OR_RETURN(ImageShape to, imageShapeOf(made));
  for (double number : numbers)
    if (!(number >= 0 && number <= kMaxSize))
      return invalidArgument("a crop has sizes of 0 to 1048576");
  auto pad = static_cast<int64_t>(numbers[0]);
  ImageShape from = to;
  if (numbers[1] > 0)
    from.height = static_cast<int64_t>(numbers[1]);
  if (numbers[2] > 0)
    from.width = static_cast<int64_t>(numbers[2]);
  if (from.height + 2 * pad < to.height || from.width + 2 * pad < to.width)
    return invalidArgument("a crop to " + made.toString() +
                           " is larger than what it is cut from");
  TensorType source = made;
  source.shape[0] = from.height;
  source.shape[1] = from.width;
  return std::unique_ptr<ExampleTransform>(
      new RandomCrop(std::move(source), from, to, pad));
}

} // namespace graphc::runtime
