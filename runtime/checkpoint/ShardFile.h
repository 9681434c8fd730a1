// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One file of a checkpoint's folder: the variables of a task, written by it or
// for it.
#ifndef GRAPHC_RUNTIME_CHECKPOINT_SHARDFILE_H
#define GRAPHC_RUNTIME_CHECKPOINT_SHARDFILE_H

#include "runtime/checkpoint/FileLayer.h"
#include "runtime/checkpoint/Manifest.h"

#include <atomic>
#include <string>
#include <vector>

namespace graphc::runtime {

/// "model-00001-of-00002.safetensors"; `number` counts from 1.
std::string shardName(size_t number, size_t count);

/// Writes tensors to a new file and syncs it: its size and digests, without
/// `file` and `owner`. CANCELLED soon after `isCancelled`; the file may then
/// be there in part.
StatusOr<CheckpointManifest::Shard>
writeShard(FileLayer &files, const std::string &path,
           std::vector<const NamedTensor *> tensors,
           const std::atomic<bool> *isCancelled = nullptr);

/// The folder of a checkpoint that several processes write to has a file with
/// the token that its owner drew: who reads the same one sees the same folder.
inline constexpr const char *kProbeName = "probe";

/// Checks that `folder` is there with that token, and that this process may
/// write `file` there, which exists then. FAILED_PRECONDITION: it is not the
/// folder; INVALID_ARGUMENT: no name of a shard, or of such a folder.
Status probeFolder(FileLayer &files, const std::string &folder,
                   const std::string &token, const std::string &file);

} // namespace graphc::runtime

#endif
