// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A checkpoint as a folder in the manner of sharded safetensors files:
//   model-00001-of-00002.safetensors     the variables of one task
//   model.safetensors.index.json         which file has which tensor
//   manifest.json                        see Manifest.h
#ifndef GRAPHC_RUNTIME_CHECKPOINT_CHECKPOINTFOLDER_H
#define GRAPHC_RUNTIME_CHECKPOINT_CHECKPOINTFOLDER_H

#include "runtime/checkpoint/FileLayer.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/data/TensorReader.h"

#include <memory>
#include <span>
#include <string>

namespace graphc::runtime {

/// Values and who has them.
struct OwnedTensor {
  const NamedTensor *tensor;
  std::string owner; ///< a shard's
};

/// Writes the folder, which appears under its name only when all of it is on
/// disk; one of that name is replaced. A crash or a power cut at any moment
/// leaves what was there, whole, under `folder` or `folder` + ".old". Shards
/// are sorted by owner. Thread-safety: one call at a time per folder.
Status writeCheckpoint(FileLayer &files, const std::string &folder,
                       std::span<const OwnedTensor> tensors,
                       CheckpointManifest manifest);

/// The same where others have written and synced the manifest's shards in the
/// folder `temporary`, which becomes `folder`. DATA_LOSS: a file there is not
/// what they tell.
Status publishCheckpoint(FileLayer &files, const std::string &temporary,
                         const std::string &folder,
                         const CheckpointManifest &manifest,
                         uint64_t tensorBytes);

/// The manifest of a folder; NOT_FOUND: it has none.
StatusOr<CheckpointManifest> readManifest(const std::string &folder);

/// Opens what writeCheckpoint() wrote, a folder of sharded safetensors files
/// that another program wrote, or a single file. The manifest's sizes and
/// headers are verified here, the elements when they are read.
StatusOr<std::unique_ptr<TensorReader>> openCheckpoint(const std::string &path);

} // namespace graphc::runtime

#endif
