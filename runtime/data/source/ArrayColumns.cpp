// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns that are arrays, in memory or in a file (Column.h).
#include "runtime/data/TypeCheck.h"
#include "runtime/data/source/Column.h"

#include <algorithm>
#include <cstring>

namespace graphc::runtime {

namespace {

/// The type of one row.
TensorType rowType(const TensorType &type) {
  return {type.dtype, {type.shape.begin() + 1, type.shape.end()}};
}

bool widens(DType from, DType to) {
  return (from == DType::UInt8 && (to == DType::Int32 || to == DType::Int64)) ||
         (from == DType::Int32 && to == DType::Int64);
}

Status checkField(const DatasetSpec::Field &field, const TensorType &type,
                  const std::string &path) {
  std::string place = "field '" + field.name + "' is declared " +
                      field.type.toString() + ", but '" + path + "' ";
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
void widenAs(std::span<const std::byte> bytes, std::byte *to) {
  for (size_t i = 0; i < bytes.size() / sizeof(From); ++i) {
    From value;
    std::memcpy(&value, &bytes[i * sizeof(From)], sizeof(From));
    To widened = value;
    std::memcpy(to + i * sizeof(To), &widened, sizeof(To));
  }
}

/// REQUIRES: from == to, or widens(from, to).
void convert(std::span<const std::byte> bytes, DType from, DType to,
             std::byte *target) {
  if (bytes.empty())
    return;
  if (from == to)
    std::memcpy(target, bytes.data(), bytes.size());
  else if (from == DType::Int32)
    widenAs<int32_t, int64_t>(bytes, target);
  else if (to == DType::Int32)
    widenAs<uint8_t, int32_t>(bytes, target);
  else
    widenAs<uint8_t, int64_t>(bytes, target);
}

class TensorColumn final : public Column {
public:
  TensorColumn(const TensorType &field, HostTensor tensor)
      : field(field), tensor(std::move(tensor)),
        rowBytes(rowType(this->tensor.type).numBytes()) {}

  int64_t rows() const override { return tensor.type.shape[0]; }
  bool isInMemory() const override { return true; }
  Status gather(std::span<const int64_t> rows, std::byte *to) const override {
    for (int64_t row : rows) {
      convert(std::span(tensor.bytes)
                  .subspan(static_cast<size_t>(row) * rowBytes, rowBytes),
              tensor.type.dtype, field.dtype, to);
      to += field.numBytes();
    }
    return Status::ok();
  }

private:
  TensorType field;
  HostTensor tensor;
  size_t rowBytes; ///< in the tensor
};

class FileColumn final : public Column {
public:
  FileColumn(const TensorType &field, const FileArray &array, InputFile file,
             std::string path)
      : field(field), array(array), file(std::move(file)),
        path(std::move(path)), rowBytes(rowType(array.type).numBytes()) {}

  int64_t rows() const override { return array.type.shape[0]; }
  Status gather(std::span<const int64_t> rows, std::byte *to) const override {
    while (!rows.empty() && rowBytes > 0) {
      size_t run = 1;
      while (run < rows.size() && run < kMostRun &&
             rows[run] == rows[run - 1] + 1)
        ++run;
      GRAPHC_TRY(read(rows[0], run, to));
      to += run * field.numBytes();
      rows = rows.subspan(run);
    }
    return Status::ok();
  }

private:
  /// Rows that are read at once, at most.
  static constexpr size_t kMostRun = 4096;

  Status read(int64_t first, size_t count, std::byte *to) const {
    uint64_t at = array.offset + static_cast<uint64_t>(first) * rowBytes;
    if (array.type.dtype == field.dtype) {
      std::span<std::byte> bytes(to, count * rowBytes);
      GRAPHC_TRY(file.readAt(at, bytes));
      return check(bytes, first);
    }
    static thread_local std::vector<std::byte> buffer;
    if (buffer.size() < count * rowBytes)
      GRAPHC_TRY(resizeBytes(buffer, count * rowBytes, path));
    auto bytes = std::span(buffer).first(count * rowBytes);
    GRAPHC_TRY(file.readAt(at, bytes));
    GRAPHC_TRY(check(bytes, first));
    convert(bytes, array.type.dtype, field.dtype, to);
    return Status::ok();
  }

  /// Turns the elements into the machine's order, and looks at bools.
  Status check(std::span<std::byte> bytes, int64_t first) const {
    size_t size = dtypeSize(array.type.dtype);
    if (array.isBigEndian && size > 1)
      for (size_t i = 0; i < bytes.size(); i += size)
        std::reverse(bytes.begin() + static_cast<ptrdiff_t>(i),
                     bytes.begin() + static_cast<ptrdiff_t>(i + size));
    if (array.type.dtype != DType::Bool)
      return Status::ok();
    auto wrong = std::find_if(bytes.begin(), bytes.end(),
                              [](std::byte b) { return b > std::byte{1}; });
    if (wrong == bytes.end())
      return Status::ok();
    auto row = first + (wrong - bytes.begin()) / static_cast<int64_t>(rowBytes);
    return dataLoss("row " + std::to_string(row) + " of '" + path +
                    "' holds a bool that is neither 0 nor 1; copy or make it "
                    "again");
  }

  TensorType field;
  FileArray array;
  InputFile file;
  std::string path;
  size_t rowBytes; ///< in the file
};

} // namespace

StatusOr<std::unique_ptr<Column>> tensorColumn(const DatasetSpec::Field &field,
                                               HostTensor tensor,
                                               const std::string &path) {
  GRAPHC_TRY(checkField(field, tensor.type, path));
  return std::unique_ptr<Column>(
      new TensorColumn(field.type, std::move(tensor)));
}

StatusOr<std::unique_ptr<Column>> fileColumn(const DatasetSpec::Field &field,
                                             const FileArray &array,
                                             InputFile file,
                                             const std::string &path) {
  GRAPHC_TRY(checkField(field, array.type, path));
  return std::unique_ptr<Column>(
      new FileColumn(field.type, array, std::move(file), path));
}

} // namespace graphc::runtime
