// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/pipeline/StageCuts.h"

#include <limits>

namespace graphc {

namespace {

/// More places are thinned out: the time to choose grows with their square.
constexpr size_t kMaxCuts = 512;

/// The places where a stage may begin, and the end: before ops that take time.
std::vector<size_t> placesOf(const StageCosts &costs) {
  std::vector<size_t> places;
  for (size_t op = 0; op < costs.ops(); ++op)
    if (costs.seconds.front()[op] > 0)
      places.push_back(op);
  if (!places.empty())
    places.front() = 0; // what is free before it belongs to the first stage
  if (places.size() > kMaxCuts) {
    std::vector<size_t> kept;
    for (size_t i = 0; i < kMaxCuts; ++i)
      kept.push_back(places[i * places.size() / kMaxCuts]);
    places = kept;
  }
  places.push_back(costs.ops());
  return places;
}

} // namespace

llvm::SmallVector<size_t> cutIntoStages(const StageCosts &costs) {
  size_t stages = costs.seconds.size();
  std::vector<size_t> places = placesOf(costs);
  if (places.size() <= stages)
    return {};
  constexpr double kNever = std::numeric_limits<double>::infinity();
  // best[j]: the slowest of the stages so far, when they end at place j, and the
  // seconds of all transfers.
  using Cost = std::pair<double, double>;
  std::vector<Cost> best(places.size(), {kNever, 0});
  best[0] = {0, 0};
  std::vector<std::vector<size_t>> begins; // by stage and end
  for (size_t stage = 0; stage < stages; ++stage) {
    std::vector<double> until{0}; // seconds of all ops before each
    for (double seconds : costs.seconds[stage])
      until.push_back(until.back() + seconds);
    std::vector<Cost> next(places.size(), {kNever, 0});
    begins.emplace_back(places.size());
    for (size_t end = 1; end < places.size(); ++end)
      for (size_t begin = 0; begin < end; ++begin) {
        auto [before, transfers] = best[begin];
        if (before == kNever)
          continue;
        // A link sends one micro-batch while the devices compute others.
        double own = until[places[end]] - until[places[begin]];
        double link = 0;
        if (stage)
          link =
              costs.links[stage].latencySeconds +
              costs.crossing[places[begin]] / costs.links[stage].bytesPerSecond;
        Cost cost(std::max({before, own, link}), transfers + link);
        if (cost < next[end]) {
          next[end] = cost;
          begins[stage][end] = begin;
        }
      }
    best = std::move(next);
  }
  llvm::SmallVector<size_t> cuts(stages);
  size_t end = places.size() - 1;
  for (size_t stage = stages; stage-- > 0;) {
    end = begins[stage][end];
    cuts[stage] = places[end];
  }
  return cuts;
}

} // namespace graphc
