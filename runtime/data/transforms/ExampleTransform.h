// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of single examples, as a dataset's `augment` lists them, and their
// registry.
#ifndef GRAPHC_RUNTIME_DATA_TRANSFORMS_EXAMPLETRANSFORM_H
#define GRAPHC_RUNTIME_DATA_TRANSFORMS_EXAMPLETRANSFORM_H

#include "runtime/base/DType.h"
#include "runtime/base/Status.h"
#include "runtime/data/pipeline/CounterRandom.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace graphc::runtime {

/// Makes one field of an example of another one. Images are row-major, of
/// height, width and, where there is a third dimension, channels, of u8 or f32.
/// Thread-safety: const calls may run at the same time.
class ExampleTransform {
public:
  virtual ~ExampleTransform() = default;

  /// The type of what it is made of.
  const TensorType &source() const { return from; }

  /// Reads source().numBytes() bytes, and writes as many as the made type has,
  /// elsewhere. Takes what is random from `random` alone.
  virtual void apply(const std::byte *in, std::byte *out,
                     CounterRandom &random) const = 0;

protected:
  explicit ExampleTransform(TensorType from) : from(std::move(from)) {}

private:
  TensorType from;
};

/// Makes the transform of that name, whose result has the type `made`.
/// INVALID_ARGUMENT: there is no such transform, or not for these numbers or
/// this type.
StatusOr<std::unique_ptr<ExampleTransform>>
makeTransform(std::string_view name, std::span<const double> numbers,
              const TensorType &made);

/// Sizes of an image.
struct ImageShape {
  int64_t height = 0, width = 0, channels = 1;

  int64_t pixels() const { return height * width; }
  int64_t elements() const { return pixels() * channels; }
};

/// Those of a type; INVALID_ARGUMENT where it is no image.
StatusOr<ImageShape> imageShapeOf(const TensorType &type);

/// Each makes one kind of transform; see the registry.
using TransformMaker = StatusOr<std::unique_ptr<ExampleTransform>>(
    std::span<const double> numbers, const TensorType &made);
TransformMaker makeFlipLeftRight, makeFlipUpDown, makeRandomCrop,
    makeRandomBrightness, makeRandomContrast, makeStandardization,
    makeImageConversion;

} // namespace graphc::runtime

#endif
