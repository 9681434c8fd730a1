// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes batches ahead of their use.
#ifndef GRAPHC_RUNTIME_DATA_PREFETCHER_H
#define GRAPHC_RUNTIME_DATA_PREFETCHER_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/data/DataSource.h"

#include <condition_variable>
#include <thread>

namespace graphc::runtime {

/// Runs another source on a thread of its own, which keeps a ring of batches
/// filled. The batches and the first failure come out in their order.
/// Thread-safety: one caller at a time, as for every DataSource.
class Prefetcher final : public DataSource {
public:
  /// `batchBytes` are the bytes of one batch of each field; `depth` >= 1 is how
  /// many batches are kept. RESOURCE_EXHAUSTED without memory or threads.
  static StatusOr<std::unique_ptr<DataSource>>
  start(std::unique_ptr<DataSource> inner, std::span<const size_t> batchBytes,
        size_t depth);

  /// Waits for the batch that is being made, not for the rest.
  ~Prefetcher() override;

  Status next(std::span<std::byte *const> fields) override;
  Status ready() override;
  int64_t examples() const override { return inner->examples(); }
  int64_t batchesPerEpoch() const override { return inner->batchesPerEpoch(); }
  int64_t droppedPerEpoch() const override { return inner->droppedPerEpoch(); }

private:
  struct Slot {
    std::vector<std::vector<std::byte>> fields;
    std::vector<std::byte *> pointers; ///< to the fields
    Status status;
  };

  explicit Prefetcher(std::unique_ptr<DataSource> inner);
  Status allocate(std::span<const size_t> batchBytes, size_t depth);
  void produce();
  /// Waits for a batch: the index of its slot.
  size_t waitForBatch();

  std::unique_ptr<DataSource> inner; ///< used by the thread alone
  // A slot belongs to the caller of next() while it counts as filled, to the
  // thread else; the mutex hands it over.
  std::vector<Slot> slots;
  Mutex mutex;
  std::condition_variable becameFilled, becameFree;
  size_t first GRAPHC_GUARDED_BY(mutex) = 0;
  size_t filled GRAPHC_GUARDED_BY(mutex) = 0;
  bool stopping GRAPHC_GUARDED_BY(mutex) = false;
  std::thread thread;
};

} // namespace graphc::runtime

#endif
