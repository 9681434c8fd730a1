// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// manifest.json of a checkpoint folder: what training the values are of, and
// digests of all that the folder holds.
#ifndef GRAPHC_RUNTIME_CHECKPOINT_MANIFEST_H
#define GRAPHC_RUNTIME_CHECKPOINT_MANIFEST_H

#include "runtime/checkpoint/Safetensors.h"
#include "runtime/checkpoint/SafetensorsReader.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace graphc::runtime {

struct CheckpointManifest {
  /// One safetensors file: the variables of a task.
  struct Shard {
    std::string file;      ///< name in the folder
    std::string owner;     ///< the task; empty: the process that trained
    uint64_t size = 0;     ///< bytes
    TensorDigest header{}; ///< of the header's text
    std::map<std::string, TensorDigest> tensors;
  };

  std::string graph; ///< that was trained; empty: not known
  uint64_t step = 0; ///< of it, done
  std::string plan;  ///< digest of the model.bin, 32 hexadecimal digits
  uint64_t seed = 0;
  std::map<std::string, double> metrics; ///< finite ones
  /// Positions in the data, progress of the run: as in a safetensors file.
  SafetensorsMetadata texts;
  std::vector<Shard> shards;
};

inline constexpr const char *kManifestName = "manifest.json";

/// The digest of `bytes`, as manifests have it.
TensorDigest digestOf(std::span<const std::byte> bytes);

/// JSON that ends with a digest of itself.
std::string printManifest(const CheckpointManifest &manifest);

/// DATA_LOSS where the text is not what printManifest() gave; `path` is for the
/// error. INVALID_ARGUMENT for a manifest of a later version.
StatusOr<CheckpointManifest> parseManifest(const std::string &text,
                                           const std::string &path);

} // namespace graphc::runtime

#endif
