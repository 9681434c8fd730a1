// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/Csv.h"

#include "runtime/data/TypeCheck.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <type_traits>

namespace graphc::runtime {

namespace {

constexpr std::string_view kBlanks = " \t";

/// Cuts a text into lines and a line into cells.
class CsvReader {
public:
  CsvReader(std::string_view text, std::string_view place)
      : rest(text), place(place) {
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
      if (line.find_first_not_of(kBlanks) != std::string_view::npos)
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
      size_t start = std::min(line.find_first_not_of(kBlanks), line.size());
      line.remove_prefix(start);
      std::string &cell = cells.emplace_back();
      if (line.starts_with('"')) {
        GRAPHC_TRY(unquote(line, cell, cells.size() - 1));
      } else {
        cell = line.substr(0, line.find(','));
        line.remove_prefix(cell.size());
        cell.resize(cell.find_last_not_of(kBlanks) + 1);
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
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.empty() || line[0] == ',')
      return Status::ok();
    return error(column, "text follows the closing quote; put a comma between "
                         "cells");
  }

  std::string_view rest;
  std::string_view place;
  size_t number = 0;
};

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
  case DType::String:
    break;
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
      return cell == field.name || cell == field.name + "_0";
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
    return reader.error(0, "the header has no column '" + missing->name +
                               "', but names other fields; name all of them, "
                               "or none");
  return starts;
}

Status checkColumns(const std::vector<size_t> &starts, size_t columns,
                    std::span<const CsvField> fields, const CsvReader &reader) {
  std::vector<const CsvField *> owners(columns, nullptr);
  for (size_t i = 0; i < fields.size(); ++i) {
    size_t count = static_cast<size_t>(fields[i].type.numElements());
    if (count > columns - starts[i])
      return reader.error(starts[i], "field '" + fields[i].name + "' takes " +
                                         std::to_string(count) +
                                         " columns from here on, but the line "
                                         "has " +
                                         std::to_string(columns));
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
      total += static_cast<size_t>(field.type.numElements());
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

Status appendRow(const std::vector<std::string> &cells, size_t start,
                 HostTensor &tensor, size_t count, const CsvReader &reader) {
  size_t size = dtypeSize(tensor.type.dtype);
  size_t at = tensor.bytes.size();
  tensor.bytes.resize(at + count * size);
  for (size_t i = start; i < start + count; ++i, at += size) {
    Parsed parsed = parseCell(tensor.type.dtype, cells[i], &tensor.bytes[at]);
    std::string type = dtypeName(tensor.type.dtype);
    std::string cell = cells[i].substr(0, 40);
    if (parsed == Parsed::DoesNotFit)
      return reader.error(i, "'" + cell + "' does not fit " + type +
                                 "; declare a wider type");
    if (parsed == Parsed::NotANumber)
      return reader.error(i, cell.empty()
                                 ? "the cell is empty; every cell needs a value"
                                 : "'" + cell + "' is not " + type);
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

} // namespace

StatusOr<std::vector<HostTensor>> parseCsv(std::string_view text,
                                           std::span<const CsvField> fields,
                                           std::string_view place) {
  GRAPHC_TRY(checkFields(fields, place));
  CsvReader reader(text, place);
  std::vector<std::string> cells;
  GRAPHC_TRY(reader.nextLine(cells));
  size_t columns = cells.size();
  bool header = isHeader(cells);
  if (cells.empty())
    return invalidArgument("'" + std::string(place) + "' holds no line");
  GRAPHC_ASSIGN_OR_RETURN(std::vector<size_t> starts,
                          findColumns(cells, header, fields, reader));
  std::vector<HostTensor> tensors;
  for (const CsvField &field : fields)
    tensors.push_back({field.type, {}});
  int64_t rows = 0;
  if (header)
    GRAPHC_TRY(reader.nextLine(cells));
  for (; !cells.empty(); ++rows) {
    if (cells.size() != columns)
      return reader.error(std::min(cells.size(), columns),
                          "the line has " + std::to_string(cells.size()) +
                              " columns, but the first has " +
                              std::to_string(columns));
    for (size_t i = 0; i < fields.size(); ++i)
      GRAPHC_TRY(appendRow(cells, starts[i], tensors[i],
                           static_cast<size_t>(fields[i].type.numElements()),
                           reader));
    GRAPHC_TRY(reader.nextLine(cells));
  }
  for (HostTensor &tensor : tensors)
    tensor.type.shape.insert(tensor.type.shape.begin(), rows);
  return tensors;
}

} // namespace graphc::runtime
