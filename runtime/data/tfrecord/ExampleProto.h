// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tf.Example messages: read field by field into batches, and written.
#ifndef GRAPHC_RUNTIME_DATA_TFRECORD_EXAMPLEPROTO_H
#define GRAPHC_RUNTIME_DATA_TFRECORD_EXAMPLEPROTO_H

#include "runtime/base/DType.h"
#include "runtime/base/Status.h"
#include "runtime/data/fields/FieldOptions.h"

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
  const FieldOptions *options = nullptr; ///< nullptr: none
};

/// Writes the fields of the message `example` to `places`. A feature of bytes
/// is the elements as they lie in memory, one of floats or integers as many
/// elements as the type has; integers must fit the type. Bytes that are a JPEG
/// or PNG image and have not the size of an image field are decoded. Options
/// say what else is done. INVALID_ARGUMENT for a feature that is missing or
/// does not fit, DATA_LOSS for bytes that are no message; the text begins with
/// what is wrong. Thread-safety: any thread.
Status readExample(std::span<const std::byte> example,
                   std::span<const ExampleField> fields,
                   std::span<std::byte *const> places);

/// The one value of a feature of bytes. FAILED_PRECONDITION: it is no such
/// feature.
StatusOr<std::span<const std::byte>>
bytesOfExample(std::span<const std::byte> example, const std::string &key);

/// A message with these fields: integers and bools as int64 features, floats as
/// float features, bytes as one value. `places` have the elements. Where
/// `encoded` has bytes for a field, these are its one value.
std::string writeExample(std::span<const ExampleField> fields,
                         std::span<const std::byte *const> places,
                         std::span<const std::vector<std::byte>> encoded = {});

} // namespace graphc::runtime

#endif
