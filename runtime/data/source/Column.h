// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of one field in all examples.
#ifndef GRAPHC_RUNTIME_DATA_SOURCE_COLUMN_H
#define GRAPHC_RUNTIME_DATA_SOURCE_COLUMN_H

#include "runtime/base/Status.h"
#include "runtime/data/DataSource.h"
#include "runtime/data/File.h"
#include "runtime/data/HostTensor.h"

#include <memory>
#include <span>
#include <string>

namespace graphc::runtime {

/// Thread-safety: const calls may run at the same time.
class Column {
public:
  virtual ~Column() = default;
  virtual int64_t rows() const = 0;
  virtual bool isInMemory() const { return false; }

  /// Writes those rows one after the other, in the field's type.
  virtual Status gather(std::span<const int64_t> rows, std::byte *to) const = 0;
};

/// A column that is an array, whose first dimension are the rows, in memory.
/// INVALID_ARGUMENT where its rows are not what the field declares.
StatusOr<std::unique_ptr<Column>> tensorColumn(const DatasetSpec::Field &field,
                                               HostTensor tensor,
                                               const std::string &path);

/// An array within a file.
struct FileArray {
  TensorType type;
  uint64_t offset = 0; ///< of its first element
  bool isBigEndian = false;
};

/// The same for an array that stays in its file. Rows are read when they are
/// gathered, neighbours at once: a file that is cut meanwhile is DATA_LOSS,
/// where one that is mapped would end the process.
StatusOr<std::unique_ptr<Column>> fileColumn(const DatasetSpec::Field &field,
                                             const FileArray &array,
                                             InputFile file,
                                             const std::string &path);

} // namespace graphc::runtime

#endif
