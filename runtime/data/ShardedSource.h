// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One stream of batches dealt out in parts to several readers, such as the
// towers of a step.
#ifndef GRAPHC_RUNTIME_DATA_SHARDEDSOURCE_H
#define GRAPHC_RUNTIME_DATA_SHARDEDSOURCE_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/data/TableSource.h"

namespace graphc::runtime {

/// Part `shard` of `shards` equal ones.
struct BatchPart {
  uint32_t shard = 0;
  uint32_t shards = 1;
};

/// The batches are those that an undivided source gives, in its order: of each
/// batch of B rows, part s of n is the rows [s B / n, (s + 1) B / n). Each part
/// takes the batches one after the other, so all parts end with the same one.
/// Where it saves time threads make batches ahead, of which readers copy their
/// parts; else each reader makes its rows itself.
/// Thread-safety: nextPart() may be called by several threads at once, for one
/// part by one of them.
class ShardedSource final : public DataSource {
public:
  /// As openDataset().
  static StatusOr<std::unique_ptr<ShardedSource>>
  open(const DatasetSpec &spec, std::string_view files, uint64_t runSeed);

  /// The part's rows of the first batch that it has not taken yet. Allocates
  /// nothing once each part had its first batch.
  Status nextPart(BatchPart part, std::span<std::byte *const> fields);

  /// Forgets the rest of batches of which some part was taken, which is there
  /// when a step failed: all parts go on with the same batch.
  void dropRests();

  Status next(std::span<std::byte *const> fields) override {
    return nextPart({}, fields);
  }
  Status ready() override;
  Status rewind(uint64_t batches) override;
  int64_t examples() const override { return table.examples(); }
  int64_t batchesPerEpoch() const override { return table.batchesPerEpoch(); }
  int64_t droppedPerEpoch() const override { return table.droppedPerEpoch(); }

private:
  /// A batch of which not all parts are written yet.
  struct Batch {
    DrawnBatch drawn;                  ///< where nobody makes it ahead
    Prefetcher::Batch *made = nullptr; ///< else
    uint32_t shards = 0;               ///< 0: no part was taken
    std::vector<bool> taken;
    uint32_t written = 0; ///< parts
  };

  ShardedSource(std::unique_ptr<TableSource> owned, int64_t batch)
      : table(*owned), owned(std::move(owned)),
        batch(static_cast<size_t>(batch)) {}
  Status drawBatch() GRAPHC_REQUIRES(mutex);
  StatusOr<Batch *> take(BatchPart part) GRAPHC_REQUIRES(mutex);
  void finishPart(Batch *batch) GRAPHC_REQUIRES(mutex);
  /// Gives a batch back, by its place among the current ones.
  void finish(size_t index) GRAPHC_REQUIRES(mutex);
  /// Copies rows [begin, end) of a batch that was made ahead.
  void copyRows(const Prefetcher::Batch &made, size_t begin, size_t end,
                std::span<std::byte *const> fields) const;

  TableSource &table;
  std::unique_ptr<TableSource> owned; ///< null: the prefetcher owns it
  std::unique_ptr<Prefetcher> ahead;  ///< null: readers make their rows
  const size_t batch;                 ///< rows
  Mutex mutex;                        ///< also of drawing from the table
  /// In the order of the data.
  std::vector<std::unique_ptr<Batch>> current GRAPHC_GUARDED_BY(mutex);
  /// Used again.
  std::vector<std::unique_ptr<Batch>> spare GRAPHC_GUARDED_BY(mutex);
};

} // namespace graphc::runtime

#endif
