// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/DatasetFiles.h"

#include "runtime/data/Csv.h"
#include "runtime/data/File.h"
#include "runtime/data/Idx.h"
#include "runtime/data/Npy.h"
#include "runtime/data/archive/Inflate.h"

#include <charconv>
#include <filesystem>
#include <glob.h>

namespace graphc::runtime {

namespace {

enum class FileKind { Npy, Npz, Idx, Csv };

/// A file's bytes and what they are.
struct DataFile {
  std::string path;
  FileKind kind;
  std::vector<std::byte> bytes;
};

/// Values of a file for one field, with the rows as its first dimension.
struct Loaded {
  std::string path;
  HostTensor tensor;
};

std::string describe(const DatasetSpec &spec) {
  return "dataset '" + spec.name + "'";
}

StatusOr<std::optional<int64_t>> parseBound(std::string_view text,
                                            std::string_view range) {
  if (text.empty())
    return std::optional<int64_t>();
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return invalidArgument("'@" + std::string(range) +
                           "' is no range of rows; write @BEGIN:END with "
                           "numbers from 0, e.g. @0:5000 or @5000:");
  return std::optional<int64_t>(value);
}

Status parseRange(std::string_view range, DatasetFiles &files) {
  size_t colon = range.find(':');
  if (colon == std::string_view::npos)
    return invalidArgument("'@" + std::string(range) +
                           "' is no range of rows; write @BEGIN:END");
  GRAPHC_ASSIGN_OR_RETURN(files.begin,
                          parseBound(range.substr(0, colon), range));
  GRAPHC_ASSIGN_OR_RETURN(files.end,
                          parseBound(range.substr(colon + 1), range));
  return Status::ok();
}

StatusOr<FileKind> kindOf(std::span<const std::byte> bytes,
                          const std::string &path) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (text.starts_with("\x93NUMPY"))
    return FileKind::Npy;
  if (text.starts_with("PK"))
    return FileKind::Npz;
  if (text.starts_with(std::string_view("\0\0", 2)) || isGzip(bytes))
    return FileKind::Idx;
  if (path.ends_with(".csv"))
    return FileKind::Csv;
  return invalidArgument("'" + path +
                         "' is no file of data; .npy, .npz, IDX (plain or "
                         "gzip) and files named *.csv are read");
}

StatusOr<DataFile> readDataFile(const std::string &path) {
  DataFile file{path, FileKind::Csv, {}};
  GRAPHC_ASSIGN_OR_RETURN(file.bytes, readFileBytes(path));
  GRAPHC_ASSIGN_OR_RETURN(file.kind, kindOf(file.bytes, path));
  return file;
}

StatusOr<std::vector<HostTensor>>
readCsvFields(const DataFile &file,
              std::span<const DatasetSpec::Field> fields) {
  std::vector<CsvField> csvFields;
  for (const DatasetSpec::Field &field : fields)
    csvFields.push_back({field.name, field.type});
  std::string_view text(reinterpret_cast<const char *>(file.bytes.data()),
                        file.bytes.size());
  return parseCsv(text, csvFields, file.path);
}

StatusOr<HostTensor> readField(const DataFile &file,
                               const DatasetSpec::Field &field) {
  switch (file.kind) {
  case FileKind::Npy:
    return parseNpy(file.bytes, file.path);
  case FileKind::Npz:
    return parseNpzArray(file.bytes, field.name, file.path);
  case FileKind::Idx:
    return parseIdx(file.bytes, file.path);
  case FileKind::Csv:
    break;
  }
  GRAPHC_ASSIGN_OR_RETURN(std::vector<HostTensor> tensors,
                          readCsvFields(file, std::span(&field, 1)));
  return std::move(tensors[0]);
}

/// One file holds all fields.
StatusOr<std::vector<Loaded>> readSharedFile(const DatasetSpec &spec,
                                             const DataFile &file) {
  std::vector<Loaded> loaded;
  if (file.kind == FileKind::Csv) {
    GRAPHC_ASSIGN_OR_RETURN(std::vector<HostTensor> tensors,
                            readCsvFields(file, spec.fields));
    for (HostTensor &tensor : tensors)
      loaded.push_back({file.path, std::move(tensor)});
    return loaded;
  }
  for (const DatasetSpec::Field &field : spec.fields) {
    GRAPHC_ASSIGN_OR_RETURN(HostTensor tensor, readField(file, field));
    loaded.push_back({file.path, std::move(tensor)});
  }
  return loaded;
}

StatusOr<std::vector<Loaded>> readAll(const DatasetSpec &spec,
                                      const std::vector<std::string> &paths) {
  std::vector<Loaded> loaded;
  size_t fields = spec.fields.size();
  if (paths.size() == 1) {
    GRAPHC_ASSIGN_OR_RETURN(DataFile file, readDataFile(paths[0]));
    if (fields == 1 || file.kind == FileKind::Npz || file.kind == FileKind::Csv)
      return readSharedFile(spec, file);
  }
  if (paths.size() != fields) {
    std::string names;
    for (const DatasetSpec::Field &field : spec.fields)
      names += (names.empty() ? "'" : ", '") + field.name + "'";
    return invalidArgument(std::to_string(paths.size()) +
                           " files are given "
                           "for " +
                           std::to_string(fields) +
                           " fields; give "
                           "one file for each of " +
                           names + ", or one .npz or .csv for all");
  }
  for (size_t i = 0; i < fields; ++i) {
    GRAPHC_ASSIGN_OR_RETURN(DataFile file, readDataFile(paths[i]));
    GRAPHC_ASSIGN_OR_RETURN(HostTensor tensor, readField(file, spec.fields[i]));
    loaded.push_back({paths[i], std::move(tensor)});
  }
  return loaded;
}

/// Returns the type of one row of a tensor.
TensorType rowType(const TensorType &type) {
  return {type.dtype, {type.shape.begin() + 1, type.shape.end()}};
}

bool widens(DType from, DType to) {
  return (from == DType::UInt8 && (to == DType::Int32 || to == DType::Int64)) ||
         (from == DType::Int32 && to == DType::Int64);
}

Status checkField(const DatasetSpec::Field &field, const Loaded &loaded) {
  const TensorType &type = loaded.tensor.type;
  std::string place = "field '" + field.name + "' is declared " +
                      field.type.toString() + ", but '" + loaded.path + "' ";
  if (type.shape.empty())
    return invalidArgument(place + "holds a scalar without rows; give the "
                                   "array a first dimension of examples");
  if (rowType(type).numElements() != field.type.numElements())
    return invalidArgument(place + "holds " + rowType(type).toString() +
                           " in each row; declare that shape, or reshape the "
                           "file");
  if (type.dtype != field.type.dtype && !widens(type.dtype, field.type.dtype))
    return invalidArgument(place + "holds " + dtypeName(type.dtype) +
                           "; declare the field as " + dtypeName(type.dtype) +
                           " and cast it in the graph");
  return Status::ok();
}

template <typename From, typename To>
StatusOr<std::vector<std::byte>> widenAs(std::span<const std::byte> bytes,
                                         const std::string &path) {
  size_t count = bytes.size() / sizeof(From);
  std::vector<std::byte> wide;
  GRAPHC_TRY(resizeBytes(wide, count * sizeof(To), path));
  for (size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, &bytes[i * sizeof(From)], sizeof(From));
    To widened = value;
    std::memcpy(&wide[i * sizeof(To)], &widened, sizeof(To));
  }
  return wide;
}

/// REQUIRES: widens(from, to).
StatusOr<std::vector<std::byte>> widen(std::span<const std::byte> bytes,
                                       DType from, DType to,
                                       const std::string &path) {
  if (from == DType::Int32)
    return widenAs<int32_t, int64_t>(bytes, path);
  if (to == DType::Int32)
    return widenAs<uint8_t, int32_t>(bytes, path);
  return widenAs<uint8_t, int64_t>(bytes, path);
}

/// The rows of the range, in the declared type.
StatusOr<ExampleTable::Column> makeColumn(const DatasetSpec::Field &field,
                                          Loaded &loaded, int64_t begin,
                                          int64_t rows) {
  DType from = loaded.tensor.type.dtype, to = field.type.dtype;
  size_t fileRow = rowType(loaded.tensor.type).numBytes();
  std::vector<std::byte> &bytes = loaded.tensor.bytes;
  std::span<const std::byte> used =
      std::span(bytes).subspan(static_cast<size_t>(begin) * fileRow,
                               static_cast<size_t>(rows) * fileRow);
  ExampleTable::Column column{{}, field.type.numBytes()};
  if (from != to) {
    GRAPHC_ASSIGN_OR_RETURN(column.bytes, widen(used, from, to, loaded.path));
  } else if (used.size() == bytes.size()) {
    column.bytes = std::move(bytes);
  } else {
    GRAPHC_TRY(resizeBytes(column.bytes, used.size(), loaded.path));
    std::copy(used.begin(), used.end(), column.bytes.begin());
  }
  return column;
}

Status checkRows(const std::vector<Loaded> &loaded) {
  int64_t rows = loaded[0].tensor.type.shape[0];
  for (const Loaded &other : loaded)
    if (other.tensor.type.shape[0] != rows)
      return invalidArgument("'" + loaded[0].path + "' has " +
                             std::to_string(rows) + " rows, but '" +
                             other.path + "' has " +
                             std::to_string(other.tensor.type.shape[0]) +
                             "; give files of the same examples");
  return Status::ok();
}

StatusOr<ExampleTable> load(const DatasetSpec &spec,
                            const DatasetFiles &files) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<Loaded> loaded,
                          readAll(spec, files.paths));
  for (size_t i = 0; i < loaded.size(); ++i)
    GRAPHC_TRY(checkField(spec.fields[i], loaded[i]));
  GRAPHC_TRY(checkRows(loaded));
  int64_t rows = loaded[0].tensor.type.shape[0];
  int64_t begin = files.begin.value_or(0), end = files.end.value_or(rows);
  GRAPHC_TRY(checkRowRange(files, begin, end, rows, spec.batch));
  ExampleTable table;
  table.rows = end - begin;
  for (size_t i = 0; i < loaded.size(); ++i) {
    GRAPHC_ASSIGN_OR_RETURN(
        ExampleTable::Column column,
        makeColumn(spec.fields[i], loaded[i], begin, table.rows));
    table.columns.push_back(std::move(column));
  }
  return table;
}

/// "FIELD=KEY&FIELD=KEY".
Status parseKeys(std::string_view text, DatasetFiles &files) {
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    size_t sign = part.find('=');
    if (sign == std::string_view::npos || sign == 0 || sign + 1 == part.size())
      return invalidArgument("'?" + std::string(part) +
                             "' is no name of a feature; write ?FIELD=KEY");
    files.keys[std::string(part.substr(0, sign))] = part.substr(sign + 1);
  }
  return Status::ok();
}

/// Adds a file, or those that a name with '*' fits.
Status addPaths(const std::string &path, DatasetFiles &files) {
  std::error_code error;
  if (path.find('*') == std::string::npos ||
      std::filesystem::exists(path, error)) {
    files.paths.push_back(path);
    return Status::ok();
  }
  glob_t found{};
  int result = ::glob(path.c_str(), 0, nullptr, &found); // sorts them
  for (size_t i = 0; result == 0 && i < found.gl_pathc; ++i)
    files.paths.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  return result == 0 ? Status::ok()
                     : notFound("no file fits '" + path + "'; check the path");
}

} // namespace

Status checkRowRange(const DatasetFiles &files, int64_t begin, int64_t end,
                     int64_t rows, int64_t batch) {
  if (begin > rows || end > rows)
    return invalidArgument("the rows " + std::to_string(begin) + ":" +
                           std::to_string(end) + " are not all in '" +
                           files.paths[0] + "', which has " +
                           std::to_string(rows) + " rows");
  if (end - begin >= batch)
    return Status::ok();
  return invalidArgument("'" + files.paths[0] + "' gives " +
                         std::to_string(std::max<int64_t>(end - begin, 0)) +
                         " examples, fewer than one batch of " +
                         std::to_string(batch) +
                         "; use a smaller batch or more data");
}

StatusOr<DatasetFiles> parseDatasetFiles(std::string_view text) {
  DatasetFiles files;
  size_t at = text.rfind('@');
  if (at != std::string_view::npos && at + 1 < text.size() &&
      text.find_first_not_of("0123456789:-", at + 1) ==
          std::string_view::npos) {
    GRAPHC_TRY(parseRange(text.substr(at + 1), files));
    text = text.substr(0, at);
  }
  size_t mark = text.rfind('?');
  if (mark != std::string_view::npos &&
      text.find('=', mark) != std::string_view::npos) {
    GRAPHC_TRY(parseKeys(text.substr(mark + 1), files));
    text = text.substr(0, mark);
  }
  for (;;) {
    size_t comma = text.find(',');
    std::string path(text.substr(0, comma));
    if (path.empty())
      return invalidArgument("a file name is empty; write "
                             "FILE[,FILE...][@BEGIN:END]");
    GRAPHC_TRY(addPaths(path, files));
    if (comma == std::string_view::npos)
      return files;
    text.remove_prefix(comma + 1);
  }
}

StatusOr<ExampleTable> loadExamples(const DatasetSpec &spec,
                                    const DatasetFiles &files) {
  StatusOr<ExampleTable> table = load(spec, files);
  if (!table.isOk())
    return table.status().annotate(describe(spec));
  return table;
}

} // namespace graphc::runtime
