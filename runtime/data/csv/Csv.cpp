// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/csv/Csv.h"

#include "runtime/data/TypeCheck.h"
#include "runtime/data/fields/FieldWriter.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <type_traits>

namespace graphc::runtime {

namespace {

/// Cuts a text into lines and a line into cells.
class CsvReader {
public:
  /// Lines are counted from `before` on.
  CsvReader(std::string_view text, std::string_view place, char separator = ',',
            size_t before = 0)
      : rest(text), place(place), separator(separator), number(before),
        blanks(separator == '\t' ? " " : " \t") {
    if (rest.starts_with("\xef\xbb\xbf"))
      rest.remove_prefix(3); // the byte order mark that spreadsheets write
  }

  /// Reads the cells of the next line that is not empty; none at the end.
  Status nextLine(std::vector<std::string> &cells) {
    cells.clear();
    while (!rest.empty() && cells.empty()) {
      size_t size = rest.find('\n');
      std::string_view line = rest.substr(0, size);
      rest.remove_prefix(size == std::string_view::npos ? rest.size()
                                                        : size + 1);
      ++number;
      if (line.ends_with('\r'))
        line.remove_suffix(1);
      if (line.find_first_not_of(blanks) != std::string_view::npos)
        GRAPHC_TRY(cut(line, cells));
    }
    return Status::ok();
  }

  size_t line() const { return number; }

  Status error(size_t column, const std::string &reason) const {
    return invalidArgument(std::string(place) + ":" + std::to_string(number) +
                           ": column " + std::to_string(column + 1) + ": " +
                           reason);
  }

private:
  Status cut(std::string_view line, std::vector<std::string> &cells) {
    for (;;) {
      size_t start = std::min(line.find_first_not_of(blanks), line.size());
      line.remove_prefix(start);
      std::string &cell = cells.emplace_back();
      if (line.starts_with('"')) {
        GRAPHC_TRY(unquote(line, cell, cells.size() - 1));
      } else {
        cell = line.substr(0, line.find(separator));
        line.remove_prefix(cell.size());
        cell.resize(cell.find_last_not_of(blanks) + 1);
      }
      if (line.empty())
        return Status::ok();
      line.remove_prefix(1); // the comma
    }
  }

  /// Reads a quoted cell and the blanks after it; "" in it means ".
  Status unquote(std::string_view &line, std::string &cell, size_t column) {
    for (;;) {
      line.remove_prefix(1);
      size_t end = line.find('"');
      if (end == std::string_view::npos)
        return error(column, "the quote is not closed on its line; close it");
      cell += line.substr(0, end);
      line.remove_prefix(end + 1);
      if (!line.starts_with('"'))
        break;
      cell += '"';
    }
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty() || line[0] == separator)
      return Status::ok();
    return error(column, "text follows the closing quote; put a comma between "
                         "cells");
  }

  std::string_view rest;
  std::string_view place;
  char separator;
  size_t number; ///< of the line that was read last
  std::string_view blanks;
};

constexpr std::string_view kBlanks = " \t";

enum class Parsed { Yes, NotANumber, DoesNotFit };

template <typename T> Parsed parseAs(std::string_view cell, std::byte *out) {
  if (cell.starts_with('+'))
    cell.remove_prefix(1);
  T value{};
  auto [end, error] =
      std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end != cell.data() + cell.size() || error == std::errc::invalid_argument)
    return Parsed::NotANumber;
  if (error == std::errc::result_out_of_range) {
    if (!std::is_floating_point_v<T>)
      return Parsed::DoesNotFit;
    // from_chars does not tell the too small, which round to 0, from the rest.
    value = static_cast<T>(std::strtod(std::string(cell).c_str(), nullptr));
    if (value - value != 0)
      return Parsed::DoesNotFit;
  }
  std::memcpy(out, &value, sizeof(T));
  return Parsed::Yes;
}

Parsed parseBool(std::string_view cell, std::byte *out) {
  bool isTrue = cell == "1" || cell == "true" || cell == "True";
  if (!isTrue && cell != "0" && cell != "false" && cell != "False")
    return Parsed::NotANumber;
  *out = static_cast<std::byte>(isTrue);
  return Parsed::Yes;
}

Parsed parseCell(DType dtype, std::string_view cell, std::byte *out) {
  // Only a quoted cell still has blanks around it.
  cell.remove_prefix(std::min(cell.find_first_not_of(kBlanks), cell.size()));
  cell = cell.substr(0, cell.find_last_not_of(kBlanks) + 1);
  switch (dtype) {
  case DType::Bool:
    return parseBool(cell, out);
  case DType::UInt8:
    return parseAs<uint8_t>(cell, out);
  case DType::Int32:
    return parseAs<int32_t>(cell, out);
  case DType::Int64:
    return parseAs<int64_t>(cell, out);
  case DType::Float32:
    return parseAs<float>(cell, out);
  case DType::Float64:
    return parseAs<double>(cell, out);
  default:
    break; // no field has another
  }
  return Parsed::NotANumber;
}

bool isHeader(const std::vector<std::string> &cells) {
  std::byte value[8];
  return std::any_of(cells.begin(), cells.end(), [&](const std::string &cell) {
    return parseCell(DType::Float64, cell, value) == Parsed::NotANumber &&
           parseBool(cell, value) == Parsed::NotANumber && !cell.empty();
  });
}

size_t columnsOf(const CsvField &field) {
  bool isOne =
      field.options && (field.options->splits || field.options->isLength);
  return isOne ? 1 : static_cast<size_t>(field.type.numElements());
}

const std::string &nameOf(const CsvField &field) {
  return field.options ? field.options->key : field.name;
}

/// The first column of each field, by the names in a header line: none where it
/// names no field at all.
StatusOr<std::vector<size_t>>
columnsByName(const std::vector<std::string> &line, bool header,
              std::span<const CsvField> fields, const CsvReader &reader) {
  std::vector<size_t> starts;
  if (!header)
    return starts;
  const CsvField *missing = nullptr;
  for (const CsvField &field : fields) {
    auto isField = [&](const std::string &cell) {
      return cell == nameOf(field) || cell == nameOf(field) + "_0";
    };
    auto found = std::find_if(line.begin(), line.end(), isField);
    if (found == line.end()) {
      missing = &field;
      continue;
    }
    size_t start = static_cast<size_t>(found - line.begin());
    auto again = std::find_if(found + 1, line.end(), isField);
    if (again != line.end())
      return reader.error(static_cast<size_t>(again - line.begin()),
                          "field '" + field.name +
                              "' is named by another column already; rename "
                              "one of them");
    starts.push_back(start);
  }
  if (missing && !starts.empty())
    return reader.error(0, "the header has no column '" + nameOf(*missing) +
                               "', but names other fields; name all of them, "
                               "or none");
  return starts;
}

Status checkColumns(const std::vector<size_t> &starts, size_t columns,
                    std::span<const CsvField> fields, const CsvReader &reader) {
  std::vector<const CsvField *> owners(columns, nullptr);
  for (size_t i = 0; i < fields.size(); ++i) {
    size_t count = columnsOf(fields[i]);
    if (count > columns - starts[i])
      return reader.error(starts[i], "field '" + fields[i].name + "' takes " +
                                         std::to_string(count) +
                                         " columns from here on, but the line "
                                         "has " +
                                         std::to_string(columns));
    if (fields[i].options && fields[i].options->isLength)
      continue; // it counts the words of another field's column
    for (size_t j = starts[i]; j < starts[i] + count; ++j) {
      if (owners[j])
        return reader.error(j, "both field '" + owners[j]->name +
                                   "' and field '" + fields[i].name +
                                   "' take this column; check their shapes");
      owners[j] = &fields[i];
    }
  }
  return Status::ok();
}

/// The first column of each field. All columns are taken in order where no
/// header names the fields.
StatusOr<std::vector<size_t>>
findColumns(const std::vector<std::string> &firstLine, bool header,
            std::span<const CsvField> fields, const CsvReader &reader) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<size_t> starts,
                          columnsByName(firstLine, header, fields, reader));
  if (starts.empty()) {
    size_t total = 0;
    for (const CsvField &field : fields) {
      starts.push_back(std::min(total, firstLine.size()));
      total += columnsOf(field);
    }
    if (total != firstLine.size())
      return reader.error(
          0, "the line has " + std::to_string(firstLine.size()) +
                 " columns, but the fields take " + std::to_string(total) +
                 "; check the fields' shapes");
  }
  GRAPHC_TRY(checkColumns(starts, firstLine.size(), fields, reader));
  return starts;
}

Status emptyCell(const CsvReader &reader, size_t column) {
  return reader.error(column, "the cell is empty; every cell needs a value");
}

/// Cells whose texts or lengths become numbers, or may be missing.
Status writeByOptions(const std::vector<std::string> &cells, size_t start,
                      const CsvField &field, std::byte *to,
                      const CsvReader &reader) {
  FieldWriter writer(field.type, *field.options, to);
  Status status;
  size_t at = start;
  for (; at < start + columnsOf(field) && status.isOk(); ++at) {
    const std::string *cell = &cells[at];
    if (cell->empty() && field.options->fallback)
      cell = &*field.options->fallback;
    else if (cell->empty() && !field.options->pad && !field.options->isLength)
      return emptyCell(reader, at);
    if (!cell->empty())
      status = writer.addText(*cell);
  }
  if (status.isOk())
    status = writer.finish();
  return status.isOk() ? status
                       : reader.error(at - 1, "field '" + field.name +
                                                  "' has " + status.message());
}

Status writeCells(const std::vector<std::string> &cells, size_t start,
                  const CsvField &field, std::byte *to,
                  const CsvReader &reader) {
  if (field.options && !field.options->isPlain())
    return writeByOptions(cells, start, field, to, reader);
  DType dtype = field.type.dtype;
  for (size_t i = start; i < start + columnsOf(field);
       ++i, to += dtypeSize(dtype)) {
    Parsed parsed = parseCell(dtype, cells[i], to);
    std::string type = dtypeName(dtype);
    std::string cell = cells[i].substr(0, 40);
    if (parsed == Parsed::DoesNotFit)
      return reader.error(i, "'" + cell + "' does not fit " + type +
                                 "; declare a wider type");
    if (parsed == Parsed::NotANumber)
      return cell.empty() ? emptyCell(reader, i)
                          : reader.error(i, "'" + cell + "' is not " + type);
  }
  return Status::ok();
}

Status checkFields(std::span<const CsvField> fields, std::string_view place) {
  for (const CsvField &field : fields)
    if (field.type.dtype == DType::String || !checkedNumBytes(field.type))
      return invalidArgument("'" + std::string(place) + "': field '" +
                             field.name + "' of type " + field.type.toString() +
                             " cannot be read from CSV; declare numbers");
  return Status::ok();
}

/// A header has a cell that is no number, and where fields are texts the name
/// of one.
bool beginsWithHeader(const std::vector<std::string> &cells,
                      std::span<const CsvField> fields) {
  auto isText = [](const CsvField &field) {
    return field.options && !field.options->isPlain();
  };
  auto isNamed = [&](const CsvField &field) {
    return std::find(cells.begin(), cells.end(), nameOf(field)) != cells.end();
  };
  return isHeader(cells) &&
         (std::none_of(fields.begin(), fields.end(), isText) ||
          std::any_of(fields.begin(), fields.end(), isNamed));
}

Status writeRow(const std::vector<std::string> &cells, const CsvLayout &layout,
                std::span<const CsvField> fields,
                std::span<std::byte *const> places, const CsvReader &reader) {
  if (cells.size() != layout.columns)
    return reader.error(std::min(cells.size(), layout.columns),
                        "the line has " + std::to_string(cells.size()) +
                            " columns, but the first has " +
                            std::to_string(layout.columns));
  for (size_t i = 0; i < fields.size(); ++i)
    GRAPHC_TRY(
        writeCells(cells, layout.starts[i], fields[i], places[i], reader));
  return Status::ok();
}

StatusOr<CsvLayout> layoutOf(const std::vector<std::string> &cells,
                             std::span<const CsvField> fields,
                             const CsvReader &reader, std::string_view place) {
  if (cells.empty())
    return invalidArgument("'" + std::string(place) + "' holds no line");
  CsvLayout layout;
  layout.columns = cells.size();
  layout.hasHeader = beginsWithHeader(cells, fields);
  GRAPHC_ASSIGN_OR_RETURN(layout.starts,
                          findColumns(cells, layout.hasHeader, fields, reader));
  return layout;
}

} // namespace

StatusOr<CsvLayout> readCsvLayout(std::string_view line, char separator,
                                  std::span<const CsvField> fields,
                                  std::string_view place) {
  GRAPHC_TRY(checkFields(fields, place));
  CsvReader reader(line, place, separator);
  std::vector<std::string> cells;
  GRAPHC_TRY(reader.nextLine(cells));
  GRAPHC_ASSIGN_OR_RETURN(CsvLayout layout,
                          layoutOf(cells, fields, reader, place));
  layout.separator = separator;
  return layout;
}

Status readCsvRow(std::string_view line, size_t number, const CsvLayout &layout,
                  std::span<const CsvField> fields,
                  std::span<std::byte *const> places, std::string_view place) {
  static thread_local std::vector<std::string> cells;
  CsvReader reader(line, place, layout.separator, number - 1);
  GRAPHC_TRY(reader.nextLine(cells));
  return writeRow(cells, layout, fields, places, reader);
}

StatusOr<std::vector<HostTensor>> parseCsv(std::string_view text,
                                           std::span<const CsvField> fields,
                                           std::string_view place) {
  GRAPHC_TRY(checkFields(fields, place));
  CsvReader reader(text, place);
  std::vector<std::string> cells;
  GRAPHC_TRY(reader.nextLine(cells));
  GRAPHC_ASSIGN_OR_RETURN(CsvLayout layout,
                          layoutOf(cells, fields, reader, place));
  std::vector<HostTensor> tensors;
  for (const CsvField &field : fields)
    tensors.push_back({field.type, {}});
  std::vector<std::byte *> places(fields.size());
  int64_t rows = 0;
  if (layout.hasHeader)
    GRAPHC_TRY(reader.nextLine(cells));
  for (; !cells.empty(); ++rows) {
    for (size_t i = 0; i < fields.size(); ++i) {
      std::vector<std::byte> &bytes = tensors[i].bytes;
      bytes.resize(bytes.size() + fields[i].type.numBytes());
      places[i] = bytes.data() + bytes.size() - fields[i].type.numBytes();
    }
    GRAPHC_TRY(writeRow(cells, layout, fields, places, reader));
    GRAPHC_TRY(reader.nextLine(cells));
  }
  for (HostTensor &tensor : tensors)
    tensor.type.shape.insert(tensor.type.shape.begin(), rows);
  return tensors;
}

} // namespace graphc::runtime
