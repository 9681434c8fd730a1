// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records the batches of a dataset on a timeline.
#ifndef GRAPHC_RUNTIME_STATE_BATCHRECORDER_H
#define GRAPHC_RUNTIME_STATE_BATCHRECORDER_H

#include "runtime/data/BatchObserver.h"
#include "runtime/executor/StepTimeline.h"

#include <memory>

namespace graphc::runtime {

/// Records nothing once the timeline is gone. Thread-safety: any thread.
class BatchRecorder final : public BatchObserver {
public:
  BatchRecorder(uint32_t dataset, std::weak_ptr<StepTimeline> timeline)
      : dataset(dataset), timeline(std::move(timeline)) {}

  bool isWanted() override {
    std::shared_ptr<StepTimeline> used = timeline.lock();
    return used && used->isRecording();
  }
  void onBatch(int64_t beginNanos, int64_t endNanos) override {
    if (std::shared_ptr<StepTimeline> used = timeline.lock())
      used->addBatch(dataset, beginNanos, endNanos);
  }

private:
  const uint32_t dataset;
  const std::weak_ptr<StepTimeline> timeline;
};

} // namespace graphc::runtime

#endif
