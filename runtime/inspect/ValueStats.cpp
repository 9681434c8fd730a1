// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/inspect/ValueStats.h"

#include "runtime/inspect/ValueElements.h"

#include <algorithm>
#include <cstdio>

namespace graphc::runtime {

namespace {

void addElement(ValueStats &stats, double value, double &sum, double &squares) {
  if (std::isnan(value)) {
    ++stats.nans;
    return;
  }
  if (std::isinf(value)) {
    ++stats.infs;
    return;
  }
  bool isFirst = stats.nans + stats.infs == stats.count;
  stats.min = isFirst ? value : std::min(stats.min, value);
  stats.max = isFirst ? value : std::max(stats.max, value);
  stats.zeros += value == 0;
  sum += value;
  squares += value * value;
}

} // namespace

ValueStats statsOf(DType dtype, std::span<const std::byte> bytes) {
  ValueStats stats;
  double sum = 0, squares = 0;
  size_t count = bytes.size() / dtypeSize(dtype);
  for (size_t i = 0; i < count; ++i) {
    addElement(stats, elementOf(dtype, bytes, i), sum, squares);
    ++stats.count;
  }
  auto finite = static_cast<double>(count - stats.nans - stats.infs);
  stats.norm = std::sqrt(squares);
  if (finite == 0)
    return stats;
  stats.mean = sum / finite;
  // Around the mean, since the difference of two large sums has no digits left.
  double distances = 0;
  for (size_t i = 0; i < count; ++i) {
    double value = elementOf(dtype, bytes, i);
    if (std::isfinite(value))
      distances += (value - stats.mean) * (value - stats.mean);
  }
  stats.deviation = std::sqrt(distances / finite);
  return stats;
}

std::string statsText(const ValueStats &stats) {
  char text[200];
  std::snprintf(text, sizeof text,
                "min %-11.6g max %-11.6g mean %-12.6g std %-11.6g norm %-11.6g "
                "zeros %llu nan %llu inf %llu",
                stats.min, stats.max, stats.mean, stats.deviation, stats.norm,
                static_cast<unsigned long long>(stats.zeros),
                static_cast<unsigned long long>(stats.nans),
                static_cast<unsigned long long>(stats.infs));
  return text;
}

std::string placeText(const TensorType &type, uint64_t element) {
  std::string text;
  for (size_t dim = type.shape.size(); dim-- > 0;) {
    auto size = static_cast<uint64_t>(std::max<int64_t>(type.shape[dim], 1));
    text = std::to_string(element % size) + (text.empty() ? "" : ",") + text;
    element /= size;
  }
  return text.empty() ? "" : "[" + text + "]";
}

std::string elementText(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

} // namespace graphc::runtime
