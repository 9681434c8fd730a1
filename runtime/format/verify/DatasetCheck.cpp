// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/verify/DatasetCheck.h"

#include "runtime/format/Quote.h"

#include <cmath>

namespace graphc::runtime {

namespace {

constexpr uint32_t kMaxTransforms = 256;
constexpr uint32_t kMaxTransformNumbers = 16;

Status checkTransform(const format::Dataset &dataset,
                      const format::Transform &transform) {
  if (transform.field() >= dataset.fields()->size())
    return dataLoss("it changes field " + std::to_string(transform.field()) +
                    " of " + std::to_string(dataset.fields()->size()));
  if (const auto *numbers = transform.numbers()) {
    if (numbers->size() > kMaxTransformNumbers)
      return dataLoss("it has " + std::to_string(numbers->size()) + " numbers");
    for (double number : *numbers)
      if (!std::isfinite(number))
        return dataLoss("one of its numbers is not finite");
  }
  return Status::ok();
}

} // namespace

Status checkReading(const format::Dataset &dataset) {
  if (dataset.min_after_dequeue() < -1 ||
      (dataset.min_after_dequeue() >= 0 &&
       dataset.min_after_dequeue() >= dataset.shuffle_buffer()))
    return dataLoss("its min_after_dequeue is not below its shuffle buffer");
  if (dataset.cycle_length() < 1 || dataset.block_length() < 1 ||
      dataset.cache() < 0)
    return dataLoss("its cycle_length or block_length is below 1, or its "
                    "cache is negative");
  for (const format::DatasetField *field : *dataset.fields())
    if (field->type()->dtype() > format::DType::String)
      return dataLoss("a field has elements of a type that no file is read as");
  int64_t fields = dataset.fields()->size();
  if (dataset.mask() < -1 || dataset.mask() >= fields)
    return dataLoss("its mask is field " + std::to_string(dataset.mask()) +
                    " of " + std::to_string(fields));
  if (dataset.mask() >= 0) {
    const format::TensorType &type =
        *dataset.fields()->Get(static_cast<uint32_t>(dataset.mask()))->type();
    if (fields < 2 || (type.shape() && type.shape()->size() > 0) ||
        (type.dtype() != format::DType::Float32 &&
         type.dtype() != format::DType::Bool))
      return dataLoss("its mask is no scalar of f32 or i1 beside other fields");
  }
  if (!dataset.transforms())
    return Status::ok();
  if (dataset.transforms()->size() > kMaxTransforms)
    return dataLoss("it has " + std::to_string(dataset.transforms()->size()) +
                    " transforms");
  for (const format::Transform *transform : *dataset.transforms())
    if (Status status = checkTransform(dataset, *transform); !status.isOk())
      return status.annotate("transform " + quote(viewOf(transform->name())));
  return Status::ok();
}

} // namespace graphc::runtime
