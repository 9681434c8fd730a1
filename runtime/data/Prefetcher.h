// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes batches ahead of their use.
#ifndef GRAPHC_RUNTIME_DATA_PREFETCHER_H
#define GRAPHC_RUNTIME_DATA_PREFETCHER_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/data/DataSource.h"
#include "runtime/data/pipeline/BatchStream.h"

#include <algorithm>
#include <condition_variable>
#include <thread>

namespace graphc::runtime {

/// Makes a stream's batches on threads of its own, so many ahead as it is deep,
/// each batch in parts by all threads. Batches come out in their order, and
/// their bytes do not depend on the threads. The first failure in the order of
/// the data comes out in its place, and stays.
/// Thread-safety: one caller at a time, as for every DataSource; release() by
/// any thread.
class Prefetcher final : public DataSource {
public:
  struct Options {
    size_t rows = 1;    ///< of a batch
    size_t depth = 2;   ///< batches that are kept, >= 1
    size_t threads = 1; ///< >= 1
  };

  /// A batch, which belongs to who acquired it, or to the threads.
  class Batch {
  public:
    /// As many bytes per field as a batch has.
    std::span<std::byte *const> fields() const { return pointers; }

  private:
    friend class Prefetcher;
    bool isDone() const { return partsDone == parts; }

    std::vector<std::vector<std::byte>> bytes;
    std::vector<std::byte *> pointers; ///< to the bytes of the fields
    std::vector<std::vector<std::byte *>> partPointers; ///< to those of parts
    DrawnBatch drawn;
    // Guarded by the prefetcher's mutex.
    size_t parts = 0, partsBegun = 0, partsDone = 0;
    size_t failedPart = 0;  ///< the first
    int64_t beginNanos = 0; ///< of an observed batch; 0: of none
    Status status;
  };

  /// `rowBytes` are the bytes of one example of each field.
  /// RESOURCE_EXHAUSTED without memory or threads.
  static StatusOr<std::unique_ptr<Prefetcher>>
  start(std::unique_ptr<BatchStream> stream, std::span<const size_t> rowBytes,
        const Options &options);

  /// Waits for the parts that are being made, not for the rest.
  ~Prefetcher() override;

  /// The next batch, until release(). May help to make it. Does not wait for a
  /// release: where all batches are acquired it takes memory for another one.
  StatusOr<Batch *> acquire();
  void release(Batch *batch);

  Status next(std::span<std::byte *const> fields) override;
  Status ready() override;
  /// REQUIRES: no batch is acquired. RESOURCE_EXHAUSTED without threads.
  Status rewind(uint64_t batches) override;
  int64_t examples() const override { return stream->examples(); }
  int64_t batchesPerEpoch() const override { return stream->batchesPerEpoch(); }
  int64_t droppedPerEpoch() const override { return stream->droppedPerEpoch(); }
  void observe(std::shared_ptr<BatchObserver> observer) override;

private:
  Prefetcher(std::unique_ptr<BatchStream> stream,
             std::span<const size_t> rowBytes, const Options &options);

  Status addBatch() GRAPHC_REQUIRES(mutex);
  /// Parts of a batch.
  size_t parts() const {
    return options.threads > 1 ? std::min(options.rows, 2 * options.threads)
                               : 1;
  }
  Status startThreads();
  void joinThreads();
  void work();
  /// The first batch of which a part is to be made; null: there is none.
  Batch *unmade() GRAPHC_REQUIRES(mutex);
  void drawBatch(MutexLock &lock) GRAPHC_REQUIRES(mutex)
      GRAPHC_NO_THREAD_ANALYSIS; // which cannot see whose lock it is
  void makePart(Batch &batch, MutexLock &lock)
      GRAPHC_REQUIRES(mutex) GRAPHC_NO_THREAD_ANALYSIS; // the same
  /// Waits for the next batch in order.
  StatusOr<Batch *> awaitFirst(MutexLock &lock) GRAPHC_REQUIRES(mutex);

  std::unique_ptr<BatchStream> stream; ///< drawn from while `isDrawing`
  const std::vector<size_t> rowBytes;
  const Options options;
  Mutex mutex;
  std::condition_variable becameFilled, becameFree;
  std::vector<std::unique_ptr<Batch>> batches GRAPHC_GUARDED_BY(mutex); ///< all
  std::vector<Batch *> queue GRAPHC_GUARDED_BY(mutex); ///< drawn, in order
  std::vector<Batch *> spare GRAPHC_GUARDED_BY(mutex);
  bool isDrawing GRAPHC_GUARDED_BY(mutex) = false;
  bool hasEnded GRAPHC_GUARDED_BY(mutex) = false; ///< nothing more is drawn
  bool stopping GRAPHC_GUARDED_BY(mutex) = false;
  Status failure GRAPHC_GUARDED_BY(mutex); ///< to start threads again
  std::vector<std::thread> threads;
  std::shared_ptr<BatchObserver> observer GRAPHC_GUARDED_BY(mutex);
};

} // namespace graphc::runtime

#endif
