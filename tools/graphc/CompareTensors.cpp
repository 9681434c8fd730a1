// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, element by element.
#include "tools/graphc/CompareTensors.h"

#include "runtime/base/Half.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace graphc::interpreter {

using runtime::DType;
using runtime::HostTensor;

namespace {

/// Widths of the reference's interval within which a result is right.
constexpr double kSlack = 8;

double floatAt(const HostTensor &tensor, int64_t i) {
  if (runtime::isHalf(tensor.type.dtype)) {
    uint16_t bits = 0;
    std::memcpy(&bits, tensor.bytes.data() + i * sizeof(bits), sizeof(bits));
    return runtime::floatOfHalf(tensor.type.dtype, bits);
  }
  return tensor.type.dtype == DType::Float32 ? tensor.as<float>()[i]
                                             : tensor.as<double>()[i];
}

Integer integerAt(const HostTensor &tensor, int64_t i) {
  switch (tensor.type.dtype) {
  case DType::Int8:
    return tensor.as<int8_t>()[i];
  case DType::Int16:
    return tensor.as<int16_t>()[i];
  case DType::UInt16:
    return tensor.as<uint16_t>()[i];
  case DType::UInt32:
    return tensor.as<uint32_t>()[i];
  case DType::UInt64:
    return tensor.as<uint64_t>()[i];
  case DType::Int32:
    return tensor.as<int32_t>()[i];
  case DType::Int64:
    return tensor.as<int64_t>()[i];
  default:
    return static_cast<uint8_t>(tensor.bytes[i]);
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

bool isInside(double found, const Element &expected) {
  if (std::isnan(expected.low))
    return std::isnan(found);
  if (found == expected.value)
    return true;
  double low = expected.value - kSlack * (expected.value - expected.low);
  double high = expected.value + kSlack * (expected.high - expected.value);
  return std::isinf(expected.value) ? false : found >= low && found <= high;
}

} // namespace

DType toDType(ElementKind kind) {
  switch (kind) {
  case ElementKind::F32:
    return DType::Float32;
  case ElementKind::F64:
    return DType::Float64;
  case ElementKind::F16:
    return DType::Float16;
  case ElementKind::BF16:
    return DType::BFloat16;
  case ElementKind::I8:
    return DType::Int8;
  case ElementKind::I16:
    return DType::Int16;
  case ElementKind::U16:
    return DType::UInt16;
  case ElementKind::U32:
    return DType::UInt32;
  case ElementKind::U64:
    return DType::UInt64;
  case ElementKind::I32:
    return DType::Int32;
  case ElementKind::I64:
    return DType::Int64;
  case ElementKind::U8:
    return DType::UInt8;
  case ElementKind::Bool:
    return DType::Bool;
  case ElementKind::String:
    break;
  }
  return DType::String;
}

std::string compare(const HostTensor &found, const Tensor &expected,
                    Counts &counts) {
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
        return describe(i, textOf(integerAt(found, i)),
                        textOf(element.integer));
      continue;
    }
    double value = floatAt(found, i);
    if (!isInside(value, element))
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
        return describe(i, textOf(a.integer), textOf(b.integer));
      continue;
    }
    if (b.isAnything() || !std::isfinite(b.value)) {
      ++counts.undecided;
      continue;
    }
    ++counts.checked;
    // The compiler's rules have constants of the element type, such as 1/15 or
    // the weights of a bicubic resize, eight of which, of both signs, make an
    // element: that much they may differ by, as far as it is little.
    double width = b.high - b.low, size = std::fabs(b.value);
    double allowed = 5e-7 * (std::fabs(a.value) + size) + 1e-9 +
                     std::min(width, 1e-5 * size + 1e-7) + 1e-4 * width;
    if (!(std::fabs(a.value - b.value) <= allowed))
      return describe(i, number(a.value), number(b.value)) +
             " by the other way to differentiate";
  }
  return "";
}

} // namespace graphc::interpreter
