// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value is a function of seed, row, field and place, so that rows need no
// memory and are the same on all machines: nothing here takes a function of
// libm.
#include "runtime/data/generate/GenerateFormat.h"

#include "runtime/base/Suggest.h"
#include "runtime/data/RowOrder.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace graphc::runtime {

namespace {

enum class Kind { Images, Normal, Uniform, Range, Regression };

struct Settings {
  Kind kind = Kind::Images;
  int64_t rows = 1'000'000, seed = 1, classes = 10;
};

/// About normal, mean 0, variance 1: twelve uniforms together, less six.
double normalOf(CounterRandom &random) {
  uint32_t sum = 0;
  for (int i = 0; i < 3; ++i)
    for (uint64_t bits = random.next(), j = 0; j < 4; ++j, bits >>= 16)
      sum += static_cast<uint32_t>(bits & 0xffff);
  return (static_cast<double>(sum) + 6) / 65536 - 6;
}

double uniformOf(CounterRandom &random) {
  return static_cast<double>(random.next() >> 40) / 16777216; // exact in f32
}

void storeNumber(DType dtype, double value, std::byte *to, size_t at) {
  auto put = [&](auto element) {
    std::memcpy(to + at * sizeof(element), &element, sizeof(element));
  };
  switch (dtype) {
  case DType::Float32:
    return put(static_cast<float>(value));
  case DType::Float64:
    return put(value);
  case DType::Int32:
    return put(static_cast<int32_t>(value));
  case DType::Int64:
    return put(static_cast<int64_t>(value));
  default:
    return put(static_cast<uint8_t>(value));
  }
}

bool isReal(DType dtype) {
  return dtype == DType::Float32 || dtype == DType::Float64;
}

class GeneratedRows final : public ExampleRows {
public:
  GeneratedRows(const DatasetSpec &spec, const Settings &settings)
      : fields(spec.fields), settings(settings) {}

  int64_t rows() const override { return settings.rows; }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> places) const override {
    for (size_t i = 0; i < rows.size(); ++i)
      for (size_t f = 0; f < fields.size(); ++f)
        make(rows[i], f, places[f] + i * fields[f].type.numBytes());
    return Status::ok();
  }

private:
  CounterRandom randomOf(int64_t row, size_t field) const {
    uint64_t key = CounterRandom(static_cast<uint64_t>(settings.seed)).next();
    key = CounterRandom(key ^ static_cast<uint64_t>(row)).next();
    return CounterRandom(key + field * 0x9e3779b97f4a7c15);
  }

  int64_t classOf(int64_t row) const {
    return static_cast<int64_t>(
        randomOf(row, 63).below(static_cast<uint64_t>(settings.classes)));
  }

  void make(int64_t row, size_t f, std::byte *to) const {
    const TensorType &type = fields[f].type;
    auto count = static_cast<size_t>(type.numElements());
    CounterRandom random = randomOf(row, f);
    bool isLabel = settings.kind == Kind::Images && type.shape.empty();
    if (settings.kind == Kind::Images && type.dtype == DType::UInt8 && !isLabel)
      return makeImage(row, random, count, to);
    for (size_t i = 0; i < count; ++i) {
      double value = 0;
      if (isLabel)
        value = static_cast<double>(classOf(row));
      else if (settings.kind == Kind::Range)
        value = static_cast<double>(row);
      else if (settings.kind == Kind::Regression && f > 0)
        value = regression(row);
      else if (settings.kind == Kind::Normal ||
               settings.kind == Kind::Regression)
        value = normalOf(random);
      else
        value = uniformOf(random);
      if (!isReal(type.dtype) && settings.kind == Kind::Uniform)
        value = static_cast<double>(static_cast<uint64_t>(
            value * (type.dtype == DType::Bool ? 2 : 256)));
      if (type.dtype == DType::Bool)
        value = value != 0;
      else if (type.dtype == DType::UInt8 && settings.kind == Kind::Range)
        value = static_cast<double>(row & 255);
      storeNumber(type.dtype, value, to, i);
    }
  }

  /// Noise, and stripes whose width tells the class.
  void makeImage(int64_t row, CounterRandom &random, size_t count,
                 std::byte *to) const {
    auto width = static_cast<size_t>(classOf(row)) + 2;
    for (size_t at = 0; at < count; at += 8) {
      uint64_t bits = random.next() >> 1 & 0x7f7f7f7f7f7f7f7f;
      if (at / 8 / width % 2)
        bits |= 0x8080808080808080;
      std::memcpy(to + at, &bits, std::min<size_t>(8, count - at));
    }
  }

  /// y = 1 + sum of x_i (i + 1) / n + a tenth of noise, of the first field.
  double regression(int64_t row) const {
    CounterRandom x = randomOf(row, 0), noise = randomOf(row, 62);
    int64_t count = fields[0].type.numElements();
    double y = 1 + normalOf(noise) / 10;
    for (int64_t i = 0; i < count; ++i)
      y +=
          normalOf(x) * static_cast<double>(i + 1) / static_cast<double>(count);
    return y;
  }

  std::vector<DatasetSpec::Field> fields;
  Settings settings;
};

Status readSetting(const DatasetFiles &files, const char *name, int64_t least,
                   int64_t &value) {
  auto found = files.keys.find(name);
  if (found == files.keys.end())
    return Status::ok();
  const std::string &text = found->second;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() &&
      value >= least)
    return Status::ok();
  return invalidArgument("?" + found->first + "=" + text +
                         " takes a whole number of at least " +
                         std::to_string(least));
}

class GenerateFormat final : public SourceFormat {
public:
  std::string_view name() const override { return "generate"; }
  bool makesRows() const override { return true; }
  StatusOr<std::unique_ptr<ExampleRows>>
  open(const DatasetSpec &spec, const DatasetFiles &files) const override {
    static const std::vector<std::string> kKinds = {
        "images", "normal", "uniform", "range", "regression"};
    constexpr std::string_view kSettings[] = {"rows", "seed", "classes"};
    GRAPHC_ASSIGN_OR_RETURN(std::vector<FieldOptions> options,
                            fieldOptionsOf(spec, files, kSettings));
    Settings settings;
    auto kind = std::find(kKinds.begin(), kKinds.end(), files.paths[0]);
    if (kind == kKinds.end() || files.paths.size() != 1)
      return invalidArgument(
          unknownName("generate:", "kind", files.paths[0], kKinds));
    settings.kind = static_cast<Kind>(kind - kKinds.begin());
    GRAPHC_TRY(readSetting(files, "rows", 1, settings.rows));
    GRAPHC_TRY(readSetting(files, "seed", 0, settings.seed));
    GRAPHC_TRY(readSetting(files, "classes", 1, settings.classes));
    bool makesReals =
        settings.kind == Kind::Normal || settings.kind == Kind::Regression;
    for (const DatasetSpec::Field &field : spec.fields)
      if (makesReals && !isReal(field.type.dtype))
        return invalidArgument(
            "field '" + field.name + "' is declared " + field.type.toString() +
            ", but generate:" + *kind + " makes f32 and f64");
    return std::unique_ptr<ExampleRows>(new GeneratedRows(spec, settings));
  }
};

} // namespace

const SourceFormat *generateFormat() {
  static const GenerateFormat format;
  return &format;
}

} // namespace graphc::runtime
