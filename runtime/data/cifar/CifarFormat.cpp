// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/cifar/CifarFormat.h"

#include "runtime/data/source/KeptRows.h"

#include <filesystem>

namespace graphc::runtime {

namespace {

constexpr size_t kPixels = 32 * 32, kImage = 3 * kPixels;

/// A record is one or two labels and an image, plane by plane.
class CifarRows final : public ExampleRows {
public:
  CifarRows(size_t labels, const DatasetSpec &spec) : labels(labels) {
    for (const DatasetSpec::Field &field : spec.fields)
      fields.push_back({field.type, 0});
  }

  Status add(const std::string &path) {
    GRAPHC_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
    size_t record = labels + kImage;
    if (file.size() % record != 0)
      return dataLoss("'" + path + "' has " + std::to_string(file.size()) +
                      " bytes, which are no whole records of " +
                      std::to_string(record) + "; copy it again");
    int64_t before = ends.empty() ? 0 : ends.back();
    ends.push_back(before + static_cast<int64_t>(file.size() / record));
    files.push_back(std::move(file));
    return Status::ok();
  }
  void setLabel(size_t field, size_t at) { fields[field].label = at; }

  int64_t rows() const override { return ends.back(); }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> places) const override {
    std::byte bytes[2 + kImage];
    auto record = std::span(bytes).first(labels + kImage);
    for (size_t i = 0; i < rows.size(); ++i) {
      size_t file = 0;
      while (rows[i] >= ends[file])
        ++file;
      int64_t first = file == 0 ? 0 : ends[file - 1];
      GRAPHC_TRY(files[file].readAt(
          static_cast<uint64_t>(rows[i] - first) * record.size(), record));
      for (size_t f = 0; f < fields.size(); ++f)
        write(fields[f], bytes, places[f] + i * fields[f].type.numBytes());
    }
    return Status::ok();
  }

private:
  struct Field {
    TensorType type;
    size_t label; ///< its place in a record; of an image unused
  };

  void write(const Field &field, const std::byte *record, std::byte *to) const {
    if (!field.type.shape.empty()) {
      const std::byte *image = record + labels;
      for (size_t i = 0; i < kPixels; ++i)
        for (size_t c = 0; c < 3; ++c)
          *to++ = image[c * kPixels + i];
      return;
    }
    // Little-endian: the other bytes are 0.
    std::fill_n(to, field.type.numBytes(), std::byte{0});
    *to = record[field.label];
  }

  size_t labels;
  std::vector<Field> fields;
  std::vector<InputFile> files;
  std::vector<int64_t> ends;
};

class CifarFormat final : public SourceFormat {
public:
  CifarFormat(std::string_view word, size_t labels)
      : word(word), labels(labels) {}

  std::string_view name() const override { return word; }
  bool recognises(const FileHead &head) const override {
    std::string file = std::filesystem::path(head.path).filename();
    return labels == 1
               ? file.starts_with("data_batch_") && file.ends_with(".bin")
               : false;
  }
  StatusOr<std::unique_ptr<ExampleRows>>
  open(const DatasetSpec &spec, const DatasetFiles &files) const override {
    GRAPHC_ASSIGN_OR_RETURN(std::vector<FieldOptions> options,
                            fieldOptionsOf(spec, files));
    auto rows = std::make_unique<CifarRows>(labels, spec);
    for (size_t f = 0; f < spec.fields.size(); ++f) {
      const DatasetSpec::Field &field = spec.fields[f];
      bool isLabel =
          field.type.shape.empty() && (field.type.dtype == DType::UInt8 ||
                                       field.type.dtype == DType::Int32 ||
                                       field.type.dtype == DType::Int64);
      if (!isLabel && field.type != TensorType{DType::UInt8, {32, 32, 3}})
        return invalidArgument("field '" + field.name + "' is declared " +
                               field.type.toString() +
                               ", but CIFAR files have "
                               "images u8[32, 32, 3] and labels u8, i32 or "
                               "i64");
      // CIFAR-100 has the coarse label first.
      rows->setLabel(f, labels == 2 && options[f].key != "coarse" ? 1 : 0);
    }
    for (const std::string &path : files.paths)
      GRAPHC_TRY(rows->add(path));
    return keepSmall(spec, std::move(rows));
  }

private:
  std::string_view word;
  size_t labels;
};

} // namespace

const SourceFormat *cifar10Format() {
  static const CifarFormat format("cifar10", 1);
  return &format;
}

const SourceFormat *cifar100Format() {
  static const CifarFormat format("cifar100", 2);
  return &format;
}

} // namespace graphc::runtime
