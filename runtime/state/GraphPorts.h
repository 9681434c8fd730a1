// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matching what a caller names with what a graph has.
#ifndef GRAPHC_RUNTIME_STATE_GRAPHPORTS_H
#define GRAPHC_RUNTIME_STATE_GRAPHPORTS_H

#include "runtime/data/HostTensor.h"
#include "runtime/format/Model.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// The graph of that name; NOT_FOUND that lists the graphs.
StatusOr<const format::Graph *> findGraph(const Model &model,
                                          std::string_view name);

/// The names of the model's graphs without "init".
std::vector<std::string> userGraphs(const Model &model);

/// The feed of that name; NOT_FOUND that lists the feeds.
StatusOr<const format::Port *> findFeed(const format::Graph &graph,
                                        std::string_view name);

/// The fetches of these names, all of the graph's where there are none.
StatusOr<std::vector<const format::Port *>>
findFetches(const format::Graph &graph, std::span<const std::string> names);

/// A feed of a graph and the value for it.
struct BoundFeed {
  const format::Port *port;
  const HostTensor *value;
};

/// One value for each feed of the graph, of the feed's type.
StatusOr<std::vector<BoundFeed>> bindFeeds(const format::Graph &graph,
                                           std::span<const NamedTensor> feeds);

/// The numbers of the datasets from which a step of the graph reads.
std::set<uint32_t> datasetsOf(const format::Graph &graph);

/// Examples that one step works on: the batch of the graph's dataset, else the
/// leading dimension of its first feed that has one, else 0.
int64_t examplesPerStep(const Model &model, const format::Graph &graph);

} // namespace graphc::runtime

#endif
