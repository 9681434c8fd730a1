// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts values in the buckets that TensorFlow's histograms have.
#ifndef GRAPHC_RUNTIME_SUMMARY_HISTOGRAMCOUNTS_H
#define GRAPHC_RUNTIME_SUMMARY_HISTOGRAMCOUNTS_H

#include "runtime/base/Status.h"
#include "runtime/format/TensorTypes.h"

#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Upper ends of the buckets, ascending: +-1e-12 * 1.1^k, 0 and the largest
/// double.
const std::vector<double> &histogramLimits();

/// Thread-safety: as a value type.
class HistogramCounts {
public:
  HistogramCounts();

  /// INVALID_ARGUMENT: the value is NaN or infinite, which no bucket holds.
  Status add(double value);
  /// Adds all elements, of any type but String; `bytes` are their number times
  /// their size.
  Status addAll(DType type, std::span<const std::byte> bytes);

  double min() const { return least; }
  double max() const { return most; }
  double count() const { return total; }
  double sum() const { return valueSum; }
  /// Of the bucket that ends at histogramLimits()[bucket].
  double countOf(size_t bucket) const { return counts[bucket]; }

  /// The message HistogramProto: empty buckets in a row are one.
  std::string encode() const;

private:
  std::vector<double> counts;
  double least, most;
  double total = 0, valueSum = 0, squareSum = 0;
};

} // namespace graphc::runtime

#endif
