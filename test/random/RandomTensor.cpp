// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random tensors for feeds and datasets.
#include "test/random/Check.h"

#include <random>

namespace graphc::random {

using runtime::DType;
using runtime::HostTensor;

HostTensor randomTensor(const runtime::TensorType &type, uint64_t seed,
                        llvm::StringRef name) {
  std::seed_seq sequence(name.begin(), name.end());
  std::mt19937_64 generator(sequence);
  generator.discard(seed % 64);
  HostTensor tensor{type, std::vector<std::byte>(type.numBytes())};
  auto fill = [&](auto values, auto make) {
    for (auto &value : values)
      value = make();
  };
  auto real = [&] {
    // Whole and half numbers make ties, zeros and exact results.
    if (generator() % 4 == 0)
      return static_cast<double>(static_cast<int64_t>(generator() % 9) - 4) / 2;
    return static_cast<double>(static_cast<int64_t>(generator() % 40001) -
                               20000) /
           10000;
  };
  switch (type.dtype) {
  case DType::Float32:
    fill(tensor.as<float>(), [&] { return static_cast<float>(real()); });
    break;
  case DType::Float64:
    fill(tensor.as<double>(), real);
    break;
  case DType::Int32:
    fill(tensor.as<int32_t>(),
         [&] { return static_cast<int32_t>(generator() % 19) - 9; });
    break;
  case DType::Int64:
    fill(tensor.as<int64_t>(),
         [&] { return static_cast<int64_t>(generator() % 19) - 9; });
    break;
  case DType::Int8:
    fill(tensor.as<int8_t>(),
         [&] { return static_cast<int8_t>(generator() % 256); });
    break;
  case DType::Int16:
    fill(tensor.as<int16_t>(),
         [&] { return static_cast<int16_t>(generator() % 65536); });
    break;
  case DType::UInt16:
    fill(tensor.as<uint16_t>(),
         [&] { return static_cast<uint16_t>(generator() % 65536); });
    break;
  case DType::UInt32:
    fill(tensor.as<uint32_t>(),
         [&] { return static_cast<uint32_t>(generator()); });
    break;
  case DType::UInt64:
    fill(tensor.as<uint64_t>(),
         [&] { return static_cast<uint64_t>(generator()); });
    break;
  case DType::UInt8:
    fill(tensor.as<uint8_t>(),
         [&] { return static_cast<uint8_t>(generator() % 256); });
    break;
  default:
    for (std::byte &byte : tensor.bytes)
      byte = static_cast<std::byte>(generator() % 2);
  }
  return tensor;
}

} // namespace graphc::random
