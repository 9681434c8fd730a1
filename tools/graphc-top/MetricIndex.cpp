// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-top/MetricIndex.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace graphc::top {

namespace {

bool matches(const MetricIndex::List::Sample &sample,
             const MetricIndex::Labels &labels) {
  return std::ranges::all_of(labels, [&](const auto &label) {
    auto found = sample.labels().find(label.first);
    return found != sample.labels().end() && found->second == label.second;
  });
}

template <typename Visit>
void forEachSample(const MetricIndex::List &list, const std::string &name,
                   const MetricIndex::Labels &labels, Visit visit) {
  for (const auto &family : list.families())
    if (family.name() == name)
      for (const auto &sample : family.samples())
        if (matches(sample, labels))
          visit(family, sample);
}

} // namespace

MetricIndex::MetricIndex(const List &now, const List *before)
    : now(now), before(before) {
  if (before && before->incarnation() == now.incarnation() &&
      now.taken_ms() > before->taken_ms())
    seconds = static_cast<double>(now.taken_ms() - before->taken_ms()) * 1e-3;
  else
    this->before = nullptr;
}

double MetricIndex::valueIn(const List &list, const std::string &name,
                            const Labels &labels) {
  double value = 0;
  forEachSample(list, name, labels, [&](const auto &, const auto &sample) {
    value += sample.value();
  });
  return value;
}

double MetricIndex::value(const std::string &name, const Labels &labels) const {
  return valueIn(now, name, labels);
}

double MetricIndex::rate(const std::string &name, const Labels &labels) const {
  if (!before)
    return 0;
  double more = valueIn(now, name, labels) - valueIn(*before, name, labels);
  return std::max(more, 0.0) / seconds;
}

MetricIndex::Buckets MetricIndex::bucketsIn(const List &list,
                                            const std::string &name,
                                            const Labels &labels) {
  Buckets all;
  forEachSample(
      list, name, labels, [&](const auto &family, const auto &sample) {
        all.bounds.assign(family.bounds().begin(), family.bounds().end());
        all.counts.resize(all.bounds.size() + 1);
        size_t count = std::min<size_t>(
            all.counts.size(), static_cast<size_t>(sample.counts_size()));
        for (size_t i = 0; i < count; ++i)
          all.counts[i] +=
              static_cast<double>(sample.counts(static_cast<int>(i)));
        all.sum += sample.sum();
      });
  return all;
}

std::optional<double> MetricIndex::median(const std::string &name,
                                          const Labels &labels) const {
  if (!before)
    return std::nullopt;
  Buckets all = bucketsIn(now, name, labels);
  Buckets old = bucketsIn(*before, name, labels);
  for (size_t i = 0; i < std::min(all.counts.size(), old.counts.size()); ++i)
    all.counts[i] = std::max(0.0, all.counts[i] - old.counts[i]);
  double total = std::accumulate(all.counts.begin(), all.counts.end(), 0.0);
  double below = 0;
  for (size_t i = 0; i < all.bounds.size(); ++i) {
    below += all.counts[i];
    if (total > 0 && below * 2 >= total)
      return all.bounds[i];
  }
  return std::nullopt; // none, or above all bounds
}

std::optional<double> MetricIndex::mean(const std::string &name) const {
  Buckets all = bucketsIn(now, name, {});
  double total = std::accumulate(all.counts.begin(), all.counts.end(), 0.0);
  return total > 0 ? std::optional(all.sum / total) : std::nullopt;
}

std::optional<double> MetricIndex::largestBound(const std::string &name) const {
  Buckets all = bucketsIn(now, name, {});
  for (size_t i = all.counts.size(); i-- > 0;)
    if (all.counts[i] > 0 && !all.bounds.empty())
      return all.bounds[std::min(i, all.bounds.size() - 1)];
  return std::nullopt;
}

std::vector<std::string> MetricIndex::labelValues(const std::string &name,
                                                  const std::string &label,
                                                  const Labels &labels) const {
  std::set<std::string> values;
  forEachSample(now, name, labels, [&](const auto &, const auto &sample) {
    auto found = sample.labels().find(label);
    if (found != sample.labels().end())
      values.insert(found->second);
  });
  return {values.begin(), values.end()};
}

} // namespace graphc::top
