// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tf.Example messages: read field by field into batches, and written.
#ifndef GRAPHC_RUNTIME_DATA_TFRECORD_EXAMPLEPROTO_H
#define GRAPHC_RUNTIME_DATA_TFRECORD_EXAMPLEPROTO_H

#include "runtime/base/DType.h"
#include "runtime/base/Status.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// A field of a dataset, and the feature that has it.
struct ExampleField {
  std::string key;
  TensorType type;
};

/// Writes the fields of the message `example` to `places`. A feature of bytes
/// is the elements as they lie in memory, one of floats or integers as many
/// elements as the type has; integers must fit the type. INVALID_ARGUMENT for a
/// feature that is missing or does not fit, DATA_LOSS for bytes that are no
/// message; the text begins with what is wrong. Thread-safety: any thread.
Status readExample(std::span<const std::byte> example,
                   std::span<const ExampleField> fields,
                   std::span<std::byte *const> places);

/// A message with these fields: integers and bools as int64 features, floats as
/// float features, bytes as one value. `places` have the elements.
std::string writeExample(std::span<const ExampleField> fields,
                         std::span<const std::byte *const> places);

} // namespace graphc::runtime

#endif
