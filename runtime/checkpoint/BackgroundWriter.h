// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that does one job after the other while its owner goes on.
#ifndef GRAPHC_RUNTIME_CHECKPOINT_BACKGROUNDWRITER_H
#define GRAPHC_RUNTIME_CHECKPOINT_BACKGROUNDWRITER_H

#include "runtime/base/Status.h"
#include "runtime/base/ThreadAnnotations.h"

#include <condition_variable>
#include <functional>
#include <optional>
#include <thread>

namespace graphc::runtime {

/// Thread-safety: one caller at a time.
class BackgroundWriter {
public:
  using Job = std::function<Status()>;

  BackgroundWriter() = default;
  /// Waits for the job that goes on.
  ~BackgroundWriter();

  /// Waits for the job before, begins this one, and returns the status of the
  /// one before. Where no thread can be had the job is done before it returns.
  Status start(Job job);
  /// Waits for the last job: its status. It is told once.
  Status finish();
  /// True while a job goes on.
  bool isBusy() const;

private:
  void work();

  mutable Mutex mutex;
  std::condition_variable changed;
  Job next GRAPHC_GUARDED_BY(mutex);
  bool hasJob GRAPHC_GUARDED_BY(mutex) = false;
  bool isEnding GRAPHC_GUARDED_BY(mutex) = false;
  Status last GRAPHC_GUARDED_BY(mutex);
  std::thread thread;
};

/// Does a job on a thread that takes only what other threads leave of the
/// cores, and returns its status; where no thread can be had, on this one.
Status doInSpareTime(const BackgroundWriter::Job &job);

} // namespace graphc::runtime

#endif
