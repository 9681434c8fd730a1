// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/ExampleRows.h"

#include "runtime/data/pipeline/FileCache.h"
#include "runtime/data/source/SourceFormat.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

/// Some of the rows of others.
class RowRange final : public ExampleRows {
public:
  RowRange(std::unique_ptr<ExampleRows> all, int64_t begin, int64_t end)
      : all(std::move(all)), begin(begin), end(end) {}

  int64_t rows() const override { return end - begin; }
  int64_t rowNanos() const override { return all->rowNanos(); }
  std::vector<int64_t> fileEnds() const override {
    std::vector<int64_t> used;
    for (int64_t each : all->fileEnds()) {
      int64_t within = std::clamp<int64_t>(each - begin, 0, rows());
      if (within > (used.empty() ? 0 : used.back()))
        used.push_back(within);
    }
    return used;
  }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> fields) const override {
    static thread_local std::vector<int64_t> shifted;
    shifted.assign(rows.begin(), rows.end());
    for (int64_t &row : shifted)
      row += begin;
    return all->gather(shifted, fields);
  }
  StatusOr<std::vector<std::byte>> encoded(int64_t row,
                                           size_t field) const override {
    return all->encoded(begin + row, field);
  }

private:
  std::unique_ptr<ExampleRows> all;
  int64_t begin, end;
};

StatusOr<std::unique_ptr<ExampleRows>> openFormat(const DatasetSpec &spec,
                                                  const DatasetFiles &files) {
  StatusOr<const SourceFormat *> found = namedFormat(files.format);
  if (!*found)
    found = formatOf(files.paths[0]);
  GRAPHC_ASSIGN_OR_RETURN(const SourceFormat *format, found);
  return format->open(spec, files);
}

/// All rows, from a file where --data names one for them.
StatusOr<std::unique_ptr<ExampleRows>> openAll(const DatasetSpec &spec,
                                               const DatasetFiles &files) {
  std::string cache = fileCacheOf(spec, files);
  if (cache.empty())
    return openFormat(spec, files);
  DatasetFiles others = files;
  others.keys.erase("cache");
  return openFileCache(cache, spec, others,
                       [&] { return openFormat(spec, others); });
}

StatusOr<std::unique_ptr<ExampleRows>> open(const DatasetSpec &spec,
                                            const DatasetFiles &files) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<ExampleRows> rows,
                          openAll(spec, files));
  int64_t all = rows->rows();
  int64_t begin = files.begin.value_or(0), end = files.end.value_or(all);
  GRAPHC_TRY(checkRowRange(files, begin, end, all, spec.batch));
  if (begin == 0 && end == all)
    return rows;
  return std::unique_ptr<ExampleRows>(
      new RowRange(std::move(rows), begin, end));
}

} // namespace

StatusOr<std::vector<std::byte>> ExampleRows::encoded(int64_t, size_t) const {
  return failedPrecondition("has no encoded images");
}

StatusOr<std::unique_ptr<ExampleRows>> openRows(const DatasetSpec &spec,
                                                const DatasetFiles &files) {
  StatusOr<std::unique_ptr<ExampleRows>> rows = open(spec, files);
  if (!rows.isOk())
    return rows.status().annotate("dataset '" + spec.name + "'");
  return rows;
}

} // namespace graphc::runtime
