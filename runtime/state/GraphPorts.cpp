// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/state/GraphPorts.h"

#include "runtime/base/Suggest.h"
#include "runtime/data/TypeCheck.h"
#include "runtime/format/InstructionUses.h"
#include "runtime/format/ModelNames.h"
#include "runtime/state/ChooseGraph.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

using Ports = flatbuffers::Vector<flatbuffers::Offset<format::Port>>;

StatusOr<const format::Port *> findPort(const format::Graph &graph,
                                        const Ports &ports, const char *kind,
                                        std::string_view name) {
  std::vector<std::string> known;
  for (const format::Port *port : ports) {
    if (port->name()->string_view() == name)
      return port;
    known.push_back(port->name()->str());
  }
  return notFound(
      unknownName("graph '" + graph.name()->str() + "'", kind, name, known));
}

Status checkFeed(const format::Graph &graph, const format::Port &port,
                 const HostTensor &value) {
  TensorType type = toTensorType(*port.type());
  std::string name = "feed '" + port.name()->str() + "'";
  if (value.type != type || value.bytes.size() != type.numBytes())
    return invalidArgument(name + " of graph '" + graph.name()->str() +
                           "' takes " + type.toString() +
                           ", but the value is " + value.type.toString());
  return checkBools(value, name);
}

} // namespace

StatusOr<const format::Graph *> findGraph(const Model &model,
                                          std::string_view name) {
  if (const format::Graph *graph = model.findGraph(name))
    return graph;
  return notFound(
      unknownName("'" + model.name() + "'", "graph", name, userGraphs(model)));
}

std::vector<std::string> userGraphs(const Model &model) {
  std::vector<std::string> names;
  for (const format::Graph *graph : *model.index().graphs())
    if (graph->name()->string_view() != "init" && !isSummaryVariant(*graph) &&
        !isResetGraph(model, *graph))
      names.push_back(graph->name()->str());
  return names;
}

StatusOr<const format::Port *> findFeed(const format::Graph &graph,
                                        std::string_view name) {
  return findPort(graph, *graph.feeds(), "feed", name);
}

StatusOr<std::vector<const format::Port *>>
findFetches(const format::Graph &graph, std::span<const std::string> names) {
  std::vector<const format::Port *> ports;
  if (names.empty())
    ports.assign(graph.fetches()->begin(), graph.fetches()->end());
  for (const std::string &name : names) {
    GRAPHC_ASSIGN_OR_RETURN(const format::Port *port,
                            findPort(graph, *graph.fetches(), "fetch", name));
    ports.push_back(port);
  }
  return ports;
}

StatusOr<std::vector<BoundFeed>> bindFeeds(const format::Graph &graph,
                                           std::span<const NamedTensor> feeds) {
  std::vector<BoundFeed> bound;
  for (const NamedTensor &feed : feeds) {
    GRAPHC_ASSIGN_OR_RETURN(const format::Port *port,
                            findFeed(graph, feed.name));
    GRAPHC_TRY(checkFeed(graph, *port, feed.tensor));
    for (const BoundFeed &other : bound)
      if (other.port == port)
        return invalidArgument("feed '" + feed.name + "' is given twice");
    bound.push_back({port, &feed.tensor});
  }
  for (const format::Port *port : *graph.feeds()) {
    bool isBound =
        std::any_of(bound.begin(), bound.end(),
                    [&](const BoundFeed &feed) { return feed.port == port; });
    if (!isBound)
      return invalidArgument("feed '" + port->name()->str() + "' of graph '" +
                             graph.name()->str() +
                             "' has no value; give one "
                             "of type " +
                             toTensorType(*port->type()).toString() +
                             " (--feed " + port->name()->str() +
                             "=FILE.npy or numbers)");
  }
  return bound;
}

std::set<uint32_t> datasetsOf(const format::Graph &graph) {
  std::set<uint32_t> datasets;
  for (const format::Program *program : *graph.programs())
    for (const format::Instruction *instruction : *program->instructions())
      if (const format::HostCall *call = nextBatchOf(*instruction))
        datasets.insert(call->index());
  return datasets;
}

int64_t examplesPerStep(const Model &model, const format::Graph &graph) {
  for (uint32_t dataset : datasetsOf(graph))
    return model.index().datasets()->Get(dataset)->batch();
  for (const format::Port *feed : *graph.feeds()) {
    TensorType type = toTensorType(*feed->type());
    if (!type.shape.empty())
      return type.shape[0];
  }
  return 0;
}

} // namespace graphc::runtime
