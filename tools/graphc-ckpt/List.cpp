// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-ckpt list and prune: the checkpoints of a training.
#include "tools/graphc-ckpt/Commands.h"

#include <cstdio>
#include <filesystem>

namespace graphc::ckpt {

using namespace runtime;

namespace {

/// Reads all elements: the digests are verified by that.
Status verify(const std::string &folder) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TensorReader> reader,
                          openCheckpoint(folder));
  for (size_t entry = 0; entry < reader->entries().size(); ++entry)
    GRAPHC_TRY(readTensor(*reader, entry).status());
  return Status::ok();
}

uint64_t sizeOf(const std::string &folder) {
  uint64_t size = 0;
  if (StatusOr<CheckpointManifest> manifest = readManifest(folder);
      manifest.isOk())
    for (const CheckpointManifest::Shard &shard : manifest->shards)
      size += shard.size;
  return size;
}

} // namespace

StatusOr<int> list(const CkptOptions &options) {
  const std::string &directory = options.paths[0];
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error))
    return notFound("'" + directory + "' is no folder of a training");
  std::vector<SavedCheckpoint> all = listCheckpoints(directory);
  std::optional<SavedCheckpoint> best;
  if (!options.keeps.metric.empty())
    best =
        bestCheckpoint(all, options.keeps.metric, options.keeps.isLargerBetter);
  bool isAnyDamaged = false;
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    Status status = verify(it->folder);
    isAnyDamaged |= !status.isOk();
    std::printf("%-24s step %-10llu %9.1f MB",
                std::filesystem::path(it->folder).filename().c_str(),
                static_cast<unsigned long long>(it->step),
                static_cast<double>(sizeOf(it->folder)) * 1e-6);
    for (const auto &[name, value] : metricsOf(it->folder))
      std::printf("  %s = %.6g", name.c_str(), value);
    if (best && best->step == it->step)
      std::printf("  (best)");
    std::printf("%s\n", status.isOk()
                            ? ""
                            : ("  DAMAGED: " + status.message()).c_str());
  }
  if (all.empty())
    std::printf("no checkpoints\n");
  return isAnyDamaged ? 1 : 0;
}

StatusOr<int> prune(const CkptOptions &options) {
  std::error_code error;
  if (!std::filesystem::is_directory(options.paths[0], error))
    return notFound("'" + options.paths[0] + "' is no folder of a training");
  if (options.keeps.last <= 0)
    return invalidArgument("prune needs --keep=N, at least 1");
  for (const SavedCheckpoint &gone :
       superfluousCheckpoints(options.paths[0], options.keeps)) {
    std::printf("%s %s\n", options.onlyTells ? "would remove" : "removed",
                gone.folder.c_str());
    if (!options.onlyTells)
      GRAPHC_TRY(removeCheckpoint(systemFiles(), gone));
  }
  return 0;
}

} // namespace graphc::ckpt
