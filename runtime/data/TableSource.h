// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches made of rows, in the caller's thread.
#ifndef GRAPHC_RUNTIME_DATA_TABLESOURCE_H
#define GRAPHC_RUNTIME_DATA_TABLESOURCE_H

#include "runtime/data/DataSource.h"
#include "runtime/data/Prefetcher.h"
#include "runtime/data/RowOrder.h"
#include "runtime/data/pipeline/BatchStream.h"
#include "runtime/data/pipeline/ExampleMaker.h"

namespace graphc::runtime {

/// The source behind openDataset(), without a thread.
/// Thread-safety: one caller at a time, as for every DataSource.
class TableSource final : public DataSource, public BatchStream {
public:
  /// Checks the spec and loads the files: see openDataset().
  static StatusOr<std::unique_ptr<DataSource>>
  open(const DatasetSpec &spec, std::string_view files, uint64_t runSeed);

  /// The same, for those who need more than a DataSource.
  static StatusOr<std::unique_ptr<TableSource>>
  openTable(const DatasetSpec &spec, std::string_view files, uint64_t runSeed);

  Status next(std::span<std::byte *const> fields) override;
  Status ready() override;

  Status rewind(uint64_t batches) override;
  Status draw(DrawnBatch &drawn) override;
  Status make(const DrawnBatch &drawn, size_t begin, size_t end,
              std::span<std::byte *const> fields) const override {
    return maker->make(
        drawn.pass, std::span(drawn.rows).subspan(begin, end - begin), fields);
  }

  int64_t examples() const override { return maker->rows(); }
  int64_t batchesPerEpoch() const override {
    return (maker->rows() + (isFilledUp ? batch - 1 : 0)) / batch;
  }
  int64_t droppedPerEpoch() const override {
    return isFilledUp ? 0 : maker->rows() % batch;
  }

  /// Depth and threads of batches that are made ahead; nothing: the thread that
  /// needs one makes it.
  std::optional<Prefetcher::Options>
  aheadOptions(const DatasetSpec &spec) const;
  std::span<const size_t> exampleBytes() const { return maker->exampleBytes(); }

private:
  TableSource(const DatasetSpec &spec, std::unique_ptr<ExampleMaker> opened,
              uint64_t runSeed);

  Status atEnd() const;
  Status passOver(uint64_t batches);

  std::unique_ptr<ExampleMaker> maker;
  int64_t batch;
  bool isFilledUp; ///< the last batch of a pass
  int64_t passes;  ///< 0: without end
  std::string name;
  RowOrder order;
  int64_t pass = -1; ///< the current one
  int64_t left = 0;  ///< batches that it still gives
  DrawnBatch drawn;  ///< of next()
  Status failure;    ///< of next(), which stays
};

} // namespace graphc::runtime

#endif
