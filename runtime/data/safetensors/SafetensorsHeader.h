// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The header of a safetensors file: made for a list of tensors, and read with
// all its claims verified.
#ifndef GRAPHC_RUNTIME_DATA_SAFETENSORS_SAFETENSORSHEADER_H
#define GRAPHC_RUNTIME_DATA_SAFETENSORS_SAFETENSORSHEADER_H

#include "runtime/base/Status.h"
#include "runtime/data/File.h"
#include "runtime/data/HostTensor.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// The texts in a file's "__metadata__".
using SafetensorsMetadata = std::map<std::string, std::string>;

/// One tensor of a header.
struct SafetensorsEntry {
  std::string name;
  TensorType type;
  uint64_t begin; ///< of its bytes after the header
  uint64_t end;
};

struct SafetensorsHeader {
  std::string text; ///< as it stands in the file, without its length
  std::vector<SafetensorsEntry> entries; ///< sorted by name
  SafetensorsMetadata metadata;
  uint64_t dataStart = 0; ///< where the first element is in the file
};

/// The order of the elements in a file: wide types first, so that each tensor
/// starts at a multiple of its element's size; names within.
std::vector<const NamedTensor *>
safetensorsOrder(std::span<const NamedTensor *const> tensors);

/// The text of the header of a file with these tensors, in that order.
/// INVALID_ARGUMENT for a name used twice, one that is not UTF-8, and strings.
StatusOr<std::string>
makeSafetensorsHeader(const std::string &path,
                      std::span<const NamedTensor *const> order,
                      const SafetensorsMetadata &metadata);

/// Reads and verifies the header of the file `path`. DATA_LOSS where it is
/// damaged, INVALID_ARGUMENT for types that we do not have.
StatusOr<SafetensorsHeader> readSafetensorsHeader(const InputFile &file,
                                                  const std::string &path);

} // namespace graphc::runtime

#endif
