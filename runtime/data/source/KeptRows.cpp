// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/source/KeptRows.h"

#include "runtime/data/File.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace graphc::runtime {

namespace {

class KeptRows final : public ExampleRows {
public:
  explicit KeptRows(int64_t rows) : count(rows) {}

  Status fill(const DatasetSpec &spec, const ExampleRows &from) {
    constexpr int64_t kAtOnce = 1024;
    std::vector<std::byte *> places;
    for (const DatasetSpec::Field &field : spec.fields)
      fields.push_back({field.type.numBytes(), {}});
    for (Field &field : fields) {
      GRAPHC_TRY(resizeBytes(
          field.bytes, field.rowBytes * static_cast<size_t>(count), spec.name));
      places.push_back(field.bytes.data());
    }
    std::vector<int64_t> numbers;
    for (int64_t at = 0; at < count; at += kAtOnce) {
      numbers.resize(static_cast<size_t>(std::min(kAtOnce, count - at)));
      std::iota(numbers.begin(), numbers.end(), at);
      GRAPHC_TRY(from.gather(numbers, places));
      for (size_t f = 0; f < fields.size(); ++f)
        places[f] += numbers.size() * fields[f].rowBytes;
    }
    return Status::ok();
  }

  int64_t rows() const override { return count; }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> places) const override {
    for (size_t i = 0; i < rows.size(); ++i) {
      auto row = static_cast<size_t>(rows[i]);
      for (size_t f = 0; f < fields.size(); ++f) {
        const Field &field = fields[f];
        if (field.rowBytes > 0)
          std::memcpy(places[f] + i * field.rowBytes,
                      &field.bytes[row * field.rowBytes], field.rowBytes);
      }
    }
    return Status::ok();
  }

private:
  struct Field {
    size_t rowBytes;
    std::vector<std::byte> bytes;
  };
  int64_t count;
  std::vector<Field> fields;
};

} // namespace

StatusOr<std::unique_ptr<ExampleRows>>
keepSmall(const DatasetSpec &spec, std::unique_ptr<ExampleRows> rows) {
  int64_t rowBytes = 1; // no division by zero below
  for (const DatasetSpec::Field &field : spec.fields)
    rowBytes += static_cast<int64_t>(field.type.numBytes());
  if (rows->rows() > kKeptBytes / rowBytes)
    return rows;
  auto kept = std::make_unique<KeptRows>(rows->rows());
  GRAPHC_TRY(kept->fill(spec, *rows));
  return std::unique_ptr<ExampleRows>(std::move(kept));
}

} // namespace graphc::runtime
