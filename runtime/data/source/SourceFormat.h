// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formats of data files. A format is a folder under runtime/data and a line of
// SourceFormats.cpp.
#ifndef GRAPHC_RUNTIME_DATA_SOURCE_SOURCEFORMAT_H
#define GRAPHC_RUNTIME_DATA_SOURCE_SOURCEFORMAT_H

#include "runtime/base/Status.h"
#include "runtime/data/ExampleRows.h"
#include "runtime/data/fields/FieldOptions.h"
#include "runtime/data/source/Column.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// The beginning of a file, by which a format tells its own.
struct FileHead {
  enum class Packing { None, Gzip, Zlib };
  std::string path;
  bool isFolder = false;
  Packing packing = Packing::None;
  std::vector<std::byte>
      bytes; ///< at most 4096; of what is packed 12, unpacked
};

/// Reads it; the errors of InputFile::open().
StatusOr<FileHead> readFileHead(const std::string &path);

/// Thread-safety: without state.
class SourceFormat {
public:
  virtual ~SourceFormat() = default;

  /// The word by which --data names it: "csv" in csv:FILE.
  virtual std::string_view name() const = 0;

  /// True for its files. A format that is only named has none.
  virtual bool recognises(const FileHead &head) const { return false; }

  /// True where the paths are no files, as of generated examples.
  virtual bool makesRows() const { return false; }

  /// All rows of the files, whose first one is of this format, in the order of
  /// the fields; files.begin and end are applied by the caller. Errors name the
  /// file. Where it is not overridden, each field is a column: openColumns().
  virtual StatusOr<std::unique_ptr<ExampleRows>>
  open(const DatasetSpec &spec, const DatasetFiles &files) const;

  /// True where one file has the columns of several fields.
  virtual bool holdsColumns() const { return false; }

  /// True where columns, arrays or features have names of their own.
  virtual bool hasKeys() const { return true; }

  /// The column of a field.
  virtual StatusOr<std::unique_ptr<Column>>
  openColumn(const std::string &path, const DatasetSpec::Field &field,
             const FieldOptions &options) const;
};

/// All formats, in the order in which they are asked.
std::span<const SourceFormat *const> sourceFormats();

/// The format of files that begin with "NAME:"; nullptr: none of that name.
const SourceFormat *namedFormat(std::string_view name);

/// The format of a file by its content and name. INVALID_ARGUMENT: of none.
StatusOr<const SourceFormat *> formatOf(const std::string &path);

} // namespace graphc::runtime

#endif
