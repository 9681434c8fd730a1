// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder of a training: its checkpoints, of which some are kept.
//   DIR/checkpoint-1000/     see CheckpointFolder.h
//   DIR/checkpoint-2000/
//   DIR/checkpoint-3000.0123456789abcdef.tmp/   one that is being written
//   DIR/ended                reason, once the training has ended for good
//   DIR/lock                 held by the process that trains
#ifndef GRAPHC_RUNTIME_CHECKPOINT_TRAINDIRECTORY_H
#define GRAPHC_RUNTIME_CHECKPOINT_TRAINDIRECTORY_H

#include "runtime/checkpoint/CheckpointFolder.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Which checkpoints stay when another one was written.
struct RetentionPolicy {
  int64_t last = 5;     ///< so many of the last ones; 0: all
  int64_t best = 0;     ///< apart from them, so many of the best ones
  std::string metric{}; ///< that says which are best
  bool isLargerBetter = false;
};

/// One checkpoint of a training.
struct SavedCheckpoint {
  uint64_t step = 0; ///< of its name
  std::string folder;
};

/// Checkpoints in `directory`, the latest first; those that were being replaced
/// when the power failed count under their other name. Empty where there is no
/// such directory.
std::vector<SavedCheckpoint> listCheckpoints(const std::string &directory);

/// The latest one whose manifest, sizes and headers are in order; `note` is
/// told of those that are passed over. NOT_FOUND: there is none at all;
/// DATA_LOSS: all that there are are damaged.
StatusOr<SavedCheckpoint>
latestCheckpoint(const std::string &directory,
                 const std::function<void(const std::string &)> &note);

/// Metrics of a checkpoint: those of its manifest, and those of evaluations.
std::map<std::string, double> metricsOf(const std::string &folder);

/// Adds metrics of an evaluation, by their names, to a checkpoint.
Status addMetrics(FileLayer &files, const std::string &folder,
                  const std::map<std::string, double> &metrics);

/// The best checkpoint by a metric, the earlier of equals; nothing: none has
/// it.
std::optional<SavedCheckpoint>
bestCheckpoint(const std::vector<SavedCheckpoint> &checkpoints,
               const std::string &metric, bool isLargerBetter);

/// Checkpoints that the policy does not keep, the earliest first.
std::vector<SavedCheckpoint>
superfluousCheckpoints(const std::string &directory,
                       const RetentionPolicy &policy);

/// Removes a checkpoint: at once under its name.
Status removeCheckpoint(FileLayer &files, const SavedCheckpoint &checkpoint);

/// Reason for which the training in `directory` has ended, and is not to go on
/// by itself; nothing: it has not.
std::optional<std::string> endOfTraining(const std::string &directory);

/// A checkpoint that others write shards to, before it appears under its name.
struct PendingCheckpoint {
  uint64_t step = 0;
  std::string folder; ///< absolute; a new one for each attempt
  std::string token;  ///< also in the file `kProbeName` there
};

/// A training's folder that this process writes to. Thread-safety: one call at
/// a time.
class TrainDirectory {
public:
  /// Makes the folder where it is not there, and clears away what a crash left
  /// behind, and the mark of an end: it goes on. FAILED_PRECONDITION: another process trains in it.
  static StatusOr<TrainDirectory> open(const std::string &path,
                                       FileLayer &files = systemFiles());

  TrainDirectory(TrainDirectory &&other) noexcept;
  TrainDirectory &operator=(TrainDirectory &&other) noexcept;
  ~TrainDirectory();

  const std::string &path() const { return directory; }
  std::string folderOf(uint64_t step) const;

  /// Writes the checkpoint of manifest.step, then removes those that the policy
  /// does not keep. What cannot be removed stays.
  Status write(std::span<const OwnedTensor> tensors,
               CheckpointManifest manifest, const RetentionPolicy &policy);

  /// Makes a folder that other processes may write shards to.
  StatusOr<PendingCheckpoint> begin(uint64_t step);
  /// Completes the checkpoint with the manifest's shards, which are written and
  /// synced, and goes on as write() does. DATA_LOSS: a file is not the shard
  /// that the manifest tells of.
  Status commit(const PendingCheckpoint &pending,
                const CheckpointManifest &manifest, uint64_t tensorBytes,
                const RetentionPolicy &policy);
  /// Gives one up. What others are still writing there is nobody's, and the
  /// folder may stay until the next begin() or open().
  void abandon(const PendingCheckpoint &pending);

  /// After the last checkpoint: whoever follows the training need not wait for
  /// another one.
  Status markEnd(const std::string &reason);

private:
  TrainDirectory(std::string path, FileLayer &files, int lock)
      : directory(std::move(path)), files(&files), lock(lock) {}
  Status clearAway();
  void clearPending();
  void removeSuperfluous(const RetentionPolicy &policy);

  std::string directory;
  FileLayer *files;
  int lock; ///< descriptor; -1: moved away
};

} // namespace graphc::runtime

#endif
