// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks up metrics that a task answered, and what changed since it was asked
// before.
#ifndef GRAPHC_TOOLS_GRAPHC_TOP_METRICINDEX_H
#define GRAPHC_TOOLS_GRAPHC_TOP_METRICINDEX_H

#include "runtime/protocol/cluster.pb.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphc::top {

/// Values that a task does not know are 0. A task of another process than
/// before has no rates. Nothing of the messages is trusted: they may come from
/// anyone.
class MetricIndex {
public:
  using List = protocol::Reply::MetricList;
  using Labels = std::map<std::string, std::string>;

  /// Both outlive this; `before` may be null.
  MetricIndex(const List &now, const List *before);

  /// Of the series with these labels (it may have more); several add up.
  double value(const std::string &name, const Labels &labels) const;
  double sum(const std::string &name) const { return value(name, {}); }
  /// Per second since the sample before.
  double rate(const std::string &name, const Labels &labels) const;
  /// Of a histogram, since the sample before: the bound under which half of
  /// the values are.
  std::optional<double> median(const std::string &name,
                               const Labels &labels) const;
  /// Of a histogram, since the process began.
  std::optional<double> mean(const std::string &name) const;
  std::optional<double> largestBound(const std::string &name) const;
  /// Values of a label, sorted, of the series that have `labels`.
  std::vector<std::string> labelValues(const std::string &name,
                                       const std::string &label,
                                       const Labels &labels = {}) const;

private:
  struct Buckets {
    std::vector<double> bounds;
    std::vector<double> counts;
    double sum = 0;
  };
  static double valueIn(const List &list, const std::string &name,
                        const Labels &labels);
  static Buckets bucketsIn(const List &list, const std::string &name,
                           const Labels &labels);

  const List &now;
  const List *before;
  double seconds = 0; ///< between the samples
};

} // namespace graphc::top

#endif
