// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checkpoints in the folder of a training, written while it goes on.
#ifndef GRAPHC_RUNTIME_SESSION_TRAIN_TRAINSTORE_H
#define GRAPHC_RUNTIME_SESSION_TRAIN_TRAINSTORE_H

#include "runtime/checkpoint/BackgroundWriter.h"
#include "runtime/checkpoint/TrainDirectory.h"
#include "runtime/metrics/CheckpointCounts.h"
#include "runtime/session/CheckpointStore.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace graphc::runtime {

struct TrainStoreOptions {
  RetentionPolicy keeps{};
  uint64_t seed = 0; ///< of the run; that of a checkpoint should be the same
  /// Metrics of the last step and of evaluations, for the next checkpoint.
  std::function<std::map<std::string, double>()> metrics{};
  std::shared_ptr<CheckpointCounts> counts{};
  /// For people: what is passed over, and what could not be written.
  std::function<void(const std::string &text)> note{};
  /// A checkpoint was written by the thread for it; times of nowNanos(). Called
  /// by that thread.
  std::function<void(int64_t beginNanos, int64_t endNanos)> onWritten{};
};

/// A checkpoint that cannot be written is noted, and the training goes on: the
/// next one may be; finish() fails where the last one was not.
class TrainStore final : public CheckpointStore {
public:
  /// See TrainDirectory::open().
  static StatusOr<std::shared_ptr<TrainStore>> open(const std::string &path,
                                                    TrainStoreOptions options);
  ~TrainStore() override;

  std::string name() const override { return directory.path(); }
  bool exists() override;
  StatusOr<Texts> texts() override;
  StatusOr<Texts> load(Session &session) override;
  Status write(Session &session, const std::string &graph, uint64_t step,
               const Texts &texts) override;
  Status finish() override;
  /// Waits for the last checkpoint; see TrainDirectory::markEnd().
  Status markEnd(const std::string &reason);

  /// Folder of the last checkpoint that was asked for; valid after finish().
  const std::string &lastFolder() const { return last; }
  /// For the metrics of an evaluation of it.
  Status addMetrics(const std::map<std::string, double> &metrics);

private:
  TrainStore(TrainDirectory directory, TrainStoreOptions options)
      : directory(std::move(directory)), options(std::move(options)) {}
  StatusOr<std::unique_ptr<StateCapture>>
  capture(Session &session, std::optional<PendingCheckpoint> &pending,
          uint64_t step);
  Status writeCaptured(StateCapture &captured,
                       const CheckpointManifest &manifest);
  Status commitCaptured(StateCapture &captured,
                        const PendingCheckpoint &pending,
                        const CheckpointManifest &manifest);
  Status wait();
  void note(const std::string &text) const;
  void noteFailure(const Status &status) const;

  TrainDirectory directory;
  TrainStoreOptions options;
  std::string last;
  std::shared_ptr<StateCapture> captured; ///< of the last checkpoint
  bool isRefusalNoted = false;            ///< since tasks have last written one
  BackgroundWriter writer; ///< the last member: it ends before the others
};

} // namespace graphc::runtime

#endif
