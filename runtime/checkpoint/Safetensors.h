// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checkpoint files in the public safetensors format: an 8-byte header length,
// a JSON header that gives each tensor's dtype, shape and extent, the elements.
#ifndef GRAPHC_RUNTIME_CHECKPOINT_SAFETENSORS_H
#define GRAPHC_RUNTIME_CHECKPOINT_SAFETENSORS_H

#include "runtime/base/Status.h"
#include "runtime/data/HostTensor.h"
#include "runtime/data/safetensors/SafetensorsHeader.h"

#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Replaces `path` by a file with these tensors. A crash at any moment leaves
/// the old file or the new one, and success means that the new one is on disk.
/// The same tensors give the same bytes in whatever order they are given.
/// INVALID_ARGUMENT for a name used twice, one that is not UTF-8, and strings.
Status saveSafetensors(const std::string &path,
                       std::span<const NamedTensor> tensors,
                       const SafetensorsMetadata &metadata = {});

/// The tensors of a file, sorted by name; its texts go to `metadata` if that
/// is given. The file is not trusted: all of its header is verified before
/// anything is used. DATA_LOSS for a damaged file, INVALID_ARGUMENT for one
/// that holds types that we do not have.
StatusOr<std::vector<NamedTensor>>
loadSafetensors(const std::string &path,
                SafetensorsMetadata *metadata = nullptr);

/// The texts of a file; its header is verified as by loadSafetensors().
StatusOr<SafetensorsMetadata> readSafetensorsMetadata(const std::string &path);

} // namespace graphc::runtime

#endif
