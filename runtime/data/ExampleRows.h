// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The examples of a dataset's files, read row by row, from memory or from disk.
#ifndef GRAPHC_RUNTIME_DATA_EXAMPLEROWS_H
#define GRAPHC_RUNTIME_DATA_EXAMPLEROWS_H

#include "runtime/base/Status.h"
#include "runtime/data/DataSource.h"
#include "runtime/data/DatasetFiles.h"

#include <memory>
#include <span>
#include <vector>

namespace graphc::runtime {

/// Thread-safety: const calls may run at the same time.
class ExampleRows {
public:
  virtual ~ExampleRows() = default;

  /// Within the range that was asked for.
  virtual int64_t rows() const = 0;

  /// Writes those rows one after the other: fields[i] points to as many times
  /// field i's bytes. DATA_LOSS and others name the file and the place in it.
  virtual Status gather(std::span<const int64_t> rows,
                        std::span<std::byte *const> fields) const = 0;

  /// The JPEG or PNG image that field `field` of a row is decoded from.
  /// FAILED_PRECONDITION: it is none.
  virtual StatusOr<std::vector<std::byte>> encoded(int64_t row,
                                                   size_t field) const;

  /// Estimate of what it takes to read and decode a row, in nanoseconds: 0 for
  /// rows that are copied from memory. Others are read by threads of their own.
  virtual int64_t rowNanos() const { return 0; }

  /// The rows up to the end of each file, in their order; one file unless
  /// examples follow each other in several.
  virtual std::vector<int64_t> fileEnds() const { return {rows()}; }
};

/// Opens the files by their format (source/SourceFormat.h). Files stay on disk;
/// what is packed, and what takes less than kKeptBytes, is kept in memory.
StatusOr<std::unique_ptr<ExampleRows>> openRows(const DatasetSpec &spec,
                                                const DatasetFiles &files);

} // namespace graphc::runtime

#endif
