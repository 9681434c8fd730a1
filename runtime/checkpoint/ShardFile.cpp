// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/ShardFile.h"

#include "runtime/checkpoint/TensorHash.h"
#include "runtime/data/File.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace graphc::runtime {

namespace {

/// Bytes that are hashed and then written while the cache has them.
constexpr size_t kChunk = size_t{1} << 20;
/// Characters of a token that nobody guesses.
constexpr size_t kLeastToken = 16;

StatusOr<TensorDigest> writeTensor(OutputFile &file,
                                   std::span<const std::byte> bytes,
                                   const std::atomic<bool> *isCancelled) {
  GRAPHC_ASSIGN_OR_RETURN(TensorHash hash, TensorHash::begin());
  while (!bytes.empty()) {
    if (isCancelled && isCancelled->load())
      return cancelled("the checkpoint was given up");
    std::span<const std::byte> chunk =
        bytes.first(std::min(kChunk, bytes.size()));
    hash.update(chunk);
    GRAPHC_TRY(file.write(chunk));
    bytes = bytes.subspan(chunk.size());
  }
  return hash.digest();
}

/// No way out of the folder, and nothing that another program needs.
bool isShardName(std::string_view name) {
  return name.starts_with("model-") && name.ends_with(".safetensors") &&
         name.find_first_of(std::string_view("/\0", 2)) ==
             std::string_view::npos;
}

} // namespace

std::string shardName(size_t number, size_t count) {
  char text[64];
  std::snprintf(text, sizeof(text), "model-%05zu-of-%05zu.safetensors", number,
                count);
  return text;
}

StatusOr<CheckpointManifest::Shard>
writeShard(FileLayer &files, const std::string &path,
           std::vector<const NamedTensor *> tensors,
           const std::atomic<bool> *isCancelled) {
  tensors = safetensorsOrder(tensors);
  GRAPHC_ASSIGN_OR_RETURN(std::string header,
                          makeSafetensorsHeader(path, tensors, {}));
  uint64_t size = header.size();
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file, files.create(path));
  GRAPHC_TRY(file->write(std::as_bytes(std::span(&size, 1))));
  GRAPHC_TRY(file->write(std::as_bytes(std::span(header))));
  CheckpointManifest::Shard shard;
  shard.header = digestOf(std::as_bytes(std::span(header)));
  shard.size = sizeof(size) + header.size();
  for (const NamedTensor *named : tensors) {
    GRAPHC_ASSIGN_OR_RETURN(
        shard.tensors[named->name],
        writeTensor(*file, named->tensor.bytes, isCancelled));
    shard.size += named->tensor.bytes.size();
  }
  GRAPHC_TRY(file->sync());
  return shard;
}

Status probeFolder(FileLayer &files, const std::string &folder,
                   const std::string &token, const std::string &file) {
  if (!folder.starts_with('/') || token.size() < kLeastToken ||
      !isShardName(file))
    return invalidArgument("a shard of a checkpoint goes by a name such as "
                           "'model-00001-of-00002.safetensors' to an absolute "
                           "path with a token of " +
                           std::to_string(kLeastToken) + " characters or more");
  std::string path = folder + "/" + kProbeName;
  StatusOr<std::vector<std::byte>> bytes = readFileBytes(path);
  if (!bytes.isOk())
    return failedPrecondition("it does not see the folder '" + folder +
                              "' of the training: " + bytes.status().message());
  std::string_view found(reinterpret_cast<const char *>(bytes->data()),
                         bytes->size());
  if (found != token)
    return failedPrecondition("its folder '" + folder +
                              "' is another one than that of the training");
  return files.create(folder + "/" + file).status();
}

} // namespace graphc::runtime
