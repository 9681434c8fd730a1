// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-data: looks at, checks and converts the files of datasets.
#include "runtime/data/ExampleRows.h"
#include "runtime/data/Npy.h"
#include "runtime/data/tfrecord/ExampleProto.h"
#include "runtime/data/tfrecord/RecordFrame.h"
#include "tools/flags/CommandLine.h"
#include "tools/flags/FlagValues.h"
#include "tools/graphc-data/FieldList.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace {

using namespace graphc::data;
using namespace graphc::runtime;

struct DataOptions {
  std::string command, files, fields, output, keep;
  int64_t shards = 1;
  int64_t rows = 3; ///< to show
};

/// The files of a command, with room for one row.
struct OpenData {
  DatasetSpec spec;
  std::unique_ptr<ExampleRows> rows;
  std::vector<std::vector<std::byte>> row;
  std::vector<std::byte *> places;

  Status read(int64_t number) {
    return rows->gather(std::span(&number, 1), places);
  }
};

StatusOr<OpenData> open(const DataOptions &options) {
  OpenData data;
  data.spec.name = "data";
  GRAPHC_ASSIGN_OR_RETURN(data.spec.fields, parseFields(options.fields));
  GRAPHC_ASSIGN_OR_RETURN(DatasetFiles files, parseDatasetFiles(options.files));
  GRAPHC_ASSIGN_OR_RETURN(data.rows, openRows(data.spec, files));
  for (const DatasetSpec::Field &field : data.spec.fields)
    data.row.emplace_back(field.type.numBytes());
  for (std::vector<std::byte> &bytes : data.row)
    data.places.push_back(bytes.data());
  return data;
}

double elementOf(DType dtype, const std::byte *bytes, size_t i) {
  HostTensor one{{dtype, {}}, {}};
  size_t size = dtypeSize(dtype);
  one.bytes.assign(bytes + i * size, bytes + (i + 1) * size);
  switch (dtype) {
  case DType::Float32:
    return one.as<float>()[0];
  case DType::Float64:
    return one.as<double>()[0];
  case DType::Int32:
    return one.as<int32_t>()[0];
  case DType::Int64:
    return static_cast<double>(one.as<int64_t>()[0]);
  default:
    return std::to_integer<int>(one.bytes[0]);
  }
}

StatusOr<int> show(const DataOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(OpenData data, open(options));
  std::printf("%lld examples\n", static_cast<long long>(data.rows->rows()));
  for (int64_t i = 0; i < std::min(options.rows, data.rows->rows()); ++i) {
    GRAPHC_TRY(data.read(i));
    std::printf("example %lld:\n", static_cast<long long>(i));
    for (size_t f = 0; f < data.row.size(); ++f) {
      const DatasetSpec::Field &field = data.spec.fields[f];
      std::printf("  %s: %s =", field.name.c_str(),
                  field.type.toString().c_str());
      size_t count = static_cast<size_t>(field.type.numElements());
      constexpr size_t kMost = 16;
      for (size_t at = 0; at < std::min(count, kMost); ++at)
        std::printf(" %.6g", elementOf(field.type.dtype, data.places[f], at));
      std::printf(count > kMost ? " ...\n" : "\n");
    }
  }
  return 0;
}

StatusOr<int> check(const DataOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(OpenData data, open(options));
  for (int64_t i = 0; i < data.rows->rows(); ++i)
    GRAPHC_TRY(data.read(i));
  std::printf("%lld examples, all whole\n",
              static_cast<long long>(data.rows->rows()));
  return 0;
}

struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};

Status cannotWrite(const std::string &path) {
  return Status(StatusCode::Unknown,
                "cannot write '" + path +
                    "': " + std::generic_category().message(errno));
}

/// "x.tfrecord", or of several "x.tfrecord-00000-of-00004".
std::string shardPath(const DataOptions &options, int64_t shard) {
  if (options.shards == 1)
    return options.output;
  char text[64];
  std::snprintf(text, sizeof(text), "-%05lld-of-%05lld",
                static_cast<long long>(shard),
                static_cast<long long>(options.shards));
  return options.output + text;
}

Status readEncoded(const OpenData &data, int64_t row, size_t field,
                   std::vector<std::byte> &to) {
  GRAPHC_ASSIGN_OR_RETURN(to, data.rows->encoded(row, field));
  return Status::ok();
}

/// The field `keep` stays the encoded image that it is decoded from.
Status writeRecords(OpenData &data, const std::string &path,
                    const std::string &keep, int64_t begin, int64_t end) {
  std::vector<ExampleField> fields;
  for (const DatasetSpec::Field &field : data.spec.fields)
    fields.push_back({field.name, field.type});
  std::vector<const std::byte *> places(data.places.begin(), data.places.end());
  std::vector<std::vector<std::byte>> encoded(fields.size());
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "we"));
  if (!file)
    return cannotWrite(path);
  for (int64_t i = begin; i < end; ++i) {
    GRAPHC_TRY(data.read(i));
    for (size_t f = 0; f < fields.size(); ++f)
      if (fields[f].key == keep)
        GRAPHC_TRY(readEncoded(data, i, f, encoded[f]));
    std::string example = writeExample(fields, places, encoded);
    auto bytes = std::as_bytes(std::span(example));
    auto header = recordHeader(bytes.size());
    auto footer = recordFooter(bytes);
    if (std::fwrite(header.data(), header.size(), 1, file.get()) != 1 ||
        std::fwrite(bytes.data(), bytes.size(), 1, file.get()) != 1 ||
        std::fwrite(footer.data(), footer.size(), 1, file.get()) != 1)
      return cannotWrite(path);
  }
  return std::fflush(file.get()) == 0 ? Status::ok() : cannotWrite(path);
}

Status writeNpz(OpenData &data, const std::string &path) {
  std::vector<NamedTensor> tensors;
  for (const DatasetSpec::Field &field : data.spec.fields) {
    NamedTensor named{field.name, {field.type, {}}};
    named.tensor.type.shape.insert(named.tensor.type.shape.begin(),
                                   data.rows->rows());
    tensors.push_back(std::move(named));
  }
  for (int64_t i = 0; i < data.rows->rows(); ++i) {
    GRAPHC_TRY(data.read(i));
    for (size_t f = 0; f < tensors.size(); ++f)
      tensors[f].tensor.bytes.insert(tensors[f].tensor.bytes.end(),
                                     data.row[f].begin(), data.row[f].end());
  }
  return saveNpz(path, tensors);
}

StatusOr<int> convert(const DataOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(OpenData data, open(options));
  if (std::filesystem::path(options.output).extension() == ".npz") {
    GRAPHC_TRY(writeNpz(data, options.output));
    return 0;
  }
  for (int64_t shard = 0; shard < options.shards; ++shard)
    GRAPHC_TRY(writeRecords(data, shardPath(options, shard), options.keep,
                            data.rows->rows() * shard / options.shards,
                            data.rows->rows() * (shard + 1) / options.shards));
  return 0;
}

Status checkOptions(const DataOptions &options) {
  if (options.command != "convert" && options.command != "show" &&
      options.command != "check")
    return invalidArgument("the command is convert, show or check, not '" +
                           options.command + "'");
  if (options.files.empty() || options.fields.empty())
    return invalidArgument("use: graphc-data " + options.command +
                           " FILES --fields=FIELDS");
  if ((options.command == "convert") != !options.output.empty())
    return invalidArgument("--out=FILE is for convert, which needs it: a name "
                           "that ends in .npz, or of TFRecord files");
  GRAPHC_ASSIGN_OR_RETURN(std::vector<DatasetSpec::Field> fields,
                          parseFields(options.fields));
  auto isKept = [&](const auto &field) { return field.name == options.keep; };
  if (!options.keep.empty() &&
      (options.command != "convert" || options.output.ends_with(".npz") ||
       std::none_of(fields.begin(), fields.end(), isKept)))
    return invalidArgument("--keep=FIELD is for convert to TFRecord files, and "
                           "names one of the fields");
  return Status::ok();
}

} // namespace

int main(int argc, char **argv) {
  DataOptions options;
  graphc::flags::CommandLine line(
      "Looks at, checks and converts files of examples.\n"
      "  graphc-data show FILES --fields='image: u8[28, 28, 1], label: u8'\n"
      "  graphc-data check FILES --fields=...\n"
      "  graphc-data convert FILES --fields=... --out=x.tfrecord [--shards=N]",
      "graphc-data");
  CLI::App &app = line.app();
  app.add_option("command", options.command, "What to do")->required();
  app.add_option("files", options.files,
                 "As for graphc-run --data=NAME=FILES, without the name");
  app.add_option("--fields", options.fields,
                 "The fields, as a dataset of the text language declares them");
  app.add_option("--out", options.output,
                 "What to write: NAME.npz, else a TFRecord file");
  app.add_option("--keep", options.keep,
                 "The field to write as the JPEG or PNG image that it is "
                 "decoded from (convert to TFRecord files)");
  app.add_option("--shards", options.shards,
                 "TFRecord files to write (default: 1)")
      ->check(graphc::flags::wholeNumber(1, 99999));
  app.add_option("--rows", options.rows, "Examples to show (default: 3)")
      ->check(graphc::flags::wholeNumber(1));
  if (std::optional<int> code =
          line.read(graphc::flags::argumentsOf(argc, argv),
                    [&] { return checkOptions(options); }))
    return *code;
  StatusOr<int> code = options.command == "show"    ? show(options)
                       : options.command == "check" ? check(options)
                                                    : convert(options);
  if (code.isOk())
    return *code;
  graphc::flags::printError("graphc-data", code.status().message());
  return graphc::flags::kExitFailure;
}
