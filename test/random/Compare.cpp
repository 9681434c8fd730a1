// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, element by element, and random tensors.
#include "test/random/Check.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace graphc::random {

using interpreter::Element;
using interpreter::Tensor;
using runtime::DType;
using runtime::HostTensor;

namespace {

double floatAt(const HostTensor &tensor, int64_t i) {
  return tensor.type.dtype == DType::Float32 ? tensor.as<float>()[i]
                                             : tensor.as<double>()[i];
}

int64_t integerAt(const HostTensor &tensor, int64_t i) {
  switch (tensor.type.dtype) {
  case DType::Int32:
    return tensor.as<int32_t>()[i];
  case DType::Int64:
    return tensor.as<int64_t>()[i];
  default:
    return static_cast<int64_t>(tensor.bytes[i]);
  }
}

std::string describe(int64_t place, const std::string &found,
                     const std::string &expected) {
  return "element " + std::to_string(place) + " is " + found + ", expected " +
         expected;
}

std::string number(double value) {
  return llvm::formatv("{0}", llvm::format("%.9g", value)).str();
}

bool isInside(double found, const Element &expected, double slack) {
  if (std::isnan(expected.low))
    return std::isnan(found);
  if (found == expected.value)
    return true;
  double low = expected.value - slack * (expected.value - expected.low);
  double high = expected.value + slack * (expected.high - expected.value);
  return std::isinf(expected.value) ? false : found >= low && found <= high;
}

} // namespace

std::string compare(const HostTensor &found, const Tensor &expected,
                    double slack, Counts &counts) {
  std::vector<int64_t> shape = found.type.shape;
  if (shape != expected.shape)
    return "the shapes differ";
  if (found.type.dtype == DType::String)
    return "";
  for (int64_t i = 0; i < expected.size(); ++i) {
    const Element &element = expected.elements[i];
    if (expected.isFloat() ? element.isAnything() : !element.isKnown) {
      ++counts.undecided;
      continue;
    }
    ++counts.checked;
    if (!expected.isFloat()) {
      if (integerAt(found, i) != element.integer)
        return describe(i, std::to_string(integerAt(found, i)),
                        std::to_string(element.integer));
      continue;
    }
    double value = floatAt(found, i);
    if (!isInside(value, element, slack))
      return describe(i, number(value),
                      number(element.value) + " in [" + number(element.low) +
                          ", " + number(element.high) + "]");
  }
  return "";
}

std::string compareValues(const Tensor &found, const Tensor &expected,
                          Counts &counts) {
  for (int64_t i = 0; i < expected.size(); ++i) {
    const Element &a = found.elements[i], &b = expected.elements[i];
    if (!expected.isFloat()) {
      if (a.isKnown && b.isKnown && a.integer != b.integer)
        return describe(i, std::to_string(a.integer),
                        std::to_string(b.integer));
      continue;
    }
    if (b.isAnything() || !std::isfinite(b.value)) {
      ++counts.undecided;
      continue;
    }
    ++counts.checked;
    // The compiler's rules have constants of the element type, such as 1/15:
    // that much they may differ by, as far as it is little.
    double width = b.high - b.low, size = std::fabs(b.value);
    double allowed = 1e-7 * (std::fabs(a.value) + size) + 1e-9 +
                     std::min(width, 1e-5 * size + 1e-8) + 1e-4 * width;
    if (!(std::fabs(a.value - b.value) <= allowed))
      return describe(i, number(a.value), number(b.value)) +
             " by the other way to differentiate";
  }
  return "";
}

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
