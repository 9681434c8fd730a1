// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that are kept in memory as they were decoded.
#ifndef GRAPHC_RUNTIME_DATA_PIPELINE_CACHEDROWS_H
#define GRAPHC_RUNTIME_DATA_PIPELINE_CACHEDROWS_H

#include "runtime/data/ExampleRows.h"

#include <atomic>

namespace graphc::runtime {

/// Keeps the first rows of other rows, as many as fit the limit, each from the
/// first time that it is read on. The memory is taken as rows come. The bytes
/// are those of the inner rows, so no result depends on the cache.
class CachedRows final : public ExampleRows {
public:
  /// `rowBytes`: of each field. RESOURCE_EXHAUSTED where there is no memory for
  /// `limitBytes`.
  static StatusOr<std::unique_ptr<ExampleRows>>
  wrap(std::unique_ptr<ExampleRows> inner, std::vector<size_t> rowBytes,
       uint64_t limitBytes);
  ~CachedRows() override;

  int64_t rows() const override { return inner->rows(); }
  int64_t rowNanos() const override { return inner->rowNanos(); }
  std::vector<int64_t> fileEnds() const override { return inner->fileEnds(); }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> fields) const override;

private:
  enum class State : uint8_t { Absent, Writing, Present };

  CachedRows(std::unique_ptr<ExampleRows> inner, std::vector<size_t> rowBytes,
             size_t oneRow, size_t kept);
  bool has(int64_t row) const {
    return static_cast<size_t>(row) < kept &&
           states[static_cast<size_t>(row)].load(std::memory_order_acquire) ==
               State::Present;
  }
  void load(int64_t row, std::span<std::byte *const> to) const;
  void keep(int64_t row, std::span<std::byte *const> from) const;

  std::unique_ptr<ExampleRows> inner;
  std::vector<size_t> rowBytes; ///< by field
  size_t oneRow;                ///< bytes of all fields
  size_t kept;                  ///< rows from 0 on
  std::byte *memory = nullptr;  ///< of an anonymous mapping
  std::unique_ptr<std::atomic<State>[]> states;
};

} // namespace graphc::runtime

#endif
