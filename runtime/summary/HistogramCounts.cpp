// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/summary/HistogramCounts.h"

#include "runtime/base/Half.h"
#include "runtime/summary/ProtoWriter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace graphc::runtime {

namespace {
constexpr double kLargest = std::numeric_limits<double>::max();

/// Bits of a double below its exponent and the first four of its fraction:
/// values that differ in these alone differ by less than 1.0625.
constexpr int kLowBits = 48;
constexpr size_t kRanges = size_t{1} << (63 - kLowBits);

/// The limits above 0, and for each range of values the first limit that is not
/// below its least: that of any value in it is this or the next.
struct PositiveLimits {
  std::vector<double> limits;
  std::array<uint16_t, kRanges> first{};

  PositiveLimits() {
    for (double limit = 1e-12; limit < 1e20; limit *= 1.1)
      limits.push_back(limit);
    limits.push_back(kLargest);
    for (size_t range = 0; range < kRanges; ++range) {
      double least = std::bit_cast<double>(uint64_t{range} << kLowBits);
      first[range] = static_cast<uint16_t>(
          std::lower_bound(limits.begin(), limits.end(), least) -
          limits.begin());
    }
  }
};

const PositiveLimits &positiveLimits() {
  static const PositiveLimits positive;
  return positive;
}

/// The bucket that ends at the first limit above the value.
size_t bucketOf(double value) {
  const PositiveLimits &positive = positiveLimits();
  double size = std::fabs(value);
  size_t zero = positive.limits.size(); // the place of the limit 0
  size_t at = positive.first[std::bit_cast<uint64_t>(size) >> kLowBits];
  if (value < 0) {
    while (positive.limits[at] < size)
      ++at;
    return zero - at;
  }
  // The largest double is in the last bucket, which ends with it.
  while (at + 1 < positive.limits.size() && positive.limits[at] <= size)
    ++at;
  return zero + 1 + at;
}

std::vector<double> makeLimits() {
  const std::vector<double> &positive = positiveLimits().limits;
  std::vector<double> limits;
  for (auto at = positive.rbegin(); at != positive.rend(); ++at)
    limits.push_back(-*at);
  limits.push_back(0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

template <typename T>
Status addEach(HistogramCounts &counts, std::span<const std::byte> bytes) {
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    GRAPHC_TRY(counts.add(static_cast<double>(value)));
  }
  return Status::ok();
}
} // namespace

const std::vector<double> &histogramLimits() {
  static const std::vector<double> limits = makeLimits();
  return limits;
}

HistogramCounts::HistogramCounts()
    : counts(histogramLimits().size()), least(kLargest), most(-kLargest) {}

Status HistogramCounts::add(double value) {
  if (!std::isfinite(value))
    return invalidArgument(std::isnan(value)
                               ? "a value is NaN, which no bucket holds"
                               : "a value is infinite, which no bucket holds");
  counts[bucketOf(value)] += 1;
  least = std::min(least, value);
  most = std::max(most, value);
  total += 1;
  valueSum += value;
  squareSum += value * value;
  return Status::ok();
}

Status HistogramCounts::addAll(DType type, std::span<const std::byte> bytes) {
  switch (type) {
  case DType::Bool:
  case DType::UInt8:
    return addEach<uint8_t>(*this, bytes);
  case DType::Int32:
    return addEach<int32_t>(*this, bytes);
  case DType::Int64:
    return addEach<int64_t>(*this, bytes);
  case DType::Int8:
    return addEach<int8_t>(*this, bytes);
  case DType::Int16:
    return addEach<int16_t>(*this, bytes);
  case DType::UInt16:
    return addEach<uint16_t>(*this, bytes);
  case DType::UInt32:
    return addEach<uint32_t>(*this, bytes);
  case DType::UInt64:
    return addEach<uint64_t>(*this, bytes);
  case DType::Float32:
    return addEach<float>(*this, bytes);
  case DType::Float64:
    return addEach<double>(*this, bytes);
  case DType::Float16:
  case DType::BFloat16:
    for (size_t i = 0; i < bytes.size() / sizeof(uint16_t); ++i) {
      uint16_t bits = 0;
      std::memcpy(&bits, bytes.data() + i * sizeof(bits), sizeof(bits));
      GRAPHC_TRY(add(floatOfHalf(type, bits)));
    }
    return Status::ok();
  default:
    return invalidArgument("texts have no histogram; name a value of numbers");
  }
}

std::string HistogramCounts::encode() const {
  const std::vector<double> &limits = histogramLimits();
  std::vector<double> ends, buckets;
  for (size_t i = 0; i < limits.size();) {
    double end = limits[i], count = counts[i++];
    for (; count == 0 && i < limits.size() && counts[i] == 0; ++i)
      end = limits[i];
    ends.push_back(end);
    buckets.push_back(count);
  }
  ProtoWriter proto;
  proto.addDouble(1, total > 0 ? least : 0).addDouble(2, total > 0 ? most : 0);
  proto.addDouble(3, total).addDouble(4, valueSum).addDouble(5, squareSum);
  proto.addDoubles(6, ends).addDoubles(7, buckets);
  return proto.bytes();
}

} // namespace graphc::runtime
