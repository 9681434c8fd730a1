// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/transforms/ExampleTransform.h"

#include "runtime/base/Suggest.h"

namespace graphc::runtime {

namespace {

struct Entry {
  std::string_view name;
  size_t numbers; ///< how many it has
  TransformMaker *make;
};

constexpr Entry kRegistry[] = {
    {"convert_image_dtype", 0, makeImageConversion},
    {"per_image_standardization", 0, makeStandardization},
    {"random_brightness", 1, makeRandomBrightness},
    {"random_contrast", 2, makeRandomContrast},
    {"random_crop", 3, makeRandomCrop},
    {"random_flip_left_right", 0, makeFlipLeftRight},
    {"random_flip_up_down", 0, makeFlipUpDown},
};

} // namespace

StatusOr<std::unique_ptr<ExampleTransform>>
makeTransform(std::string_view name, std::span<const double> numbers,
              const TensorType &made) {
  std::vector<std::string> known;
  for (const Entry &entry : kRegistry) {
    known.emplace_back(entry.name);
    if (entry.name != name)
      continue;
    if (entry.numbers != numbers.size())
      return invalidArgument(
          "transform '" + std::string(name) + "' has " +
          std::to_string(numbers.size()) + " numbers in place of " +
          std::to_string(entry.numbers) + "; compile the model again");
    return entry.make(numbers, made);
  }
  return invalidArgument(
      unknownName("this runtime", "transform", std::string(name), known));
}

StatusOr<ImageShape> imageShapeOf(const TensorType &type) {
  size_t rank = type.shape.size();
  bool isKnown = type.dtype == DType::UInt8 || type.dtype == DType::Float32;
  if (!isKnown || (rank != 2 && rank != 3))
    return invalidArgument(type.toString() +
                           " is no image: it needs a height, a width and "
                           "perhaps channels, of u8 or f32");
  return ImageShape{type.shape[0], type.shape[1],
                    rank == 3 ? type.shape[2] : 1};
}

} // namespace graphc::runtime
