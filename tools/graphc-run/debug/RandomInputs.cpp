// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/debug/RandomInputs.h"

#include "runtime/base/Half.h"
#include "runtime/data/Npy.h"
#include "runtime/format/TensorTypes.h"

#include <cstring>
#include <random>

namespace graphc::run {

using namespace runtime;

namespace {

/// Of a name; std::hash may be another one on another machine.
uint64_t numberOf(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a, 64 bits
  for (char letter : name)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

template <typename T, typename Draw> void fill(HostTensor &tensor, Draw draw) {
  for (T &element : tensor.as<T>())
    element = static_cast<T>(draw());
}

} // namespace

HostTensor randomTensor(const TensorType &type, uint64_t seed,
                        std::string_view name) {
  std::mt19937_64 bits(seed ^ numberOf(name));
  // Not by a distribution of the library: these differ between libraries.
  auto number = [&] { return static_cast<double>(bits() >> 11) * 0x1p-52 - 1; };
  auto bit = [&] { return bits() >> 63; };
  HostTensor tensor{type, std::vector<std::byte>(type.numBytes())};
  switch (type.dtype) {
  case DType::Float32:
    fill<float>(tensor, number);
    break;
  case DType::Float64:
    fill<double>(tensor, number);
    break;
  case DType::Int32:
    fill<int32_t>(tensor, bit);
    break;
  case DType::Int64:
    fill<int64_t>(tensor, bit);
    break;
  case DType::Int16:
  case DType::UInt16:
    fill<int16_t>(tensor, bit);
    break;
  case DType::UInt32:
    fill<int32_t>(tensor, bit);
    break;
  case DType::UInt64:
    fill<int64_t>(tensor, bit);
    break;
  case DType::Float16:
  case DType::BFloat16:
    for (size_t i = 0; i < tensor.bytes.size() / sizeof(uint16_t); ++i) {
      uint16_t half = halfOfFloat(type.dtype, static_cast<float>(number()));
      std::memcpy(tensor.bytes.data() + i * sizeof(half), &half, sizeof(half));
    }
    break;
  default: // of one byte
    for (std::byte &element : tensor.bytes)
      element = static_cast<std::byte>(bit());
  }
  return tensor;
}

Status writeRandomDataset(const format::Dataset &dataset, int64_t rows,
                          uint64_t seed, const std::string &path) {
  std::string name = dataset.name()->str();
  auto refused = [&](const std::string &why) {
    return invalidArgument("dataset '" + name + "' " + why +
                           "; name files with --data " + name + "=FILE");
  };
  if (dataset.transforms() && dataset.transforms()->size() > 0)
    return refused("changes its examples, for which no random ones are made");
  std::vector<NamedTensor> arrays;
  for (uint32_t i = 0; i < dataset.fields()->size(); ++i) {
    const format::DatasetField &field = *dataset.fields()->Get(i);
    if (static_cast<int32_t>(i) == dataset.mask())
      continue; // made by the reader
    TensorType type = toTensorType(*field.type());
    if (type.dtype == DType::String)
      return refused("has texts, for which no random ones are made");
    type.shape.insert(type.shape.begin(), rows);
    std::string column = field.name()->str();
    arrays.push_back({column, randomTensor(type, seed, name + "/" + column)});
  }
  return saveNpz(path, arrays);
}

} // namespace graphc::run
