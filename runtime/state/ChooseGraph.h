// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the form of a graph that a client runs, of a plan that has several.
#ifndef GRAPHC_RUNTIME_STATE_CHOOSEGRAPH_H
#define GRAPHC_RUNTIME_STATE_CHOOSEGRAPH_H

#include "runtime/base/Status.h"
#include "runtime/format/Model.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// The name of the graph that begins an evaluation by the graph `name`, where
/// there is one: it sets the sums that this adds to to zero, and its fetches are
/// those of this that follow from sums so far.
std::string resetGraphName(std::string_view name);

/// True for a graph that begins an evaluation by another one of the plan.
bool isResetGraph(const Model &plan, const format::Graph &graph);

/// The name that a graph has in the source: without the worker of an instance.
std::string sourceName(const format::Graph &graph);

/// The names of the source's graphs that can be run, without "init" and what
/// only coordinates workers, each once.
std::vector<std::string> sourceGraphs(const Model &plan);

/// The graph of that name, or the instance of it that `worker` has. NOT_FOUND
/// lists the graphs, FAILED_PRECONDITION the workers where none fits or none is
/// chosen.
StatusOr<const format::Graph *> chooseGraph(const Model &plan,
                                            std::string_view name,
                                            std::optional<uint32_t> worker);

/// The one graph among `names`; NOT_FOUND where there is none, INVALID_ARGUMENT
/// that lists them where there are several.
StatusOr<std::string> onlyGraph(const Model &plan,
                                const std::vector<std::string> &names);

} // namespace graphc::runtime

#endif
