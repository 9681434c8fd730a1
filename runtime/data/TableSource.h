// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches gathered from rows, in the caller's thread.
#ifndef GRAPHC_RUNTIME_DATA_TABLESOURCE_H
#define GRAPHC_RUNTIME_DATA_TABLESOURCE_H

#include "runtime/data/DataSource.h"
#include "runtime/data/ExampleRows.h"
#include "runtime/data/RowOrder.h"

namespace graphc::runtime {

/// The source behind openDataset(), without a thread.
/// Thread-safety: one caller at a time, as for every DataSource.
class TableSource final : public DataSource {
public:
  /// Checks the spec and loads the files: see openDataset().
  static StatusOr<std::unique_ptr<DataSource>>
  open(const DatasetSpec &spec, std::string_view files, uint64_t runSeed);

  /// The same, for those who need more than a DataSource.
  static StatusOr<std::unique_ptr<TableSource>>
  openTable(const DatasetSpec &spec, std::string_view files, uint64_t runSeed);

  Status next(std::span<std::byte *const> fields) override;
  Status ready() override;

  /// next() without its second half: the numbers of the rows in the next
  /// batch. REQUIRES: `rows` has room for a batch.
  Status draw(std::span<int64_t> rows);

  /// Writes those rows one after the other. Thread-safety: any thread.
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> fields) const {
    return table->gather(rows, fields);
  }

  int64_t examples() const override { return table->rows(); }
  int64_t batchesPerEpoch() const override { return table->rows() / batch; }
  int64_t droppedPerEpoch() const override { return table->rows() % batch; }

private:
  TableSource(const DatasetSpec &spec, std::unique_ptr<ExampleRows> opened,
              uint64_t runSeed);

  Status atEnd() const;
  Status passOver(uint64_t batches);

  std::unique_ptr<ExampleRows> table;
  int64_t batch;
  int64_t passes; ///< 0: without end
  std::string name;
  RowOrder order;
  int64_t pass = -1;          ///< the current one
  int64_t left = 0;           ///< batches that it still gives
  std::vector<int64_t> drawn; ///< next()'s rows
  Status failure;             ///< of next(), which stays
};

} // namespace graphc::runtime

#endif
