// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a cluster as files that its tasks are writing.
#ifndef GRAPHC_RUNTIME_SESSION_SHARDCAPTURE_H
#define GRAPHC_RUNTIME_SESSION_SHARDCAPTURE_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/session/OperationDriver.h"
#include "runtime/session/SessionState.h"

#include <condition_variable>
#include <memory>
#include <utility>

namespace graphc::runtime {

/// Outcome of what tasks write, for who waits for it. Thread-safety: any
/// thread; end() once.
class ShardProgress {
public:
  void end(const Status &status, SessionState state);
  /// Waits for end().
  StatusOr<const SessionState *> await();

private:
  Mutex mutex;
  std::condition_variable changed;
  bool isOver GRAPHC_GUARDED_BY(mutex) = false;
  Status status GRAPHC_GUARDED_BY(mutex);
  SessionState result GRAPHC_GUARDED_BY(mutex); ///< stays once it is over
};

class ShardCapture final : public StateCapture {
public:
  /// `driver` points to null when the session has ended.
  ShardCapture(std::shared_ptr<ShardProgress> progress,
               std::shared_ptr<OperationDriver *> driver)
      : progress(std::move(progress)), driver(std::move(driver)) {}

  StatusOr<const SessionState *> await() override { return progress->await(); }
  void help() override;
  bool isOfShards() const override { return true; }

private:
  std::shared_ptr<ShardProgress> progress;
  std::shared_ptr<OperationDriver *> driver;
};

/// A file of a checkpoint as its manifest has it, without the owner.
CheckpointManifest::Shard toManifest(const WrittenShard &shard);

} // namespace graphc::runtime

#endif
